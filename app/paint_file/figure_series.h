#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "paint_file/figure.h"
#include "paint_file/figure_content.h"

namespace attnscope {

// Figures that are shown one after the other, as an animation: a colour means the same number in all of them, and what
// they share keeps its place on pages of one size. First add() all of them, then make() each.
class FigureSeries {
public:
  // Takes a figure into account and keeps nothing large of it.
  void add(const FigureContent& content);
  // The figure as a member of the series. Errors: those of make_figure(), and Cancelled.
  Figure make(FigureContent content, const Execution& execution = {});

private:
  // What all panels of one stage share; of one head where each head has its own colour range.
  struct Common {
    ColourRange range;
    Index rows = 0;
    Index cols = 0;
    std::string widest_number;
    std::set<std::string> sums;  // the smallest and the largest row sum of each figure
  };
  using Place = std::pair<Stage, Index>;

  Place place_of(const FigureContent& content, const FigurePanel& panel) const;
  void add(Common& common, const FigurePanel& panel) const;
  void conform(FigureContent& content) const;
  double page_height(const Execution& execution);

  std::map<Place, Common> commons_;
  std::set<CellMark> marks_;
  std::optional<scene::DiagramShape> largest_;  // of diagrams
  std::vector<std::string> labels_;             // the longest list
  std::vector<FigureContent> outlines_;         // without cells and labels
  double height_ = 0;                           // of every page; 0: not computed yet
};

}  // namespace attnscope

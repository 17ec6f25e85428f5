#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "figure/figure.h"

namespace attnscope {

// Figures that are shown one after the other: a colour means the same number in all of them, and what they have in
// common stays where it is, on a page of one size. First all of them are added, then each is laid out.
class FigureSeries {
public:
  // Looks at the figure of a result; nothing large is kept of it. Throws Error as describe_figure() does.
  void add(const FigureContent& content);
  // The same figure as a member of the series. Throws Error as make_figure() does, and Cancelled.
  Figure make(FigureContent content, const Execution& execution = {});

private:
  // What panels of a stage have in common; with ranges of their own, those of a head.
  struct Common {
    ColourRange range;
    Index rows = 0;
    Index cols = 0;
    std::string widest_number;
    std::set<float> sums;  // the smallest and the largest of each figure's rows
  };
  using Place = std::pair<Stage, Index>;

  Place place_of(const FigureContent& content, const FigurePanel& panel) const;
  void add(Common& common, const FigurePanel& panel) const;
  void conform(FigureContent& content) const;
  double page_height(const Execution& execution);

  std::map<Place, Common> commons_;
  std::set<CellMark> marks_;
  std::vector<std::string> labels_;      // the longest list
  std::vector<FigureContent> outlines_;  // without cells and labels
  double height_ = 0;                    // of the page; 0: not known yet
};

}  // namespace attnscope

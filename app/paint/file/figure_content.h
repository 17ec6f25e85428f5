#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluate.h"
#include "paint/file/figure.h"
#include "view/cell_mark.h"
#include "view/diagram.h"
#include "view/figure_options.h"
#include "view/matrix_sheet.h"

namespace attnscope {

// One matrix of a figure and the meaning of its colours.
struct FigurePanel : scene::SheetMatrix {
  std::vector<float> row_sums = {};  // empty where they are not shown; NaN where they are read when they are drawn
  std::set<CellMark> cell_marks = {};
};

// The diagram in a figure of the whole pipeline.
struct FigureDiagram {
  std::shared_ptr<const Result> result;
  scene::DiagramShape shape;
  scene::DiagramShape largest;  // of the figures of a series: that all of them have the places of
  StageSet awaited;             // results that are not there yet, whose places are kept
};

// Everything that a figure shows.
struct FigureContent {
  FigureOptions options;
  std::string heading;                   // below the title: the stage, or the mechanism of a pipeline
  std::string place;                     // after it: "Head 1 of 12, batch entry 2 of 3"
  std::optional<Index> head;             // the figure's heading shows this head's colour
  std::vector<FigurePanel> panels;       // line by line, or as they stand in the diagram
  Index columns = 1;                     // panels in a line
  std::vector<std::string> labels;       // of rows: tokens, or the numbers of features
  bool repeats_columns = false;          // every panel has the same columns as the one above it
  bool shares_bar = true;                // one colour bar for all panels
  std::optional<FigureDiagram> diagram;  // instead of lines
  bool is_of_series = false;             // a colour means the same number in all figures of a series
  std::set<CellMark> series_marks;       // the legend that all figures of a series share
};

// Returns everything that the figure of a result shows. Throws Error when the result has no such stage, head or batch
// entry, or an option is out of bounds.
FigureContent describe_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                              const FigureOptions& options, const Execution& execution = {});

std::set<CellMark> marks_of(const FigureContent& content);  // that the legend explains

float row_sum(const FigurePanel& panel, Index row);  // read where it is not known yet

// Figures that are shown one after the other, as an animation: a colour means the same number in all of them, and what
// they share keeps its place on pages of one size. First add() all of them, then make() each.
class FigureSeries {
public:
  // Takes a figure into account and keeps nothing large of it.
  void add(const FigureContent& content);
  // The figure as a member of the series. Errors: those of make_figure(), and Cancelled.
  Figure make(FigureContent content, const Execution& execution = {});

private:
  // All panels of a stage share this; where each head has a colour range of its own, all panels of a head.
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

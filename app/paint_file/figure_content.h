#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compute/matrix_source.h"
#include "look/cell_mark.h"
#include "look/figure_options.h"
#include "scene/diagram_shape.h"
#include "scene/matrix_sheet.h"

namespace attnscope {

// One matrix of a figure and the meaning of its colours; figure_layout.h gives it a place.
struct FigurePanel : scene::SheetMatrix {
  MatrixSource source;
  Index side_by_side = 1;       // panels of the figure: of files that are too large, each is read in part
  TexelGrid grid;               // resolution of `values` and `drops`
  std::vector<float> values;    // minus infinity where masked
  std::vector<float> drops;     // above 0 where dropped; empty where nothing can be
  std::vector<float> row_sums;  // empty where they are not shown; NaN where they are read when they are drawn

  bool has_cells() const { return !values.empty(); }
  bool hides(Index row, Index col) const { return !is_transposed && source.seen.hides(row, col); }
};
constexpr Index drawn_one_by_one = 4096;  // cells; a larger matrix is drawn as an image without numbers

// Of a figure of the whole pipeline: what its diagram consists of. Its matrices are the panels of its only line.
struct FigureDiagram {
  std::shared_ptr<const Result> result;
  scene::DiagramShape shape;
  scene::DiagramShape largest;  // of the figures of a series: that all of them have the places of
  StageSet awaited;             // results that are not there yet, whose places are kept
};

// Everything that a figure shows.
struct FigureContent {
  FigureOptions options;
  std::string heading;                          // below the title: the stage, or the mechanism of a pipeline
  std::string place;                            // after it: "Head 1 of 12, batch entry 2 of 3"
  std::optional<Index> head;                    // the figure's heading shows this head's colour
  std::vector<std::vector<FigurePanel>> lines;  // panels, line by line
  std::vector<std::string> labels;              // of rows: tokens, or the numbers of features
  bool repeats_columns = false;                 // every panel has the same columns as the one above it
  bool shares_bar = true;                       // one colour bar for all panels
  std::optional<FigureDiagram> diagram;         // the panels stand in it, not in lines
  bool is_of_series = false;                    // a colour means the same number in all figures of a series
  std::set<CellMark> series_marks;              // the legend that all figures of a series share
};

// What the figure of a result shows; reads the cells of matrices of up to drawn_one_by_one cells. Throws Error when the
// result has no such stage, head or batch entry, or an option is out of bounds.
FigureContent describe_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                              const FigureOptions& options, const Execution& execution = {});

float row_sum(const FigurePanel& panel, Index row);  // read where it is not known yet

// Reads a panel's cells at the resolution of `grid`, as many as a picture may.
void read_panel(FigurePanel& panel, const TexelGrid& grid, const Execution& execution = {});

}  // namespace attnscope

#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compute/matrix_source.h"
#include "look/cell_mark.h"
#include "look/colour_range.h"
#include "look/figure_options.h"
#include "look/marks.h"
#include "look/stage_look.h"
#include "scene/diagram_shape.h"

namespace attnscope {

// One matrix of a figure and the meaning of its colours; figure_layout.h gives it a place.
struct FigurePanel {
  Stage stage = Stage::weights;
  Index head = 0;
  std::string heading;           // empty where the figure's heading says it already
  bool has_head_colour = false;  // a chip in the head's colour stands before the heading
  Index rows = 0;
  Index cols = 0;
  bool is_transposed = false;  // rows and columns of the stage change places
  double opacity = 1;          // less beside the head that is looked at
  Index room_rows = 0;         // rows of the largest matrix that a series shows in this place; 0: no series
  Index room_cols = 0;
  bool has_key_columns = false;  // query by key: the columns are tokens, too
  AxisTitles titles;
  Index head_cols = 0;  // columns of each head where heads lie side by side, else 0
  bool has_bar = true;  // a colour bar
  ColourRange range;
  MatrixSource source;
  Index side_by_side = 1;        // panels of the figure: of files that are too large, each is read in part
  TexelGrid grid;                // resolution of `values` and `drops`
  std::vector<float> values;     // minus infinity where masked
  std::vector<float> drops;      // above 0 where dropped; empty where nothing can be
  std::vector<float> row_sums;   // empty where they are not shown; NaN where they are read when they are drawn
  bool sums_to_one = false;      // those that do not are marked
  std::vector<float> room_sums;  // row sums that other figures of a series show here: room is kept for them
  MarkedLines marks;             // rows and a column that go with the figure's marked cell
  Index marked_row = -1;         // the cell itself, or that of the same query and key; -1 for none
  Index marked_col = -1;
  std::string widest_number;  // among its cells; empty where cells show no numbers

  bool has_cells() const { return !values.empty(); }
  bool hides(Index row, Index col) const { return !is_transposed && source.seen.hides(row, col); }
  Index laid_rows() const { return std::max(rows, room_rows); }
  Index laid_cols() const { return std::max(cols, room_cols); }
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

// The sum of a row, which is read where it is not known yet; the smallest and the largest of those that are known.
float row_sum(const FigurePanel& panel, Index row);
std::pair<float, float> row_sum_bounds(const FigurePanel& panel);

// Reads a panel's cells at the resolution of `grid`, as many as a picture may.
void read_panel(FigurePanel& panel, const TexelGrid& grid, const Execution& execution = {});

}  // namespace attnscope

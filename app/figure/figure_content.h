#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compute/matrix_source.h"
#include "look/colour_range.h"
#include "look/figure_options.h"

namespace attnscope {

// One matrix of a figure: what it is and what its colours mean, without a place.
struct FigurePanel {
  Stage stage = Stage::weights;
  Index head = 0;
  std::string heading;           // empty where the figure's own says it
  bool has_head_colour = false;  // a chip of it stands before the heading
  Index rows = 0;
  Index cols = 0;
  Index room_rows = 0;  // of the largest matrix of a series in this place; 0: there is no other
  Index room_cols = 0;
  bool is_square = false;  // queries by keys: columns are tokens too
  Index head_cols = 0;     // columns of one head where heads lie side by side, else 0
  bool has_bar = true;     // numbers stand for colours
  ColourRange range;
  MatrixSource source;
  TexelGrid grid;                // as which the cells below were read
  std::vector<float> values;     // minus infinity where masked
  std::vector<float> drops;      // above 0 where dropped; empty where nothing can be
  std::vector<float> row_sums;   // empty where they are not shown
  std::vector<float> room_sums;  // of all figures of a series in this place: they need room, too
  std::string widest_number;     // of its cells; empty where they get no numbers

  bool has_cells() const { return !values.empty(); }
  bool hides(Index row, Index col) const { return source.causal && col > row; }
  Index laid_rows() const { return std::max(rows, room_rows); }
  Index laid_cols() const { return std::max(cols, room_cols); }
};
constexpr Index drawn_one_by_one = 4096;  // cells; more are an image, and have no numbers

enum class CellMark { masked, dropped, not_a_number, infinite };

// Everything that a figure shows.
struct FigureContent {
  FigureOptions options;
  std::string heading;                          // below the title: the stage, or the mechanism of a pipeline
  std::string place;                            // after it: "Head 1 of 12, batch entry 2 of 3"
  std::optional<Index> head;                    // whose colour the figure's heading shows
  std::vector<std::vector<FigurePanel>> lines;  // of panels
  std::vector<std::string> labels;              // of tokens
  bool repeats_columns = false;                 // all panels have the columns of those above them
  bool shares_bar = true;                       // one colour bar for all panels
  bool is_of_series = false;                    // colours mean the same in all figures of a series
  std::set<CellMark> series_marks;              // in the legend of all figures of a series
};

// What the figure of a result shows. Cells of matrices up to drawn_one_by_one are read. Throws Error when the result
// has no such stage, head or batch entry, or an option is out of bounds.
FigureContent describe_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                              const FigureOptions& options, const Execution& execution = {});

// Reads a panel's cells as so many texels.
void read_panel(FigurePanel& panel, const TexelGrid& grid, const Execution& execution = {});

}  // namespace attnscope

#pragma once

#include "compute/pixels.h"
#include "paint/file/figure.h"
#include "paint/file/text_shaper.h"
#include "view/cells.h"

namespace attnscope {

// Paints a figure's picture with Cairo. Private to this folder.

// The surface behind a Cairo context.
struct DrawTarget {
  const DrawWatch& watch;
  double pixels = 0;        // pixels of the target for each of the figure; 0: a vector format
  bool has_letters = true;  // false: the caller writes words whose letters fonts have
};

// Draws a whole page, in the figure's pixels. Throws Cancelled when a stop was requested.
void draw_figure(cairo_t* cairo, const Figure& figure, const DrawTarget& target);

// Returns whether cells are drawn one by one; a larger matrix is an image without numbers.
inline bool is_drawn_one_by_one(const picture::Matrix& matrix) { return matrix.rows * matrix.cols <= 4096; }

// The cells of a whole matrix for drawing: one by one, or pooled.
struct HeatmapCells {
  Index rows = 0;
  Index cols = 0;
  std::vector<float> values;  // minus infinity: masked
  std::vector<float> drops;   // above 0: dropped; empty: nothing can be

  bool is_dropped(std::size_t at) const { return !drops.empty() && drops[at] > 0; }
  std::optional<CellMark> mark(std::size_t at) const { return mark_of(values[at], is_dropped(at)); }
};
HeatmapCells read_heatmap(const picture::Matrix& matrix, Index rows, Index cols, const Measure& measure = {},
                          const Execution& execution = {});

}  // namespace attnscope

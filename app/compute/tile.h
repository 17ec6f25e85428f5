#pragma once

#include <vector>

#include "compute/pooling.h"
#include "core/cells.h"
#include "core/measure.h"
#include "core/visibility.h"

namespace attnscope {

// A matrix as it is sampled for drawing: `rows` x `cols` texels. As many as the matrix has cells while a cell covers a
// pixel or more, else fewer, each over several cells; each axis by itself.
struct TexelGrid {
  Index rows = 0;
  Index cols = 0;
  Pooling pooling = Pooling::largest_magnitude;
  Index rows_read = 0;  // of the rows of cells under each row of texels, of a file that is too large; 0: all
  bool operator==(const TexelGrid&) const = default;
};

// A rectangle of texels of such a grid. Grids are cut into tiles so that only what is visible is prepared and no
// texture exceeds the driver's limit.
using Tile = CellRect;
constexpr Index tile_side = 1024;  // texels; drivers for OpenGL 3.3 allow that and more

struct CellSpan {  // along an axis
  Index first = 0;
  Index last = 0;  // one past
};
// The cells that texel number `texel` touches, when `texels` texels cover `cells` cells.
CellSpan cells_under(Index texel, Index texels, Index cells);
// Returns the cells under a tile of a matrix of `rows` by `cols` cells.
CellRect cells_under(const TexelGrid& grid, const Tile& tile, Index rows, Index cols);

// Values of a tile's texels, row-major, from a block that holds the cells under them, at least those that are seen.
// Minus infinity where hidden. A texel over several cells pools those that are seen, and is hidden where none is. Of
// another measure than the number itself: weights take the factors of their rows before they are pooled, logarithms are
// of what was pooled.
std::vector<float> tile_values(const CellBlock& block, const Visibility& seen, const TexelGrid& grid, const Tile& tile,
                               const Measure& measure = {});

// 1 for each texel whose cells that are seen all have the dropout factor 0, else 0.
std::vector<float> tile_drops(const CellBlock& factors, const Visibility& seen, const TexelGrid& grid,
                              const Tile& tile);

}  // namespace attnscope

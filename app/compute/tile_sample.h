#pragma once

#include "compute/matrix_source.h"

namespace attnscope {

// One cell for each texel: a quick look at a matrix that is computed.
TilePixels sample_tile(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);

}  // namespace attnscope

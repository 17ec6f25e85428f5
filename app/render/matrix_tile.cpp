#include "render/matrix_tile.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace attnscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Orders floats by magnitude as unsigned integers: the sign moves to the lowest bit. 0 is left to masked cells.
std::uint32_t magnitude_key(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t key = std::max<std::uint32_t>(std::rotl(bits, 1) ^ 1U, 1U);
  return bits == std::bit_cast<std::uint32_t>(minus_infinity) ? 0U : key;
}

float value_of(std::uint32_t key) { return key == 0 ? minus_infinity : std::bit_cast<float>(std::rotr(key ^ 1U, 1)); }

std::uint32_t kept_key(float factor) { return factor == 0 ? 1U : 2U; }

struct Span {
  Index first = 0;
  Index last = 0;  // one past
};

// Cells under texel number `texel` of `texels` that share `cells`: all that the texel touches.
Span cells_under(Index texel, Index texels, Index cells) {
  return {texel * cells / texels, ((texel + 1) * cells + texels - 1) / texels};
}

// Largest key under each texel of a tile; 0 where every cell under it is masked. Rows are folded first, over their full
// width, as that is the loop that the compiler can vectorize.
template <typename Key>
std::vector<std::uint32_t> pool(const ConstMatrixMap& matrix, bool causal, const TexelGrid& grid, const Tile& tile,
                                Key key) {
  std::vector<std::uint32_t> texels(static_cast<std::size_t>(tile.rows * tile.cols), 0U);
  const Index first_col = cells_under(tile.col, grid.cols, matrix.cols()).first;
  const Index last_col = cells_under(tile.col + tile.cols - 1, grid.cols, matrix.cols()).last;
  std::vector<std::uint32_t> folded(static_cast<std::size_t>(last_col - first_col));
  std::uint32_t* texel = texels.data();
  for (Index texel_row = tile.row; texel_row < tile.row + tile.rows; ++texel_row) {
    std::fill(folded.begin(), folded.end(), 0U);
    const Span rows = cells_under(texel_row, grid.rows, matrix.rows());
    for (Index row = rows.first; row < rows.last; ++row) {
      const float* const cells = &matrix.coeffRef(row, 0) + first_col;
      const Index count = causal ? std::min(last_col, row + 1) - first_col : last_col - first_col;
      for (Index i = 0; i < count; ++i) {
        std::uint32_t& best = folded[static_cast<std::size_t>(i)];
        best = std::max(best, key(cells[i]));
      }
    }
    for (Index texel_col = tile.col; texel_col < tile.col + tile.cols; ++texel_col) {
      const Span cols = cells_under(texel_col, grid.cols, matrix.cols());
      *texel++ = *std::max_element(folded.begin() + (cols.first - first_col), folded.begin() + (cols.last - first_col));
    }
  }
  return texels;
}

}  // namespace

std::vector<float> tile_values(const ConstMatrixMap& matrix, bool causal, const TexelGrid& grid, const Tile& tile) {
  const std::vector<std::uint32_t> keys = pool(matrix, causal, grid, tile, magnitude_key);
  std::vector<float> values(keys.size());
  std::transform(keys.begin(), keys.end(), values.begin(), value_of);
  return values;
}

std::vector<std::uint8_t> tile_drops(const ConstMatrixMap& factors, bool causal, const TexelGrid& grid,
                                     const Tile& tile) {
  const std::vector<std::uint32_t> keys = pool(factors, causal, grid, tile, kept_key);
  std::vector<std::uint8_t> drops(keys.size());
  std::transform(keys.begin(), keys.end(), drops.begin(), [](std::uint32_t key) { return key == 1U ? 1 : 0; });
  return drops;
}

}  // namespace attnscope

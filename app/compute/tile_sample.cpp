#include "compute/tile_sample.h"

#include <algorithm>

#include "core/cell_reader.h"

namespace attnscope {
namespace {

// The sample that stands for each texel along an axis.
std::vector<Index> samples(Index first_texel, Index count, Index texels, Index cells, Index first_cell, Index step) {
  std::vector<Index> picks;
  for (Index texel = first_texel; texel < first_texel + count; ++texel) {
    picks.push_back((cells_under(texel, texels, cells).first - first_cell) / step);
  }
  return picks;
}

}  // namespace

TilePixels sample_tile(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const CellRect area = cells_under(grid, tile, source.rows(), source.cols());
  const CellStep step = {std::max<Index>(1, area.rows / tile.rows), std::max<Index>(1, area.cols / tile.cols)};
  const CellRect rect = {area.row, area.col, (area.rows + step.rows - 1) / step.rows,
                         (area.cols + step.cols - 1) / step.cols};
  const std::vector<Index> rows = samples(tile.row, tile.rows, grid.rows, source.rows(), area.row, step.rows);
  const std::vector<Index> cols = samples(tile.col, tile.cols, grid.cols, source.cols(), area.col, step.cols);
  std::vector<float> cells(static_cast<std::size_t>(rect.rows * rect.cols));
  TilePixels pixels = masked_pixels(source, tile);
  pixels.is_coarse = true;
  const auto pick = [&](std::vector<float>& out, const auto& pixel_of) {
    std::size_t texel = 0;
    for (const Index row : rows) {
      const Index query = area.row + row * step.rows;
      for (const Index col : cols) {
        if (!source.seen.hides(query, area.col + col * step.cols)) {
          out[texel] = pixel_of(cells[static_cast<std::size_t>(row * rect.cols + col)], query);
        }
        ++texel;
      }
    }
  };
  read_cells(cells, *source.result, source.stage, source.matrix, rect, step);
  pick(pixels.values, [&](float value, Index query) { return source.measure.of(value, query); });
  if (!source.drops) return pixels;
  read_cells(cells, *source.result, Stage::dropout_factors, source.matrix, rect, step);
  pick(pixels.drops, [](float factor, Index) { return factor == 0 ? 1.0F : 0.0F; });
  return pixels;
}

}  // namespace attnscope

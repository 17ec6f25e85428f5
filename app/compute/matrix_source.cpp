#include "compute/matrix_source.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace attnscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
constexpr Index strip_rows = 128;  // cells: of fewer, packing the keys takes long; of more, a stop is noticed late

// Rows of texels, from the tile's first.
struct Strip {
  Index first = 0;
  Index count = 0;
};

// Cells under a strip, without the columns that are masked for all of them; none where all are.
CellRect visible_cells(const MatrixSource& source, const TexelGrid& grid, const Tile& strip) {
  CellRect rect = cells_under(grid, strip, source.rows(), source.cols());
  if (source.causal) rect.cols = std::clamp<Index>(rect.row + rect.rows - rect.col, 0, rect.cols);
  return rect;
}

void compute_strip(TilePixels& pixels, const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                   const Strip& rows) {
  const Tile strip = {tile.row + rows.first, tile.col, rows.count, tile.cols};
  const CellRect rect = visible_cells(source, grid, strip);
  if (rect.cols == 0) return;
  std::vector<float> cells(static_cast<std::size_t>(rect.rows * rect.cols));
  const CellBlock block = {cells.data(), rect, source.rows(), source.cols()};
  const Index place = rows.first * tile.cols;
  read_cells(cells, *source.result, source.stage, source.matrix, rect);
  std::ranges::copy(tile_values(block, source.causal, grid, strip), pixels.values.begin() + place);
  if (!source.drops) return;
  read_cells(cells, *source.result, Stage::dropout_factors, source.matrix, rect);
  std::ranges::copy(tile_drops(block, source.causal, grid, strip), pixels.drops.begin() + place);
}

TilePixels masked_pixels(const MatrixSource& source, const Tile& tile) {
  const auto count = static_cast<std::size_t>(tile.rows * tile.cols);
  TilePixels pixels;
  pixels.values.assign(count, minus_infinity);
  if (source.has_factors()) pixels.drops.assign(count, 0.0F);
  return pixels;
}

// The sample that stands for each texel along an axis.
std::vector<Index> samples(Index first_texel, Index count, Index texels, Index cells, Index first_cell, Index step) {
  std::vector<Index> picks;
  for (Index texel = first_texel; texel < first_texel + count; ++texel) {
    picks.push_back((cells_under(texel, texels, cells).first - first_cell) / step);
  }
  return picks;
}

}  // namespace

Origin origin_of(const Result& result, Stage stage) {
  if (const TensorPtr tensor = result.share(stage)) return {tensor, nullptr};
  if (stage < Stage::masked_scores || (stage == Stage::dropout_factors && !result.dropout)) {
    return {result.share(queries_stage(result.config)), nullptr};
  }
  if (stage == Stage::dropout_factors) return {result.dropout, nullptr};
  return {result.rows, stage == Stage::dropped_weights ? result.dropout : nullptr};
}

Origin origin_of(const MatrixSource& source) {
  if (source.values) return {source.values, source.factors};
  Origin origin = origin_of(*source.result, source.stage);
  if (source.drops) origin.second = source.result->dropout;
  return origin;
}

TileKey key_of(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const Origin origin = origin_of(source);
  return {.first = origin.first.get(),
          .second = origin.second.get(),
          .stage = source.stage,
          .matrix = source.matrix,
          .factors_matrix = source.factors_matrix,
          .causal = source.causal,
          .grid_rows = grid.rows,
          .grid_cols = grid.cols,
          .pooling = grid.pooling,
          .tile_row = tile.row,
          .tile_col = tile.col};
}

TilePixels compute_tile(const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                        const Execution& execution) {
  TilePixels pixels;
  if (source.values) {
    pixels.values =
        tile_values(whole_block(std::as_const(*source.values).matrix(source.matrix)), source.causal, grid, tile);
    if (!source.factors) return pixels;
    pixels.drops = tile_drops(whole_block(std::as_const(*source.factors).matrix(source.factors_matrix)), source.causal,
                              grid, tile);
    return pixels;
  }
  pixels = masked_pixels(source, tile);
  const Index texel_rows = std::max<Index>(1, strip_rows * grid.rows / source.rows());
  const Index strips = (tile.rows + texel_rows - 1) / texel_rows;
  for_each_block(execution, strips, [&](Index strip) {
    const Index first = strip * texel_rows;
    compute_strip(pixels, source, grid, tile, {first, std::min(texel_rows, tile.rows - first)});
  });
  return pixels;
}

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
      for (const Index col : cols) {
        const bool is_masked = source.causal && area.col + col * step.cols > area.row + row * step.rows;
        if (!is_masked) out[texel] = pixel_of(cells[static_cast<std::size_t>(row * rect.cols + col)]);
        ++texel;
      }
    }
  };
  read_cells(cells, *source.result, source.stage, source.matrix, rect, step);
  pick(pixels.values, [](float value) { return value; });
  if (!source.drops) return pixels;
  read_cells(cells, *source.result, Stage::dropout_factors, source.matrix, rect, step);
  pick(pixels.drops, [](float factor) { return factor == 0 ? 1.0F : 0.0F; });
  return pixels;
}

double work_of(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  if (source.values) return 0;
  const CellRect rect = visible_cells(source, grid, tile);
  constexpr double per_cell = 16;  // exponentials and pooling, in multiplications
  return static_cast<double>(rect.rows) * static_cast<double>(rect.cols) *
         (static_cast<double>(head_features(source.result->config)) + per_cell);
}

Stage same_cells_as(const AttentionConfig& config, Stage stage) {
  if (stage == Stage::dropped_weights && !dropout_is_active(config)) return normalized_weights_stage(config);
  if (stage != Stage::scaled_scores || config.scale) return stage;
  return config.mask == MaskRoute::causal ? Stage::masked_scores : Stage::scores;
}

}  // namespace attnscope

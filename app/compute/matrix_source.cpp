#include "compute/matrix_source.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "core/cell_reader.h"
#include "core/difference.h"
#include "core/external_attention.h"
#include "core/kernels/select.h"

namespace attnscope {
namespace {

// Rows of texels and of columns, from the tile's first.
struct Span {
  Index first = 0;
  Index count = 0;
};

// Cells under a strip, from the first to the last column that is seen in any row; none where none is.
CellRect visible_cells(const MatrixSource& source, const TexelGrid& grid, const Tile& strip) {
  const CellRect rect = cells_under(grid, strip, source.rows(), source.cols());
  const KeyRange keys = within(source.seen.of_any(rect.row, rect.rows), rect.col, rect.col + rect.cols);
  return {rect.row, keys.first, rect.rows, keys.count()};
}

// A tile that several stages are computed for.
struct Batch {
  std::span<const MatrixSource> sources;
  TexelGrid grid;
  Tile tile;
  std::span<TilePixels> pixels;  // one for each source
};

// Texels of a part of the tile, into their place.
void put_part(std::vector<float>& texels, const std::vector<float>& values, const Tile& part, const Tile& tile) {
  for (Index row = 0; row < part.rows; ++row) {
    std::copy_n(values.begin() + row * part.cols, part.cols,
                texels.begin() + (part.row - tile.row + row) * tile.cols + (part.col - tile.col));
  }
}

// Gives a block of cells to the sources of its stage.
void put_block(const Batch& batch, const Tile& part, Stage stage, const CellBlock& block) {
  for (std::size_t i = 0; i < batch.sources.size(); ++i) {
    const MatrixSource& source = batch.sources[i];
    TilePixels& pixels = batch.pixels[i];
    if (visible_cells(source, batch.grid, part).cols == 0) continue;
    if (source.stage == stage)
      put_part(pixels.values, tile_values(block, source.seen, batch.grid, part, source.measure), part, batch.tile);
    if (source.drops && stage == Stage::dropout_factors) {
      put_part(pixels.drops, tile_drops(block, source.seen, batch.grid, part), part, batch.tile);
    }
  }
}

// The stages of which cells show in a part of the tile.
StageSet stages_of(const Batch& batch, const Tile& part) {
  StageSet stages;
  for (const MatrixSource& source : batch.sources) {
    if (visible_cells(source, batch.grid, part).cols == 0) continue;
    stages.add(source.stage);
    if (source.drops) stages.add(Stage::dropout_factors);
  }
  return stages;
}

void compute_strip(const Batch& batch, const CellReader& reader, const Span& rows, Index texel_cols) {
  const Tile& tile = batch.tile;
  const MatrixSource& any = batch.sources.front();
  const Tile strip = {tile.row + rows.first, tile.col, rows.count, tile.cols};
  CellRows cells(reader, cells_under(batch.grid, strip, any.rows(), any.cols()));
  for (Index first = 0; first < tile.cols; first += texel_cols) {
    const Tile part = {strip.row, tile.col + first, strip.rows, std::min(texel_cols, tile.cols - first)};
    const StageSet stages = stages_of(batch, part);
    if (stages.is_empty()) continue;
    const CellRect rect = cells_under(batch.grid, part, any.rows(), any.cols());
    cells.read(rect.col, rect.cols, stages,
               [&](Stage stage, const CellBlock& block) { put_block(batch, part, stage, block); });
  }
}

// Strip by strip of cells that are only read: of a large matrix, little is ever held.
void read_strips(std::vector<float>& texels, const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                 const Execution& execution, const std::function<void(const CellBlock&)>& look = {}) {
  const Index texel_rows = std::max<Index>(1, read_rows_at_once * grid.rows / source.rows());
  for_each_block(execution, (tile.rows + texel_rows - 1) / texel_rows, [&](Index strip) {
    const Index first = strip * texel_rows;
    const Tile part = {tile.row + first, tile.col, std::min(texel_rows, tile.rows - first), tile.cols};
    const CellRect rect = cells_under(grid, part, source.rows(), source.cols());
    std::vector<float> cells(static_cast<std::size_t>(rect.rows * rect.cols));
    read_cells(cells, *source.result, source.stage, source.matrix, rect);
    const CellBlock block = {cells.data(), rect, rect.cols, source.rows(), source.cols()};
    put_part(texels, tile_values(block, source.seen, grid, part, source.measure), part, tile);
    if (look) look(block);
  });
}

// Reads some rows of cells for each row of texels, evenly spread.
void read_some_rows(std::vector<float>& texels, const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                    const Execution& execution) {
  for_each_block(execution, tile.rows, [&](Index row) {
    const Tile part = {tile.row + row, tile.col, 1, tile.cols};
    const CellRect under = cells_under(grid, part, source.rows(), source.cols());
    const Index count = std::min(grid.rows_read, under.rows);
    const CellStep step = {under.rows / count, 1};
    std::vector<float> cells(static_cast<std::size_t>(count * under.cols));
    read_cells(cells, *source.result, source.stage, source.matrix, {under.row, under.col, count, under.cols}, step);
    for (Index i = 0; i < count * under.cols; ++i)
      cells[static_cast<std::size_t>(i)] *= source.measure.factor(under.row + i / under.cols * step.rows);
    const CellBlock block = {cells.data(), {0, under.col, count, under.cols}, under.cols, count, source.cols()};
    const TexelGrid line = {1, grid.cols, grid.pooling};
    std::vector<float> values = tile_values(block, source.seen, line, {0, tile.col, 1, tile.cols});
    for (float& value : values) value = source.measure.finish(value);
    put_part(texels, values, part, tile);
  });
}

}  // namespace

MatrixSource source_of(const std::shared_ptr<const Result>& result, Stage stage, Index matrix) {
  MatrixSource source;
  source.values = result->share(stage);
  source.matrix = matrix;
  source.result = result;
  source.stage = result->difference ? stage : same_cells_as(result->config, stage);
  source.seen = visibility(*result, stage);
  source.drops = shows_dropped(*result, stage);
  if (source.drops) {
    source.factors = result->share(Stage::dropout_factors);
    source.factors_matrix = matrix;
  }
  return source;
}

Origin origin_of(const Result& result, Stage stage) {
  if (result.external) return {result.external, nullptr};
  if (const TensorPtr tensor = result.share(stage)) return {tensor, nullptr};
  if (stage == Stage::head_context) return {result.share(Stage::context), nullptr};
  if (result.difference) return {result.difference, nullptr};
  const bool follows_from_rows = stage != Stage::scores && stage != Stage::mask && stage != Stage::dropout_factors;
  if (!follows_from_rows && !(stage == Stage::dropout_factors && result.dropout)) {
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
          .seen = source.seen,
          .measure = source.measure,
          .grid_rows = grid.rows,
          .grid_cols = grid.cols,
          .pooling = grid.pooling,
          .rows_read = grid.rows_read,
          .tile_row = tile.row,
          .tile_col = tile.col};
}

TilePixels masked_pixels(const MatrixSource& source, const Tile& tile) {
  const auto count = static_cast<std::size_t>(tile.rows * tile.cols);
  TilePixels pixels;
  pixels.values.assign(count, -std::numeric_limits<float>::infinity());
  if (source.has_factors()) pixels.drops.assign(count, 0.0F);
  return pixels;
}

TexelGrid within_bounds(TexelGrid grid, const MatrixSource& source, double matrices) {
  if (source.is_empty() || source.values || !source.result->external) return grid;
  const double share = share_read(*source.result->external, matrices);
  const Index under = source.rows() / grid.rows;
  if (share < 1 && under > 1) grid.rows_read = rows_read(under, share);
  return grid;
}

TilePixels compute_tile(const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                        const Execution& execution) {
  TilePixels pixels;
  if (source.is_held()) {
    const CellBlock block = source.values ? whole_block(std::as_const(*source.values).matrix(source.matrix))
                                          : held_block(*source.result, source.stage, source.matrix).value();
    pixels.values = tile_values(block, source.seen, grid, tile, source.measure);
    if (!source.factors) return pixels;
    pixels.drops =
        tile_drops(whole_block(std::as_const(*source.factors).matrix(source.factors_matrix)), source.seen, grid, tile);
    return pixels;
  }
  return std::move(compute_tiles({&source, 1}, grid, tile, execution).front());
}

bool reads_whole(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const bool is_read = !source.is_held() && source.result->external;
  return is_read && grid.rows_read == 0 && tile.rows == grid.rows && tile.cols == grid.cols;
}

// Strips share the rows that a texel's edge cuts.
TilePixels read_whole(const MatrixSource& source, const TexelGrid& grid, MatrixSummary& summary,
                      const Execution& execution) {
  const Tile tile = {0, 0, grid.rows, grid.cols};
  TilePixels pixels = masked_pixels(source, tile);
  const auto rows = static_cast<std::size_t>(source.rows());
  summary.row_sums.assign(rows, 0.0F);
  std::vector<StageSummary::Extremes> extremes(rows, no_extremes);
  std::mutex mutex;
  read_strips(pixels.values, source, grid, tile, execution, [&](const CellBlock& block) {
    for (Index row = block.rect.row; row < block.rect.row + block.rect.rows; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const RowNumbers numbers = kernels().row_numbers(block.at(row, 0), block.cols);
      const std::lock_guard lock(mutex);
      extremes[at] = {numbers.low, numbers.high};
      summary.row_sums[at] = static_cast<float>(numbers.sum);
    }
  });
  summary.extremes = no_extremes;
  for (const StageSummary::Extremes& row : extremes) widen(summary.extremes, row);
  return pixels;
}

std::vector<TilePixels> compute_tiles(std::span<const MatrixSource> sources, const TexelGrid& grid, const Tile& tile,
                                      const Execution& execution) {
  std::vector<TilePixels> pixels;
  for (const MatrixSource& source : sources) pixels.push_back(masked_pixels(source, tile));
  const MatrixSource& any = sources.front();
  if (any.result->external) {
    std::vector<float>& texels = pixels.front().values;
    if (grid.rows_read > 0) {
      read_some_rows(texels, any, grid, tile, execution);
    } else {
      read_strips(texels, any, grid, tile, execution);
    }
    return pixels;
  }
  const Batch batch = {sources, grid, tile, pixels};
  const CellReader reader(*any.result, any.matrix, stages_of(batch, tile),
                          cells_under(grid, tile, any.rows(), any.cols()), {}, execution);
  const Index texel_rows = std::max<Index>(1, read_rows_at_once * grid.rows / any.rows());
  const Index texel_cols = std::max<Index>(1, read_cols_at_once * grid.cols / any.cols());
  for_each_block(execution, (tile.rows + texel_rows - 1) / texel_rows, [&](Index strip) {
    const Index first = strip * texel_rows;
    compute_strip(batch, reader, {first, std::min(texel_rows, tile.rows - first)}, texel_cols);
  });
  return pixels;
}

bool shares_scores(const MatrixSource& left, const MatrixSource& right) {
  const bool are_computed = !left.is_held() && !right.is_held();
  return are_computed && left.result == right.result && left.matrix == right.matrix;
}

double work_of(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  if (source.is_held()) return 0;
  const CellRect rect = visible_cells(source, grid, tile);
  constexpr double per_cell = 16;  // exponentials and pooling, in multiplications
  constexpr double per_read = 32;  // conversion, and a file that may have to be fetched
  const double cells = static_cast<double>(rect.rows) * static_cast<double>(rect.cols);
  if (source.result->external) return cells * per_read;
  return cells * (static_cast<double>(head_features(source.result->config)) + per_cell);
}

Stage same_cells_as(const AttentionConfig& config, Stage stage) {
  if (stage == Stage::dropped_weights && !dropout_is_active(config)) return normalized_weights_stage(config);
  const bool is_unchanged = info(stage).rule == CellRule::step && !info(stage).step(config)->acts(config);
  return is_unchanged ? before_on_route(config, stage) : stage;
}

}  // namespace attnscope

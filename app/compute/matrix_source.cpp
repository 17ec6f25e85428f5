#include "compute/matrix_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/cell_reader.h"
#include "core/difference.h"
#include "core/external_attention.h"

namespace attnscope {
namespace {

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

TilePixels masked_pixels(const MatrixSource& source, const Tile& tile) {
  const auto count = static_cast<std::size_t>(tile.rows * tile.cols);
  TilePixels pixels;
  pixels.values.assign(count, -std::numeric_limits<float>::infinity());
  if (source.drops) pixels.drops.assign(count, 0.0F);
  return pixels;
}

// Calls work(strip) for strips of a tile, each of as many rows of texels as are best read at a time.
template <typename Work>
void for_each_strip_of_texels(const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                              const Execution& execution, const Work& work) {
  const Index texel_rows = std::max<Index>(1, read_rows_at_once * grid.rows / source.rows());
  for_each_block(execution, blocks_of(tile.rows, texel_rows), [&](Index strip) {
    const Index first = strip * texel_rows;
    work(Tile{tile.row + first, tile.col, std::min(texel_rows, tile.rows - first), tile.cols});
  });
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

void compute_strip(const Batch& batch, const CellReader& reader, const Tile& strip) {
  const MatrixSource& any = batch.sources.front();
  const Index texel_cols = std::max<Index>(1, read_cols_at_once * batch.grid.cols / any.cols());
  CellRows cells(reader, cells_under(batch.grid, strip, any.rows(), any.cols()));
  for (Index first = 0; first < strip.cols; first += texel_cols) {
    const Tile part = {strip.row, strip.col + first, strip.rows, std::min(texel_cols, strip.cols - first)};
    const StageSet stages = stages_of(batch, part);
    if (stages.is_empty()) continue;
    const CellRect rect = cells_under(batch.grid, part, any.rows(), any.cols());
    cells.read(rect.col, rect.cols, stages,
               [&](Stage stage, const CellBlock& block) { put_block(batch, part, stage, block); });
  }
}

// Strip by strip of cells that are only read: of a large matrix, little is ever held. Calls look(block) with all cells
// of the matrix, each of them once.
template <typename Look>
void read_strips(std::vector<float>& texels, const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                 const Execution& execution, const Look& look) {
  for_each_strip_of_texels(source, grid, tile, execution, [&](const Tile& strip) {
    const CellRect rect = cells_under(grid, strip, source.rows(), source.cols());
    std::vector<float> cells(static_cast<std::size_t>(rect.rows * rect.cols));
    read_cells(cells, *source.result, source.stage, source.matrix, rect);
    CellBlock block = {cells.data(), rect, rect.cols, source.rows(), source.cols()};
    put_part(texels, tile_values(block, source.seen, grid, strip, source.measure), strip, tile);
    const Index next_strip = (strip.row + strip.rows) * source.rows() / grid.rows;
    block.rect.rows = next_strip - rect.row;  // a row that a texel's edge cuts belongs to the next strip
    look(block);
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

// The stage whose cells are those of this one, where a configuration leaves a step out: what is shared by kept stages.
Stage same_cells_as(const AttentionConfig& config, Stage stage) {
  const bool is_unchanged = has_stage(config, stage) && !acts_in(config, stage);
  return is_unchanged ? before_on_route(config, stage) : stage;
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

MatrixSource source_of(const std::shared_ptr<const Result>& result, Stage stage, Index matrix) {
  return {.result = result,
          .stage = result->difference ? stage : same_cells_as(result->config, stage),
          .matrix = matrix,
          .seen = visibility(*result, stage),
          .measure = {},
          .drops = shows_dropped(*result, stage)};
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
  Origin origin = origin_of(*source.result, source.stage);
  if (!source.drops) return origin;
  origin.second = source.result->share(Stage::dropout_factors);
  if (!origin.second) origin.second = source.result->dropout;
  return origin;
}

TileKey key_of(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const Origin origin = origin_of(source);
  return {.first = origin.first.get(),
          .second = origin.second.get(),
          .stage = source.stage,
          .matrix = source.matrix,
          .seen = source.seen,
          .measure = source.measure,
          .grid_rows = grid.rows,
          .grid_cols = grid.cols,
          .pooling = grid.pooling,
          .rows_read = grid.rows_read,
          .tile_row = tile.row,
          .tile_col = tile.col};
}

TexelGrid within_bounds(TexelGrid grid, const MatrixSource& source, double matrices) {
  if (source.is_empty() || !source.result->external) return grid;
  const double share = share_read(*source.result->external, matrices);
  const Index under = source.rows() / grid.rows;
  if (share < 1 && under > 1) grid.rows_read = rows_read(under, share);
  return grid;
}

TilePixels compute_tile(const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                        const Execution& execution) {
  if (!source.is_held()) return std::move(compute_tiles({&source, 1}, grid, tile, execution).front());
  TilePixels pixels;
  const CellBlock cells = held_block(*source.result, source.stage, source.matrix).value();
  pixels.values = tile_values(cells, source.seen, grid, tile, source.measure);
  if (!source.drops) return pixels;
  const CellBlock factors = held_block(*source.result, Stage::dropout_factors, source.matrix).value();
  pixels.drops = tile_drops(factors, source.seen, grid, tile);
  return pixels;
}

bool reads_whole(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const bool is_read = !source.is_held() && source.result->external;
  return is_read && grid.rows_read == 0 && tile.rows == grid.rows && tile.cols == grid.cols;
}

TilePixels read_whole(const MatrixSource& source, const TexelGrid& grid, MatrixSummary& summary,
                      const Execution& execution) {
  const Tile tile = {0, 0, grid.rows, grid.cols};
  TilePixels pixels = masked_pixels(source, tile);
  MatrixCollector cells(source.rows());
  read_strips(pixels.values, source, grid, tile, execution, [&](const CellBlock& block) { cells.add(block); });
  summary = cells.summary();
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
      read_strips(texels, any, grid, tile, execution, [](const CellBlock&) {});
    }
    return pixels;
  }
  const Batch batch = {sources, grid, tile, pixels};
  const CellReader reader(*any.result, any.matrix, stages_of(batch, tile),
                          cells_under(grid, tile, any.rows(), any.cols()), {}, execution);
  for_each_strip_of_texels(any, grid, tile, execution, [&](const Tile& strip) { compute_strip(batch, reader, strip); });
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

}  // namespace attnscope

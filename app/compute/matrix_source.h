#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include "compute/tile.h"
#include "core/measure.h"
#include "core/summary.h"

namespace attnscope {

// A matrix that a picture is made of, before it is cut into tiles.
struct MatrixSource {
  std::shared_ptr<const Result> result;
  Stage stage = Stage::weights;
  Index matrix = 0;    // trailing matrix of the stage
  Visibility seen;     // which cells are not masked
  Measure measure;     // of its cells, that pixels show
  bool drops = false;  // with the dropout factors of the result

  const Tensor* tensor() const { return result->find(stage); }  // null where cells are computed or read
  Index rows() const { return tensor() ? tensor()->rows() : query_count(result->config); }
  Index cols() const {
    if (tensor()) return tensor()->cols();
    return is_query_by_key(info(stage).axes) ? key_count(result->config) : value_features(result->config);
  }
  // Whether the cells stand in memory, perhaps among those of other heads.
  bool is_held() const { return tensor() || !is_query_by_key(info(stage).axes); }
  bool is_empty() const { return !result || (tensor() && tensor()->size() == 0); }
};

// Returns a matrix of a result, with its dropout factors where it shows dropped cells.
MatrixSource source_of(const std::shared_ptr<const Result>& result, Stage stage, Index matrix);

// The objects that the cells of a source come from: while both live, their addresses identify the cells.
struct Origin {
  std::shared_ptr<const void> first;
  std::shared_ptr<const void> second;
};
Origin origin_of(const MatrixSource& source);
Origin origin_of(const Result& result, Stage stage);

// Identifies one tile of one source as long as its origin lives.
struct TileKey {
  const void* first = nullptr;
  const void* second = nullptr;
  Stage stage = Stage::inputs;
  Index matrix = 0;
  Visibility seen;
  Measure measure;
  Index grid_rows = 0;
  Index grid_cols = 0;
  Pooling pooling = Pooling::largest_magnitude;
  Index rows_read = 0;
  Index tile_row = 0;
  Index tile_col = 0;
  auto operator<=>(const TileKey&) const = default;
};
TileKey key_of(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);

// The pixels of one tile of a picture.
struct TilePixels {
  std::vector<float> values;  // of tile_values()
  std::vector<float> drops;   // of tile_drops(), empty without dropout factors
  bool is_coarse = false;     // of a few rows and columns only, until the whole is there
  std::uint64_t number = 0;   // of the tiles that a store computed: another number, other pixels
};

// The grid with as many rows read as a picture may that shows `matrices` of them; parts count as parts.
TexelGrid within_bounds(TexelGrid grid, const MatrixSource& source, double matrices);

// Every cell under the tile, or as many rows as the grid says. Computed in strips, so that little memory is needed and
// a stop is soon noticed: throws Cancelled.
TilePixels compute_tile(const MatrixSource& source, const TexelGrid& grid, const Tile& tile,
                        const Execution& execution);
// Whether the tile is read from every cell of a matrix in a file, and both in one pass: the tile and its summary.
bool reads_whole(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);
TilePixels read_whole(const MatrixSource& source, const TexelGrid& grid, MatrixSummary& summary,
                      const Execution& execution);
// Computes one tile of several stages of a matrix, none of them kept: their scores are computed once.
std::vector<TilePixels> compute_tiles(std::span<const MatrixSource> sources, const TexelGrid& grid, const Tile& tile,
                                      const Execution& execution);
// One cell for each texel: a quick look at a matrix that is computed.
TilePixels sample_tile(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);
// Whether tiles of both can be computed together.
bool shares_scores(const MatrixSource& left, const MatrixSource& right);

// Multiplications that compute_tile() takes, about; 0 where cells are only read.
double work_of(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);

}  // namespace attnscope

#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include "compute/tile.h"
#include "core/measure.h"
#include "core/summary.h"

namespace attnscope {

// A matrix that a picture is made of, before it is cut into tiles: of a tensor, or computed or read from a result.
struct MatrixSource {
  TensorPtr values;
  Index matrix = 0;   // trailing matrix of it
  TensorPtr factors;  // dropout factors, null or with matrices of the same size
  Index factors_matrix = 0;
  Visibility seen;                       // which cells are not masked
  Measure measure;                       // of its cells, that pixels show
  std::shared_ptr<const Result> result;  // where `values` is null
  Stage stage = Stage::weights;          // that the cells are of
  bool drops = false;                    // with dropout factors: those of the result

  Index rows() const { return values ? values->rows() : query_count(result->config); }
  Index cols() const {
    if (values) return values->cols();
    return is_query_by_key(info(stage).axes) ? key_count(result->config) : head_features(result->config);
  }
  // Whether the cells stand in memory, perhaps among those of other heads.
  bool is_held() const { return values || !is_query_by_key(info(stage).axes); }
  bool has_factors() const { return values ? factors != nullptr : drops; }
  bool is_empty() const { return values ? values->size() == 0 : !result; }
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
  Index factors_matrix = 0;
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

TilePixels masked_pixels(const MatrixSource& source, const Tile& tile);  // before any cell is there

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
// Whether tiles of both can be computed together.
bool shares_scores(const MatrixSource& left, const MatrixSource& right);

// Multiplications that compute_tile() takes, about; 0 where cells are only read.
double work_of(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);

// The stage whose cells are those of this one, where a configuration leaves a step out: what is shared by kept stages.
Stage same_cells_as(const AttentionConfig& config, Stage stage);

}  // namespace attnscope

#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include "compute/pooling.h"
#include "core/cells.h"
#include "core/measure.h"
#include "core/visibility.h"

namespace attnscope {

// A matrix that a picture is made of.
struct ShownMatrix {
  std::shared_ptr<const Result> result;
  Stage stage = Stage::weights;
  Index matrix = 0;    // trailing matrix of the stage
  Visibility seen;     // which cells are not masked
  Measure measure;     // of its cells, that pixels show
  bool drops = false;  // with the dropout factors of the result

  const Tensor* tensor() const { return result->find(stage); }  // null where it is computed or read
  Index rows() const { return tensor() ? tensor()->rows() : query_count(result->config); }
  Index cols() const {
    if (tensor()) return tensor()->cols();
    return is_query_by_key(info(stage).axes) ? key_count(result->config) : value_features(result->config);
  }
  bool is_empty() const { return !result || (tensor() && tensor()->size() == 0); }
};

// Returns a matrix of a result, with its dropout factors where it shows dropped cells.
ShownMatrix shown_matrix(const std::shared_ptr<const Result>& result, Stage stage, Index matrix);
// The stages that it is made of, as far as they are not held.
StageSet computed_stages(const ShownMatrix& source);

// The cells of a matrix that a picture shows, and how many pixels it shows them in: one for each cell, or fewer along
// an axis, each over several cells.
struct PixelGrid {
  CellRect cells;
  Index rows = 0;
  Index cols = 0;
  Pooling pooling = Pooling::largest_magnitude;
  bool operator==(const PixelGrid&) const = default;
};
PixelGrid whole_grid(const ShownMatrix& source, Index rows, Index cols, Pooling pooling = Pooling::largest_magnitude);

// The pixels of a picture, row by row.
struct Pixels {
  std::vector<float> values;  // minus infinity where every cell is masked
  std::vector<float> drops;   // 1 where dropout drops all cells that are seen, else 0; empty without dropout factors
};

// Pools the cells that are seen. Of another measure than the number itself: weights take the factors of their rows
// before they are pooled, logarithms are of what was pooled. The matrix is computed or read where the result does not
// keep it. Throws Cancelled.
Pixels pixels_of(const ShownMatrix& source, const PixelGrid& grid, const Execution& execution);
// Makes pictures of one matrix index of one result: matrices that are not kept whole are computed in one pass.
struct MatrixPicture {
  ShownMatrix source;
  PixelGrid grid;
};
std::vector<Pixels> pixels_of(std::span<const MatrixPicture> pictures, const Execution& execution);

// Identifies a picture as long as the objects live that its cells come from: then their addresses tell which they are.
struct PictureKey {
  const void* first = nullptr;
  const void* second = nullptr;
  Stage stage = Stage::inputs;
  Index matrix = 0;
  Visibility seen;
  Measure measure;
  Index row = 0, col = 0, cell_rows = 0, cell_cols = 0;
  Index rows = 0, cols = 0;
  Pooling pooling = Pooling::largest_magnitude;
  auto operator<=>(const PictureKey&) const = default;
};
struct Origin {
  std::shared_ptr<const void> first;
  std::shared_ptr<const void> second;
};
Origin origin_of(const ShownMatrix& source);
PictureKey key_of(const ShownMatrix& source, const PixelGrid& grid);

}  // namespace attnscope

#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include "core/evaluate.h"
#include "core/results.h"
#include "core/visibility.h"

namespace attnscope {

// A matrix that a picture is made of.
struct ShownMatrix {
  std::shared_ptr<const Result> result;
  Stage stage = Stage::weights;
  Index matrix = 0;    // trailing matrix of the stage
  Visibility seen;     // the cells that are not masked
  Measure measure;     // pixels show the cells in this measure
  bool drops = false;  // the picture needs the dropout factors

  const Tensor* tensor() const { return result->find(stage); }  // null if cells are computed or read
  Index rows() const { return tensor() ? tensor()->rows() : query_count(result->config); }
  Index cols() const {
    if (tensor()) return tensor()->cols();
    return is_query_by_key(info(stage).axes) ? key_count(result->config) : value_features(result->config);
  }
  bool is_empty() const { return !result || (tensor() && tensor()->size() == 0); }
};

// Returns a matrix of a result, with its dropout factors where it shows dropped cells.
ShownMatrix shown_matrix(const std::shared_ptr<const Result>& result, Stage stage, Index matrix);
// Returns the stages that the picture needs and no tensor holds.
StageSet computed_stages(const ShownMatrix& source);

// The cells of a matrix that a picture shows, and how many pixels it shows them in: one for each cell, or fewer along
// an axis, each over several cells.
struct PixelGrid {
  CellRect cells;
  Index rows = 0;
  Index cols = 0;
  bool operator==(const PixelGrid&) const = default;
};
PixelGrid whole_grid(const ShownMatrix& source, Index rows, Index cols);

// The pixels of a picture, row by row.
struct Pixels {
  std::vector<float> values;  // minus infinity if every cell under the pixel is masked
  std::vector<float> drops;   // 1 if dropout drops all visible cells under the pixel, else 0; empty without factors
};

// A pixel over several cells shows the visible one of largest magnitude, positive before negative and NaN above
// infinity. In the measure `relative` weights are multiplied by the factors of their rows before
// pooling; logarithms are taken of pooled numbers. A matrix that the result does not keep is computed or read. Throws
// Cancelled.
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
  auto operator<=>(const PictureKey&) const = default;
};
struct Origin {
  std::shared_ptr<const void> first;
  std::shared_ptr<const void> second;
};
Origin origin_of(const ShownMatrix& source);
PictureKey key_of(const ShownMatrix& source, const PixelGrid& grid);

}  // namespace attnscope

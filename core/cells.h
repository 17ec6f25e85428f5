#pragma once

#include "core/evaluate.h"
#include "core/tensor.h"

#include <memory>
#include <optional>
#include <span>

namespace attnscope {

// A rectangle of the cells of a matrix, at hand.
struct CellBlock {
  const float* cells = nullptr;  // row-major
  CellRect rect;
  Index stride = 0;  // floats between rows
  Index rows = 0;    // of the whole matrix
  Index cols = 0;
  std::shared_ptr<const Tensor> owner = nullptr;  // of the cells, where no result holds them

  bool holds_row(Index row) const { return rect.row <= row && row < rect.row + rect.rows; }
  const float* at(Index row, Index col) const { return cells + (row - rect.row) * stride + (col - rect.col); }
};

// Returns the cells of a matrix where they are held: in the stage's tensor, or one head's context in that of all heads.
// Nothing where cells are computed when they are read.
std::optional<CellBlock> held_block(const Result& result, Stage stage, Index matrix);

// Returns all cells of a matrix: those that are held, else computed, or read from a file, and kept with the result.
// Throws Cancelled.
CellBlock whole_matrix(const Result& result, Stage stage, Index matrix, const Execution& execution = {});

// The cells of one rectangle of trailing matrix number `matrix` of a stage that the result has, row-major. Of a matrix
// that is not held, no more rows are computed than a few around these.
void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect);

// The whole of a stage that is small enough for that.
Tensor read_stage(const Result& result, Stage stage);

}  // namespace attnscope

#pragma once

#include "core/evaluate.h"

#include <span>

namespace attnscope {

// A rectangle of cells of a matrix.
struct CellRect {
  Index row = 0;
  Index col = 0;
  Index rows = 0;
  Index cols = 0;
  bool operator==(const CellRect&) const = default;
};

// The cells of one rectangle of trailing matrix number `matrix` of a stage that the result has, row-major: copied where
// the stage is kept, else computed from queries, keys and row statistics. The mask and dropout factors are exact; other
// stages agree with the kept ones to 4e-6 of their largest magnitude. Working memory is that of a matrix product.
void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect);

}  // namespace attnscope

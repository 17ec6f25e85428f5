#pragma once

#include "core/tensor.h"

namespace attnscope {

// A rectangle of cells of a matrix.
struct CellRect {
  Index row = 0;
  Index col = 0;
  Index rows = 0;
  Index cols = 0;
  bool operator==(const CellRect&) const = default;
};

// Leaves out cells: only every rows-th row and every cols-th column of the matrix is read.
struct CellStep {
  Index rows = 1;
  Index cols = 1;
};

}  // namespace attnscope

#pragma once

#include "core/aligned.h"

#include <cstddef>
#include <span>
#include <vector>

namespace attnscope {

using Index = std::ptrdiff_t;
using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

// A matrix that stands in a tensor: its numbers without arithmetic, for which there is core/matrix.h.
template <typename Number>
class MatrixView {
public:
  MatrixView(Number* numbers, Index rows, Index cols) : numbers_(numbers), rows_(rows), cols_(cols) {}

  Number* data() const { return numbers_; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Number& operator()(Index row, Index col) const { return numbers_[row * cols_ + col]; }
  std::span<Number> row(Index row) const { return {numbers_ + row * cols_, static_cast<std::size_t>(cols_)}; }

private:
  Number* numbers_;  // row-major
  Index rows_;
  Index cols_;
};

// Number of elements of a shape. Throws Error when it does not fit an Index.
Index element_count(std::span<const Index> shape);

// A dense row-major float32 array of any rank, as torch.Tensor.contiguous() stores it.
struct Tensor {
  Tensor() = default;
  explicit Tensor(std::vector<Index> dimensions);                 // zeros
  Tensor(std::vector<Index> dimensions, AlignedFloats elements);  // sizes must agree

  Index rank() const { return static_cast<Index>(shape.size()); }
  Index size() const { return static_cast<Index>(values.size()); }
  Index rows() const { return shape[shape.size() - 2]; }  // of its trailing matrices
  Index cols() const { return shape.back(); }
  Index matrix_count() const { return rows() * cols() == 0 ? 0 : size() / (rows() * cols()); }

  // Trailing matrix number `index`, counted over the leading dimensions flattened; (b, h) is b * H + h.
  MatrixView<float> matrix(Index index = 0);
  MatrixView<const float> matrix(Index index = 0) const;

  bool operator==(const Tensor&) const = default;

  std::vector<Index> shape;  // outermost first
  AlignedFloats values;      // row-major
};

// A rectangle of cells of a matrix.
struct CellRect {
  Index row = 0;
  Index col = 0;
  Index rows = 0;
  Index cols = 0;
  bool operator==(const CellRect&) const = default;
};

}  // namespace attnscope

#pragma once

#include "core/aligned.h"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace attnscope {

using Index = Eigen::Index;
using AlignedFloats = std::vector<float, AlignedAllocator<float>>;
using RowMajorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<RowMajorMatrix, 0, Eigen::OuterStride<>>;
using ConstMatrixMap = Eigen::Map<const RowMajorMatrix, 0, Eigen::OuterStride<>>;

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
  MatrixMap matrix(Index index = 0);
  ConstMatrixMap matrix(Index index = 0) const;

  bool operator==(const Tensor&) const = default;

  std::vector<Index> shape;  // outermost first
  AlignedFloats values;      // row-major
};

}  // namespace attnscope

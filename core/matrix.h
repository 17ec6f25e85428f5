#pragma once

// Tensors as matrices of Eigen, for those who multiply and add them.

#include "core/tensor.h"

#include <Eigen/Core>

namespace attnscope {

using RowMajorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Trailing matrix number `index` of a tensor, (rows, cols), to read and write in place.
inline auto eigen(Tensor& tensor, Index index = 0) {
  const MatrixView<float> view = tensor.matrix(index);
  return Eigen::Map<RowMajorMatrix>(view.data(), view.rows(), view.cols());
}

inline auto eigen(const Tensor& tensor, Index index = 0) {
  const MatrixView<const float> view = tensor.matrix(index);
  return Eigen::Map<const RowMajorMatrix>(view.data(), view.rows(), view.cols());
}

}  // namespace attnscope

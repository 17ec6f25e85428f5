#include "core/orthogonal.h"

#include "core/matrix.h"

#include <Eigen/QR>

#include <algorithm>

namespace attnscope {

Tensor orthogonal_matrix(Index rows, Index cols, Generator& generator) {
  Tensor drawn({rows, cols});
  fill_randn(drawn.values, generator);
  const Index longer = std::max(rows, cols);
  const Index shorter = std::min(rows, cols);
  const Eigen::MatrixXf tall = rows < cols ? Eigen::MatrixXf(eigen(drawn).transpose()) : Eigen::MatrixXf(eigen(drawn));
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(tall);
  Eigen::MatrixXf orthogonal = qr.householderQ() * Eigen::MatrixXf::Identity(longer, shorter);
  // Makes the diagonal of R positive, as PyTorch does, so that the result depends on the numbers alone.
  for (Index i = 0; i < shorter; ++i) {
    if (qr.matrixQR()(i, i) < 0) orthogonal.col(i) *= -1;
  }
  Tensor result({rows, cols});
  if (rows < cols) {
    eigen(result) = orthogonal.transpose();
  } else {
    eigen(result) = orthogonal;
  }
  return result;
}

}  // namespace attnscope

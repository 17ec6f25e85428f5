#include "core/tensor_pool.h"

namespace attnscope {

std::shared_ptr<Tensor> TensorPool::make(std::span<const Index> shape, const Execution& execution) {
  const Index count = element_count(shape);
  std::shared_ptr<Tensor> tensor = spares_.take([&](const Tensor& spare) { return spare.size() == count; });
  if (tensor) {
    tensor->shape.assign(shape.begin(), shape.end());
    return tensor;
  }
  return spares_.keep(std::make_shared<Tensor>(zeros({shape.begin(), shape.end()}, execution)));
}

}  // namespace attnscope

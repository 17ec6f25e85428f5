#include "core/tensor_pool.h"

namespace attnscope {

std::shared_ptr<Tensor> TensorPool::make(std::vector<Index> shape, const Execution& execution) {
  const Index count = element_count(shape);
  std::shared_ptr<Tensor> tensor = spares_.take([&](const Tensor& spare) { return spare.size() == count; });
  if (!tensor) return spares_.keep(std::make_shared<Tensor>(zeros(std::move(shape), execution)));
  tensor->shape = std::move(shape);
  return tensor;
}

}  // namespace attnscope

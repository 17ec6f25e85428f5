#include "core/tensor_pool.h"

#include <algorithm>
#include <utility>

namespace attnscope {

namespace {

// An evaluation hands out about this many tensors, and the one before it may still be looked at.
constexpr std::size_t most_spare = 16;

}  // namespace

TensorPool::TensorPool() : store_(std::make_shared<Store>()) {}

std::shared_ptr<Tensor> TensorPool::make(std::vector<Index> shape, const Execution& execution) {
  auto tensor = std::make_unique<Tensor>();
  const auto count = static_cast<std::size_t>(element_count(shape));
  {
    const std::lock_guard lock(store_->mutex);
    const auto found = std::ranges::find(store_->spare, count, &AlignedFloats::size);
    if (found != store_->spare.end()) {
      tensor->values = std::move(*found);
      store_->spare.erase(found);
    }
  }
  grow(tensor->values, count, execution);
  tensor->shape = std::move(shape);
  return {tensor.release(), [store = store_](Tensor* used) {
            const std::unique_ptr<Tensor> owned(used);
            const std::lock_guard lock(store->mutex);
            if (store->spare.size() == most_spare) store->spare.erase(store->spare.begin());
            store->spare.push_back(std::move(owned->values));
          }};
}

}  // namespace attnscope

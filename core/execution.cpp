#include "core/execution.h"

#include <utility>

namespace attnscope {

int thread_count(const Execution& execution) {
#ifdef ATTNSCOPE_OPENMP
  if (execution.backend == Backend::openmp) {
    return std::max(1, execution.threads > 0 ? execution.threads : omp_get_max_threads());
  }
#else
  static_cast<void>(execution);
#endif
  return 1;
}

Tensor zeros(std::vector<Index> shape, const Execution& execution) {
  Tensor tensor;
  grow(tensor.values, static_cast<std::size_t>(element_count(shape)), execution);
  tensor.shape = std::move(shape);
  return tensor;
}

}  // namespace attnscope

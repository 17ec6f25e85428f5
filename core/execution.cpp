#include "core/execution.h"

namespace attnscope {

int thread_count(const Execution& execution) {
#ifdef ATTNSCOPE_OPENMP
  if (execution.backend == Backend::openmp) {
    return std::max(1, execution.threads > 0 ? execution.threads : omp_get_num_procs());
  }
#else
  static_cast<void>(execution);
#endif
  return 1;
}

}  // namespace attnscope

#pragma once

#include "core/error.h"
#include "core/tensor.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <stop_token>

#ifdef ATTNSCOPE_OPENMP
#include <omp.h>
#endif

namespace attnscope {

enum class Backend { serial, openmp };

#ifdef ATTNSCOPE_OPENMP
constexpr bool has_openmp = true;
#else
constexpr bool has_openmp = false;
#endif

// How far the step under way has come: written by whoever computes, read by whoever waits.
struct Progress {
  std::atomic<float> fraction = 0;  // 0 to 1
};

// Who runs the blocks of work. The blocks are the same for both backends and any number of threads, and so are the
// bits.
struct Execution {
  Backend backend = has_openmp ? Backend::openmp : Backend::serial;
  int threads = 0;               // 0: as many as the machine has and the work is worth
  std::stop_token stop;          // asked between blocks
  Progress* progress = nullptr;  // told after each block; null: nobody asks
};

int thread_count(const Execution& execution);  // threads that would run, at least 1

// Calls block(i) for i in [0, count). Throws Cancelled when a stop was requested, and what a block threw.
template <typename Block>
void for_each_block(const Execution& execution, Index count, const Block& block) {
  std::atomic<Index> done = 0;
  const auto run = [&](Index i) {
    block(i);
    if (execution.progress) execution.progress->fraction = static_cast<float>(++done) / static_cast<float>(count);
  };
#ifdef ATTNSCOPE_OPENMP
  const int threads = static_cast<int>(std::min<Index>(thread_count(execution), count));
  if (execution.backend == Backend::openmp && threads > 1) {
    std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (Index i = 0; i < count; ++i) {
      if (execution.stop.stop_requested()) continue;
      try {
        run(i);
      } catch (...) {
#pragma omp critical(attnscope_block_failure)
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    if (execution.stop.stop_requested()) throw Cancelled{};
    return;
  }
#endif
  for (Index i = 0; i < count; ++i) {
    if (execution.stop.stop_requested()) throw Cancelled{};
    run(i);
  }
}

}  // namespace attnscope

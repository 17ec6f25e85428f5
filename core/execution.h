#pragma once

#include "core/error.h"
#include "core/tensor.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

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

// How far an evaluation has come, from its first draw to its last summary: written by whoever computes, read by whoever
// waits. The whole is cut into passes by the work that each is expected to take, in operations of a matrix product that
// would take as long (core/evaluate.h). The fraction never goes back.
class Progress {
public:
  // Begins anew: passes of so much work are to come.
  void expect(double work) {
    whole_ = work;
    begun_ = 0;
    from_ = to_ = 0;
    fraction_ = 0;
  }
  // Begins the next pass and so ends the one before. Only the thread that drives the evaluation calls it.
  void begin(double work) {
    begun_ += work;
    from_ = to_;
    to_ = whole_ > 0 ? static_cast<float>(std::min(1.0, begun_ / whole_)) : 0;
    raise(from_);
  }
  // Reports how much of the current pass is done, 0 to 1. Any thread may call it, in any order.
  void report(float share) { raise(from_ + (to_ - from_) * share); }

  float fraction() const { return fraction_; }  // done part of the whole, 0 to 1

  // Called wherever an evaluation asks whether it shall go on, by any thread. For tests: it may request the stop.
  std::function<void()> on_check;

private:
  void raise(float fraction) {
    float before = fraction_;
    while (before < fraction && !fraction_.compare_exchange_weak(before, fraction)) {
    }
  }

  std::atomic<float> fraction_ = 0;
  double whole_ = 0;
  double begun_ = 0;  // work of all passes before and including this one
  float from_ = 0;    // done part of the whole when this pass began
  float to_ = 0;
};

// The backend and the threads that run the blocks of work. The blocks are the same for both backends and any number of
// threads, and so are the bits.
struct Execution {
  Backend backend = has_openmp ? Backend::openmp : Backend::serial;
  int threads = 0;               // 0: as many as OMP_NUM_THREADS says or the machine has, and the work is worth
  std::stop_token stop;          // asked between blocks
  Progress* progress = nullptr;  // told after each block; null: nobody asks
};

// Returns the threads that blocks run on, at least 1.
inline int thread_count([[maybe_unused]] const Execution& execution) {
#ifdef ATTNSCOPE_OPENMP
  if (execution.backend == Backend::openmp) {
    return std::max(1, execution.threads > 0 ? execution.threads : omp_get_max_threads());
  }
#endif
  return 1;
}

inline bool stop_requested(const Execution& execution) {
  if (execution.progress && execution.progress->on_check) execution.progress->on_check();
  return execution.stop.stop_requested();
}

// Throws Cancelled when a stop was requested. Whoever computes asks every few milliseconds.
inline void check_stop(const Execution& execution) {
  if (stop_requested(execution)) throw Cancelled{};
}

// Begins a pass that takes so much of the work that the execution's progress expects.
inline void begin_pass(const Execution& execution, double work) {
  check_stop(execution);
  if (execution.progress) execution.progress->begin(work);
}

// Calls work(first, count) for the pieces of [0, total), one after the other. Throws Cancelled when a stop was
// requested: work that cannot be shared out is done in pieces of about a millisecond.
template <typename Work>
void for_each_piece(const Execution& execution, Index total, Index piece, const Work& work) {
  for (Index first = 0; first < total; first += piece) {
    check_stop(execution);
    const Index count = std::min(piece, total - first);
    work(first, count);
    if (execution.progress) execution.progress->report(static_cast<float>(first + count) / static_cast<float>(total));
  }
}

// Returns how many blocks of `size` hold `count`.
inline Index blocks_of(Index count, Index size) { return (count + size - 1) / size; }
inline Index rounded_up(Index count, Index size) { return blocks_of(count, size) * size; }

// Calls block(i) for i in [0, count). Throws Cancelled when a stop was requested, and what a block threw.
template <typename Block>
void for_each_block(const Execution& execution, Index count, const Block& block) {
  std::atomic<Index> done = 0;
  const auto run = [&](Index i) {
    block(i);
    if (execution.progress) execution.progress->report(static_cast<float>(++done) / static_cast<float>(count));
  };
#ifdef ATTNSCOPE_OPENMP
  const int threads = static_cast<int>(std::min<Index>(thread_count(execution), count));
  if (execution.backend == Backend::openmp && threads > 1) {
    std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (Index i = 0; i < count; ++i) {
      if (stop_requested(execution)) continue;
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
    check_stop(execution);
    run(i);
  }
}

// Grows to `count` elements in pieces, because the first use of much memory takes a while.
template <typename Vector>
void grow(Vector& values, std::size_t count, const Execution& execution) {
  constexpr std::size_t piece = std::size_t{1} << 21;  // elements
  values.reserve(count);
  while (values.size() < count) {
    check_stop(execution);
    values.resize(std::min(count, values.size() + piece));
  }
}

// Returns zeros of this shape, also written in pieces.
inline Tensor zeros(std::vector<Index> shape, const Execution& execution) {
  Tensor tensor;
  grow(tensor.values, static_cast<std::size_t>(element_count(shape)), execution);
  tensor.shape = std::move(shape);
  return tensor;
}

}  // namespace attnscope

#pragma once

#include "core/evaluate.h"
#include "core/operations.h"

#include <algorithm>
#include <exception>

namespace attnscope {

// A part of an evaluation that is shared out, ready to run: block(i) for i in [0, count).
template <typename Block>
struct Step {
  Phase phase;
  Index count;
  Block block;
  Index first = 0;   // blocks [0, first) are those of the head that is computed before the others
  double share = 1;  // of the phase's expected work
};
template <typename Block>
Step(Phase, Index, Block) -> Step<Block>;
template <typename Block>
Step(Phase, Index, Block, Index) -> Step<Block>;

// The blocks [begin, end) of a step, which has to outlive what is returned.
template <typename Block>
auto part_of(const Step<Block>& step, Index begin, Index end) {
  const double share = step.count == 0 ? 0 : static_cast<double>(end - begin) / static_cast<double>(step.count);
  const auto block = [&step, begin](Index i) { step.block(begin + i); };
  return Step<decltype(block)>{step.phase, end - begin, block, 0, share};
}
template <typename Block>
auto first_part(const Step<Block>& step) {
  return part_of(step, 0, step.first);
}
template <typename Block>
auto second_part(const Step<Block>& step) {
  return part_of(step, step.first, step.count);
}

// One step of an evaluation after the other, the blocks of each to whoever is free. Throws Cancelled, and what a block
// threw.
template <typename... Blocks>
void run_in_turn(const Execution& execution, Result& result, const Step<Blocks>&... steps) {
  const auto run = [&](const auto& step) {
    if (execution.progress) begin_pass(execution, expected_work(result.config, step.phase) * step.share);
    check_stop(execution);
    for_each_block(execution, step.count, step.block);
  };
  (run(steps), ...);
}

// Runs steps of microseconds. The threads start together once and then meet between the steps, and each takes
// its own part of every step, the same in every evaluation: what it reads, it mostly wrote itself, and has at hand. A
// stop is asked for at both ends only.
template <typename... Blocks>
void run_together(const Execution& execution, Result& result, const Step<Blocks>&... steps) {
#ifdef ATTNSCOPE_OPENMP
  check_stop(execution);
  std::exception_ptr failure;
  const Index widest = std::max({Index{1}, steps.count...});
  const auto team = static_cast<int>(std::min<Index>(thread_count(execution), widest));
#pragma omp parallel num_threads(team)
  {
    const Index thread = omp_get_thread_num();
    const Index threads = omp_get_num_threads();
    const auto take_part = [&](const auto& step) {
      const auto work = [&] {
        try {
          for (Index i = step.count * thread / threads; i < step.count * (thread + 1) / threads; ++i) step.block(i);
        } catch (...) {
#pragma omp critical(attnscope_step_failure)
          failure = std::current_exception();
        }
#pragma omp barrier
      };
      if (thread == 0 && execution.progress) execution.progress->begin(expected_work(result.config, step.phase));
      if (step.count > 0) work();
    };
    (take_part(steps), ...);
  }
  if (failure) std::rethrow_exception(failure);
  check_stop(execution);
#else
  run_in_turn(execution, result, steps...);
#endif
}

}  // namespace attnscope

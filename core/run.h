#pragma once

#include "core/evaluate.h"
#include "core/execution.h"
#include "core/tensor.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

// Objects that are used again after their last reader let go of them, so that repeated work allocates nothing. Any
// thread may read them; one thread takes them.
template <typename Object>
class Spares {
public:
  // Returns an object that nobody reads and that `fits`, or null.
  template <typename Fits>
  std::shared_ptr<Object> take(const Fits& fits) {
    for (const std::shared_ptr<Object>& object : objects_) {
      if (object.use_count() == 1 && fits(*object)) return lent(object);  // a single owner: its last reader has let go
    }
    return nullptr;
  }

  // Keeps a new object for later use and lends it. Spare objects go, because none of them fitted.
  std::shared_ptr<Object> keep(std::shared_ptr<Object> object) {
    std::erase_if(objects_, [](const std::shared_ptr<Object>& spare) { return spare.use_count() == 1; });
    objects_.push_back(std::move(object));
    return lent(objects_.back());
  }

private:
  // Lends an object by a pointer of its own. A weak pointer to that one expires when the last reader lets go, although
  // the object stays and its next reader finds other contents at the same address.
  static std::shared_ptr<Object> lent(const std::shared_ptr<Object>& object) {
    return {object.get(), [held = object](Object*) mutable { held.reset(); }};
  }

  std::vector<std::shared_ptr<Object>> objects_;
};

// Tensors whose memory is handed out again when nobody reads them.
class TensorPool {
public:
  // Returns a tensor of this shape with any contents; a new one has zeros. Throws Cancelled.
  std::shared_ptr<Tensor> make(std::vector<Index> shape, const Execution& execution = {});

private:
  Spares<Tensor> spares_;
};

// The matrix and query of the configuration at which the tensors of a run begin: (0, 0) unless the run makes rows of
// one head.
struct RunPart {
  Index matrix = 0;
  Index query = 0;
};

// One evaluation under way: what it reads, and the result that it fills.
struct Run {
  const AttentionConfig& config;
  const Execution& execution;
  const Result* previous;   // null when nothing can be shared
  StageSet stale;           // the stages that a change since `previous` can alter
  bool only_inputs_differ;  // only typed embeddings changed, so `previous` drew the same weights
  Result& result;
  TensorPool* pool = nullptr;  // keeps memory for the next evaluation; null without an engine
  RunPart part = {};

  bool holds(Stage stage) const { return previous && !stale.contains(stage); }
  const Tensor& operator[](Stage stage) const { return *result.find(stage); }
};

// Fills a stage by compute(tensor), or shares the previous result's tensor; does nothing if the mechanism lacks it.
template <typename Compute>
void fill(Run& run, Stage stage, const Compute& compute) {
  if (!has_stage(run.config, stage)) return;
  begin_pass(run.execution, expected_work(run.config, stage));
  TensorPtr& place = run.result.tensors[stage];
  if (run.holds(stage)) {
    place = run.previous->share(stage);
    return;
  }
  const std::vector<Index> shape = stage_shape(run.config, stage);
  auto tensor = run.pool ? run.pool->make(shape, run.execution) : std::make_shared<Tensor>(zeros(shape, run.execution));
  compute(*tensor);
  place = std::move(tensor);
}

// Fills a stage, or shares the tensor of the stage `before` if its numbers do not differ.
template <typename Compute>
void fill_or_share(Run& run, Stage stage, bool differs, Stage before, const Compute& compute) {
  if (differs) return fill(run, stage, compute);
  if (!has_stage(run.config, stage)) return;
  begin_pass(run.execution, expected_work(run.config, stage));
  run.result.tensors[stage] = run.result.share(before);
}

// Fills every stage from queries to output as a tensor, by the readable functions. The second function returns the
// instruction set that these are compiled for.
void run_readable_stages(Run& run);
std::string_view readable_instruction_set();

// A part of an evaluation, ready to run: block(i) for i in [0, count).
template <typename Block>
struct Step {
  Phase phase;
  Index count;
  Block block;
  Index first = 0;   // blocks [0, first) compute the head that comes before the others
  double share = 1;  // this step's part of the phase's expected work
};
template <typename Block>
Step(Phase, Index, Block) -> Step<Block>;
template <typename Block>
Step(Phase, Index, Block, Index) -> Step<Block>;

// Returns the blocks [begin, end) of a step, which has to outlive the returned one.
template <typename Block>
auto step_blocks(const Step<Block>& step, Index begin, Index end) {
  const double share = step.count == 0 ? 0 : static_cast<double>(end - begin) / static_cast<double>(step.count);
  const auto block = [&step, begin](Index i) { step.block(begin + i); };
  return Step<decltype(block)>{step.phase, end - begin, block, 0, share};
}
template <typename Block>
auto first_part(const Step<Block>& step) {
  return step_blocks(step, 0, step.first);
}
template <typename Block>
auto second_part(const Step<Block>& step) {
  return step_blocks(step, step.first, step.count);
}

// Runs one step after the other; whichever thread is free takes the next block. Throws Cancelled, and what a block
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

// Runs steps of microseconds. The threads start together once and meet between the steps. Each thread takes the same
// part of a step in every evaluation, so that it mostly reads what it wrote itself, from its own cache. It asks for a
// stop only before the first and after the last step.
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

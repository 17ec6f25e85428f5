#pragma once

#include "core/evaluate.h"
#include "core/operations.h"
#include "core/tensor_pool.h"

#include <memory>
#include <string_view>
#include <utility>

namespace attnscope {

// Where the tensors of a run begin in those of the configuration; somewhere else only where rows of one head are made.
struct RunPart {
  Index matrix = 0;
  Index query = 0;
};

// One evaluation under way: what it reads, and the result that it fills.
struct Run {
  const AttentionConfig& config;
  const Execution& execution;
  const Result* previous;   // null when nothing can be shared
  StageSet stale;           // what a change since `previous` can alter
  bool only_inputs_differ;  // typed embeddings, so that `previous` drew the same weights
  Result& result;
  TensorPool* pool = nullptr;  // where there is an engine to keep memory for the next evaluation
  RunPart part = {};

  bool holds(Stage stage) const { return previous && !stale.contains(stage); }
  const Tensor& operator[](Stage stage) const { return *result.find(stage); }
};

// Fills a stage by compute(tensor) where the mechanism has it, or shares it with the previous result.
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

// Fills a stage that may turn out equal to the one before it: then both share one tensor.
template <typename Compute>
void fill_or_share(Run& run, Stage stage, bool differs, Stage before, const Compute& compute) {
  if (differs) return fill(run, stage, compute);
  if (!has_stage(run.config, stage)) return;
  begin_pass(run.execution, expected_work(run.config, stage));
  run.result.tensors[stage] = run.result.share(before);
}

// The generator as dropout finds it.
Generator dropout_generator(const Run& run);

// Queries to output, every stage as a tensor, by the readable functions; and the instruction set that they are compiled
// for.
void run_readable_stages(Run& run);
std::string_view readable_instruction_set();

}  // namespace attnscope

#pragma once

#include "core/evaluate.h"
#include "core/kernels/select.h"
#include "core/packed_weights.h"
#include "core/tensor_pool.h"
#include "core/workspace.h"

#include <array>
#include <memory>

namespace attnscope {

// Tokens of every batch entry, [first, last).
struct TokenRange {
  Index first = 0;
  Index last = max_tokens;
};

// The fast way from inputs and weights to context and output, without a T×T matrix at any time, by the kernels of one
// instruction set. It keeps packed weights and working memory from one evaluation to the next. Results agree with the
// readable stages (core/attention.h) to 4e-6 of a stage's largest magnitude, and are the same bits for any number of
// threads. Not for two threads at a time.
class Engine {
public:
  explicit Engine(const Kernels& set = kernels()) : set_(&set) {}

  // Fills queries, keys, values, context, output and row statistics of a result that has its configuration, inputs,
  // parameters and dropout mask. With an earlier result of the same configuration but for `change` and for dropout,
  // only what depends on those is computed. Throws Cancelled.
  void run(Result& result, const Execution& execution, const Result* earlier = nullptr, const TokenRange& changed = {});

  const Kernels& set() const { return *set_; }

private:
  void pack_weights(const Result& result, const Execution& execution);
  void pack_heads(const Result& result, const Execution& execution, const TokenRange& changed);
  void project_heads(Result& result, const Execution& execution, const Result* earlier, const TokenRange& changed);
  void attend(Result& result, const Execution& execution, const Result* earlier, Index first_query);
  void project_output(Result& result, const Execution& execution, const Result* earlier, Index first_token);

  const Kernels* set_;
  TensorPool pool_;
  std::array<PackedWeights, 3> heads_;  // by Projection
  PackedWeights output_;
  std::shared_ptr<const Parameters> packed_parameters_;  // what the packed weights are of
  TensorPtr packed_keys_;                                // what keys_ and values_ are of
  Workspace keys_;                                       // (B,H), packed
  Workspace values_;  // (B,H,T, padded head_dim) where head_dim is no multiple of the lanes
};

// Floating-point operations of an evaluation by Engine: two for each multiplication, the causal half of the squares
// only where the mask comes before softmax.
double operation_count(const AttentionConfig& config);

// Memory that an Engine keeps for itself: packed weights and keys, and what its threads work in.
std::uint64_t engine_bytes(const AttentionConfig& config);

}  // namespace attnscope

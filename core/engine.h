#pragma once

#include "core/evaluate.h"
#include "core/kernels/select.h"
#include "core/operations.h"
#include "core/packed_heads.h"
#include "core/packed_weights.h"
#include "core/tensor_pool.h"

#include <array>
#include <memory>

namespace attnscope {

// Tokens of every batch entry, [first, last).
struct TokenRange {
  Index first = 0;
  Index last = max_tokens;
};

// An evaluation that builds on an earlier one.
struct EngineRequest {
  // Differs by the embeddings of `changed` and by dropout, mask and scaling at the most.
  const Result* earlier = nullptr;
  TokenRange changed = {};                // without `earlier`, all of them
  const HeadFirst* head_first = nullptr;  // null: no head comes before the others
  bool has_weights_once = false;          // the next evaluation has others: packed copies are not kept
};

// The fast way from inputs and weights to context and output, without a T×T matrix at any time, by the kernels of one
// instruction set. It keeps packed weights and working memory from one evaluation to the next. Results agree with the
// readable stages (core/attention.h) to 4e-6 of a stage's largest magnitude. They are the same bits for any number of
// threads, and for all instruction sets that round a * b + c once; the others agree with each other. Not for two
// threads at a time.
class Engine {
public:
  explicit Engine(const Kernels& set = kernels()) : set_(&set) {}

  // Fills queries, keys, values, what of them is rotated, context and output of a result that has its configuration,
  // inputs, parameters and dropout mask; and gives it a store of heads, if it has none. With an earlier result only
  // what a change reaches is computed. Throws Cancelled.
  void run(Result& result, const Execution& execution, const EngineRequest& request = {});

  const Kernels& set() const { return *set_; }
  TensorPool& pool() { return pool_; }  // memory for what results hold

private:
  void pack_weights(const Result& result, const Execution& execution, bool once);
  // Steps, with the tensors that they fill already there. What they are given has to outlive them.
  auto project_heads(Result& result, const Execution& execution, const EngineRequest& request);
  auto finish_heads(Result& result, const Execution& execution, const EngineRequest& request);
  auto pack_heads(const Result& result, const EngineRequest& request, bool holds_earlier);
  auto attend(Result& result, const Execution& execution, const EngineRequest& request, Index first_query);
  auto project_output(Result& result, const Execution& execution, const Result* earlier, Index first_token);

  const Kernels* set_;
  TensorPool pool_;
  std::array<PackedWeights, 3> heads_;  // by Projection
  PackedWeights output_;
  std::shared_ptr<const Parameters> packed_parameters_;  // what the packed weights are of
  TensorPtr packed_keys_;                                // what the packed heads are of
  PackedHeads packed_heads_;
};

// Memory that an Engine keeps for itself: packed weights and keys, and what its threads work in.
std::uint64_t engine_bytes(const AttentionConfig& config);

}  // namespace attnscope

#pragma once

#include "core/blocks.h"
#include "core/evaluate.h"
#include "core/execution.h"
#include "core/kernels/kernels.h"
#include "core/kernels/select.h"
#include "core/run.h"
#include "core/tensor.h"

#include <array>
#include <memory>

namespace attnscope {

// Keys (B*H,T,head_dim) and values (B*H,T,value_dim) of all heads, packed for the kernels. Memory and packed numbers
// stay from one evaluation to the next.
class PackedHeads {
public:
  struct Sizes {
    Index matrices = 0;
    Index tokens = 0;
    Index head_dim = 0;
    Index value_dim = 0;
  };

  // Makes room. pack() reads `keys` and `values`; values that need no padding are also read later.
  void reserve(const Kernels& kernels, const Sizes& sizes, const float* keys, const float* values);

  // Packs the tokens [first, last) of a matrix. `first` begins a panel of keys; `last` ends a panel or the matrix.
  void pack(Index matrix, Index first, Index last);

  const float* keys(Index matrix) const { return keys_.get() + matrix * key_size_; }
  const float* values(Index matrix) const { return read_values_ + matrix * sizes_.tokens * value_stride_; }
  Index value_stride() const { return value_stride_; }  // floats from one token to the next, in whole vectors

  // Returns how many floats are kept for so many heads.
  static Index size(const Kernels& kernels, const Sizes& sizes);

private:
  const Kernels* kernels_ = nullptr;
  Sizes sizes_;
  Index key_size_ = 0;
  Index value_stride_ = 0;
  const float* from_keys_ = nullptr;
  const float* from_values_ = nullptr;
  const float* read_values_ = nullptr;
  Workspace keys_;
  Workspace padded_values_;  // used if value_dim is no multiple of the lanes
};

// Tokens of every batch entry, [first, last).
struct TokenRange {
  Index first = 0;
  Index last = max_tokens;
};

// How an evaluation builds on an earlier one.
struct EngineRequest {
  // This one differs at most by the embeddings of `changed`, dropout, mask and scaling.
  const Result* earlier = nullptr;
  TokenRange changed = {};                // without `earlier`, all of them
  const HeadFirst* head_first = nullptr;  // null: no head comes before the others
  bool has_weights_once = false;          // the next evaluation has other weights, so no packed copies are kept
};

// The fast way from inputs and weights to context and output, without a T×T matrix at any time, by the kernels of one
// instruction set. It keeps packed weights and working memory from one evaluation to the next. Results agree with the
// readable stages (core/attention.h) to 4e-6 of a stage's largest magnitude. They are the same bits for any number of
// threads, and for all instruction sets that round a * b + c once; the others agree with each other. Not for two
// threads at a time.
class Engine {
public:
  explicit Engine(const Kernels& set = kernels()) : set_(&set) {}

  // Fills queries, keys, values, rotated queries and keys, context and output of a result that has its configuration,
  // inputs, parameters and dropout mask; makes a store of heads if it has none. With an earlier result it computes only
  // what the change reaches. Throws Cancelled.
  void run(Result& result, const Execution& execution, const EngineRequest& request = {});

  const Kernels& set() const { return *set_; }
  TensorPool& pool() { return pool_; }  // memory for the tensors of results

private:
  void pack_weights(const Result& result, const Execution& execution, bool once);
  // Return steps whose tensors are already allocated. Their arguments have to outlive them.
  auto project_heads(Result& result, const Execution& execution, const EngineRequest& request);
  auto finish_heads(Result& result, const Execution& execution, const EngineRequest& request);
  auto pack_heads(const Result& result, const EngineRequest& request, bool holds_earlier);
  auto attend(Result& result, const Execution& execution, const EngineRequest& request, Index first_query);
  auto project_output(Result& result, const Execution& execution, const Result* earlier, Index first_token);

  const Kernels* set_;
  TensorPool pool_;
  std::array<PackedWeights, 3> heads_;  // by Projection
  PackedWeights output_;
  std::shared_ptr<const Parameters> packed_parameters_;  // the parameters that are packed
  TensorPtr packed_keys_;                                // the keys that are packed
  PackedHeads packed_heads_;
};

// Returns the memory that an Engine keeps: packed weights and keys, and scratch for its threads.
std::uint64_t engine_bytes(const AttentionConfig& config);

}  // namespace attnscope

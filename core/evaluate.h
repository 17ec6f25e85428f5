#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/stage.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace attnscope {

using TensorPtr = std::shared_ptr<const Tensor>;

// What an evaluation yields: every stage that the mechanism has, immutable, shared between results that agree on it.
struct Result {
  AttentionConfig config;
  std::shared_ptr<const Parameters> parameters;
  std::array<TensorPtr, stage_count> tensors;  // by Stage; null where the mechanism has no such stage
  Generator after_parameters{0};               // state of the generator when dropout begins
  double seconds = 0;                          // wall time of this evaluation
  int threads = 1;                             // threads that ran it
  Backend backend = Backend::serial;

  const Tensor* find(Stage stage) const { return tensors[static_cast<std::size_t>(stage)].get(); }
  TensorPtr share(Stage stage) const { return tensors[static_cast<std::size_t>(stage)]; }
};

// Stages that a configuration has: a causal mask brings mask and masked scores, masking after softmax brings masked
// weights, and so on. Dropout factors and dropped weights exist for every mechanism with dropout, at rate 0 too.
bool has_stage(const AttentionConfig& config, Stage stage);
// Shape of a stage that a configuration has: (B,T,d), (B,H,T,head_dim), (T,T) or (B,H,T,T).
std::vector<Index> stage_shape(const AttentionConfig& config, Stage stage);

// The stage whose matrix multiplies the values: dropped weights where there is dropout, else the last kind of weights.
Stage final_weights_stage(const AttentionConfig& config);
// The weights before dropout: weights, masked weights or renormalized weights, by mask route.
Stage normalized_weights_stage(const AttentionConfig& config);
// What softmax (or the division by the sum) reads: scaled, masked or plain scores.
Stage normalized_from_stage(const AttentionConfig& config);

// Bytes that evaluate() allocates at the most for this configuration, or the largest value when they overflow.
std::uint64_t required_bytes(const AttentionConfig& config);
// Throws Error naming the bytes needed and free when a configuration needs more than there are.
void check_memory(const AttentionConfig& config, std::uint64_t available_bytes);

// Checks the configuration, then computes every stage. Stages of `previous` that cannot have changed are shared, not
// computed again. Throws Error (bad configuration), Cancelled (stop requested) or std::bad_alloc.
Result evaluate(const AttentionConfig& config, const Execution& execution = {}, const Result* previous = nullptr);

}  // namespace attnscope

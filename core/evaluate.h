#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/stage.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace attnscope {

class DropoutMask;
class Engine;
class HeadStore;
struct Difference;
struct ImportedAttention;
struct ForwardPass;
struct ScoreMap;

using TensorPtr = std::shared_ptr<const Tensor>;

// The heads of a result that are computed already: all of them, or the one that was computed first.
struct FinishedHeads {
  std::optional<Index> only;  // matrix b * H + h; nothing: all

  bool are_all() const { return !only; }
  bool contain(Index matrix) const { return !only || *only == matrix; }
  bool operator==(const FinishedHeads&) const = default;
};

// The stages that a mechanism has, immutable, shared between results that agree on them.
// Above a handful of tokens those of (B,H,T,T) and (T,T) are not held as tensors: they are computed head by head when
// somebody looks (core/heads.h), and a head's context is read in that of all heads.
struct Result {
  AttentionConfig config;
  std::shared_ptr<const Parameters> parameters;
  StageMap<TensorPtr> tensors;       // by Stage; null where there is no such stage, or it is computed when read
  std::shared_ptr<HeadStore> heads;  // what was computed of stages that are not; null where there are none
  std::shared_ptr<const DropoutMask> dropout;  // null where every stage is held as a tensor, or nothing is dropped
  FinishedHeads finished;                      // others must not be read: they are being written
  std::shared_ptr<const ImportedAttention> imported;  // by another program: its stage is all that there is
  std::shared_ptr<const Difference> difference;       // of two results: its cells are subtracted, and explain nothing
  std::shared_ptr<const ForwardPass> below;           // the layers of a trained model that come before this one
  Generator after_parameters{0};                      // state of the generator when dropout begins
  double seconds = 0;                                 // wall time of this evaluation
  int threads = 1;                                    // threads that ran it
  Backend backend = Backend::serial;
  std::string_view instruction_set;  // of the code that made the stages: "avx512"

  const Tensor* find(Stage stage) const { return tensors[stage].get(); }
  TensorPtr share(Stage stage) const { return tensors[stage]; }
};

// Shape of a stage that a configuration has: that of its axes.
std::vector<Index> stage_shape(const AttentionConfig& config, Stage stage);

// Returns the shape in letters: "(B, H, T, head_dim)". Where queries and keys differ in number, T_query and T_key; d_v
// where values are wider or narrower than queries.
std::string shape_letters(const AttentionConfig& config, Stage stage);
// Whether a stage has a matrix for each head; and which of its matrices is that of a batch entry and a head.
bool is_per_head(const AttentionConfig& config, Stage stage);
Index matrix_of(const AttentionConfig& config, Stage stage, Index batch, Index head);
Index matrices_per_entry(const AttentionConfig& config, Stage stage);  // of a batch entry
bool is_per_batch(Stage stage);                                        // and for each batch entry

// Whether a result has a stage, as a tensor or to be computed or read by read_cells(). What is made of all heads is not
// there before all are finished.
bool has(const Result& result, Stage stage);
// And whether this matrix of it can be read: its head is finished, or it is the same for all heads.
bool has(const Result& result, Stage stage, Index matrix);

// The stages that scores and context come from: queries, keys and values, or the inputs where there are no weights.
Stage queries_stage(const AttentionConfig& config);
Stage keys_stage(const AttentionConfig& config);
Stage values_stage(const AttentionConfig& config);
// The stage whose matrix multiplies the values: dropped weights where there is dropout, else the last kind of weights.
Stage final_weights_stage(const AttentionConfig& config);
// The last weights that differ from those before them: where nothing is dropped, those before dropout.
Stage acting_weights_stage(const AttentionConfig& config);
// The weights before dropout: weights, masked weights or renormalized weights, by mask route.
Stage normalized_weights_stage(const AttentionConfig& config);
// The stage that softmax (or the division by the sum) reads: scaled, masked or plain scores.
Stage normalized_from_stage(const AttentionConfig& config);
// The factor of scores before softmax: 1/sqrt(head_dim) or what the document says, or 1 without scaling.
float score_scale(const AttentionConfig& config);
// All that becomes of them before softmax, but for the mask, as the kernels do it.
ScoreMap score_map(const AttentionConfig& config);
bool normalizes_by_sum(const AttentionConfig& config);  // divides by the row's sum instead of softmax

// Bytes that evaluate() allocates at the most for this configuration, or the largest value when they overflow.
std::uint64_t required_bytes(const AttentionConfig& config);
// Throws Error naming the bytes needed and free when a configuration needs more than there are, or what is wrong with
// the configuration.
void check_memory(const AttentionConfig& config, std::uint64_t available_bytes);

// One head that is computed before the others, and published while these are computed.
struct HeadFirst {
  Index matrix = 0;                     // b * H + h, clamped to those that there are
  std::function<void(Result)> publish;  // called by the thread that evaluates; the result's only finished head is this
};

// Checks the configuration, then computes: by evaluate_readable() for a handful of tokens, where that is faster, else
// by evaluate_by_engine(). Stages of `previous` that cannot have changed are shared, not computed again. Throws Error
// (bad configuration), Cancelled (stop requested) or std::bad_alloc.
Result evaluate(const AttentionConfig& config, const Execution& execution = {}, const Result* previous = nullptr,
                Engine* engine = nullptr, const HeadFirst* head_first = nullptr);

// Every stage as a tensor, by the functions of core/attention.h.
Result evaluate_readable(const AttentionConfig& config, const Execution& execution = {},
                         const Result* previous = nullptr);

// No T×T stage as a tensor. `engine` computes, which is faster the second time; null makes one for this call. Where
// there are several heads or batch entries, `head_first` is computed first; the bits are the same.
Result evaluate_by_engine(const AttentionConfig& config, const Execution& execution = {},
                          const Result* previous = nullptr, Engine* engine = nullptr,
                          const HeadFirst* head_first = nullptr);

// Whether evaluate() of so many tokens is evaluate_readable().
bool is_evaluated_readably(const AttentionConfig& config);

}  // namespace attnscope

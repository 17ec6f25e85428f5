#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/parameters.h"
#include "core/phase_times.h"
#include "core/random.h"
#include "core/stage.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace attnscope {

class DropoutMask;
class Engine;
struct GivenSquares;
struct HeadFirst;
struct ScoreMap;

using TensorPtr = std::shared_ptr<const Tensor>;

// What softmax needs to know of its rows to give any weight again; each (B,H,T) flattened.
struct RowStatistics {
  std::vector<float> max;         // largest number that softmax reads; 0 where the sum alone divides
  std::vector<float> sum;         // of exp(number - max); of the numbers themselves where the sum alone divides
  std::vector<float> masked_sum;  // of the weights at or below the diagonal, where the mask comes after softmax
};

// Whether a result holds its stages of (B,H,T,T) and (T,T) as tensors. Where it does not, read_cells() computes any
// rectangle of them from queries, keys and row statistics, and all else is the same.
enum class Squares {
  kept,       // what goes into files
  by_size,    // kept while all of them together fit in kept_squares_bytes
  on_demand,  // never
};
constexpr std::uint64_t kept_squares_bytes = 96ULL << 20;

// What an evaluation yields: every stage that the mechanism has, immutable, shared between results that agree on it.
struct Result {
  AttentionConfig config;
  std::shared_ptr<const Parameters> parameters;
  StageMap<TensorPtr> tensors;                 // by Stage; null where the mechanism has no such stage
  std::shared_ptr<const RowStatistics> rows;   // null where the squares are kept
  std::shared_ptr<const DropoutMask> dropout;  // null where the squares are kept, or nothing is dropped
  Index dropout_matrix = 0;                    // of the mask, that the first matrix drops by
  std::shared_ptr<const GivenSquares> given;   // attention of another program: its stage is all that there is
  Generator after_parameters{0};               // state of the generator when dropout begins
  double seconds = 0;                          // wall time of this evaluation
  int threads = 1;                             // threads that ran it
  Backend backend = Backend::serial;
  std::string_view instruction_set;  // of the code that made the stages: "avx512"
  PhaseTimes phases;                 // of this evaluation; what it shares with an earlier one took no time

  const Tensor* find(Stage stage) const { return tensors[stage].get(); }
  TensorPtr share(Stage stage) const { return tensors[stage]; }
};

// Shape of a stage that a configuration has: that of its axes.
std::vector<Index> stage_shape(const AttentionConfig& config, Stage stage);
// Whether a stage has a matrix for each head; and which of its matrices is that of a batch entry and a head.
bool is_per_head(const AttentionConfig& config, Stage stage);
Index matrix_of(const AttentionConfig& config, Stage stage, Index batch, Index head);
bool is_per_batch(Stage stage);  // and for each batch entry

// Whether a result has a stage, as a tensor or to be computed or read by read_cells().
bool has(const Result& result, Stage stage);

// Where scores and context come from: queries, keys and values, or the inputs where there are no weights.
Stage queries_stage(const AttentionConfig& config);
Stage keys_stage(const AttentionConfig& config);
Stage values_stage(const AttentionConfig& config);
// The stage whose matrix multiplies the values: dropped weights where there is dropout, else the last kind of weights.
Stage final_weights_stage(const AttentionConfig& config);
// The weights before dropout: weights, masked weights or renormalized weights, by mask route.
Stage normalized_weights_stage(const AttentionConfig& config);
// What softmax (or the division by the sum) reads: scaled, masked or plain scores.
Stage normalized_from_stage(const AttentionConfig& config);
// What scores are multiplied by before softmax: 1/sqrt(head_dim), or 1 without scaling.
float score_scale(const AttentionConfig& config);
// All that becomes of them before softmax, but for the mask, as the kernels do it.
ScoreMap score_map(const AttentionConfig& config);
// Whether cells of this stage above the diagonal are hidden by the mask: minus infinity, 0, or the mask itself. Dropout
// factors are drawn for every cell, so theirs are not.
bool hides_later_keys(const AttentionConfig& config, Stage stage);
bool normalizes_by_sum(const AttentionConfig& config);  // divides by the row's sum instead of softmax

// Whether a result of this configuration holds its squares.
bool keeps_squares(const AttentionConfig& config, Squares squares = Squares::by_size);

// Bytes that evaluate() allocates at the most for this configuration, or the largest value when they overflow.
std::uint64_t required_bytes(const AttentionConfig& config, Squares squares = Squares::kept);
// Throws Error naming the bytes needed and free when a configuration needs more than there are.
void check_memory(const AttentionConfig& config, std::uint64_t available_bytes, Squares squares = Squares::kept);

// Checks the configuration, then computes every stage. Stages of `previous` that cannot have changed are shared, not
// computed again. Where squares are not kept, `engine` computes, which is faster the second time; null makes one for
// this call; and one head is told before the others are begun if `head_first` (core/head_alone.h) asks for it. Throws
// Error (bad configuration), Cancelled (stop requested) or std::bad_alloc.
Result evaluate(const AttentionConfig& config, const Execution& execution = {}, const Result* previous = nullptr,
                Squares squares = Squares::kept, Engine* engine = nullptr, const HeadFirst* head_first = nullptr);

}  // namespace attnscope

#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/stage.h"
#include "core/tensor.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

// The heads of a result that are computed: all of them, or only the one that is computed first.
struct FinishedHeads {
  std::optional<Index> only;  // matrix b * H + h; nothing: all

  bool are_all() const { return !only; }
  bool contain(Index matrix) const { return !only || *only == matrix; }
  bool operator==(const FinishedHeads&) const = default;
};

// The stages of a mechanism, immutable, shared between results that agree on them. Above a handful of tokens, stages of
// (B,H,T,T) and (T,T) are not held as tensors: each head's matrix is computed when somebody looks (core/heads.h), and a
// head's context is read from the context of all heads.
struct Result {
  AttentionConfig config;
  std::shared_ptr<const Parameters> parameters;
  StageMap<TensorPtr> tensors;                 // null if there is no such stage, or it is computed when read
  std::shared_ptr<HeadStore> heads;            // matrices of stages that are no tensors; null if all are
  std::shared_ptr<const DropoutMask> dropout;  // null if every stage is a tensor, or nothing is dropped
  FinishedHeads finished;                      // other heads must not be read: they are being written
  std::shared_ptr<const ImportedAttention>
      imported;                                  // set if another program computed it: the result has its stage alone
  std::shared_ptr<const Difference> difference;  // set if two results are subtracted: cells are not explained
  std::shared_ptr<const ForwardPass> below;      // the layers of a trained model below this one
  Generator after_parameters{0};                 // state of the generator when dropout begins
  double seconds = 0;                            // wall time of this evaluation
  int threads = 1;                               // threads that ran it
  Backend backend = Backend::serial;
  std::string_view instruction_set;  // the code that made the stages is compiled for it: "avx512"

  const Tensor* find(Stage stage) const { return tensors[stage].get(); }
  TensorPtr share(Stage stage) const { return tensors[stage]; }
};

// Returns the shape of a stage that a configuration has.
std::vector<Index> stage_shape(const AttentionConfig& config, Stage stage);

// Returns the shape in letters: "(B, H, T, head_dim)"; with T_query and T_key if queries and keys differ in number, and
// d_v if values differ in width from queries.
std::string shape_letters(const AttentionConfig& config, Stage stage);
// Return whether a stage has a matrix for each head, and which of its matrices belongs to a batch entry and a head.
bool is_per_head(const AttentionConfig& config, Stage stage);
Index matrix_of(const AttentionConfig& config, Stage stage, Index batch, Index head);
Index matrices_per_entry(const AttentionConfig& config, Stage stage);  // number of a batch entry's matrices
bool is_per_batch(Stage stage);                                        // each batch entry has its own matrices

// Returns whether a result has a stage, as a tensor or for read_cells() to compute or read. A stage that is made of all
// heads is missing until all are finished.
bool has(const Result& result, Stage stage);
// Returns whether the result has this matrix of a stage: its head is finished, or all heads share the matrix.
bool has(const Result& result, Stage stage, Index matrix);

// Return the stages that scores and context come from: queries, keys and values, or the inputs if there are no weights.
Stage queries_stage(const AttentionConfig& config);
Stage keys_stage(const AttentionConfig& config);
Stage values_stage(const AttentionConfig& config);
// Returns the stage whose matrix multiplies the values: dropped weights with dropout, else the last kind of weights.
Stage final_weights_stage(const AttentionConfig& config);
// Returns the last stage of weights whose numbers differ from those before it: without dropout, the weights before it.
Stage acting_weights_stage(const AttentionConfig& config);
// Returns the weights before dropout: weights, masked weights or renormalized weights, by mask route.
Stage normalized_weights_stage(const AttentionConfig& config);
// Returns the stage that softmax (or the division by the sum) reads: scaled, masked or plain scores.
Stage normalized_from_stage(const AttentionConfig& config);
// Returns the factor of scores before softmax: 1/sqrt(head_dim), the document's factor, or 1 without scaling.
float score_scale(const AttentionConfig& config);
// Returns how the kernels change scores before softmax, except by the mask.
ScoreMap score_map(const AttentionConfig& config);
// Whether weights are scores divided by the row's sum, without softmax.
bool normalizes_by_sum(const AttentionConfig& config);

// Returns the most bytes that evaluate() allocates for this configuration, or the largest value if they overflow.
std::uint64_t required_bytes(const AttentionConfig& config);
// Throws Error naming the bytes needed and free when a configuration needs more than there are, or what is wrong with
// the configuration.
void check_memory(const AttentionConfig& config, std::uint64_t available_bytes);

// One head that is computed before the others, and published while these are computed.
struct HeadFirst {
  Index matrix = 0;                     // b * H + h, clamped to those that there are
  std::function<void(Result)> publish;  // the evaluating thread calls it; only this head is finished
};

// Checks the configuration, then computes: by evaluate_readable() for a handful of tokens, where that is faster, else
// by evaluate_by_engine(). Stages of `previous` that cannot have changed are shared, not computed again. Throws Error
// (bad configuration), Cancelled (stop requested) or std::bad_alloc.
Result evaluate(const AttentionConfig& config, const Execution& execution = {}, const Result* previous = nullptr,
                Engine* engine = nullptr, const HeadFirst* head_first = nullptr);

// Evaluates every stage as a tensor, by the functions of core/attention.h.
Result evaluate_readable(const AttentionConfig& config, const Execution& execution = {},
                         const Result* previous = nullptr);

// Evaluates without a tensor for any T×T stage. `engine` is faster the second time; null makes one for this call. Among
// several heads or batch entries, `head_first` is computed first; the bits are the same.
Result evaluate_by_engine(const AttentionConfig& config, const Execution& execution = {},
                          const Result* previous = nullptr, Engine* engine = nullptr,
                          const HeadFirst* head_first = nullptr);

// Returns whether evaluate() calls evaluate_readable() for this configuration.
bool is_evaluated_readably(const AttentionConfig& config);

// Returns the stages that a change of the configuration can alter: those that read what changed, and those that follow
// from them or now follow from other stages. A new result shares all other stages of an earlier one.
StageSet stale_stages(const AttentionConfig& before, const AttentionConfig& after);

// Returns whether both draw the same weights from the same numbers, so that the previous result's weights stay.
bool keeps_parameters(const AttentionConfig& before, const AttentionConfig& after);

// A rectangle of a matrix's cells in memory.
struct CellBlock {
  const float* cells = nullptr;  // row-major
  CellRect rect;
  Index stride = 0;  // floats between rows
  Index rows = 0;    // rows of the whole matrix
  Index cols = 0;
  std::shared_ptr<const Tensor> owner = nullptr;  // holds the cells if no result does

  bool holds_row(Index row) const { return rect.row <= row && row < rect.row + rect.rows; }
  const float* at(Index row, Index col) const { return cells + (row - rect.row) * stride + (col - rect.col); }
};

// Returns the cells of a matrix that a tensor holds: the stage's own, or for one head's context that of all heads.
// Nothing if cells are computed when they are read.
std::optional<CellBlock> held_block(const Result& result, Stage stage, Index matrix);

// Returns all cells of a matrix. Cells that no tensor holds are computed or read from a file, and kept with the result.
// Throws Cancelled.
CellBlock whole_matrix(const Result& result, Stage stage, Index matrix, const Execution& execution = {});

// Reads the cells of one rectangle of trailing matrix number `matrix` of a stage that the result has, row-major. If no
// tensor holds the matrix, only a few rows around these are computed.
void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect);

// Returns a whole stage, which has to be small.
Tensor read_stage(const Result& result, Stage stage);

// Floating-point operations of the matrix products of all batch entries: two for each multiplication. Those of scores
// and weighted values are for pairs of a query and a key: the kernels compute the pairs that the mask leaves, PyTorch
// and the readable functions compute all.
enum class Pairs { visible, all };

// Returns the operations of a whole evaluation by the kernels.
double operation_count(const AttentionConfig& config);

// Return the operations of a part.
double projection_operations(const AttentionConfig& config);  // queries, keys and values
double score_operations(const AttentionConfig& config, Pairs pairs = Pairs::visible);
double value_operations(const AttentionConfig& config, Pairs pairs = Pairs::visible);
double output_operations(const AttentionConfig& config);

// Returns the operations that make one stage, with all its pairs, from those before it; 0 for the stages that are no
// matrix product.
double stage_operations(const AttentionConfig& config, Stage stage);

// Progress measures passes by their expected work, in operations of a matrix product that would take as long. The
// numbers are rough, because machines differ; each pass counts as if nothing of it were reused.

// The phases of an evaluation by the kernels, in their order.
enum class Phase {
  inputs,
  parameters,
  dropout,
  weight_packing,
  projections,
  key_packing,
  attention,
  output,
  copies,
};
double expected_work(const AttentionConfig& config, Phase phase);
double expected_work(const AttentionConfig& config, Stage stage);  // work of the readable function that makes the stage
double expected_drawing_work(Index weights);

// Returns the work of an evaluation by the readable functions or by the engine; with `keeps_parameters` without that of
// drawing and packing them.
double expected_work(const AttentionConfig& config, bool is_readable, bool keeps_parameters = false);

}  // namespace attnscope

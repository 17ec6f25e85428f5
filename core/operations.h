#pragma once

#include "core/config.h"
#include "core/stage.h"

namespace attnscope {

// Floating-point operations of the matrix products of all batch entries: two for each multiplication. Scores and
// weighted values count only the pairs that the mask leaves.

// Returns the operations of a whole evaluation.
double operation_count(const AttentionConfig& config);

// Return the operations of a part.
double projection_operations(const AttentionConfig& config);  // queries, keys and values
double score_operations(const AttentionConfig& config);
double value_operations(const AttentionConfig& config);
double output_operations(const AttentionConfig& config);

// Returns the operations that make one stage from those before it; 0 for the stages that are no matrix product.
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

#include "core/operations.h"

#include "core/evaluate.h"
#include "core/stages/rule.h"
#include "core/visibility.h"

namespace attnscope {

namespace {

constexpr Phase every_phase[] = {Phase::inputs,         Phase::parameters,  Phase::dropout,
                                 Phase::weight_packing, Phase::projections, Phase::key_packing,
                                 Phase::attention,      Phase::output,      Phase::copies};

// Two operations for each feature of each pair of a query and a key: of those that the mask leaves, or of all.
double pair_operations(const AttentionConfig& config, bool is_masked, Index width) {
  const Visibility seen = is_masked ? visibility(config) : Visibility{.keys = key_count(config)};
  const double pairs = seen.pairs(0, query_count(config));
  return 2 * static_cast<double>(config.batch_size * head_count(config) * width) * pairs;
}

// Operations of a matrix product that take the kernels as long, for each number.
constexpr double drawing_normal = 150;
constexpr double drawing_uniform = 80;
constexpr double drawing_bit = 60;
constexpr double copying = 60;
constexpr double readable_operation = 8;  // cost of an operation of a matrix product in a readable function

double cells(const AttentionConfig& config, Stage stage) {
  if (!has_stage(config, stage)) return 0;
  double count = 1;
  for (const Index dimension : stage_shape(config, stage)) count *= static_cast<double>(dimension);
  return count;
}

double inputs_work(const AttentionConfig& config) {
  const double all = cells(config, Stage::inputs);
  const double drawn = std::holds_alternative<RandnInputs>(config.inputs) ? drawing_normal : copying;
  return all * copying + all / static_cast<double>(config.batch_size) * drawn;
}

double parameters_work(const AttentionConfig& config) {
  double work = 0;
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    work += expected_drawing_work(element_count(parameter.shape));
  }
  return work;
}

// Returns the work of drawing a bit for each weight, unless bits follow from the number of the weight.
double dropout_work(const AttentionConfig& config) {
  if (!dropout_is_active(config) || config.dropout_kernel == DropoutKernel::mkl) return 0;
  return cells(config, Stage::dropout_factors) * drawing_bit;
}

}  // namespace

double projection_operations(const AttentionConfig& config) {
  if (!has_stage(config, Stage::query_weight)) return 0;
  const auto rows = static_cast<double>(config.batch_size * token_count(config));
  const auto of_queries = static_cast<double>(context_features(config));
  const double of_keys = has_shared_keys(config)
                             ? static_cast<double>(key_value_heads(config)) * static_cast<double>(head_features(config))
                             : of_queries;
  return 2 * rows * static_cast<double>(input_features(config)) * (of_queries + 2 * of_keys);
}

double score_operations(const AttentionConfig& config) {
  return pair_operations(config, has_stage(config, Stage::masked_scores), head_features(config));
}

double value_operations(const AttentionConfig& config) { return pair_operations(config, true, value_features(config)); }

double output_operations(const AttentionConfig& config) {
  if (!has_stage(config, Stage::output)) return 0;
  const auto rows = static_cast<double>(config.batch_size * token_count(config));
  return 2 * rows * static_cast<double>(context_features(config)) * static_cast<double>(output_features(config));
}

double stage_operations(const AttentionConfig& config, Stage stage) {
  const auto count = rule_of(config, stage).operations;
  return count ? count(config, stage) : 0;
}

double operation_count(const AttentionConfig& config) {
  return projection_operations(config) + score_operations(config) + value_operations(config) +
         output_operations(config);
}

double expected_work(const AttentionConfig& config, Phase phase) {
  switch (phase) {
    case Phase::inputs:
      return inputs_work(config);
    case Phase::parameters:
    case Phase::weight_packing:
      return parameters_work(config);
    case Phase::dropout:
      return dropout_work(config);
    case Phase::projections:
      return projection_operations(config);
    case Phase::key_packing:
      return cells(config, Stage::head_context) * copying;
    case Phase::attention:
      return score_operations(config) + value_operations(config);
    case Phase::output:
      return output_operations(config);
    case Phase::copies:
      break;
  }
  double work = 0;
  for (const Stage stage :
       {Stage::normalized_queries, Stage::normalized_keys, Stage::rotated_queries, Stage::rotated_keys})
    work += cells(config, stage) * copying;
  return work;
}

double expected_work(const AttentionConfig& config, Stage stage) {
  if (stage == Stage::inputs) return inputs_work(config);
  const double numbers = cells(config, stage);
  return numbers * info(stage).work + stage_operations(config, stage) * readable_operation;
}

double expected_drawing_work(Index weights) { return static_cast<double>(weights) * drawing_uniform; }

double expected_work(const AttentionConfig& config, bool is_readable, bool keeps_parameters) {
  double work = 0;
  if (!is_readable) {
    for (const Phase phase : every_phase) {
      const bool is_of_parameters = phase == Phase::parameters || phase == Phase::weight_packing;
      if (!keeps_parameters || !is_of_parameters) work += expected_work(config, phase);
    }
    return work;
  }
  if (!keeps_parameters) work = parameters_work(config);
  for (const StageInfo& stage : stages()) {
    const bool is_made = has_stage(config, stage.stage) && !is_parameter(stage.axes);
    work += is_made ? expected_work(config, stage.stage) : 0;
  }
  return work;
}

}  // namespace attnscope

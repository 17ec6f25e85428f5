#include "core/operations.h"

#include "core/cell_rules.h"
#include "core/evaluate.h"
#include "core/visibility.h"

namespace attnscope {

namespace {

// Two operations for each feature of each pair of a query from `first_query` on and a key: of those that the mask
// leaves, or of all.
double pair_operations(const AttentionConfig& config, Index first_query, bool is_masked, Index width) {
  const Visibility seen = is_masked ? visibility(config) : Visibility{.keys = key_count(config)};
  const double pairs = seen.pairs(first_query, query_count(config));
  return 2 * static_cast<double>(config.batch_size * head_count(config) * width) * pairs;
}

}  // namespace

double projection_operations(const AttentionConfig& config, Index tokens) {
  if (!has_stage(config, Stage::query_weight)) return 0;
  const auto rows = static_cast<double>(config.batch_size * tokens);
  return 3 * 2 * rows * static_cast<double>(input_features(config)) * static_cast<double>(context_features(config));
}

double score_operations(const AttentionConfig& config, Index first_query) {
  return pair_operations(config, first_query, has_stage(config, Stage::masked_scores), head_features(config));
}

double value_operations(const AttentionConfig& config, Index first_query) {
  return pair_operations(config, first_query, true, value_features(config));
}

double output_operations(const AttentionConfig& config, Index tokens) {
  if (!has_stage(config, Stage::output)) return 0;
  const auto rows = static_cast<double>(config.batch_size * tokens);
  return 2 * rows * static_cast<double>(context_features(config)) * static_cast<double>(config.d_out);
}

double stage_operations(const AttentionConfig& config, Stage stage) {
  const auto count = info(rule_of(config, stage)).operations;
  return count ? count(config, stage) : 0;
}

double operation_count(const AttentionConfig& config) {
  const Index T = token_count(config);
  return projection_operations(config, T) + score_operations(config) + value_operations(config) +
         output_operations(config, T);
}

}  // namespace attnscope

// The stages of an evaluation, their shapes and the memory that they take.

#include "core/difference.h"
#include "core/dropout_mask.h"
#include "core/engine.h"
#include "core/evaluate.h"
#include "core/external_attention.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

namespace attnscope {

namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a > largest - b ? largest : a + b; }

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) { return b != 0 && a > largest / b ? largest : a * b; }

std::uint64_t bytes_of(std::span<const Index> shape) {
  std::uint64_t bytes = sizeof(float);
  for (const Index dimension : shape)
    bytes = multiply(bytes, dimension > 0 ? static_cast<std::uint64_t>(dimension) : 0);
  return bytes;
}

// Whether a stage only points at the tensor of the stage before it.
bool is_shared(const AttentionConfig& config, Stage stage) {
  if (info(stage).rule == CellRule::step) return !info(stage).step(config)->acts(config);
  return stage == Stage::dropped_weights && !dropout_is_active(config);
}

// Working memory of a stage that goes away again: one projection, or the dropout factors of one of the wrapper's heads.
std::uint64_t scratch_bytes(const AttentionConfig& config, bool is_readable) {
  const Index T = token_count(config);
  const std::uint64_t projection = bytes_of(std::array{config.batch_size, T, config.d_out});
  if (!is_readable) return engine_bytes(config);
  const std::uint64_t head = bytes_of(std::array{config.batch_size, query_count(config), key_count(config)});
  return std::max(projection, dropout_is_active(config) && head_count(config) > 1 ? head : 0);
}

// Returns the memory of row statistics and of dropout's bits, which stand in for T×T stages that are not held as
// tensors.
std::uint64_t row_bytes(const AttentionConfig& config) {
  const bool masks_weights = has_stage(config, Stage::masked_weights);
  const std::array shape = {Index{masks_weights ? 3 : 2}, config.batch_size, head_count(config), query_count(config)};
  const std::uint64_t bytes = bytes_of(shape);
  return add(bytes, DropoutMask::bytes_for(config));
}

std::uint64_t materialized_bytes(const AttentionConfig& config) {
  std::uint64_t bytes = 0;
  for (const StageInfo& stage : stages()) {
    if (!is_query_by_key(stage.axes) || !has_stage(config, stage.stage) || is_shared(config, stage.stage)) continue;
    bytes = add(bytes, bytes_of(stage_shape(config, stage.stage)));
  }
  return bytes;
}

// In closed form, because a document that is yet to be refused may ask for any number of heads.
std::uint64_t parameter_bytes(const AttentionConfig& config) {
  const MechanismInfo& mechanism = info(config.mechanism);
  if (mechanism.weight_style == WeightStyle::none) return 0;
  const Index modules = mechanism.splits_heads ? 1 : head_count(config);
  const Index d_out = config.d_out;
  // Biases, and the weights of several modules, are there twice: as parameters and as a stage.
  const Index copies = has_own_heads(config) ? 2 : 1;
  std::uint64_t bytes = bytes_of(std::array{copies, modules, Index{3}, d_out, input_features(config)});
  if (has_stage(config, Stage::query_bias))
    bytes = add(bytes, bytes_of(std::array{Index{2}, modules, Index{3}, d_out}));
  if (!mechanism.has_output_projection) return bytes;
  return add(bytes, add(bytes_of(std::array{d_out, d_out}), bytes_of(std::array{Index{2}, d_out})));
}

std::string with_separators(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, ",");
  return text;
}

std::string readable(std::uint64_t bytes) {
  static constexpr std::array<const char*, 4> units = {"bytes", "KB", "MB", "GB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", amount, units.at(unit));
  return text.data();
}

}  // namespace

std::vector<Index> stage_shape(const AttentionConfig& config, Stage stage) {
  const Index B = config.batch_size;
  const Index T = token_count(config);
  const Index H = head_count(config);
  switch (info(stage).axes) {
    case StageAxes::weight:
    case StageAxes::bias:
      return parameter_shape(config, stage);
    case StageAxes::head_token_feature:
      if (stage == Stage::keys) return {B, key_value_heads(config), key_count(config), head_features(config)};
      if (stage == Stage::values) return {B, key_value_heads(config), key_count(config), value_features(config)};
      return {B, H, T, stage == Stage::queries ? head_features(config) : value_features(config)};
    case StageAxes::query_key:
      return {query_count(config), key_count(config)};
    case StageAxes::head_query_key:
      return {B, H, query_count(config), key_count(config)};
    case StageAxes::token_feature:
      break;
  }
  if (stage == Stage::inputs) return {B, T, input_features(config)};
  return {B, T, stage == Stage::output ? config.d_out : context_features(config)};
}

namespace {

std::string parameter_letters(const AttentionConfig& config, Stage parameter) {
  const bool is_output = parameter == Stage::output_weight;
  std::string letters = is_output ? "d_out, d_out" : "d_out, d_in";
  if (info(parameter).axes == StageAxes::bias) letters = "1, d_out";
  if (info(config.mechanism).weight_style == WeightStyle::parameter) letters = "d_in, d_out";
  return (has_own_heads(config) ? "(H, " : "(") + letters + ")";
}

}  // namespace

std::string shape_letters(const AttentionConfig& config, Stage stage) {
  const bool differs = query_count(config) != key_count(config);
  const std::string queries = differs ? "T_query" : "T";
  const std::string keys = differs ? "T_key" : "T";
  const std::string width = value_features(config) == head_features(config) ? "head_dim" : "d_v";
  const std::string key_heads = key_value_heads(config) == head_count(config) ? "H" : "H_kv";
  switch (info(stage).axes) {
    case StageAxes::weight:
    case StageAxes::bias:
      return parameter_letters(config, stage);
    case StageAxes::head_token_feature:
      if (stage == Stage::keys) return "(B, " + key_heads + ", " + keys + ", head_dim)";
      if (stage == Stage::values) return "(B, " + key_heads + ", " + keys + ", " + width + ")";
      return "(B, H, " + queries + ", " + (stage == Stage::queries ? "head_dim" : width) + ")";
    case StageAxes::query_key:
      return "(" + queries + ", " + keys + ")";
    case StageAxes::head_query_key:
      return "(B, H, " + queries + ", " + keys + ")";
    case StageAxes::token_feature:
      break;
  }
  if (stage == Stage::inputs) return "(B, T, d_in)";
  return "(B, " + queries + ", " + (stage == Stage::output ? "d_out" : "H·" + width) + ")";
}

bool is_per_head(const AttentionConfig& config, Stage stage) {
  const StageAxes axes = info(stage).axes;
  if (is_parameter(axes)) return stage_shape(config, stage).size() == 3;
  return axes == StageAxes::head_query_key || axes == StageAxes::head_token_feature;
}

bool is_per_batch(Stage stage) {
  const StageAxes axes = info(stage).axes;
  return axes != StageAxes::query_key && !is_parameter(axes);
}

Index matrix_of(const AttentionConfig& config, Stage stage, Index batch, Index head) {
  const StageAxes axes = info(stage).axes;
  if (is_parameter(axes)) return is_per_head(config, stage) ? head : 0;
  if (axes == StageAxes::query_key) return 0;
  if (stage == Stage::keys || stage == Stage::values)
    return batch * key_value_heads(config) + key_value_head(config, head);
  return is_per_head(config, stage) ? batch * head_count(config) + head : batch;
}

Stage final_weights_stage(const AttentionConfig& config) { return predecessors(config, Stage::head_context)[0]; }

Stage acting_weights_stage(const AttentionConfig& config) {
  const Stage last = final_weights_stage(config);
  return acts_in(config, last) ? last : normalized_weights_stage(config);
}

Stage normalized_weights_stage(const AttentionConfig& config) {
  return before_on_route(config, Stage::dropped_weights);
}

Stage normalized_from_stage(const AttentionConfig& config) { return predecessors(config, Stage::weights)[0]; }

float score_scale(const AttentionConfig& config) {
  if (!config.scale) return 1;
  if (config.scale_factor) return static_cast<float>(*config.scale_factor);
  return 1.0F / std::sqrt(static_cast<float>(head_features(config)));
}

bool normalizes_by_sum(const AttentionConfig& config) {
  return config.mechanism == Mechanism::simple_self_attention && config.normalization == Normalization::sum;
}

Stage queries_stage(const AttentionConfig& config) { return predecessors(config, Stage::scores)[0]; }

Stage keys_stage(const AttentionConfig& config) { return predecessors(config, Stage::scores)[1]; }

Stage values_stage(const AttentionConfig& config) { return predecessors(config, Stage::head_context)[1]; }

bool has(const Result& result, Stage stage) {
  if (result.external) return stage == result.external->stage;
  if (result.difference) return is_comparable(*result.difference->now, *result.difference->before, stage);
  if (!result.finished.are_all() && depends_on(result.config, stage, Stage::context)) return false;
  if (result.find(stage)) return true;
  const bool is_read = is_query_by_key(info(stage).axes) || stage == Stage::head_context;
  return result.rows && is_read && has_stage(result.config, stage);
}

bool has(const Result& result, Stage stage, Index matrix) {
  const bool is_of_heads = begins_with_heads(result.config) && rule_of(result.config, stage) == CellRule::start;
  if (is_of_heads || result.finished.contain(matrix)) return has(result, stage);
  const bool is_of_all = is_parameter(info(stage).axes) || !is_per_head(result.config, stage);
  return is_of_all && has(result, stage);
}

std::uint64_t required_bytes(const AttentionConfig& config) {
  const bool is_readable = is_evaluated_readably(config);
  std::uint64_t bytes = add(scratch_bytes(config, is_readable), parameter_bytes(config));
  for (const StageInfo& stage : stages()) {
    const bool is_held = is_readable || stage.stage != Stage::head_context;
    if (is_query_by_key(stage.axes) || is_parameter(stage.axes) || !is_held) continue;
    if (!has_stage(config, stage.stage)) continue;
    bytes = add(bytes, bytes_of(stage_shape(config, stage.stage)));
  }
  bytes = add(bytes, is_readable ? materialized_bytes(config) : row_bytes(config));
  const auto* const typed = std::get_if<SharedTensor>(&config.inputs);
  if (typed) bytes = add(bytes, bytes_of(typed->shape()));
  for (const SharedTensor* tensor : {&config.bias, &config.heads.queries, &config.heads.keys, &config.heads.values})
    bytes = add(bytes, bytes_of(tensor->shape()));
  // The override, and what was drawn in its place.
  for (const auto& [name, tensor] : config.weight_overrides) bytes = add(bytes, multiply(2, bytes_of(tensor.shape())));
  return bytes;
}

void check_memory(const AttentionConfig& config, std::uint64_t available_bytes) {
  const std::uint64_t needed = required_bytes(config);
  if (needed <= available_bytes) return;
  check(config);  // what is wrong with the document is said first
  throw Error("This document needs " + readable(needed) + " of memory (" + with_separators(needed) +
              " bytes), but only " + readable(available_bytes) +
              " are free: use fewer tokens, heads or batch entries.");
}

}  // namespace attnscope

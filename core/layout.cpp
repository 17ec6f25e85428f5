// The stages of an evaluation, their shapes and the memory that they take.

#include "core/dropout.h"
#include "core/engine.h"
#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/results.h"
#include "core/stages/rule.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

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

// Returns the temporary memory of a stage: one projection, or the dropout factors of one of the wrapper's heads.
std::uint64_t scratch_bytes(const AttentionConfig& config, bool is_readable) {
  const Index T = token_count(config);
  const std::uint64_t projection = bytes_of(std::array{config.batch_size, T, config.d_out});
  if (!is_readable) return engine_bytes(config);
  const std::uint64_t head = bytes_of(std::array{config.batch_size, query_count(config), key_count(config)});
  return std::max(projection, dropout_is_active(config) && head_count(config) > 1 ? head : 0);
}

std::uint64_t materialized_bytes(const AttentionConfig& config) {
  std::uint64_t bytes = 0;
  for (const StageInfo& stage : stages()) {
    // A stage that does not act only points at the tensor of the stage before it.
    if (!is_query_by_key(stage.axes) || !acts_in(config, stage.stage)) continue;
    bytes = add(bytes, bytes_of(stage_shape(config, stage.stage)));
  }
  return bytes;
}

// Counts in closed form, because a document that is not checked yet may ask for any number of heads.
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
  const Index features = output_features(config);
  return add(bytes, add(bytes_of(std::array{features, d_out}), bytes_of(std::array{Index{2}, features})));
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

[[noreturn]] void refuse_memory(const std::string& what, std::uint64_t needed, std::uint64_t available,
                                const std::string& advice) {
  throw Error("This " + what + " needs " + readable(needed) + " of memory (" + with_separators(needed) +
              " bytes), but only " + readable(available) + " are free: " + advice + ".");
}

// Calls add(letters, size) for each axis of a weight matrix or a bias, the outermost first. A bias is a matrix of one
// row, and the weights of the wrapper's heads lie one after the other.
template <typename Add>
void for_each_parameter_axis(const AttentionConfig& config, Stage parameter, const Add& add) {
  const bool is_output = parameter == Stage::output_weight;
  const auto add_inputs = [&] {
    add(is_output ? "d_out" : "d_in", is_output ? context_features(config) : input_features(config));
  };
  const bool begins_with_inputs = info(config.mechanism).weight_style == WeightStyle::parameter;
  if (has_own_heads(config)) add("H", head_count(config));
  if (begins_with_inputs) {
    add_inputs();
  } else if (info(parameter).axes == StageAxes::bias) {
    add("1", 1);
  }
  if (is_gain(parameter)) {
    add("head_dim", head_features(config));
  } else if (makes_keys_or_values(parameter) && has_shared_keys(config)) {
    add("H_kv·head_dim", key_features(config));
  } else {
    const bool is_of_output = is_output || parameter == Stage::output_bias;
    add("d_out", is_of_output ? output_features(config) : config.d_out);
  }
  if (!begins_with_inputs && info(parameter).axes == StageAxes::weight) add_inputs();
}

// Calls add(letters, size) for the last axis of a stage that is neither a parameter nor a matrix of queries by keys.
template <typename Add>
void add_features(const AttentionConfig& config, Stage stage, const Add& add) {
  const bool are_alike = value_features(config) == head_features(config);
  if (stage == Stage::inputs) return add("d_in", input_features(config));
  if (stage == Stage::output) return add("d_out", output_features(config));
  if (stage == Stage::context) return add(are_alike ? "H·head_dim" : "H·d_v", context_features(config));
  const bool is_value = stage == Stage::values || stage == Stage::head_context;
  if (!is_value) return add("head_dim", head_features(config));
  add(are_alike ? "head_dim" : "d_v", value_features(config));
}

// Calls add(letters, size) for all axes of any stage.
template <typename Add>
void for_each_axis(const AttentionConfig& config, Stage stage, const Add& add) {
  const StageAxes axes = info(stage).axes;
  if (is_parameter(axes)) return for_each_parameter_axis(config, stage, add);
  const Index queries = query_count(config);
  const Index keys = key_count(config);
  if (axes != StageAxes::query_key) add("B", config.batch_size);
  if (has_key_rows(stage)) {
    add(key_value_heads(config) == head_count(config) ? "H" : "H_kv", key_value_heads(config));
    add(queries == keys ? "T" : "T_key", keys);
  } else {
    if (axes == StageAxes::head_token_feature || axes == StageAxes::head_query_key) add("H", head_count(config));
    add(queries == keys ? "T" : "T_query", queries);
  }
  if (is_query_by_key(axes)) return add(queries == keys ? "T" : "T_key", keys);
  add_features(config, stage, add);
}

}  // namespace

std::vector<Index> stage_shape(const AttentionConfig& config, Stage stage) {
  std::vector<Index> shape;
  shape.reserve(4);
  for_each_axis(config, stage, [&](const char*, Index size) { shape.push_back(size); });
  return shape;
}

std::string shape_letters(const AttentionConfig& config, Stage stage) {
  std::string letters = "(";
  for_each_axis(config, stage, [&](const char* axis, Index) { (letters += letters.size() > 1 ? ", " : "") += axis; });
  return letters + ")";
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

Index matrices_per_entry(const AttentionConfig& config, Stage stage) {
  if (!is_per_head(config, stage)) return 1;
  return has_key_rows(stage) ? key_value_heads(config) : head_count(config);
}

Index matrix_of(const AttentionConfig& config, Stage stage, Index batch, Index head) {
  const StageAxes axes = info(stage).axes;
  if (is_parameter(axes)) return is_per_head(config, stage) ? head : 0;
  if (axes == StageAxes::query_key) return 0;
  if (has_key_rows(stage)) return batch * key_value_heads(config) + key_value_head(config, head);
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
  if (result.imported) return stage == result.imported->stage;
  if (result.difference) return is_comparable(*result.difference->now, *result.difference->baseline, stage);
  if (!result.finished.are_all() && depends_on(result.config, stage, Stage::context)) return false;
  if (result.find(stage)) return true;
  const bool is_read = is_query_by_key(info(stage).axes) || stage == Stage::head_context;
  return result.heads && is_read && has_stage(result.config, stage);
}

bool has(const Result& result, Stage stage, Index matrix) {
  const bool is_of_heads = begins_with_heads(result.config) && !rule_of(result.config, stage).make;
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
  bytes = add(bytes, is_readable ? materialized_bytes(config) : DropoutMask::bytes_for(config));
  if (has_rope(config)) bytes = add(bytes, bytes_of(std::array{token_count(config), rope_dims(config)}));  // RopeTable
  const auto* const typed = std::get_if<SharedTensor>(&config.inputs);
  if (typed) bytes = add(bytes, bytes_of(typed->shape()));
  const auto* const model = std::get_if<ModelInputs>(&config.inputs);
  if (model) bytes = add(bytes, forward_bytes(*model));
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
  refuse_memory("document", needed, available_bytes, "use fewer tokens, heads or batch entries");
}

std::uint64_t required_bytes(const TransformerShape& shape, bool has_head) {
  const std::uint64_t head = has_head ? bytes_of(std::array{shape.features, shape.vocabulary}) : 0;
  return add(multiply(sizeof(float), weight_count(shape)), head);
}

void check_memory(const TransformerShape& shape, bool has_head, std::uint64_t available_bytes) {
  const std::uint64_t needed = required_bytes(shape, has_head);
  if (needed > available_bytes)
    refuse_memory("model", needed, available_bytes, "close other programs, or take a smaller model");
}

}  // namespace attnscope

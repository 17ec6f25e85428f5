#include "core/config.h"

#include "core/bias.h"
#include "core/config_fields.h"
#include "core/config_words.h"
#include "core/error.h"
#include "core/evaluate.h"
#include "core/parameters.h"
#include "core/shown_text.h"
#include "core/visibility.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace attnscope {

namespace {

// "1, 2, 3 or 4"
std::string list_of(const std::vector<std::string>& words, std::string_view conjunction) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_last = i + 1 == words.size();
    if (i > 0) text.append(is_last ? " " : ", ").append(is_last ? conjunction : "").append(is_last ? " " : "");
    text += words[i];
  }
  return text;
}

void check_finite(const std::string& field, const SharedTensor& tensor) {
  const std::optional<Index> bad = tensor.first_not_finite();
  if (!bad) return;
  const Index row = *bad / tensor.cols();
  const Index col = *bad % tensor.cols();
  const std::string place = field + (tensor.rank() < 2 ? "" : subscript(row)) + subscript(col);
  const float number = tensor.row(row)[static_cast<std::size_t>(col)];
  const std::string value = std::isnan(number) ? "not a number" : (number > 0 ? "infinity" : "minus infinity");
  throw Error(place, place + " is " + value + ", but every number must be finite: type an ordinary number there.");
}

void check_inputs(const AttentionConfig& config) {
  if (begins_with_heads(config)) return check_heads_from_elsewhere(config);
  const auto* const typed = std::get_if<SharedTensor>(&config.inputs);
  if (typed && typed->rank() != 2) {
    throw Error("inputs", "inputs have the shape " + shape_of(typed->shape()) +
                              ", but they must be a table of T rows, one per token, with d_in numbers each.");
  }
  check_range("inputs", "The number of tokens", token_count(config), max_tokens);
  check_range("inputs", "The number of dimensions per token", input_features(config), max_features);
  if (typed) check_finite("inputs", *typed);
}

void check_heads(const AttentionConfig& config) {
  if (!info(config.mechanism).splits_heads || begins_with_heads(config) || config.d_out % config.num_heads == 0) return;
  std::vector<std::string> divisors;
  for (Index heads = 1; heads <= std::min(config.d_out, max_heads); ++heads) {
    if (config.d_out % heads == 0) divisors.push_back(text_of(heads));
  }
  throw Error("num_heads", "num_heads is " + text_of(config.num_heads) + ", but it must divide d_out, which is " +
                               text_of(config.d_out) + ": use " + list_of(divisors, "or") + ".");
}

void check_field(const AttentionConfig& config, const CountField& field) {
  const std::string key(field.key);
  check_range(key.c_str(), key, config.*field.member, field.highest);
}

void check_field(const AttentionConfig& config, const NumberField& field) {
  const std::optional<double> value = field.get(config);
  if (!value || (*value >= field.lowest && *value <= field.highest)) return;
  const std::string key(field.key);
  throw Error(key, key + " is " + text_of(*value) + ", but it is " + std::string(field.what) + ": use " +
                       std::string(field.allowed) + ".");
}

void check_field(const AttentionConfig& config, const WholeField& field) {
  const std::uint64_t value = field.get(config).value_or(0);
  if (value <= field.highest) return;
  const std::string key(field.key);
  throw Error(key, key + " is " + text_of(value) + ", but it must be " + field.allowed() + ".");
}

void check_field(const AttentionConfig&, const FlagField&) {}
void check_field(const AttentionConfig&, const ChoiceField&) {}

void check_weight_order(const AttentionConfig& config) {
  if (!std::ranges::is_permutation(config.weight_order,
                                   std::array{Projection::query, Projection::key, Projection::value})) {
    throw Error(
        "weight_order",
        "weight_order names a projection twice, but it must hold query, key and value once each, in any order.");
  }
}

void check_normalization(const AttentionConfig& config) {
  if (config.mechanism != Mechanism::simple_self_attention) return;
  if (config.normalization != Normalization::sum || !has_stage(config, Stage::masked_scores)) return;
  throw Error("mask", std::string("mask is ") + (config.mask == MaskRoute::custom ? "custom" : "causal") +
                          ", which puts minus infinity among the scores, but normalization is sum, and a sum that "
                          "contains minus infinity shares nothing out: use the mask causal_after_softmax or "
                          "causal_renormalized, or the normalization softmax.");
}

void check_bias(const AttentionConfig& config) {
  if (!has_bias(config)) return;
  const std::vector<Index>& shape = config.bias.shape();
  const std::array<Index, 4> whole = {config.batch_size, head_count(config), query_count(config), key_count(config)};
  bool fits = shape.size() <= whole.size();
  for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
    const Index size = shape[shape.size() - 1 - axis];
    fits = size == 1 || size == whole[whole.size() - 1 - axis];
  }
  if (!fits) {
    throw Error("bias", "bias has the shape " + shape_of(shape) +
                            ", but it must broadcast to (B, H, T_query, T_key), " + "which is " + shape_of(whole) +
                            ": each axis from the last on is that long, or 1.");
  }
  if (!config.bias.first_not_finite()) return;
  bool hides = false;
  for (Index row = 0; row < config.bias.rows(); ++row) {
    for (const float number : config.bias.row(row)) {
      hides = hides || std::isinf(number);
      if (!std::isnan(number) && number < std::numeric_limits<float>::infinity()) continue;
      throw Error("bias", "bias has a number in its row " + text_of(row) +
                              " that is infinity or not a number, but it may only have finite numbers and minus "
                              "infinity, which hides a key.");
    }
  }
  if (!hides || !normalizes_by_sum(config)) return;
  throw Error(
      "bias",
      "bias has minus infinity, but normalization is sum, and a sum that contains minus infinity shares nothing "
      "out: use finite numbers, or the normalization softmax.");
}

void check_hidden(const AttentionConfig& config) {
  if (config.mask != MaskRoute::custom) return;
  const Index queries = query_count(config);
  const Index keys = key_count(config);
  if (config.hidden.queries() != queries) {
    throw Error("hidden", "hidden has lists of keys for " + text_of(config.hidden.queries()) +
                              " queries, but the mask is custom and there are " + text_of(queries) +
                              ": give a list of ranges for each query, [] for one that sees every key.");
  }
  if (config.hidden.range_count() > max_hidden_ranges) {
    throw Error("hidden", "hidden has " + text_of(config.hidden.range_count()) + " ranges, but there may be at most " +
                              text_of(max_hidden_ranges) + ".");
  }
  for (Index query = 0; query < queries; ++query) {
    const std::span<const KeyRange> ranges = config.hidden.of(query);
    if (ranges.empty() || (ranges.front().first >= 0 && ranges.back().last <= keys)) continue;
    const KeyRange& bad = ranges.front().first < 0 ? ranges.front() : ranges.back();
    throw Error("hidden" + subscript(query), "hidden" + subscript(query) + " has the range [" + text_of(bad.first) +
                                                 ", " + text_of(bad.last) + "], but it must lie in [0, " +
                                                 text_of(keys) + "]: there are " + text_of(keys) + " keys.");
  }
}

std::string existing_names(const std::vector<ParameterShape>& shapes) {
  constexpr std::size_t shown = 8;
  if (shapes.empty()) return "it has no weights";
  std::vector<std::string> names;
  for (const ParameterShape& parameter : shapes) names.push_back(parameter.name);
  if (names.size() <= shown) return "it has " + list_of(names, "and");
  const std::string last = names.back();
  names.resize(shown - 1);
  return "it has " + list_of(names, "and") + " and so on up to " + last;
}

void check_overrides(const AttentionConfig& config) {
  if (config.weight_overrides.empty()) return;
  const std::vector<ParameterShape> shapes = parameter_shapes(config);
  for (const auto& [full_name, tensor] : config.weight_overrides) {
    constexpr std::size_t most_of_a_name = 80;
    const std::string name = shown_text(full_name, most_of_a_name);
    const std::string field = "weights." + name;
    const auto parameter = std::ranges::find(shapes, full_name, &ParameterShape::name);
    if (parameter == shapes.end()) {
      throw Error(field, name + " is not a weight of " + std::string(info(config.mechanism).id) + ": " +
                             existing_names(shapes) + ".");
    }
    if (tensor.shape() != parameter->shape) {
      throw Error(field, name + " has the shape " + shape_of(tensor.shape()) + ", but here it must have the shape " +
                             shape_of(parameter->shape) + ".");
    }
    check_finite(field, tensor);
  }
}

}  // namespace

void check(const AttentionConfig& config) {
  check_inputs(config);
  visit_fields([&](const auto& field) { check_field(config, field); });
  check_heads(config);
  check_weight_order(config);
  check_normalization(config);
  check_hidden(config);
  check_bias(config);
  check_overrides(config);
  check_heads_off(config);
  check_dropout_edits(config);
}

}  // namespace attnscope

#include "core/config.h"

#include "core/config_fields.h"
#include "core/error.h"
#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/parameters.h"
#include "core/text.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>

namespace attnscope {

namespace {

template <typename Number>
std::string text_of(Number number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end.ptr};
}

std::string shape_of(std::span<const Index> shape) {
  std::string text = "(";
  for (const Index dimension : shape) text.append(text.size() > 1 ? ", " : "").append(text_of(dimension));
  return text + ")";
}

void check_range(const char* field, const std::string& name, Index value, Index largest) {
  if (value >= 1 && value <= largest) return;
  throw Error(field,
              name + " is " + text_of(value) + ", but it must be a whole number from 1 to " + text_of(largest) + ".");
}

std::string subscript(Index index) {
  std::string text = "[";
  return text.append(text_of(index)).append("]");
}

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

void check_head_tensor(const std::string& name, const SharedTensor& tensor, bool is_known) {
  const std::string field = "given." + name;
  const std::vector<Index>& shape = tensor.shape();
  check_range(field.c_str(), "The batch size of " + name, shape[0], max_batch);
  check_range(field.c_str(), "The number of heads of " + name, shape[1], max_heads);
  check_range(field.c_str(), "The number of tokens of " + name, shape[2], max_tokens);
  if (is_known) check_range(field.c_str(), "The width of " + name, shape[3], max_features);
  if (!tensor.first_not_finite()) return;
  throw Error(field,
              "given." + name + " has a number that is infinity or not a number, but every number must be finite.");
}

// Throws Error unless keys and values agree in B, H_kv and T_key, and queries and keys in B and head_dim.
void check_heads_from_elsewhere(const AttentionConfig& config) {
  const HeadTensors& heads = config.heads;
  if (!heads.is_there()) {
    throw Error(
        "given",
        "given is missing, but scaled_dot_product_attention begins with given queries, keys and values, each an "
        "array of the shape (T, d), (H, T, d) or (B, H, T, d).");
  }
  const bool are_known = !heads.are_unknown();
  check_head_tensor("queries", heads.queries, are_known);
  check_head_tensor("keys", heads.keys, are_known);
  check_head_tensor("values", heads.values, are_known);
  const std::vector<Index>& queries = heads.queries.shape();
  const std::vector<Index>& keys = heads.keys.shape();
  const std::vector<Index>& values = heads.values.shape();
  const auto refuse = [&](const char* what) {
    throw Error("given", "given has queries of the shape " + shape_of(queries) + ", keys of " + shape_of(keys) +
                             " and values of " + shape_of(values) + ", but " + what);
  };
  if (queries[0] != keys[0] || queries[0] != values[0]) refuse("all three must have one batch size, the first number.");
  if (keys[1] != values[1]) refuse("keys and values must have one number of heads, the second number.");
  if (keys[1] > queries[1]) refuse("there may not be more heads of keys than of queries: that is the second number.");
  if (keys[2] != values[2]) refuse("each key must have a value: their third numbers must be equal.");
  if (queries[3] != keys[3]) refuse("queries and keys must be of one width, the last number.");
  if (config.num_heads != queries[1]) {
    throw Error("num_heads", "num_heads is " + text_of(config.num_heads) + ", but the given queries have " +
                                 text_of(queries[1]) + " heads.");
  }
  if (config.batch_size == queries[0]) return;
  throw Error("batch_size", "batch_size is " + text_of(config.batch_size) + ", but the given queries have a batch of " +
                                text_of(queries[0]) + ".");
}

void check_inputs(const AttentionConfig& config) {
  if (const auto* const model = std::get_if<ModelInputs>(&config.inputs)) check_model_inputs(config, *model);
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

void check_dimensions(const AttentionConfig& config) {
  if (config.dimensions.empty()) return;
  if (begins_with_heads(config))
    throw Error("dimensions",
                "dimensions names the numbers of inputs, but this mechanism begins with queries, keys and "
                "values: leave it out.");
  const auto names = static_cast<Index>(config.dimensions.size());
  const Index numbers = input_features(config);
  if (names == numbers) return;
  throw Error("dimensions", "dimensions has " + text_of(names) + (names == 1 ? " name" : " names") +
                                ", but each token has " + text_of(numbers) + (numbers == 1 ? " number" : " numbers") +
                                ": each number must have one name, or none has.");
}

void check_key_heads(const AttentionConfig& config) {
  if (!config.num_kv_heads) return;
  const Index shared = *config.num_kv_heads;
  const bool must_divide = config.mechanism == Mechanism::multi_head_attention;
  if (shared >= 1 && (!must_divide || config.num_heads % shared == 0)) return;
  std::vector<std::string> divisors;
  for (Index heads = 1; heads <= config.num_heads; ++heads) {
    if (config.num_heads % heads == 0) divisors.push_back(text_of(heads));
  }
  throw Error("num_kv_heads", "num_kv_heads is " + text_of(shared) + ", but it must divide num_heads, which is " +
                                  text_of(config.num_heads) + ": use " + list_of(divisors, "or") + ".");
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

void check_field(const AttentionConfig& config, const IntegerField& field) {
  const std::uint64_t value = field.get(config).value_or(field.lowest);
  if (value >= field.lowest && value <= field.highest) return;
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

void check_rope_scaling(const RopeScaling& scaling) {
  const auto fail = [](const std::string& key, const std::string& sentence) {
    throw Error("rope.scaling." + key, sentence);
  };
  if (!(scaling.factor >= 1 && scaling.factor <= most_rope_scaling))
    fail("factor", "rope.scaling.factor must be a number from 1 to 1000000.");
  if (!(scaling.low > 0 && scaling.low < scaling.high && scaling.high <= most_rope_scaling))
    fail("low_freq_factor", "rope.scaling.low_freq_factor must be above 0 and below high_freq_factor.");
  if (scaling.original_length < 1 || scaling.original_length > max_rope_offset)
    fail("original_max_position_embeddings",
         "rope.scaling.original_max_position_embeddings must be a whole number from 1 to " + text_of(max_rope_offset) +
             ".");
}

void check_rope(const AttentionConfig& config) {
  if (!has_rope(config)) return;
  if (config.rope->scaling) check_rope_scaling(*config.rope->scaling);
  if (!config.rope->dims) return;
  const Index dims = *config.rope->dims;
  const Index head_dim = head_features(config);
  if (dims >= 0 && dims <= head_dim && dims % 2 == 0) return;
  throw Error("rope.dims", "rope.dims is " + text_of(dims) + ", but it must be an even number from 0 to head_dim, " +
                               "which is " + text_of(head_dim) + ".");
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

std::string place_of(const DropoutEdit& edit) {
  return "[" + text_of(edit.batch) + ", " + text_of(edit.head) + ", " + text_of(edit.query) + ", " + text_of(edit.key) +
         "]";
}

auto place_among(const DropoutEdit& edit) { return std::tie(edit.batch, edit.head, edit.query, edit.key); }

// Heads are counted by num_heads, also where a mechanism has none: what is ignored stays as it is.
void check_heads_off(const AttentionConfig& config) {
  for (std::size_t i = 0; i < config.heads_off.size(); ++i) {
    const Index head = config.heads_off[i];
    const std::string field = "heads_off" + subscript(static_cast<Index>(i));
    if (head < 0 || head >= config.num_heads) {
      throw Error(field, field + " is " + text_of(head) + ", but it must be a head's number from 0 to " +
                             text_of(config.num_heads - 1) + ": num_heads is " + text_of(config.num_heads) + ".");
    }
    if (i == 0) continue;
    assert(config.heads_off[i - 1] <= head && "heads are in order");
    if (config.heads_off[i - 1] == head)
      throw Error("heads_off", "heads_off names head " + text_of(head) + " twice: name it once.");
  }
}

void check_dropout_edits(const AttentionConfig& config) {
  const std::vector<DropoutEdit>& edits = config.dropout_edits;
  if (edits.size() > max_dropout_edits) {
    throw Error("dropout_edits", "dropout_edits has " + text_of(edits.size()) + " cells, but it may have at most " +
                                     text_of(max_dropout_edits) + ".");
  }
  const DropoutEdit end{config.batch_size, config.num_heads, query_count(config), key_count(config)};
  const auto is_within = [](Index index, Index count) { return index >= 0 && index < count; };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const DropoutEdit& edit = edits[i];
    const std::string field = edit.keeps ? "dropout_edits.keep" : "dropout_edits.drop";
    const bool is_there = is_within(edit.batch, end.batch) && is_within(edit.head, end.head) &&
                          is_within(edit.query, end.query) && is_within(edit.key, end.key);
    if (!is_there) {
      throw Error(field, field + " has " + place_of(edit) + ", but a cell is [batch, head, query, key] below " +
                             place_of(end) + ", counted from 0.");
    }
    const bool is_repeated = i > 0 && place_among(edits[i - 1]) == place_among(edit);
    if (is_repeated) throw Error(field, "dropout_edits names " + place_of(edit) + " twice: name it once.");
    assert((i == 0 || edits[i - 1] < edit) && "edits are in order");
  }
}

// Where memory has 32-bit addresses, as in a browser's page, so have indices: the cells of all heads are counted by
// them.
void check_cell_count(const AttentionConfig& config) {
  const double heads = static_cast<double>(config.batch_size) * static_cast<double>(head_count(config));
  const double cells = heads * static_cast<double>(query_count(config)) * static_cast<double>(key_count(config));
  if (cells <= static_cast<double>(std::numeric_limits<Index>::max())) return;
  throw Error("inputs",
              "The matrices of all heads would have " + text_of(static_cast<std::uint64_t>(cells)) +
                  " cells, more than a page in a browser can count: use fewer tokens, heads or batch entries.");
}

}  // namespace

void check(const AttentionConfig& config) {
  visit_fields([&](const auto& field) { check_field(config, field); });  // before sizes are computed from them
  check_inputs(config);
  check_dimensions(config);
  check_heads(config);
  check_key_heads(config);
  check_cell_count(config);
  check_weight_order(config);
  check_normalization(config);
  check_hidden(config);
  check_rope(config);
  check_bias(config);
  check_overrides(config);
  check_heads_off(config);
  check_dropout_edits(config);
}

}  // namespace attnscope

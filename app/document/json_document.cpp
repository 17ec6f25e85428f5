// The arrays of a document: numbers, names, ranges and cells.

#include "document/json_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>

#include "core/error.h"
#include "core/model/forward.h"
#include "core/text.h"
#include "document/document.h"
#include "document/json_value.h"

namespace attnscope {
namespace {

constexpr Index most_weights = 10'000;  // three weights and biases of each head, and more

struct ArrayRules {
  std::size_t least_axes = 1;
  std::size_t most_axes = 4;
  bool has_infinity = false;  // "-inf" may stand for a number
};

// Reads the numbers of arrays in arrays: all of one depth, and of one length at each depth.
class ArrayReader {
public:
  explicit ArrayReader(const ArrayRules& rules) : rules_(rules) {}

  Tensor read(const JsonValue& array) {
    read_axis(array, 0);
    return Tensor(std::move(shape_), std::move(numbers_));
  }

private:
  void read_axis(const JsonValue& array, std::size_t axis) {
    if (shape_.size() == axis) shape_.push_back(-1);
    JsonItems items(array);
    while (const JsonValue* const item = items.next()) {
      if (item->is_array()) {
        check_array(*item, axis + 1);
        read_axis(*item, axis + 1);
      } else {
        take_number(*item, axis + 1);
      }
    }
    close(array, axis, items.count());
  }

  bool is_matrix() const { return rules_.most_axes == 2; }

  void check_array(const JsonValue& item, std::size_t depth) const {
    if (axes_ == depth) item.refuse_as(is_matrix() ? "an array" : "an array among numbers", number_words());
    if (depth < rules_.most_axes) return;
    item.refuse_as(
        is_matrix() ? "an array" : fmt::format("an array in {} others, but there are at most {} axes", depth, depth),
        number_words());
  }

  void take_number(const JsonValue& item, std::size_t depth) {
    const bool is_shallow = depth < rules_.least_axes || depth < shape_.size();
    if (is_shallow && is_matrix()) item.refuse("an array of numbers");
    if (is_shallow && item.is_number()) item.refuse_as("a number among arrays", number_words());
    axes_ = depth;
    numbers_.push_back(float_of(item));
  }

  float float_of(const JsonValue& item) const {
    if (rules_.has_infinity && item.is_text() && item.text() == "-inf") return -std::numeric_limits<float>::infinity();
    if (!item.is_number()) item.refuse(number_words());
    const auto number = static_cast<float>(item.number());
    if (std::isfinite(number)) return number;
    throw Error(item.path(), fmt::format("{} is {}, but numbers are float32: they must lie between -3.4e38 and 3.4e38.",
                                         item.path(), item.spelled()));
  }

  void close(const JsonValue& array, std::size_t axis, Index count) {
    if (count == 0) throw Error(array.path(), array.path() + " is empty, but it must hold at least one number.");
    const Index before = std::exchange(shape_[axis], count);
    if (before < 0 || before == count) return;
    const std::string path = array.path();
    throw Error(path, is_matrix() ? fmt::format("{} has {} numbers, but the rows before it have {}: all rows must have "
                                                "the same length.",
                                                path, count, before)
                                  : fmt::format("{} is {} long, but those before it are {} long: all must have the "
                                                "same length.",
                                                path, count, before));
  }

  std::string_view number_words() const {
    if (is_matrix()) return "a finite number";
    return R"(a finite number, or "-inf" in a bias, at the same depth in arrays of the same length)";
  }

  ArrayRules rules_;
  std::size_t axes_ = 0;      // 0 until the first number is read
  std::vector<Index> shape_;  // -1 along an axis whose first array is open
  AlignedFloats numbers_;
};

Tensor read_numbers(const JsonValue& array, const ArrayRules& rules) { return ArrayReader(rules).read(array); }

// Reads an array of exactly so many whole numbers from 0 up.
template <std::size_t count>
std::array<Index, count> read_whole_numbers(const JsonValue& array, std::string_view allowed, Index highest,
                                            std::string_view allowed_number) {
  if (!array.is_array()) array.refuse(allowed);
  std::array<Index, count> numbers{};
  JsonItems items(array);
  while (const JsonValue* const item = items.next()) {
    const std::optional<Index> number = item->whole();
    if (!number || *number < 0 || *number > highest || items.count() > std::ssize(numbers))
      item->refuse(allowed_number);
    numbers[static_cast<std::size_t>(items.count() - 1)] = *number;
  }
  if (items.count() != std::ssize(numbers)) array.refuse_as(fmt::format("{} long", items.count()), allowed);
  return numbers;
}

void check_key(const JsonValue& member, std::string_view owner, std::span<const std::string_view> known) {
  if (std::ranges::find(known, member.key()) != known.end()) return;
  throw Error(member.path(), unknown_key(member.key(), owner, known));
}

std::vector<KeyRange> read_ranges(const JsonValue& query) {
  if (!query.is_array()) query.refuse("a query's array of ranges of hidden keys, such as [[1, 6]]");
  static const std::string allowed_key = fmt::format("a whole number from 0 to {}", max_tokens);
  std::vector<KeyRange> ranges;
  for (JsonItems items(query); const JsonValue* item = items.next();) {
    const auto [first, last] =
        read_whole_numbers<2>(*item, "a range of hidden keys, [first, last]", max_tokens, allowed_key);
    if (first > last) {
      throw Error(item->path(), fmt::format("{} is [{}, {}], but a range must not end before it begins: [1, 3] hides "
                                            "the keys 1 and 2.",
                                            item->path(), first, last));
    }
    ranges.push_back({first, last});
    constexpr Index most_apart = 4096;  // ranges of a query that are held before they are joined
    if (items.count() % most_apart == 0) ranges = merged(std::move(ranges));
  }
  ranges = merged(std::move(ranges));
  ranges.shrink_to_fit();
  return ranges;
}

}  // namespace

bool read_names(std::vector<std::string>& names, const JsonValue& value) {
  if (!value.is_array()) return false;
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    std::string name = item->text("a string");
    if (std::ssize(names) == max_tokens)
      throw Error(value.path(),
                  fmt::format("{} has more than {} names, the most that a document has.", value.path(), max_tokens));
    names.push_back(std::move(name));
  }
  return true;
}

bool read_inputs(ParsedDocument& parsed, const JsonValue& value) {
  Inputs& inputs = parsed.document.config.inputs;
  if (value.is_array()) {
    inputs = read_numbers(value, {.least_axes = 2, .most_axes = 2});
    return true;
  }
  if (!value.is_object()) return false;
  JsonItems items(value);
  while (const JsonValue* const item = items.next()) {
    check_key(*item, "inputs", std::array<std::string_view, 1>{"randn"});
    const auto [tokens, features] =
        read_whole_numbers<2>(*item, "an array of two whole numbers, [T, d_in]", std::numeric_limits<Index>::max(),
                              "a whole number from 1 up");
    inputs = RandnInputs{tokens, features};
  }
  if (items.count() > 0) return true;
  throw Error(value.path(), R"(inputs is an object without "randn": write {"randn": [T, d_in]}.)");
}

bool read_given(ParsedDocument& parsed, const JsonValue& value) {
  HeadTensors& heads = parsed.document.config.heads;
  if (value.is_text()) parsed.given_file = value.text();
  if (!value.is_object()) return !parsed.given_file.empty();
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    const std::string& key = item->key();
    check_key(*item, "given", std::array<std::string_view, 4>{"queries", "keys", "values", "origin"});
    if (key == "origin") {
      heads.origin = item->text("a string");
      continue;
    }
    if (!item->is_array()) item->refuse("nested arrays of numbers, (T, d), (H, T, d) or (B, H, T, d)");
    (key == "queries" ? heads.queries : key == "keys" ? heads.keys : heads.values) = read_numbers(*item, {});
  }
  return true;
}

bool read_bias(ParsedDocument& parsed, const JsonValue& value) {
  if (value.is_text()) parsed.bias_file = value.text();
  if (!value.is_array()) return !parsed.bias_file.empty();
  parsed.document.config.bias = read_numbers(value, {.has_infinity = true});
  return true;
}

bool read_weights(AttentionConfig& config, const JsonValue& value) {
  if (!value.is_object()) return false;
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    if (items.count() > most_weights)
      throw Error(value.path(), fmt::format("There are more than {} weights, which no mechanism has.", most_weights));
    if (!item->is_array()) item->refuse("an array of numbers or of rows of numbers");
    config.weight_overrides[item->key()] = read_numbers(*item, {.most_axes = 2});
  }
  return true;
}

bool read_weight_order(AttentionConfig& config, const JsonValue& value) {
  if (!value.is_array()) return false;
  JsonItems items(value);
  while (const JsonValue* const item = items.next()) {
    const bool is_read =
        items.count() <= std::ssize(config.weight_order) &&
        take_word(config.weight_order[static_cast<std::size_t>(items.count() - 1)], projection_words, *item);
    if (!is_read) item->refuse(R"("query", "key" or "value")");
  }
  if (items.count() != std::ssize(config.weight_order))
    value.refuse_as(fmt::format("{} long", items.count()), R"(an array of "query", "key" and "value" in any order)");
  return true;
}

bool read_hidden(AttentionConfig& config, const JsonValue& value) {
  if (!value.is_array()) return false;
  std::vector<std::vector<KeyRange>> hidden;
  Index range_count = 0;
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    if (items.count() > max_tokens)
      throw Error("hidden", fmt::format("hidden has lists for more than {} queries, the most there are.", max_tokens));
    hidden.push_back(read_ranges(*item));
    range_count += std::ssize(hidden.back());
    if (range_count > max_hidden_ranges)
      throw Error("hidden", fmt::format("hidden has more than {} ranges, the most there may be.", max_hidden_ranges));
  }
  config.hidden = HiddenKeys(std::move(hidden));
  return true;
}

bool read_heads_off(AttentionConfig& config, const JsonValue& value) {
  if (!value.is_array()) return false;
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    const std::optional<Index> head = item->whole();
    if (!head || *head < 0 || *head >= max_heads) item->refuse("a head's number, counted from 0");
    if (items.count() > max_heads)
      throw Error(item->path(),
                  fmt::format("heads_off has more than {} heads, the most that a document has.", max_heads));
    config.heads_off.push_back(*head);
  }
  return true;
}

bool read_dropout_edits(AttentionConfig& config, const JsonValue& value) {
  if (!value.is_object()) return false;
  for (JsonItems members(value); const JsonValue* cells = members.next();) {
    check_key(*cells, "dropout_edits", std::array<std::string_view, 2>{"drop", "keep"});
    if (!cells->is_array()) cells->refuse("an array of cells, [[batch, head, query, key], …]");
    for (JsonItems items(*cells); const JsonValue* cell = items.next();) {
      if (config.dropout_edits.size() == max_dropout_edits)
        throw Error(cell->path(), fmt::format("dropout_edits has more than {} cells, the most that a document has.",
                                              max_dropout_edits));
      const auto [batch, head, query, key] =
          read_whole_numbers<4>(*cell, "a cell, [batch, head, query, key]", max_tokens - 1, "a whole number from 0 up");
      config.dropout_edits.push_back({batch, head, query, key, cells->key() == "keep"});
    }
  }
  return true;
}

// The keys of a document that begins with a trained model.

namespace {

namespace fs = std::filesystem;

// Keys of a document that a layer in "changed_layers" cannot have.
constexpr std::array<std::string_view, 14> keys_of_documents = {
    "format",        "version", "tokens",       "query_tokens", "dimensions", "inputs", "given",
    "compared_with", "model",   "model_sha256", "text",         "token_ids",  "layer",  "changed_layers"};

std::string path_of_model(const std::string& name, const std::string& folder) {
  if (is_example(name)) return name;
  return (fs::path(folder) / name).lexically_normal().string();
}

// Throws Error if the document was made with other weights than the model has.
void check_sha256(const TrainedModel& model, const JsonValue& value, const PartWatch& watch) {
  constexpr std::size_t digits = 64;
  constexpr std::size_t shown_digits = 12;
  constexpr std::string_view allowed = "the SHA-256 of the model's weights, 64 hexadecimal digits in small letters";
  const std::string named = value.text(allowed);
  if (named.size() != digits || named.find_first_not_of("0123456789abcdef") != std::string::npos) value.refuse(allowed);
  const std::string own = model.checkpoint.sha256(watch);
  if (own == named) return;
  throw Error("model_sha256",
              fmt::format("The weights of {} are not those that the document was made with: their SHA-256 begins with "
                          "{}, but model_sha256 with {}. Let \"model\" name the model that it was made with, or remove "
                          "\"model_sha256\".",
                          shown_path(model.path), own.substr(0, shown_digits), named.substr(0, shown_digits)));
}

bool is_hashed(const TrainedModel& model) {
  return is_example(model.path) || !model.checkpoint.is_hashed || model.checkpoint.is_hashed();
}

std::vector<Index> read_token_ids(const JsonValue& value) {
  std::vector<Index> ids;
  if (!value.is_array()) value.refuse("an array of tokens' numbers");
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    if (items.count() > max_tokens)
      throw Error(value.path(), fmt::format("token_ids has more than {} numbers, the most there may be.", max_tokens));
    ids.push_back(item->whole(0, max_vocabulary - 1));
  }
  return ids;
}

// Throws Error that names the layer.
void check_layer(const AttentionConfig& config, const JsonValue& layer) {
  try {
    check(config);
  } catch (const Error& problem) {
    throw Error(fmt::format("{}.{}", layer.path(), problem.field), fmt::format("{}: {}", layer.path(), problem.what()));
  }
}

// Layers that the user changed, each an object with what differs from the model.
std::shared_ptr<const ChangedLayers> read_changed_layers(const ParsedDocument& parsed, const JsonValue& value,
                                                         const ModelInputs& inputs) {
  ChangedLayers changed;
  if (!value.is_object()) value.refuse("an object of layers by their numbers");
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    const std::optional<Index> layer = number_of<Index>(item->key());
    if (!layer || *layer < 0 || *layer >= inputs.model->shape.layers || *layer == inputs.layer) {
      throw Error(item->path(), fmt::format("{} is no other layer of the model: its layers are those from 0 to {}, and "
                                            "{} is the one that the document shows.",
                                            item->path(), inputs.model->shape.layers - 1, inputs.layer));
    }
    if (!item->is_object()) item->refuse("an object of what differs from the model");
    for (const std::string_view key : keys_of_documents) {
      if (item->find(key)) throw Error(item->path(), fmt::format("{} cannot have {}.", item->path(), key));
    }
    ParsedDocument part;
    part.files.arrays = parsed.files.arrays;
    part.document.config = original_layer_config(inputs, *layer);
    read_fields(part, *item);
    read_files(part);
    put_in_order(part.document.config);
    check_layer(part.document.config, *item);
    if (is_changed(part.document.config)) changed.emplace(*layer, std::move(part.document.config));
  }
  return changed.empty() ? nullptr : std::make_shared<const ChangedLayers>(std::move(changed));
}

}  // namespace

std::shared_ptr<const TrainedModel> model_without_sha256(const Document& document) {
  if (document.model && !is_hashed(*document.model)) return document.model;
  return document.compared ? model_without_sha256(*document.compared) : nullptr;
}

void begin_with_model(ParsedDocument& parsed, const JsonValue& object) {
  Document& document = parsed.document;
  const std::string name = object["model"].text("a path of a trained model, or \"example:stories\"");
  const std::string path = path_of_model(name, parsed.files.folder);
  document.model = parsed.files.models ? parsed.files.models(path) : read_model(path);
  if (const std::optional<JsonValue> hash = object.find("model_sha256"))
    check_sha256(*document.model, *hash, parsed.files.watch);
  ModelInputs inputs;
  inputs.model = document.model->weights;
  const std::optional<JsonValue> text = object.find("text");
  const std::optional<JsonValue> ids = object.find("token_ids");
  if (text && ids) throw Error("text", "There are both text and token_ids, but the model reads one of them.");
  if (text) {
    document.text = text->text();
    if (!document.model->encode)
      throw Error("text", "text needs a tokenizer, which the model has none of: give token_ids instead.");
    inputs.tokens = document.model->encode(document.text);
  } else if (ids) {
    inputs.tokens = read_token_ids(*ids);
  } else {
    throw Error("text", "model needs a text that it reads: add \"text\".");
  }
  const std::optional<JsonValue> layer = object.find("layer");
  document.is_whole_model = !layer;
  if (layer) inputs.layer = layer->whole(0, document.model->weights->shape.layers - 1);
  if (const std::optional<JsonValue> changed = object.find("changed_layers"))
    inputs.changed = read_changed_layers(parsed, *changed, inputs);
  document.config = original_layer_config(inputs, inputs.layer);
  document.tokens = names_of(*document.model, inputs.tokens);
}

void write_model(std::string& json, const Document& document, ModelSha256 sha256) {
  const auto out = std::back_inserter(json);
  const auto& inputs = std::get<ModelInputs>(document.config.inputs);
  fmt::format_to(out, "  \"model\": {},\n", json_string(document.model->path));
  // The program vouches for the models that come with it.
  const bool has_sha256 =
      !is_example(document.model->path) && (sha256 == ModelSha256::awaited || is_hashed(*document.model));
  if (has_sha256) fmt::format_to(out, "  \"model_sha256\": \"{}\",\n", document.model->checkpoint.sha256({}));
  if (document.text.empty()) {
    fmt::format_to(out, "  \"token_ids\": [{}],\n", fmt::join(inputs.tokens, ", "));
  } else {
    fmt::format_to(out, "  \"text\": {},\n", json_string(document.text));
  }
  // The other keys are about this layer.
  if (!document.is_whole_model || inputs.layer != 0) fmt::format_to(out, "  \"layer\": {},\n", inputs.layer);
  if (!inputs.changed || inputs.changed->empty()) return;
  json += "  \"changed_layers\": {";
  for (const auto& [layer, config] : *inputs.changed) {
    fmt::format_to(out, "{}\n    \"{}\": {{\n", layer == inputs.changed->begin()->first ? "" : ",", layer);
    write_settings_of(json, config, original_layer_config(inputs, layer));
    json += "\n    }";
  }
  json += "\n  },\n";
}

}  // namespace attnscope

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "core/config_fields.h"
#include "core/error.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/json_document.h"
#include "document/json_value.h"

namespace attnscope {
namespace {

// Each returns false if the value is of the wrong kind.
bool set_field(AttentionConfig& config, const CountField& field, const JsonValue& value) {
  const std::optional<Index> number = value.whole();
  if (number) config.*field.member = *number;
  return number.has_value();
}

bool set_field(AttentionConfig& config, const FlagField& field, const JsonValue& value) {
  if (value.is_boolean()) config.*field.member = value.flag();
  return value.is_boolean();
}

bool set_field(AttentionConfig& config, const ChoiceField& field, const JsonValue& value) {
  if (!value.is_text()) return false;
  const auto found = std::ranges::find(field.values, value.text(), &ChoiceField::Value::word);
  if (found != field.values.end()) {
    field.set(config, static_cast<int>(found - field.values.begin()));
    return true;
  }
  std::vector<std::string_view> words;
  for (const ChoiceField::Value& each : field.values) words.push_back(each.word);
  if (!suggestion(value.text(), words).empty()) value.refuse_name(words);
  return false;
}

bool set_field(AttentionConfig& config, const NumberField& field, const JsonValue& value) {
  if (field.flag && !value.is_number()) return set_field(config, *field.flag, value);
  const bool is_off = field.can_be_null() && value.is_null();
  if (!is_off && !value.is_number()) return false;
  field.set(config, is_off ? std::nullopt : std::optional(value.number()));
  return true;
}

bool set_field(AttentionConfig& config, const IntegerField& field, const JsonValue& value) {
  const bool is_off = !field.off.empty() && value.is_null();
  const std::optional<std::uint64_t> number = value.natural();
  if (is_off || number) field.set(config, number);
  return is_off || number;
}

// Returns the words of messages for the values that a field may have.
std::string allowed(const CountField& field) { return field.allowed(); }
std::string allowed(const FlagField&) { return "true or false"; }
std::string allowed(const ChoiceField& field) { return field.allowed(); }
std::string allowed(const NumberField& field) {
  return fmt::format("{}{}", field.allowed, field.can_be_null() ? ", or null for none" : "");
}
std::string allowed(const IntegerField& field) {
  return field.allowed() + (field.off.empty() ? "" : ", or null for none");
}

double rope_number(const JsonValue& value) {
  if (!value.is_number()) value.refuse("a number");
  return value.number();
}

// Reads {"type": "llama3", "factor": 8, …}, with the keys of config.json.
void read_rope_scaling(Rope& rope, const JsonValue& value) {
  if (value.is_null()) return;
  if (!value.is_object()) value.refuse("an object, or null for none");
  RopeScaling scaling;
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    const std::string& key = item->key();
    if (key == "type") {
      const auto word =
          std::ranges::find(rope_scaling_words, item->text(), &std::pair<RopeScalingKind, std::string_view>::second);
      if (word == rope_scaling_words.end()) item->refuse("linear or llama3");
      scaling.kind = word->first;
    } else if (key == "factor") {
      scaling.factor = rope_number(*item);
    } else if (key == "low_freq_factor") {
      scaling.low = rope_number(*item);
    } else if (key == "high_freq_factor") {
      scaling.high = rope_number(*item);
    } else if (key == "original_max_position_embeddings") {
      scaling.original_length = item->whole(1, max_rope_offset);
    } else {
      throw Error(item->path(),
                  unknown_key(key, "rope.scaling",
                              std::array<std::string_view, 5>{"type", "factor", "low_freq_factor", "high_freq_factor",
                                                              "original_max_position_embeddings"}));
    }
  }
  rope.scaling = scaling;
}

// An object switches the rotation on, with the usual values of what it leaves out.
bool read_rope(AttentionConfig& config, const JsonValue& value) {
  if (value.is_null()) return true;
  if (!value.is_object()) return false;
  config.rope.emplace();
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    if (item->key() == "scaling") {
      read_rope_scaling(*config.rope, *item);
      continue;
    }
    bool is_known = false;
    visit_fields([&](const auto& field) {
      if (!is_of_rope(field.key) || field.key.substr(rope_prefix.size()) != item->key()) return;
      is_known = true;
      if (!set_field(config, field, *item)) item->refuse(allowed(field));
    });
    if (!is_known)
      throw Error(item->path(),
                  unknown_key(item->key(), "rope",
                              std::array<std::string_view, 5>{"base", "layout", "dims", "offset", "scaling"}));
  }
  return true;
}

bool read_compared(ParsedDocument& parsed, const JsonValue& value) {
  if (!value.is_object() || parsed.is_compared) return false;
  parsed.compared = std::make_shared<ParsedDocument>();
  parsed.compared->is_compared = true;
  parsed.compared->files = parsed.files;
  read_fields(*parsed.compared, value);
  return true;
}

using Parsed = ParsedDocument;
using Value = JsonValue;

constexpr std::string_view model_key = "model";

// In the order in which messages name them.
std::vector<DocumentField> make_document_fields() {
  std::vector<DocumentField> fields = {
      {"format", "\"attnscope\"", [](Parsed&, const Value& v) { return v.is_text() && v.text() == "attnscope"; }},
      {"version", "1, the only version there is", [](Parsed&, const Value& v) { return v.whole() == 1; }},
      {"tokens", "an array of strings", [](Parsed& p, const Value& v) { return read_names(p.tokens, v); }},
      {"dimensions", "an array of strings", [](Parsed& p, const Value& v) { return read_names(p.dimensions, v); }},
      {"query_tokens", "an array of strings", [](Parsed& p, const Value& v) { return read_names(p.query_tokens, v); }},
      {model_key, "the path of a trained model, or \"example:stories\"",
       [](Parsed&, const Value& v) { return v.is_text(); }},
      {"model_sha256", "the SHA-256 of the model's weights", [](Parsed&, const Value& v) { return v.is_text(); }},
      {"text", "a text", [](Parsed&, const Value& v) { return v.is_text(); }},
      {"token_ids", "an array of tokens' numbers", [](Parsed&, const Value& v) { return v.is_array(); }},
      {"layer", "a layer's number, counted from 0", [](Parsed&, const Value& v) { return v.is_number(); }},
      {"changed_layers", "an object of layers by their numbers", [](Parsed&, const Value& v) { return v.is_object(); }},
      {"inputs", R"(an array of rows of numbers, or {"randn": [T, d_in]})", read_inputs},
      {"given", R"(an object, {"queries": …, "keys": …, "values": …}, or the name of an .npz or .safetensors)",
       read_given},
  };
  visit_fields([&](const auto& field) {
    if (is_of_rope(field.key)) return;
    fields.push_back({field.key, allowed(field), [&field](Parsed& parsed, const Value& value) {
                        return set_field(parsed.document.config, field, value);
                      }});
  });
  const auto add = [&](std::string_view key, std::string words, bool (*read)(AttentionConfig&, const Value&)) {
    fields.push_back({key, std::move(words),
                      [read](Parsed& parsed, const Value& value) { return read(parsed.document.config, value); }});
  };
  add("rope", R"(an object, {"base": 10000, "layout": "half", "dims": 64, "offset": 0}, or null for none)", read_rope);
  add("hidden", "an array that has an array of ranges of hidden keys for each query", read_hidden);
  add("dropout_edits", R"(an object of cells, {"drop": [[batch, head, query, key], …], "keep": […]})",
      read_dropout_edits);
  add("heads_off", "an array of heads' numbers, counted from 0", read_heads_off);
  add("weight_order", R"(an array of "query", "key" and "value" in any order)", read_weight_order);
  add("weights", "an object of weights by name", read_weights);
  fields.push_back({"bias", "nested arrays of numbers (\"-inf\" hides a key), or the name of a .npy", read_bias});
  fields.push_back({"compared_with", "a document without compared_with", read_compared});
  return fields;
}

NamedTensors arrays_of(const std::string& file, std::string_view field, const ArrayFiles& files) {
  if (files) return files(file);
  throw Error(std::string(field), fmt::format("{} names the file {}, but only a document in a file may do that: "
                                              "write the numbers themselves.",
                                              field, in_quotes(file)));
}

// Returns the array that has one of several names.
SharedTensor take_array(NamedTensors& arrays, const std::string& file, std::string_view name, std::string_view letter) {
  for (NamedTensor& array : arrays) {
    if (array.name == name || array.name == letter) return std::move(array.tensor);
  }
  throw Error("given",
              fmt::format("given names {}, which has no array named {} or {}.", in_quotes(file), name, letter));
}

void read_heads(ParsedDocument& parsed) {
  HeadTensors& heads = parsed.document.config.heads;
  if (!parsed.given_file.empty()) {
    NamedTensors arrays = arrays_of(parsed.given_file, "given", parsed.files.arrays);
    heads = {take_array(arrays, parsed.given_file, "queries", "q"), take_array(arrays, parsed.given_file, "keys", "k"),
             take_array(arrays, parsed.given_file, "values", "v"), parsed.given_file};
    const bool says_mask =
        parsed.keys.contains("mask") || !parsed.bias_file.empty() || parsed.document.config.bias.rank() > 0;
    for (const NamedTensor& array : arrays) {
      if (says_mask || array.name.find("mask") == std::string::npos) continue;
      throw Error("given",
                  fmt::format("given names {}, which has the array {}, too: say what is hidden by mask or bias.",
                              in_quotes(parsed.given_file), in_quotes(array.name)));
    }
  }
  if (!begins_with_heads(parsed.document.config)) {
    heads = {};
    return;
  }
  const auto is_missing = [](const SharedTensor& tensor) { return tensor.rank() == 0; };
  if (is_missing(heads.queries) || is_missing(heads.keys) || is_missing(heads.values)) return;  // check() says so
  set_heads(parsed.document.config, std::move(heads));
}

// Fills in values that depend on other keys of the document.
Document with_defaults(ParsedDocument parsed) {
  Document& document = parsed.document;
  const auto has = [&](std::string_view key) { return parsed.keys.contains(key); };
  if (!document.model) document.tokens = std::move(parsed.tokens);
  document.query_tokens = std::move(parsed.query_tokens);
  document.config.dimensions = std::move(parsed.dimensions);
  const Document defaults = default_document();
  for (const std::string key : {"model_sha256", "text", "token_ids", "layer", "changed_layers"}) {
    if (!document.model && has(key)) throw Error(key, key + " belongs to a trained model: add \"model\".");
  }
  if (document.model) {
    if (has("inputs")) throw Error("inputs", "inputs cannot be given beside a model, whose layers compute them.");
    if (has("tokens")) throw Error("tokens", "tokens cannot be given beside a model: they follow from its text.");
    if (has("query_tokens"))
      throw Error("query_tokens",
                  "query_tokens cannot be given beside a model: its queries are the tokens of its text.");
    if (has("dimensions"))
      throw Error("dimensions", "dimensions cannot be given beside a model, whose layers compute the inputs.");
    if (has("given"))
      throw Error("given", "given cannot stand beside a model, which computes queries, keys and values.");
  } else if (begins_with_heads(document.config)) {
    if (!has("tokens") && key_count(document.config) <= max_tokens)
      document.tokens = numbered_tokens(key_count(document.config));
    document.config.inputs = RandnInputs{};
  } else if (!has("inputs")) {
    if (has("tokens") && document.tokens.size() != defaults.tokens.size()) {
      throw Error("inputs", fmt::format("inputs is left out and there are {} tokens, but the default inputs "
                                        "have {} rows: give inputs, or exactly {} tokens.",
                                        document.tokens.size(), defaults.tokens.size(), defaults.tokens.size()));
    }
    document.config.inputs = defaults.config.inputs;
    if (!has("tokens")) document.tokens = defaults.tokens;
  } else if (!has("tokens") && token_count(document.config) <= max_tokens) {
    document.tokens = numbered_tokens(token_count(document.config));
  }
  const MechanismInfo& mechanism = info(document.config.mechanism);
  const bool has_defaults = !document.model;  // a model's layer sets them itself
  if (has_defaults && !has("mask"))
    document.config.mask = mechanism.has_mask_by_default ? MaskRoute::causal : MaskRoute::none;
  put_in_order(document.config);
  if (has_defaults && !has("scale")) document.config.scale = mechanism.scales_by_default;
  if (parsed.compared) document.compared = std::make_shared<const Document>(with_defaults(std::move(*parsed.compared)));
  return std::move(document);
}

// Returns the bias of an array. True in an array of booleans means that the query may see the key, as in attn_mask of
// PyTorch's scaled_dot_product_attention. One of (B, T_key) hides the padding of each entry of the batch.
Tensor bias_of(NamedTensor array, const AttentionConfig& config) {
  if (!array.is_boolean) return std::move(array.tensor);
  std::vector<Index>& shape = array.tensor.shape;
  const Index batch = config.batch_size;
  if (shape.size() == 2 && shape[0] == batch && batch > 1 && batch != token_count(config))
    shape = {batch, 1, 1, shape[1]};
  for (float& cell : array.tensor.values) cell = cell != 0 ? 0 : -std::numeric_limits<float>::infinity();
  return std::move(array.tensor);
}

}  // namespace

void read_files(ParsedDocument& parsed) {
  read_heads(parsed);
  if (parsed.bias_file.empty()) return;
  NamedTensors arrays = arrays_of(parsed.bias_file, "bias", parsed.files.arrays);
  if (arrays.size() != 1) {
    throw Error("bias", fmt::format("bias names {}, which holds {} arrays, but it must hold one: save it as .npy.",
                                    in_quotes(parsed.bias_file), arrays.size()));
  }
  parsed.document.config.bias = bias_of(std::move(arrays.front()), parsed.document.config);
}

void put_in_order(AttentionConfig& config) {
  if (config.mask != MaskRoute::custom) config.hidden = {};
  std::ranges::sort(config.heads_off);
  std::ranges::sort(config.dropout_edits);
}

bool read_field(AttentionConfig& config, const ConfigField& field, const JsonValue& value) {
  return std::visit([&](const auto& each) { return set_field(config, each, value); }, field);
}

void read_fields(ParsedDocument& parsed, const JsonValue& object) {
  static const std::vector<DocumentField> fields = make_document_fields();
  for (JsonItems items(object); const JsonValue* item = items.next();) {
    const auto field = std::ranges::find(fields, item->key(), &DocumentField::key);
    if (field == fields.end()) {
      std::vector<std::string_view> known;
      for (const DocumentField& other : fields) known.push_back(other.key);
      throw Error(item->path(), unknown_key(item->key(), "a document", known));
    }
    if (field->key == model_key && !parsed.document.model) {
      // The other keys change the layer that the model gives, so all are read once more.
      begin_with_model(parsed, object);
      return read_fields(parsed, object);
    }
    if (!field->read(parsed, *item)) item->refuse(field->allowed);
    parsed.keys.insert(field->key);
  }
}

std::string unknown_key(std::string_view key, std::string_view owner, std::span<const std::string_view> known) {
  return fmt::format("{} is not a key of {}{}", in_quotes(key), owner, known_names(key, known, "; it may have "));
}

Document parse_document(std::string_view text, const DocumentFiles& files) {
  return parse_document(JsonText(text, "", files.watch), files);
}

Document parse_document(const JsonText& text, const DocumentFiles& files) {
  if (is_viewing_document(text)) {
    throw Error("format",
                "format is \"attnscope-viewing\": a saved view of attention of another program, in which there is "
                "nothing to compute; it opens in the window, and attnscope screenshot and figure draw it.");
  }
  const JsonValue root = text.root();
  if (!root.is_object()) root.refuse("");
  ParsedDocument parsed;
  parsed.files = files;
  read_fields(parsed, root);
  text.finish(root);
  read_files(parsed);
  if (parsed.compared) read_files(*parsed.compared);
  Document document = with_defaults(std::move(parsed));
  check(document);
  return document;
}

}  // namespace attnscope

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <limits>
#include <span>

#include "core/config_fields.h"
#include "core/model/forward.h"
#include "core/visibility.h"
#include "document/json.h"
#include "document/json_document.h"
#include "document/json_value.h"
#include "document/spelling.h"

namespace attnscope {
namespace {

using Output = std::back_insert_iterator<std::string>;

void write_row(std::string& json, std::span<const float> row) {
  json += '[';
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) json += ", ";
    row[i] == -std::numeric_limits<float>::infinity() ? static_cast<void>(json += "\"-inf\"")
                                                      : append_float(json, row[i]);
  }
  json += ']';
}

// Writes a bias on one line, and a matrix with a line for each row.
void write_tensor(std::string& json, const SharedTensor& tensor, std::string_view indent) {
  const Output out(json);
  if (tensor.rank() != 2) return write_row(json, tensor.row(0));
  for (Index row = 0; row < tensor.rows(); ++row) {
    fmt::format_to(out, "{}\n{}  ", row == 0 ? "[" : ",", indent);
    write_row(json, tensor.row(row));
  }
  fmt::format_to(out, "\n{}]", indent);
}

// Writes a tensor of any number of axes, a line for each row of numbers.
void write_nested(std::string& json, const SharedTensor& tensor, std::string_view indent) {
  const std::vector<Index>& shape = tensor.shape();
  const std::size_t outer = shape.size() - 1;
  for (Index row = 0; row < tensor.rows(); ++row) {
    Index block = 1;  // rows of an item of the axis
    std::size_t opened = 0;
    for (std::size_t axis = outer; axis > 0; --axis) {
      block *= shape[axis - 1];
      opened += row % block == 0 ? 1 : 0;
    }
    if (row > 0) json += ',';
    fmt::format_to(Output(json), "\n{}  {}", indent, std::string(opened, '['));
    write_row(json, tensor.row(row));
    block = 1;
    for (std::size_t axis = outer; axis > 0; --axis) {
      block *= shape[axis - 1];
      if ((row + 1) % block == 0) json += ']';
    }
  }
}

void write_inputs(std::string& json, const Inputs& inputs) {
  const Output out(json);
  fmt::format_to(out, "  \"inputs\": ");
  if (const auto* drawn = std::get_if<RandnInputs>(&inputs)) {
    fmt::format_to(out, "{{\"randn\": [{}, {}]}}", drawn->tokens, drawn->features);
  } else {
    write_tensor(json, std::get<SharedTensor>(inputs), "  ");
  }
  fmt::format_to(out, ",\n");
}

void write_heads(std::string& json, const HeadTensors& heads) {
  json += "  \"given\": {";
  if (!heads.origin.empty()) json += fmt::format("\n    \"origin\": {},", json_string(heads.origin));
  json += "\n    \"queries\": ";
  write_nested(json, heads.queries, "    ");
  json += ",\n    \"keys\": ";
  write_nested(json, heads.keys, "    ");
  json += ",\n    \"values\": ";
  write_nested(json, heads.values, "    ");
  json += "},\n";
}

// A line for each query.
void write_hidden(Output out, const HiddenKeys& hidden) {
  fmt::format_to(out, "  \"hidden\": [");
  for (Index query = 0; query < hidden.queries(); ++query) {
    fmt::format_to(out, "{}\n    [", query == 0 ? "" : ",");
    for (const KeyRange& range : hidden.of(query)) {
      fmt::format_to(out, "{}[{}, {}]", &range == hidden.of(query).data() ? "" : ", ", range.first, range.last);
    }
    fmt::format_to(out, "]");
  }
  fmt::format_to(out, "\n  ],\n");
}

void write_cells(Output out, std::string_view key, const std::vector<DropoutEdit>& edits, bool keeps) {
  fmt::format_to(out, "\"{}\": [", key);
  bool is_first = true;
  for (const DropoutEdit& edit : edits) {
    if (edit.keeps != keeps) continue;
    fmt::format_to(out, "{}[{}, {}, {}, {}]", is_first ? "" : ", ", edit.batch, edit.head, edit.query, edit.key);
    is_first = false;
  }
  fmt::format_to(out, "]");
}

// Writes keys that few documents have.
void write_interventions(Output out, const AttentionConfig& config) {
  if (!config.dropout_edits.empty()) {
    fmt::format_to(out, "  \"dropout_edits\": {{");
    write_cells(out, "drop", config.dropout_edits, false);
    fmt::format_to(out, ", ");
    write_cells(out, "keep", config.dropout_edits, true);
    fmt::format_to(out, "}},\n");
  }
  if (!config.heads_off.empty()) fmt::format_to(out, "  \"heads_off\": [{}],\n", fmt::join(config.heads_off, ", "));
}

void write_rope(Output out, const Rope& rope) {
  fmt::format_to(out, "  \"rope\": {{\"base\": {}, \"layout\": \"{}\"", rope.base, word_of(rope_words, rope.layout));
  if (rope.dims) fmt::format_to(out, ", \"dims\": {}", *rope.dims);
  fmt::format_to(out, ", \"offset\": {}", rope.offset);
  if (const std::optional<RopeScaling>& scaling = rope.scaling) {
    fmt::format_to(out, ", \"scaling\": {{\"type\": \"{}\", \"factor\": {}", word_of(rope_scaling_words, scaling->kind),
                   scaling->factor);
    if (scaling->kind == RopeScalingKind::llama3) {
      fmt::format_to(out,
                     ", \"low_freq_factor\": {}, \"high_freq_factor\": {}, \"original_max_position_embeddings\": {}",
                     scaling->low, scaling->high, scaling->original_length);
    }
    fmt::format_to(out, "}}");
  }
  fmt::format_to(out, "}},\n");
}

// Each writes the key and the value, or nothing if the field is left out.
void write_field(Output out, const AttentionConfig& config, const CountField& field) {
  fmt::format_to(out, "  \"{}\": {},\n", field.key, config.*field.member);
}

void write_field(Output out, const AttentionConfig& config, const FlagField& field) {
  fmt::format_to(out, "  \"{}\": {},\n", field.key, config.*field.member);
}

void write_field(Output out, const AttentionConfig& config, const ChoiceField& field) {
  const int value = field.get(config);
  if (field.is_rare && value == 0) return;
  fmt::format_to(out, "  \"{}\": \"{}\",\n", field.key, field.values[static_cast<std::size_t>(value)].word);
}

void write_field(Output out, const AttentionConfig& config, const NumberField& field) {
  const std::optional<double> value = field.get(config);
  const bool is_flag = field.flag && !(value && config.*field.flag->member);
  if (is_flag) {
    write_field(out, config, *field.flag);
  } else if (value) {
    fmt::format_to(out, "  \"{}\": {},\n", field.key, *value);
  }
}

void write_field(Output out, const AttentionConfig& config, const IntegerField& field) {
  const std::optional<std::uint64_t> value = field.get(config);
  if (field.is_rare && !value) return;
  fmt::format_to(out, "  \"{}\": {},\n", field.key, value ? std::to_string(*value) : "null");
}

void write_bias(std::string& json, const AttentionConfig& config) {
  if (!has_bias(config)) return;
  json += "  \"bias\": ";
  write_nested(json, config.bias, "  ");
  json += ",\n";
}

void write_weight_order(Output out, const AttentionConfig& config) {
  const auto order = [&](std::size_t i) { return word_of(projection_words, config.weight_order[i]); };
  fmt::format_to(out, "  \"weight_order\": [\"{}\", \"{}\", \"{}\"],\n", order(0), order(1), order(2));
}

void write_settings(std::string& json, const AttentionConfig& config) {
  const Output out(json);
  visit_fields([&](const auto& field) {
    if (!is_of_rope(field.key)) write_field(out, config, field);
    if (field.key == "mask" && config.mask == MaskRoute::custom) write_hidden(out, config.hidden);
  });
  if (config.rope) write_rope(out, *config.rope);
  write_bias(json, config);
  write_interventions(out, config);
  write_weight_order(out, config);
}

// Writes the fields, without objects and arrays.
void write_plain_field(std::string& json, const AttentionConfig& config, const ConfigField& field) {
  std::visit([&](const auto& each) { write_field(Output(json), config, each); }, field);
}

void write_weights(std::string& json, const std::map<std::string, SharedTensor>& weights) {
  const Output out(json);
  fmt::format_to(out, "  \"weights\": {{");
  bool is_first = true;
  for (const auto& [name, tensor] : weights) {
    fmt::format_to(out, "{}\n    {}: ", is_first ? "" : ",", json_string(name));
    write_tensor(json, tensor, "    ");
    is_first = false;
  }
  fmt::format_to(out, "{}}}", weights.empty() ? "" : "\n  ");
}

// Writes a document with its lines indented like the key before it.
void write_compared(std::string& json, const Document& document, ModelSha256 sha256) {
  json += ",\n  \"compared_with\": ";
  const std::string text = to_json(document, sha256);
  for (const char letter : std::string_view(text).substr(0, text.size() - 1)) {
    json += letter;
    if (letter == '\n') json += "  ";
  }
}

}  // namespace

void write_settings_of(std::string& json, const AttentionConfig& config, const AttentionConfig& original) {
  for (const ConfigField& field : config_fields()) {
    const std::string_view key = std::visit([](const auto& each) { return each.key; }, field);
    std::string own;
    std::string usual;
    write_plain_field(own, config, field);
    write_plain_field(usual, original, field);
    if (!is_of_rope(key) && own != usual) json += own.empty() ? fmt::format("  \"{}\": null,\n", key) : own;
  }
  if (config.mask == MaskRoute::custom) write_hidden(Output(json), config.hidden);
  if (config.rope != original.rope) {
    config.rope ? write_rope(Output(json), *config.rope) : static_cast<void>(json += "  \"rope\": null,\n");
  }
  write_bias(json, config);
  write_interventions(Output(json), config);
  if (config.weight_order != original.weight_order) write_weight_order(Output(json), config);
  write_weights(json, config.weight_overrides);
}

std::string json_string(std::string_view text) { return json_text(text); }

void write_tokens(std::string& json, const std::vector<std::string>& tokens, std::string_view key) {
  json += fmt::format("  \"{}\": [", key);
  for (std::size_t i = 0; i < tokens.size(); ++i) json += (i > 0 ? ", " : "") + json_string(tokens[i]);
  json += ']';
}

std::string to_json(const Document& document, ModelSha256 sha256) {
  std::string json = "{\n  \"format\": \"attnscope\",\n  \"version\": 1,\n";
  if (document.model) {
    write_model(json, document, sha256);
    const auto& inputs = std::get<ModelInputs>(document.config.inputs);
    write_settings_of(json, document.config, original_layer_config(inputs, inputs.layer));
    if (document.compared) write_compared(json, *document.compared, sha256);
    json += "\n}\n";
    return json;
  }
  write_tokens(json, document.tokens);
  json += ",\n";
  if (document.query_tokens.size() > 0) {
    write_tokens(json, document.query_tokens, "query_tokens");
    json += ",\n";
  }
  if (!document.config.dimensions.empty()) {
    write_tokens(json, document.config.dimensions.copy(), "dimensions");
    json += ",\n";
  }
  if (begins_with_heads(document.config)) {
    write_heads(json, document.config.heads);
  } else {
    write_inputs(json, document.config.inputs);
  }
  write_settings(json, document.config);
  write_weights(json, document.config.weight_overrides);
  if (document.compared) write_compared(json, *document.compared, sha256);
  json += "\n}\n";  // no copy: it may be half a gigabyte
  return json;
}

}  // namespace attnscope

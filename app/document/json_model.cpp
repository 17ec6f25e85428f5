// The keys of a document that begins with a trained model.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>

#include "core/error.h"
#include "core/model/forward.h"
#include "core/text.h"
#include "document/document.h"
#include "document/json_document.h"
#include "document/json_value.h"

namespace attnscope {
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
  if (!document.is_whole_model) fmt::format_to(out, "  \"layer\": {},\n", inputs.layer);
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

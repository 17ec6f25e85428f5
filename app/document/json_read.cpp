#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/visibility.h"
#include "document/json_document.h"

namespace attnscope {
namespace {

NamedTensors arrays_of(const std::string& file, std::string_view field, const ArrayFiles& files) {
  if (files) return files(file);
  throw Error(std::string(field), fmt::format("{} names the file {}, but only a document in a file may do that: "
                                              "write the numbers themselves.",
                                              field, in_quotes(file)));
}

// The array of one of several names.
SharedTensor take_array(NamedTensors& arrays, const std::string& file, std::string_view name, std::string_view letter) {
  for (auto& [own, tensor] : arrays) {
    if (own == name || own == letter) return std::move(tensor);
  }
  throw Error("given",
              fmt::format("given names {}, which has no array named {} or {}.", in_quotes(file), name, letter));
}

void read_heads(ParsedDocument& parsed, const ArrayFiles& files) {
  HeadTensors& heads = parsed.document.config.heads;
  if (!parsed.given_file.empty()) {
    NamedTensors arrays = arrays_of(parsed.given_file, "given", files);
    heads = {take_array(arrays, parsed.given_file, "queries", "q"), take_array(arrays, parsed.given_file, "keys", "k"),
             take_array(arrays, parsed.given_file, "values", "v"), parsed.given_file};
  }
  if (!begins_with_heads(parsed.document.config)) {
    heads = {};
    return;
  }
  const auto is_missing = [](const SharedTensor& tensor) { return tensor.rank() == 0; };
  if (is_missing(heads.queries) || is_missing(heads.keys) || is_missing(heads.values)) return;  // check() says so
  set_heads(parsed.document.config, std::move(heads));
}

void read_files(ParsedDocument& parsed, const ArrayFiles& files) {
  read_heads(parsed, files);
  if (parsed.bias_file.empty()) return;
  NamedTensors arrays = arrays_of(parsed.bias_file, "bias", files);
  if (arrays.size() != 1) {
    throw Error("bias", fmt::format("bias names {}, which holds {} arrays, but it must hold one: save it as .npy.",
                                    in_quotes(parsed.bias_file), arrays.size()));
  }
  parsed.document.config.bias = std::move(arrays.front().second);
}

// Values that depend on what else the document says.
Document with_defaults(ParsedDocument parsed) {
  Document& document = parsed.document;
  const auto has = [&](std::string_view key) { return parsed.keys.contains(key); };
  document.tokens = std::move(parsed.tokens);
  document.query_tokens = std::move(parsed.query_tokens);
  const Document defaults = default_document();
  if (begins_with_heads(document.config)) {
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
  if (!has("mask")) document.config.mask = mechanism.has_mask_by_default ? MaskRoute::causal : MaskRoute::none;
  if (document.config.mask != MaskRoute::custom) document.config.hidden = {};
  std::ranges::sort(document.config.heads_off);
  std::ranges::sort(document.config.dropout_edits);
  if (!has("scale")) document.config.scale = mechanism.scales_by_default;
  if (parsed.compared) document.compared = std::make_shared<const Document>(with_defaults(std::move(*parsed.compared)));
  return std::move(document);
}

}  // namespace

Document parse_document(std::string_view text, const ArrayFiles& files) {
  return parse_document(JsonText(text), files);
}

Document parse_document(const JsonText& text, const ArrayFiles& files) {
  if (is_viewing_document(text)) {
    throw Error("format",
                "format is \"attnscope-viewing\": a saved view of attention of another program, in which there is "
                "nothing to compute; it opens in the window, and attnscope screenshot and figure draw it.");
  }
  const JsonValue root = text.root();
  if (!root.is_object()) root.refuse("");
  ParsedDocument parsed;
  read_fields(parsed, root);
  text.finish(root);
  read_files(parsed, files);
  if (parsed.compared) read_files(*parsed.compared, files);
  Document document = with_defaults(std::move(parsed));
  check(document);
  return document;
}

}  // namespace attnscope

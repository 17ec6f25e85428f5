#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/model/forward.h"
#include "core/utf8.h"
#include "document/edit.h"
#include "document/edit_support.h"

namespace attnscope {
namespace {

const ModelInputs& inputs_of(const Document& document) { return std::get<ModelInputs>(document.config.inputs); }

// The layer on its own, as the layers that are not shown are kept.
AttentionConfig alone(AttentionConfig config) {
  std::get<ModelInputs>(config.inputs).changed = nullptr;
  return config;
}

// Masks and dropped weights as long as the text.
void fit_to_text(AttentionConfig& config, const std::vector<Index>& tokens) {
  std::get<ModelInputs>(config.inputs).tokens = tokens;
  keep_fitting_interventions(config);
  fit_mask(config);
}

void set_tokens(Document& document, const std::vector<Index>& tokens, std::string text) {
  Document changed = document;
  if (inputs_of(changed).changed) {
    ChangedLayers others = *inputs_of(changed).changed;
    for (auto& [layer, config] : others) fit_to_text(config, tokens);
    std::get<ModelInputs>(changed.config.inputs).changed = std::make_shared<const ChangedLayers>(std::move(others));
  }
  fit_to_text(changed.config, tokens);
  changed.text = std::move(text);
  changed.tokens = names_of(*changed.model, tokens);
  replace(document, std::move(changed));
}

}  // namespace

void show_layer(Document& document, Index layer) {
  if (!document.model) throw Error("layer", "This document has one layer: open a trained model to look at several.");
  const Index layers = document.model->weights->shape.layers;
  if (layer < 0 || layer >= layers)
    throw Error("layer", fmt::format("There is no layer {}: the model has {}.", layer + 1, layers));
  Document changed = document;
  changed.is_whole_model = false;
  ModelInputs inputs = inputs_of(document);
  if (layer != inputs.layer) {
    ChangedLayers others = inputs.changed ? *inputs.changed : ChangedLayers();
    AttentionConfig own = alone(document.config);
    if (own != alone(original_layer_config(inputs, inputs.layer))) others.emplace(inputs.layer, std::move(own));
    changed.config = layer_config(inputs, layer);
    others.erase(layer);
    inputs.layer = layer;
    inputs.changed = others.empty() ? nullptr : std::make_shared<const ChangedLayers>(std::move(others));
    changed.config.inputs = std::move(inputs);
  }
  replace(document, std::move(changed));
}

void set_head_off(Document& document, Index layer, Index head, bool is_off) {
  Document changed = document;
  const Index shown = inputs_of(document).layer;
  const bool is_whole = document.is_whole_model;
  show_layer(changed, layer);
  set_head_off(changed, head, is_off);
  show_layer(changed, shown);
  changed.is_whole_model = is_whole;
  replace(document, std::move(changed));
}

void set_text(Document& document, std::string_view text) {
  if (find_invalid_utf8(text)) throw Error("text", "The text is not UTF-8: type it again.");
  if (!document.model->encode)
    throw Error("text", "The model has no tokenizer, so its tokens are given by their numbers in the document.");
  set_tokens(document, document.model->encode(text), std::string(text));
}

void append_token(Document& document, Index token) {
  std::vector<Index> tokens = inputs_of(document).tokens;
  tokens.push_back(token);
  // A text that is cut into other tokens than these would open as another document.
  std::string text = document.text.empty() ? std::string() : document.model->text_of(tokens);
  if (!text.empty() && document.model->encode(text) != tokens) text.clear();
  set_tokens(document, tokens, std::move(text));
}

}  // namespace attnscope

#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/config.h"
#include "core/model/transformer.h"

// The names that a trained model gives to heads whose work is known.
namespace attnscope {

// Returns " (previous word)" if the model gives this head a name, else nothing.
inline std::string bracketed_name(const Transformer& model, Index layer, Index head) {
  const std::string_view name = model.name_of(layer, head);
  return name.empty() ? std::string() : " (" + std::string(name) + ")";
}

// The same for a head of the layer that is shown.
inline std::string bracketed_name(const AttentionConfig& config, Index head) {
  const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
  return inputs && inputs->model ? bracketed_name(*inputs->model, inputs->layer, head) : std::string();
}

}  // namespace attnscope

#include "document/document.h"

#include <fmt/format.h>

namespace attnscope {
namespace {

std::string dropout_text(const AttentionConfig& config) {
  if (!info(config.mechanism).has_dropout) return "";
  if (config.dropout == 0) return " · no dropout";
  if (!config.training) return fmt::format(" · dropout {} off in evaluation", config.dropout);
  const std::string seed = config.dropout_seed ? fmt::format(" with seed {}", *config.dropout_seed) : "";
  return fmt::format(" · dropout {}{}", config.dropout, seed);
}

}  // namespace

std::string_view version() { return ATTNSCOPE_VERSION; }

std::string footer_text(const Document& document) {
  const AttentionConfig& config = document.config;
  const std::string heads = info(config.mechanism).has_heads
                                ? fmt::format(" · {} head{}", config.num_heads, config.num_heads == 1 ? "" : "s")
                                : "";
  if (document.model) {
    const auto& inputs = std::get<ModelInputs>(config.inputs);
    const Index layers = inputs.model->shape.layers;
    return fmt::format("{} · {}{}{} · attnscope {}", document.model->name,
                       document.is_whole_model ? fmt::format("{} layers", layers)
                                               : fmt::format("layer {} of {}", inputs.layer + 1, layers),
                       heads, dropout_text(config), version());
  }
  return fmt::format("{}{} · seed {}{} · attnscope {}", info(config.mechanism).title, heads, config.seed,
                     dropout_text(config), version());
}

}  // namespace attnscope

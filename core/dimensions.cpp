#include "core/dimensions.h"

#include "core/config.h"
#include "core/shown_text.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

bool is_weight_of_inputs(Stage stage) {
  return stage == Stage::query_weight || stage == Stage::key_weight || stage == Stage::value_weight;
}

WeightStyle style_of(const AttentionConfig& config) { return info(config.mechanism).weight_style; }

bool has_dimension_columns(const AttentionConfig& config, Stage stage) {
  if (begins_with_heads(config)) return false;
  if (stage == Stage::inputs) return true;
  const bool mixes_inputs = stage == Stage::head_context || stage == Stage::context;
  return style_of(config) == WeightStyle::none ? mixes_inputs
                                               : style_of(config) == WeightStyle::linear && is_weight_of_inputs(stage);
}

bool has_dimension_rows(const AttentionConfig& config, Stage stage) {
  return !begins_with_heads(config) && style_of(config) == WeightStyle::parameter && is_weight_of_inputs(stage);
}

}  // namespace

DimensionNames::DimensionNames(std::vector<std::string> names) {
  if (std::ranges::all_of(names, &std::string::empty)) return;
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
}

std::size_t DimensionNames::bytes_beyond(const DimensionNames& others) const {
  if (names_ == others.names_ || !names_) return 0;
  std::size_t bytes = 0;
  for (const std::string& name : *names_) bytes += sizeof(std::string) + name.size();
  return bytes;
}

bool operator==(const DimensionNames& left, const DimensionNames& right) {
  if (left.names_ == right.names_) return true;
  return left.names_ && right.names_ && *left.names_ == *right.names_;
}

std::string dimension_name(const AttentionConfig& config, Index dimension) {
  const auto at = static_cast<std::size_t>(dimension);
  if (dimension < 0 || at >= config.dimensions.size()) return {};
  constexpr std::size_t most = 40;  // characters
  return shown_text(config.dimensions[at], most);
}

std::string column_dimension(const AttentionConfig& config, Stage stage, Index col) {
  return has_dimension_columns(config, stage) ? dimension_name(config, col) : std::string();
}

std::string row_dimension(const AttentionConfig& config, Stage stage, Index row) {
  return has_dimension_rows(config, stage) ? dimension_name(config, row) : std::string();
}

std::string dimension_list(const AttentionConfig& config) {
  std::string list;
  for (std::size_t i = 0; i < config.dimensions.size(); ++i) {
    const std::string name = dimension_name(config, static_cast<Index>(i));
    list += (i > 0 ? ", " : "") + (name.empty() ? std::to_string(i + 1) : name);
  }
  return list;
}

}  // namespace attnscope

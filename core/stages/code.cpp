#include "core/stages/code.h"

#include "core/stages/rule.h"
#include "core/visibility.h"

#include <fmt/format.h>

namespace attnscope {

namespace {

constexpr std::string_view superscript_of_head = "(h)";

// Returns the name of the axis of a head's features.
std::string feature_axis(const AttentionConfig& config) {
  if (begins_with_heads(config)) return "width";
  if (info(config.mechanism).weight_style == WeightStyle::none) return "d_in";
  return info(config.mechanism).splits_heads ? "head_dim" : "d_out";
}

// Fills the names of up to two stages into a format.
std::string with_names(std::string_view format, const Names& names) {
  const auto name = [&](std::size_t i) { return i < names.size() ? std::string_view(names[i]) : std::string_view(); };
  return fmt::format(fmt::runtime(format), name(0), name(1));
}

}  // namespace

bool has_batch_axis(const AttentionConfig& config) {
  return info(config.mechanism).has_dropout || config.batch_size > 1;
}

bool draws_dropout(const AttentionConfig& config) { return dropout_is_active(config) && config.dropout < 1; }

bool has_heads_off(const AttentionConfig& config) {
  return info(config.mechanism).has_heads && !config.heads_off.empty();
}

std::string_view input_name(const AttentionConfig& config) { return has_batch_axis(config) ? "batch" : "inputs"; }

bool has_empty_rows(const AttentionConfig& config) {
  const Index matrices = has_bias(config) ? config.batch_size * head_count(config) : 1;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (Index query = 0; query < query_count(config); ++query) {
      if (sees_nothing(config, Stage::weights, matrix, query)) return true;
    }
  }
  return false;
}

std::string StageCode::name(Stage stage) const {
  if (stage == Stage::inputs) return std::string(input_name(config));
  return std::string(stage == Stage::mask ? dialect.mask : info(stage).id);
}

std::string StageCode::shape(Stage stage) const {
  const std::string batch = has_batch_axis(config) ? "B, " : "";
  const bool is_shared = has_key_rows(stage) && has_shared_keys(config);
  const std::string heads = has_head_axis ? batch + (is_shared ? "H_kv, " : "H, ") : batch;
  const std::string features = feature_axis(config) + ")";
  switch (info(stage).axes) {
    case StageAxes::query_key:
      return begins_with_heads(config) ? "(T_query, T_key)" : "(T, T)";
    case StageAxes::head_query_key:
      return "(" + heads + (begins_with_heads(config) ? "T_query, T_key)" : "T, T)");
    case StageAxes::head_token_feature:
      return "(" + heads + "T, " + features;
    default:
      break;
  }
  if (stage == Stage::output) return "(B, T, d_out)";
  return "(" + batch + "T, " + (has_head_axis ? "H * " + features : features);
}

std::string StageCode::expression(Stage stage) const {
  Names from;
  for (const Stage before : predecessors(config, stage)) from.push_back(name(before));
  const auto& code = rule_of(config, stage).code;
  return code.is_made() ? code(*this, stage, from) : with_names(code.constant(), from);
}

std::string StageCode::transposed(const std::string& tensor) const {
  const std::string_view transpose = dialect.transpose;
  if (has_head_axis) return fmt::format("{}{}(2, 3)", tensor, transpose);
  return has_batch_axis(config) ? fmt::format("{}{}(1, 2)", tensor, transpose) : tensor + ".T";
}

std::string_view StageCode::shared_heads() const { return has_shared_keys(config) ? "[:, shared]" : ""; }

std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript) {
  const bool has_heads = is_per_head(config, stage) && head_count(config) > 1;
  const bool is_bare = superscript.empty() || (superscript == superscript_of_head && !has_heads);
  return is_bare ? std::string(info(stage).latex) : fmt::format("{}^{{{}}}", info(stage).latex, superscript);
}

std::string latex_formula(const AttentionConfig& config, Stage stage) {
  Names from;
  for (const Stage before : predecessors(config, stage))
    from.push_back(latex_symbol(config, before, superscript_of_head));
  const auto& latex = rule_of(config, stage).latex;
  const std::string left = latex_symbol(config, stage, superscript_of_head);
  if (latex.is_empty()) return left;
  return left + " = " + (latex.is_made() ? latex(config, stage, from) : with_names(latex.constant(), from));
}

}  // namespace attnscope

#include "interchange/latex_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/evaluate.h"
#include "core/utf8.h"
#include "document/latex_character.h"

namespace attnscope {
namespace {

constexpr std::string_view head = "(h)";

// Nothing where the name has a character that pdflatex would stop at.
std::optional<std::string> latex_text(std::string_view name) {
  constexpr std::size_t longest = 24;
  std::string text;
  std::size_t length = 0;
  for (std::size_t i = 0; i < name.size(); ++length) {
    const std::size_t bytes = std::max<std::size_t>(utf8_character(name, i).length, 1);
    const std::optional<std::string> character = latex_character(name.substr(i, bytes));
    if (!character) return std::nullopt;
    if (length < longest) text += *character;
    i += bytes;
  }
  return length > longest ? text + "\\dots" : text;
}

std::string plain_symbol(Stage stage) { return std::string(info(stage).latex); }

std::string of_head(const AttentionConfig& config, Stage stage) { return latex_symbol(config, stage, head); }

// X W_Q^T, with what the mechanism adds to it.
std::string projection(const AttentionConfig& config, Stage stage) {
  const StageList from = predecessors(config, stage);
  const bool has_own_weights = is_per_head(config, from[1]);
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  std::string weight = of_head(config, from[1]);
  if (is_linear) weight = has_own_weights ? fmt::format("({})^{{\\top}}", weight) : weight + "^{\\top}";
  std::string product = of_head(config, from[0]) + " " + weight;
  if (from.size() > 2) product += " + " + of_head(config, from[2]);
  const bool is_split = info(config.mechanism).splits_heads && is_per_head(config, stage);
  return is_split ? fmt::format("\\bigl[ {} \\bigr]_h", product) : product;
}

std::string context_formula(const AttentionConfig& config) {
  const Index heads = head_count(config);
  if (heads == 1) return plain_symbol(Stage::head_context);
  constexpr Index listed = 4;
  std::string joined;
  for (Index h = 0; h < heads && heads <= listed; ++h)
    joined += fmt::format("{}C^{{({})}}", h > 0 ? " \\;\\; " : "", h + 1);
  if (heads > listed) joined = fmt::format("C^{{(1)}} \\;\\; C^{{(2)}} \\;\\; \\dots \\;\\; C^{{({})}}", heads);
  return "\\bigl[ " + joined + " \\bigr]";
}

std::string product_with_keys(const std::string& queries, const std::string& keys) {
  const bool has_superscript = keys.find('^') != std::string::npos;
  return queries + " " + (has_superscript ? "(" + keys + ")" : keys) + "^{\\top}";
}

std::string step_formula(const AttentionConfig& config, Stage stage, const std::string& before) {
  const ScoreStep& step = *info(stage).step(config);
  if (!step.acts(config)) return before;
  return fmt::format(fmt::runtime(step.latex), before, step.amount(config), head_features(config));
}

std::string factor_formula(const AttentionConfig& config) {
  if (!dropout_is_active(config)) return "1 \\text{, because nothing is dropped}";
  return fmt::format(
      "\\begin{{cases}} 0 & \\text{{where dropped}} \\\\ 1 / (1 - {}) & \\text{{where kept}} \\end{{cases}}{}",
      config.dropout, acting_dropout_edits(config).empty() ? "" : " \\text{ (some by hand)}");
}

// Names the heads whose contexts are zero, counted from 1 as the superscripts are.
std::string off_heads(const AttentionConfig& config) {
  if (!info(config.mechanism).has_heads || config.heads_off.empty()) return "";
  std::vector<Index> numbers;
  for (const Index head : config.heads_off) numbers.push_back(head + 1);
  return fmt::format(" \\text{{; }} 0 \\text{{ where $h$ is switched off: {}}}", fmt::join(numbers, ", "));
}

std::string right_side(const AttentionConfig& config, Stage stage) {
  std::vector<std::string> from;
  for (const Stage before : predecessors(config, stage)) from.push_back(of_head(config, before));
  switch (rule_of(config, stage)) {
    case CellRule::start:
      return "";
    case CellRule::projection:
      return projection(config, stage);
    case CellRule::query_times_key:
      return product_with_keys(from[0], from[1]);
    case CellRule::hide_or_not:
      if (config.mask == MaskRoute::custom)
        return "\\begin{cases} 1 & \\text{where the key is hidden from the query} \\\\ 0 & \\text{else} \\end{cases}";
      return "\\begin{cases} 1 & \\text{where the key comes after the query} \\\\ 0 & \\text{else} \\end{cases}";
    case CellRule::hide:
      return "\\begin{cases} -\\infty & \\text{where } " + from[1] + " = 1 \\\\ " + from[0] +
             " & \\text{else} \\end{cases}";
    case CellRule::step:
      return step_formula(config, stage, from[0]);
    case CellRule::add_bias:
      return from[0] + " + b";
    case CellRule::normalize:
      return normalizes_by_sum(config) ? from[0] + " / \\text{(sum of its row)}"
                                       : "\\operatorname{softmax}\\bigl( " + from[0] + " \\bigr) \\text{, row by row}";
    case CellRule::keep_seen:
      return from[0] + " \\odot (1 - " + from[1] + ")";
    case CellRule::share_of_row:
      return from[0] + " / \\text{(sum of its row)}";
    case CellRule::keep_or_drop:
      return factor_formula(config);
    case CellRule::product:
      return from[0] + " \\odot " + from[1];
    case CellRule::weighted_sum:
      return from[0] + " " + from[1] + off_heads(config);
    case CellRule::side_by_side:
      break;
  }
  return context_formula(config);
}

}  // namespace

std::string latex_label(std::string_view name, std::size_t index) {
  if (const std::optional<std::string> text = latex_text(name)) return fmt::format("\\text{{{}}}", *text);
  return fmt::format("x_{{{}}}", index + 1);
}

std::string latex_number(float value, bool leaves_room_for_sign) {
  if (std::isnan(value)) return "\\text{NaN}";
  if (std::isinf(value)) return value < 0 ? "-\\infty" : "\\infty";
  constexpr float widest = 1e6F;
  std::string text = fmt::format("{:.4f}", std::abs(value));
  if (std::abs(value) >= widest) {
    const std::string scientific = fmt::format("{:.4e}", std::abs(value));
    const std::size_t e = scientific.find('e');
    text = fmt::format("{} \\cdot 10^{{{}}}", scientific.substr(0, e), std::stoi(scientific.substr(e + 1)));
  }
  const bool is_negative = value < 0 && text != "0.0000";
  if (is_negative) return "-" + text;
  return leaves_room_for_sign ? "\\phantom{-}" + text : text;
}

std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript) {
  const bool has_heads = is_per_head(config, stage) && head_count(config) > 1;
  const bool is_bare = superscript.empty() || (superscript == head && !has_heads);
  return is_bare ? plain_symbol(stage) : fmt::format("{}^{{{}}}", plain_symbol(stage), superscript);
}

std::string latex_formula(const AttentionConfig& config, Stage stage) {
  const std::string right = right_side(config, stage);
  return right.empty() ? of_head(config, stage) : of_head(config, stage) + " = " + right;
}

}  // namespace attnscope

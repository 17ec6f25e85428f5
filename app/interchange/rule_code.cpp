#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "core/evaluate.h"
#include "interchange/code_text.h"

// Writes each rule in code and in LaTeX: one table, after the functions that its rows name.
namespace attnscope {
namespace {

// The names or symbols of the stages that a stage follows from.
using Names = std::vector<std::string>;

// Code.

// Returns the name of the axis of a head's features.
std::string feature_axis(const AttentionConfig& config) {
  if (begins_with_heads(config)) return "width";
  if (info(config.mechanism).weight_style == WeightStyle::none) return "d_in";
  return info(config.mechanism).splits_heads ? "head_dim" : "d_out";
}

std::string transposed(const StageCode& code, const std::string& tensor) {
  const std::string_view transpose = code.dialect.transpose;
  if (code.has_head_axis) return fmt::format("{}{}(2, 3)", tensor, transpose);
  return has_batch_axis(code.config) ? fmt::format("{}{}(1, 2)", tensor, transpose) : tensor + ".T";
}

// Returns what stands behind keys and values that several heads share.
std::string shared_heads(const StageCode& code) { return has_shared_keys(code.config) ? "[:, shared]" : ""; }

std::string share_code(const StageCode& code, Stage, const Names& from) {
  return fmt::format("{0} / {0}{1}", from[0], code.dialect.row_sum);
}

std::string weight_code(const StageCode& code, Stage stage, const Names& from) {
  if (normalizes_by_sum(code.config)) return share_code(code, stage, from);
  return fmt::format(fmt::runtime(code.dialect.softmax), from[0]) +
         (has_empty_rows(code.config) ? fmt::format(fmt::runtime(code.dialect.zero_rows), from[0]) : "");
}

std::string step_code(const StageCode& code, Stage stage, const Names& from) {
  const ScoreStep& step = *info(stage).step(code.config);
  if (!step.acts(code.config)) return from[0];
  const std::string head_dim = code.name(keys_stage(code.config)) + ".shape[-1]";
  return fmt::format(fmt::runtime(step.*code.dialect.step), from[0], step.amount(code.config), head_dim);
}

std::string factor_code(const StageCode& code, Stage, const Names&) {
  if (draws_dropout(code.config)) return "";
  return fmt::format(fmt::runtime(code.dialect.ones_like), code.name(normalized_weights_stage(code.config)));
}

std::string context_code(const StageCode& code, Stage, const Names& from) {
  const bool switches_off = code.has_head_axis && has_heads_off(code.config);
  return fmt::format(fmt::runtime(switches_off ? "switch_off({} @ {}{})" : "{} @ {}{}"), from[0], from[1],
                     shared_heads(code));
}

std::string joined_code(const StageCode& code, Stage, const Names& from) {
  if (!code.has_head_axis) return from[0];
  return fmt::format("{}{}(1, 2).reshape(B, T, -1)", from[0], code.dialect.transpose);
}

// LaTeX.

constexpr std::string_view head = "(h)";

std::string plain_symbol(Stage stage) { return std::string(info(stage).latex); }

// X W_Q^T, with what the mechanism adds to it.
std::string projection_latex(const AttentionConfig& config, Stage stage, const Names& symbols) {
  const StageList from = predecessors(config, stage);
  const bool has_own_weights = is_per_head(config, from[1]);
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  std::string weight = symbols[1];
  if (is_linear) weight = has_own_weights ? fmt::format("({})^{{\\top}}", weight) : weight + "^{\\top}";
  std::string product = symbols[0] + " " + weight;
  if (from.size() > 2) product += " + " + symbols[2];
  const bool is_split = info(config.mechanism).splits_heads && is_per_head(config, stage);
  return is_split ? fmt::format("\\bigl[ {} \\bigr]_h", product) : product;
}

std::string joined_latex(const AttentionConfig& config, Stage, const Names&) {
  const Index heads = head_count(config);
  if (heads == 1) return plain_symbol(Stage::head_context);
  constexpr Index listed = 4;
  std::string joined;
  for (Index h = 0; h < heads && heads <= listed; ++h)
    joined += fmt::format("{}C^{{({})}}", h > 0 ? " \\;\\; " : "", h + 1);
  if (heads > listed) joined = fmt::format("C^{{(1)}} \\;\\; C^{{(2)}} \\;\\; \\dots \\;\\; C^{{({})}}", heads);
  return "\\bigl[ " + joined + " \\bigr]";
}

std::string rotated_latex(const AttentionConfig& config, Stage, const Names& from) {
  return fmt::format(
      "\\operatorname{{rotate}}({}) \\text{{: pair $i$ at position $p$ turned by }} p \\cdot {}^{{-2i/{}}}", from[0],
      config.rope->base, rope_dims(config));
}

std::string score_latex(const AttentionConfig&, Stage, const Names& from) {
  const bool has_superscript = from[1].find('^') != std::string::npos;
  return fmt::format(fmt::runtime(has_superscript ? "{} ({})^{{\\top}}" : "{} {}^{{\\top}}"), from[0], from[1]);
}

std::string mask_latex(const AttentionConfig& config, Stage, const Names&) {
  const bool is_custom = config.mask == MaskRoute::custom;
  return fmt::format("\\begin{{cases}} 1 & \\text{{where the key {}}} \\\\ 0 & \\text{{else}} \\end{{cases}}",
                     is_custom ? "is hidden from the query" : "comes after the query");
}

std::string step_latex(const AttentionConfig& config, Stage stage, const Names& from) {
  const ScoreStep& step = *info(stage).step(config);
  if (!step.acts(config)) return from[0];
  return fmt::format(fmt::runtime(step.latex), from[0], step.amount(config), head_features(config));
}

constexpr std::string_view share_of_row = "{} / \\text{{(sum of its row)}}";

std::string weight_latex(const AttentionConfig& config, Stage, const Names& from) {
  constexpr std::string_view softmax = "\\operatorname{{softmax}}\\bigl( {} \\bigr) \\text{{, row by row}}";
  return fmt::format(fmt::runtime(normalizes_by_sum(config) ? share_of_row : softmax), from[0]);
}

std::string factor_latex(const AttentionConfig& config, Stage, const Names&) {
  if (!dropout_is_active(config)) return "1 \\text{, because nothing is dropped}";
  return fmt::format(
      "\\begin{{cases}} 0 & \\text{{where dropped}} \\\\ 1 / (1 - {}) & \\text{{where kept}} \\end{{cases}}{}",
      config.dropout, acting_dropout_edits(config).empty() ? "" : " \\text{ (some by hand)}");
}

// Names the heads whose contexts are zero, counted from 1 as the superscripts are.
std::string context_latex(const AttentionConfig& config, Stage, const Names& from) {
  const std::string product = from[0] + " " + from[1];
  if (!has_heads_off(config)) return product;
  std::vector<Index> numbers;
  for (const Index head : config.heads_off) numbers.push_back(head + 1);
  return fmt::format("{} \\text{{; }} 0 \\text{{ where $h$ is switched off: {}}}", product, fmt::join(numbers, ", "));
}

using WriteCode = std::string (*)(const StageCode& code, Stage stage, const Names& from);
using WriteLatex = std::string (*)(const AttentionConfig& config, Stage stage, const Names& from);

struct RuleCode {
  CellRule rule;
  WriteCode code;
  WriteLatex latex;
};

std::string nothing(const StageCode&, Stage, const Names&) { return ""; }

constexpr std::array<RuleCode, cell_rule_count> code_table = {{
    {CellRule::start, nothing, [](const AttentionConfig&, Stage, const Names&) { return std::string(); }},
    {CellRule::projection, [](const StageCode& code, Stage, const Names&) { return std::string(code.dialect.output); },
     projection_latex},
    {CellRule::rms_norm,
     [](const StageCode& code, Stage, const Names& from) {
       return fmt::format(fmt::runtime(code.dialect.norm), from[0], from[1]);
     },
     [](const AttentionConfig&, Stage, const Names& from) {
       return fmt::format("\\frac{{{0}}}{{\\operatorname{{rms}}({0})}} \\odot {1} \\text{{, row by row}}", from[0],
                          from[1]);
     }},
    {CellRule::rotate, [](const StageCode&, Stage, const Names& from) { return fmt::format("rotate({})", from[0]); },
     rotated_latex},
    {CellRule::query_times_key,
     [](const StageCode& code, Stage, const Names& from) {
       return from[0] + " @ " + transposed(code, from[1] + shared_heads(code));
     },
     score_latex},
    {CellRule::hide_or_not,
     [](const StageCode& code, Stage, const Names&) { return std::string(code.dialect.mask_is_made); }, mask_latex},
    {CellRule::hide,
     [](const StageCode& code, Stage, const Names& from) {
       return fmt::format(fmt::runtime(code.dialect.masked), from[0], from[1]);
     },
     [](const AttentionConfig&, Stage, const Names& from) {
       return fmt::format(
           "\\begin{{cases}} -\\infty & \\text{{where }} {1} = 1 \\\\ {0} & \\text{{else}} \\end{{cases}}", from[0],
           from[1]);
     }},
    {CellRule::step, step_code, step_latex},
    {CellRule::add_bias,
     [](const StageCode& code, Stage, const Names& from) { return fmt::format("{} + {}", from[0], code.dialect.bias); },
     [](const AttentionConfig&, Stage, const Names& from) { return from[0] + " + b"; }},
    {CellRule::normalize, weight_code, weight_latex},
    {CellRule::keep_seen, [](const StageCode&, Stage, const Names& from) { return from[0] + " * ~" + from[1]; },
     [](const AttentionConfig&, Stage, const Names& from) { return from[0] + " \\odot (1 - " + from[1] + ")"; }},
    {CellRule::share_of_row, share_code,
     [](const AttentionConfig&, Stage, const Names& from) { return fmt::format(fmt::runtime(share_of_row), from[0]); }},
    {CellRule::keep_or_drop, factor_code, factor_latex},
    {CellRule::product, [](const StageCode&, Stage, const Names& from) { return from[0] + " * " + from[1]; },
     [](const AttentionConfig&, Stage, const Names& from) { return from[0] + " \\odot " + from[1]; }},
    {CellRule::weighted_sum, context_code, context_latex},
    {CellRule::side_by_side, joined_code, joined_latex},
}};

constexpr bool rules_are_in_order() {
  for (std::size_t i = 0; i < code_table.size(); ++i)
    if (static_cast<std::size_t>(code_table[i].rule) != i) return false;
  return true;
}
static_assert(rules_are_in_order(), "a row for each rule, in their order");

const RuleCode& row_of(const AttentionConfig& config, Stage stage) {
  return code_table[static_cast<std::size_t>(rule_of(config, stage))];
}

}  // namespace

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
  return row_of(config, stage).code(*this, stage, from);
}

std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript) {
  const bool has_heads = is_per_head(config, stage) && head_count(config) > 1;
  const bool is_bare = superscript.empty() || (superscript == head && !has_heads);
  return is_bare ? plain_symbol(stage) : fmt::format("{}^{{{}}}", plain_symbol(stage), superscript);
}

std::string latex_formula(const AttentionConfig& config, Stage stage) {
  Names from;
  for (const Stage before : predecessors(config, stage)) from.push_back(latex_symbol(config, before, head));
  const std::string right = row_of(config, stage).latex(config, stage, from);
  const std::string left = latex_symbol(config, stage, head);
  return right.empty() ? left : left + " = " + right;
}

}  // namespace attnscope

// Values mixed by their weights: the context of each head, and of all heads.

#include "core/attention.h"
#include "core/evaluate.h"
#include "core/stages/support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace attnscope {

namespace {

using namespace stage_rules;
using Config = AttentionConfig;

// Weights times values: a row of the first times a column of the second.

void make_context(Tensor& out, const Run& run, Stage, const StageList& from) {
  weighted_values(out, run[from[0]], run[from[1]], run.execution);
  if (info(run.config.mechanism).has_heads) switch_off_heads(out, run.config.heads_off);
}

std::vector<SourceLine> context_operands(const Config& config, const Source& cell, const StageList& from) {
  if (is_off(config, cell.head)) return {};
  return {row_line(config, cell, from[0], cell.row), column_line(cell, from[1], cell.col, key_count(config))};
}

constexpr Operation mixed = {
    .sentence =
        "Dimension {dimension} of every value, multiplied by the weight that {query} gives its token, added up.",
    .arithmetic = write_sum_of_products,
    .is_sum_of_products = true};
constexpr Operation switched_off = {.sentence =
                                        [](const CellWords& of) {
                                          return fmt::format("Head {} is switched off, so its context is zero.",
                                                             of.source.head + 1);
                                        },
                                    .arithmetic = write_start};

std::string context_code(const StageCode& code, Stage, const Names& from) {
  const bool switches_off = code.has_head_axis && has_heads_off(code.config);
  return fmt::format(fmt::runtime(switches_off ? "switch_off({} @ {}{})" : "{} @ {}{}"), from[0], from[1],
                     code.shared_heads());
}

// Names the heads whose contexts are zero, counted from 1 as the superscripts are.
std::string context_latex(const Config& config, Stage, const Names& from) {
  const std::string product = from[0] + " " + from[1];
  if (!has_heads_off(config)) return product;
  std::vector<Index> numbers;
  for (const Index head : config.heads_off) numbers.push_back(head + 1);
  return fmt::format("{} \\text{{; }} 0 \\text{{ where $h$ is switched off: {}}}", product, fmt::join(numbers, ", "));
}

constexpr CellRule mixing = {
    .make = make_context,
    .operations = [](const Config& config, Stage) { return value_operations(config, Pairs::all); },
    .is_turned = [](const Config&) { return false; },
    .operation = [](const Result& result, const Source& cell, bool) -> const Operation& {
      return is_off(result.config, cell.head) ? switched_off : mixed;
    },
    .operands = context_operands,
    .dependents = rows_or_columns,
    .mixes_seen = true,
    .code = context_code,
    .latex = context_latex,
    .sign = "×"};

// The heads of a token in one row.

std::vector<SourceLine> operand_of_head(const Config& config, const Source& cell, const StageList& from) {
  const Index width = value_features(config);
  SourceLine line = cell_line(cell, from[0], cell.row, cell.col % width);
  line.first.head = cell.col / width;
  return {line};
}

CellRect joined_from(const Config& config, const Reached&, std::size_t, const Reached& of) {
  return {of.rect.row, of.head * value_features(config) + of.rect.col, of.rect.rows, of.rect.cols};
}

std::string sentence_of_joined(const CellWords& of) {
  const Index width = value_features(of.config());
  const Index head = of.source.col / width;
  return fmt::format("Dimension {} of head {}, at position {} of {}{}.", of.source.col % width + 1, head + 1,
                     of.dimension(), context_features(of.config()),
                     is_off(of.config(), head) ? ": 0, because this head is switched off" : "");
}

constexpr Operation joined = {.sentence = sentence_of_joined, .arithmetic = write_copied, .is_copy = true};

std::string joined_latex(const Config& config, Stage, const Names&) {
  const Index heads = head_count(config);
  if (heads == 1) return std::string(info(Stage::head_context).latex);
  constexpr Index listed = 4;
  std::string text;
  for (Index h = 0; h < heads && heads <= listed; ++h)
    text += fmt::format("{}C^{{({})}}", h > 0 ? " \\;\\; " : "", h + 1);
  if (heads > listed) text = fmt::format("C^{{(1)}} \\;\\; C^{{(2)}} \\;\\; \\dots \\;\\; C^{{({})}}", heads);
  return "\\bigl[ " + text + " \\bigr]";
}

constexpr CellRule side_by_side = {
    .make = [](Tensor& out, const Run& run, Stage,
               const StageList& from) { concatenate_heads(out, run[from[0]], run.execution); },
    .operation = does<joined>,
    .operands = operand_of_head,
    .dependents = joined_from,
    .joins_heads = true,
    .code =
        [](const StageCode& code, Stage, const Names& from) {
          if (!code.has_head_axis) return from[0];
          return fmt::format("{}{}(1, 2).reshape(B, T, -1)", from[0], code.dialect.transpose);
        },
    .latex = joined_latex,
    .sign = [](const Config& config) -> std::string { return head_count(config) == 1 ? "=" : "concat"; },
    .note = [](const Config& config) -> std::string { return head_count(config) == 1 ? "one head" : "heads"; }};

// Rows.

std::string about_mixing(const Config& config) {
  return has_queries(config) ? "each query's mix of the values, by its weights"
                             : "each token's mix of all embeddings, by its weights";
}

constexpr std::array rows_of_mix = {
    StageInfo{.stage = Stage::head_context,
              .id = "head_context",
              .title = "head context",
              .symbol = "Zₕ",
              .latex = "C",
              .formula = "Zₕ = weights · V",
              .pytorch = "head_context = attn_weights @ values",
              .axes = StageAxes::head_token_feature,
              .place = {Band::mix, 3},
              .rule = always<mixing>,
              .follows_from = [](const Config& config, Stage) -> StageList {
                return {score_route(config).back(), has_queries(config) ? Stage::values : Stage::inputs};
              },
              .reads = &part_of<&Config::heads_off>,
              .about = about_mixing,
              .wording = [](const Config& config, Stage stage) -> StageWording {
                if (config.mechanism == Mechanism::simple_self_attention)
                  return {"Z = A · X", "context_vecs = attn_weights @ inputs"};
                return wording_of_row(stage);
              }},
    StageInfo{.stage = Stage::context,
              .id = "context",
              .symbol = "Z",
              .formula = "Z = the heads' contexts side by side",
              .pytorch = "context_vec = head_context.transpose(1, 2).reshape(B, T, H * head_dim)",
              .axes = StageAxes::token_feature,
              .place = {Band::mix, 4},
              .rule = always<side_by_side>,
              .follows_from = [](const Config&, Stage) -> StageList { return {Stage::head_context}; },
              .about = [](const Config& config) -> std::string {
                return head_count(config) > 1 ? "the contexts of all heads, side by side" : about_mixing(config);
              }},
};

}  // namespace

constinit const std::span<const StageInfo> stage_rules::mix_rows = rows_of_mix;

}  // namespace attnscope

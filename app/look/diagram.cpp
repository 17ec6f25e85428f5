#include "look/diagram.h"

#include <fmt/format.h>

#include "look/number_text.h"

namespace attnscope {
namespace {

bool multiplies_transposed(const AttentionConfig& config, Stage operand, Stage result) {
  if (info(operand).axes == StageAxes::weight) {
    return info(config.mechanism).weight_style != WeightStyle::parameter;
  }
  return info(result).rule == CellRule::query_times_key;
}

DiagramMatrix operand_matrix(const AttentionConfig& config, Stage operand, Stage result, DiagramRole role) {
  const bool is_present = acts_in(config, result) && has_stage(config, operand);
  const bool is_turned = role == DiagramRole::above && multiplies_transposed(config, operand, result);
  // The wrapper's heads have weights of their own: side by side they are as wide as what they make.
  const bool is_parameter_of_heads = is_parameter(info(operand).axes) && is_per_head(config, operand);
  return {.stage = operand,
          .result = result,
          .role = role,
          .is_transposed = is_turned,
          .shows_all_heads = is_present && is_parameter_of_heads,
          .is_present = is_present};
}

// What follows from a matrix of the same rows, without a product with another one's columns.
bool goes_cell_by_cell(CellRule rule) {
  switch (rule) {
    case CellRule::start:
    case CellRule::projection:
    case CellRule::query_times_key:
    case CellRule::weighted_sum:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::vector<DiagramMatrix> diagram_matrices(const AttentionConfig& config) {
  std::vector<DiagramMatrix> matrices;
  for (const StageInfo& row : stages()) {
    if (row.place.column < 0) continue;
    if (row.rule == CellRule::query_times_key) {
      const Stage left = predecessors(config, row.stage)[0];
      matrices.push_back({.stage = left, .result = row.stage, .role = DiagramRole::left});
    }
    if (!has_stage(config, row.stage) && row.absence(config).empty()) continue;
    const StageList from = predecessors(config, row.stage);
    if (from.size() > 1) matrices.push_back(operand_matrix(config, from[1], row.stage, DiagramRole::above));
    if (from.size() > 2) matrices.push_back(operand_matrix(config, from[2], row.stage, DiagramRole::bias));
    const bool is_present = acts_in(config, row.stage);
    matrices.push_back(
        {.stage = row.stage,
         .result = row.stage,
         .shows_all_heads = is_present && row.place.band == Band::project && is_per_head(config, row.stage),
         .is_present = is_present,
         .absence = is_present ? std::string() : std::string(row.absence(config))});
  }
  return matrices;
}

DiagramOperator diagram_operator(const AttentionConfig& config, Stage result) {
  switch (rule_of(config, result)) {
    case CellRule::start:
    case CellRule::hide_or_not:
    case CellRule::keep_or_drop:
      return {};
    case CellRule::projection:
    case CellRule::query_times_key:
    case CellRule::weighted_sum:
      return {"×"};
    case CellRule::hide:
      return {"hide", "M = 1 → −∞"};
    case CellRule::step: {
      const auto amount = static_cast<double>(info(result).step(config)->amount(config));
      if (!info(result).step(config)->factor) return {fmt::format("c = {}", format_fixed(amount, 2)), "c · tanh(S/c)"};
      if (config.scale_factor) return {fmt::format("× {}", format_fixed(amount, 3))};
      return {fmt::format("÷ √{}", head_features(config)), fmt::format("= {}", format_fixed(amount, 3))};
    }
    case CellRule::add_bias:
      return {"+ b", "cell by cell"};
    case CellRule::normalize:
      if (normalizes_by_sum(config)) return {"÷ Σ", "of the row"};
      return {"softmax", "along the row"};
    case CellRule::keep_seen:
      return {"× (1 − M)"};
    case CellRule::share_of_row:
      return {"÷ Σ", "of the row"};
    case CellRule::product:
      return {"×", "cell by cell"};
    case CellRule::side_by_side:
      if (head_count(config) == 1) return {"=", "one head"};
      return {"concat", "heads"};
  }
  return {};
}

bool has_place(Stage stage) { return info(stage).place.column >= 0; }

StageSet absent_stages(const AttentionConfig& config) {
  StageSet absent;
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && !acts_in(config, row.stage)) absent.add(row.stage);
  }
  return absent;
}

StageSet places_after(const AttentionConfig& config, Stage last) {
  StageSet after;
  bool is_after = false;
  for (const DiagramMatrix& matrix : diagram_matrices(config)) {
    if (is_after) after.add(matrix.result);
    if (matrix.role == DiagramRole::result && matrix.stage == last) is_after = true;
  }
  return after;
}

std::optional<DiagramSource> diagram_source(const AttentionConfig& config, Stage result, const StageSet& left_out) {
  if (rule_of(config, result) == CellRule::start) return {};
  DiagramSource source{predecessors(config, result)[0]};
  while (!acts_in(config, source.stage) || left_out.contains(source.stage)) {
    const bool acts = acts_in(config, source.stage);
    if (acts && !goes_cell_by_cell(info(source.stage).rule)) return {};
    if (rule_of(config, source.stage) == CellRule::start) return {};
    source.skips = source.skips || acts;
    source.stage = predecessors(config, source.stage)[0];
  }
  return source;
}

}  // namespace attnscope

#include "core/explain.h"

#include "core/cell_rules.h"
#include "core/external_attention.h"
#include "core/visibility.h"

#include <cmath>

namespace attnscope {

namespace {

Operation operation_of(const Result& result, const Source& source, bool has_operands) {
  switch (source.kind) {
    case SourceKind::cell:
      return info(rule_of(result.config, source.stage)).operation(result, source, has_operands);
    case SourceKind::row_maximum:
      return Operation::row_maximum;
    case SourceKind::row_sum:
      return Operation::row_sum;
    case SourceKind::row_rms:
      return Operation::row_rms;
    case SourceKind::exponential_sum:
      return Operation::exponential_sum;
    case SourceKind::draw:
      break;
  }
  return Operation::drawn;
}

void explain_read(Explanation& explanation, const Result& result, const Source& cell) {
  const ExternalAttention& attention = *result.external;
  explanation.operation = Operation::read;
  explanation.origin = attention.origin;
  explanation.number_type = attention.number_type;
  explanation.place = attention.place(matrix_of(result.config, cell.stage, cell.batch, cell.head), cell.row, cell.col);
  Source first = cell;
  first.col = 0;
  double sum = 0;
  for (const float value : values_at(result, {first, attention.tokens})) {
    sum += std::isfinite(value) ? static_cast<double>(value) : 0;
  }
  explanation.row_sum = static_cast<float>(sum);
}

}  // namespace

bool is_masked(const Result& result, const Source& cell) {
  return visibility(result.config, cell.stage).hides(cell.row, cell.col);
}

bool holds_minus_infinity(const AttentionConfig& config, Stage stage, Index row) {
  const CellRule rule = info(stage).rule;
  const bool are_scores = rule == CellRule::hide || rule == CellRule::step || rule == CellRule::add_bias;
  return are_scores && visibility(config, stage).count(row) < key_count(config);
}

bool is_dropped(const Result& result, const Source& cell) {
  if (!depends_on(result.config, cell.stage, Stage::dropout_factors)) return false;
  if (!is_query_by_key(info(cell.stage).axes)) return false;
  Source factor = cell;
  factor.stage = Stage::dropout_factors;
  return value_at(result, factor) == 0;
}

Explanation explain(const Result& result, const Source& source) {
  Explanation explanation;
  explanation.value = value_at(result, source);
  if (result.external) {
    explain_read(explanation, result, source);
    return explanation;
  }
  for (const SourceLine& line : operands(result.config, source)) {
    const bool is_draw = line.first.kind == SourceKind::draw;
    explanation.operands.push_back({line, is_draw ? std::vector<float>() : values_at(result, line)});
  }
  explanation.operation = operation_of(result, source, !explanation.operands.empty());
  return explanation;
}

}  // namespace attnscope

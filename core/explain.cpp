#include "core/explain.h"

#include "core/imported_attention.h"
#include "core/stages/rule.h"
#include "core/visibility.h"

#include <cmath>

namespace attnscope {

namespace {

void explain_read(Explanation& explanation, const Result& result, const Source& cell) {
  const ImportedAttention& attention = *result.imported;
  explanation.operation = &operations::read;
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
  const bool are_scores = is_query_by_key(info(stage).axes) && info(stage).range == StageRange::signed_value;
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
  if (result.imported) {
    explain_read(explanation, result, source);
    return explanation;
  }
  for (const SourceLine& line : operands(result.config, source)) {
    const bool is_draw = line.first.kind == SourceKind::draw;
    explanation.operands.push_back({line, is_draw ? std::vector<float>() : values_at(result, line)});
  }
  const auto operation = rule_of(result.config, source.stage).operation;
  explanation.operation = source.kind == SourceKind::cell ? &operation(result, source, !explanation.operands.empty())
                                                          : &operation_of(source.kind);
  return explanation;
}

}  // namespace attnscope

#include "core/explain.h"

#include "core/cells.h"
#include "core/given.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

namespace {

Index matrix_of(const AttentionConfig& config, const Cell& cell) {
  switch (info(cell.stage).axes) {
    case StageAxes::query_key:
      return 0;
    case StageAxes::token_feature:
      return cell.batch;
    case StageAxes::head_token_feature:
    case StageAxes::head_query_key:
      break;
  }
  return cell.batch * head_count(config) + cell.head;
}

std::vector<float> read(const Result& result, const Cell& cell, const CellRect& rect) {
  std::vector<float> cells(static_cast<std::size_t>(rect.rows * rect.cols));
  read_cells(cells, result, cell.stage, matrix_of(result.config, cell), rect);
  return cells;
}

// The whole row or column that a cell stands in.
std::vector<float> row_of(const Result& result, const Cell& cell) {
  return read(result, cell, {cell.row, 0, 1, stage_shape(result.config, cell.stage).back()});
}

std::vector<float> column_of(const Result& result, const Cell& cell) {
  return read(result, cell, {0, cell.col, token_count(result.config), 1});
}

Cell at(const Cell& cell, Stage stage, Index row, Index col) { return {stage, cell.batch, cell.head, row, col}; }

Explanation::Term term_of(const Result& result, const Cell& left, const Cell& right) {
  return {left, right, value_at(result, left), value_at(result, right)};
}

// The sum over one row, as normalize_rows adds it up.
float row_sum_of(const Result& result, const Cell& cell) {
  double sum = 0;
  for (const float value : row_of(result, cell)) sum += static_cast<double>(value);
  return static_cast<float>(sum);
}

// sum over f of left[row][f] * W[col][f] (nn.Linear) or W[f][col] (nn.Parameter), plus bias; `unit` is the column of
// the weight matrix's output that this cell stands for.
void explain_projection(Explanation& explanation, const Result& result, const Cell& cell, Stage from, Index unit,
                        const std::string& bias_name) {
  const Tensor& weight = *find(*result.parameters, explanation.weight_name);
  const bool is_linear = info(result.config.mechanism).weight_style == WeightStyle::linear;
  const Index features = is_linear ? weight.cols() : weight.rows();
  const std::vector<float> row = row_of(result, at(cell, from, cell.row, 0));
  explanation.operation = Operation::dot_product;
  for (Index f = 0; f < features; ++f) {
    const float factor = is_linear ? weight.matrix()(unit, f) : weight.matrix()(f, unit);
    explanation.terms.push_back({at(cell, from, cell.row, f), {}, row[static_cast<std::size_t>(f)], factor});
  }
  const Tensor* bias = find(*result.parameters, bias_name);
  if (bias) explanation.bias = bias->values.at(static_cast<std::size_t>(unit));
}

void explain_query_key_or_value(Explanation& explanation, const Result& result, const Cell& cell) {
  const Projection projection = cell.stage == Stage::queries ? Projection::query
                                : cell.stage == Stage::keys  ? Projection::key
                                                             : Projection::value;
  const AttentionConfig& config = result.config;
  const bool splits = info(config.mechanism).splits_heads;
  const Index unit = splits ? cell.head * head_features(config) + cell.col : cell.col;
  explanation.weight_name = weight_name(config, projection, cell.head);
  explain_projection(explanation, result, cell, Stage::inputs, unit, bias_name(config, projection, cell.head));
}

void explain_score(Explanation& explanation, const Result& result, const Cell& cell) {
  const Cell query = at(cell, queries_stage(result.config), cell.row, 0);
  const Cell key = at(cell, keys_stage(result.config), cell.col, 0);
  const std::vector<float> queries = row_of(result, query);
  const std::vector<float> keys = row_of(result, key);
  explanation.operation = Operation::dot_product;
  for (std::size_t f = 0; f < queries.size(); ++f) {
    const auto col = static_cast<Index>(f);
    explanation.terms.push_back(
        {at(cell, query.stage, query.row, col), at(cell, key.stage, key.row, col), queries[f], keys[f]});
  }
}

// A value that follows from the one in the same place of the stage before.
void explain_from(Explanation& explanation, const Result& result, const Cell& cell, Operation operation, Stage before) {
  const Cell left = at(cell, before, cell.row, cell.col);
  explanation.operation = operation;
  explanation.terms.push_back({left, {}, value_at(result, left), 0});
}

void explain_scaled_score(Explanation& explanation, const Result& result, const Cell& cell) {
  const AttentionConfig& config = result.config;
  const Stage before = config.mask == MaskRoute::causal ? Stage::masked_scores : Stage::scores;
  explain_from(explanation, result, cell, config.scale ? Operation::scaled : Operation::copied, before);
  if (!config.scale) return;
  explanation.terms.front().right_value = static_cast<float>(std::sqrt(static_cast<double>(head_features(config))));
}

void explain_share_of_sum(Explanation& explanation, const Result& result, const Cell& cell, Stage before) {
  explain_from(explanation, result, cell, Operation::share_of_sum, before);
  explanation.row_sum = row_sum_of(result, at(cell, before, cell.row, 0));
  explanation.terms.front().right_value = explanation.row_sum;
}

void explain_weight(Explanation& explanation, const Result& result, const Cell& cell) {
  const Stage before = normalized_from_stage(result.config);
  if (normalizes_by_sum(result.config)) {
    explain_share_of_sum(explanation, result, cell, before);
    return;
  }
  explain_from(explanation, result, cell, Operation::softmax, before);
  const std::vector<float> row = row_of(result, at(cell, before, cell.row, 0));
  explanation.row_max = *std::ranges::max_element(row);
  double sum = 0;
  for (const float number : row) sum += static_cast<double>(std::exp(number - explanation.row_max));
  explanation.row_sum = static_cast<float>(sum);
}

void explain_masked_weight(Explanation& explanation, const Result& result, const Cell& cell) {
  explanation.operation = Operation::product;
  explanation.terms.push_back(
      term_of(result, at(cell, Stage::weights, cell.row, cell.col), at(cell, Stage::mask, cell.row, cell.col)));
  float& kept = explanation.terms.front().right_value;
  kept = 1.0F - kept;  // the mask says what is hidden, the factor what stays
}

void explain_head_context(Explanation& explanation, const Result& result, const Cell& cell) {
  const Cell row = at(cell, final_weights_stage(result.config), cell.row, 0);
  const Cell column = at(cell, values_stage(result.config), 0, cell.col);
  const std::vector<float> weights = row_of(result, row);
  const std::vector<float> values = column_of(result, column);
  explanation.operation = Operation::dot_product;
  explanation.terms.reserve(weights.size());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto key = static_cast<Index>(k);
    explanation.terms.push_back(
        {at(cell, row.stage, cell.row, key), at(cell, column.stage, key, cell.col), weights[k], values[k]});
  }
}

void explain_context(Explanation& explanation, const Result& result, const Cell& cell) {
  const Index head_dim = head_features(result.config);
  const Cell left{Stage::head_context, cell.batch, cell.col / head_dim, cell.row, cell.col % head_dim};
  explanation.operation = Operation::copied;
  explanation.terms.push_back({left, {}, value_at(result, left), 0});
}

void explain_read(Explanation& explanation, const Result& result, const Cell& cell) {
  const GivenSquares& given = *result.given;
  explanation.operation = Operation::read;
  explanation.origin = given.origin;
  explanation.number_type = given.number_type;
  explanation.place = given.place(matrix_of(result.config, cell), cell.row, cell.col);
  double sum = 0;
  for (const float value : row_of(result, cell)) sum += std::isfinite(value) ? static_cast<double>(value) : 0;
  explanation.row_sum = static_cast<float>(sum);
}

}  // namespace

float value_at(const Result& result, const Cell& cell) {
  return read(result, cell, {cell.row, cell.col, 1, 1}).front();
}

bool is_masked(const Result& result, const Cell& cell) {
  return cell.col > cell.row && hides_later_keys(result.config, cell.stage);
}

bool is_dropped(const Result& result, const Cell& cell) {
  if (cell.stage != Stage::dropout_factors && cell.stage != Stage::dropped_weights) return false;
  return value_at(result, at(cell, Stage::dropout_factors, cell.row, cell.col)) == 0;
}

Explanation explain(const Result& result, const Cell& cell) {
  Explanation explanation;
  explanation.value = value_at(result, cell);
  if (result.given) {
    explain_read(explanation, result, cell);
    return explanation;
  }
  switch (cell.stage) {
    case Stage::inputs:
      explanation.operation =
          std::holds_alternative<RandnInputs>(result.config.inputs) ? Operation::drawn : Operation::given;
      break;
    case Stage::queries:
    case Stage::keys:
    case Stage::values:
      explain_query_key_or_value(explanation, result, cell);
      break;
    case Stage::scores:
      explain_score(explanation, result, cell);
      break;
    case Stage::mask:
      explanation.operation = Operation::mask_rule;
      break;
    case Stage::masked_scores:
      explain_from(explanation, result, cell, is_masked(result, cell) ? Operation::masked : Operation::copied,
                   Stage::scores);
      break;
    case Stage::scaled_scores:
      explain_scaled_score(explanation, result, cell);
      break;
    case Stage::weights:
      explain_weight(explanation, result, cell);
      break;
    case Stage::masked_weights:
      explain_masked_weight(explanation, result, cell);
      break;
    case Stage::renormalized_weights:
      explain_share_of_sum(explanation, result, cell, Stage::masked_weights);
      break;
    case Stage::dropout_factors:
      explanation.operation = Operation::kept_or_dropped;
      break;
    case Stage::dropped_weights: {
      const Cell left = at(cell, normalized_weights_stage(result.config), cell.row, cell.col);
      explanation.operation = Operation::product;
      explanation.terms.push_back(term_of(result, left, at(cell, Stage::dropout_factors, cell.row, cell.col)));
      break;
    }
    case Stage::head_context:
      explain_head_context(explanation, result, cell);
      break;
    case Stage::context:
      explain_context(explanation, result, cell);
      break;
    case Stage::output:
      explanation.weight_name = "out_proj.weight";
      explain_projection(explanation, result, cell, Stage::context, cell.col, "out_proj.bias");
      break;
  }
  return explanation;
}

}  // namespace attnscope

#include "core/explain.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace attnscope {

namespace {

const Tensor& tensor_at(const Result& result, Stage stage) {
  const Tensor* tensor = result.find(stage);
  assert(tensor && "this mechanism has no such stage");
  return *tensor;
}

Cell at(const Cell& cell, Stage stage, Index row, Index col) { return {stage, cell.batch, cell.head, row, col}; }

Explanation::Term term_of(const Result& result, const Cell& left, const Cell& right) {
  return {left, right, value_at(result, left), value_at(result, right)};
}

// The sum over one row, as normalize_rows adds it up.
float row_sum_of(const Result& result, Cell cell) {
  double sum = 0;
  const Index cols = tensor_at(result, cell.stage).cols();
  for (cell.col = 0; cell.col < cols; ++cell.col) sum += static_cast<double>(value_at(result, cell));
  return static_cast<float>(sum);
}

// sum over f of left[row][f] * W[col][f] (nn.Linear) or W[f][col] (nn.Parameter), plus bias; `unit` is the column of
// the weight matrix's output that this cell stands for.
void explain_projection(Explanation& explanation, const Result& result, const Cell& cell, Stage from, Index unit,
                        const std::string& bias_name) {
  const Tensor& weight = *find(*result.parameters, explanation.weight_name);
  const bool is_linear = info(result.config.mechanism).weight_style == WeightStyle::linear;
  const Index features = is_linear ? weight.cols() : weight.rows();
  explanation.operation = Operation::dot_product;
  for (Index f = 0; f < features; ++f) {
    const Cell left = at(cell, from, cell.row, f);
    const float factor = is_linear ? weight.matrix()(unit, f) : weight.matrix()(f, unit);
    explanation.terms.push_back({left, {}, value_at(result, left), factor});
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
  const bool has_queries = has_stage(result.config, Stage::queries);
  const Stage queries = has_queries ? Stage::queries : Stage::inputs;
  const Stage keys = has_queries ? Stage::keys : Stage::inputs;
  explanation.operation = Operation::dot_product;
  for (Index f = 0; f < head_features(result.config); ++f) {
    explanation.terms.push_back(term_of(result, at(cell, queries, cell.row, f), at(cell, keys, cell.col, f)));
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
  const AttentionConfig& config = result.config;
  const Stage before = normalized_from_stage(config);
  if (config.mechanism == Mechanism::simple_self_attention && config.normalization == Normalization::sum) {
    explain_share_of_sum(explanation, result, cell, before);
    return;
  }
  explain_from(explanation, result, cell, Operation::softmax, before);
  Cell other = at(cell, before, cell.row, 0);
  const Index cols = tensor_at(result, before).cols();
  explanation.row_max = value_at(result, other);
  for (; other.col < cols; ++other.col) explanation.row_max = std::max(explanation.row_max, value_at(result, other));
  double sum = 0;
  for (other.col = 0; other.col < cols; ++other.col) {
    sum += static_cast<double>(std::exp(value_at(result, other) - explanation.row_max));
  }
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
  const Stage weights = final_weights_stage(result.config);
  const Stage values = has_stage(result.config, Stage::values) ? Stage::values : Stage::inputs;
  explanation.operation = Operation::dot_product;
  for (Index key = 0; key < token_count(result.config); ++key) {
    explanation.terms.push_back(term_of(result, at(cell, weights, cell.row, key), at(cell, values, key, cell.col)));
  }
}

void explain_context(Explanation& explanation, const Result& result, const Cell& cell) {
  const Index head_dim = head_features(result.config);
  const Cell left{Stage::head_context, cell.batch, cell.col / head_dim, cell.row, cell.col % head_dim};
  explanation.operation = Operation::copied;
  explanation.terms.push_back({left, {}, value_at(result, left), 0});
}

}  // namespace

float value_at(const Result& result, const Cell& cell) {
  const Tensor& tensor = tensor_at(result, cell.stage);
  Index matrix = 0;
  switch (info(cell.stage).axes) {
    case StageAxes::query_key:
      break;
    case StageAxes::token_feature:
      matrix = cell.batch;
      break;
    case StageAxes::head_token_feature:
    case StageAxes::head_query_key:
      matrix = cell.batch * tensor.shape[1] + cell.head;
      break;
  }
  return tensor.matrix(matrix)(cell.row, cell.col);
}

bool is_masked(const Result& result, const Cell& cell) {
  const MaskRoute route = result.config.mask;
  if (!is_query_by_key(info(cell.stage).axes) || route == MaskRoute::none || cell.col <= cell.row) return false;
  if (cell.stage == Stage::mask) return true;
  if (cell.stage == Stage::dropout_factors) return false;  // drawn for every cell, hidden or not
  return cell.stage >= (route == MaskRoute::causal ? Stage::masked_scores : Stage::masked_weights);
}

bool is_dropped(const Result& result, const Cell& cell) {
  if (cell.stage != Stage::dropout_factors && cell.stage != Stage::dropped_weights) return false;
  return value_at(result, at(cell, Stage::dropout_factors, cell.row, cell.col)) == 0;
}

Explanation explain(const Result& result, const Cell& cell) {
  Explanation explanation;
  explanation.value = value_at(result, cell);
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

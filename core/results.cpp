#include "core/results.h"

#include "core/evaluate.h"
#include "core/heads.h"
#include "core/kernels/select.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace attnscope {

namespace {

constexpr float rounding_share = 1e-6F;  // numbers that differ by a smaller share of the larger one are equal

TensorPtr subtract(const Result& now, const Result& baseline, Stage stage) {
  Tensor tensor = read_stage(now, stage);
  const Tensor other = read_stage(baseline, stage);
  std::ranges::transform(tensor.values, other.values, tensor.values.begin(),
                         [](float left, float right) { return difference_of(left, right); });
  return std::make_shared<const Tensor>(std::move(tensor));
}

}  // namespace

float difference_of(float now, float baseline) {
  if (now == baseline) return 0;
  const float difference = now - baseline;
  return std::abs(difference) < rounding_share * std::max(std::abs(now), std::abs(baseline)) ? 0 : difference;
}

bool is_comparable(const Result& now, const Result& baseline, Stage stage) {
  if (!has(now, stage) || !has(baseline, stage)) return false;
  if (stage_shape(now.config, stage) != stage_shape(baseline.config, stage)) return false;
  const bool is_weight = info(stage).axes == StageAxes::weight;
  return !is_weight || info(now.config.mechanism).weight_style == info(baseline.config.mechanism).weight_style;
}

bool is_equal(const Result& now, const Result& baseline, Stage stage) {
  if (!now.finished.are_all() || !baseline.finished.are_all()) return false;
  const Tensor* const left = now.find(stage);
  const Tensor* const right = baseline.find(stage);
  return left && right && (left == right || *left == *right);
}

std::shared_ptr<const Result> difference_of(std::shared_ptr<const Result> now, std::shared_ptr<const Result> baseline,
                                            const Execution& execution) {
  auto result = std::make_shared<Result>();
  result->config = now->config;
  for (const StageInfo& stage : stages()) {
    check_stop(execution);
    const bool is_held = now->find(stage.stage) || baseline->find(stage.stage);
    if (is_held && is_comparable(*now, *baseline, stage.stage))
      result->tensors[stage.stage] = subtract(*now, *baseline, stage.stage);
  }
  result->heads = std::make_shared<HeadStore>();
  result->difference = std::make_shared<const Difference>(Difference{std::move(now), std::move(baseline)});
  return result;
}

Visibility visibility(const Result& result, Stage stage) {
  if (!result.difference) return visibility(result.config, stage);
  const Visibility now = visibility(result.difference->now->config, stage);
  const bool is_same = stage != Stage::mask && now == visibility(result.difference->baseline->config, stage);
  return is_same ? now : Visibility{};
}

bool shows_dropped(const Result& result, Stage stage) {
  return !result.difference && is_query_by_key(info(stage).axes) &&
         depends_on(result.config, stage, Stage::dropout_factors) && dropout_is_active(result.config) &&
         has(result, Stage::dropout_factors);
}

namespace {

constexpr Index matrices_of_a_sample = 16;
constexpr Index rows_of_a_sample = 4;  // rows that are read of each matrix

void sample(std::vector<WeightRow>& rows, const ImportedAttention& attention, Index matrix) {
  for (const Index place : spread(rows_of_a_sample, attention.tokens)) {
    rows.push_back({place, std::vector<float>(static_cast<std::size_t>(attention.tokens))});
    attention.read(rows.back().weights, matrix, {place, 0, 1, attention.tokens});
  }
}

}  // namespace

std::vector<Index> spread(Index count, Index total) {
  if (total <= count) count = total;
  std::vector<Index> places;
  for (Index i = 0; i < count; ++i) places.push_back(count == 1 ? total - 1 : i * (total - 1) / (count - 1));
  return places;
}

Result result_of(std::shared_ptr<const ImportedAttention> attention) {
  Result result;
  result.config.inputs = RandnInputs{attention->tokens, 1};
  result.config.batch_size = attention->batch_size;
  result.config.num_heads = attention->heads;
  result.config.d_out = attention->heads;
  result.config.mask = attention->is_causal ? MaskRoute::causal : MaskRoute::none;
  result.heads = std::make_shared<HeadStore>();
  result.imported = std::move(attention);
  return result;
}

bool hides_later_keys(const ImportedAttention& attention) {
  constexpr Index most_cells = 1 << 20;
  constexpr Index least_rows = 16;  // rows that are read of a large matrix
  const Index T = attention.tokens;
  if (attention.stage != Stage::weights || T < 2) return false;
  const Index matrices = attention.batch_size * attention.heads;
  const Index rows = most_cells / (matrices * T * attention.read_for_a_cell);
  std::vector<float> cells;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (const Index row : spread(std::max(least_rows, rows), T)) {
      const Index later = T - row - 1;
      if (later == 0) continue;
      cells.resize(static_cast<std::size_t>(later));
      attention.read(cells, matrix, {row, row + 1, 1, later});
      if (std::ranges::any_of(cells, [](float cell) { return cell != 0; })) return false;
    }
  }
  return true;
}

SummaryPtr sample_imported(const ImportedAttention& attention) {
  const Index count = attention.batch_size * attention.heads;
  StageSummary summary;
  summary.is_exact = false;
  summary.overall = no_extremes;
  summary.row_sums.assign(static_cast<std::size_t>(count * attention.tokens), std::numeric_limits<float>::quiet_NaN());
  const Index matrices = attention.read_for_a_cell > 1 ? matrices_of_a_sample / 4 : matrices_of_a_sample;
  std::vector<WeightRow> rows;
  for (const Index matrix : spread(matrices, count)) sample(rows, attention, matrix);
  for (const WeightRow& row : rows) {
    const RowNumbers numbers = kernels().row_numbers(row.weights.data(), attention.tokens);
    widen(summary.overall, {numbers.low, numbers.high});
  }
  if (info(attention.stage).range == StageRange::probability)
    summary.spread = weight_spread(rows, keys_seen(rows, attention.tokens));
  if (summary.overall.low > summary.overall.high) summary.overall = {};
  summary.matrices.assign(static_cast<std::size_t>(count), summary.overall);
  return std::make_shared<const StageSummary>(std::move(summary));
}

}  // namespace attnscope

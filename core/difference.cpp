#include "core/difference.h"

#include "core/cell_reader.h"
#include "core/kernels/select.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace attnscope {

namespace {

constexpr float rounding_share = 1e-6F;  // of the larger number: what differs by less is equal up to rounding

TensorPtr subtract(const Result& now, const Result& before, Stage stage) {
  Tensor tensor = read_stage(now, stage);
  const Tensor other = read_stage(before, stage);
  std::ranges::transform(tensor.values, other.values, tensor.values.begin(),
                         [](float left, float right) { return difference_of(left, right); });
  return std::make_shared<const Tensor>(std::move(tensor));
}

// Calls look(stage, block) with all cells of a matrix, by several threads, each with rows of its own.
template <typename Look>
void for_all_cells(const Result& result, std::span<const Stage> wanted, Index matrix, const Execution& execution,
                   const Look& look) {
  StageSet computed;
  for (const Stage stage : wanted) {
    if (const std::optional<CellBlock> held = held_block(result, stage, matrix)) {
      look(stage, *held);
    } else {
      computed.add(stage);
    }
  }
  if (computed.is_empty()) return;
  const CellReader reader(result, matrix, computed, execution);
  const Index keys = key_count(result.config);
  for_each_strip(query_count(result.config), execution, [&](Index first, Index count) {
    reader.read({first, 0, count, keys}, computed, look);
  });
}

}  // namespace

float difference_of(float now, float before) {
  if (now == before) return 0;
  const float difference = now - before;
  return std::abs(difference) < rounding_share * std::max(std::abs(now), std::abs(before)) ? 0 : difference;
}

bool is_comparable(const Result& now, const Result& before, Stage stage) {
  if (!has(now, stage) || !has(before, stage)) return false;
  if (stage_shape(now.config, stage) != stage_shape(before.config, stage)) return false;
  const bool is_weight = info(stage).axes == StageAxes::weight;
  return !is_weight || info(now.config.mechanism).weight_style == info(before.config.mechanism).weight_style;
}

std::shared_ptr<const Result> difference_of(std::shared_ptr<const Result> now, std::shared_ptr<const Result> before,
                                            const Execution& execution) {
  auto result = std::make_shared<Result>();
  result->config = now->config;
  for (const StageInfo& stage : stages()) {
    check_stop(execution);
    const bool is_held = now->find(stage.stage) || before->find(stage.stage);
    if (is_held && is_comparable(*now, *before, stage.stage))
      result->tensors[stage.stage] = subtract(*now, *before, stage.stage);
  }
  result->difference = std::make_shared<const Difference>(Difference{std::move(now), std::move(before)});
  return result;
}

std::vector<MatrixSummary> summarize_difference(const Result& difference, std::span<const Stage> stages, Index matrix,
                                                const Execution& execution) {
  std::vector<MatrixSummary> summaries;
  for (const Stage stage : stages) {
    const std::vector<Index> shape = stage_shape(difference.config, stage);
    summaries.push_back({no_extremes, std::vector<float>(static_cast<std::size_t>(shape[shape.size() - 2]))});
  }
  std::vector<std::vector<double>> sums(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) sums[i].resize(summaries[i].row_sums.size());
  std::mutex mutex;
  for_all_cells(difference, stages, matrix, execution, [&](Stage stage, const CellBlock& block) {
    const auto at = static_cast<std::size_t>(std::ranges::find(stages, stage) - stages.begin());
    StageSummary::Extremes extremes = no_extremes;
    for (Index row = block.rect.row; row < block.rect.row + block.rect.rows; ++row) {
      const RowNumbers numbers = kernels().row_numbers(block.at(row, block.rect.col), block.rect.cols);
      widen(extremes, {numbers.low, numbers.high});
      sums[at][static_cast<std::size_t>(row)] += numbers.sum;
    }
    const std::lock_guard lock(mutex);
    widen(summaries[at].extremes, extremes);
  });
  for (std::size_t i = 0; i < stages.size(); ++i) {
    std::ranges::transform(sums[i], summaries[i].row_sums.begin(), [](double sum) { return static_cast<float>(sum); });
  }
  return summaries;
}

Visibility visibility(const Result& result, Stage stage) {
  if (!result.difference) return visibility(result.config, stage);
  const Visibility now = visibility(result.difference->now->config, stage);
  const bool is_same = stage != Stage::mask && now == visibility(result.difference->before->config, stage);
  return is_same ? now : Visibility{};
}

bool shows_dropped(const Result& result, Stage stage) {
  return !result.difference && is_query_by_key(info(stage).axes) &&
         depends_on(result.config, stage, Stage::dropout_factors) && dropout_is_active(result.config) &&
         has(result, Stage::dropout_factors);
}

}  // namespace attnscope

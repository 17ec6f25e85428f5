#include "core/difference.h"

#include "core/evaluate.h"
#include "core/heads.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

}  // namespace attnscope

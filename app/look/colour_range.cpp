#include "look/colour_range.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

// After dropout the kept weights are scaled up, and so is the standard range.
float standard_high(const AttentionConfig& config, Stage stage) {
  const bool after_dropout = stage == Stage::dropout_factors || stage == Stage::dropped_weights;
  if (!after_dropout || !dropout_is_active(config) || config.dropout >= 1) return 1;
  return static_cast<float>(1 / (1 - config.dropout));
}

StageSummary::Extremes extremes_of(const StageSummary& summary, Index matrix, RangeMode mode) {
  const bool one = mode == RangeMode::own && matrix < static_cast<Index>(summary.matrices.size());
  return one ? summary.matrices[static_cast<std::size_t>(matrix)] : summary.overall;
}

}  // namespace

ColourRange signed_range(float magnitude, bool dark) {
  const float bound = magnitude > 0 ? magnitude : 1;
  return {dark ? Colormap::diverging_dark : Colormap::diverging, -bound, bound};
}

ColourRange colour_range(const AttentionConfig& config, Stage stage, const StageSummary& summary, Index matrix,
                         RangeMode mode, bool dark) {
  const StageRange kind = info(stage).range;
  if (kind == StageRange::boolean) return signed_range(1, dark);
  const StageSummary::Extremes extremes = extremes_of(summary, matrix, mode);
  if (kind == StageRange::signed_value) {
    return signed_range(std::max(std::abs(extremes.low), std::abs(extremes.high)), dark);
  }
  if (mode == RangeMode::standard) return {Colormap::viridis, 0, standard_high(config, stage)};
  return {Colormap::viridis, extremes.low, extremes.high};
}

}  // namespace attnscope

#include "look/colour_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "look/number_text.h"

namespace attnscope {
namespace {

// After dropout the kept weights are scaled up, and so is the fixed range.
float fixed_high(const AttentionConfig& config, Stage stage) {
  const bool after_dropout = stage == Stage::dropout_factors || stage == Stage::dropped_weights;
  if (!after_dropout || !dropout_is_active(config) || config.dropout >= 1) return 1;
  return static_cast<float>(1 / (1 - config.dropout));
}

StageSummary::Extremes extremes_of(const StageSummary& summary, Index matrix, RangeMode mode) {
  const bool one = mode == RangeMode::own && matrix < static_cast<Index>(summary.matrices.size());
  return one ? summary.matrices[static_cast<std::size_t>(matrix)] : summary.overall;
}

// Steps rather than the weights' own ends: colours stay what they are while a number is dragged, and 1, the weight of
// keys that all get the same, is in the middle as far as that goes. What lies beyond is drawn as the end.
ColourRange relative_range(const WeightSpread& spread) {
  static constexpr std::array<std::pair<float, float>, 9> steps = {
      std::pair{0.95F, 1.05F}, {0.9F, 1.1F}, {0.75F, 1.25F}, {0.5F, 1.5F}, {0, 2}, {0, 3}, {0, 4}, {0, 6}, {0, 8}};
  const auto* const step = std::ranges::find_if(
      steps, [&](const auto& ends) { return ends.first <= spread.low && spread.high <= ends.second; });
  const auto& [low, high] = step == steps.end() ? steps.back() : *step;
  return {Colormap::viridis, low, high, {MeasureKind::relative, spread.counted}};
}

// Whole powers of ten around all but the smallest weights; 0 has none and is drawn as the lowest.
ColourRange logarithmic_range(const WeightSpread& spread) {
  constexpr float lowest = -6;
  const float high = std::ceil(std::log10(std::max(spread.largest, 1e-5F)) - 0.01F);
  const float low = std::floor(std::log10(std::max(spread.smallest, 1e-6F)));
  return {Colormap::viridis, std::clamp(low, lowest, high - 1), high, {MeasureKind::logarithm, {}}};
}

}  // namespace

const char* title(RangeMode mode) { return std::ranges::find(range_modes, mode, &RangeModeName::mode)->title; }

RangeMode effective_range(const AttentionConfig& config, Stage stage, RangeMode mode) {
  if (mode == RangeMode::automatic) mode = key_count(config) <= few_keys ? RangeMode::fixed : RangeMode::relative;
  const bool has_measures = info(stage).range == StageRange::probability;
  const bool is_measure = mode == RangeMode::relative || mode == RangeMode::logarithmic;
  return is_measure && !has_measures ? RangeMode::fixed : mode;
}

Rgb cell_colour(const ColourRange& range, float value, Index row) {
  return colour_of(range.map, range.measure.of(value, row), range.low, range.high);
}

std::string bar_number(const ColourRange& range, double at, int decimals) {
  const bool is_whole = at == std::round(at) && std::abs(at) < 100;
  if (range.measure.kind == MeasureKind::relative) {
    const bool has_one = 10 * at == std::round(10 * at);
    return format_fixed(at, is_whole ? 0 : has_one ? 1 : 2) + "×";
  }
  if (range.measure.kind == MeasureKind::logarithm) {
    const int places = at < 0 ? static_cast<int>(std::ceil(-at)) : 0;
    return format_fixed(std::pow(10.0, at), places);
  }
  return format_fixed(at, decimals);
}

std::string_view measure_name(const ColourRange& range) {
  if (range.measure.kind == MeasureKind::relative) return "× visible keys";
  return range.measure.kind == MeasureKind::logarithm ? "logarithmic" : "";
}

ColourRange signed_range(float magnitude, bool dark) {
  const float bound = magnitude > 0 ? magnitude : 1;
  return {dark ? Colormap::diverging_dark : Colormap::diverging, -bound, bound};
}

ColourRange colour_range(const Result& result, Stage stage, const StageSummary& summary, Index matrix, RangeMode mode,
                         bool dark) {
  const StageRange kind = result.difference ? StageRange::signed_value : info(stage).range;
  if (kind == StageRange::boolean) return signed_range(1, dark);
  const RangeMode range = effective_range(result.config, stage, mode);
  const StageSummary::Extremes extremes = extremes_of(summary, matrix, range);
  if (kind == StageRange::signed_value)
    return signed_range(std::max(std::abs(extremes.low), std::abs(extremes.high)), dark);
  if (range == RangeMode::relative && summary.spread) return relative_range(*summary.spread);
  if (range == RangeMode::logarithmic && summary.spread) return logarithmic_range(*summary.spread);
  if (range == RangeMode::shared || range == RangeMode::own) return {Colormap::viridis, extremes.low, extremes.high};
  const bool is_factor = kind == StageRange::factor;
  const Colormap map = !is_factor ? Colormap::viridis : dark ? Colormap::kept_dark : Colormap::kept;
  return {map, 0, fixed_high(result.config, stage)};
}

}  // namespace attnscope

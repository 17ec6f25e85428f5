#include "core/rope.h"

#include "core/config.h"
#include "core/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attnscope {

namespace {

// Returns the radians from one token to the next, without scaling.
double unscaled_step(const AttentionConfig& config, Index pair) {
  return std::pow(config.rope->base, -2 * static_cast<double>(pair) / static_cast<double>(rope_dims(config)));
}

double step_of(const AttentionConfig& config, Index pair) {
  return unscaled_step(config, pair) * rope_slowing(config, pair);
}

}  // namespace

bool has_rope(const AttentionConfig& config) {
  return config.rope.has_value() && config.mechanism == Mechanism::multi_head_attention;
}

Index rope_dims(const AttentionConfig& config) { return config.rope->dims.value_or(head_features(config)) / 2 * 2; }

std::optional<RopePair> rope_pair(const AttentionConfig& config, Index col) {
  const Index pairs = rope_dims(config) / 2;
  if (col >= 2 * pairs) return {};
  if (config.rope->layout == RopeLayout::interleaved) return RopePair{col / 2 * 2, col / 2 * 2 + 1, col / 2};
  return RopePair{col % pairs, col % pairs + pairs, col % pairs};
}

double rope_slowing(const AttentionConfig& config, Index pair) {
  const std::optional<RopeScaling>& scaling = config.rope->scaling;
  if (!scaling) return 1;
  if (scaling->kind == RopeScalingKind::linear) return 1 / scaling->factor;
  const double turns =
      static_cast<double>(scaling->original_length) * unscaled_step(config, pair) / (2 * std::numbers::pi);
  const double kept = std::clamp((turns - scaling->low) / (scaling->high - scaling->low), 0.0, 1.0);
  return kept + (1 - kept) / scaling->factor;
}

double rope_angle(const AttentionConfig& config, Index token, Index pair) {
  return static_cast<double>(config.rope->offset + token) * step_of(config, pair);
}

RopeTable rope_table(const AttentionConfig& config, Index tokens) {
  const Index pairs = rope_dims(config) / 2;
  RopeTable table;
  table.cosines.reserve(static_cast<std::size_t>(tokens * pairs));
  table.sines.reserve(static_cast<std::size_t>(tokens * pairs));
  std::vector<double> steps;
  for (Index pair = 0; pair < pairs; ++pair) steps.push_back(step_of(config, pair));
  for (Index token = 0; token < tokens; ++token) {
    for (const double step : steps) {
      const double angle = static_cast<double>(config.rope->offset + token) * step;
      table.cosines.push_back(static_cast<float>(std::cos(angle)));
      table.sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

void rotate_row(std::span<float> rotated, std::span<const float> row, const AttentionConfig& config,
                const RopeTable& table, Index token) {
  const Index pairs = rope_dims(config) / 2;
  const bool is_interleaved = config.rope->layout == RopeLayout::interleaved;
  const float* const cosines = table.cosines.data() + token * pairs;
  const float* const sines = table.sines.data() + token * pairs;
  for (Index pair = 0; pair < pairs; ++pair) {
    const auto first = static_cast<std::size_t>(is_interleaved ? 2 * pair : pair);
    const auto second = static_cast<std::size_t>(is_interleaved ? 2 * pair + 1 : pair + pairs);
    rotated[first] = row[first] * cosines[pair] - row[second] * sines[pair];
    rotated[second] = row[second] * cosines[pair] + row[first] * sines[pair];
  }
  std::ranges::copy(row.subspan(static_cast<std::size_t>(2 * pairs)), rotated.begin() + 2 * pairs);
}

bool has_qk_norm(const AttentionConfig& config) {
  return config.qk_norm == QkNorm::rms && config.mechanism == Mechanism::multi_head_attention;
}

double root_mean_square(std::span<const float> row, double epsilon) {
  double squares = 0;
  for (const float number : row) squares += static_cast<double>(number) * static_cast<double>(number);
  return std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
}

void normalize_row(std::span<float> normalized, std::span<const float> row, std::span<const float> gain) {
  const double factor = 1 / root_mean_square(row, qk_norm_epsilon);
  for (std::size_t i = 0; i < row.size(); ++i)
    normalized[i] = static_cast<float>(static_cast<double>(row[i]) * factor) * gain[i];
}

}  // namespace attnscope

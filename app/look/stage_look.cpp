#include "look/stage_look.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace attnscope {
namespace {

Rgb from_hex(unsigned hex) {
  return {static_cast<std::uint8_t>(hex >> 16 & 255), static_cast<std::uint8_t>(hex >> 8 & 255),
          static_cast<std::uint8_t>(hex & 255)};
}

// Hue, saturation and value, each from 0 to 1.
Rgb from_hsv(float hue, float saturation, float value) {
  const auto channel = [&](float offset) {
    const float place = std::fmod(offset + hue * 6, 6.0F);
    const float share = std::fmax(0.0F, std::fmin(1.0F, std::fmin(place, 4 - place)));
    return static_cast<std::uint8_t>(std::lround(255 * (value - value * saturation * share)));
  };
  return {channel(5), channel(3), channel(1)};
}

}  // namespace

bool sums_to_one(Stage stage) { return info(stage).range == StageRange::probability; }

bool shows_dropped(const Result& result, Stage stage) {
  return is_query_by_key(info(stage).axes) && depends_on(result.config, stage, Stage::dropout_factors) &&
         dropout_is_active(result.config) && has(result, Stage::dropout_factors);
}

AxisTitles axis_titles(const AttentionConfig& config, Stage stage) {
  const StageAxes axes = info(stage).axes;
  if (is_query_by_key(axes)) return {"query", "key"};
  if (!is_parameter(axes)) return {"token", "dim"};
  if (axes == StageAxes::bias) return {"", "out"};
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  return is_linear ? AxisTitles{"out", "in"} : AxisTitles{"in", "out"};
}

StageWording wording(const AttentionConfig& config, Stage stage) {
  const bool is_simple = config.mechanism == Mechanism::simple_self_attention;
  if (is_simple && stage == Stage::scores) return {"S = X Xᵀ", "attn_scores = inputs @ inputs.T"};
  if (is_simple && stage == Stage::head_context) return {"Z = A · X", "context_vecs = attn_weights @ inputs"};
  if (stage == Stage::weights && is_simple && config.normalization == Normalization::sum) {
    return {"A = S ÷ (sum of its row)", "attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)"};
  }
  if (stage == Stage::weights && !config.scale && !config.softcap) {
    return {"A = softmax(S), row by row", "attn_weights = torch.softmax(attn_scores, dim=-1)"};
  }
  if (info(stage).axes == StageAxes::weight && info(config.mechanism).weight_style == WeightStyle::parameter) {
    return {"one column for each output dimension", "torch.nn.Parameter(torch.rand(d_in, d_out))"};
  }
  const Stage from = normalized_from_stage(config);
  if (stage == Stage::weights && from != Stage::scaled_scores) {
    return {fmt::format("A = softmax({}), row by row", info(from).symbol),
            fmt::format("attn_weights = torch.softmax({}, dim=-1)", info(from).id)};
  }
  return {std::string(info(stage).formula), std::string(info(stage).pytorch)};
}

StageWording wording(const Result& result, Stage stage) {
  if (result.external) return {"as it stands in the file", "read, not computed here"};
  return wording(result.config, stage);
}

// The Okabe-Ito palette without black, brightened on dark ground; further heads walk around the hues by the golden
// angle.
Rgb head_rgb(Index head, bool dark) {
  static constexpr std::array<unsigned, 8> light = {0x0072B2, 0xD55E00, 0x009E73, 0xB4569B,
                                                    0x9A7D00, 0x2E9BD6, 0x7A5C3E, 0x5B5BD6};
  static constexpr std::array<unsigned, 8> on_dark = {0x56A8E8, 0xFF8A3D, 0x2BC79B, 0xDE8CC8,
                                                      0xE6C229, 0x8AD4FF, 0xC49A6C, 0x9C9CFF};
  if (head < static_cast<Index>(light.size()))
    return from_hex((dark ? on_dark : light)[static_cast<std::size_t>(head)]);
  const float hue = std::fmod(static_cast<float>(head) * 0.381966F, 1.0F);
  return from_hsv(hue, dark ? 0.45F : 0.75F, dark ? 0.95F : 0.62F);
}

Index thinned_step(double cell, double needed, double spread) {
  if (cell >= needed) return 1;
  for (Index unit = 1;; unit *= 10) {
    for (const Index step : {unit, 2 * unit, 5 * unit}) {
      if (step > 1 && cell * static_cast<double>(step) >= spread * needed) return step;
    }
  }
}

}  // namespace attnscope

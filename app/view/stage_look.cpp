#include "view/stage_look.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/visibility.h"

namespace attnscope {
namespace {

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

bool is_off_one(float row_sum) {
  constexpr float tolerance = 0.005F;
  return std::abs(row_sum - 1) > tolerance;
}

AxisTitles axis_titles(const AttentionConfig& config, Stage stage) {
  const StageAxes axes = info(stage).axes;
  if (is_query_by_key(axes)) return {"query", "key"};
  if (!is_parameter(axes)) return {"token", "dim"};
  if (axes == StageAxes::bias) return {"", is_gain(stage) ? "dim" : "out"};
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  return is_linear ? AxisTitles{"out", "in"} : AxisTitles{"in", "out"};
}

StageWording wording(const AttentionConfig& config, Stage stage) {
  const StageInfo& row = info(stage);
  if (row.wording) return row.wording(config, stage);
  return {std::string(row.formula), std::string(row.pytorch)};
}

StageWording wording(const Result& result, Stage stage) {
  if (result.imported) return {"from the file", "read, not computed here"};
  return wording(result.config, stage);
}

std::string product_shapes(const AttentionConfig& config, Stage stage) {
  const auto is_turned = rule_of(config, stage).is_turned;
  if (!is_turned) return {};
  const auto shape_of = [&](Stage of) {
    const std::vector<Index> shape = stage_shape(config, of);
    return fmt::format("({}, {})", shape[shape.size() - 2], shape.back());
  };
  const StageList from = predecessors(config, stage);
  std::string shapes = fmt::format("{} · {}{}", shape_of(from[0]), shape_of(from[1]), is_turned(config) ? "ᵀ" : "");
  if (from.size() > 2) shapes += fmt::format(" + ({},)", stage_shape(config, from[2]).back());
  const bool is_by_weight = is_parameter(info(from[1]).axes);
  const bool is_split = is_by_weight && info(config.mechanism).splits_heads && is_per_head(config, stage);
  if (!is_split || head_count(config) == 1) return fmt::format("{} = {}", shapes, shape_of(stage));
  return fmt::format("{} = ({}, {}), {} of them a head", shapes, query_count(config),
                     has_key_rows(stage) ? key_features(config) : config.d_out, head_features(config));
}

DiagramOperator diagram_operator(const AttentionConfig& config, Stage result) {
  const CellRule& rule = rule_of(config, result);
  return {rule.sign(config), rule.note(config)};
}

bool has_place(Stage stage) { return info(stage).place.column >= 0; }

StageSet places_after(const AttentionConfig& config, Stage last) {
  StageSet after;
  bool is_after = false;
  for (const Stage stage : computed_stages(config)) {
    if (is_after && has_place(stage)) after.add(stage);
    if (stage == last) is_after = true;
  }
  return after;
}

std::string about(const AttentionConfig& config, Stage stage) {
  const StageInfo& row = info(stage);
  return row.about.is_empty() ? std::string(row.formula) : row.about(config);
}

std::string_view id_of(Band band) {
  static constexpr std::string_view ids[] = {"project", "compare", "mix"};
  return ids[static_cast<std::size_t>(band)];
}

std::string_view title_of(Band band) {
  static constexpr std::string_view titles[] = {"1 Project", "2 Compare", "3 Mix"};
  return titles[static_cast<std::size_t>(band)];
}

Rgb head_rgb(Index head, bool dark) {
  static constexpr std::array<unsigned, 2> light = {0x3A414A, 0x646B77};
  static constexpr std::array<unsigned, 2> on_dark = {0xD5DAE1, 0x8D96A3};
  return hex((dark ? on_dark : light)[static_cast<std::size_t>(head % 2)]);
}

Rgb title_ink(const ThemeColours& theme, Stage stage) {
  const std::optional<OperandSide> side = info(stage).side;
  return side ? operand_rgb(*side, theme.is_dark) : theme.inks.text;
}

// The Okabe-Ito palette without black, brightened on dark ground; further numbers walk around the hues by the golden
// angle.
Rgb series_rgb(Index number, bool dark) {
  static constexpr std::array<unsigned, 8> light = {0x006ED8, 0xBD4D11, 0x00785A, 0xA95089,
                                                    0x784900, 0x325299, 0x5A4F46, 0x6321FF};
  static constexpr std::array<unsigned, 8> on_dark = {0x4F96E9, 0xFF8A33, 0x53CC97, 0xDF91C9,
                                                      0xE6C228, 0x8AD4FF, 0xB8956F, 0x9FA7FF};
  if (number < static_cast<Index>(light.size())) return hex((dark ? on_dark : light)[static_cast<std::size_t>(number)]);
  const float hue = std::fmod(static_cast<float>(number) * 0.381966F, 1.0F);
  return from_hsv(hue, dark ? 0.45F : 0.75F, dark ? 0.95F : 0.45F);
}

Index thinned_step(double cell, double needed) {
  constexpr double spread = 1.5;
  if (cell >= needed) return 1;
  for (Index unit = 1;; unit *= 10) {
    for (const Index step : {unit, 2 * unit, 5 * unit}) {
      if (step > 1 && cell * static_cast<double>(step) >= spread * needed) return step;
    }
  }
}

}  // namespace attnscope

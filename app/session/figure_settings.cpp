#include "session/figure_settings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "interchange/apng.h"
#include "session/settings_json.h"

namespace attnscope {
namespace {

constexpr std::size_t most_typed_bytes = 200;

// The documents of other times have other heads and tokens: their ranges are not kept.
constexpr SweptParameter kept_ranges[] = {SweptParameter::dropout, SweptParameter::seed, SweptParameter::embedding};

constexpr Names<SweptParameter, swept_parameter_count> parameters = {{{SweptParameter::dropout, "dropout"},
                                                                      {SweptParameter::seed, "seed"},
                                                                      {SweptParameter::num_heads, "num_heads"},
                                                                      {SweptParameter::embedding, "embedding"},
                                                                      {SweptParameter::tokens, "tokens"}}};
constexpr Names<LengthUnit, 2> units = {{{LengthUnit::millimetres, "millimetres"}, {LengthUnit::pixels, "pixels"}}};
constexpr Names<FigureTheme, 3> themes = {
    {{FigureTheme::light, "light"}, {FigureTheme::dark, "dark"}, {FigureTheme::transparent, "transparent"}}};
// Without one, the stage's own.
constexpr Names<std::optional<Colormap>, 3> colormaps = {
    {{Colormap::viridis, "viridis"}, {Colormap::diverging, "diverging"}, {std::nullopt, "own"}}};

nlohmann::ordered_json sweep_settings(const SweepChoices& sweep) {
  nlohmann::ordered_json settings = {{"is_on", sweep.is_on},
                                     {"parameter", name_of(parameters, sweep.parameter)},
                                     {"is_series", sweep.is_series},
                                     {"frames_per_second", sweep.frames_per_second},
                                     {"plays_once", sweep.plays_once}};
  for (const SweptParameter parameter : kept_ranges) {
    const SweepRange& range = sweep.ranges[static_cast<std::size_t>(parameter)];
    settings[std::string(name_of(parameter))] = {range.first, range.last, range.step};
  }
  return settings;
}

void take_sweep(const nlohmann::json& settings, SweepChoices& sweep) {
  take(settings, "is_on", sweep.is_on);
  take_named(settings, "parameter", parameters, sweep.parameter);
  take(settings, "is_series", sweep.is_series);
  take(settings, "frames_per_second", sweep.frames_per_second);
  take(settings, "plays_once", sweep.plays_once);
  const double rate = sweep.frames_per_second;
  if (!(rate >= slowest_playback && rate <= fastest_playback)) sweep.frames_per_second = Playback().frames_per_second;
  for (const SweptParameter parameter : kept_ranges) {
    std::vector<std::string> texts;
    take(settings, std::string(name_of(parameter)).c_str(), texts);
    const bool is_short =
        std::ranges::all_of(texts, [](const std::string& text) { return text.size() < most_typed_bytes; });
    if (texts.size() == 3 && is_short)
      sweep.ranges[static_cast<std::size_t>(parameter)] = {texts[0], texts[1], texts[2]};
  }
}

void take_options(const nlohmann::json& settings, FigureChoices& choices) {
  FigureOptions& options = choices.options;
  take(settings, "width", options.width.length);
  take_named(settings, "width_unit", units, options.width.unit);
  take(settings, "scale", options.scale);
  take_named(settings, "theme", themes, options.theme);
  take(settings, "font_size", options.font_size);
  take_named(settings, "colormap", colormaps, options.colormap);
  take_named(settings, "range", range_names, options.range);
  take(settings, "range_low", choices.fixed_range.low);
  take(settings, "range_high", choices.fixed_range.high);
  bool has_fixed_range = false;
  take(settings, "has_fixed_range", has_fixed_range);
  if (has_fixed_range) options.fixed_range = choices.fixed_range;
  int decimals = options.decimals.value_or(-1);
  take(settings, "decimals", decimals);
  options.decimals = decimals < 0 ? std::nullopt : std::optional(decimals);
  int row_sums = -1;
  take(settings, "row_sums", row_sums);
  if (row_sums >= 0) options.row_sums = row_sums > 0;
}

}  // namespace

nlohmann::ordered_json figure_settings(const FigureChoices& choices) {
  const FigureOptions& options = choices.options;
  return {{"width", options.width.length},
          {"width_unit", name_of(units, options.width.unit)},
          {"scale", options.scale},
          {"theme", name_of(themes, options.theme)},
          {"font_size", options.font_size},
          {"colormap", name_of(colormaps, options.colormap)},
          {"range", name_of(range_names, options.range)},
          {"has_fixed_range", options.fixed_range.has_value()},
          {"range_low", choices.fixed_range.low},
          {"range_high", choices.fixed_range.high},
          {"decimals", options.decimals.value_or(-1)},
          {"row_sums", options.row_sums ? static_cast<int>(*options.row_sums) : -1},
          {"footer", choices.has_footer},
          {"sweep", sweep_settings(choices.sweep)}};
}

FigureChoices figure_choices(const nlohmann::json& settings) {
  FigureChoices choices;
  take_options(settings, choices);
  try {
    check(choices.options);
  } catch (const Error&) {
    choices = {};
  }
  take(settings, "footer", choices.has_footer);
  if (settings.contains("sweep") && settings["sweep"].is_object()) take_sweep(settings["sweep"], choices.sweep);
  return choices;
}

}  // namespace attnscope

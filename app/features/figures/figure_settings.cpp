#include "features/figures/figure_settings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "features/shared/settings_json.h"
#include "interchange/playback.h"

namespace attnscope {
namespace {

constexpr std::size_t most_typed_bytes = 200;

// The documents of other times have other heads and tokens: their ranges are not kept.
constexpr SweptParameter kept_ranges[] = {SweptParameter::dropout, SweptParameter::seed, SweptParameter::embedding};

constexpr Words<SweptParameter, swept_parameter_count> parameters = {{{SweptParameter::dropout, "dropout"},
                                                                      {SweptParameter::seed, "seed"},
                                                                      {SweptParameter::num_heads, "num_heads"},
                                                                      {SweptParameter::embedding, "embedding"},
                                                                      {SweptParameter::tokens, "tokens"},
                                                                      {SweptParameter::stages, "stages"}}};
constexpr Words<LengthUnit, 2> units = {{{LengthUnit::millimetres, "millimetres"}, {LengthUnit::pixels, "pixels"}}};
constexpr Words<FigureTheme, 3> themes = {
    {{FigureTheme::light, "light"}, {FigureTheme::dark, "dark"}, {FigureTheme::transparent, "transparent"}}};
// Without one, the stage's own.
constexpr Words<std::optional<Colormap>, 3> colormaps = {
    {{Colormap::viridis, "viridis"}, {Colormap::diverging, "diverging"}, {std::nullopt, "own"}}};

template <typename Sweep, typename Visit>
void visit_sweep(Sweep& sweep, const Visit& visit) {
  visit("is_on", sweep.is_on);
  visit("parameter", sweep.parameter, parameters);
  visit("is_series", sweep.is_series);
  visit("frames_per_second", sweep.frames_per_second);
  visit("plays_once", sweep.plays_once);
}

template <typename Choices, typename Visit>
void visit_look(Choices& choices, const Visit& visit) {
  visit("width", choices.options.width.length);
  visit("width_unit", choices.options.width.unit, units);
  visit("height", choices.options.height);
  visit("scale", choices.options.scale);
  visit("theme", choices.options.theme, themes);
  visit("font_size", choices.options.font_size);
  visit("colormap", choices.options.colormap, colormaps);
  visit("range", choices.options.range, range_words());
  visit("range_low", choices.fixed_range.low);
  visit("range_high", choices.fixed_range.high);
  visit("has_arrows", choices.options.has_arrows);
  visit("left_out", choices.options.left_out);
  visit("shows_pinned", choices.shows_pinned);
  visit("has_arithmetic", choices.has_arithmetic);
}

nlohmann::ordered_json sweep_settings(const SweepChoices& sweep) {
  nlohmann::ordered_json settings;
  visit_sweep(sweep, SettingWriter{settings});
  for (const SweptParameter parameter : kept_ranges) {
    const SweepRange& range = sweep.ranges[static_cast<std::size_t>(parameter)];
    settings[std::string(name_of(parameter))] = {range.first, range.last, range.step};
  }
  return settings;
}

void take_sweep(const JsonValue& settings, SweepChoices& sweep) {
  const SettingReader read{settings};
  visit_sweep(sweep, read);
  const double rate = sweep.frames_per_second;
  if (!(rate >= slowest_playback && rate <= fastest_playback)) sweep.frames_per_second = Playback().frames_per_second;
  for (const SweptParameter parameter : kept_ranges) {
    std::vector<std::string> texts;
    read(name_of(parameter), texts);
    const bool is_short =
        std::ranges::all_of(texts, [](const std::string& text) { return text.size() < most_typed_bytes; });
    if (texts.size() == 3 && is_short)
      sweep.ranges[static_cast<std::size_t>(parameter)] = {texts[0], texts[1], texts[2]};
  }
}

// Numbers stand for what is not chosen: -1 for no decimals, and for row sums as the stage has them.
void take_options(const JsonValue& settings, FigureChoices& choices) {
  FigureOptions& options = choices.options;
  const SettingReader read{settings};
  visit_look(choices, read);
  bool has_fixed_range = false;
  read("has_fixed_range", has_fixed_range);
  if (has_fixed_range) options.fixed_range = choices.fixed_range;
  int decimals = options.decimals.value_or(-1);
  read("decimals", decimals);
  options.decimals = decimals < 0 ? std::nullopt : std::optional(decimals);
  int row_sums = -1;
  read("row_sums", row_sums);
  if (row_sums >= 0) options.row_sums = row_sums > 0;
}

}  // namespace

nlohmann::ordered_json figure_settings(const FigureChoices& choices) {
  const FigureOptions& options = choices.options;
  nlohmann::ordered_json settings;
  visit_look(choices, SettingWriter{settings});
  settings["has_fixed_range"] = options.fixed_range.has_value();
  settings["decimals"] = options.decimals.value_or(-1);
  settings["row_sums"] = options.row_sums ? static_cast<int>(*options.row_sums) : -1;
  settings["footer"] = choices.has_footer;
  settings["sweep"] = sweep_settings(choices.sweep);
  return settings;
}

FigureChoices figure_choices(const JsonValue& settings) {
  FigureChoices choices;
  take_options(settings, choices);
  try {
    check(choices.options);
  } catch (const Error&) {
    choices = {};
  }
  SettingReader{settings}("footer", choices.has_footer);
  if (const auto sweep = settings.find("sweep"); sweep && sweep->is_object()) take_sweep(*sweep, choices.sweep);
  return choices;
}

}  // namespace attnscope

#include "features/figures/figure_settings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "features/shared/settings_json.h"
#include "interchange/playback.h"
#include "state/figure_choice_table.h"

namespace attnscope {
namespace {

constexpr std::size_t most_typed_bytes = 200;

// The documents of other times have other heads and tokens: their ranges are not kept.
constexpr SweptParameter kept_ranges[] = {SweptParameter::dropout, SweptParameter::seed, SweptParameter::embedding};

const auto parameters = [] {
  Names<SweptParameter, swept_parameter_count> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto parameter = static_cast<SweptParameter>(i);
    names[i] = {parameter, name_of(parameter)};
  }
  return names;
}();

template <typename Sweep, typename Visit>
void visit_sweep(Sweep& sweep, const Visit& visit) {
  visit("is_on", sweep.is_on);
  visit("parameter", sweep.parameter, parameters);
  visit("is_series", sweep.is_series);
  visit("frames_per_second", sweep.frames_per_second);
  visit("plays_once", sweep.plays_once);
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

void take_sweep(const nlohmann::json& settings, SweepChoices& sweep) {
  visit_sweep(sweep, SettingReader{settings});
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

// Returns the word for a number or a truth, which earlier files have instead.
std::string earlier_word(const nlohmann::json& settings, const FigureChoice& choice, const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (!value.is_number()) return {};
  if (choice.key == "width") {
    std::string unit;
    take(settings, "width_unit", unit);
    return value.dump() + (unit == "pixels" ? "px" : "mm");
  }
  if (choice.key == "decimals" && value < 0) return "none";
  if (choice.key == "row_sums") return value < 0 ? "automatic" : value > 0 ? "on" : "off";
  if (!choice.way.values) return value.dump();
  const std::vector<ChoiceValue> values = choice.way.values({AttentionConfig()});
  const std::size_t place = value.is_number_unsigned() ? value.get<std::size_t>() : values.size();
  if (place >= values.size()) return {};
  return values[choice.key == "colormap" ? (place + 1) % values.size() : place].word;  // its own map was the last one
}

// Earlier files have some choices under other keys.
void take_earlier_keys(nlohmann::json& settings) {
  for (const auto& [earlier, key] : {std::pair("has_arrows", "arrows"), std::pair("shows_pinned", "pinned"),
                                     std::pair("has_arithmetic", "arithmetic")}) {
    if (settings.contains(earlier)) settings[key] = settings[earlier];
  }
  if (!settings.contains("range_low") || !settings.contains("range_high")) return;
  settings["two_numbers"] = settings["range_low"].dump() + ".." + settings["range_high"].dump();
  bool has_fixed_range = false;
  take(settings, "has_fixed_range", has_fixed_range);
  if (has_fixed_range) settings["range"] = settings["two_numbers"];
}

}  // namespace

nlohmann::ordered_json figure_settings(const FigureChoices& choices) {
  nlohmann::ordered_json settings;
  for (const FigureChoice& choice : figure_choice_table()) {
    if (choice.is_kept) settings[std::string(choice.key)] = choice.way.word(choices);
  }
  SettingWriter{settings}("left_out", choices.options.left_out);
  settings["sweep"] = sweep_settings(choices.sweep);
  return settings;
}

FigureChoices figure_choices(nlohmann::json settings) {
  FigureChoices choices;
  take_earlier_keys(settings);
  for (const FigureChoice& choice : figure_choice_table()) {
    const auto at = choice.is_kept ? settings.find(choice.key) : settings.end();
    if (at == settings.end()) continue;
    const std::string word = at->is_string() ? at->get<std::string>() : earlier_word(settings, choice, *at);
    if (!word.empty()) choice.way.choose(choices, word, {AttentionConfig()});
  }
  SettingReader{settings}("left_out", choices.options.left_out);
  if (settings.contains("sweep") && settings["sweep"].is_object()) take_sweep(settings["sweep"], choices.sweep);
  return choices;
}

}  // namespace attnscope

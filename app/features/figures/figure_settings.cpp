#include "features/figures/figure_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/picture_format.h"
#include "features/shared/settings_json.h"
#include "session/figure_choice_table.h"

namespace attnscope {
namespace {

constexpr std::size_t most_typed_bytes = 200;

// Other documents have other heads, features and tokens: these ranges are not kept.
constexpr std::string_view ranges_of_document[] = {"num_heads", "d_out", swept_tokens};

// Returns the words of all parameters. Earlier files have the place of the first six instead of their words.
std::vector<std::pair<std::string, std::string_view>> parameter_words() {
  std::vector<std::pair<std::string, std::string_view>> words;
  const auto add = [&](std::string_view name) { words.emplace_back(name, name); };
  for (const char* const name : {"dropout", "seed", "num_heads", "embedding", "tokens", "stages"}) add(name);
  for (const SweptParameter& parameter : swept_parameters()) add(parameter.name);
  return words;
}

template <typename Sweep, typename Visit>
void visit_sweep(Sweep& sweep, const Visit& visit) {
  visit("is_on", sweep.is_on);
  visit("parameter", sweep.parameter, parameter_words());
  visit("is_series", sweep.is_series);
  visit("frames_per_second", sweep.frames_per_second);
  visit("plays_once", sweep.plays_once);
}

nlohmann::ordered_json sweep_settings(const SweepChoices& sweep) {
  nlohmann::ordered_json settings;
  visit_sweep(sweep, SettingWriter{settings});
  for (const auto& [parameter, range] : sweep.ranges) {
    if (std::ranges::find(ranges_of_document, parameter) != std::end(ranges_of_document)) continue;
    settings[parameter] = {range.first, range.last, range.step};
  }
  return settings;
}

void take_sweep(const JsonValue& settings, SweepChoices& sweep) {
  const SettingReader read{settings};
  visit_sweep(sweep, read);
  const double rate = sweep.frames_per_second;
  if (!(rate >= slowest_playback && rate <= fastest_playback)) sweep.frames_per_second = Playback().frames_per_second;
  for (const SweptParameter& parameter : swept_parameters()) {
    std::vector<std::string> texts;
    read(parameter.name, texts);
    const bool is_short =
        std::ranges::all_of(texts, [](const std::string& text) { return text.size() < most_typed_bytes; });
    if (texts.size() == 3 && is_short) sweep.ranges[std::string(parameter.name)] = {texts[0], texts[1], texts[2]};
  }
}

// Returns the word for a number or a truth, which earlier files have instead.
std::string earlier_word(const JsonValue& settings, const FigureChoice& choice, const JsonValue& value) {
  if (value.is_boolean()) return value.flag() ? "on" : "off";
  if (!value.is_number()) return {};
  const std::string spelled(value.raw());
  if (choice.key == "width") {
    std::string unit;
    SettingReader{settings}("width_unit", unit);
    return spelled + (unit == "pixels" ? "px" : "mm");
  }
  const bool is_negative = spelled.starts_with('-');
  if (choice.key == "decimals" && is_negative) return "none";
  if (choice.key == "row_sums") return is_negative ? "automatic" : value.number() > 0 ? "on" : "off";
  if (!choice.way.values) return spelled;
  const std::vector<ChoiceValue> values = choice.way.values({AttentionConfig()});
  const std::size_t place = value.natural().value_or(values.size());
  if (place >= values.size()) return {};
  return values[choice.key == "colormap" ? (place + 1) % values.size() : place].word;  // its own map was the last one
}

// Returns "-0.25..0.5", which earlier files have as two numbers; empty without them.
std::string earlier_two_numbers(const JsonValue& settings) {
  const std::optional<JsonValue> low = settings.find("range_low");
  const std::optional<JsonValue> high = settings.find("range_high");
  return low && high ? fmt::format("{}..{}", low->raw(), high->raw()) : "";
}

// Returns the key that earlier files have for a choice.
std::string_view earlier_key(std::string_view key) {
  for (const auto& [earlier, now] : {std::pair("has_arrows", "arrows"), std::pair("shows_pinned", "pinned"),
                                     std::pair("has_arithmetic", "arithmetic")}) {
    if (key == now) return earlier;
  }
  return key;
}

// Returns the word of a choice; empty if the settings have none.
std::string word_in(const JsonValue& settings, const FigureChoice& choice) {
  bool has_fixed_range = false;
  SettingReader{settings}("has_fixed_range", has_fixed_range);
  if (choice.key == "two_numbers" || (choice.key == "range" && has_fixed_range)) {
    if (std::string word = earlier_two_numbers(settings); !word.empty()) return word;
  }
  std::optional<JsonValue> value = settings.find(earlier_key(choice.key));
  if (!value) value = settings.find(choice.key);
  if (!value) return {};
  return value->is_text() ? value->text() : earlier_word(settings, choice, *value);
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

FigureChoices figure_choices(const JsonValue& settings) {
  FigureChoices choices;
  for (const FigureChoice& choice : figure_choice_table()) {
    const std::string word = choice.is_kept ? word_in(settings, choice) : "";
    if (!word.empty()) choice.way.choose(choices, word, {AttentionConfig()});
  }
  SettingReader{settings}("left_out", choices.options.left_out);
  if (const auto sweep = settings.find("sweep"); sweep && sweep->is_object()) take_sweep(*sweep, choices.sweep);
  return choices;
}

}  // namespace attnscope

#include "features/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/stage.h"
#include "core/text.h"
#include "document/file_formats.h"
#include "document/json_value.h"
#include "platform/system/file.h"
#include "session/figure_state.h"
#include "session/view_state.h"
#include "view/colours.h"
#include "view/stage_look.h"

namespace attnscope {
namespace {

// Fields of settings. A function names each once, with its key, and is called with a reader and with a writer.

// Reads the fields that exist. A value of another type is skipped.
struct SettingReader {
  const JsonValue& object;

  template <typename Value>
  void operator()(std::string_view key, Value& value) const {
    if (const std::optional<JsonValue> found = object.find(key)) take(*found, value);
  }
  // Reads a value by its word.
  template <typename Value, typename Words>
  void operator()(std::string_view key, Value& value, const Words& words) const {
    const std::optional<JsonValue> found = object.find(key);
    if (!found) return;
    const std::string named = found->is_text() ? found->text() : "";
    for (const auto& [each, word] : words) {
      if (word == named) value = each;
    }
  }

private:
  static void take(const JsonValue& json, bool& value) {
    if (json.is_boolean()) value = json.flag();
  }
  static void take(const JsonValue& json, std::optional<bool>& value) {
    if (json.is_boolean()) value = json.flag();
  }
  static void take(const JsonValue& json, int& value) {
    using Limits = std::numeric_limits<int>;
    if (const auto number = json.whole())
      value = static_cast<int>(std::clamp<Index>(*number, Limits::min(), Limits::max()));
  }
  template <std::floating_point Real>
  static void take(const JsonValue& json, Real& value) {
    if (json.is_number()) value = static_cast<Real>(json.number());
  }
  static void take(const JsonValue& json, std::string& value) {
    if (json.is_text()) value = json.text();
  }
  static void take(const JsonValue& json, std::vector<std::string>& values) {
    if (!json.is_array()) return;
    std::vector<std::string> texts;
    for (JsonItems items(json); const JsonValue* item = items.next();) {
      if (!item->is_text()) return;
      texts.push_back(item->text());
    }
    values = std::move(texts);
  }
  // Reads stages by their ids; skips those that name no stage of the diagram.
  static void take(const JsonValue& json, StageSet& chosen) {
    std::vector<std::string> ids;
    take(json, ids);
    chosen = {};
    for (const std::string& id : ids) {
      const std::optional<Stage> stage = stage_named(id);
      if (stage && has_place(*stage)) chosen.add(*stage);
    }
  }
};

struct SettingWriter {
  Json& json;

  void operator()(std::string_view key, const StageSet& chosen) const {
    std::vector<std::string_view> ids;
    for (const StageInfo& row : stages()) {
      if (chosen.contains(row.stage)) ids.push_back(row.id);
    }
    json[std::string(key)] = ids;
  }
  void operator()(std::string_view key, const std::optional<bool>& choice) const {
    if (choice) json[std::string(key)] = *choice;
  }
  template <typename Value>
  void operator()(std::string_view key, const Value& value) const {
    json[std::string(key)] = value;
  }
  template <typename Value, typename Words>
  void operator()(std::string_view key, const Value& value, const Words& words) const {
    json[std::string(key)] = word_of(words, value);
  }
};

// Returns the value and the id of each row of a table.
template <typename Rows, typename ValueOf, typename IdOf>
auto words_of(const Rows& rows, ValueOf value_of, IdOf id_of) {
  using Value = std::remove_cvref_t<std::invoke_result_t<ValueOf, decltype(*rows.begin())>>;
  std::vector<std::pair<Value, std::string_view>> words;
  for (const auto& row : rows) words.emplace_back(std::invoke(value_of, row), std::invoke(id_of, row));
  return words;
}

constexpr std::size_t most_typed_bytes = 200;

// Other documents have other heads, features and tokens: these ranges are not kept.
constexpr std::string_view ranges_of_document[] = {"num_heads", "d_out", swept_tokens};

template <typename Sweep, typename Visit>
void visit_sweep(Sweep& sweep, const Visit& visit) {
  visit("is_on", sweep.is_on);
  visit("parameter", sweep.parameter, words_of(swept_parameters(), &SweptParameter::name, &SweptParameter::name));
  visit("is_series", sweep.is_series);
  visit("frames_per_second", sweep.frames_per_second);
  visit("plays_once", sweep.plays_once);
}

Json sweep_settings(const SweepChoices& sweep) {
  Json settings;
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

// Returns the word for a number or a truth, which version 0.2.0 wrote instead.
std::string earlier_word(const JsonValue& settings, std::string_view key, const JsonValue& value) {
  if (value.is_boolean()) return value.flag() ? "on" : "off";
  if (!value.is_number()) return {};
  std::string spelled(value.raw());
  if (key == "width") {
    std::string unit;
    SettingReader{settings}("width_unit", unit);
    return spelled + (unit == "pixels" ? "px" : "mm");
  }
  const bool is_negative = spelled.starts_with('-');
  if (key == "decimals" && is_negative) return "none";
  if (key == "row_sums") return is_negative ? "automatic" : value.number() > 0 ? "on" : "off";
  return spelled;
}

// Returns "-0.25..0.5", which version 0.2.0 wrote as two numbers; empty without them.
std::string earlier_two_numbers(const JsonValue& settings) {
  const std::optional<JsonValue> low = settings.find("range_low");
  const std::optional<JsonValue> high = settings.find("range_high");
  return low && high ? fmt::format("{}..{}", low->raw(), high->raw()) : "";
}

// Returns the key that version 0.2.0 wrote for a choice.
std::string_view earlier_key(std::string_view key) {
  for (const auto& [earlier, now] : {std::pair("has_arrows", "arrows"), std::pair("shows_pinned", "pinned"),
                                     std::pair("has_arithmetic", "arithmetic")}) {
    if (key == now) return earlier;
  }
  return key;
}

// Returns the word of a choice; empty if the settings have none.
std::string word_in(const JsonValue& settings, std::string_view key) {
  bool has_fixed_range = false;
  SettingReader{settings}("has_fixed_range", has_fixed_range);
  if (key == "two_numbers" || (key == "range" && has_fixed_range)) {
    if (std::string word = earlier_two_numbers(settings); !word.empty()) return word;
  }
  std::optional<JsonValue> value = settings.find(earlier_key(key));
  if (!value) value = settings.find(key);
  if (!value) return {};
  return value->is_text() ? value->text() : earlier_word(settings, key, *value);
}

}  // namespace

Json figure_settings(const FigureChoices& choices) {
  Json settings;
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
    const std::string word = choice.is_kept ? word_in(settings, choice.key) : "";
    if (!word.empty()) choice.way.choose(choices, word, {AttentionConfig()});
  }
  SettingReader{settings}("left_out", choices.options.left_out);
  if (const auto sweep = settings.find("sweep"); sweep && sweep->is_object()) take_sweep(*sweep, choices.sweep);
  return choices;
}

namespace {

constexpr std::size_t max_settings_bytes = 1 << 20;

constexpr Words<Backend, 2> backends = {{{Backend::serial, "serial"}, {Backend::openmp, "openmp"}}};

void limit(ViewState& view) {
  view.interface_scale = std::clamp(view.interface_scale, min_interface_scale, max_interface_scale);
  for (float* const width : {&view.setup_width, &view.inspector_width}) {
    const bool is_chosen = *width > 0;
    *width = is_chosen ? std::clamp(*width, min_panel_width, max_panel_width) : 0;
  }
  view.decimals = view.decimals == 4 ? 4 : 2;
  view.threads = std::clamp(view.threads, 0, 256);
  view.screenshot_scale = std::clamp(view.screenshot_scale, 1, 3);
  view.window_width = std::clamp(view.window_width, 800, 16384);
  view.window_height = std::clamp(view.window_height, 520, 16384);
  if (!has_openmp) view.backend = Backend::serial;
}

// Each field that is kept as it is.
template <typename View, typename Visit>
void visit_fields(View& view, const Visit& visit) {
  visit("layout", view.mode,
        words_of(view_modes(), &ViewModeInfo::mode, [](const ViewModeInfo& row) { return row.mode.id; }));
  visit("stage", view.stage, words_of(stages(), &StageInfo::stage, &StageInfo::id));
  visit("range", view.range, words_of(range_modes, &RangeModeName::mode, &RangeModeName::id));
  visit("study", view.study.id);
  visit("not_presented", view.not_presented);
  visit("backend", view.backend, backends);
  visit("show_reach", view.show_reach);
  visit("decimals", view.decimals);
  visit("numbers", view.numbers);
  visit("theme", view.theme, words_of(themes(), &ThemeColours::theme, &ThemeColours::id));
  visit("interface_scale", view.interface_scale);
  visit("setup_width", view.setup_width);
  visit("inspector_width", view.inspector_width);
  visit("show_inspector", view.show_inspector);
  visit("docks_inspector", view.docks_inspector);
  visit("shows_start", view.shows_start);
  visit("shows_drag_hint", view.shows_drag_hint);
  visit("reduces_motion", view.reduces_motion);
  visit("show_timing", view.show_timing);
  visit("handout_has_answers", view.handout_has_answers);
  visit("threads", view.threads);
  visit("screenshot_scale", view.screenshot_scale);
  visit("screenshot_footer", view.screenshot_footer);
  visit("screenshot_folder", view.screenshot_folder);
  visit("document_folder", view.document_folder);
  visit("figure_folder", view.figure_folder);
  visit("window_width", view.window_width);
  visit("window_height", view.window_height);
  visit("show_options", view.show_options);
  visit("show_setup", view.show_setup);
}

ViewState from_json(const JsonValue& json) {
  const SettingReader read{json};
  ViewState view;
  visit_fields(view, read);
  if (const auto figure = json.find("figure"); figure && figure->is_object()) view.figure = figure_choices(*figure);
  limit(view);
  return view;
}

Json to_json(const ViewState& view) {
  Json json;
  visit_fields(view, SettingWriter{json});
  if (view.figure) json["figure"] = figure_settings(*view.figure);
  return json;
}

// Returns the settings in the file. Throws Error if they cannot be read, so that they are not written over.
Json settings_in(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Json::object();
  const std::string text = read_file(path, max_settings_bytes);
  auto json = parse_json(text);
  if (json.is_object()) return json;
  if (text.empty()) return Json::object();
  throw Error(fmt::format("Settings are not kept: {} could not be read, and stays as it is.", shown_path(path)));
}

}  // namespace

ViewState load_settings(const std::filesystem::path& path, std::string& problem) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  try {
    const std::string text = read_file(path, max_settings_bytes);
    const JsonText json(text, "It");
    const JsonValue settings = json.root();
    if (settings.is_object()) return from_json(settings);
    problem = fmt::format("The settings in {} are not a JSON object; the defaults are used.", shown_path(path));
  } catch (const Error& error) {
    problem =
        fmt::format("The settings in {} could not be read; the defaults are used. {}", shown_path(path), error.what());
  }
  return {};
}

ViewState view_to_save(const UiState& now, const ViewState& saved) {
  ViewState view = now.view;
  view.pinned = saved.pinned;
  view.transient = saved.transient;
  view.map = saved.map;
  view.head = saved.head;
  view.batch = saved.batch;
  if (now.viewing || now.lesson.lesson) {
    view.mode = saved.mode;
    view.stage = saved.stage;
  }
  if (now.lesson.lesson) view.decimals = saved.decimals;
  return view;
}

bool save_settings(const ViewState& view, const ViewState& before, const std::filesystem::path& path,
                   std::chrono::milliseconds patience) {
  const FileLock lock(path.string() + ".lock", patience);
  if (lock.is_anothers()) return false;
  Json settings = settings_in(path);
  const Json old_values = to_json(before);
  const Json new_values = to_json(view);
  for (const auto& [key, value] : new_values.items()) {
    if (!old_values.contains(key) || old_values[key] != value) settings[key] = value;
  }
  write_file(path, json_text(settings, 2) + "\n");
  return true;
}

}  // namespace attnscope

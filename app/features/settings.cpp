#include "features/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/shown_text.h"
#include "features/figures/figure_settings.h"
#include "features/shared/settings_json.h"
#include "platform/system/file.h"
#include "session/view_modes.h"
#include "view/colours.h"

namespace attnscope {
namespace {

constexpr std::size_t max_settings_bytes = 1 << 20;

constexpr Words<Backend, 2> backends = {{{Backend::serial, "serial"}, {Backend::openmp, "openmp"}}};
constexpr Words<Pooling, 2> poolings = {{{Pooling::largest_magnitude, "largest_magnitude"}, {Pooling::mean, "mean"}}};

// The stages that earlier files name by their places stand before the others.
std::vector<std::pair<Stage, std::string_view>> stage_words() {
  auto words = words_of(stages(), &StageInfo::stage, &StageInfo::id);
  constexpr std::array earlier = {Stage::inputs,
                                  Stage::queries,
                                  Stage::keys,
                                  Stage::values,
                                  Stage::scores,
                                  Stage::mask,
                                  Stage::masked_scores,
                                  Stage::scaled_scores,
                                  Stage::weights,
                                  Stage::masked_weights,
                                  Stage::renormalized_weights,
                                  Stage::dropout_factors,
                                  Stage::dropped_weights,
                                  Stage::head_context,
                                  Stage::context,
                                  Stage::output};
  const auto place = [&](const auto& word) { return std::ranges::find(earlier, word.first) - earlier.begin(); };
  std::ranges::stable_sort(words, {}, place);
  return words;
}

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
  visit("stage", view.stage, stage_words());
  visit("range", view.range, range_words());
  visit("study", view.study.id);
  visit("not_presented", view.not_presented);
  visit("backend", view.backend, backends);
  visit("pooling", view.pooling, poolings);
  visit("zoom_alone", view.zoom_alone);
  visit("show_minimap", view.show_minimap);
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
  visit("reduces_motion", view.reduces_motion);
  visit("show_timing", view.show_timing);
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
  bool is_dark = false;  // all that earlier files say of the theme
  read("dark", is_dark);
  if (is_dark) view.theme = ThemeId::dark;
  visit_fields(view, read);
  if (const auto figure = json.find("figure"); figure && figure->is_object()) view.figure = figure_choices(*figure);
  limit(view);
  return view;
}

nlohmann::ordered_json to_json(const ViewState& view) {
  nlohmann::ordered_json json;
  visit_fields(view, SettingWriter{json});
  if (view.figure) json["figure"] = figure_settings(*view.figure);
  return json;
}

// The settings that are there. Throws Error where they cannot be read: they are not to be written over.
nlohmann::ordered_json settings_in(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return nlohmann::ordered_json::object();
  const std::string text = read_file(path, max_settings_bytes);
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_object()) return json;
  if (text.empty()) return nlohmann::ordered_json::object();
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

bool save_settings(const ViewState& view, const ViewState& before, const std::filesystem::path& path,
                   std::chrono::milliseconds patience) {
  const FileLock lock(path.string() + ".lock", patience);
  if (lock.is_anothers()) return false;
  nlohmann::ordered_json settings = settings_in(path);
  const nlohmann::ordered_json old_values = to_json(before);
  const nlohmann::ordered_json new_values = to_json(view);
  for (const auto& [key, value] : new_values.items()) {
    if (!old_values.contains(key) || old_values[key] != value) settings[key] = value;
  }
  // Folders can have names that are no UTF-8.
  write_file(path, settings.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  return true;
}

}  // namespace attnscope

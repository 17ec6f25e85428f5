#include "session/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/shown_text.h"
#include "features/figures/figure_settings.h"
#include "features/shared/settings_json.h"
#include "look/themes.h"
#include "platform/system/file.h"
#include "state/layouts.h"

namespace attnscope {
namespace {

constexpr std::size_t max_settings_bytes = 1 << 20;
constexpr std::chrono::milliseconds lock_patience{500};

constexpr Names<Backend, 2> backends = {{{Backend::serial, "serial"}, {Backend::openmp, "openmp"}}};
constexpr Names<Pooling, 2> poolings = {{{Pooling::largest_magnitude, "largest_magnitude"}, {Pooling::mean, "mean"}}};

const auto theme_names = [] {
  Names<ThemeId, theme_count> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {themes()[i].theme, themes()[i].id};
  return names;
}();

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

// Earlier files have the view's place in the table.
void take_layout(const nlohmann::json& json, Layout& layout) {
  std::string id;
  std::size_t place = layouts().size();
  take(json, "layout", id);
  take(json, "layout", place);
  for (std::size_t i = 0; i < layouts().size(); ++i) {
    if (layouts()[i].layout.id == id || i == place) layout = layouts()[i].layout;
  }
}

// Earlier files say only whether it is dark.
void take_earlier_theme(const nlohmann::json& json, ThemeId& theme) {
  bool is_dark = false;
  take(json, "dark", is_dark);
  if (is_dark) theme = ThemeId::dark;
}

// A choice that depends on the window until the user makes it.
void take_choice(const nlohmann::json& json, const char* key, std::optional<bool>& choice) {
  const auto at = json.find(key);
  if (at != json.end() && at->is_boolean()) choice = at->get<bool>();
}

// Each field that is kept as it is.
template <typename View, typename Visit>
void visit_fields(View& view, const Visit& visit) {
  visit("range", view.range, range_names);
  visit("study", view.study.id);
  visit("not_presented", view.not_presented);
  visit("backend", view.backend, backends);
  visit("pooling", view.pooling, poolings);
  visit("zoom_alone", view.zoom_alone);
  visit("show_minimap", view.show_minimap);
  visit("show_reach", view.show_reach);
  visit("decimals", view.decimals);
  visit("numbers", view.numbers);
  visit("theme", view.theme, theme_names);
  visit("interface_scale", view.interface_scale);
  visit("setup_width", view.setup_width);
  visit("inspector_width", view.inspector_width);
  visit("show_inspector", view.show_inspector);
  visit("docks_inspector", view.docks_inspector);
  visit("shows_start", view.shows_start);
  visit("reduces_motion", view.reduces_motion);
  visit("show_performance", view.show_performance);
  visit("threads", view.threads);
  visit("screenshot_scale", view.screenshot_scale);
  visit("screenshot_footer", view.screenshot_footer);
  visit("screenshot_folder", view.screenshot_folder);
  visit("document_folder", view.document_folder);
  visit("figure_folder", view.figure_folder);
  visit("window_width", view.window_width);
  visit("window_height", view.window_height);
}

ViewState from_json(const nlohmann::json& json) {
  ViewState view;
  take_layout(json, view.layout);
  take_stage(json, "stage", view.stage);
  take_earlier_theme(json, view.theme);
  visit_fields(view, SettingReader{json});
  take_choice(json, "show_options", view.show_options);
  take_choice(json, "show_setup", view.show_setup);
  if (json.contains("figure") && json["figure"].is_object()) view.figure = figure_choices(json["figure"]);
  limit(view);
  return view;
}

nlohmann::ordered_json to_json(const ViewState& view) {
  nlohmann::ordered_json json = {{"layout", view.layout.id}, {"stage", info(view.stage).id}};
  visit_fields(view, SettingWriter{json});
  if (view.show_options) json["show_options"] = *view.show_options;
  if (view.show_setup) json["show_setup"] = *view.show_setup;
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
    const nlohmann::json json = nlohmann::json::parse(read_file(path, max_settings_bytes));
    if (json.is_object()) return from_json(json);
    problem = fmt::format("The settings in {} are not a JSON object; the defaults are used.", shown_path(path));
  } catch (const Error& error) {
    problem = error.what();
  } catch (const nlohmann::json::exception&) {
    problem = fmt::format("The settings in {} could not be read; the defaults are used.", shown_path(path));
  }
  return {};
}

void save_settings(const ViewState& view, const ViewState& before, const std::filesystem::path& path) {
  const FileLock lock(path.string() + ".lock", lock_patience);
  nlohmann::ordered_json settings = settings_in(path);
  const nlohmann::ordered_json old_values = to_json(before);
  const nlohmann::ordered_json new_values = to_json(view);
  for (const auto& [key, value] : new_values.items()) {
    if (!old_values.contains(key) || old_values[key] != value) settings[key] = value;
  }
  // Folders can have names that are no UTF-8.
  write_file(path, settings.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace attnscope

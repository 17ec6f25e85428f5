#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "platform/system/process.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

using SettingValues = std::vector<Setting::Value>;

constexpr std::array scale_percents = {75, 90, 100, 110, 125, 150, 175, 200, 250, 300};
constexpr std::array zoom_percents = {50, 75, 100, 125, 150, 200, 300, 400, 600, 800};
constexpr std::array thread_counts = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256};
constexpr std::array decimal_counts = {2, 4};
constexpr int most_screenshot_scale = 3;

template <typename Numbers>
int place_of(const Numbers& numbers, int number) {
  const auto found = std::ranges::find(numbers, number);
  return found == numbers.end() ? -1 : static_cast<int>(found - numbers.begin());
}

int percent(float share) { return static_cast<int>(std::lround(share * 100)); }

std::string percent_text(float share) { return fmt::format("{} %", percent(share)); }

template <typename Percents>
SettingValues percent_values(const Percents& percents) {
  SettingValues values;
  for (const int each : percents) values.push_back({fmt::format("{}", each), fmt::format("{} %", each)});
  return values;
}

template <typename Rows>
SettingValues titled(const Rows& rows) {
  SettingValues values;
  for (const auto& row : rows) values.push_back({std::string(row.id), std::string(row.title)});
  return values;
}

SettingValues theme_values() {
  SettingValues values;
  for (const ThemeColours& row : themes()) {
    std::string title(row.id);
    std::ranges::replace(title, '-', ' ');
    values.push_back({std::string(row.id), title});
  }
  return values;
}

SettingValues thread_values() {
  SettingValues values;
  for (const int count : thread_counts)
    values.push_back({fmt::format("{}", count), count == 0 ? "one for each core" : fmt::format("{}", count)});
  return values;
}

SettingValues screenshot_values() {
  SettingValues values;
  for (int scale = 1; scale <= most_screenshot_scale; ++scale)
    values.push_back({fmt::format("{}", scale), fmt::format("{}× the window's", scale)});
  return values;
}

std::string_view no_openmp(const ViewState&, int index) {
  return index == static_cast<int>(Backend::openmp) && !has_openmp ? "This program was built without OpenMP." : "";
}

std::string_view one_thread(const ViewState& view, int) {
  return view.backend == Backend::serial ? "The serial engine has one thread." : "";
}

std::vector<Setting> all_settings() {
  return {
      {.id = "theme",
       .label = "theme",
       .help = "Light, dark (Ctrl+D), or white on black with strong frames (Ctrl+Shift+D)",
       .values = theme_values(),
       .chosen = [](const ViewState& view) { return static_cast<int>(view.theme); },
       .choose = [](ViewState& view, int index) { view.theme = themes()[static_cast<std::size_t>(index)].theme; }},
      {.id = "scale",
       .label = "text size",
       .help = "Of all texts and controls: Ctrl++ and Ctrl+−, too; Ctrl+0 is 100 %",
       .values = percent_values(scale_percents),
       .chosen = [](const ViewState& view) { return place_of(scale_percents, percent(view.interface_scale)); },
       .choose =
           [](ViewState& view, int index) {
             view.interface_scale = static_cast<float>(scale_percents.at(static_cast<std::size_t>(index))) / 100;
           },
       .text_of_other = [](const ViewState& view) { return percent_text(view.interface_scale); }},
      {.id = "zoom",
       .label = "diagram size",
       .help = "Ctrl+wheel, too; 0 shows all of it",
       .values = percent_values(zoom_percents),
       .chosen = [](const ViewState& view) { return place_of(zoom_percents, percent(view.diagram_zoom)); },
       .choose =
           [](ViewState& view, int index) {
             view.diagram_zoom = static_cast<float>(zoom_percents.at(static_cast<std::size_t>(index))) / 100;
           },
       .text_of_other = [](const ViewState& view) { return percent_text(view.diagram_zoom); }},
      {.id = "range",
       .label = "colours",
       .help = range_modes_help,
       .values = titled(range_modes),
       .chosen =
           [](const ViewState& view) {
             return static_cast<int>(std::ranges::find(range_modes, view.range, &RangeModeName::mode) -
                                     std::begin(range_modes));
           },
       .choose = [](ViewState& view, int index) { view.range = range_modes[static_cast<std::size_t>(index)].mode; }},
      {.id = "decimals",
       .label = "decimals",
       .help = "Of the numbers in the cells (F)",
       .values = {{"2", "2"}, {"4", "4, as notebooks print them"}},
       .chosen = [](const ViewState& view) { return place_of(decimal_counts, view.decimals); },
       .choose = [](ViewState& view,
                    int index) { view.decimals = decimal_counts.at(static_cast<std::size_t>(index)); }},
      {.id = "backend",
       .label = "engine",
       .help = "One thread (serial), or several (OpenMP). Both give the same bits.",
       .values = {{"serial", "serial"}, {"openmp", "OpenMP"}},
       .chosen = [](const ViewState& view) { return static_cast<int>(view.backend); },
       .choose = [](ViewState& view, int index) { view.backend = static_cast<Backend>(index); },
       .obstacle = no_openmp},
      {.id = "threads",
       .label = "threads",
       .help = "Number of threads for OpenMP",
       .values = thread_values(),
       .chosen = [](const ViewState& view) { return place_of(thread_counts, view.threads); },
       .choose = [](ViewState& view, int index) { view.threads = thread_counts.at(static_cast<std::size_t>(index)); },
       .text_of_other = [](const ViewState& view) { return fmt::format("{}", view.threads); },
       .obstacle = one_thread},
      {.id = "screenshot",
       .label = "resolution",
       .help = "Pixels of a screenshot",
       .values = screenshot_values(),
       .chosen = [](const ViewState& view) { return view.screenshot_scale - 1; },
       .choose = [](ViewState& view, int index) { view.screenshot_scale = index + 1; }},
  };
}

}  // namespace

std::span<const Setting> setting_table() {
  static const std::vector<Setting> rows = all_settings();
  return rows;
}

const Setting& setting(std::string_view id) {
  const auto found = std::ranges::find(setting_table(), id, &Setting::id);
  assert(found != setting_table().end() && "dialogs name settings of the table");
  return *found;
}

namespace {

// A row is a setting of the table, or the id of an action that switches something on and off, which has a '/'.
struct SettingGroup {
  const char* title;
  std::vector<std::string_view> rows;
};

const std::vector<SettingGroup>& setting_groups() {
  static const std::vector<SettingGroup> groups = {
      {"Look", {"theme", "scale", "zoom", "range", "view/motion"}},
      {"Numbers", {"decimals", "view/numbers", "view/reach"}},
      {"Computing", {"backend", "threads", "view/timing"}},
      {"Screenshots", {"screenshot", "file/screenshot/footer"}},
      {"Start", {"learn/start"}},
  };
  return groups;
}

void draw_setting(const ViewContext& context, CallQueue& queue, const Setting& row) {
  const ViewState& view = context.now.view;
  std::vector<Choice> choices;
  int index = 0;
  for (const Setting::Value& value : row.values)
    choices.push_back({.label = value.title, .reason = row.obstacle_in(view, index++), .name = value.id});
  int chosen = row.chosen(view);
  const std::string_view reason = row.id == "threads" ? row.obstacle_in(view, 0) : "";
  if (chosen < 0) {
    chosen = static_cast<int>(choices.size());
    choices.push_back({.label = row.text_of_other(view), .name = "other"});
  }
  const std::string name = "settings/" + std::string(row.id);
  const int wanted = choose(context, std::string(row.label).c_str(), name, choices, chosen, reason, row.help);
  if (wanted < 0 || wanted >= static_cast<int>(row.values.size())) return;
  change_view(queue, [choose = row.choose, wanted](ViewState& state) { choose(state, wanted); });
}

void draw_switch(const ViewContext& context, CallQueue& queue, const Action& row) {
  bool is_on = row.is_on(context);
  if (ImGui::Checkbox(row.label, &is_on)) row.run(context, queue);
  register_item(context, "settings/" + std::string(row.id), {.is_on = is_on});
  item_tooltip(context, row.help);
}

}  // namespace

void draw_settings(const ViewContext& context, CallQueue& queue) {
  begin_flat_child("settings", {0, -ImGui::GetFrameHeightWithSpacing()});
  // Low rows, so that all of them are seen without scrolling.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ImGui::GetStyle().FramePadding.x, 2 * unit(context)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 2 * unit(context)});
  for (const SettingGroup& group : setting_groups()) {
    section_heading(context, group.title);
    for (const std::string_view row : group.rows) {
      if (row.find('/') == std::string_view::npos) {
        draw_setting(context, queue, setting(row));
      } else {
        draw_switch(context, queue, action(row));
      }
    }
    ImGui::Dummy({0, 1 * unit(context)});
  }
  ImGui::PopStyleVar(2);
  ImGui::EndChild();
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
  if (in_browser) return;
  ImGui::SameLine();
  if (push_button(context, "settings/screenshot_folder", "Folder for screenshots…"))
    show_dialog(queue, DialogState::Kind::screenshot_folder);
}

}  // namespace attnscope

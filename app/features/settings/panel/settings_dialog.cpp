#include <string>
#include <string_view>
#include <vector>

#include "features/shared/panel/calls.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "session/setting_table.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
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
      {"Large matrices", {"pooling", "view/alone", "view/minimap"}},
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
  ImGui::SameLine();
  if (push_button(context, "settings/screenshot_folder", "Folder for screenshots…"))
    show_dialog(queue, DialogState::Kind::screenshot_folder);
}

}  // namespace attnscope

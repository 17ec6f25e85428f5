#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "document/version.h"
#include "features/shared/licenses.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "session/view_modes.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float shortcuts_frame = 140;  // height of the window around the list and its margins
constexpr float keys_width = 190;

struct Shortcut {
  std::string keys;
  std::string what;
};

// Actions of the pointer, and of keys that are in no menu.
constexpr std::pair<const char*, const char*> by_hand[] = {
    {"rest on a cell", "explains the number and marks its query and key in every matrix"},
    {"click a cell", "pins it; a second click or Esc unpins"},
    {"wheel on a heatmap", "zooms at the pointer; with Ctrl where it scrolls the page"},
    {"drag a heatmap", "pans when zoomed; a double click shows all of it"},
    {"Tab, Shift+Tab", "to the next panel: stages, inspector, setup, tools"},
    {"arrow keys in a panel", "from item to item; Enter edits or opens it, Esc leaves"},
    {"right click a cell", "what can be done with it, its row, column and matrix"},
    {"Enter in the stages",
     "types the pinned input or weight; switches a cell of dropout or the mask; else the inspector"},
    {"Ctrl+↑, Ctrl+↓", "change the pinned number by 0.01; with Shift 0.1, with Alt 0.001"},
    {"Alt+drag in a matrix", "changes a weight or an input; paints what dropout drops or the mask hides"},
    {"Space, double click", "keep or drop a weight of dropout; show or hide a key"},
    {"Delete", "the pinned number is again what was drawn"},
    {"?", "this list"},
    {"+, −", "zoom in, zoom out"},
    {"arrow keys", "move the pinned cell, in the diagram on into the next matrix"},
    {"Shift+arrow keys", "move the view"},
    {"arrow keys in Layers", "from picture to picture; Enter shows one large"},
    {"drag a number", "changes an embedding; Shift faster, Alt slower"},
    {"double-click a number", "types it"},
    {"Ctrl+click a slider", "types its value"},
    {"[ and ]", "previous and next head"},
    {"Ctrl++, Ctrl+−, Ctrl+0", "interface larger, smaller, 100 %"},
    {"drop a file", "opens it"},
    {"→, Page Down, Space", "before an audience: the next stage, or teaching view; ←, Page Up back; Home, End"},
    {"1 to 5", "before an audience: diagram, heads, focus, layers, teaching view"},
    {"H, Shift+H", "before an audience: the next head, the one before"},
    {"B, S", "before an audience: a blank screen, a spot around the pointer"},
};

std::vector<Shortcut> shortcuts() {
  std::vector<Shortcut> all;
  for (const auto& [keys, what] : by_hand) all.push_back({keys, what});
  for (const ViewModeInfo& row : view_modes()) all.push_back({row.keys(), row.title});
  for (const Action& action : actions()) {
    const std::string keys = action.chord.text();
    if (!keys.empty()) all.push_back({keys, *action.help ? action.help : action.label});
  }
  return all;
}

void draw_glossary_row(const ViewContext& context, const StageInfo& stage) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(std::string(stage.title).c_str());
  ImGui::PopFont();
  ImGui::TextDisabled("%s", shape_letters(context.now.document.config, stage.stage).c_str());
  ImGui::TableNextColumn();
  ImGui::PushTextWrapPos(0.0f);
  ImGui::TextUnformatted(std::string(stage.formula).c_str());
  push_font(context.fonts.small_number);
  ImGui::TextDisabled("%s", std::string(stage.pytorch).c_str());
  ImGui::PopFont();
  ImGui::PopTextWrapPos();
}

constexpr float list_height = 220;
constexpr float about_frame = 220;  // height of the window around the list

void draw_licenses(const ViewContext& context) {
  const float room = ImGui::GetIO().DisplaySize.y - about_frame * unit(context);
  ImGui::BeginChild("licenses", {0, std::min(list_height * unit(context), std::max(room, 0.0f))});
  if (ImGui::BeginTable("licenses", 3, ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, 130 * unit(context));
    ImGui::TableSetupColumn("terms", ImGuiTableColumnFlags_WidthFixed, 180 * unit(context));
    ImGui::TableSetupColumn("holder", ImGuiTableColumnFlags_WidthStretch);
    for (const License& license : licenses()) {
      ImGui::TableNextRow();
      for (const char* const text : {license.name, license.terms, license.holder}) {
        ImGui::TableNextColumn();
        ImGui::PushTextWrapPos(0.0f);
        dim_text(context, text);
        ImGui::PopTextWrapPos();
      }
    }
    ImGui::EndTable();
  }
  ImGui::EndChild();
}

}  // namespace

void draw_glossary(const ViewContext& context, CallQueue& queue) {
  ImGui::BeginChild("stages", {0, -ImGui::GetFrameHeightWithSpacing()});
  if (ImGui::BeginTable("stages", 2, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthFixed, 200 * unit(context));
    ImGui::TableSetupColumn("formula", ImGuiTableColumnFlags_WidthStretch);
    for (const StageInfo& stage : stages()) draw_glossary_row(context, stage);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
}

void draw_shortcuts(const ViewContext& context, CallQueue& queue) {
  // Low windows have no room for all of them: the list scrolls, the button stays.
  std::vector<Shortcut> all = shortcuts();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float words = ImGui::GetContentRegionAvail().x - keys_width * unit(context) - style.ScrollbarSize;
  float wanted = 0;
  for (Shortcut& shortcut : all) {
    shortcut.what = wrapped(ImGui::GetFont(), shortcut.what, words);
    wanted += ImGui::CalcTextSize(shortcut.what.c_str()).y + style.ItemSpacing.y;
  }
  const float room = ImGui::GetIO().DisplaySize.y - shortcuts_frame * unit(context);
  ImGui::BeginChild("shortcuts", {0, std::min(wanted, room)});
  for (const Shortcut& shortcut : all) {
    ImGui::TextUnformatted(shortcut.keys.c_str());
    ImGui::SameLine(keys_width * unit(context));
    ImGui::TextDisabled("%s", shortcut.what.c_str());
  }
  ImGui::EndChild();
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
}

void draw_about(const ViewContext& context, CallQueue& queue) {
  ImGui::TextWrapped(
      "attnscope computes self-attention as the notebooks do, shows every intermediate matrix, and explains every "
      "number on the screen.");
  ImGui::Dummy({0, 4 * unit(context)});
  dim_text(context, fmt::format("Version {} · Dear ImGui {} · {}", version(), IMGUI_VERSION,
                                has_openmp ? "with OpenMP" : "without OpenMP"));
  for (const std::string& message : context.fonts.messages) dim_text(context, message);
  ImGui::Dummy({0, 4 * unit(context)});
  ImGui::TextWrapped("Free software under the MIT license, © the attnscope authors. It is made with these:");
  draw_licenses(context);
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
}

}  // namespace attnscope

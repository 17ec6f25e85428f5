#include <algorithm>
#include <array>
#include <string>

#include "views/dialog.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float shortcuts_frame = 140;  // height of the window around the list and its margins

struct Shortcut {
  const char* keys;
  const char* what;
};

constexpr std::array<Shortcut, 27> shortcuts = {{
    {"rest on a cell", "explains its number; marks its query and key everywhere"},
    {"click a cell", "pins it; a second click or Esc unpins"},
    {"wheel on a heatmap", "zooms at the pointer; with Ctrl where it scrolls the page"},
    {"drag a heatmap", "pans when zoomed; a double click shows all of it"},
    {"+, −, 0", "zoom in, zoom out, show whole matrices"},
    {"arrow keys", "move the pinned cell; with Shift, or without one, the view"},
    {"Ctrl+F", "go to a token, the largest weights, along the diagonal"},
    {"drag a number", "changes an embedding; Shift faster, Alt slower"},
    {"double-click a number", "types it"},
    {"Ctrl+click a slider", "types its value"},
    {"Ctrl+1, Ctrl+2, Ctrl+3", "Pipeline, Heads, Focus"},
    {"[ and ]", "previous and next head"},
    {"Ctrl+Z, Ctrl+Shift+Z", "undo, redo"},
    {"Ctrl+Shift+C", "copies the picture of the window"},
    {"Ctrl+V", "pastes numbers as embeddings"},
    {"Ctrl+N, Ctrl+O", "new document, open"},
    {"Ctrl+S, Ctrl+Shift+S", "save, save as"},
    {"Ctrl+E", "exports a figure"},
    {"F12", "screenshot"},
    {"F1", "this list"},
    {"F2, F3", "show or hide setup and inspector"},
    {"F4", "performance: how long evaluations took, and what for"},
    {"Ctrl+D", "light or dark"},
    {"Ctrl++, Ctrl+−, Ctrl+0", "interface larger, smaller, 100 %"},
    {"4", "two or four decimals"},
    {"drop a file", "opens it"},
    {"Ctrl+Q", "quit"},
}};

void draw_glossary_row(const ViewContext& context, const StageInfo& stage) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(std::string(stage.title).c_str());
  ImGui::PopFont();
  ImGui::TextDisabled("%s", std::string(stage.shape).c_str());
  ImGui::TableNextColumn();
  ImGui::PushTextWrapPos(0.0f);
  ImGui::TextUnformatted(std::string(stage.formula).c_str());
  push_font(context.fonts.small_number);
  ImGui::TextDisabled("%s", std::string(stage.pytorch).c_str());
  ImGui::PopFont();
  ImGui::PopTextWrapPos();
}

}  // namespace

void draw_glossary(const ViewContext& context, CommandQueue& queue) {
  ImGui::BeginChild("stages", {0, -ImGui::GetFrameHeightWithSpacing()});
  if (ImGui::BeginTable("stages", 2, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthFixed, 200 * unit(context));
    ImGui::TableSetupColumn("formula", ImGuiTableColumnFlags_WidthStretch);
    for (const StageInfo& stage : stages()) draw_glossary_row(context, stage);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  if (push_button(context, "dialog/close", "Close")) queue.push_back(CloseDialog{});
}

void draw_shortcuts(const ViewContext& context, CommandQueue& queue) {
  // Low windows have no room for all of them: the list scrolls, the button stays.
  const float wanted = static_cast<float>(shortcuts.size()) * ImGui::GetTextLineHeightWithSpacing();
  const float room = ImGui::GetIO().DisplaySize.y - shortcuts_frame * unit(context);
  ImGui::BeginChild("shortcuts", {0, std::min(wanted, room)});
  for (const Shortcut& shortcut : shortcuts) {
    ImGui::TextUnformatted(shortcut.keys);
    ImGui::SameLine(190 * unit(context));
    ImGui::TextDisabled("%s", shortcut.what);
  }
  ImGui::EndChild();
  ImGui::Dummy({0, 6 * unit(context)});
  if (push_button(context, "dialog/close", "Close")) queue.push_back(CloseDialog{});
}

}  // namespace attnscope

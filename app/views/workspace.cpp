#include "views/workspace.h"

#include "views/dialog.h"
#include "views/go_to.h"
#include "views/panels.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float setup_width = 286;
constexpr float inspector_width = 244;
constexpr float narrow_window = 1400;  // units: below it the side panels give way
constexpr float narrow_setup_width = 272;
constexpr float narrow_inspector_width = 208;
constexpr float strip_padding = 6;  // above and below the text of the status line and of the footer

using Apply = std::function<void()>;

// One of the three columns between menu bar and status line.
template <typename Draw>
void column(const ViewContext& context, const char* name, ImVec2 size, const ImVec4& background, const Draw& draw) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, background);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0);
  ImGui::BeginChild(name, size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  draw();
  ImGui::EndChild();
  register_item(context, name);
}

void vertical_line(const ViewContext& context, float height) {
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(pos, {pos.x, pos.y + height}, to_u32(context.theme.border));
}

void draw_columns(const ViewContext& context, CommandQueue& queue, const Apply& apply, float height) {
  const bool narrow = ImGui::GetIO().DisplaySize.x < narrow_window * unit(context);
  const float left = (narrow ? narrow_setup_width : setup_width) * unit(context);
  const float right = (narrow ? narrow_inspector_width : inspector_width) * unit(context);
  const float inspector = context.view.show_inspector ? right : 0;
  if (context.view.show_setup) {
    column(context, "setup", {left, height}, context.theme.panel, [&] { draw_setup_panel(context, queue); });
    apply();
    ImGui::SameLine(0, 0);
    vertical_line(context, height);
  }
  const float middle = ImGui::GetContentRegionAvail().x - inspector;
  column(context, "workspace", {middle, height}, context.theme.window, [&] {
    draw_tool_bar(context, queue);
    apply();
    draw_stages(context, queue);
  });
  apply();
  if (inspector == 0) return;
  ImGui::SameLine(0, 0);
  vertical_line(context, height);
  column(context, "inspector", {inspector, height}, context.theme.panel, [&] { draw_inspector(context, queue); });
}

// What the picture shows, in a strip of its own below the status line.
void draw_footer(const ViewContext& context, float height) {
  if (height == 0) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({0, display.y - height}, {display.x, display.y - height}, to_u32(context.theme.border));
  ImGui::SetCursorScreenPos({12 * unit(context), display.y - height + strip_padding * unit(context)});
  push_font(context.fonts.small_text);
  const std::string text =
      fit_text(context.fonts.small_text, std::string(context.footer), display.x - 24 * unit(context));
  ImGui::TextDisabled("%s", text.c_str());
  register_item(context, "footer");
  ImGui::PopFont();
}

}  // namespace

void draw_workspace(const ViewContext& context, CommandQueue& queue, const Apply& apply) {
  handle_shortcuts(context, queue);
  apply();
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_MenuBar |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin("attnscope", nullptr, flags);
  ImGui::PopStyleVar();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * unit(context), 10 * unit(context)});
  draw_menu_bar(context, queue);
  apply();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const float strip_height = font_height(context.fonts.small_text) + 2 * strip_padding * unit(context);
  const float footer_height = context.footer.empty() ? 0 : strip_height;
  const float height = ImGui::GetContentRegionAvail().y - strip_height - footer_height;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * unit(context), 6 * unit(context)});
  ImGui::SetCursorScreenPos(top);
  draw_columns(context, queue, apply, height);
  ImGui::PopStyleVar(2);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine(top, {top.x + io.DisplaySize.x, top.y}, to_u32(context.theme.border));
  list.AddLine({0, top.y + height}, {io.DisplaySize.x, top.y + height}, to_u32(context.theme.border));
  ImGui::SetCursorScreenPos({12 * unit(context), top.y + height + strip_padding * unit(context)});
  ImGui::BeginGroup();
  ImGui::PushClipRect({0, top.y + height}, io.DisplaySize, false);
  draw_status_line(context, queue);
  ImGui::PopClipRect();
  ImGui::EndGroup();
  draw_footer(context, footer_height);
  draw_dialog(context, queue);
  ImGui::PopStyleVar();
  ImGui::End();
  draw_go_to(context, queue);
  draw_performance(context, queue);
}

}  // namespace attnscope

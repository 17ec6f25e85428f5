#include "views/workspace.h"

#include <algorithm>
#include <cmath>

#include "views/cell_menu.h"
#include "views/comparison.h"
#include "views/dialog.h"
#include "views/go_to.h"
#include "views/keyboard.h"
#include "views/lesson_panel.h"
#include "views/menu.h"
#include "views/palette.h"
#include "views/panels.h"
#include "views/prediction_panel.h"
#include "views/presenting.h"
#include "views/study_questions.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float setup_width = 286;
constexpr float inspector_width = 244;
constexpr float narrow_window = 2000;  // units: below it the side panels give way to the diagram
constexpr float narrow_setup_width = 272;
constexpr float narrow_inspector_width = 208;
constexpr float lesson_share = 0.22F;  // of the window, that a lesson takes
constexpr float least_lesson_width = 336;
constexpr float most_lesson_width = 440;
constexpr float most_of_window = 0.4f;  // a side panel is no wider
constexpr float edge_reach = 4;         // of the pointer, to each side of a panel's edge
constexpr float strip_padding = 6;      // above and below the text of the status line and of the footer

using Apply = std::function<void()>;

// One of the three columns between menu bar and status line.
template <typename Draw>
void column(const ViewContext& context, CommandQueue& queue, Panel panel, const char* name, ImVec2 size,
            const ImVec4& background, const Draw& draw) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, background);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0);
  ImGui::BeginChild(name, size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  begin_panel(context, queue, panel);
  draw();
  end_panel(context, panel);
  ImGui::EndChild();
  register_item(context, name);
}

float panel_width(const ViewContext& context, float chosen, float wide, float narrow) {
  const float display = ImGui::GetIO().DisplaySize.x;
  const float usual = display < narrow_window * unit(context) ? narrow : wide;
  return std::floor(std::min((chosen > 0 ? chosen : usual) * unit(context),
                             std::max(most_of_window * display, usual * unit(context))));
}

// The edge of a side panel, which can be dragged; a double click gives the panel its usual width again. It is a window,
// so that it lies over the two columns that meet there.
void panel_edge(const ViewContext& context, CommandQueue& queue, const char* name, float ViewState::*width, ImVec2 top,
                float height) {
  const float reach = edge_reach * unit(context);
  const float display = ImGui::GetIO().DisplaySize.x;
  ImGui::SetCursorScreenPos({top.x - reach, top.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild(name, {2 * reach, height}, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  ImGui::InvisibleButton("edge", {2 * reach, height});
  register_item(context, name);
  const bool is_at_work = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (is_at_work) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  ImGui::GetWindowDrawList()->AddLine(top, {top.x, top.y + height},
                                      to_u32(is_at_work ? context.theme.accent : context.theme.border));
  const float pointer = ImGui::GetIO().MousePos.x;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    change_view(queue, [width](ViewState& state) { state.*width = 0; });
  } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    const float wanted = (width == &ViewState::setup_width ? pointer : display - pointer) / unit(context);
    change_view(queue, [width, wanted](ViewState& state) {
      state.*width = std::clamp(wanted, min_panel_width, max_panel_width);
    });
  }
  ImGui::EndChild();
}

// A lesson stands where the setup does, which it needs more room than.
float left_width(const ViewContext& context) {
  const ViewState& view = context.view;
  if (context.lesson.lesson) {
    const float usual =
        std::clamp(lesson_share * ImGui::GetIO().DisplaySize.x / unit(context), least_lesson_width, most_lesson_width);
    const float chosen = view.setup_width > 0 ? std::max(view.setup_width, least_lesson_width) : 0;
    return panel_width(context, chosen, usual, usual);
  }
  return view.show_setup ? panel_width(context, view.setup_width, setup_width, narrow_setup_width) : 0;
}

void draw_left_panel(const ViewContext& context, CommandQueue& queue) {
  draw_lesson_tabs(context, queue);
  if (context.lesson.lesson && !context.lesson.shows_setup) return draw_lesson_panel(context, queue);
  draw_setup_panel(context, queue);
}

// The inspector is a card in the diagram's free corner, unless it is docked or another layout has no such corner.
bool inspector_is_column(const ViewContext& context) {
  const ViewState& view = context.view;
  if (!view.show_inspector) return false;
  return view.docks_inspector || view.layout != Layout::diagram || context.prediction.cover.has_value() ||
         context.view.side == ComparedSide::side_by_side;
}

void draw_columns(const ViewContext& context, CommandQueue& queue, const Apply& apply, float height) {
  const ViewState& view = context.view;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float display = ImGui::GetIO().DisplaySize.x;
  const float left = left_width(context);
  const float right =
      inspector_is_column(context) ? panel_width(context, view.inspector_width, inspector_width, narrow_inspector_width) : 0;
  if (left > 0) {
    column(context, queue, Panel::setup, "setup", {left, height}, context.theme.panel,
           [&] { draw_left_panel(context, queue); });
    apply();
    ImGui::SameLine(0, 0);
  }
  column(context, queue, Panel::tools, "workspace", {display - left - right, height}, context.theme.window, [&] {
    draw_tool_bar(context, queue);
    apply();
    if (!context.is_comparing()) return draw_stages(context, queue);
    draw_comparison_line(context, queue);
    apply();
    draw_compared_stages(context, queue);
  });
  apply();
  if (right > 0) {
    ImGui::SameLine(0, 0);
    column(context, queue, Panel::inspector, "inspector", {right, height}, context.theme.panel, [&] {
      draw_prediction(context, queue);
      if (context.is_comparing() && context.view.side == ComparedSide::before)
        return draw_inspector(compared_side(context, ComparedSide::before), queue);
      draw_inspector(context, queue);
    });
    panel_edge(context, queue, "inspector/edge", &ViewState::inspector_width, {display - right, top.y}, height);
  }
  if (left > 0) panel_edge(context, queue, "setup/edge", &ViewState::setup_width, {left, top.y}, height);
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

// Menu bar, panels and status line.
void draw_desk(const ViewContext& context, CommandQueue& queue, const Apply& apply, float strip_height,
               float footer_height) {
  draw_menu_bar(context, queue);
  apply();
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
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
}

}  // namespace

void draw_workspace(const ViewContext& context, CommandQueue& queue, const Apply& apply) {
  handle_shortcuts(context, queue);
  apply();
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const ImGuiWindowFlags bar = is_presenting(context) ? ImGuiWindowFlags_None : ImGuiWindowFlags_MenuBar;
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | bar |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin("attnscope", nullptr, flags);
  ImGui::PopStyleVar();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * unit(context), 10 * unit(context)});
  const float strip_height = font_height(context.fonts.small_text) + 2 * strip_padding * unit(context);
  const float footer_height = context.footer.empty() ? 0 : strip_height;
  if (is_presenting(context)) {
    draw_presentation(context, queue, io.DisplaySize.y - footer_height);
  } else {
    draw_desk(context, queue, apply, strip_height, footer_height);
  }
  draw_footer(context, footer_height);
  if (context.is_comparing()) {
    draw_cell_menu(compared_side(context, context.view.side), queue);
  } else {
    draw_cell_menu(context, queue);
  }
  ImGui::PopStyleVar();
  draw_go_to(context, queue);
  draw_questions(context, queue);
  draw_palette(context, queue);
  draw_performance(context, queue);
  // Last, and within the same window as they: in the frame in which a dialog opens, Dear ImGui 1.86 has no place for a
  // window or a tooltip that appears after it.
  draw_dialog(context, queue);
  ImGui::End();
}

}  // namespace attnscope

#include <fmt/format.h>

#include <cfloat>
#include <cmath>
#include <string>

#include "features/compare/panel/comparison.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/actions.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "features/studies/panel/study.h"
#include "features/studies/panel/study_questions.h"
#include "paint_window/imgui_compat.h"
#include "state/layouts.h"
#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

// Opens a menu as keys do: the arrows go on from there to the menus beside it.
void open_first_menu(const char* label) {
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  const ImVec2 size{ImGui::CalcTextSize(label).x, ImGui::GetFrameHeight()};
  window->NavLastIds[ImGuiNavLayer_Menu] = window->GetID(label);
  window->NavRectRel[ImGuiNavLayer_Menu] = {pos.x - window->Pos.x, pos.y - window->Pos.y,
                                            pos.x - window->Pos.x + size.x, pos.y - window->Pos.y + size.y};
  ImGui::OpenPopup(label);
  show_focus();
}

void draw_copy_menu(const ViewContext& context, CommandQueue& queue) {
  static constexpr struct {
    CopyCode::Language language;
    const char* id;
    const char* label;
  } items[] = {{CopyCode::Language::pytorch, "pytorch", "PyTorch code"},
               {CopyCode::Language::numpy, "numpy", "NumPy code"},
               {CopyCode::Language::latex, "latex", "LaTeX"}};
  if (!begin_menu(context, "menu/edit/copy", "Copy as")) return;
  for (const auto& item : items) {
    if (menu_item(context, fmt::format("menu/edit/copy/{}", item.id), item.label, nullptr, false, !context.now.viewing))
      queue.push_back(CopyCode{item.language});
    item_tooltip(context, viewing_reason(context));
  }
  ImGui::EndMenu();
}

void draw_copy_stage_menu(const ViewContext& context, CommandQueue& queue) {
  static constexpr struct {
    CopyStage::Form form;
    const char* id;
    const char* label;
  } items[] = {{CopyStage::Form::table, "table", "Table for a spreadsheet"},
               {CopyStage::Form::python_list, "python_list", "Python list"},
               {CopyStage::Form::numpy_array, "numpy_array", "NumPy array"},
               {CopyStage::Form::latex_table, "latex_table", "LaTeX table"},
               {CopyStage::Form::latex_matrix, "latex_matrix", "LaTeX matrix"},
               {CopyStage::Form::markdown, "markdown", "Markdown"}};
  const Stage stage = context.now.view.pinned ? context.now.view.pinned->stage : context.now.view.stage;
  const std::string label = fmt::format("Copy {} as", info(stage).title);
  if (!begin_menu(context, "menu/edit/copy_stage", (label + "##copy_stage").c_str())) return;
  for (const auto& item : items) {
    if (menu_item(context, fmt::format("menu/edit/copy_stage/{}", item.id), item.label)) {
      queue.push_back(CopyStage{item.form});
    }
  }
  ImGui::EndMenu();
}

void draw_edit_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/edit", "Edit")) return;
  action_items(context, queue, {"edit/undo", "edit/redo", "", "edit/go_to"});
  draw_copy_menu(context, queue);
  draw_copy_stage_menu(context, queue);
  action_items(context, queue, {"edit/copy_picture", "edit/paste", "", "edit/head"});
  ImGui::EndMenu();
}

void draw_scale_menu(const ViewContext& context, CommandQueue& queue) {
  static constexpr int percents[] = {75, 90, 100, 110, 125, 150, 175, 200, 250, 300};
  if (!begin_menu(context, "menu/view/scale", "Interface scale")) return;
  for (const int percent : percents) {
    const float scale = static_cast<float>(percent) / 100;
    const bool chosen = std::abs(scale - context.now.view.interface_scale) < 0.005f;
    if (menu_item(context, fmt::format("menu/view/scale/{}", percent), fmt::format("{} %", percent).c_str(), nullptr,
                  chosen)) {
      change_view(queue, [scale](ViewState& state) { state.interface_scale = scale; });
    }
  }
  ImGui::EndMenu();
}

void draw_layout_items(const ViewContext& context, CommandQueue& queue) {
  int number = 0;
  for (const LayoutInfo& row : layouts()) {
    const std::string label = fmt::format("{}: {}", row.title, row.help);
    const std::string keys = fmt::format("Ctrl+{}", ++number);
    const bool is_chosen = context.now.view.layout == row.layout;
    const char* const obstacle = row.obstacle_in(context.now);
    if (menu_item(context, fmt::format("menu/view/{}", row.layout.id), label.c_str(), keys.c_str(), is_chosen,
                  !obstacle))
      change_view(queue, [layout = row.layout](ViewState& state) { state.layout = layout; });
    if (obstacle) item_tooltip(context, obstacle);
  }
}

void draw_range_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/view/range", "Colours")) return;
  for (const RangeModeName& row : range_modes) {
    if (menu_item(context, fmt::format("menu/view/range/{}", row.id), std::string(row.title).c_str(), nullptr,
                  row.mode == context.now.view.range))
      change_view(queue, [mode = row.mode](ViewState& state) { state.range = mode; });
  }
  ImGui::EndMenu();
}

void draw_zoom_menu(const ViewContext& context, CommandQueue& queue) {
  static constexpr int percents[] = {50, 75, 100, 125, 150, 200, 300, 400, 600, 800};
  if (!begin_menu(context, "menu/view/zoom", "Size of the diagram")) return;
  for (const int percent : percents) {
    const float zoom = static_cast<float>(percent) / 100;
    const std::string label = percent == 100 ? "Fit (100 %)" : fmt::format("{} %", percent);
    const bool is_chosen = std::abs(zoom - context.now.view.diagram_zoom) < 0.005f;
    if (menu_item(context, fmt::format("menu/view/zoom/{}", percent), label.c_str(), nullptr, is_chosen))
      change_view(queue, [zoom](ViewState& state) { state.diagram_zoom = zoom; });
  }
  ImGui::EndMenu();
}

void draw_pooling_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/view/pooling", "Cells that share a pixel")) return;
  const bool is_mean = context.now.view.pooling == Pooling::mean;
  if (menu_item(context, "menu/view/pooling/max", "Largest magnitude: nothing is lost", nullptr, !is_mean)) {
    change_view(queue, [](ViewState& state) { state.pooling = Pooling::largest_magnitude; });
  }
  if (menu_item(context, "menu/view/pooling/mean", "Mean: how much there is", nullptr, is_mean)) {
    change_view(queue, [](ViewState& state) { state.pooling = Pooling::mean; });
  }
  ImGui::EndMenu();
}

void draw_view_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/view", "View")) return;
  draw_layout_items(context, queue);
  action_items(context, queue, {"", "view/back", "view/forward", "", "view/numbers", "view/decimals"});
  draw_range_menu(context, queue);
  action_items(context, queue, {"", "view/fit"});
  draw_zoom_menu(context, queue);
  action_items(context, queue, {"view/alone", "view/minimap", "view/reach", "view/motion"});
  draw_pooling_menu(context, queue);
  action_items(context, queue, {"", "view/present"});
  draw_presented_stages_menu(context, queue);
  action_items(context, queue,
               {"view/setup", "view/inspector", "view/performance", "", "view/dark", "view/high-contrast"});
  draw_scale_menu(context, queue);
  ImGui::EndMenu();
}

// Lessons, questions and views, and the ladder as a course: each step's example, in the notebooks' order.
void draw_learn_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/learn", "Learn")) return;
  action_items(context, queue, {"learn/start"});
  draw_lessons_menu(context, queue);
  draw_questions_menu(context, queue);
  draw_study_menu(context, queue);
  if (begin_menu(context, "menu/learn/predict", "Predict")) {
    action_items(context, queue, {"predict/stage", "predict/row"});
    ImGui::EndMenu();
  }
  action_items(context, queue, {"learn/glossary"});
  draw_examples(context, queue);
  ImGui::EndMenu();
}

void draw_help_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/help", "Help")) return;
  action_items(context, queue, {"help/palette", "help/shortcuts", "help/about"});
  ImGui::EndMenu();
}

}  // namespace

bool menu_item(const ViewContext& context, std::string_view name, const char* label, const char* shortcut,
               bool selected, bool enabled) {
  const bool pressed = ImGui::MenuItem(label, shortcut, selected, enabled);
  register_item(context, name, {.enabled = enabled, .is_on = selected});
  return pressed;
}

bool begin_menu(const ViewContext& context, std::string_view name, const char* label) {
  // Below its bar, and scrolled where it is higher than the room there: over the pointer, the click that opens it would
  // choose an item.
  const float room = ImGui::GetIO().DisplaySize.y - ImGui::GetCursorScreenPos().y - ImGui::GetFrameHeight();
  const bool is_in_bar = ImGui::GetCurrentContext()->CurrentWindow->DC.NavLayerCurrent == ImGuiNavLayer_Menu;
  if (is_in_bar) ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, room});
  const bool is_reached = ImGui::GetCurrentContext()->NavJustMovedToId == ImGui::GetID(label);
  if (is_in_bar && is_reached) ImGui::OpenPopup(label);  // by an arrow, from the menu beside it
  const bool open = ImGui::BeginMenu(label);
  register_opener(context, name, open);
  return open;
}

std::string_view viewing_reason(const ViewContext& context) {
  return context.now.viewing ? "The file that is shown only holds attention that was computed elsewhere." : "";
}

float draw_menu_bar(const ViewContext& context, CommandQueue& queue) {
  if (!ImGui::BeginMenuBar()) return 0;
  if (context.now.view.passing.opens_menu) {
    open_first_menu("File");
    change_view(queue, [](ViewState& state) { state.passing.opens_menu = false; });
  }
  draw_file_menu(context, queue);
  draw_edit_menu(context, queue);
  draw_view_menu(context, queue);
  draw_compare_menu(context, queue);
  draw_learn_menu(context, queue);
  draw_help_menu(context, queue);
  const float end = ImGui::GetCursorScreenPos().x;
  ImGui::EndMenuBar();
  return end;
}

}  // namespace attnscope

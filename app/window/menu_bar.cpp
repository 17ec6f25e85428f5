#include <fmt/format.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <string>

#include "features/compare/panel/comparison.h"
#include "features/files/exchange_controller.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "features/teaching_views/panel/teaching_view.h"
#include "session/view_state.h"
#include "ui/imgui_input.h"
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

void draw_copy_menu(const ViewContext& context, CallQueue& queue) {
  static constexpr struct {
    CodeLanguage language;
    const char* id;
    const char* label;
  } items[] = {{CodeLanguage::pytorch, "pytorch", "PyTorch code"},
               {CodeLanguage::numpy, "numpy", "NumPy code"},
               {CodeLanguage::latex, "latex", "LaTeX"}};
  if (!begin_menu(context, "menu/edit/copy", "Copy as")) return;
  for (const auto& item : items) {
    if (menu_item(context, fmt::format("menu/edit/copy/{}", item.id), item.label,
                  {.obstacle = viewing_reason(context)}))
      queue.push([language = item.language](const Controllers& to) { to.exchange.copy_code(language); });
  }
  ImGui::EndMenu();
}

void draw_copy_stage_menu(const ViewContext& context, CallQueue& queue) {
  static constexpr struct {
    MatrixForm form;
    const char* id;
    const char* label;
  } items[] = {{MatrixForm::table, "table", "Table for a spreadsheet"},
               {MatrixForm::python_list, "python_list", "Python list"},
               {MatrixForm::numpy_array, "numpy_array", "NumPy array"},
               {MatrixForm::latex_table, "latex_table", "LaTeX table"},
               {MatrixForm::latex_matrix, "latex_matrix", "LaTeX matrix"},
               {MatrixForm::markdown, "markdown", "Markdown"}};
  const Stage stage = context.now.view.pinned ? context.now.view.pinned->stage : context.now.view.stage;
  const std::string label = fmt::format("Copy {} as", info(stage).title);
  if (!begin_menu(context, "menu/edit/copy_stage", (label + "##copy_stage").c_str())) return;
  for (const auto& item : items) {
    if (menu_item(context, fmt::format("menu/edit/copy_stage/{}", item.id), item.label))
      queue.push([form = item.form](const Controllers& to) { to.exchange.copy_stage(form); });
  }
  ImGui::EndMenu();
}

void draw_edit_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/edit", "Edit")) return;
  action_items(context, queue, {"edit/undo", "edit/redo", "", "edit/go_to"});
  draw_copy_menu(context, queue);
  draw_copy_stage_menu(context, queue);
  action_items(context, queue, {"edit/copy_picture", "edit/paste", "", "edit/head"});
  end_menu(context, queue, "edit/");
}

struct PercentMenu {
  const char* name;
  const char* label;
  float ViewState::*part;
  std::array<int, 10> percents;
  const char* whole;  // in the place of "100 %"
};

constexpr PercentMenu scale_menu = {"menu/view/scale",
                                    "Interface scale",
                                    &ViewState::interface_scale,
                                    {75, 90, 100, 110, 125, 150, 175, 200, 250, 300},
                                    "100 %"};
constexpr PercentMenu zoom_menu = {"menu/view/zoom",
                                   "Size of the diagram",
                                   &ViewState::diagram_zoom,
                                   {50, 75, 100, 125, 150, 200, 300, 400, 600, 800},
                                   "Fit (100 %)"};

void draw_percent_menu(const ViewContext& context, CallQueue& queue, const PercentMenu& menu) {
  if (!begin_menu(context, menu.name, menu.label)) return;
  for (const int percent : menu.percents) {
    const float share = static_cast<float>(percent) / 100;
    const bool is_chosen = std::abs(share - context.now.view.*menu.part) < 0.005f;
    const std::string label = percent == 100 ? menu.whole : fmt::format("{} %", percent);
    if (menu_item(context, fmt::format("{}/{}", menu.name, percent), label, {.is_on = is_chosen}))
      change_view(queue, [share, part = menu.part](ViewState& state) { state.*part = share; });
  }
  ImGui::EndMenu();
}

void draw_layout_items(const ViewContext& context, CallQueue& queue) {
  for (const ViewModeInfo& row : view_modes()) {
    if (menu_item(
            context, fmt::format("menu/view/{}", row.mode.id), fmt::format("{}: {}", row.title, row.help),
            {.keys = row.keys(), .is_on = context.now.view.mode == row.mode, .obstacle = row.obstacle_in(context.now)}))
      show_layout(queue, row.mode);
  }
}

void draw_range_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/view/range", "Colours")) return;
  for (const RangeModeName& row : range_modes) {
    if (menu_item(context, fmt::format("menu/view/range/{}", row.id), row.title,
                  {.is_on = row.mode == context.now.view.range}))
      change_view(queue, [mode = row.mode](ViewState& state) { state.range = mode; });
  }
  ImGui::EndMenu();
}

void draw_pooling_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/view/pooling", "Cells that share a pixel")) return;
  const auto item = [&](Pooling pooling, const char* name, const char* label) {
    if (menu_item(context, name, label, {.is_on = context.now.view.pooling == pooling}))
      change_view(queue, [pooling](ViewState& state) { state.pooling = pooling; });
  };
  item(Pooling::largest_magnitude, "menu/view/pooling/max", "Largest magnitude: nothing is lost");
  item(Pooling::mean, "menu/view/pooling/mean", "Mean: how much there is");
  ImGui::EndMenu();
}

void draw_view_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/view", "View")) return;
  draw_layout_items(context, queue);
  action_items(context, queue, {"", "view/back", "view/forward", "", "view/numbers", "view/decimals"});
  draw_range_menu(context, queue);
  action_items(context, queue, {"", "view/fit"});
  draw_percent_menu(context, queue, zoom_menu);
  action_items(context, queue, {"view/alone", "view/minimap", "view/reach", "view/motion"});
  draw_pooling_menu(context, queue);
  action_items(context, queue, {"", "view/present"});
  draw_presented_stages_menu(context, queue);
  action_items(context, queue, {"view/setup", "view/inspector", "view/timing", "", "view/dark", "view/high-contrast"});
  draw_percent_menu(context, queue, scale_menu);
  end_menu(context, queue, "view/");
}

// Lessons, questions and views, and the ladder as a course: each step's example, in the notebooks' order.
void draw_learn_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/learn", "Learn")) return;
  action_items(context, queue, {"learn/start"});
  draw_lessons_menu(context, queue);
  draw_questions_menu(context, queue);
  draw_study_menu(context, queue);
  if (begin_menu(context, "menu/learn/predict", "Predict")) {
    action_items(context, queue, {"predict/stage", "predict/row"});
    ImGui::EndMenu();
  }
  action_items(context, queue, {"learn/film", "learn/glossary"});
  draw_examples(context, queue);
  end_menu(context, queue, "learn/");
}

void draw_help_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/help", "Help")) return;
  end_menu(context, queue, "help/");
}

}  // namespace

float draw_menu_bar(const ViewContext& context, CallQueue& queue) {
  if (!ImGui::BeginMenuBar()) return 0;
  if (context.now.view.transient.opens_menu) {
    open_first_menu("File");
    change_view(queue, [](ViewState& state) { state.transient.opens_menu = false; });
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

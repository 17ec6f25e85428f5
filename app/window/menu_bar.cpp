#include <fmt/format.h>

#include <string>

#include "features/compare/panel/comparison.h"
#include "features/files/exchange_controller.h"
#include "features/files/reading_controller.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
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
  if (!begin_menu(context, "menu/edit/copy", "Copy as")) return;
  action_items(context, queue, {"edit/copy_picture"});
  for (const CodeItem& item : code_items) {
    if (menu_item(context, fmt::format("menu/edit/copy/{}", item.id), item.label,
                  {.obstacle = viewing_reason(context)}))
      queue.push([language = item.language](const Controllers& to) { to.exchange.copy_code(language); });
  }
  ImGui::EndMenu();
}

void draw_copy_stage_menu(const ViewContext& context, CallQueue& queue) {
  const Stage stage = copied_stage(context.now.view);
  const std::string label = fmt::format("Copy {} as", info(stage).title);
  if (!begin_menu(context, "menu/edit/copy_stage", (label + "##copy_stage").c_str())) return;
  for (const MatrixItem& item : matrix_items) {
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
  action_items(context, queue, {"edit/paste", "", "edit/head", "", "edit/settings"});
  end_menu(context, queue, "edit/");
}

void draw_layout_items(const ViewContext& context, CallQueue& queue) {
  for (const ViewModeInfo& row : view_modes()) {
    if (menu_item(
            context, fmt::format("menu/view/{}", row.mode.id), fmt::format("{}: {}", row.title, row.help),
            {.keys = row.keys(), .is_on = context.now.view.mode == row.mode, .obstacle = row.obstacle_in(context.now)}))
      show_layout(queue, row.mode);
  }
}

void draw_view_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/view", "View")) return;
  draw_layout_items(context, queue);
  action_items(context, queue,
               {"", "view/back", "view/forward", "", "view/setup", "view/inspector", "", "view/present"});
  draw_presented_stages_menu(context, queue);
  end_menu(context, queue, "view/");
}

void draw_learn_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/learn", "Learn")) return;
  draw_lessons_menu(context, queue);
  action_items(context, queue, {"learn/questions"});
  if (begin_menu(context, "menu/learn/predict", "Predict")) {
    action_items(context, queue, {"predict/stage", "predict/row"});
    ImGui::EndMenu();
  }
  action_items(context, queue, {"learn/film", "learn/glossary"});
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

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "views/format.h"
#include "views/go_to.h"
#include "views/menu.h"
#include "views/panels.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

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
    if (menu_item(context, fmt::format("menu/edit/copy/{}", item.id), item.label, nullptr, false, !context.viewing))
      queue.push_back(CopyCode{item.language});
    item_tooltip(viewing_reason(context));
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
  const Stage stage = context.view.pinned ? context.view.pinned->stage : context.view.stage;
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
  const std::string undo = context.undo_label.empty() ? "Undo" : "Undo " + context.undo_label;
  const std::string redo = context.redo_label.empty() ? "Redo" : "Redo " + context.redo_label;
  if (menu_item(context, "menu/edit/undo", undo.c_str(), "Ctrl+Z", false, !context.undo_label.empty())) {
    queue.push_back(Undo{});
  }
  if (menu_item(context, "menu/edit/redo", redo.c_str(), "Ctrl+Shift+Z", false, !context.redo_label.empty())) {
    queue.push_back(Redo{});
  }
  ImGui::Separator();
  if (menu_item(context, "menu/edit/go_to", "Go to…", "Ctrl+F")) {
    queue.push_back(UpdateGoTo{[](GoToState& state) { state.is_open = true; }});
  }
  draw_copy_menu(context, queue);
  draw_copy_stage_menu(context, queue);
  if (menu_item(context, "menu/edit/copy_picture", "Copy picture of the window", "Ctrl+Shift+C")) {
    queue.push_back(TakeScreenshot{context.view.screenshot_scale, true});
  }
  if (menu_item(context, "menu/edit/paste", "Paste numbers as embeddings", "Ctrl+V")) queue.push_back(PasteNumbers{});
  ImGui::EndMenu();
}

void draw_scale_menu(const ViewContext& context, CommandQueue& queue) {
  static constexpr int percents[] = {75, 90, 100, 110, 125, 150, 175, 200, 250, 300};
  if (!begin_menu(context, "menu/view/scale", "Interface scale")) return;
  for (const int percent : percents) {
    const float scale = static_cast<float>(percent) / 100;
    const bool chosen = std::abs(scale - context.view.interface_scale) < 0.005f;
    if (menu_item(context, fmt::format("menu/view/scale/{}", percent), fmt::format("{} %", percent).c_str(), nullptr,
                  chosen)) {
      change_view(queue, [scale](ViewState& state) { state.interface_scale = scale; });
    }
  }
  ImGui::EndMenu();
}

void draw_layout_items(const ViewContext& context, CommandQueue& queue) {
  static constexpr struct {
    Layout layout;
    const char* id;
    const char* label;
    const char* shortcut;
  } items[] = {{Layout::pipeline, "pipeline", "Pipeline: all stages of one head", "Ctrl+1"},
               {Layout::heads, "heads", "Heads: one stage of all heads", "Ctrl+2"},
               {Layout::focus, "focus", "Focus: one stage, large", "Ctrl+3"}};
  for (const auto& item : items) {
    if (menu_item(context, fmt::format("menu/view/{}", item.id), item.label, item.shortcut,
                  context.view.layout == item.layout)) {
      change_view(queue, [layout = item.layout](ViewState& state) { state.layout = layout; });
    }
  }
}

// Zooming and what it leaves out.
void draw_map_items(const ViewContext& context, CommandQueue& queue) {
  const ViewState& view = context.view;
  const bool is_zoomed = view.map.window || !view.map.own.empty() || view.map.feature_share < 1;
  if (menu_item(context, "menu/view/fit", "Show whole matrices", "0", false, is_zoomed)) {
    change_view(queue, [](ViewState& state) { state.map = {}; });
  }
  if (menu_item(context, "menu/view/alone", "Zoom one heatmap alone", nullptr, view.zoom_alone)) {
    change_view(queue, [](ViewState& state) {
      state.zoom_alone = !state.zoom_alone;
      state.map.own.clear();
    });
  }
  if (menu_item(context, "menu/view/minimap", "Overview while zoomed", nullptr, view.show_minimap)) {
    change_view(queue, [](ViewState& state) { state.show_minimap = !state.show_minimap; });
  }
  if (!begin_menu(context, "menu/view/pooling", "Cells that share a pixel")) return;
  const bool is_mean = view.pooling == Pooling::mean;
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
  ImGui::Separator();
  if (menu_item(context, "menu/view/numbers", "Numbers in the cells", nullptr, context.view.numbers)) {
    change_view(queue, [](ViewState& state) { state.numbers = !state.numbers; });
  }
  if (menu_item(context, "menu/view/decimals", "Four decimals", nullptr, context.view.decimals == 4)) {
    change_view(queue, [](ViewState& state) { state.decimals = state.decimals == 4 ? 2 : 4; });
  }
  ImGui::Separator();
  draw_map_items(context, queue);
  ImGui::Separator();
  if (menu_item(context, "menu/view/setup", "Setup", "F2", context.view.show_setup)) {
    change_view(queue, [](ViewState& state) { state.show_setup = !state.show_setup; });
  }
  if (menu_item(context, "menu/view/inspector", "Inspector", "F3", context.view.show_inspector)) {
    change_view(queue, [](ViewState& state) { state.show_inspector = !state.show_inspector; });
  }
  if (menu_item(context, "menu/view/performance", "Performance", "F4", context.view.show_performance)) {
    change_view(queue, [](ViewState& state) { state.show_performance = !state.show_performance; });
  }
  ImGui::Separator();
  if (menu_item(context, "menu/view/dark", "Dark theme", "Ctrl+D", context.view.dark)) {
    change_view(queue, [](ViewState& state) { state.dark = !state.dark; });
  }
  draw_scale_menu(context, queue);
  ImGui::EndMenu();
}

// The ladder as a course: each step's example, in the notebooks' order.
void draw_learn_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/learn", "Learn")) return;
  if (menu_item(context, "menu/learn/glossary", "Stages: formula, PyTorch line, shape")) {
    queue.push_back(ShowDialog{ShowDialog::Kind::glossary});
  }
  draw_examples(context, queue);
  ImGui::EndMenu();
}

void draw_help_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/help", "Help")) return;
  if (menu_item(context, "menu/help/shortcuts", "Keys and pointer", "F1")) {
    queue.push_back(ShowDialog{ShowDialog::Kind::shortcuts});
  }
  if (menu_item(context, "menu/help/about", "About attnscope")) queue.push_back(ShowDialog{ShowDialog::Kind::about});
  ImGui::EndMenu();
}

}  // namespace

bool menu_item(const ViewContext& context, std::string_view name, const char* label, const char* shortcut,
               bool selected, bool enabled) {
  const bool pressed = ImGui::MenuItem(label, shortcut, selected, enabled);
  register_item(context, name, enabled);
  return pressed;
}

bool begin_menu(const ViewContext& context, std::string_view name, const char* label) {
  const bool open = ImGui::BeginMenu(label);
  register_item(context, name);
  return open;
}

std::string_view viewing_reason(const ViewContext& context) {
  return context.viewing ? "The file that is shown only holds attention that was computed elsewhere." : "";
}

void draw_menu_bar(const ViewContext& context, CommandQueue& queue) {
  if (!ImGui::BeginMenuBar()) return;
  draw_file_menu(context, queue);
  draw_edit_menu(context, queue);
  draw_view_menu(context, queue);
  draw_learn_menu(context, queue);
  draw_help_menu(context, queue);
  ImGui::EndMenuBar();
}

}  // namespace attnscope

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "features/edit/panel/cell_edits.h"
#include "features/present/panel/presenting.h"
#include "features/search/search_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/diagram_scene.h"
#include "features/stages/panel/stage_view.h"
#include "session/view_state.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr std::array panels = {Panel::stages, Panel::inspector, Panel::setup, Panel::tools};
constexpr float frame_width = 2;

bool is_shown(const ViewContext& context, Panel panel) {
  if (is_presenting(context)) return panel == Panel::stages;
  return panel != Panel::inspector || context.now.view.show_inspector;
}

// Returns the next visible panel; the stages come first.
Panel panel_after(const ViewContext& context, int step) {
  const int count = static_cast<int>(panels.size());
  const std::optional<Panel>& now = context.now.view.transient.keyboard;
  int at = now ? static_cast<int>(std::ranges::find(panels, *now) - panels.begin()) : (step > 0 ? -1 : count);
  do {
    at = (at + step + count) % count;
  } while (!is_shown(context, panels.at(static_cast<std::size_t>(at))));
  return panels.at(static_cast<std::size_t>(at));
}

// Pins a cell if none is pinned, so that there is one to start from.
void pin_something(const ViewContext& context, CallQueue& queue) {
  if (context.now.view.pinned || !context.now.result()) return;
  const ViewState& view = context.now.view;
  const bool shows_one = view.mode.shows_one_stage && has(*context.now.result(), view.stage);
  const Stage stage = shows_one ? view.stage : weights_shown(*context.now.result());
  change_view(queue, [stage](ViewState& state) {
    state.pinned = Source{.stage = stage, .batch = state.batch, .head = state.head};
    state.transient.keys_lead = true;
  });
}

bool is_in_main_window() {
  const ImGuiWindow* const focused = ImGui::GetCurrentContext()->NavWindow;
  return !focused || std::string_view(focused->RootWindow->Name) == "attnscope";
}

// Returns whether a menu, a list, a dialog or another window over the main one is open.
bool is_something_open(const ViewContext& context) {
  return context.now.dialog.kind != DialogState::Kind::none || had_popup() || is_popup_open() || is_at_menu_bar() ||
         !is_in_main_window();
}

// Decides which panel has the keys, before anything is drawn.
void handle_focus_keys(const ViewContext& context, CallQueue& queue) {
  const ImGuiIO& io = ImGui::GetIO();
  const std::optional<Panel>& keyboard = context.now.view.transient.keyboard;
  const bool is_open = is_something_open(context);
  const bool is_pressed = ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (is_pressed && keyboard) change_view(queue, [](ViewState& state) { state.transient.keyboard.reset(); });
  const bool is_in_panel = keyboard && *keyboard != Panel::stages;
  let_keys_navigate(is_open || is_in_panel, is_key_down(keys::named(ImGuiKey_Enter)));
  keep_alt_from_menu();
  if (is_in_panel && !is_pressed) show_focus();
  let_enter_activate();
  const bool is_typing = io.WantTextInput;
  if (is_typing || context.now.dialog.kind != DialogState::Kind::none || had_popup()) return;
  if (!is_key_pressed(keys::named(ImGuiKey_Tab), true) || io.KeyCtrl || io.KeyAlt) return;
  ImGui::NavMoveRequestCancel();  // Dear ImGui's own way with Tab
  const Panel next = panel_after(context, io.KeyShift ? -1 : 1);
  if (next == Panel::stages) pin_something(context, queue);
  enter_panel(queue, next);
}

}  // namespace

bool stages_have_keys(const ViewContext& context) {
  const std::optional<Panel>& keyboard = context.now.view.transient.keyboard;
  return (!keyboard || *keyboard == Panel::stages) && !had_popup() && !is_popup_open();
}

void begin_panel(const ViewContext& context, CallQueue& queue, Panel panel) {
  const TransientState& transient = context.now.view.transient;
  if (!transient.is_entering || transient.keyboard != panel) return;
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  ImGui::FocusWindow(window);
  if (panel != Panel::stages) ImGui::NavInitWindow(window, false);
  change_view(queue, [](ViewState& state) { state.transient.is_entering = false; });
}

void end_panel(const ViewContext& context, Panel panel) {
  if (context.now.view.transient.keyboard != panel) return;
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const ImVec2 high{low.x + size.x, low.y + size.y};
  const float width = frame_width * unit(context);
  ImGui::PushClipRect(low, high, false);
  outline_box({low.x + width / 2, low.y + width / 2}, {high.x - width / 2, high.y - width / 2},
              {context.theme.inks.accent}, width);
  ImGui::PopClipRect();
}

void enter_panel(CallQueue& queue, Panel panel) {
  change_view(queue, [panel](ViewState& state) {
    state.transient.keyboard = panel;
    state.transient.is_entering = true;
  });
}

namespace {

constexpr float scale_step = 1.1f;
constexpr double key_zoom_step = 1.25;
constexpr double pan_share = 0.125;  // share of what is in sight, for each press
constexpr double fewest_cells = 4;   // the keys stop zooming in here; the wheel goes on to single cells

int key_of(const Chord& chord) {
  if (chord.arrow != Chord::Arrow::none)
    return keys::named(chord.arrow == Chord::Arrow::left ? ImGuiKey_LeftArrow : ImGuiKey_RightArrow);
  if (chord.function != 0) return keys::function(chord.function);
  if (chord.key == ',') return keys::comma();
  return chord.key >= '0' && chord.key <= '9' ? keys::digit(chord.key - '0') : keys::letter(chord.key);
}

// Keys that no text field uses work while one is typed into, too: the search stays open while one looks around.
// Single keys have another meaning before an audience.
bool can_come(const Chord& chord, const ViewContext& context) {
  if (chord.when == Chord::When::always) return true;
  if (is_presenting(context) && !chord.control) return false;
  if (context.now.dialog.kind != DialogState::Kind::none) return false;
  return chord.when == Chord::When::no_dialog || !ImGui::GetIO().WantTextInput;
}

void handle_actions(const ViewContext& context, CallQueue& queue) {
  const ImGuiIO& io = ImGui::GetIO();
  for (const Action& action : actions()) {
    const Chord& chord = action.chord;
    if (!chord.is_there() || !can_come(chord, context)) continue;
    const bool is_held = io.KeyCtrl == chord.control && io.KeyShift == chord.shift && io.KeyAlt == chord.alt;
    if (!is_held || !is_key_pressed(key_of(chord), chord.repeats)) continue;
    const std::string obstacle = obstacle_of(action, context);
    if (obstacle.empty()) {
      action.run(context, queue);
    } else if (action.says_obstacle) {
      say(queue, obstacle);
    }
  }
}

// Says to an audience why a key that should show another layout changes nothing.
void say_what_stays(const ViewContext& context, CallQueue& queue, const ViewMode& mode, const std::string& obstacle) {
  const std::optional<Stage> stage = presented_stage(context);
  if (!obstacle.empty()) return say(queue, obstacle);
  if (stage && mode.shows_one_stage && !is_per_head(context.now.result()->config, *stage))
    say(queue, fmt::format("All heads share the {}: Heads and Focus show the same.", info(*stage).title));
}

void handle_layout_keys(const ViewContext& context, CallQueue& queue) {
  for (const ViewModeInfo& row : view_modes()) {
    if (!is_key_pressed(keys::digit(row.number()))) continue;
    const std::string obstacle(row.obstacle_in(context.now));
    if (obstacle.empty()) show_layout(queue, row.mode);
    if (is_presenting(context)) say_what_stays(context, queue, row.mode, obstacle);
  }
}

void scale_interface(CallQueue& queue, float factor) {
  change_view(queue, [factor](ViewState& state) {
    state.interface_scale =
        factor == 0 ? 1.0f : std::clamp(state.interface_scale * factor, min_interface_scale, max_interface_scale);
  });
}

void handle_scale_keys(CallQueue& queue) {
  if (is_key_pressed(keys::equal(), true)) scale_interface(queue, scale_step);
  if (is_key_pressed(keys::minus(), true)) scale_interface(queue, 1 / scale_step);
  if (is_key_pressed(keys::digit(0))) scale_interface(queue, 0);
}

// Returns the heatmap that keys zoom and pan: that under the pointer, else the weights.
std::optional<StageView> zoomed_view(const ViewContext& context) {
  const std::optional<Source>& cell = context.now.hovered;
  if (cell) return stage_view(context, cell->stage, cell->head);
  if (!context.now.result()) return {};
  return stage_view(context, weights_shown(*context.now.result()), context.now.view.head);
}

void zoom_by(const ViewContext& context, CallQueue& queue, double factor) {
  const std::optional<StageView> view = zoomed_view(context);
  if (!view) return;
  const CellWindow window = window_of(context.now.view.map, map_place(*view));
  double row = window.row + window.rows / 2;
  double col = window.col + window.cols / 2;
  if (context.now.hovered) {
    row = static_cast<double>(context.now.hovered->row) + 0.5;
    col = static_cast<double>(context.now.hovered->col) + 0.5;
  }
  show_window(queue, *view, zoomed(window, {view->rows, view->cols, fewest_cells, fewest_cells}, factor, row, col));
}

void pan_by(const ViewContext& context, CallQueue& queue, double rows, double cols) {
  const std::optional<StageView> view = zoomed_view(context);
  if (!view) return;
  const CellWindow window = window_of(context.now.view.map, map_place(*view));
  show_window(queue, *view,
              panned(window, view->rows, view->cols, rows * window.rows * pan_share, cols * window.cols * pan_share));
}

void handle_zoom_keys(const ViewContext& context, CallQueue& queue) {
  if (is_key_pressed(keys::equal(), true)) zoom_by(context, queue, key_zoom_step);
  if (is_key_pressed(keys::minus(), true)) zoom_by(context, queue, 1 / key_zoom_step);
}

// Ends keyboard navigation if the pointer is moved or pressed.
void follow_pointer(const ViewContext& context, CallQueue& queue) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_at_work = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || ImGui::IsAnyMouseDown();
  if (!context.now.view.transient.keys_lead || !is_at_work) return;
  change_view(queue, [](ViewState& state) { state.transient.keys_lead = false; });
}

// In the diagram on into the next matrix, elsewhere to the end of this one. Sums and draws have no place: the step is
// from their cell.
Source step_from(const ViewContext& context, const StageView& view, Index rows, Index cols) {
  Source cell = *context.now.view.pinned;
  cell.kind = SourceKind::cell;
  const scene::DiagramLayout* const layout = context.layouts ? context.layouts->last() : nullptr;
  if (context.now.view.mode == ViewMode::diagram && layout) {
    const auto next =
        scene::step_in_diagram(*layout, view.result->config, cell, static_cast<int>(rows), static_cast<int>(cols));
    if (next) return *next;
  }
  cell.row = std::clamp<Index>(cell.row + rows, 0, view.rows - 1);
  cell.col = std::clamp<Index>(cell.col + cols, 0, view.cols - 1);
  return cell;
}

// Opens the pinned cell as Enter does: an embedding or a weight gets a field, a weight of dropout is kept or dropped,
// and any other number leads to the lines that explain it.
void open_pinned(const ViewContext& context, CallQueue& queue) {
  if (context.now.view.mode == ViewMode::layers) return open_in_layers(context, queue);
  if (context.now.view.mode == ViewMode::model) return open_in_model(context, queue);
  if (!context.now.view.pinned) return;
  const bool toggles = is_of_switches(context.now.view.pinned->stage) && can_toggle(context, *context.now.view.pinned);
  if (toggles) return toggle(context, queue, *context.now.view.pinned);
  const bool is_drawn =
      context.now.view.mode == ViewMode::diagram || context.now.view.pinned->stage == context.now.view.stage;
  if (!can_type(context, *context.now.view.pinned) || !is_drawn) {
    change_view(queue, [](ViewState& state) { state.show_inspector = true; });
    return enter_panel(queue, Panel::inspector);
  }
  change_view(queue, [](ViewState& state) { state.transient.edited = state.pinned; });
}

// Ctrl and an arrow change a number step by step; what a key did while it was held is one edit.
void handle_number_step_keys(const ViewContext& context, CallQueue& queue) {
  if (!stages_have_keys(context) || !context.now.view.pinned || !can_type(context, *context.now.view.pinned)) return;
  const ImGuiIO& io = ImGui::GetIO();
  const float step = number_step * (io.KeyShift ? 10.0f : 1.0f) * (io.KeyAlt ? 0.1f : 1.0f);
  for (const auto& [key, direction] : {std::pair(ImGuiKey_UpArrow, 1.0f), std::pair(ImGuiKey_DownArrow, -1.0f)}) {
    if (is_key_pressed(keys::named(key), true)) step_number(context, queue, *context.now.view.pinned, direction * step);
    if (is_key_released(keys::named(key))) queue.push_idle([](const Controllers& to) { to.documents.finish_edit(); });
  }
}

// Moves the pinned cell; a zoomed view follows it.
void move_pinned(const ViewContext& context, CallQueue& queue, Index rows, Index cols) {
  const std::optional<StageView> before =
      stage_view(context, context.now.view.pinned->stage, context.now.view.pinned->head);
  if (!before) return;
  const Source cell = step_from(context, *before, rows, cols);
  const std::optional<StageView> view = stage_view(context, cell.stage, cell.head);
  if (!view) return;
  if (is_per_head(view->result->config, cell.stage) && cell.head != context.now.view.head)
    say(queue, fmt::format("Head {} is shown now: every matrix has its numbers.", cell.head + 1));
  change_view(queue, [cell, place = map_place(*view)](ViewState& state) {
    state.pinned = cell;
    state.transient.keys_lead = true;
    const CellWindow window = window_of(state.map, place);
    const CellWindow moved = moved_to_show(window, place.rows, place.cols, cell.row, cell.col);
    if (!(moved == window)) set_window(state.map, place, moved);
  });
}

// In Layers arrows lead from picture to picture, in Teaching views left and right to other views; elsewhere they move
// the pinned cell; with Shift, and where none is pinned, the view.
void move(const ViewContext& context, CallQueue& queue, Index rows, Index cols) {
  if (context.now.view.mode == ViewMode::layers) {
    step_in_layers(context, queue, rows, cols);
  } else if (context.now.view.mode == ViewMode::model) {
    step_in_model(context, queue, rows, cols);
  } else if (context.now.view.mode == ViewMode::study && cols != 0) {
    step_study(context, queue, cols);
  } else if (context.now.view.pinned && !ImGui::GetIO().KeyShift) {
    move_pinned(context, queue, rows, cols);
  } else {
    pan_by(context, queue, static_cast<double>(rows), static_cast<double>(cols));
  }
}

// Leads from a panel to the stages; there it unpins.
void handle_escape(const ViewContext& context, CallQueue& queue) {
  if (close_popups() || had_popup()) return;
  const std::optional<Panel>& keyboard = context.now.view.transient.keyboard;
  if (context.now.go_to.is_open) {
    queue.push([](const Controllers& to) { to.search.close(); });
  } else if (context.now.view.transient.opens_setup) {
    close_setup(context, queue);
  } else if (context.now.view.transient.opens_tokens) {
    change_view(queue, [](ViewState& state) { state.transient.opens_tokens = false; });
  } else if (keyboard && *keyboard != Panel::stages) {
    if (ImGui::IsAnyItemActive()) return;
    change_view(queue, [](ViewState& state) { state.transient.pointed.clear(); });
    enter_panel(queue, Panel::stages);
  } else if (context.now.film.watching) {
    close_film(queue);
  } else if (answer_beside_width(context) > 0) {
    leave_answer_beside(queue);
  } else if (context.now.view.mode == ViewMode::study) {
    close_study(queue);
  } else if (context.now.view.transient.leads_to_model) {
    change_view(queue, [](ViewState& state) {
      state.mode = ViewMode::model;
      state.transient.leads_to_model = false;
    });
  } else {
    change_view(queue, [](ViewState& state) {
      if (!state.pinned && state.side == ComparedSide::side_by_side) state.side = ComparedSide::now;
      state.pinned.reset();
    });
  }
}

void handle_pinned_keys(const ViewContext& context, CallQueue& queue) {
  if (is_key_pressed(keys::named(ImGuiKey_Escape))) handle_escape(context, queue);
  if (!stages_have_keys(context)) return;
  if (is_watching(context)) return handle_film_keys(queue);
  static constexpr struct {
    ImGuiKey key;
    Index rows, cols;
  } arrows[] = {
      {ImGuiKey_LeftArrow, 0, -1}, {ImGuiKey_RightArrow, 0, 1}, {ImGuiKey_UpArrow, -1, 0}, {ImGuiKey_DownArrow, 1, 0}};
  for (const auto& arrow : arrows) {
    const bool is_pressed = !ImGui::GetIO().KeyAlt && is_key_pressed(keys::named(arrow.key), true);
    if (is_pressed) move(context, queue, arrow.rows, arrow.cols);
  }
  const std::optional<Source>& pinned = context.now.view.pinned;
  if (is_key_pressed(keys::named(ImGuiKey_Space)) && context.now.view.mode == ViewMode::model)
    toggle_in_model(context, queue);
  if (pinned && is_key_pressed(keys::named(ImGuiKey_Delete))) restore(context, queue, *pinned);
  const bool is_entered = is_key_pressed(keys::named(ImGuiKey_Enter)) && !ImGui::IsAnyItemActive();
  if (is_entered) open_pinned(context, queue);
}

}  // namespace

namespace {

bool is_key_alone_pressed() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl || io.KeyAlt || io.WantTextInput) return false;
  for (char letter = 'A'; letter <= 'Z'; ++letter)
    if (is_key_pressed(keys::letter(letter))) return true;
  for (int digit = 0; digit <= 9; ++digit)
    if (is_key_pressed(keys::digit(digit))) return true;
  return is_any_pressed({ImGuiKey_Space, ImGuiKey_Enter, ImGuiKey_Delete});
}

// In a presentation and in a film a key takes the lead: a pointer that rests on the picture covers nothing of it.
void let_keys_lead(const ViewContext& context, CallQueue& queue) {
  const bool is_led = is_presenting(context) || is_watching(context);
  const bool is_pressed =
      is_key_alone_pressed() ||
      is_any_pressed({ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_PageUp,
                      ImGuiKey_PageDown, ImGuiKey_Home, ImGuiKey_End, ImGuiKey_Backspace});
  if (is_led && is_pressed) change_view(queue, [](ViewState& state) { state.transient.keys_lead = true; });
}

void handle_keys(const ViewContext& context, CallQueue& queue) {
  const ImGuiIO& io = ImGui::GetIO();
  follow_pointer(context, queue);
  handle_focus_keys(context, queue);
  handle_actions(context, queue);
  if (context.now.dialog.kind != DialogState::Kind::none) return;
  if (io.KeyCtrl) handle_layout_keys(context, queue);
  if (io.WantTextInput) return;
  if (io.KeyCtrl) {
    if (is_key_pressed(keys::letter('Y'), true)) queue.push([](const Controllers& to) { to.documents.redo(); });
    handle_number_step_keys(context, queue);
    return handle_scale_keys(queue);
  }
  let_keys_lead(context, queue);
  if (is_presenting(context)) {
    handle_layout_keys(context, queue);
    return handle_presenting_keys(context, queue);
  }
  if (io.InputQueueCharacters.contains(L'?')) show_dialog(queue, DialogState::Kind::shortcuts);
  handle_layout_keys(context, queue);
  if (is_key_pressed(keys::letter('H'))) step_head(context, queue, io.KeyShift ? -1 : 1);
  if (is_key_pressed(keys::left_bracket())) step_head(context, queue, -1);
  if (is_key_pressed(keys::right_bracket())) step_head(context, queue, 1);
  handle_zoom_keys(context, queue);
  handle_pinned_keys(context, queue);
}

}  // namespace

void handle_shortcuts(const ViewContext& context, CallQueue& queue) {
  handle_keys(context, queue);
  // A key alone that changes the document may have been meant for a field: what it did is said.
  if (is_key_alone_pressed() && context.now.dialog.kind == DialogState::Kind::none)
    queue.push_idle([before = context.now.before](const Controllers& to) { to.documents.name_edit_since(before); });
}

}  // namespace attnscope

#include <algorithm>
#include <array>

#include "features/present/panel/presenting.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
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

}  // namespace

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

}  // namespace attnscope

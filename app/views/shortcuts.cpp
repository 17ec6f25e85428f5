#include <algorithm>

#include "views/dialog.h"
#include "views/stage_view.h"
#include "views/workspace.h"

namespace attnscope {
namespace {

constexpr float scale_step = 1.1f;

// Letters, digits and function keys have no portable index before Dear ImGui 1.87: there they are the platform's own
// codes, which are those of GLFW.
#if IMGUI_VERSION_NUM >= 18700
struct KeyCodes {
  static int letter(char upper) { return ImGuiKey_A + (upper - 'A'); }
  static int digit(int value) { return ImGuiKey_0 + value; }
  static int function(int number) { return ImGuiKey_F1 + number - 1; }
  static int left_bracket() { return ImGuiKey_LeftBracket; }
  static int right_bracket() { return ImGuiKey_RightBracket; }
  static int minus() { return ImGuiKey_Minus; }
  static int equal() { return ImGuiKey_Equal; }
};
bool is_pressed(int key, bool repeat = false) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), repeat); }
#else
struct KeyCodes {
  static int letter(char upper) { return upper; }
  static int digit(int value) { return '0' + value; }
  static int function(int number) { return 290 + number - 1; }
  static int left_bracket() { return '['; }
  static int right_bracket() { return ']'; }
  static int minus() { return '-'; }
  static int equal() { return '='; }
};
bool is_pressed(int key, bool repeat = false) { return ImGui::IsKeyPressed(key, repeat); }
#endif

bool is_named_key_pressed(ImGuiKey key, bool repeat = false) { return is_pressed(ImGui::GetKeyIndex(key), repeat); }

template <typename Change>
void change_view(CommandQueue& queue, Change change) {
  queue.push_back(UpdateView{change});
}

void handle_file_keys(CommandQueue& queue, bool shift) {
  if (is_pressed(KeyCodes::letter('N'))) queue.push_back(NewDocument{});
  if (is_pressed(KeyCodes::letter('O'))) queue.push_back(ShowDialog{ShowDialog::Kind::open});
  if (is_pressed(KeyCodes::letter('Q'))) queue.push_back(Quit{});
  if (is_pressed(KeyCodes::letter('S'))) {
    if (shift) {
      queue.push_back(ShowDialog{ShowDialog::Kind::save_as});
    } else {
      queue.push_back(SaveFile{});
    }
  }
}

void scale_interface(CommandQueue& queue, float factor) {
  change_view(queue, [factor](ViewState& state) {
    state.interface_scale =
        factor == 0 ? 1.0f : std::clamp(state.interface_scale * factor, min_interface_scale, max_interface_scale);
  });
}

void handle_control_keys(CommandQueue& queue, bool shift) {
  handle_file_keys(queue, shift);
  if (is_pressed(KeyCodes::letter('Z'), true)) {
    if (shift) {
      queue.push_back(Redo{});
    } else {
      queue.push_back(Undo{});
    }
  }
  if (is_pressed(KeyCodes::letter('Y'), true)) queue.push_back(Redo{});
  if (is_pressed(KeyCodes::letter('V'))) queue.push_back(PasteNumbers{});
  if (is_pressed(KeyCodes::letter('D'))) change_view(queue, [](ViewState& state) { state.dark = !state.dark; });
  if (is_pressed(KeyCodes::digit(1))) change_view(queue, [](ViewState& state) { state.layout = Layout::pipeline; });
  if (is_pressed(KeyCodes::digit(2))) change_view(queue, [](ViewState& state) { state.layout = Layout::heads; });
  if (is_pressed(KeyCodes::digit(3))) change_view(queue, [](ViewState& state) { state.layout = Layout::focus; });
  if (is_pressed(KeyCodes::equal(), true)) scale_interface(queue, scale_step);
  if (is_pressed(KeyCodes::minus(), true)) scale_interface(queue, 1 / scale_step);
  if (is_pressed(KeyCodes::digit(0))) scale_interface(queue, 0);
}

void move_pinned(const ViewContext& context, CommandQueue& queue, Index rows, Index cols) {
  if (!context.view.pinned) return;
  Cell cell = *context.view.pinned;
  const std::optional<StageView> view = stage_view(context, cell.stage, cell.head);
  if (!view) return;
  cell.row = std::clamp<Index>(cell.row + rows, 0, view->rows - 1);
  cell.col = std::clamp<Index>(cell.col + cols, 0, view->cols - 1);
  change_view(queue, [cell](ViewState& state) { state.pinned = cell; });
}

void handle_pinned_keys(const ViewContext& context, CommandQueue& queue) {
  if (is_named_key_pressed(ImGuiKey_LeftArrow, true)) move_pinned(context, queue, 0, -1);
  if (is_named_key_pressed(ImGuiKey_RightArrow, true)) move_pinned(context, queue, 0, 1);
  if (is_named_key_pressed(ImGuiKey_UpArrow, true)) move_pinned(context, queue, -1, 0);
  if (is_named_key_pressed(ImGuiKey_DownArrow, true)) move_pinned(context, queue, 1, 0);
  if (is_named_key_pressed(ImGuiKey_Escape)) change_view(queue, [](ViewState& state) { state.pinned.reset(); });
}

void step_head(const ViewContext& context, CommandQueue& queue, Index step) {
  if (!context.result()) return;
  const Index heads = head_count(context.result()->config);
  change_view(queue, [heads, step](ViewState& state) {
    state.head = (state.head + step + heads) % heads;
    if (state.pinned) state.pinned->head = state.head;
  });
}

}  // namespace

void handle_shortcuts(const ViewContext& context, CommandQueue& queue) {
  const ImGuiIO& io = ImGui::GetIO();
  if (is_pressed(KeyCodes::function(12))) queue.push_back(TakeScreenshot{context.view.screenshot_scale});
  if (io.WantTextInput || context.dialog.kind != DialogState::Kind::none) return;
  if (io.KeyCtrl) {
    handle_control_keys(queue, io.KeyShift);
    return;
  }
  if (is_pressed(KeyCodes::function(1))) queue.push_back(ShowDialog{ShowDialog::Kind::shortcuts});
  if (is_pressed(KeyCodes::function(2)))
    change_view(queue, [](ViewState& state) { state.show_setup = !state.show_setup; });
  if (is_pressed(KeyCodes::function(3))) {
    change_view(queue, [](ViewState& state) { state.show_inspector = !state.show_inspector; });
  }
  if (is_pressed(KeyCodes::digit(4))) {
    change_view(queue, [](ViewState& state) { state.decimals = state.decimals == 4 ? 2 : 4; });
  }
  if (is_pressed(KeyCodes::left_bracket())) step_head(context, queue, -1);
  if (is_pressed(KeyCodes::right_bracket())) step_head(context, queue, 1);
  handle_pinned_keys(context, queue);
}

}  // namespace attnscope

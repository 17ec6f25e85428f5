#include <GLES3/gl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "paint/window/text.h"
#include "platform/system/worker.h"
#include "platform/window.h"
#include "ui/widget_registry.h"

// The window of a page: its canvas. What happens in the page comes from page.js, which calls the functions page_…().
namespace attnscope {

struct PageState {
  float width = 0;  // in units of CSS
  float height = 0;
  float ratio = 1;  // pixels per unit
  bool input = true;
  std::string pasted;
  std::vector<std::filesystem::path> dropped;
  ImVec2 finger_begin;  // where the finger touched that is down
  ImVec2 finger;        // where it is
  bool has_moved = false;
  ImGuiID scrolled = 0;  // the window that it scrolls; 0: none
  std::function<double()> patience;
  std::function<bool()> turn;
  double last_turn = 0;  // in milliseconds
  WidgetRegistry widgets;
  std::function<std::string()> read;
  std::function<bool()> is_current;
  std::function<void()> keep;
  std::string told;
};
struct Window::Impl : PageState {};

namespace {

constexpr double work_milliseconds = 12;  // of background work between two frames

PageState* page = nullptr;
bool is_awake = false;

struct KeyName {
  const char* code;  // as KeyboardEvent.code has it
  ImGuiKey key;
};
constexpr KeyName key_names[] = {{"Tab", ImGuiKey_Tab},
                                 {"ArrowLeft", ImGuiKey_LeftArrow},
                                 {"ArrowRight", ImGuiKey_RightArrow},
                                 {"ArrowUp", ImGuiKey_UpArrow},
                                 {"ArrowDown", ImGuiKey_DownArrow},
                                 {"PageUp", ImGuiKey_PageUp},
                                 {"PageDown", ImGuiKey_PageDown},
                                 {"Home", ImGuiKey_Home},
                                 {"End", ImGuiKey_End},
                                 {"Insert", ImGuiKey_Insert},
                                 {"Delete", ImGuiKey_Delete},
                                 {"Backspace", ImGuiKey_Backspace},
                                 {"Space", ImGuiKey_Space},
                                 {"Enter", ImGuiKey_Enter},
                                 {"NumpadEnter", ImGuiKey_KeypadEnter},
                                 {"Escape", ImGuiKey_Escape},
                                 {"Comma", ImGuiKey_Comma},
                                 {"Minus", ImGuiKey_Minus},
                                 {"Equal", ImGuiKey_Equal},
                                 {"BracketLeft", ImGuiKey_LeftBracket},
                                 {"BracketRight", ImGuiKey_RightBracket},
                                 {"Period", ImGuiKey_Period},
                                 {"Slash", ImGuiKey_Slash},
                                 {"ControlLeft", ImGuiKey_LeftCtrl},
                                 {"ControlRight", ImGuiKey_RightCtrl},
                                 {"ShiftLeft", ImGuiKey_LeftShift},
                                 {"ShiftRight", ImGuiKey_RightShift},
                                 {"AltLeft", ImGuiKey_LeftAlt},
                                 {"AltRight", ImGuiKey_RightAlt}};

// Letters and digits are those that the keyboard types, wherever its layout has them.
ImGuiKey key_of(std::string_view code, std::string_view typed) {
  if (typed.size() == 1) {
    const char letter = static_cast<char>(typed[0] & ~0x20);
    if (letter >= 'A' && letter <= 'Z') return static_cast<ImGuiKey>(ImGuiKey_A + (letter - 'A'));
    if (typed[0] >= '0' && typed[0] <= '9') return static_cast<ImGuiKey>(ImGuiKey_0 + (typed[0] - '0'));
  }
  if (code.size() >= 2 && code[0] == 'F' && code[1] >= '1' && code[1] <= '9') {
    const int number = std::atoi(code.data() + 1);
    if (number >= 1 && number <= 12) return static_cast<ImGuiKey>(ImGuiKey_F1 + number - 1);
  }
  const auto* const found = std::ranges::find_if(key_names, [&](const KeyName& name) { return code == name.code; });
  return found == std::end(key_names) ? ImGuiKey_None : found->key;
}

EM_JS(void, page_say_title, (const char* text), { document.title = UTF8ToString(text); });
EM_JS(void, page_copy_text, (const char* text), { attnscopePage.copy(UTF8ToString(text)); });
EM_JS(void, page_fill_screen, (bool is_filling), { attnscopePage.fillScreen(is_filling); });
EM_JS(void, page_show_cursor, (int cursor), { attnscopePage.showCursor(cursor); });
EM_JS(void, page_wants_text, (bool is_wanted), { attnscopePage.wantText(is_wanted); });
EM_JS(void, page_has_turned, (), { attnscopePage.turned(); });
EM_JS(void, page_fail, (const char* sentence), { attnscopePage.failed(UTF8ToString(sentence)); });
EM_JS(void, page_measure, (), { attnscopePage.measure(); });

void open_canvas() {
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = 2;
  attributes.alpha = attributes.depth = attributes.stencil = attributes.antialias = false;
  attributes.preserveDrawingBuffer = true;  // a frame is drawn only when something changes
  const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_create_context("#canvas", &attributes);
  if (context <= 0 || emscripten_webgl_make_context_current(context) != EMSCRIPTEN_RESULT_SUCCESS)
    throw Error("This browser has no WebGL 2, which attnscope draws with.");
}

void do_background_work() {
  const double end = emscripten_get_now() + work_milliseconds;
  while (work_between_frames()) {
    is_awake = true;
    if (emscripten_get_now() >= end) break;
  }
}

void turn() {
  do_background_work();
  const double waited = (emscripten_get_now() - page->last_turn) / 1000;
  if (!page->input && !std::exchange(is_awake, false) && waited < page->patience()) return;
  page->last_turn = emscripten_get_now();
  try {
    page->turn();
  } catch (const std::exception& failure) {  // it would stop the page without a word
    emscripten_cancel_main_loop();
    page_fail(failure.what());
    return;
  }
  page_show_cursor(ImGui::GetMouseCursor());
  page_wants_text(ImGui::GetIO().WantTextInput);
  page_has_turned();
}

// Returns the window under the finger that can be scrolled; none in the diagram, which is panned by itself.
ImGuiWindow* window_to_scroll() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.HoveredWindow;
  while (window && window->ScrollMax.y <= 0)
    window = (window->Flags & ImGuiWindowFlags_ChildWindow) != 0 ? window->ParentWindow : nullptr;
  if (!window || g.IO.WantTextInput || g.ActiveId == ImGui::GetWindowScrollbarID(window, ImGuiAxis_Y)) return nullptr;
  const bool is_diagram = window->ScrollMax.x > 0 && std::strstr(window->Name, "/stages_");
  return is_diagram ? nullptr : window;
}

// A finger that is moved up or down scrolls what it is on, as in other pages, and lets go what it pressed.
void move_finger(ImVec2 to) {
  constexpr float tremble = 8;  // units
  const float down = to.y - std::exchange(page->finger, to).y;
  const ImVec2 way{std::abs(to.x - page->finger_begin.x), std::abs(to.y - page->finger_begin.y)};
  if (!page->has_moved && std::max(way.x, way.y) > tremble) {
    page->has_moved = true;
    if (const ImGuiWindow* const window = way.y > way.x ? window_to_scroll() : nullptr) {
      page->scrolled = window->ID;
      ImGui::ClearActiveID();
    }
  }
  ImGuiWindow* const window = page->scrolled != 0 ? ImGui::FindWindowByID(page->scrolled) : nullptr;
  if (!window) return;
  const float before = window->ScrollTarget.y < FLT_MAX ? window->ScrollTarget.y : window->Scroll.y;
  ImGui::SetScrollY(window, before - down);
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE void page_resized(float width, float height, float ratio) {
  if (!page) return;
  page->width = width;
  page->height = height;
  page->ratio = ratio;
  page->input = true;
}

// A touch moves the pointer first and presses a frame later, because Dear ImGui presses only what the pointer is over.
EMSCRIPTEN_KEEPALIVE void page_pointer(float x, float y, bool is_finger) {
  ImGui::GetIO().AddMouseSourceEvent(is_finger ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
  ImGui::GetIO().AddMousePosEvent(x, y);
  page->input = true;
}

// A finger touches the screen.
EMSCRIPTEN_KEEPALIVE void page_finger(float x, float y) {
  page->finger_begin = page->finger = {x, y};
  page->has_moved = false;
  page->scrolled = 0;
}
EMSCRIPTEN_KEEPALIVE void page_finger_moved(float x, float y) { move_finger({x, y}); }

EMSCRIPTEN_KEEPALIVE void page_pointer_left() {
  constexpr float nowhere = -std::numeric_limits<float>::max();
  page_pointer(nowhere, nowhere, false);
}

EMSCRIPTEN_KEEPALIVE void page_button(int button, bool is_down) {
  ImGui::GetIO().AddMouseButtonEvent(button, is_down);
  page->input = true;
}

EMSCRIPTEN_KEEPALIVE void page_wheel(float across, float down) {
  ImGui::GetIO().AddMouseWheelEvent(across, down);
  page->input = true;
}

EMSCRIPTEN_KEEPALIVE void page_modifiers(bool is_control, bool is_shift, bool is_alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, is_control);
  io.AddKeyEvent(ImGuiMod_Shift, is_shift);
  io.AddKeyEvent(ImGuiMod_Alt, is_alt);
}

// Returns whether the program knows the key.
EMSCRIPTEN_KEEPALIVE bool page_key(const char* code, const char* typed, bool is_down) {
  const ImGuiKey key = key_of(code, typed);
  if (key == ImGuiKey_None) return false;
  ImGui::GetIO().AddKeyEvent(key, is_down);
  page->input = true;
  return true;
}

EMSCRIPTEN_KEEPALIVE void page_text(const char* text) {
  ImGui::GetIO().AddInputCharactersUTF8(text_to_edit(text).c_str());
  page->input = true;
}

EMSCRIPTEN_KEEPALIVE void page_focus(bool is_focused) {
  ImGui::GetIO().AddFocusEvent(is_focused);
  page->input = true;
}

EMSCRIPTEN_KEEPALIVE void page_pasted(const char* text) { page->pasted = text_to_edit(text); }

EMSCRIPTEN_KEEPALIVE void page_dropped(const char* path) {
  page->dropped.emplace_back(path);
  page->input = true;
}

// Returns the controls of the last frame, a line for each: its name, its left, top, width and height, whether it is
// enabled, its label, with tabs between them.
EMSCRIPTEN_KEEPALIVE const char* page_widgets() {
  page->told.clear();
  for (const WidgetRegistry::Entry& entry : page->widgets.entries) {
    fmt::format_to(std::back_inserter(page->told), "{}\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}\t{}\t{}\n", entry.name,
                   entry.min_screen.x, entry.min_screen.y, entry.max_screen.x - entry.min_screen.x,
                   entry.max_screen.y - entry.min_screen.y, entry.enabled ? 1 : 0, entry.label);
  }
  return page->told.c_str();
}

// Returns all that the last frame shows, as `attnscope drive` reads it.
EMSCRIPTEN_KEEPALIVE const char* page_read() { return (page->told = page->read()).c_str(); }

// Returns whether the last frame shows the document as it is.
EMSCRIPTEN_KEEPALIVE bool page_is_current() { return page->is_current(); }

EMSCRIPTEN_KEEPALIVE void page_left() { page->keep(); }

EMSCRIPTEN_KEEPALIVE void page_redraw() { page->input = true; }
}

bool has_display() { return true; }

float expected_display_scale() { return 1; }

Window::Window(int, int, const std::string& title) : impl_(std::make_unique<Impl>()) {
  page = impl_.get();
  open_canvas();
  page_measure();
  set_title(title);
}

Window::~Window() { page = nullptr; }

void Window::run(const std::function<double()>& patience, const std::function<bool()>& turn_once) {
  impl_->patience = patience;
  impl_->turn = turn_once;
  emscripten_set_main_loop(turn, 0, false);
}

void Window::wake() { is_awake = true; }

void Window::begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {impl_->width, impl_->height};
  io.DisplayFramebufferScale = {impl_->ratio, impl_->ratio};
  const double now = emscripten_get_now() / 1000;
  static double last = now - 1.0 / 60;
  io.DeltaTime = std::max(static_cast<float>(now - last), 1e-4F);
  last = now;
}

void Window::present() {}

void Window::renew() {}

bool Window::close_requested() const { return false; }

void Window::clear_close_request() {}

bool Window::minimized() const { return false; }

bool Window::input_arrived() { return std::exchange(impl_->input, false); }

float Window::pixels_per_unit() const { return impl_->ratio; }

float Window::display_scale() const { return 1; }

std::vector<std::filesystem::path> Window::take_dropped() { return std::exchange(impl_->dropped, {}); }

void Window::set_title(const std::string& title) { page_say_title(title.c_str()); }

void Window::set_icon(const std::vector<IconPicture>&) {}

WidgetRegistry* Window::told_widgets() { return &impl_->widgets; }

void Window::tell(const std::function<std::string()>& read, const std::function<bool()>& is_current) {
  impl_->read = read;
  impl_->is_current = is_current;
}

void Window::when_left(const std::function<void()>& keep) { impl_->keep = keep; }

void Window::size(int& width, int& height) const {
  width = static_cast<int>(impl_->width);
  height = static_cast<int>(impl_->height);
}

bool Window::fills_screen() const {
  EmscriptenFullscreenChangeEvent state{};
  emscripten_get_fullscreen_status(&state);
  return state.isFullscreen;
}

// Left by Esc, the page stays as it is: nothing is asked for again.
void Window::fill_screen(bool is_filling) {
  static bool was_filling = false;
  if (std::exchange(was_filling, is_filling) != is_filling) page_fill_screen(is_filling);
}

WindowInput::WindowInput(Window& window) {
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.ClipboardUserData = window.impl_.get();
  io.GetClipboardTextFn = [](void* data) { return static_cast<Window::Impl*>(data)->pasted.c_str(); };
  io.SetClipboardTextFn = [](void* data, const char* text) {
    static_cast<Window::Impl*>(data)->pasted = text;
    page_copy_text(edited_text(text).c_str());
  };
}

WindowInput::~WindowInput() { ImGui::GetIO().ClearInputKeys(); }

// Pictures without a window are not made in a page.
struct WindowlessContext::Impl {};
WindowlessContext::WindowlessContext() = default;
WindowlessContext::~WindowlessContext() = default;

}  // namespace attnscope

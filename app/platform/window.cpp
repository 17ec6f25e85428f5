#include "platform/window.h"

#include <backends/imgui_impl_glfw.h>
#include <glad/gl.h>
#include <imgui.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "core/error.h"
#include "paint/window/text.h"
#include "ui/imgui_input.h"

namespace attnscope {

// On the desktop, in window units.
struct WindowPlace {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Before 1.87 Dear ImGui looks at the keyboard once a frame: a key that was pressed and let go between two frames, as
// remote desktops and automation do, would be lost, and so would modifiers that were let go before their key. Presses
// are remembered, and each is held down for one frame with its modifiers. Later versions queue events themselves, and
// nothing is done.
struct ShortKeys {
  struct Press {
    int key = 0;
    int modifiers = 0;
  };

  // After the backend's new frame. Whether a further frame is needed, to let go.
  bool replay(GLFWwindow* window);

  std::vector<Press> pressed;  // since the last frame, in order
  int held = -1;               // key that is held down for this frame
};

namespace {

constexpr int min_width = 800;
constexpr int min_height = 520;
constexpr int most_attempts = 20;  // opening a window anew is tried so often, for two seconds

// GLFW reports failures through a C callback without user data.
std::string& last_glfw_failure() {
  static std::string failure;
  return failure;
}

void remember_failure(int, const char* description) { last_glfw_failure() = description; }

bool start_glfw() {
  glfwSetErrorCallback(remember_failure);
  return glfwInit() == GLFW_TRUE;
}

bool names_a_display() {
#if defined(__linux__)
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
#else
  return true;
#endif
}

float pixels_per_unit_of(GLFWwindow* window) {
  int window_width = 0;
  int pixel_width = 0;
  glfwGetWindowSize(window, &window_width, nullptr);
  glfwGetFramebufferSize(window, &pixel_width, nullptr);
  return window_width > 0 && pixel_width > 0 ? static_cast<float>(pixel_width) / static_cast<float>(window_width) : 1;
}

std::string reason() { return last_glfw_failure().empty() ? "no reason given" : last_glfw_failure(); }

// Mesa's EGL is there in half the time of its GLX. Not every driver can say that a context was lost.
GLFWwindow* create_window(int width, int height, const std::string& title) {
  for (const int api : {GLFW_EGL_CONTEXT_API, GLFW_NATIVE_CONTEXT_API}) {
    for (const int robustness : {GLFW_LOSE_CONTEXT_ON_RESET, GLFW_NO_ROBUSTNESS}) {
      glfwWindowHint(GLFW_CONTEXT_CREATION_API, api);
      glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, robustness);
      GLFWwindow* const window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
      if (window != nullptr) return window;
    }
  }
  return nullptr;
}

// Places.

WindowPlace place_of(GLFWmonitor* monitor) {
  WindowPlace place;
  glfwGetMonitorPos(monitor, &place.x, &place.y);
  if (const GLFWvidmode* const mode = glfwGetVideoMode(monitor)) {
    place.width = mode->width;
    place.height = mode->height;
  }
  return place;
}

long shared_area(const WindowPlace& a, const WindowPlace& b) {
  const long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const long height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(width, 0L) * std::max(height, 0L);
}

WindowPlace place_of(GLFWwindow* window) {
  WindowPlace place;
  glfwGetWindowPos(window, &place.x, &place.y);
  glfwGetWindowSize(window, &place.width, &place.height);
  return place;
}

// The monitor that most of a place is on; null where there is none.
GLFWmonitor* monitor_at(const WindowPlace& place) {
  int count = 0;
  GLFWmonitor** const all = glfwGetMonitors(&count);
  GLFWmonitor* nearest = glfwGetPrimaryMonitor();
  for (int i = 0; i < count; ++i) {
    if (shared_area(place, place_of(all[i])) > shared_area(place, place_of(nearest))) nearest = all[i];
  }
  return nearest;
}

// Keys.

#if IMGUI_VERSION_NUM < 18700
bool is_down(GLFWwindow* window, int left, int right) {
  return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
}

void let_go(GLFWwindow* window, int key) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeysDown[key] = glfwGetKey(window, key) == GLFW_PRESS;
  io.KeyCtrl = is_down(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  io.KeyShift = is_down(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  io.KeyAlt = is_down(window, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
}

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

// Letters that are being typed arrive as text, in order and at once; to replay them would only hold up what follows.
bool is_typing(const ShortKeys::Press& press) {
  const bool is_command = (press.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) != 0;
  return ImGui::GetIO().WantTextInput && !is_command && press.key >= GLFW_KEY_SPACE && press.key < GLFW_KEY_ESCAPE;
}
#endif

}  // namespace

#if IMGUI_VERSION_NUM >= 18700
bool ShortKeys::replay(GLFWwindow*) {
  pressed.clear();
  return false;
}
#else
// Replays a key that is still down, too: its modifiers may be gone already.
bool ShortKeys::replay(GLFWwindow* window) {
  if (held >= 0) let_go(window, held);
  held = -1;
  std::erase_if(pressed, [](const Press& press) { return is_modifier(press.key) || is_typing(press); });
  if (pressed.empty()) return false;
  ImGuiIO& io = ImGui::GetIO();
  for (const Press& later : pressed) io.KeysDown[later.key] = false;  // not before its turn
  const Press press = pressed.front();
  pressed.erase(pressed.begin());
  io.KeysDown[press.key] = true;
  io.KeyCtrl = (press.modifiers & GLFW_MOD_CONTROL) != 0;
  io.KeyShift = (press.modifiers & GLFW_MOD_SHIFT) != 0;
  io.KeyAlt = (press.modifiers & GLFW_MOD_ALT) != 0;
  held = press.key;
  return true;
}
#endif

struct Window::Impl {
  GLFWwindow* window = nullptr;
  bool input = true;  // the first frame is always wanted
  std::string title;
  std::vector<IconPicture> icon;
  std::vector<std::filesystem::path> dropped;
  ShortKeys short_keys;
  std::string pasted;          // what the clipboard held when it was asked for last
  WindowPlace before_filling;  // the screen

  static Impl& of(GLFWwindow* window) { return *static_cast<Impl*>(glfwGetWindowUserPointer(window)); }
  static void mark(GLFWwindow* window) { of(window).input = true; }

  ~Impl() {
    close();
    glfwTerminate();
  }

  void open(int width, int height);
  void open_patiently(int width, int height);
  void close();
  void keep_drawable() const;
  void install_callbacks() const;
};

bool has_display() { return names_a_display() && start_glfw(); }

float expected_display_scale() {
  float scale = 1;
  if (GLFWmonitor* const monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &scale, nullptr);
  return scale > 0 ? scale : 1;
}

void Window::Impl::open(int width, int height) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  // By these names desktops find attnscope.desktop, and with it the icon.
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "attnscope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "attnscope");
#if defined(GLFW_WAYLAND_APP_ID)
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "attnscope");
#endif
  window = create_window(width, height, title);
  if (window == nullptr) throw Error("No window with OpenGL 3.3 could be opened: " + reason() + ".");
  glfwMakeContextCurrent(window);
  if (gladLoadGL(glfwGetProcAddress) == 0) throw Error("OpenGL's functions could not be loaded for the window.");
  keep_drawable();
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(window, this);
  install_callbacks();
}

// Beyond what a driver can draw into, it would draw all of the picture into a part of the window.
void Window::Impl::keep_drawable() const {
  GLint most[2] = {};
  glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most);
  const float scale = pixels_per_unit_of(window);
  const auto most_units = [&](int least, GLint pixels) {
    return std::max(least, static_cast<int>(static_cast<float>(pixels) / scale));
  };
  const int max_width = most_units(min_width, most[0]);
  const int max_height = most_units(min_height, most[1]);
  glfwSetWindowSizeLimits(window, min_width, min_height, max_width, max_height);
  const WindowPlace place = place_of(window);
  if (place.width > max_width || place.height > max_height)
    glfwSetWindowSize(window, std::min(place.width, max_width), std::min(place.height, max_height));
}

void Window::Impl::close() {
  if (window != nullptr) glfwDestroyWindow(window);
  window = nullptr;
}

// A driver that is only just being reset may need a moment.
void Window::Impl::open_patiently(int width, int height) {
  for (int attempt = 1; window == nullptr; ++attempt) {
    try {
      open(width, height);
    } catch (const Error& failure) {
      close();
      if (attempt == most_attempts) {
        throw Error("The graphics driver was reset, and attnscope cannot go on: " + std::string(failure.what()) +
                    " Unsaved changes are offered when it is started again.");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

// Set before Dear ImGui installs its own, which call the ones they find.
void Window::Impl::install_callbacks() const {
  GLFWwindow* const w = window;
  glfwSetKeyCallback(w, [](GLFWwindow* self, int key, int, int action, int modifiers) {
    if (action == GLFW_PRESS && key >= 0) of(self).short_keys.pressed.push_back({key, modifiers});
    mark(self);
  });
  glfwSetCharCallback(w, [](GLFWwindow* self, unsigned) { mark(self); });
  glfwSetMouseButtonCallback(w, [](GLFWwindow* self, int, int, int) { mark(self); });
  glfwSetScrollCallback(w, [](GLFWwindow* self, double, double) { mark(self); });
  glfwSetCursorPosCallback(w, [](GLFWwindow* self, double, double) { mark(self); });
  glfwSetCursorEnterCallback(w, [](GLFWwindow* self, int) { mark(self); });
  glfwSetWindowFocusCallback(w, [](GLFWwindow* self, int) { mark(self); });
  glfwSetWindowRefreshCallback(w, mark);
  glfwSetWindowCloseCallback(w, mark);
  glfwSetWindowIconifyCallback(w, [](GLFWwindow* self, int) { mark(self); });
  glfwSetWindowContentScaleCallback(w, [](GLFWwindow* self, float, float) { mark(self); });
  glfwSetFramebufferSizeCallback(w, [](GLFWwindow* self, int, int) { mark(self); });
  glfwSetDropCallback(w, [](GLFWwindow* self, int count, const char** paths) {
    for (int i = 0; i < count; ++i) of(self).dropped.emplace_back(reinterpret_cast<const char8_t*>(paths[i]));
    mark(self);
  });
}

Window::Window(int width, int height, const std::string& title) {
  if (!has_display()) {
    throw Error("There is no display to open a window on: " + reason() + ". `attnscope screenshot` draws without one.");
  }
  impl_ = std::make_unique<Impl>();
  impl_->title = title;
  try {
    impl_->open(width, height);
  } catch (const Error& failure) {
    throw Error(std::string(failure.what()) + " `attnscope screenshot` draws without a window.");
  }
}

Window::~Window() = default;

void Window::run(const std::function<double()>& patience, const std::function<bool()>& turn) {
  do {
    if (const double seconds = patience(); seconds <= 0) {
      glfwPollEvents();
    } else {
      glfwWaitEventsTimeout(seconds);
    }
  } while (turn());
}

void Window::wake() { glfwPostEmptyEvent(); }

void Window::begin_frame() {
  ImGui_ImplGlfw_NewFrame();
  if (impl_->short_keys.replay(impl_->window)) impl_->input = true;
}

void Window::present() { glfwSwapBuffers(impl_->window); }

// Keeps what has come from the desktop and was not taken yet.
void Window::renew() {
  const bool fills = fills_screen();
  const bool is_maximized = glfwGetWindowAttrib(impl_->window, GLFW_MAXIMIZED) != GLFW_FALSE;
  const bool is_closing = close_requested();
  const WindowPlace place = fills ? impl_->before_filling : place_of(impl_->window);
  impl_->close();
  impl_->short_keys = {};
  impl_->input = true;
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // until it is in its place
  impl_->open_patiently(place.width, place.height);
  glfwSetWindowSize(impl_->window, place.width, place.height);  // it may have been opened at the desktop's own scale
  glfwSetWindowPos(impl_->window, place.x, place.y);
  set_icon(std::vector(impl_->icon));
  if (is_maximized) glfwMaximizeWindow(impl_->window);
  glfwShowWindow(impl_->window);
  fill_screen(fills);
  glfwSetWindowShouldClose(impl_->window, is_closing ? GLFW_TRUE : GLFW_FALSE);
}

bool Window::close_requested() const { return glfwWindowShouldClose(impl_->window) != GLFW_FALSE; }

void Window::clear_close_request() { glfwSetWindowShouldClose(impl_->window, GLFW_FALSE); }

bool Window::minimized() const { return glfwGetWindowAttrib(impl_->window, GLFW_ICONIFIED) != GLFW_FALSE; }

bool Window::input_arrived() { return std::exchange(impl_->input, false); }

float Window::pixels_per_unit() const { return pixels_per_unit_of(impl_->window); }

float Window::display_scale() const {
  float scale = 1;
  glfwGetWindowContentScale(impl_->window, &scale, nullptr);
  // If a window unit is more than a pixel, the desktop has already enlarged the window by that much.
  return scale > 0 ? scale / pixels_per_unit() : 1;
}

std::vector<std::filesystem::path> Window::take_dropped() { return std::exchange(impl_->dropped, {}); }

void Window::set_title(const std::string& title) {
  impl_->title = title;
  glfwSetWindowTitle(impl_->window, title.c_str());
}

void Window::set_icon(const std::vector<IconPicture>& pictures) {
  impl_->icon = pictures;
  std::vector<GLFWimage> images;
  images.reserve(pictures.size());
  // GLFW copies them, though its interface does not promise to change nothing.
  for (const IconPicture& picture : pictures)
    images.push_back({picture.width, picture.height, const_cast<std::uint8_t*>(picture.pixels.data())});
  glfwSetWindowIcon(impl_->window, static_cast<int>(images.size()), images.data());
}

bool Window::fills_screen() const { return glfwGetWindowMonitor(impl_->window) != nullptr; }

void Window::fill_screen(bool is_filling) {
  if (is_filling == fills_screen()) return;
  WindowPlace& before = impl_->before_filling;
  if (!is_filling) {
    glfwSetWindowMonitor(impl_->window, nullptr, before.x, before.y, before.width, before.height, GLFW_DONT_CARE);
    return;
  }
  before = place_of(impl_->window);
  GLFWmonitor* const monitor = monitor_at(before);
  if (!monitor) return;
  const GLFWvidmode* const mode = glfwGetVideoMode(monitor);
  if (mode) glfwSetWindowMonitor(impl_->window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

WidgetRegistry* Window::told_widgets() { return nullptr; }

void Window::tell(const std::function<std::string()>&, const std::function<bool()>&) {}

void Window::when_left(const std::function<void()>&) {}

void Window::size(int& width, int& height) const { glfwGetWindowSize(impl_->window, &width, &height); }

// Typed and pasted text can have emoji, which Dear ImGui holds as other characters.
WindowInput::WindowInput(Window& window) {
  ImGui_ImplGlfw_InitForOpenGL(window.impl_->window, true);
  glfwSetCharCallback(window.impl_->window, [](GLFWwindow* self, unsigned character) {
    ImGui_ImplGlfw_CharCallback(self, static_cast<unsigned>(held_as(character)));
  });
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = window.impl_.get();
  io.GetClipboardTextFn = [](void* data) {
    auto& impl = *static_cast<Window::Impl*>(data);
    const char* const text = glfwGetClipboardString(impl.window);
    impl.pasted = text_to_edit(text ? text : "");
    return impl.pasted.c_str();
  };
  io.SetClipboardTextFn = [](void* data, const char* text) {
    glfwSetClipboardString(static_cast<Window::Impl*>(data)->window, edited_text(text).c_str());
  };
}

// Lets go of keys and buttons that are down: no other window hears of their release.
WindowInput::~WindowInput() {
  ImGui_ImplGlfw_Shutdown();
  ImGui::GetIO().ClearInputKeys();
  for (int button = 0; button < ImGuiMouseButton_COUNT; ++button) give_button(button, false);
}

}  // namespace attnscope

#include "platform/window.h"

#include <backends/imgui_impl_glfw.h>
#include <glad/gl.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "platform/short_keys.h"
#include "views/wide_characters.h"

namespace attnscope {
// On the desktop, in window units.
struct WindowPlace {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

namespace {

constexpr int min_width = 800;
constexpr int min_height = 520;

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

std::string reason() { return last_glfw_failure().empty() ? "no reason given" : last_glfw_failure(); }

WindowPlace place_of(GLFWwindow* window) {
  WindowPlace place;
  glfwGetWindowPos(window, &place.x, &place.y);
  glfwGetWindowSize(window, &place.width, &place.height);
  return place;
}

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

}  // namespace

bool has_display() { return names_a_display() && start_glfw(); }

float expected_display_scale() {
  float scale = 1;
  if (GLFWmonitor* const monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &scale, nullptr);
  return scale > 0 ? scale : 1;
}

struct Window::Impl {
  GLFWwindow* window = nullptr;
  bool input = true;  // the first frame is always wanted
  std::vector<std::filesystem::path> dropped;
  ShortKeys short_keys;
  std::string pasted;          // what the clipboard held when it was asked for last
  WindowPlace before_filling;  // the screen

  static Impl& of(GLFWwindow* window) { return *static_cast<Impl*>(glfwGetWindowUserPointer(window)); }
  static void mark(GLFWwindow* window) { of(window).input = true; }

  ~Impl() {
    if (window != nullptr) glfwDestroyWindow(window);
    glfwTerminate();
  }

  void open(int width, int height, const std::string& title);
  void install_callbacks() const;
};

void Window::Impl::open(int width, int height, const std::string& title) {
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
  // Mesa's EGL is there in half the time of its GLX.
  for (const int api : {GLFW_EGL_CONTEXT_API, GLFW_NATIVE_CONTEXT_API}) {
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, api);
    if (window == nullptr) window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  }
  if (window == nullptr) {
    throw Error("No window with OpenGL 3.3 could be opened: " + reason() +
                ". `attnscope screenshot` draws without a window.");
  }
  glfwSetWindowSizeLimits(window, min_width, min_height, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window);
  if (gladLoadGL(glfwGetProcAddress) == 0) throw Error("OpenGL's functions could not be loaded for the window.");
  glfwSwapInterval(1);
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
  impl_->open(width, height, title);
  glfwSetWindowUserPointer(impl_->window, impl_.get());
  impl_->install_callbacks();
}

Window::~Window() = default;

void Window::wait_events(double seconds) {
  if (seconds <= 0) {
    glfwPollEvents();
  } else {
    glfwWaitEventsTimeout(seconds);
  }
}

void Window::wake() { glfwPostEmptyEvent(); }

void Window::begin_frame() {
  ImGui_ImplGlfw_NewFrame();
  if (impl_->short_keys.replay(impl_->window)) impl_->input = true;
}

void Window::present() { glfwSwapBuffers(impl_->window); }

bool Window::close_requested() const { return glfwWindowShouldClose(impl_->window) != GLFW_FALSE; }

void Window::clear_close_request() { glfwSetWindowShouldClose(impl_->window, GLFW_FALSE); }

bool Window::minimized() const { return glfwGetWindowAttrib(impl_->window, GLFW_ICONIFIED) != GLFW_FALSE; }

bool Window::input_arrived() { return std::exchange(impl_->input, false); }

float Window::pixels_per_unit() const {
  int window_width = 0;
  int pixel_width = 0;
  glfwGetWindowSize(impl_->window, &window_width, nullptr);
  glfwGetFramebufferSize(impl_->window, &pixel_width, nullptr);
  return window_width > 0 && pixel_width > 0 ? static_cast<float>(pixel_width) / static_cast<float>(window_width) : 1;
}

float Window::display_scale() const {
  float scale = 1;
  glfwGetWindowContentScale(impl_->window, &scale, nullptr);
  // Where a window unit is more than a pixel, the desktop has already enlarged the window by that much.
  return scale > 0 ? scale / pixels_per_unit() : 1;
}

std::vector<std::filesystem::path> Window::take_dropped() { return std::exchange(impl_->dropped, {}); }

void Window::set_title(const std::string& title) { glfwSetWindowTitle(impl_->window, title.c_str()); }

void Window::set_icon(const std::vector<IconPicture>& pictures) {
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

void Window::size(int& width, int& height) const { glfwGetWindowSize(impl_->window, &width, &height); }

// What is typed and pasted can be emoji, which Dear ImGui holds as other characters.
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

WindowInput::~WindowInput() { ImGui_ImplGlfw_Shutdown(); }

}  // namespace attnscope

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace attnscope {

struct WidgetRegistry;

bool has_display();
// Returns what display_scale() of a window will most likely be, before there is one. Needs has_display().
float expected_display_scale();

// 8-bit RGBA, rows from top to bottom.
struct IconPicture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

// The desktop window: GLFW and its OpenGL 3.3 core context (current, functions loaded).
class Window {
public:
  // Throws Error when there is no display or no OpenGL 3.3.
  Window(int width, int height, const std::string& title);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Calls `turn` each time that there was input, wake(), or as many seconds have passed as `patience` says; zero: as
  // soon as the screen can show another frame. Ends when `turn` returns false; in a page it returns at once.
  void run(const std::function<double()>& patience, const std::function<bool()>& turn);
  static void wake();  // any thread may call it

  void begin_frame();  // Dear ImGui's display size, scale and input for a new frame; needs a WindowInput
  void present();

  // Closes the window and opens another in its place, with its size, title and icon, for a context that was lost. There
  // must be no WindowInput. Throws Error when none can be opened; then there is no window any more.
  void renew();

  bool close_requested() const;
  void clear_close_request();
  bool minimized() const;
  bool input_arrived();           // returns whether input came since the last call, so that a few frames must be drawn
  float pixels_per_unit() const;  // framebuffer pixels per window unit
  float display_scale() const;    // the desktop's content scale: 2 on a high-density display
  std::vector<std::filesystem::path> take_dropped();  // files dropped since the last call
  void set_title(const std::string& title);
  void set_icon(const std::vector<IconPicture>& pictures);  // in several sizes; desktops take the one that fits
  void size(int& width, int& height) const;
  void fill_screen(bool is_filling);  // fills the screen that most of it is on, or restores size and place
  bool fills_screen() const;
  // Returns where the controls of a frame are written for those who cannot see them; null where nobody asks for that.
  WidgetRegistry* told_widgets();
  // Takes what tells all that the last frame shows, and whether that is the document as it is: for those who ask.
  void tell(const std::function<std::string()>& read, const std::function<bool()>& is_current);
  // Takes what keeps unsaved changes at once: a browser says that its page is left, and may never come back to it.
  void when_left(const std::function<void()>& keep);

private:
  friend class WindowInput;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// While it lives, the current Dear ImGui context has its input from a window.
class WindowInput {
public:
  explicit WindowInput(Window& window);
  ~WindowInput();
  WindowInput(const WindowInput&) = delete;
  WindowInput& operator=(const WindowInput&) = delete;
};

// An OpenGL 3.3 core context without a window or display (EGL, surfaceless or with a pixel buffer), current from
// construction to destruction on this thread, its functions loaded. Throws Error with the reason when there is none.
class WindowlessContext {
public:
  WindowlessContext();
  ~WindowlessContext();
  WindowlessContext(const WindowlessContext&) = delete;
  WindowlessContext& operator=(const WindowlessContext&) = delete;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attnscope

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/window.h"
#include "shell/frame.h"

namespace attnscope {

// Draws a session into the window, has its input from there, and gives it its icon. A driver that is reset takes the
// window's context with it: the window is opened anew then, and Dear ImGui's own state stays.
class WindowPainter {
public:
  WindowPainter(Window& window, const FontAtlas& fonts);  // which the current Dear ImGui context was made with

  // Whether the next frame may look different without anything happening. What cannot be drawn, or not as it should be,
  // is said.
  bool draw(Session& session);

  bool is_lost();  // what was drawn last may not have arrived
  void renew();    // throws Error when there is no other context to be had, or none that lasts

private:
  bool say_what_is_missing(Session& session);

  Window& window_;
  std::optional<WindowInput> input_;
  FramePainter painter_;
  std::string said_failure_;  // of drawing
  std::vector<std::string> said_of_fonts_;
  bool is_lost_ = false;
  int renewals_ = 0;  // since a frame was drawn
};

}  // namespace attnscope

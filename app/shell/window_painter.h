#pragma once

#include <optional>

#include "platform/window.h"
#include "shell/frame.h"

namespace attnscope {

// Draws a session into the window, has its input from there, and gives it its icon. A driver that is reset takes the
// window's context with it: the window is opened anew then, and Dear ImGui's own state stays.
class WindowPainter {
public:
  WindowPainter(Window& window, const FontAtlas& fonts);  // which the current Dear ImGui context was made with

  // Whether the next frame may look different without anything happening.
  bool draw(Session& session);

  bool is_lost();  // what was drawn last may not have arrived
  void renew();    // throws Error when there is no other context to be had; then there is no window any more

  const Fonts& fonts() const { return painter_.fonts(); }
  const std::string& failure() const { return painter_.failure(); }

private:
  Window& window_;
  std::optional<WindowInput> input_;
  FramePainter painter_;
  bool is_lost_ = false;
};

}  // namespace attnscope

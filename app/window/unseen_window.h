#pragma once

#include <filesystem>

#include "ui/visible_text.h"
#include "window/frame.h"

namespace attnscope {

// The window without a display: frames of a session in the current OpenGL context, with a Dear ImGui context of its own
// that is the current one while it lives. Pointer and keys come from ui/imgui_input.h. Time is what its frames
// take: the same input gives the same pictures.
class UnseenWindow {
public:
  // `width` by `height` units at `scale` pixels per unit.
  UnseenWindow(Session& session, int width, int height, float scale);

  void resize(int width, int height);
  void rescale(float scale);

  // Builds a frame. Returns whether the next one may look different without any input.
  bool build_frame(float seconds = 1.0f / 60);
  // Draws frames until the window is at rest: no evaluation is under way, every picture is exact, and no frame looks
  // different.
  void settle();
  Image image();  // draws the last frame; throws Error if the driver did not draw all of it

  // Returns the widgets of the last frame.
  const WidgetRegistry& widgets() const { return widgets_; }
  std::vector<VisibleText> texts() const { return visible_texts(painter_.fonts(), widgets_); }

private:
  Session& session_;
  float scale_;
  ImguiContext context_;
  FramePainter painter_;
  WidgetRegistry widgets_;
};

// Writes a PNG that carries what it shows. Throws Error.
void write_picture(const Session& session, const Image& image, const std::filesystem::path& out);

// Returns a picture of the session as it is.
Image render_session(Session& session, int width, int height, float scale);

}  // namespace attnscope

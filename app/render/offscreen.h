#pragma once

#include <imgui.h>

#include <memory>

#include "interchange/image.h"

namespace attnscope {

// Dear ImGui's OpenGL renderer for the current context and the current Dear ImGui context, from construction to
// destruction. Throws Error when OpenGL 3.3 is not there.
class ImguiRenderer {
public:
  ImguiRenderer();
  ~ImguiRenderer();
  ImguiRenderer(const ImguiRenderer&) = delete;
  ImguiRenderer& operator=(const ImguiRenderer&) = delete;

  void begin_frame();
  void rebuild_fonts();                            // after the atlas changed
  void draw(ImDrawData& data, ImVec4 background);  // into the bound framebuffer, cleared first

private:
  bool has_begun_ = false;  // then the atlas is in a texture
};

// Draws the same into a framebuffer of its own and reads it back, for screenshots. Size is data.DisplaySize times
// data.FramebufferScale in pixels.
Image render_to_image(ImguiRenderer& renderer, ImDrawData& data, ImVec4 background);

}  // namespace attnscope

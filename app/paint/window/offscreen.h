#pragma once

#include <imgui.h>

#include "files/png.h"

namespace attnscope {

// Returns whether the current OpenGL context was reset since the last call: nothing drawn since then can be relied on,
// and all that was made in this context is gone. False if a driver does not tell.
bool context_is_lost();

// The largest side of a texture, in pixels: what every driver allows, and what this one does.
constexpr int least_texture_side = 1024;  // every OpenGL 3.3 allows it
int max_texture_side();

// Dear ImGui's OpenGL renderer for the current OpenGL and Dear ImGui contexts. Throws Error without OpenGL 3.3.
class ImguiRenderer {
public:
  ImguiRenderer();
  ~ImguiRenderer();
  ImguiRenderer(const ImguiRenderer&) = delete;
  ImguiRenderer& operator=(const ImguiRenderer&) = delete;

  // Returns false if the driver has no room for the font atlas.
  bool begin_frame();
  bool rebuild_fonts();                                  // must be called after the font atlas has changed
  void draw(ImDrawData& data, ImVec4 background);        // clears the bound framebuffer and draws into it
  bool has_drawn_all() const { return has_drawn_all_; }  // says whether the driver had room for it

private:
  bool has_begun_ = false;  // the font atlas has its texture
  bool has_drawn_all_ = true;
};

// Draws into a framebuffer of its own and reads it back, for screenshots. Its size in pixels is data.DisplaySize times
// data.FramebufferScale.
Image render_to_image(ImguiRenderer& renderer, ImDrawData& data, ImVec4 background);

}  // namespace attnscope

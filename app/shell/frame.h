#pragma once

#include <imgui.h>

#include <memory>

#include "render/heatmap_renderer.h"
#include "render/offscreen.h"
#include "session/session.h"
#include "views/fonts.h"
#include "views/theme.h"

namespace attnscope {

// Dear ImGui's context, current while it lives, without files of its own: nothing is written next to the program.
class ImguiContext {
public:
  ImguiContext();
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

private:
  ImGuiContext* outer_;  // current again when this one is gone
  ImGuiContext* context_;
};

// Builds and draws frames of a session in the current OpenGL context: fonts, theme and renderers that go with its view.
class FramePainter {
public:
  FramePainter();

  // Loads fonts and theme again when scale, theme or the tokens' scripts changed. Between frames only.
  void prepare(const Session& session, float pixels_per_unit, float display_scale);
  // One whole frame after ImGui::NewFrame: builds, applies commands, and builds again while they changed the screen.
  // `next_frame` starts Dear ImGui's frame again (input is not read twice).
  ImDrawData& build(Session& session, const std::function<void()>& next_frame, WidgetRegistry* widgets = nullptr);
  void draw(ImDrawData& data);
  Image draw_to_image(ImDrawData& data);
  const Fonts& fonts() const { return fonts_; }
  const Theme& theme() const { return theme_; }

private:
  ImguiRenderer renderer_;
  HeatmapRenderer heatmaps_;
  Fonts fonts_;
  Theme theme_;
  float font_scale_ = 0;
  float interface_scale_ = 0;
  bool dark_ = false;
  std::uint64_t revision_ = 0;  // of the session whose texts the fonts have
};

// A picture of the session as it is, `width` by `height` units at `scale` pixels per unit, in the current OpenGL
// context, built in a Dear ImGui context of its own.
// `display_scale` enlarges the interface like the desktop's own scale does.
Image render_session(Session& session, int width, int height, float scale, float display_scale = 1);

}  // namespace attnscope

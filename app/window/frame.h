#pragma once

#include <imgui.h>

#include <memory>
#include <string_view>

#include "features/session.h"
#include "features/stages/panel/diagram_scene.h"
#include "files/png.h"
#include "paint/window/text.h"
#include "platform/system/desktop.h"
#include "ui/theme.h"

namespace attnscope {

// Dear ImGui's context, current while it lives, without files of its own: nothing is written next to the program.
class ImguiContext {
public:
  explicit ImguiContext(ImFontAtlas* fonts = nullptr);  // which outlive it; null: an atlas of its own
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

  void make_current() { ImGui::SetCurrentContext(context_); }
  void make_outer_current() { ImGui::SetCurrentContext(outer_); }  // the one that was before

private:
  ImGuiContext* outer_;  // current again when this one is gone
  ImGuiContext* context_;
  ImFontAtlas* fonts_;  // null: the context's own
};

// The clock and the text clipboard of the current context.
Desktop desktop_of_context();

// Fonts in an atlas that may be filled before there is a window or a context.
struct FontAtlas {
  FontAtlas(float scale, float interface_scale, std::string_view text);

  float scale;
  float interface_scale;
  std::unique_ptr<ImFontAtlas> atlas;
  Fonts fonts;
};

constexpr int frames_after_change = 2;  // this one and what follows
constexpr int frames_after_input = 3;   // Dear ImGui settles hovering and sizes over a few frames

// Builds and draws frames of a session in the current OpenGL context: fonts, theme and renderers that go with its view.
class FramePainter {
public:
  FramePainter();
  explicit FramePainter(const FontAtlas& fonts);  // which the current context was made with
  ~FramePainter();
  FramePainter(const FramePainter&) = delete;
  FramePainter& operator=(const FramePainter&) = delete;

  // Loads fonts and theme again when scale, theme or the tokens' scripts changed. Between frames only.
  void prepare(const Session& session, float pixels_per_unit, float display_scale);
  // A context that is lost takes all with it that was made in it: forget it while that context is still there, renew in
  // the next. Dear ImGui's own state and fonts stay.
  void allow_motion();  // of what changes its place: in a window that somebody looks at, not in pictures
  void forget_graphics();
  void renew_graphics();

  // One whole frame after ImGui::NewFrame. Whether the next one may look different without anything happening.
  bool build(Session& session, WidgetRegistry* widgets = nullptr);
  // Prepares a moment that has passed; its pictures are asked for in the frame of the session's head cache.
  void prepare(const KeptUiState& kept, float pixels_per_unit, float display_scale);
  void build(KeptUiState& kept, HeadCache& heads);
  void draw();  // what was built last
  Image draw_to_image();
  std::string failure() const;  // of the frame that was drawn last: what is missing, or empty
  const Fonts& fonts() const { return fonts_; }
  const Theme& theme() const { return theme_; }

private:
  void prepare(const ViewState& view, const std::string& text, const std::function<std::string()>& all_text,
               float pixels_per_unit, float display_scale);

  struct Graphics;

  void load(const std::string& text, float pixels_per_unit, float interface_scale);

  std::unique_ptr<Graphics> graphics_;
  std::unique_ptr<DiagramLayouts> layouts_;
  WidestLabel widest_label_;
  Fonts fonts_;
  Theme theme_;
  float font_scale_ = 0;
  float interface_scale_ = 0;  // of the fonts
  float theme_scale_ = 1;
  TokenNames tokens_;  // that the fonts have the letters of
};

}  // namespace attnscope

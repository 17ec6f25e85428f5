#include "shell/frame.h"

#include "platform/fonts.h"
#include "views/imgui_compat.h"
#include "views/input_events.h"

namespace attnscope {
ImguiContext::ImguiContext(ImFontAtlas* fonts)
    : outer_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext(fonts)), fonts_(fonts) {
  ImGui::SetCurrentContext(context_);
  if (fonts) begin_outer_atlas(*fonts);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  map_keys();
}

ImguiContext::~ImguiContext() {
  if (fonts_) end_outer_atlas(*fonts_);
  ImGui::DestroyContext(context_);
  ImGui::SetCurrentContext(outer_);
}

FontAtlas::FontAtlas(float pixels_per_unit, float interface, std::string_view text)
    : scale(pixels_per_unit),
      interface_scale(interface),
      atlas(std::make_unique<ImFontAtlas>()),
      fonts(fill_atlas(*atlas, scale, interface_scale, text)) {}

FramePainter::FramePainter() : theme_(apply_theme(ThemeId::light, 1)) {}

FramePainter::FramePainter(const FontAtlas& fonts) : FramePainter() {
  fonts_ = fonts.fonts;
  font_scale_ = fonts.scale;
  interface_scale_ = fonts.interface_scale;
  use_fonts(fonts_, font_scale_);
}

void FramePainter::prepare(const Session& session, float pixels_per_unit, float display_scale) {
  // The document's tokens may be many: they are looked at when they change.
  const TokenNames& tokens = session.document().tokens;
  const bool is_new = !(tokens == tokens_);
  tokens_ = tokens;
  prepare(
      session.view(), is_new ? session.glyph_text() : session.panel_text(), [&] { return session.glyph_text(); },
      pixels_per_unit, display_scale);
}

void FramePainter::prepare(const KeptMoment& moment, float pixels_per_unit, float display_scale) {
  prepare(
      moment.context.view, moment.glyph_text, [&] { return moment.glyph_text; }, pixels_per_unit, display_scale);
}

void FramePainter::prepare(const ViewState& view, const std::string& text, const std::function<std::string()>& all_text,
                           float pixels_per_unit, float display_scale) {
  const float interface_scale = view.interface_scale * display_scale;
  const bool same_scale = font_scale_ == pixels_per_unit && interface_scale_ == interface_scale;
  if (!same_scale || needs_glyphs(fonts_, text)) {
    fonts_ = load_fonts(pixels_per_unit, interface_scale, all_text());
    renderer_.rebuild_fonts();
  }
  renderer_.begin_frame();
  if (theme_scale_ != interface_scale || theme_.id != view.theme) theme_ = apply_theme(view.theme, interface_scale);
  font_scale_ = pixels_per_unit;
  interface_scale_ = theme_scale_ = interface_scale;
}

bool FramePainter::build(Session& session, WidgetRegistry* widgets) {
  heatmaps_.begin_frame(ImGui::GetIO().DisplayFramebufferScale.x, &session.tiles());
  const bool changes = session.build({fonts_, theme_, &session.tiles(), &heatmaps_, widgets});
  ImGui::Render();
  return changes;
}

void FramePainter::build(KeptMoment& moment, TileStore& tiles) {
  heatmaps_.begin_frame(ImGui::GetIO().DisplayFramebufferScale.x, &tiles, true);
  build_moment(moment, {fonts_, theme_, &tiles, &heatmaps_, nullptr});
  ImGui::Render();
}

void FramePainter::draw() { renderer_.draw(*ImGui::GetDrawData(), theme_.window); }

Image FramePainter::draw_to_image() { return render_to_image(renderer_, *ImGui::GetDrawData(), theme_.window); }

}  // namespace attnscope

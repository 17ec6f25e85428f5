#include "window/frame.h"

#include <algorithm>

#include "core/error.h"
#include "features/present/panel/presenting.h"
#include "files/picture_document.h"
#include "paint/window/renderers.h"
#include "platform/fonts.h"
#include "platform/system/file.h"
#include "platform/window.h"
#include "session/view_state.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"

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

Desktop desktop_of_context() {
  Desktop desktop;
  desktop.seconds = [] { return ImGui::GetTime(); };
  desktop.copied_text = [] {
    const char* const text = ImGui::GetClipboardText();
    return std::string(text ? text : "");
  };
  desktop.copy_text = [](const std::string& text) { ImGui::SetClipboardText(text.c_str()); };
  return desktop;
}

FontAtlas::FontAtlas(float pixels_per_unit, float interface, std::string_view text)
    : scale(pixels_per_unit),
      interface_scale(interface),
      atlas(std::make_unique<ImFontAtlas>()),
      fonts(fill_atlas(*atlas, scale, interface_scale, text)) {}

// The objects of an OpenGL context.
struct FramePainter::Graphics {
  ImguiRenderer renderer;
  HeatmapRenderer heatmaps;
  int max_texture_side = attnscope::max_texture_side();
};

FramePainter::FramePainter() : layouts_(std::make_unique<DiagramLayouts>()), theme_(apply_theme(ThemeId::light, 1)) {
  renew_graphics();
}

FramePainter::~FramePainter() = default;

void FramePainter::allow_motion() { layouts_ = std::make_unique<DiagramLayouts>(true); }

void FramePainter::forget_graphics() { graphics_.reset(); }

void FramePainter::renew_graphics() { graphics_ = std::make_unique<Graphics>(); }

FramePainter::FramePainter(const FontAtlas& fonts) : FramePainter() {
  const ImVec2 size = texture_size(*fonts.atlas);
  if (std::max(size.x, size.y) > static_cast<float>(graphics_->max_texture_side)) return;  // others are loaded
  fonts_ = fonts.fonts;
  font_scale_ = fonts.scale;
  interface_scale_ = fonts.interface_scale;
  use_fonts(fonts_);
}

void FramePainter::prepare(const Session& session, float pixels_per_unit, float display_scale) {
  // The document's tokens may be many: they are looked at when they change.
  const TokenNames& tokens = session.shown().document.tokens;
  const bool is_new = !(tokens == tokens_);
  tokens_ = tokens;
  prepare(
      session.shown().view, is_new ? session.glyph_text() : session.panel_text(), [&] { return session.glyph_text(); },
      pixels_per_unit, display_scale);
}

void FramePainter::prepare(const KeptUiState& kept, float pixels_per_unit, float display_scale) {
  prepare(
      kept.state.view, kept.glyph_text, [&] { return kept.glyph_text; }, pixels_per_unit, display_scale);
}

void FramePainter::prepare(const ViewState& view, const std::string& text, const std::function<std::string()>& all_text,
                           float pixels_per_unit, float display_scale) {
  const float interface_scale =
      std::max(view.interface_scale * display_scale, presented_scale(view, ImGui::GetIO().DisplaySize));
  const bool same_scale = font_scale_ == pixels_per_unit && interface_scale_ == interface_scale;
  bool has_letters = false;
  if (same_scale && !needs_glyphs(fonts_, text)) has_letters = graphics_->renderer.begin_frame();
  if (!has_letters) load(all_text(), pixels_per_unit, interface_scale);
  if (theme_scale_ != interface_scale || theme_.theme != view.theme) theme_ = apply_theme(view.theme, interface_scale);
  font_scale_ = pixels_per_unit;
  interface_scale_ = theme_scale_ = interface_scale;
}

// A driver that has no room for the letters may have some for fewer or smaller ones.
void FramePainter::load(const std::string& text, float pixels_per_unit, float interface_scale) {
  for (int& side = graphics_->max_texture_side; side >= least_texture_side; side /= 2) {
    fonts_ = load_fonts(pixels_per_unit, interface_scale, text, side);
    const bool has_texture = graphics_->renderer.rebuild_fonts();
    if (graphics_->renderer.begin_frame() && has_texture) return;
  }
  throw Error("The graphics driver has no memory for the fonts.");
}

bool FramePainter::build(Session& session, WidgetRegistry* widgets) {
  graphics_->heatmaps.begin_frame(ImGui::GetIO().DisplayFramebufferScale.x, &session.picture_cache());
  const bool changes = build_frame(session, {fonts_, theme_, &session.picture_cache(), &graphics_->heatmaps, widgets,
                                             layouts_.get(), &widest_label_});
  ImGui::Render();
  return changes || layouts_->is_moving();
}

void FramePainter::build(KeptUiState& kept, PictureCache& heads) {
  graphics_->heatmaps.begin_frame(ImGui::GetIO().DisplayFramebufferScale.x, &heads, true);
  build_frame(kept.state, {fonts_, theme_, &heads, &graphics_->heatmaps, nullptr, layouts_.get()});
  ImGui::Render();
}

void FramePainter::draw() {
  graphics_->renderer.draw_changes(*ImGui::GetDrawData(), to_vec4(theme_.inks.window),
                                   graphics_->heatmaps.plain_count());
}

std::string FramePainter::failure() const {
  if (!graphics_->heatmaps.failure().empty()) return graphics_->heatmaps.failure();
  return graphics_->renderer.has_drawn_all() ? "" : "The graphics driver has no memory for the picture.";
}

Image FramePainter::draw_to_image() {
  return render_to_image(graphics_->renderer, *ImGui::GetDrawData(), to_vec4(theme_.inks.window));
}

Screenshot::Screenshot(const Session& session, int width, int height, float scale, float display_scale)
    : kept_(session.kept()), scale_(scale), display_scale_(display_scale) {
  painter_ = std::make_unique<FramePainter>();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DisplayFramebufferScale = {scale, scale};
  context_.make_outer_current();
}

Screenshot::~Screenshot() {
  context_.make_current();
  painter_.reset();
}

void Screenshot::build(PictureCache& heads) {
  painter_->prepare(kept_, scale_, display_scale_);
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  painter_->build(kept_, heads);
}

void Screenshot::forget_graphics() {
  context_.make_current();
  painter_->forget_graphics();
  context_.make_outer_current();
}

void Screenshot::renew_graphics() {
  context_.make_current();
  painter_->renew_graphics();
  context_.make_outer_current();
}

std::optional<Image> Screenshot::advance(PictureCache& heads) {
  context_.make_current();
  for (int frame = is_settled_ ? 1 : frames_after_input; frame > 0; --frame) build(heads);
  is_settled_ = true;
  std::optional<Image> image;
  if (heads.is_done()) {
    build(heads);  // once more: now all that it asks for is there
    image = painter_->draw_to_image();
    if (!painter_->failure().empty()) throw Error(painter_->failure());
  }
  context_.make_outer_current();
  return image;
}

namespace {

constexpr float rest_seconds =
    1;  // longer than between the clicks of a double click, and than anything takes to fade in
constexpr float no_time = 1e-6f;   // for frames of which there may be more or fewer: Dear ImGui wants some to pass
constexpr int most_frames = 1000;  // until what keeps changing, an animation, is taken to be at rest

}  // namespace

UnseenWindow::UnseenWindow(Session& session, int width, int height, float scale) : session_(session), scale_(scale) {
  ImGui::GetIO().ConfigInputTextCursorBlink = false;
  session_.use(desktop_of_context());
  resize(width, height);
  rescale(scale);
}

void UnseenWindow::resize(int width, int height) {
  ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
}

void UnseenWindow::rescale(float scale) {
  scale_ = scale;
  ImGui::GetIO().DisplayFramebufferScale = {scale, scale};
}

bool UnseenWindow::build_frame(float seconds) {
  painter_.prepare(session_, scale_, 1);  // a call of the frame before may have changed the theme
  ImGui::GetIO().DeltaTime = seconds;
  ImGui::NewFrame();
  return painter_.build(session_, &widgets_);
}

void UnseenWindow::settle() {
  build_frame(rest_seconds);
  int wanted = frames_after_input;
  for (int frame = 0; wanted > 0 && frame < most_frames; ++frame) {
    session_.wait_for_evaluation();
    const bool changes = build_frame(no_time);
    wanted = std::max(wanted - 1, changes ? frames_after_change : 0);
  }
  while (session_.picture_cache().wait()) build_frame(no_time);  // no coarse pictures
  build_frame(no_time);                                          // what came last may have come after it was asked for
}

Image UnseenWindow::image() {
  Image image = painter_.draw_to_image();
  if (context_is_lost()) throw Error("The graphics driver was reset while the picture was drawn. Try again.");
  if (!painter_.failure().empty()) throw Error(painter_.failure());
  return image;
}

void write_picture(const Session& session, const Image& image, const std::filesystem::path& out) {
  write_file(
      out, with_document(encode_png(image), PictureKind::png, session.to_save(), out, view_text(session.shown().view)));
}

Image render_session(Session& session, int width, int height, float scale) {
  UnseenWindow window(session, width, height, scale);
  window.settle();
  return window.image();
}

void write_screenshot(std::variant<LoadedDocument, LoadedAttention> shown, const std::filesystem::path& out,
                      const ScreenshotOptions& options) {
  auto* const attention = std::get_if<LoadedAttention>(&shown);
  ViewState view;
  view.theme = options.theme;
  auto* const loaded = std::get_if<LoadedDocument>(&shown);
  if (loaded) look_as(view, loaded->document.config, loaded->view);
  Session session(loaded ? loaded->document : default_document(), view);
  if (loaded && !loaded->view.empty()) session.stay_in_head();
  session.show_footer(options.has_footer);
  if (attention) session.show_attention(std::move(*attention));
  if (options.opens) {
    session.push(options.opens);
    session.run_calls();
  }
  const WindowlessContext context;
  session.wait_for_evaluation();
  if (!session.shown().evaluation.error.empty())
    throw Error(session.shown().evaluation.error_field, session.shown().evaluation.error);
  write_picture(session, render_session(session, options.width, options.height, static_cast<float>(options.scale)),
                out);
}

}  // namespace attnscope

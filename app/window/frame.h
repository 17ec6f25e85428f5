#pragma once

#include <imgui.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "features/session.h"
#include "features/stages/panel/diagram_scene.h"
#include "files/document_file.h"
#include "files/image.h"
#include "paint/window/text.h"
#include "platform/system/other_programs.h"
#include "ui/view_context.h"
#include "ui/widget_registry.h"

namespace attnscope {

// Builds a frame of the session, between ImGui::NewFrame and ImGui::Render: what panels ask for is done before what
// depends on it is drawn. Returns whether the next frame may look different without anything happening.
bool build_frame(Session& session, const FrameTools& tools);

// Builds a frame of a past moment, which takes no input.
void build_frame(const UiState& moment, const FrameTools& tools);

// Dear ImGui's context, current while it lives, without files of its own: nothing is written next to the program.
class ImguiContext {
public:
  explicit ImguiContext(ImFontAtlas* fonts = nullptr);  // `fonts` outlive the context; null: an atlas of its own
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

  void make_current() { ImGui::SetCurrentContext(context_); }
  void make_outer_current() { ImGui::SetCurrentContext(outer_); }  // the context that was current before

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
  explicit FramePainter(const FontAtlas& fonts);  // the current context was made with `fonts`
  ~FramePainter();
  FramePainter(const FramePainter&) = delete;
  FramePainter& operator=(const FramePainter&) = delete;

  // Loads fonts and theme again when scale, theme or the tokens' scripts changed. Between frames only.
  void prepare(const Session& session, float pixels_per_unit, float display_scale);
  // A context that is lost takes all with it that was made in it: forget it while that context is still there, renew in
  // the next. Dear ImGui's own state and fonts stay.
  void allow_motion();  // lets things move: in a window that somebody looks at, not in pictures
  void forget_graphics();
  void renew_graphics();

  // Builds a whole frame after ImGui::NewFrame. Returns whether the next one may look different without any input.
  bool build(Session& session, WidgetRegistry* widgets = nullptr);
  // Prepares a moment that has passed; its pictures are asked for in the frame of the session's head cache.
  void prepare(const KeptUiState& kept, float pixels_per_unit, float display_scale);
  void build(KeptUiState& kept, PictureCache& heads);
  void draw();  // draws what was built last
  Image draw_to_image();
  std::string failure() const;  // says what the frame drawn last lacks, or is empty
  const Fonts& fonts() const { return fonts_; }

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
  float interface_scale_ = 0;  // the scale of the fonts
  float theme_scale_ = 1;
  TokenNames tokens_;  // tokens whose letters the fonts have
};

// A picture of a session as it was at one moment, made while the session goes on: it waits for no computation.
class Screenshot {
public:
  // `width` by `height` units at `scale` pixels per unit, in the current OpenGL context; `display_scale` enlarges the
  // interface like the desktop's own scale does.
  Screenshot(const Session& session, int width, int height, float scale, float display_scale);
  ~Screenshot();
  Screenshot(const Screenshot&) = delete;
  Screenshot& operator=(const Screenshot&) = delete;

  // Returns the picture once everything in it is exact. Call after each frame of the session until then, because that
  // is when its pictures are requested.
  std::optional<Image> advance(PictureCache& heads);

  // Forgets and renews its graphics as FramePainter does.
  void forget_graphics();
  void renew_graphics();

  // Returns the document that it shows.
  const AnyDocument& document() const { return kept_.document; }

private:
  void build(PictureCache& heads);

  KeptUiState kept_;
  float scale_;
  float display_scale_;
  ImguiContext context_;
  std::unique_ptr<FramePainter> painter_;  // belongs to the context, and ends while that is current
  bool is_settled_ = false;
};

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

// Opens the window and stays until it is closed; `begin` says what it shows first, which may throw Error. Returns the
// exit status. Throws Error when there is no display.
int run_window(const std::function<void(Session&)>& begin);

struct ScreenshotOptions {
  int width = 1440;  // units
  int height = 900;
  double scale = 1;  // pixels per unit
  ThemeId theme = ThemeId::light;
  bool has_footer = false;  // A line below says what is shown.
  Call opens = {};          // opens something first, such as a step of a lesson; null for nothing
};

// Renders the window's picture of a document, or of attention of a file, without a display, into a PNG that carries
// what it shows; of a picture, with the view that it shows. Throws Error.
void write_screenshot(std::variant<LoadedDocument, LoadedAttention> shown, const std::filesystem::path& out,
                      const ScreenshotOptions& options);

// Reads the window for those who cannot see it and for tests. Call after ImGui::Render().

// Writes JSON with a widget, a matrix or a text on each line:  {"window": {"title", "size"}, "widgets": [{"name",
// "label", "text", "enabled", "reason", "on", "open", "value", "focused", "covered", "help", "rect"}], "matrices":
// [{"name", "stage", "head", "title", "card", "rect", "cell", "rows", "columns", "first_row", "first_column",
// "row_labels", "column_labels", "text_size", "shown", "values", "marks"}], "inspector": [lines], "messages": [{"text",
// "error"}], "texts": [{"text", "size", "rect"}]}  Rectangles are [left, top, right, bottom] of the visible part, in
// pixels of a picture with the scale 1. Only switches have "on", only menus and lists "open", only disabled widgets
// "reason"; "covered" says that another window lies over the widget. In a matrix "rect" and "cell" (width and height)
// measure its cells, "shown" has the texts in them and "values" their full numbers; both are null if several cells
// share a point. "marks" has the hidden and the dropped cells, the covered ones, whose numbers are null, and the row
// and column of the pinned or pointed-at cell.
std::string read_window(const Session& session, const WidgetRegistry& widgets, const std::vector<VisibleText>& texts);

// Returns the text in a widget, from left to right.
std::string text_in(const WidgetRegistry::Entry& entry, const std::vector<VisibleText>& texts);

// Returns the texts in the cells that show of a matrix, row by row.
std::vector<std::string> cell_texts(const WidgetRegistry::Matrix& matrix, const std::vector<VisibleText>& texts);

// Returns the visible part of a rectangle; (0, 0, 0, 0) for nothing.
ImVec4 visible_part(const WidgetRegistry::Entry& entry);
inline bool is_empty(const ImVec4& rect) { return rect.z <= rect.x || rect.w <= rect.y; }

// Returns the rows and columns of a matrix that are visible at least in part.
CellRect shown_cells(const WidgetRegistry::Matrix& matrix);

}  // namespace attnscope

#pragma once

#include <imgui.h>

#include <set>
#include <string>

#include "compute/picture_cache.h"
#include "paint/window/paint_picture.h"
#include "paint/window/renderers.h"
#include "paint/window/text.h"
#include "session/ui_state.h"
#include "ui/widget_registry.h"
#include "view/cells.h"
#include "view/colours.h"

namespace attnscope {

// A theme as panels use it. Light by default, because slides are light.
struct Theme : ThemeColours {
  float unit = 1;  // one unit of the interface's scale, in Dear ImGui's units
};

// The theme, and Dear ImGui's style set to it at `interface_scale`.
Theme apply_theme(ThemeId id, float interface_scale);

constexpr float disabled_alpha = 0.5f;  // of controls that do not apply

ImVec4 to_vec4(Rgb colour);
ImU32 to_u32(Rgb colour, float alpha = 1);

class DiagramLayouts;
struct ReachOutlines;

// The widest label of the tokens, kept from frame to frame: there may be many.
class WidestLabel {
public:
  // Measures again where the tokens are others, or the font has come to have the letters of the widest.
  const std::string& of(const UiState& now, const ImFont* font);

private:
  TokenNames measured_;
  TokenNames measured_queries_;
  std::string label_;
  float width_ = 0;
};
std::string widest_of(const std::vector<std::string>& labels, const ImFont* font);

// The tools that draw a frame.
struct FrameTools {
  Fonts fonts;
  Theme theme;
  PictureCache* picture_cache = nullptr;  // makes pictures of matrices, and summaries
  HeatmapSink* heatmaps = nullptr;        // null: no pictures (tests without graphics)
  WidgetRegistry* widgets = nullptr;
  DiagramLayouts* layouts = nullptr;  // kept from frame to frame; null: computed in each
  WidestLabel* widest = nullptr;      // likewise
};

// How one document of the frame is drawn.
struct Drawing : FrameTools {
  std::string widest_label = {};         // the widest label of the tokens
  std::set<CellMark>* marks = nullptr;   // marks that this frame has drawn so far, for the legend
  const Computed* pictured = nullptr;    // a difference, drawn instead of the explained numbers; null for none
  const Evaluation* beside = nullptr;    // the other document's, which shares the colours; null for none
  bool is_kept = false;                  // side A of a comparison, which cannot be edited
  ImGuiStorage* scrolled = nullptr;      // how far both sides of a comparison are scrolled
  const ReachOutlines* reach = nullptr;  // frames of the pinned number, in modes that show them
};

// Everything that panels read: the moment that the frame shows, and how it is drawn. The moment changes only where
// calls are run, which is never within a panel.
struct ViewContext : Drawing {
  ViewContext(const UiState& shown, const Drawing& drawing) : Drawing(drawing), now(shown) {}
  ViewContext(const ViewContext&) = delete;

  const UiState& now;
};

// Draw into the current window, over what is there already. Places and lengths are in Dear ImGui's units.
// ImGui::PushClipRect() clips it.

void fill_box(ImVec2 low, ImVec2 high, const picture::Ink& ink, float radius = 0);
void outline_box(ImVec2 low, ImVec2 high, const picture::Ink& ink, float thickness = 1, float radius = 0);
void stroke_line(ImVec2 from, ImVec2 to, const picture::Ink& ink, float thickness = 1);
void fill_circle(ImVec2 middle, float radius, const picture::Ink& ink);
void outline_circle(ImVec2 middle, float radius, const picture::Ink& ink, float thickness);
void fill_triangle(ImVec2 one, ImVec2 other, ImVec2 third, const picture::Ink& ink);
void draw_text(const ImFont* font, ImVec2 pos_screen, const picture::Ink& ink, std::string_view text);
void draw_text(const ImFont* font, float height, ImVec2 pos_screen, const picture::Ink& ink, std::string_view text);
void draw_slanted_text(const ImFont* font, ImVec2 pos_screen, const picture::Ink& ink, std::string_view text);
void draw_vertical_text(const ImFont* font, float height, ImVec2 pos_screen, const picture::Ink& ink,
                        std::string_view text);

// `text`, or its beginning with an ellipsis where it is wider than `width`. Never cuts inside a UTF-8 character.
std::string fit_text(const ImFont* font, std::string_view text, float width);

// The text with its blanks broken where a line would be wider; numbers stay whole, which Dear ImGui would break at
// their points. Only a word that is wider than a whole line is broken between its letters.
std::string wrapped(const ImFont* font, std::string_view text, float width);

void draw_shadow(ImVec2 low, ImVec2 high);  // dark at its left side, clear at its right one
// Darkens the whole display around a circle, over all windows.
void draw_spotlight(ImVec2 middle, float radius, float shade);

void paint_picture(const ViewContext& context, const picture::Picture& picture, const PicturePlace& place);
// These draw nothing where the frame has no graphics.
void draw_matrix(const ViewContext& context, const picture::Heatmap& matrix, ImVec2 low, ImVec2 high);
void draw_image(const ViewContext& context, const PlainPicture& image, ImVec2 low, ImVec2 high);

}  // namespace attnscope

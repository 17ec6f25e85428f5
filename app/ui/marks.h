#pragma once

#include "paint/window/paint_picture.h"
#include "paint/window/text.h"
#include "ui/imgui_compat.h"
#include "ui/view_context.h"

namespace attnscope {

// Draw into the current window, over what is there already. Places and lengths are in Dear ImGui's units.
// ImGui::PushClipRect() clips it.

void fill_box(ImVec2 low, ImVec2 high, const picture::Ink& ink, float radius = 0);
void outline_box(ImVec2 low, ImVec2 high, const picture::Ink& ink, float thickness = 1, float radius = 0);
void stroke_line(ImVec2 from, ImVec2 to, const picture::Ink& ink, float thickness = 1);
void fill_circle(ImVec2 middle, float radius, const picture::Ink& ink);
void outline_circle(ImVec2 middle, float radius, const picture::Ink& ink, float thickness);
void fill_triangle(ImVec2 one, ImVec2 other, ImVec2 third, const picture::Ink& ink);
void draw_text(const ImFont* font, ImVec2 pos_screen, const picture::Ink& ink, std::string_view text);

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

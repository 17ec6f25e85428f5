#include "ui/marks.h"

#include <fmt/ranges.h>

#include <cmath>

namespace attnscope {
namespace {

ImDrawList& window_list() { return *ImGui::GetWindowDrawList(); }

picture::TextMeasure measure_of(const ImFont* font) {
  return [font](std::string_view text, double, picture::Face) { return static_cast<double>(text_size(font, text).x); };
}

PaintBox paint_box(const ViewContext& context) {
  return {context.fonts, context.theme.greys, context.heatmaps, context.now.view.pooling};
}

}  // namespace

void fill_box(ImVec2 low, ImVec2 high, const picture::Ink& ink, float radius) {
  window_list().AddRectFilled(low, high, to_u32(ink), radius);
}

void outline_box(ImVec2 low, ImVec2 high, const picture::Ink& ink, float thickness, float radius) {
  window_list().AddRect(low, high, to_u32(ink), radius, 0, thickness);
}

void stroke_line(ImVec2 from, ImVec2 to, const picture::Ink& ink, float thickness) {
  window_list().AddLine(from, to, to_u32(ink), thickness);
}

void fill_circle(ImVec2 middle, float radius, const picture::Ink& ink) {
  window_list().AddCircleFilled(middle, radius, to_u32(ink));
}

void outline_circle(ImVec2 middle, float radius, const picture::Ink& ink, float thickness) {
  window_list().AddCircle(middle, radius, to_u32(ink), 0, thickness);
}

void fill_triangle(ImVec2 one, ImVec2 other, ImVec2 third, const picture::Ink& ink) {
  window_list().AddTriangleFilled(one, other, third, to_u32(ink));
}

void draw_text(const ImFont* font, ImVec2 pos_screen, const picture::Ink& ink, std::string_view text) {
  draw_text(window_list(), font, pos_screen, to_u32(ink), text);
}

std::string fit_text(const ImFont* font, std::string_view text, float width) {
  return picture::shortened(text, static_cast<double>(width), 0, picture::Face::text, measure_of(font));
}

std::string wrapped(const ImFont* font, std::string_view text, float width) {
  return fmt::format(
      "{}",
      fmt::join(picture::wrapped(text, static_cast<double>(width), 0, picture::Face::text, measure_of(font)), "\n"));
}

void draw_shadow(ImVec2 low, ImVec2 high) {
  constexpr ImU32 dark = IM_COL32(0, 0, 0, 40);
  constexpr ImU32 clear = IM_COL32(0, 0, 0, 0);
  window_list().AddRectFilledMultiColor(low, high, dark, clear, clear, dark);
}

void draw_spotlight(ImVec2 middle, float radius, float shade) {
  constexpr int corners = 128;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float reach = std::hypot(size.x, size.y);
  ImGui::GetForegroundDrawList()->AddCircle(middle, radius + reach / 2, to_u32(Rgb{}, shade), corners, reach);
}

void paint_picture(const ViewContext& context, const picture::Picture& picture, const PicturePlace& place) {
  paint(window_list(), picture, place, paint_box(context));
}

void draw_matrix(const ViewContext& context, const picture::Heatmap& matrix, ImVec2 low, ImVec2 high) {
  if (context.heatmaps) context.heatmaps->draw(window_list(), quad_of(matrix, low, high, paint_box(context)));
}

void draw_image(const ViewContext& context, const PlainPicture& image, ImVec2 low, ImVec2 high) {
  if (context.heatmaps) context.heatmaps->draw_image(window_list(), image, low, high);
}

}  // namespace attnscope

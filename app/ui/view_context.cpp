#include "ui/view_context.h"

#include <fmt/ranges.h>

#include <cmath>

#include "paint/window/paint_picture.h"
#include "paint/window/text.h"
#include "ui/imgui_compat.h"

namespace attnscope {
namespace {

ImVec4 mix(const ImVec4& a, const ImVec4& b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, 1.0f};
}

void set_colours(ImGuiStyle& style, const ThemeInks& inks) {
  ImVec4* colours = style.Colors;
  colours[ImGuiCol_Text] = to_vec4(inks.text);
  colours[ImGuiCol_TextDisabled] = to_vec4(inks.dim_text);
  for (const ImGuiCol panel : {ImGuiCol_WindowBg, ImGuiCol_PopupBg, ImGuiCol_TitleBg, ImGuiCol_TitleBgActive,
                               ImGuiCol_TitleBgCollapsed, ImGuiCol_MenuBarBg, ImGuiCol_TableHeaderBg})
    colours[panel] = to_vec4(inks.panel);
  for (const ImGuiCol clear : {ImGuiCol_ChildBg, ImGuiCol_ScrollbarBg, ImGuiCol_ResizeGrip})
    colours[clear] = {0, 0, 0, 0};
  for (const ImGuiCol border :
       {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderStrong, ImGuiCol_TableBorderLight})
    colours[border] = to_vec4(inks.border);
  for (const ImGuiCol control : {ImGuiCol_FrameBg, ImGuiCol_Button}) colours[control] = to_vec4(inks.control);
  for (const ImGuiCol hovered : {ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ButtonHovered})
    colours[hovered] = to_vec4(inks.control_hovered);
  for (const ImGuiCol chosen : {ImGuiCol_ButtonActive, ImGuiCol_Header, ImGuiCol_HeaderActive})
    colours[chosen] = to_vec4(inks.chosen);
  colours[ImGuiCol_HeaderHovered] = to_vec4(inks.row_hovered);
  colours[ImGuiCol_ScrollbarGrab] = to_vec4(inks.scrollbar);
  colours[ImGuiCol_ScrollbarGrabHovered] = mix(to_vec4(inks.scrollbar), to_vec4(inks.text), 0.15f);
  colours[ImGuiCol_ScrollbarGrabActive] = mix(to_vec4(inks.scrollbar), to_vec4(inks.text), 0.3f);
  for (const ImGuiCol accent :
       {ImGuiCol_CheckMark, ImGuiCol_SeparatorHovered, ImGuiCol_SeparatorActive, ImGuiCol_NavHighlight})
    colours[accent] = to_vec4(inks.accent);
  colours[ImGuiCol_SliderGrab] = to_vec4(inks.grab);
  colours[ImGuiCol_SliderGrabActive] = to_vec4(inks.grab_active);
  colours[ImGuiCol_TextSelectedBg] = to_vec4(inks.selection);
  colours[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.35f};
}

void set_measures(ImGuiStyle& style, bool has_frames) {
  style.WindowPadding = {12, 10};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.CellPadding = {4, 2};
  style.ScrollbarSize = 11;
  style.GrabMinSize = 12;
  style.WindowRounding = 0;
  style.ChildRounding = 6;
  style.PopupRounding = 6;
  style.FrameRounding = 4;
  style.GrabRounding = 4;
  style.ScrollbarRounding = 6;
  style.WindowBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = has_frames ? 1.0f : 0.0f;
  style.DisabledAlpha = disabled_alpha;
}

}  // namespace

Theme apply_theme(ThemeId id, float interface_scale) {
  const Theme theme{colours_of(id), interface_scale};
  ImGuiStyle& style = ImGui::GetStyle();
  reset_style(style);
  set_measures(style, theme.has_frames);
  style.ScaleAllSizes(interface_scale);
  set_colours(style, theme.inks);
  return theme;
}

ImVec4 to_vec4(Rgb colour) { return ImGui::ColorConvertU32ToFloat4(to_u32(colour)); }

ImU32 to_u32(Rgb colour, float alpha) { return to_u32(picture::Ink{colour, static_cast<double>(alpha)}); }

std::string widest_of(const std::vector<std::string>& labels, const ImFont* font) {
  const auto width = [font](const std::string& label) { return text_size(font, label).x; };
  const auto widest = std::ranges::max_element(labels, {}, width);
  return widest == labels.end() ? "" : *widest;
}

const std::string& WidestLabel::of(const UiState& now, const ImFont* font) {
  const bool is_measured = measured_ == now.document.tokens && measured_queries_ == now.document.query_tokens;
  if (is_measured && text_size(font, label_).x == width_) return label_;
  measured_ = now.document.tokens;
  measured_queries_ = now.document.query_tokens;
  label_ = widest_of({widest_of(now.labels, font), widest_of(now.query_labels, font)}, font);
  width_ = text_size(font, label_).x;
  return label_;
}

namespace {

ImDrawList& window_list() { return *ImGui::GetWindowDrawList(); }

picture::TextMeasure measure_of(const ImFont* font) {
  return [font](std::string_view text, double, picture::Face) { return static_cast<double>(text_size(font, text).x); };
}

PaintBox paint_box(const ViewContext& context) { return {context.fonts, context.theme.greys, context.heatmaps}; }

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

void draw_text(const ImFont* font, float height, ImVec2 pos_screen, const picture::Ink& ink, std::string_view text) {
  draw_text(window_list(), font, height, pos_screen, to_u32(ink), text);
}

void draw_slanted_text(const ImFont* font, ImVec2 pos_screen, const picture::Ink& ink, std::string_view text) {
  draw_slanted_text(window_list(), font, pos_screen, to_u32(ink), text);
}

void draw_vertical_text(const ImFont* font, float height, ImVec2 pos_screen, const picture::Ink& ink,
                        std::string_view text) {
  draw_vertical_text(window_list(), font, height, pos_screen, to_u32(ink), text);
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
  paint_picture(window_list(), picture, place, paint_box(context));
}

void draw_matrix(const ViewContext& context, const picture::Heatmap& matrix, ImVec2 low, ImVec2 high) {
  if (context.heatmaps) context.heatmaps->draw(window_list(), quad_of(matrix, low, high, paint_box(context)));
}

void draw_image(const ViewContext& context, const PlainPicture& image, ImVec2 low, ImVec2 high) {
  if (context.heatmaps) context.heatmaps->draw_image(window_list(), image, low, high);
}

}  // namespace attnscope

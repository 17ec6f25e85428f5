#include "ui/view_context.h"

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
  if (measured_ == now.document.tokens && text_size(font, label_).x == width_) return label_;
  measured_ = now.document.tokens;
  label_ = widest_of(now.labels, font);
  width_ = text_size(font, label_).x;
  return label_;
}

}  // namespace attnscope

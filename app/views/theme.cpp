#include "views/theme.h"

#include "look/stage_look.h"
#include "paint_window/imgui_compat.h"

namespace attnscope {
namespace {

ImVec4 rgb(Rgb colour) {
  return {static_cast<float>(colour.r) / 255.0f, static_cast<float>(colour.g) / 255.0f,
          static_cast<float>(colour.b) / 255.0f, 1.0f};
}

Theme theme_of(const ThemeColours& colours) {
  const ThemeInks& inks = colours.inks;
  return {.id = colours.theme,
          .dark = colours.is_dark,
          .greys = colours.greys,
          .window = rgb(inks.window),
          .panel = rgb(inks.panel),
          .card = rgb(inks.card),
          .border = rgb(inks.border),
          .text = rgb(inks.text),
          .dim_text = rgb(inks.dim_text),
          .accent = rgb(inks.accent),
          .accent_soft = rgb(inks.chosen),
          .warning = rgb(inks.warning),
          .cross_hair = rgb(inks.cross_hair),
          .after = rgb(inks.after),
          .edited = rgb(inks.edited)};
}

ImVec4 mix(const ImVec4& a, const ImVec4& b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, 1.0f};
}

void set_colours(ImGuiStyle& style, const ThemeInks& inks) {
  ImVec4* colours = style.Colors;
  colours[ImGuiCol_Text] = rgb(inks.text);
  colours[ImGuiCol_TextDisabled] = rgb(inks.dim_text);
  for (const ImGuiCol panel : {ImGuiCol_WindowBg, ImGuiCol_PopupBg, ImGuiCol_TitleBg, ImGuiCol_TitleBgActive,
                               ImGuiCol_TitleBgCollapsed, ImGuiCol_MenuBarBg, ImGuiCol_TableHeaderBg})
    colours[panel] = rgb(inks.panel);
  for (const ImGuiCol clear : {ImGuiCol_ChildBg, ImGuiCol_ScrollbarBg, ImGuiCol_ResizeGrip})
    colours[clear] = {0, 0, 0, 0};
  for (const ImGuiCol border :
       {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderStrong, ImGuiCol_TableBorderLight})
    colours[border] = rgb(inks.border);
  for (const ImGuiCol control : {ImGuiCol_FrameBg, ImGuiCol_Button}) colours[control] = rgb(inks.control);
  for (const ImGuiCol hovered : {ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ButtonHovered})
    colours[hovered] = rgb(inks.control_hovered);
  for (const ImGuiCol chosen : {ImGuiCol_ButtonActive, ImGuiCol_Header, ImGuiCol_HeaderActive})
    colours[chosen] = rgb(inks.chosen);
  colours[ImGuiCol_HeaderHovered] = rgb(inks.row_hovered);
  colours[ImGuiCol_ScrollbarGrab] = rgb(inks.scrollbar);
  colours[ImGuiCol_ScrollbarGrabHovered] = mix(rgb(inks.scrollbar), rgb(inks.text), 0.15f);
  colours[ImGuiCol_ScrollbarGrabActive] = mix(rgb(inks.scrollbar), rgb(inks.text), 0.3f);
  for (const ImGuiCol accent :
       {ImGuiCol_CheckMark, ImGuiCol_SeparatorHovered, ImGuiCol_SeparatorActive, ImGuiCol_NavHighlight})
    colours[accent] = rgb(inks.accent);
  colours[ImGuiCol_SliderGrab] = rgb(inks.grab);
  colours[ImGuiCol_SliderGrabActive] = rgb(inks.grab_active);
  colours[ImGuiCol_TextSelectedBg] = rgb(inks.selection);
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
  const ThemeColours& colours = colours_of(id);
  Theme theme = theme_of(colours);
  theme.unit = interface_scale;
  ImGuiStyle& style = ImGui::GetStyle();
  reset_style(style);
  set_measures(style, colours.has_frames);
  style.ScaleAllSizes(interface_scale);
  set_colours(style, colours.inks);
  return theme;
}

ImVec4 head_colour(long head, bool dark) { return rgb(head_rgb(head, dark)); }

ImU32 to_u32(const ImVec4& colour) { return ImGui::ColorConvertFloat4ToU32(colour); }

ImU32 with_alpha(const ImVec4& colour, float alpha) { return to_u32({colour.x, colour.y, colour.z, alpha}); }

}  // namespace attnscope

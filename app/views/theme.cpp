#include "views/theme.h"

#include "look/stage_look.h"
#include "views/imgui_compat.h"

namespace attnscope {
namespace {

ImVec4 rgb(int hex) {
  return {static_cast<float>(hex >> 16 & 255) / 255.0f, static_cast<float>(hex >> 8 & 255) / 255.0f,
          static_cast<float>(hex & 255) / 255.0f, 1.0f};
}

Theme light_theme() {
  return {.dark = false,
          .window = rgb(0xF3F4F6),
          .panel = rgb(0xFFFFFF),
          .card = rgb(0xFFFFFF),
          .border = rgb(0xD9DCE1),
          .text = rgb(0x1B1F24),
          .dim_text = rgb(0x59616C),
          .accent = rgb(0x2459A9),
          .accent_soft = rgb(0xE3ECF9),
          .warning = rgb(0xB3400A),
          .cross_hair = rgb(0xD9480F),
          .after = rgb(0x00856A)};
}

Theme dark_theme() {
  return {.dark = true,
          .window = rgb(0x14171B),
          .panel = rgb(0x1B1F24),
          .card = rgb(0x1F242A),
          .border = rgb(0x343B44),
          .text = rgb(0xE8EAED),
          .dim_text = rgb(0xA0A8B2),
          .accent = rgb(0x6CA4F0),
          .accent_soft = rgb(0x26364D),
          .warning = rgb(0xFF9D5C),
          .cross_hair = rgb(0xFFB454),
          .after = rgb(0x3FD0A4)};
}

ImVec4 mix(const ImVec4& a, const ImVec4& b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, 1.0f};
}

void set_colours(ImGuiStyle& style, const Theme& theme) {
  ImVec4* colours = style.Colors;
  const ImVec4 control = mix(theme.panel, theme.text, theme.dark ? 0.10f : 0.07f);
  const ImVec4 control_hovered = mix(theme.panel, theme.text, theme.dark ? 0.17f : 0.12f);
  colours[ImGuiCol_Text] = theme.text;
  colours[ImGuiCol_TextDisabled] = theme.dim_text;
  colours[ImGuiCol_WindowBg] = theme.panel;
  colours[ImGuiCol_ChildBg] = {0, 0, 0, 0};
  colours[ImGuiCol_PopupBg] = theme.panel;
  colours[ImGuiCol_Border] = theme.border;
  colours[ImGuiCol_FrameBg] = control;
  colours[ImGuiCol_FrameBgHovered] = control_hovered;
  colours[ImGuiCol_FrameBgActive] = control_hovered;
  colours[ImGuiCol_TitleBg] = theme.panel;
  colours[ImGuiCol_TitleBgActive] = theme.panel;
  colours[ImGuiCol_TitleBgCollapsed] = theme.panel;
  colours[ImGuiCol_MenuBarBg] = theme.panel;
  colours[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
  colours[ImGuiCol_ScrollbarGrab] = mix(theme.panel, theme.text, 0.25f);
  colours[ImGuiCol_ScrollbarGrabHovered] = mix(theme.panel, theme.text, 0.35f);
  colours[ImGuiCol_ScrollbarGrabActive] = mix(theme.panel, theme.text, 0.45f);
  colours[ImGuiCol_CheckMark] = theme.accent;
  // Soft enough that a number behind the grab stays readable.
  colours[ImGuiCol_SliderGrab] = mix(theme.panel, theme.accent, 0.5f);
  colours[ImGuiCol_SliderGrabActive] = mix(theme.panel, theme.accent, 0.65f);
  colours[ImGuiCol_Button] = control;
  colours[ImGuiCol_ButtonHovered] = control_hovered;
  colours[ImGuiCol_ButtonActive] = theme.accent_soft;
  colours[ImGuiCol_Header] = theme.accent_soft;
  colours[ImGuiCol_HeaderHovered] = mix(theme.panel, theme.accent, 0.14f);
  colours[ImGuiCol_HeaderActive] = theme.accent_soft;
  colours[ImGuiCol_Separator] = theme.border;
  colours[ImGuiCol_SeparatorHovered] = theme.accent;
  colours[ImGuiCol_SeparatorActive] = theme.accent;
  colours[ImGuiCol_ResizeGrip] = {0, 0, 0, 0};
  colours[ImGuiCol_TableHeaderBg] = theme.panel;
  colours[ImGuiCol_TableBorderStrong] = theme.border;
  colours[ImGuiCol_TableBorderLight] = theme.border;
  colours[ImGuiCol_TextSelectedBg] = mix(theme.panel, theme.accent, 0.35f);
  colours[ImGuiCol_NavHighlight] = theme.accent;
  colours[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.35f};
}

void set_measures(ImGuiStyle& style) {
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
  style.DisabledAlpha = 0.45f;
}

}  // namespace

Theme apply_theme(bool dark, float interface_scale) {
  Theme theme = dark ? dark_theme() : light_theme();
  theme.unit = interface_scale;
  ImGuiStyle& style = ImGui::GetStyle();
  reset_style(style);
  set_measures(style);
  style.ScaleAllSizes(interface_scale);
  set_colours(style, theme);
  return theme;
}

ImVec4 head_colour(long head, bool dark) {
  const Rgb colour = head_rgb(head, dark);
  return rgb(colour.r << 16 | colour.g << 8 | colour.b);
}

ImU32 to_u32(const ImVec4& colour) { return ImGui::ColorConvertFloat4ToU32(colour); }

ImU32 with_alpha(const ImVec4& colour, float alpha) { return to_u32({colour.x, colour.y, colour.z, alpha}); }

}  // namespace attnscope

#pragma once

// The few places where Dear ImGui 1.86 to 1.92 differ for us. Nothing else asks for IMGUI_VERSION_NUM but
// imgui_input.h, paint/window/ and platform/fonts.cpp.

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <bit>
#include <cmath>

#if __has_include(<imgui_freetype.h>)
#include <imgui_freetype.h>
#else
#include <misc/freetype/imgui_freetype.h>
#endif

#include "paint/window/text.h"

namespace attnscope {

// 1.92 loads glyphs when they are first drawn and so asks the font's files; before, what was built is all there is.
inline bool has_glyph(ImFont& font, ImWchar character) {
#if IMGUI_VERSION_NUM >= 19200
  return font.IsGlyphInFont(character);
#else
  return font.FindGlyphNoFallback(character) != nullptr;
#endif
}

// The font of whatever names none, and the scale of all fonts at once: their pixels to Dear ImGui's units.
inline void set_default_font(ImFont* font, float scale) {
  ImGui::GetIO().FontDefault = font;
#if IMGUI_VERSION_NUM >= 19200
  ImGui::GetStyle().FontScaleMain = scale;
  ImGui::GetStyle().FontSizeBase = font->LegacySize;
#else
  ImGui::GetIO().FontGlobalScale = scale;
#endif
}

// From 1.92 on sizes of fonts are a part of the style, but not of a theme.
inline void reset_style(ImGuiStyle& style) {
#if IMGUI_VERSION_NUM >= 19200
  const float base = style.FontSizeBase;
  const float scale = style.FontScaleMain;
  style = ImGuiStyle();
  style.FontSizeBase = base;
  style.FontScaleMain = scale;
#else
  style = ImGuiStyle();
#endif
}

// From 1.92 on a size goes with the font; each of ours has only one.
inline void push_font(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, font_pixels(*font));
#else
  ImGui::PushFont(font);
#endif
}

// FreeType's light hinting keeps letters' shapes and snaps them to whole rows of pixels.
inline void use_freetype(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
  atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
#else
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
}

// Before 1.92 an atlas is built as a whole: at a width of its own choice up to this one, as high as it comes to be.
#if IMGUI_VERSION_NUM >= 19200
inline constexpr bool makes_all_glyphs_at_once = false;
#else
inline constexpr bool makes_all_glyphs_at_once = true;
#endif
inline constexpr int widest_atlas = 4096;

// Lets the atlas be no wider than `max_side`. Returns how wide it may be.
inline int set_max_texture_side(ImFontAtlas& atlas, int max_side) {
#if IMGUI_VERSION_NUM >= 19200
  static_cast<void>(atlas);  // the renderer has told it
#else
  atlas.TexDesiredWidth =
      max_side < widest_atlas ? static_cast<int>(std::bit_floor(static_cast<unsigned>(max_side))) : 0;
#endif
  return std::min(max_side, widest_atlas);
}

// Adds a font whose bytes outlive the atlas. `ranges` must live until build_fonts() and is of no use from 1.92 on.
inline ImFont* add_font_keeping_data(ImFontAtlas& atlas, ImFontConfig config, void* data, int size,
                                     const ImWchar* ranges) {
  config.FontData = data;
  config.FontDataSize = size;
#if IMGUI_VERSION_NUM >= 19200
  static_cast<void>(ranges);
  config.FontDataOwnedByAtlas = false;
  return atlas.AddFont(&config);
#else
  config.GlyphRanges = ranges;
  config.FontDataOwnedByAtlas = true;  // else AddFont() copies the bytes
  ImFont* const font = atlas.AddFont(&config);
  atlas.ConfigData.back().FontDataOwnedByAtlas = false;
  return font;
#endif
}

inline void build_fonts(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  static_cast<void>(atlas);  // glyphs are made when they are drawn
#else
  atlas.Build();
  for (ImFontConfig& config : atlas.ConfigData) config.GlyphRanges = nullptr;
#endif
}

// Sets the sign for characters that the font lacks and for those that do not fit into ImWchar.
inline void set_fallback(ImFont& font, ImWchar character) {
  font.FallbackChar = character;
  font.AddRemapChar(IM_UNICODE_CODEPOINT_INVALID, character);
#if IMGUI_VERSION_NUM < 19200
  font.FallbackGlyph = font.FindGlyphNoFallback(character);
  font.FallbackAdvanceX = font.FallbackGlyph->AdvanceX;
#endif
}

// An atlas that outlives the current context, which was made with it. From 1.92 on a context updates only the atlas
// that it owns, and at its end deletes that, and one that nobody holds.
inline void begin_outer_atlas(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  atlas.OwnerContext = ImGui::GetCurrentContext();
  ++atlas.RefCount;
#else
  static_cast<void>(atlas);
#endif
}
inline void end_outer_atlas(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  atlas.OwnerContext = nullptr;
#else
  static_cast<void>(atlas);
#endif
}

#if IMGUI_VERSION_NUM >= 19200
// These names changed within 1.92.
template <typename Baked>
const ImFont* font_of(const Baked& baked) {
  if constexpr (requires { baked.OwnerFont; }) {
    return baked.OwnerFont;
  } else {
    return baked.ContainerFont;
  }
}
#endif

// Calls visit(font, glyphs, size, width of a blank) for every font of the atlas, in pixels of its texture; from 1.92 on
// for each size that it was made in.
template <typename Visit>
void visit_fonts(const ImFontAtlas& atlas, const Visit& visit) {
#if IMGUI_VERSION_NUM >= 19200
  for (int index = 0; atlas.Builder && index < atlas.Builder->BakedPool.Size; ++index) {
    ImFontBaked& font = atlas.Builder->BakedPool[index];
    if (!font.WantDestroy) visit(font_of(font), font.Glyphs, font.Size, font.GetCharAdvance(' '));
  }
#else
  for (const ImFont* const font : atlas.Fonts) visit(font, font->Glyphs, font->FontSize, font->GetCharAdvance(' '));
#endif
}

inline ImVec2 texture_size(const ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  if (!atlas.TexData) return {0, 0};
  return {static_cast<float>(atlas.TexData->Width), static_cast<float>(atlas.TexData->Height)};
#else
  return {static_cast<float>(atlas.TexWidth), static_cast<float>(atlas.TexHeight)};
#endif
}

// Whether what is drawn has the atlas as its texture.
inline bool has_letters(const ImDrawCmd& command, const ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  return command.TexRef._TexData != nullptr && command.TexRef._TexData == atlas.TexData;
#else
  return command.TextureId == atlas.TexID;
#endif
}

// Keeps the wheel from scrolling the window while the pointer is over the last item.
inline void take_wheel() {
#if IMGUI_VERSION_NUM >= 18970
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#else
  ImGui::SetItemUsingMouseWheel();
#endif
}

}  // namespace attnscope

#include "paint_window/text.h"

#include <cfloat>

#include "paint_window/wide_characters.h"

namespace attnscope {
namespace {

// Dear ImGui measures and draws through non-const fonts, though neither changes what we see of them.
ImFont* mutable_font(const ImFont* font) { return const_cast<ImFont*>(font); }

}  // namespace

#if IMGUI_VERSION_NUM >= 19200
float font_pixels(const ImFont& font) { return font.LegacySize; }
float font_ascent_pixels(const ImFont& font) { return mutable_font(&font)->GetFontBaked(font_pixels(font))->Ascent; }
float font_scale() { return ImGui::GetStyle().FontScaleMain; }
#else
float font_pixels(const ImFont& font) { return font.FontSize; }
float font_ascent_pixels(const ImFont& font) { return font.Ascent; }
float font_scale() { return ImGui::GetIO().FontGlobalScale; }
#endif

float font_height(const ImFont* font) { return font_pixels(*font) * font_scale(); }

float font_ascent(const ImFont* font) { return font_ascent_pixels(*font) * font_scale(); }

ImVec2 text_size(const ImFont* font, float height, std::string_view text) {
  if (may_be_drawn_otherwise(text)) {
    const std::string drawn = text_to_draw(text);
    return mutable_font(font)->CalcTextSizeA(height, FLT_MAX, 0.0f, drawn.data(), drawn.data() + drawn.size());
  }
  return mutable_font(font)->CalcTextSizeA(height, FLT_MAX, 0.0f, text.data(), text.data() + text.size());
}

ImVec2 text_size(const ImFont* font, std::string_view text) { return text_size(font, font_height(font), text); }

void draw_text(ImDrawList& list, const ImFont* font, float height, ImVec2 pos_screen, ImU32 colour,
               std::string_view text) {
  if (may_be_drawn_otherwise(text)) {
    const std::string drawn = text_to_draw(text);
    return list.AddText(mutable_font(font), height, pos_screen, colour, drawn.data(), drawn.data() + drawn.size());
  }
  list.AddText(mutable_font(font), height, pos_screen, colour, text.data(), text.data() + text.size());
}

void draw_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text) {
  draw_text(list, font, font_height(font), pos_screen, colour, text);
}

// Glyphs outside the clip rectangle are left out as they are laid out, so the text is laid out in the rectangle's
// corner and its vertices are turned and moved from there.
void draw_vertical_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text) {
  const ImVec2 corner = list.GetClipRectMin();
  const ImVec2 origin{static_cast<float>(static_cast<int>(corner.x + 1)),
                      static_cast<float>(static_cast<int>(corner.y + 1))};
  const int first = list.VtxBuffer.Size;
  draw_text(list, font, origin, colour, text);
  for (int index = first; index < list.VtxBuffer.Size; ++index) {
    ImVec2& pos = list.VtxBuffer[index].pos;
    pos = {pos_screen.x + (pos.y - origin.y), pos_screen.y - (pos.x - origin.x)};
  }
}

}  // namespace attnscope

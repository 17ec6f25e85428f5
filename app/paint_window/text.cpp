#include "paint_window/text.h"

#include <algorithm>
#include <cfloat>

#include "paint_window/wide_characters.h"
#include "picture/picture.h"

namespace attnscope {
namespace {

// Dear ImGui measures and draws through non-const fonts, though neither changes what we see of them.
ImFont* mutable_font(const ImFont* font) { return const_cast<ImFont*>(font); }

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Up to the last blank that fits. A word that is wider than a line is broken between its letters.
std::size_t length_of_line(const ImFont* font, std::string_view text, float width) {
  const auto fits = [&](std::size_t length) { return text_size(font, text.substr(0, length)).x <= width; };
  std::size_t length = 0;
  for (std::size_t end = 0; end < text.size(); length = end) {
    end = std::min(text.find(' ', end + 1), text.size());
    if (!fits(end)) break;
  }
  if (length > 0) return length;
  const auto after = [&](std::size_t at) {
    do ++at;
    while (at < text.size() && is_continuation(text[at]));
    return at;
  };
  for (length = after(0); length < text.size() && fits(after(length));) length = after(length);
  return length;
}

}  // namespace

bool is_number_font(const Fonts& fonts, const ImFont* font) {
  return font == fonts.number || font == fonts.small_number || font == fonts.large_number;
}

SizedText text_at_step(const Fonts& fonts, int step) {
  if (step == 0) return {fonts.small_text, fonts.heading};
  return fonts.larger.at(static_cast<std::size_t>(step - 1));
}

float font_height(const ImFont* font) { return font_pixels(*font) * font_scale(); }

float font_ascent(const ImFont* font) { return font_ascent_pixels(*mutable_font(font)) * font_scale(); }

ImVec2 text_size(const ImFont* font, float height, std::string_view text) {
  if (has_wide_characters(text)) {
    const std::string drawn = text_to_draw(text);
    return mutable_font(font)->CalcTextSizeA(height, FLT_MAX, 0.0f, drawn.data(), drawn.data() + drawn.size());
  }
  return mutable_font(font)->CalcTextSizeA(height, FLT_MAX, 0.0f, text.data(), text.data() + text.size());
}

ImVec2 text_size(const ImFont* font, std::string_view text) { return text_size(font, font_height(font), text); }

void draw_text(ImDrawList& list, const ImFont* font, float height, ImVec2 pos_screen, ImU32 colour,
               std::string_view text) {
  if (has_wide_characters(text)) {
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

std::string fit_text(const ImFont* font, std::string_view text, float width) {
  const picture::TextMeasure measure = [&](std::string_view shown, double, picture::Face) {
    return static_cast<double>(text_size(font, shown).x);
  };
  return picture::shortened(text, static_cast<double>(width), 0, picture::Face::text, measure);
}

std::string wrapped(const ImFont* font, std::string_view text, float width) {
  std::string lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    for (std::string_view rest = text.substr(at, end - at); !rest.empty();) {
      const std::size_t length = length_of_line(font, rest, width);
      lines += rest.substr(0, length);
      rest.remove_prefix(std::min(length + (rest.substr(length).starts_with(' ') ? 1 : 0), rest.size()));
      if (!rest.empty()) lines += '\n';
    }
    if (end < text.size()) lines += '\n';
    at = end + 1;
  }
  return lines;
}

}  // namespace attnscope

#include "paint/window/text.h"

#include <fribidi.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <utility>
#include <vector>

#include "core/text.h"
#include "view/picture.h"

namespace attnscope {
namespace {

constexpr bool holds_all = sizeof(ImWchar) == 4;
constexpr char32_t first_emoji = 0x1F000;  // blocks of emoji and symbols, to U+1FAFF
constexpr char32_t last_emoji = 0x1FAFF;
constexpr char32_t first_private = 0xE000;
constexpr char32_t last_private = first_private + (last_emoji - first_emoji);

constexpr char32_t joiner = 0x200D;
constexpr char32_t family = 0x1F46A;

bool chooses_look(char32_t character) { return character == 0xFE0E || character == 0xFE0F; }
bool is_skin(char32_t character) { return character >= 0x1F3FB && character <= 0x1F3FF; }
bool is_symbol(char32_t character) { return character >= 0x2190; }
bool is_person(char32_t character) { return character >= 0x1F466 && character <= 0x1F469; }
bool goes_left(char32_t character) { return character >= 0x590 && character <= 0x8FF; }

// Bytes that are no UTF-8 stay as they are.
template <typename Change>
std::string changed(std::string_view text, const Change& change) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character(text, position);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    if (character.length == 0) {
      result.append(text.substr(position, length));
    } else {
      append_utf8(result, change(character.code));
    }
    position += length;
  }
  return result;
}

// Leaves out marks that choose a look, and all but the first of joined emoji: several people are a family.
std::u32string without_joined(std::u32string_view text) {
  std::u32string shown;
  bool is_joined = false;
  for (const char32_t character : text) {
    const bool follows_symbol = !shown.empty() && is_symbol(shown.back());
    if (chooses_look(character) || (follows_symbol && is_skin(character))) continue;
    if (follows_symbol && character == joiner) {
      is_joined = true;
    } else if (std::exchange(is_joined, false)) {
      const bool is_of_family = is_person(character) && (is_person(shown.back()) || shown.back() == family);
      if (is_of_family) shown.back() = family;
    } else {
      shown += character;
    }
  }
  return shown;
}

// Puts a line into the order in which it is seen, in a sentence that is read from left to right.
std::u32string in_visual_order(const std::u32string& line) {
  const std::vector<FriBidiChar> letters(line.begin(), line.end());
  std::vector<FriBidiChar> seen(line.size());
  const auto length = static_cast<FriBidiStrIndex>(line.size());
  FriBidiParType direction = FRIBIDI_PAR_LTR;
  if (fribidi_log2vis(letters.data(), length, &direction, seen.data(), nullptr, nullptr, nullptr) == 0) return line;
  const FriBidiStrIndex left = fribidi_remove_bidi_marks(seen.data(), length, nullptr, nullptr, nullptr);
  return {seen.begin(), seen.begin() + left};
}

std::u32string as_seen(const std::u32string& text) {
  std::u32string seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(U'\n', begin), text.size());
    seen += in_visual_order(text.substr(begin, end - begin));
    if (end < text.size()) seen += U'\n';
    begin = end + 1;
  }
  return seen;
}

// Dear ImGui measures and draws through non-const fonts, though neither changes what we see of them.
ImFont* mutable_font(const ImFont* font) { return const_cast<ImFont*>(font); }

}  // namespace

char32_t held_as(char32_t character) {
  const bool is_emoji = character >= first_emoji && character <= last_emoji;
  return !holds_all && is_emoji ? first_private + (character - first_emoji) : character;
}

char32_t meant_by(char32_t character) {
  const bool stands_for_other = character >= first_private && character <= last_private;
  return !holds_all && stands_for_other ? first_emoji + (character - first_private) : character;
}

bool is_arabic(char32_t character) { return character >= 0x600 && character <= 0x6FF; }

// Characters from U+0580 on to U+0FFF begin with the bytes 0xD6 to 0xE0, and those from U+F000 on with 0xEF or more.
bool may_be_drawn_otherwise(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0xD6 && byte <= 0xE0) || byte >= 0xEF;
  });
}

std::string text_to_draw(std::string_view text) {
  if (!may_be_drawn_otherwise(text)) return std::string(text);
  std::u32string characters;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character(text, position);
    characters += character.length == 0 ? U'\uFFFD' : character.code;
    position += std::max<std::size_t>(character.length, 1);
  }
  std::u32string shown = without_joined(characters);
  if (std::ranges::any_of(shown, goes_left)) shown = as_seen(shown);
  std::string drawn;
  for (const char32_t character : shown) append_utf8(drawn, held_as(character));
  return drawn;
}

std::string text_to_edit(std::string_view text) { return changed(text, held_as); }
std::string edited_text(std::string_view text) { return changed(text, meant_by); }

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
  const std::string drawn = text_to_draw(text);
  return mutable_font(font)->CalcTextSizeA(height, FLT_MAX, 0.0f, drawn.data(), drawn.data() + drawn.size());
}

ImVec2 text_size(const ImFont* font, std::string_view text) { return text_size(font, font_height(font), text); }

void draw_text(ImDrawList& list, const ImFont* font, float height, ImVec2 pos_screen, ImU32 colour,
               std::string_view text) {
  const std::string drawn = text_to_draw(text);
  list.AddText(mutable_font(font), height, pos_screen, colour, drawn.data(), drawn.data() + drawn.size());
}

void draw_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text) {
  draw_text(list, font, font_height(font), pos_screen, colour, text);
}

void draw_slanted_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text) {
  const int first = list.VtxBuffer.Size;
  draw_text(list, font, pos_screen, colour, text);
  const float feet = pos_screen.y + font_ascent(font);
  for (int index = first; index < list.VtxBuffer.Size; ++index) {
    ImVec2& pos = list.VtxBuffer[index].pos;
    pos.x += static_cast<float>(picture::slant) * (feet - pos.y);
  }
}

// Glyphs outside the clip rectangle are left out as they are laid out, so the text is laid out in the rectangle's
// corner and its vertices are turned and moved from there.
void draw_vertical_text(ImDrawList& list, const ImFont* font, float height, ImVec2 pos_screen, ImU32 colour,
                        std::string_view text) {
  const ImVec2 corner = list.GetClipRectMin();
  const ImVec2 origin{static_cast<float>(static_cast<int>(corner.x + 1)),
                      static_cast<float>(static_cast<int>(corner.y + 1))};
  const int first = list.VtxBuffer.Size;
  draw_text(list, font, height, origin, colour, text);
  for (int index = first; index < list.VtxBuffer.Size; ++index) {
    ImVec2& pos = list.VtxBuffer[index].pos;
    pos = {pos_screen.x + (pos.y - origin.y), pos_screen.y - (pos.x - origin.x)};
  }
}

}  // namespace attnscope

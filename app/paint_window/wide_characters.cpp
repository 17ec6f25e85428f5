#include "paint_window/wide_characters.h"

#include <algorithm>

#include "core/utf8.h"

namespace attnscope {
namespace {

constexpr bool holds_all = sizeof(ImWchar) == 4;
constexpr char32_t first_emoji = 0x1F000;  // blocks of emoji and symbols, to U+1FAFF
constexpr char32_t last_emoji = 0x1FAFF;
constexpr char32_t first_private = 0xE000;
constexpr char32_t last_private = first_private + (last_emoji - first_emoji);

bool chooses_look(char32_t character) { return character == 0xFE0E || character == 0xFE0F; }

template <typename Change>
std::string changed(std::string_view text, bool leaves_looks_out, const Change& change) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character(text, position);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    const char32_t other = change(character.code);
    if (character.length == 0 || other == character.code) {
      const bool is_left_out = character.length > 0 && leaves_looks_out && chooses_look(character.code);
      if (!is_left_out) result.append(text.substr(position, length));
    } else {
      append_utf8(result, other);
    }
    position += length;
  }
  return result;
}

}  // namespace

void append_utf8(std::string& text, char32_t character) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (character < 0x80) return put(character);
  if (character >= 0x10000) {
    put(0xF0 | character >> 18);
    put(0x80 | (character >> 12 & 0x3F));
  } else if (character >= 0x800) {
    put(0xE0 | character >> 12);
  }
  if (character >= 0x800) put(0x80 | (character >> 6 & 0x3F));
  if (character < 0x800) put(0xC0 | character >> 6);
  put(0x80 | (character & 0x3F));
}

char32_t held_as(char32_t character) {
  const bool is_emoji = character >= first_emoji && character <= last_emoji;
  return !holds_all && is_emoji ? first_private + (character - first_emoji) : character;
}

char32_t meant_by(char32_t character) {
  const bool stands_for_other = character >= first_private && character <= last_private;
  return !holds_all && stands_for_other ? first_emoji + (character - first_private) : character;
}

// Only such text has these bytes: the first of U+FE0E, and those of four-byte characters.
bool has_wide_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0xEF; });
}

std::string text_to_draw(std::string_view text) { return changed(text, true, held_as); }
std::string text_to_edit(std::string_view text) { return changed(text, false, held_as); }
std::string edited_text(std::string_view text) { return changed(text, false, meant_by); }

}  // namespace attnscope

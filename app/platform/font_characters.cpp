#include "platform/font_parts.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>

#include "core/utf8.h"
#include "paint/window/text.h"

namespace attnscope {
namespace {

constexpr char32_t last_character = std::min<char32_t>(std::numeric_limits<ImWchar>::max(), 0x10FFFF);

struct Range {
  char32_t first = 0;
  char32_t last = 0;
};

// The characters of the program's own texts: Latin, Greek, punctuation, superscripts and subscripts, arrows, operators,
// shapes.
constexpr Range own_ranges[] = {
    {0x20, 0x7E},     {0xA0, 0x17F},    {0x370, 0x3FF},   {0x1D2C, 0x1D6A}, {0x2010, 0x2027}, {0x2030, 0x203A},
    {0x2070, 0x209C}, {0x20AC, 0x20AC}, {0x2102, 0x2115}, {0x211D, 0x211D}, {0x2190, 0x2199}, {0x21A6, 0x21A6},
    {0x21BA, 0x21BB}, {0x21D0, 0x21D5}, {0x2200, 0x222B}, {0x2248, 0x2248}, {0x2260, 0x226B}, {0x2295, 0x2299},
    {0x22A4, 0x22A5}, {0x22C5, 0x22C6}, {0x22EE, 0x22F1}, {0x2318, 0x2318}, {0x2423, 0x2423}, {0x2500, 0x2500},
    {0x2502, 0x2502}, {0x2580, 0x259F}, {0x25A0, 0x25FF}, {0x2605, 0x2606}, {0x2699, 0x2699}, {0x26A0, 0x26A0},
    {0x2713, 0x2718}, {0x27E8, 0x27E9}, {0x27F2, 0x27F7}, {0xFFFD, 0xFFFD}};

// The part of own_ranges for fonts of large letters; all of them would fill the atlas.
constexpr Range diagram_ranges[] = {{0x20, 0x7E},     {0xA0, 0xFF},     {0x370, 0x3FF},   {0x1D2C, 0x1D6A},
                                    {0x2010, 0x2027}, {0x2070, 0x209C}, {0x2190, 0x2199}, {0x2200, 0x222B},
                                    {0x2260, 0x226B}, {0x2295, 0x2299}, {0x22A4, 0x22C6}, {0x25A1, 0x25A1}};
constexpr Range number_ranges[] = {{0x20, 0x7E}, {0xD7, 0xD7}, {0x2212, 0x2212}, {0x221E, 0x221E}, {0x25A1, 0x25A1}};

void add(std::set<char32_t>& characters, std::span<const Range> ranges) {
  for (const Range& range : ranges) {
    for (char32_t character = range.first; character <= range.last; ++character) characters.insert(character);
  }
}

std::string too_many(std::size_t most_extra) {
  const std::string most = std::to_string(most_extra);
  if (most_extra < max_extra_characters)
    return "The graphics driver's textures have room for " + most +
           " of the tokens' characters beyond the usual ones; the rest is shown as boxes.";
  return "The tokens have more than " + most + " different characters; the rest is shown as boxes.";
}

bool is_control(char32_t character) { return character < 0x20 || (character >= 0x7F && character < 0xA0); }

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> codes;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character(text, position);
    if (character.length > 0) codes.push_back(character.code);
    position += std::max<std::size_t>(character.length, 1);
  }
  return codes;
}

std::vector<char32_t> drawn_characters(std::string_view text) {
  std::vector<char32_t> characters = code_points(text);
  if (!may_be_drawn_otherwise(text)) return characters;
  for (const char32_t character : code_points(text_to_draw(text))) characters.push_back(meant_by(character));
  if (std::ranges::none_of(characters, is_arabic)) return characters;
  for (const auto& [first, last] : joined_letters) {
    for (char32_t character = first; character <= last; ++character) characters.push_back(character);
  }
  return characters;
}

bool is_shown(char32_t character) { return !is_control(character) && held_as(character) <= last_character; }

std::set<char32_t> characters_for(std::string_view text, std::size_t most_extra, Fonts& fonts) {
  std::set<char32_t> characters;
  add(characters, own_ranges);
  const std::size_t limit = characters.size() + most_extra;
  for (const char32_t character : drawn_characters(text)) {
    if (!is_shown(character)) continue;
    if (characters.size() < limit) {
      characters.insert(character);
    } else if (!characters.contains(character)) {
      fonts.messages.push_back(too_many(most_extra));
      break;
    }
  }
  return characters;
}

std::set<char32_t> characters_for(Glyphs glyphs, const std::set<char32_t>& all) {
  if (glyphs == Glyphs::all) return all;
  std::set<char32_t> characters;
  add(characters, glyphs == Glyphs::numbers ? std::span<const Range>(number_ranges) : diagram_ranges);
  if (glyphs == Glyphs::numbers) return characters;
  std::set<char32_t> own;
  add(own, own_ranges);
  std::ranges::set_difference(all, own, std::inserter(characters, characters.end()));
  return characters;
}

}  // namespace attnscope

#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "paint_window/fonts.h"
#include "platform/font_table.h"

namespace attnscope {

constexpr std::size_t max_extra_characters = 2000;  // keeps the atlas below what drivers allow

// Bytes that are not UTF-8 are left out.
std::vector<char32_t> code_points(std::string_view text);

// The characters of a text and those that may be drawn in their place.
std::vector<char32_t> drawn_characters(std::string_view text);

// Whether Dear ImGui can hold it, as itself or by another one, and it is more than a control character.
bool is_shown(char32_t character);

// Characters of the program and of `text` that are shown; of those that the program does not write itself no more than
// `most_extra`, which fonts.messages says. Dear ImGui shows the others as one box.
std::set<char32_t> characters_for(std::string_view text, std::size_t most_extra, Fonts& fonts);

// Returns the characters of `all` that a font makes glyphs for: the tokens' are among them, but where there are only
// numbers.
std::set<char32_t> characters_for(Glyphs glyphs, const std::set<char32_t>& all);

}  // namespace attnscope

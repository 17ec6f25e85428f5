#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <utility>

namespace attnscope {

// Text at explicit positions with explicit fonts. Sizes and positions are in Dear ImGui's units.

float font_pixels(const ImFont& font);         // height of one line, in the pixels that it was made with
float font_ascent_pixels(const ImFont& font);  // from the top of a line to its baseline, in the same pixels
float font_scale();                            // of all fonts at once: their pixels to Dear ImGui's units

float font_height(const ImFont* font);  // of one line
float font_ascent(const ImFont* font);  // from the top of a line down to the feet of its letters
ImVec2 text_size(const ImFont* font, std::string_view text);
ImVec2 text_size(const ImFont* font, float height, std::string_view text);

void draw_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text);
void draw_text(ImDrawList& list, const ImFont* font, float height, ImVec2 pos_screen, ImU32 colour,
               std::string_view text);

// Reads from bottom to top; pos_screen is the lower left corner of the turned text.
void draw_vertical_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text);

// Dear ImGui as Debian builds it holds characters in 16 bits, and emoji lie above. They are drawn, and typed into, as
// characters of private use: one for each, so that the way back is as sure.

char32_t held_as(char32_t character);   // itself where it can be held, and where nothing stands for it
char32_t meant_by(char32_t character);  // the other way round

// Text for Dear ImGui, which draws one character after the other from left to right: Arabic and Hebrew are in the order
// in which they are seen, Arabic letters are joined, several emoji that stand for one become one, and marks that choose
// how the character before them looks are left out.
std::string text_to_draw(std::string_view text);
// Text for a field, and what was typed into one.
std::string text_to_edit(std::string_view text);
std::string edited_text(std::string_view text);

bool may_be_drawn_otherwise(std::string_view text);  // whether text_to_draw() may change it; quick to tell

// The characters that text_to_draw() may put in the place of Arabic letters.
inline constexpr std::pair<char32_t, char32_t> joined_letters[] = {{0xFB50, 0xFBB1}, {0xFE70, 0xFEFC}};
bool is_arabic(char32_t character);

void append_utf8(std::string& text, char32_t character);

}  // namespace attnscope

#pragma once

#include <imgui.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

// The fonts of texts in another size than those of the panels.
struct SizedText {
  ImFont* small_text = nullptr;
  ImFont* heading = nullptr;
};

// Fonts at the display's scale, already in the atlas of the current Dear ImGui context. Sizes are in units at scale 1.
struct Fonts {
  ImFont* text = nullptr;               // Inter 15, the default
  ImFont* small_text = nullptr;         // Inter 12.5: labels, captions
  ImFont* heading = nullptr;            // Inter SemiBold 15: titles of stages and sections
  ImFont* number = nullptr;             // JetBrains Mono 13: inspector, tables
  ImFont* small_number = nullptr;       // JetBrains Mono 11: values in tables
  ImFont* large_number = nullptr;       // JetBrains Mono 17: the inspector's result
  ImFont* bold_label = nullptr;         // Inter SemiBold 11.5: the marked token's name; null if left out
  SizedText smaller;                    // Inter 11, SemiBold 13
  std::array<SizedText, 3> larger;      // by 1.2, 1.5 and 2; by 1 if that would be too many glyphs
  std::array<ImFont*, 10> digits = {};  // Inter 11 to 30, digits and ASCII alone: numbers in the cells of a picture
  float text_em = 1;                    // Inter's em, in heights of a line, which Dear ImGui calls the size
  float number_em = 1;                  // JetBrains Mono's em, in heights of a line
  float pixels_per_unit = 1;            // they were made at so many: fewer than asked if a texture is full
  std::vector<std::string> messages;    // say what was not found and what is used instead
};

// Text at explicit positions with explicit fonts. Sizes and positions are in Dear ImGui's units.

float font_pixels(const ImFont& font);         // height of a line, in the pixels that it was made with
float font_ascent_pixels(const ImFont& font);  // from the top of a line to its baseline, in the same pixels
float font_scale();                            // Dear ImGui's units for each pixel of any font

float font_height(const ImFont* font);  // height of a line
float font_ascent(const ImFont* font);  // from the top of a line down to the feet of its letters
ImVec2 text_size(const ImFont* font, std::string_view text);
ImVec2 text_size(const ImFont* font, float height, std::string_view text);

void draw_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text);
void draw_text(ImDrawList& list, const ImFont* font, float height, ImVec2 pos_screen, ImU32 colour,
               std::string_view text);

// Draws text whose letters lean to the right, for emphasis.
void draw_slanted_text(ImDrawList& list, const ImFont* font, ImVec2 pos_screen, ImU32 colour, std::string_view text);

// Draws text that reads from bottom to top; pos_screen is the lower left corner of the turned text.
void draw_vertical_text(ImDrawList& list, const ImFont* font, float height, ImVec2 pos_screen, ImU32 colour,
                        std::string_view text);

// Dear ImGui as Debian builds it holds characters in 16 bits, and emoji lie above. Each has a character of private use
// that stands for it in fonts and fields, so that it can be found again.

char32_t held_as(char32_t character);   // itself if it can be held, or if nothing stands for it
char32_t meant_by(char32_t character);  // the other way round

// Returns text for Dear ImGui, which draws one character after the other from left to right: puts Arabic and Hebrew
// into the order in which they are seen, joins Arabic letters, makes several emoji that stand for one into one, and
// leaves out marks that choose how the character before them looks.
std::string text_to_draw(std::string_view text);
// Convert text for a field, and text that was typed into one.
std::string text_to_edit(std::string_view text);
std::string edited_text(std::string_view text);

bool may_be_drawn_otherwise(std::string_view text);  // returns whether text_to_draw() may change it; is fast

// The blocks of characters that text_to_draw() may put in the place of Arabic letters.
inline constexpr std::pair<char32_t, char32_t> joined_letters[] = {{0xFB50, 0xFBB1}, {0xFE70, 0xFEFC}};
bool is_arabic(char32_t character);

}  // namespace attnscope

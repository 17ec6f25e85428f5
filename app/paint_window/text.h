#pragma once

#include <imgui.h>

#include <string_view>

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

}  // namespace attnscope

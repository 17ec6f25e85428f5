#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace attnscope {

// Dear ImGui as Debian builds it holds characters in 16 bits, and emoji lie above. They are drawn, and typed into, as
// characters of private use: one for each, so that the way back is as sure.

char32_t held_as(char32_t character);   // itself where it can be held, and where nothing stands for it
char32_t meant_by(char32_t character);  // the other way round

// Text for Dear ImGui; marks that choose how the character before them looks are left out, as there is one look only.
std::string text_to_draw(std::string_view text);
// Text for a field, and what was typed into one.
std::string text_to_edit(std::string_view text);
std::string edited_text(std::string_view text);

bool has_wide_characters(std::string_view text);  // that text_to_draw() changes

void append_utf8(std::string& text, char32_t character);

}  // namespace attnscope

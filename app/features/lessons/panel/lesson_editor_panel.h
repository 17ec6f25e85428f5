#pragma once

#include <string>

#include "ui/view_context.h"

namespace attnscope {

// Returns whether the editor of lessons takes the place of the setup. A lesson that is tried covers it.
bool is_making_lesson(const ViewContext& context);
// Draws the editor: the lesson's steps, and the chosen one with its texts and its question.
void draw_lesson_editor(const ViewContext& context, CallQueue& queue);

// Draws a field for a text of several paragraphs, as wide as there is room, whose lines are broken as they are typed.
// Enter begins a paragraph. Returns whether it was changed. `lines` is the least height. `takes_keys`: what is typed
// from now on goes to its end.
bool paragraphs_field(const ViewContext& context, const char* id, const char* hint, std::string& text, int lines,
                      bool takes_keys = false);
// Breaks lines in place, of a text as it is edited: blanks become line ends and line ends become blanks, so that no
// letter moves. Paragraphs that are code keep their lines.
void break_lines(char* text, std::size_t size, const ImFont* font, float width);
// Returns the text with the line ends within paragraphs as blanks.
std::string without_line_breaks(std::string text);

}  // namespace attnscope

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "teach/lesson.h"

namespace attnscope {

// Returns a lesson on paper, as the bytes of a PDF of A4 pages: its steps, each with a figure of what it shows, its
// questions with room for answers, and on pages of their own, at the end, the answers. Throws Error.
std::string render_handout(const Lesson& lesson);

// Returns what a text of a lesson says on paper: cells are marked there instead of clicked, bars are drawn instead of
// dragged, and sentences that name a key or a control of the window are left out; also those about the screen where no
// picture stands.
std::string words_on_paper(std::string_view text, bool has_picture = true);

// Returns which sentences of a lesson a handout leaves out, each with its step.
std::vector<std::string> left_out_on_paper(const Lesson& lesson);

}  // namespace attnscope

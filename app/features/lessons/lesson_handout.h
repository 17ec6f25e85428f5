#pragma once

#include <string>

#include "teach/lesson.h"

namespace attnscope {

// A lesson on paper, as the bytes of a PDF of A4 pages: its steps with the stage that each shows, its questions with
// room for answers, and on pages of their own, at the end, the answers. Throws Error.
std::string render_handout(const Lesson& lesson);

}  // namespace attnscope

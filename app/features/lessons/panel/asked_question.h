#pragma once

#include <span>

#include "teach/lesson_text.h"
#include "ui/view_context.h"

namespace attnscope {

// A question that a lesson asks, or that is asked about covered numbers.
struct AskedQuestion {
  std::string_view name;     // its widgets are "name/bar/0"
  bool is_of_lesson = true;  // false: a covered number is asked about
  const Question& question;
  const Answering& answering;
  QuestionRecord record;
  bool is_done = false;  // no answer is taken any more
};
void draw_asked_question(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked);

// Draws a lesson's text at the cursor, as wide as there is room: words flow, numbers stay whole.
void draw_lesson_text(const ViewContext& context, std::string_view name, std::span<const TextBlock> blocks);

}  // namespace attnscope

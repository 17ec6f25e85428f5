#pragma once

#include <span>

#include "teach/lesson_text.h"
#include "ui/view_context.h"

namespace attnscope {

// A question as it is asked and answered, by a lesson or where something is covered.
struct AskedQuestion {
  std::string_view name;     // its widgets are "name/bar/0"
  bool is_of_lesson = true;  // else something is covered
  const Question& question;
  const Answering& answering;
  QuestionRecord record;
  bool is_done = false;  // no answer is taken any more
};
void draw_asked_question(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked);

// A lesson's text at the cursor, as wide as there is room: words flow, numbers stay whole.
void draw_lesson_text(const ViewContext& context, std::string_view name, std::span<const TextBlock> blocks);

}  // namespace attnscope

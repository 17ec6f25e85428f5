#pragma once

#include <span>

#include "lessons/lesson_text.h"
#include "ui/view_context.h"

namespace attnscope {

// A lesson's text at the cursor, as wide as there is room: words flow, numbers stay whole.
void draw_lesson_text(const ViewContext& context, std::string_view name, std::span<const TextBlock> blocks);

}  // namespace attnscope

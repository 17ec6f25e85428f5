#pragma once

#include "ui/view_context.h"

namespace attnscope {

// The lesson that is open, in the place of the setup: tabs lead from one to the other.
void draw_lesson_tabs(const ViewContext& context, CommandQueue& queue);
void draw_lesson_panel(const ViewContext& context, CommandQueue& queue);
// The task of a step, above the setup that it is done with.
void draw_lesson_task(const ViewContext& context, CommandQueue& queue);
void draw_lessons_menu(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope

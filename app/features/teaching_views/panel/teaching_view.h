#pragma once

#include "teach/questions.h"
#include "teach/teaching_view.h"
#include "ui/view_context.h"
#include "view/board.h"

namespace attnscope {

void show_study(CallQueue& queue, std::string_view id);
void close_study(CallQueue& queue);

void draw_study(const ViewContext& context, CallQueue& queue);

// Opens a question beside the view that shows it; without an id, the list of questions.
void show_question(CallQueue& queue, std::string_view id);

// Draws a quiet "?" with its upper left corner at a place of the screen: a click answers the question.
void draw_why(const ViewContext& context, CallQueue& queue, const ReaderQuestion& question, std::string_view name,
              ImVec2 pos_screen);
// Puts the question mark behind the label of a control of the setup that begins here, where there is room for it.
void draw_why_of_control(const ViewContext& context, CallQueue& queue, std::string_view control,
                         std::string_view label);
float why_width(const ViewContext& context);

}  // namespace attnscope

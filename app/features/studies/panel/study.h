#pragma once

#include "look/board.h"
#include "study/study.h"
#include "ui/view_context.h"

namespace attnscope {

void show_study(CommandQueue& queue, std::string_view id);
void close_study(CommandQueue& queue);

void draw_study(const ViewContext& context, CommandQueue& queue);
void draw_study_menu(const ViewContext& context, CommandQueue& queue);  // of Learn

}  // namespace attnscope

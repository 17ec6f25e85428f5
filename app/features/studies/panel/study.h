#pragma once

#include "look/board.h"
#include "study/study.h"
#include "ui/view_context.h"

namespace attnscope {

void show_study(CommandQueue& queue, std::string_view id);
void close_study(CommandQueue& queue);

void draw_study(const ViewContext& context, CommandQueue& queue);
void draw_study_menu(const ViewContext& context, CommandQueue& queue);  // of Learn

// The board as large as there is room, and what the pointer does on it.
void draw_board(const ViewContext& context, CommandQueue& queue, const Board& board);
// The controls of the view, in a row.
void draw_board_controls(const ViewContext& context, CommandQueue& queue, const Board& board);

}  // namespace attnscope

#pragma once

#include "ui/view_context.h"

namespace attnscope {

// The menu of the pinned number and of those around it. It is opened by the right button of the mouse, by a
// key, or by the inspector's button.
void draw_cell_menu(const ViewContext& context, CallQueue& queue);
void open_cell_menu(CallQueue& queue);

// Draws in the inspector, below the pinned number, what is done with it most. Returns whether that is a row of buttons,
// which others may follow in.
bool draw_cell_edits(const ViewContext& context, CallQueue& queue, const Source& cell);

// Puts the next button on the same line where it has room.
void beside_or_below(const ViewContext& context, const char* label);

}  // namespace attnscope

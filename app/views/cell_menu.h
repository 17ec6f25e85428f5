#pragma once

#include "views/view_context.h"

namespace attnscope {

// What can be done with the pinned number and with those around it, by a menu: by the right button of the mouse, by a
// key, or by the inspector's button.
void draw_cell_menu(const ViewContext& context, CommandQueue& queue);
void open_cell_menu(CommandQueue& queue);

// In the inspector, below the pinned number: what is done with it most.
void draw_cell_edits(const ViewContext& context, CommandQueue& queue, const Source& cell);

}  // namespace attnscope

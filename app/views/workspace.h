#pragma once

#include "views/view_context.h"

namespace attnscope {

// The whole window: menu bar, setup, stages, inspector, status line, and the dialog over them if one is open.
void draw_workspace(const ViewContext& context, CommandQueue& queue);

// Keys that work anywhere, unless a text field has the keyboard.
void handle_shortcuts(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope

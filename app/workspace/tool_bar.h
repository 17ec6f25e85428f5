#pragma once

#include "ui/view_context.h"

namespace attnscope {

// Controls of the view: layouts, stage, head and batch entry at the left; decimals, colours and size at the
// right. Where it is narrow, what the menu View has too is left out first; then it is broken into lines.

bool fits_line(const ViewContext& context, float width);
int tool_bar_lines(const ViewContext& context, float width);
// From where the cursor is to the right end of the window.
void draw_tool_bar(const ViewContext& context, CommandQueue& queue, float line_height);

}  // namespace attnscope

#pragma once

#include <functional>

#include "ui/view_context.h"

namespace attnscope {

// The whole window: menu bar, setup, stages, inspector, status line, and the dialog over them if one is open. What
// changes the document comes before what shows its numbers, and `apply` does in between what was asked for: whatever is
// changed is seen in the frame that changes it.
void draw_workspace(const ViewContext& context, CommandQueue& queue, const std::function<void()>& apply);

}  // namespace attnscope

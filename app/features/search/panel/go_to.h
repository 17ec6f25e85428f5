#pragma once

#include "ui/view_context.h"

namespace attnscope {

void draw_go_to(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope

#pragma once

#include "views/view_context.h"

namespace attnscope {

// Menus that change a row, a column, a head's part or the whole of the weights or biases that a cell stands in.
void draw_weight_menus(const ViewContext& context, CommandQueue& queue, const Source& cell);

}  // namespace attnscope

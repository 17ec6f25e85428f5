#pragma once

#include "ui/view_context.h"

namespace attnscope {

// Masks as they are often wanted: a row of the setup, below the mask.
void draw_mask_presets(const ViewContext& context, CommandQueue& queue);
// A row with what is added to the scores.
void draw_bias(const ViewContext& context, CommandQueue& queue);
// And those that a cell of the mask stands for, in its menu.
void draw_mask_items(const ViewContext& context, CommandQueue& queue, const Source& cell);

}  // namespace attnscope

#pragma once

#include "ui/view_context.h"

namespace attnscope {

// Keys in the layout Layers: an arrow leads to the next picture, Enter shows it large.
void step_in_layers(const ViewContext& context, CommandQueue& queue, Index rows, Index cols);
void open_in_layers(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope

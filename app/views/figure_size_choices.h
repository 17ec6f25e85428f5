#pragma once

#include "look/figure_options.h"

namespace attnscope {

struct ViewContext;

// How wide a figure is, by name or by number, its resolution and its letters.
void draw_figure_sizes(const ViewContext& context, FigureOptions& options);

}  // namespace attnscope

#pragma once

#include "look/figure_options.h"

namespace attnscope {

struct ViewContext;

// Two rows: which stages of the diagram a figure shows, and whether it has arrows.
void draw_diagram_choices(const ViewContext& context, FigureOptions& options);

}  // namespace attnscope

#pragma once

#include "views/figure_dialog.h"
#include "views/view_context.h"

namespace attnscope {

// Everything that is chosen about a figure, row by row; `choices` are changed in place. There must be a result.
void draw_figure_choices(const ViewContext& context, FigureChoices& choices);

}  // namespace attnscope

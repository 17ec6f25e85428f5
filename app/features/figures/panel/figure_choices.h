#pragma once

#include "session/figure_choices.h"

namespace attnscope {

struct ViewContext;

// Everything that is chosen about a figure, row by row, in one column or in two; `choices` are changed in place. There
// must be a result.
void draw_figure_choices(const ViewContext& context, FigureChoices& choices, bool is_one_column);
float figure_choices_height(const ViewContext& context, const FigureChoices& choices);  // of one column

// Whether the figure is still or one parameter is swept, and how.
void draw_sweep_choices(const ViewContext& context, FigureChoices& choices);
// Sweeps a parameter; what would show nothing of it is chosen anew.
void choose_swept(const ViewContext& context, FigureChoices& choices, const std::string& parameter);

}  // namespace attnscope

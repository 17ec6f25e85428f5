#pragma once

#include "session/figure_state.h"

namespace attnscope {

struct ViewContext;

// Draws all choices about a figure, row by row, in one column or in two, and changes them in place. There must be a
// result.
void draw_figure_choices(const ViewContext& context, FigureChoices& choices, bool is_one_column);
float figure_choices_height(const ViewContext& context, const FigureChoices& choices);  // of one column

// Draws the choice between a still figure and a sweep, and how one parameter is swept.
void draw_sweep_choices(const ViewContext& context, FigureChoices& choices);
// Sweeps a parameter, and changes choices that would show nothing of it.
void choose_swept(const ViewContext& context, FigureChoices& choices, const std::string& parameter);

}  // namespace attnscope

#pragma once

#include "state/figure_choices.h"

namespace attnscope {

struct ViewContext;

// Everything that is chosen about a figure, row by row, in one column or in two; `choices` are changed in place. There
// must be a result.
void draw_figure_choices(const ViewContext& context, FigureChoices& choices, bool is_one_column);
float figure_choices_height(const ViewContext& context, const FigureChoices& choices);  // of one column

// Whether the figure is still or one parameter is swept, and how.
void draw_sweep_choices(const ViewContext& context, FigureChoices& choices);
// Sweeps a parameter; what would show nothing of it is chosen anew.
void choose_swept(const ViewContext& context, FigureChoices& choices, SweptParameter parameter);

// A row: which stages of the diagram a figure shows.
void draw_diagram_stages(const ViewContext& context, FigureOptions& options);

// A line below the figure: the progress of its export, the error or the file that came of it, else its size. It is
// always there, so that nothing jumps.
void draw_figure_news(const ViewContext& context);
float figure_news_height(const ViewContext& context);  // sentences may take more than a line

}  // namespace attnscope

#pragma once

namespace attnscope {

struct ViewContext;

// What goes on in the dialog of figures, what went wrong, what came of it or how large the figure would be: always a
// line, so that nothing jumps.
void draw_figure_news(const ViewContext& context);

float figure_news_height(const ViewContext& context);  // sentences may take more than a line

}  // namespace attnscope

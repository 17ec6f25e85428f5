#pragma once

#include "views/stage_view.h"

namespace attnscope {

// The colours of a heatmap with the numbers at their ends (and in the middle, where there is room); with the marks that
// the stage can carry.

// Horizontal, one line high, right-aligned at `right`; returns its width. A compact one is shorter and says "±0.31"
// where it is centred on 0. Nothing for stages that are yes or no.
float draw_small_colour_bar(const ViewContext& context, const StageView& view, bool is_compact, float right, float top);
// "0 to 1", with what it is a measure of.
std::string bar_ends(const ViewContext& context, const StageView& view);

float small_colour_bar_width(const ViewContext& context, const StageView& view, bool is_compact);

// Vertical, beside a large heatmap, with a caption that says what the range is and one for what pooled cells show.
void draw_colour_bar(const ViewContext& context, const StageView& view, ImVec2 min_screen, float height,
                     std::string_view pooling);
float colour_bar_width(const ViewContext& context, const StageView& view);

}  // namespace attnscope

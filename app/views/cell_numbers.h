#pragma once

#include "views/stage_view.h"

namespace attnscope {

// Numbers in the cells of a heatmap in the largest font that they all fit in; none when none does. Ink is dark or light
// by the colour of the cell.
void draw_cell_numbers(const ViewContext& context, const StageView& view, ImVec2 heat_min, ImVec2 cell);

}  // namespace attnscope

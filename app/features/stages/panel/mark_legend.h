#pragma once

#include "features/stages/panel/cell_grid.h"
#include "view/cells.h"

namespace attnscope {

// Notes the marks of the cells that a heatmap shows, for the legend of this frame. Of more cells than are worth reading
// in each frame: those that mask and dropout make.
void note_marks(const ViewContext& context, const StageView& view, const CellGrid& grid);

// Draws the marks that were noted, each beside a sample, in small text on the line that begins at `pos_screen`. Nothing
// where there are none.
void draw_mark_legend(const ViewContext& context, ImVec2 pos_screen);
float mark_legend_width(const ViewContext& context);

}  // namespace attnscope

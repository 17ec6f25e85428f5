#pragma once

#include "views/cell_grid.h"

namespace attnscope {

// Numbers in the cells that show, in the largest font that those of the whole matrix fit in; none when none does. Ink
// is dark or light by the colour of the cell.
void draw_cell_numbers(const ViewContext& context, const StageView& view, const CellGrid& grid);

}  // namespace attnscope

#pragma once

#include "views/cell_grid.h"
#include "views/stage_card.h"

namespace attnscope {

// Labels along the edges of a heatmap, thinned out where there are too many.

float longest_upright_label(const ViewContext& context);  // more of a name is cut
float row_label_width(const ViewContext& context);
// Of a row as shown; NaN where it is not known yet.
float row_sum(const ViewContext& context, const StageView& view, Index row);
float row_sum_width(const ViewContext& context,
                    const StageView& view);  // 0 for stages without row sums; reads many of them
float column_label_height(const ViewContext& context, const StageView& view, float cell_width);

void draw_row_labels(const ViewContext& context, const StageView& view, const CellGrid& grid);
// Right-aligned in a column of this width beside the heatmap.
void draw_row_sums(const ViewContext& context, const StageView& view, const CellGrid& grid, float width);
void draw_column_labels(const ViewContext& context, const StageView& view, const CellGrid& grid);
void draw_axis_titles(const ViewContext& context, const StageView& view, ImVec2 corner_min, ImVec2 corner_max);

}  // namespace attnscope

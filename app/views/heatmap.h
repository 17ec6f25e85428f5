#pragma once

#include "views/stage_view.h"

namespace attnscope {

// The heatmap of one matrix between two corners: its picture, numbers where they fit, the marks on the hovered query
// and key, and the pointer's hovering and clicking. `name` registers it ("stages/weights").
void draw_heatmap(const ViewContext& context, CommandQueue& queue, const StageView& view, std::string_view name,
                  ImVec2 min_screen, ImVec2 max_screen);

ColourRange range_of(const ViewContext& context, const StageView& view);

// A row or column of cells that the cell `of` another stage depends on or stands for, in this stage; -1 for none.
struct MarkedLines {
  Index row = -1;
  Index second_row = -1;  // in inputs: the key's row beside the query's
  Index col = -1;
};
MarkedLines marked_lines(const Cell& of, const StageView& view);

}  // namespace attnscope

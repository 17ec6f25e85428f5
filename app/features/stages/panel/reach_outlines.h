#pragma once

#include <vector>

#include "core/reach.h"
#include "features/stages/panel/cell_grid.h"

namespace attnscope {

// All that the pinned number follows from, and all that follows from it.
struct ReachOutlines {
  std::vector<Reached> before;
  std::vector<Reached> after;
};

// Nothing while no number is pinned, or where they are not wanted.
ReachOutlines reach_outlines(const ViewContext& context);

// Frames around those cells of a matrix that are in `context.reach`, fainter with each step between them and the
// number.
void draw_reach(const ViewContext& context, const StageView& view, const CellGrid& grid);

}  // namespace attnscope

#pragma once

#include <algorithm>
#include <string>

#include "features/stages/panel/stage_view.h"
#include "view/cells.h"

namespace attnscope {

// The place of a heatmap's cells on the screen.
struct CellGrid : scene::CellPlot {
  ImVec2 min_screen() const { return {static_cast<float>(box.x), static_cast<float>(box.y)}; }
  ImVec2 max_screen() const { return {static_cast<float>(box.right()), static_cast<float>(box.bottom())}; }
  ImVec2 size_screen() const { return {static_cast<float>(box.width), static_cast<float>(box.height)}; }
  float cell_side() const { return static_cast<float>(std::min(cell_width(), cell_height())); }  // the smaller one
  bool is_zoomed() const { return !is_whole(window, rows, cols); }

  // The upper left corner of a cell, which may lie outside of the plot.
  ImVec2 corner(Index row, Index col) const {
    return {static_cast<float>(across().at(col)), static_cast<float>(down().at(row))};
  }
  double col_at(float x_screen) const { return across().index_at(static_cast<double>(x_screen)); }
  double row_at(float y_screen) const { return down().index_at(static_cast<double>(y_screen)); }

  // Rows and columns that show, if only in part.
  Index first_row() const { return down().begin_index(); }
  Index first_col() const { return across().begin_index(); }
  Index end_row() const { return down().end_index(); }
  Index end_col() const { return across().end_index(); }
};

Box box_between(ImVec2 min_screen, ImVec2 max_screen);

MapPlace map_place(const StageView& view);

CellGrid cell_grid(const ViewContext& context, const StageView& view, ImVec2 min_screen, ImVec2 max_screen);

// How many cells share a point of the picture; 1 and 1 where each has its own.
struct PooledCells {
  double rows = 1;
  double cols = 1;
  bool is_pooled() const { return rows > 1 || cols > 1; }
};
PooledCells pooled_cells(const CellGrid& grid);
// "largest of 4 × 4 cells", "largest of about 5 × 4 cells", or "largest of 4 of 137 rows" where the others are not
// read; empty where each has its own.
std::string pooling_text(const ViewContext& context, const CellGrid& grid);

}  // namespace attnscope

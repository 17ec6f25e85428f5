#pragma once

#include <string>

#include "views/stage_view.h"

namespace attnscope {

// Where the cells of a heatmap lie on the screen: a plot, and the window of the matrix that fills it.
struct CellGrid {
  ImVec2 min_screen;  // of the plot
  ImVec2 max_screen;
  CellWindow window;
  Index rows = 0;  // of the matrix
  Index cols = 0;
  double share = 1;  // of the rows that is read for a picture, of a file that is too large

  float cell_width() const { return (max_screen.x - min_screen.x) / static_cast<float>(window.cols); }
  float cell_height() const { return (max_screen.y - min_screen.y) / static_cast<float>(window.rows); }
  bool is_zoomed() const { return !is_whole(window, rows, cols); }

  // Left edge of a column and upper edge of a row, which may lie outside of the plot, and back.
  float x_of(Index col) const;
  float y_of(Index row) const;
  double col_at(float x_screen) const;
  double row_at(float y_screen) const;

  // Rows and columns that show, if only in part.
  Index first_row() const { return static_cast<Index>(window.row); }
  Index first_col() const { return static_cast<Index>(window.col); }
  Index end_row() const;
  Index end_col() const;
};

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

#pragma once

#include "core/tensor.h"

namespace attnscope {

// A rectangle of a matrix, in cells and parts of cells: what a heatmap shows of it. Without rows it stands for all.
struct CellWindow {
  double row = 0;
  double col = 0;
  double rows = 0;
  double cols = 0;
  bool operator==(const CellWindow&) const = default;
};

// How far a window of a matrix may go.
struct WindowLimits {
  Index rows = 0;  // of the matrix
  Index cols = 0;
  double min_rows = 1;  // fewest cells that a window may have
  double min_cols = 1;
};

inline CellWindow transposed(const CellWindow& window) { return {window.col, window.row, window.cols, window.rows}; }
CellWindow whole_window(Index rows, Index cols);
bool is_whole(const CellWindow& window, Index rows, Index cols);

// The window moved, and where it must be shrunk, so that it lies inside the matrix.
CellWindow clamped(CellWindow window, Index rows, Index cols);
// `factor` times as large, the point (row, col) staying where it is as far as the edges allow.
CellWindow zoomed(const CellWindow& window, const WindowLimits& limits, double factor, double row, double col);
CellWindow panned(const CellWindow& window, Index rows, Index cols, double by_rows, double by_cols);
// Moved no farther than it takes to have a cell inside.
CellWindow moved_to_show(const CellWindow& window, Index rows, Index cols, Index row, Index col);
// With the cell in its middle, as far as the edges allow, and no larger than `most` cells a side.
CellWindow centred_on(const CellWindow& window, Index rows, Index cols, Index row, Index col, double most);

}  // namespace attnscope

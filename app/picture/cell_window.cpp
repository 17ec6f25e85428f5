#include "picture/cell_window.h"

#include <algorithm>

namespace attnscope {
namespace {

// Start of a window axis so that `cell` lies inside it.
double start_showing(double start, double length, Index cell) {
  const double position = static_cast<double>(cell);
  if (length < 1) return position + (1 - length) / 2;
  return std::clamp(start, position + 1 - length, position);
}

}  // namespace

CellWindow whole_window(Index rows, Index cols) { return {0, 0, static_cast<double>(rows), static_cast<double>(cols)}; }

bool is_whole(const CellWindow& window, Index rows, Index cols) {
  return window.rows >= static_cast<double>(rows) && window.cols >= static_cast<double>(cols);
}

CellWindow clamped(CellWindow window, Index rows, Index cols) {
  const CellWindow whole = whole_window(rows, cols);
  if (window.rows <= 0 || window.cols <= 0) return whole;
  window.rows = std::min(window.rows, whole.rows);
  window.cols = std::min(window.cols, whole.cols);
  window.row = std::clamp(window.row, 0.0, whole.rows - window.rows);
  window.col = std::clamp(window.col, 0.0, whole.cols - window.cols);
  return window;
}

CellWindow zoomed(const CellWindow& window, const WindowLimits& limits, double factor, double row, double col) {
  const auto rows = static_cast<double>(limits.rows);
  const auto cols = static_cast<double>(limits.cols);
  CellWindow next;
  // A window that is closer than the limit already, because the plot grew, is not thrown back.
  next.rows = std::clamp(window.rows / factor, std::min({limits.min_rows, rows, window.rows}), rows);
  next.cols = std::clamp(window.cols / factor, std::min({limits.min_cols, cols, window.cols}), cols);
  next.row = row - (row - window.row) * next.rows / window.rows;
  next.col = col - (col - window.col) * next.cols / window.cols;
  return clamped(next, limits.rows, limits.cols);
}

CellWindow panned(const CellWindow& window, Index rows, Index cols, double by_rows, double by_cols) {
  return clamped({window.row + by_rows, window.col + by_cols, window.rows, window.cols}, rows, cols);
}

CellWindow moved_to_show(const CellWindow& window, Index rows, Index cols, Index row, Index col) {
  CellWindow next = window;
  next.row = start_showing(window.row, window.rows, row);
  next.col = start_showing(window.col, window.cols, col);
  return clamped(next, rows, cols);
}

CellWindow centred_on(const CellWindow& window, Index rows, Index cols, Index row, Index col, double most) {
  CellWindow next;
  next.rows = std::min(window.rows, most);
  next.cols = std::min(window.cols, most);
  next.row = static_cast<double>(row) + 0.5 - next.rows / 2;
  next.col = static_cast<double>(col) + 0.5 - next.cols / 2;
  return clamped(next, rows, cols);
}

}  // namespace attnscope

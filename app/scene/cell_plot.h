#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/tensor.h"
#include "look/box.h"

namespace attnscope::scene {

// Maps the rows or the columns of a matrix to places along a line, which may show only a part of them.
struct CellAxis {
  double begin = 0;
  double length = 0;
  Index count = 1;   // of all rows or columns
  double first = 0;  // at the line's beginning
  double shown = 1;

  double cell() const { return length / shown; }
  double at(Index index) const { return begin + (static_cast<double>(index) - first) * cell(); }
  Index begin_index() const { return static_cast<Index>(first); }
  Index end_index() const { return std::min(count, static_cast<Index>(std::ceil(first + shown))); }
  // Where the middle of a name that needs `line` stands; nothing where the end of the line leaves too little of the
  // row or column. Of names that are thinned out, the middle of the row must show.
  std::optional<double> middle_of_name(Index index, double line, bool is_thinned) const;
};

// Where the cells of a matrix lie: in a box, which may show a part of them.
struct CellPlot {
  Box box;
  Index rows = 1;  // of the matrix
  Index cols = 1;
  double first_row = 0;
  double first_col = 0;
  double shown_rows = 1;
  double shown_cols = 1;

  CellAxis down() const { return {box.y, box.height, rows, first_row, shown_rows}; }
  CellAxis across() const { return {box.x, box.width, cols, first_col, shown_cols}; }
  double cell_width() const { return box.width / shown_cols; }
  double cell_height() const { return box.height / shown_rows; }
  Box cell(Index row, Index col) const { return {across().at(col), down().at(row), cell_width(), cell_height()}; }
};

inline CellPlot whole_plot(const Box& box, Index rows, Index cols) {
  return {box, rows, cols, 0, 0, static_cast<double>(rows), static_cast<double>(cols)};
}

}  // namespace attnscope::scene

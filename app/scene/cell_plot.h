#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "picture/picture.h"

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
  // A place on a border stays on its side while the line is zoomed around it: floats are too coarse to meet a border.
  double index_at(double place) const {
    return first + shown * static_cast<double>(static_cast<float>((place - begin) / length));
  }
  Index begin_index() const { return static_cast<Index>(first); }
  Index end_index() const { return std::min(count, static_cast<Index>(std::ceil(first + shown))); }
};

// The box that the cells of a matrix fill, and the part of the matrix that it shows.
struct CellPlot {
  Box box;
  Index rows = 1;  // of the matrix
  Index cols = 1;
  CellWindow window = {0, 0, 1, 1};

  CellAxis down() const { return {box.y, box.height, rows, window.row, window.rows}; }
  CellAxis across() const { return {box.x, box.width, cols, window.col, window.cols}; }
  double cell_width() const { return box.width / window.cols; }
  double cell_height() const { return box.height / window.rows; }
  CellRect shown() const {  // those that show, if only in part
    return {down().begin_index(), across().begin_index(), down().end_index() - down().begin_index(),
            across().end_index() - across().begin_index()};
  }
  bool shows(Index row, Index col) const {
    return row >= down().begin_index() && row < down().end_index() && col >= across().begin_index() &&
           col < across().end_index();
  }
  Box cell(Index row, Index col) const { return {across().at(col), down().at(row), cell_width(), cell_height()}; }
};

inline CellPlot plot_of(const picture::Heatmap& heatmap) {
  return {heatmap.box, heatmap.rows, heatmap.cols, heatmap.window};
}
inline CellPlot whole_plot(const Box& box, Index rows, Index cols) {
  return {box, rows, cols, whole_window(rows, cols)};
}

}  // namespace attnscope::scene

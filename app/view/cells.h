#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "view/cell_mark.h"
#include "view/sheet_pen.h"

namespace attnscope::scene {

// The cells of a matrix: their places, the numbers in them, the marks of those that show none, and the legends of marks
// and colours.

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
  Index shown_count() const { return end_index() - begin_index(); }
  bool shows(Index index) const { return index >= begin_index() && index < end_index(); }
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
    return {down().begin_index(), across().begin_index(), down().shown_count(), across().shown_count()};
  }
  bool shows(Index row, Index col) const { return down().shows(row) && across().shows(col); }
  Box cell(Index row, Index col) const { return {across().at(col), down().at(row), cell_width(), cell_height()}; }
};

inline CellPlot plot_of(const picture::Heatmap& heatmap) {
  return {heatmap.box, heatmap.rows, heatmap.cols, heatmap.window};
}
inline CellPlot whole_plot(const Box& box, Index rows, Index cols) {
  return {box, rows, cols, whole_window(rows, cols)};
}

struct NumberStyle {
  double least = 0;  // size of a number with more digits than was expected; smaller ones are left out
  int decimals = 2;
  Rgb ground = {};           // behind cells that are not opaque
  double alpha = 1;          // of the numbers
  bool names_hidden = true;  // a weight that the mask hides says 0; else its hatch says it, and −∞ is dim
};

// The numbers in the cells of a matrix, each dark or light by the colour of its cell.
struct CellNumbers : NumberStyle {
  const picture::Heatmap& cells;
  double size = 0;
  std::function<bool(Index row, Index col)> is_covered = {};  // to be predicted: as shown
};

constexpr Index most_numbers = 4096;  // of a matrix; more never fit

void put_numbers(picture::Picture& picture, const CellNumbers& numbers, const ThemeColours& theme,
                 const picture::TextMeasure& measure);

// Draws a cell that has a mark, instead of the colour of its number or on top of that colour, which is `ground`.
void put_mark(picture::Picture& picture, CellMark mark, const Box& cell, Rgb ground, const ThemeColours& theme);

// The legend of the marks that cells have: a sample beside each name.

double legend_width(const SheetPen& pen, const std::set<CellMark>& marks);  // on one line

// Writes the legend in the middle of the lines between `left` and `right`, as many as it takes. Returns where it ends.
double put_legend(const SheetPen& pen, const std::set<CellMark>& marks, Rgb ink, double left, double right, double top);

// The colours of a range with the numbers that they stand for. Where those are to be predicted, `has_numbers` is false.
struct ColourBar {
  ColourRange range;
  std::string_view name = {};  // of the range: "× visible keys"; empty: none
  bool has_numbers = true;
};

// A vertical one beside matrices: the width that it takes from `x` on, and the bar itself.
double vertical_bar_width(const SheetPen& pen, const ColourBar& bar);
void put_vertical_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double height);

// A horizontal one with the numbers of its ends below it.
double small_bar_height(const SheetPen& pen);
void put_small_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double width);

// A short one within a line of text, between the numbers of its ends; it ends at `right`. Returns its width.
double put_inline_bar(const SheetPen& pen, const ColourBar& bar, double right, double top);

}  // namespace attnscope::scene

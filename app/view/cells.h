#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "view/colours.h"
#include "view/picture.h"

namespace attnscope {

// A cell shows a mark instead of the colour of its number, or on top of it. A new mark has its name and its rule here,
// its shape in view/cells.cpp, and in the window its pixels in the shader of heatmaps.
enum class CellMark { masked, dropped, not_a_number, infinite, edited };

struct CellMarkInfo {
  CellMark mark;
  std::string_view text;         // names the mark in legends
  bool replaces_number = false;  // the cell shows no number
};
inline constexpr std::array<CellMarkInfo, 5> cell_marks = {{{CellMark::masked, "masked"},
                                                            {CellMark::dropped, "dropped", true},
                                                            {CellMark::not_a_number, "not a number", true},
                                                            {CellMark::infinite, "infinite", true},
                                                            {CellMark::edited, "changed by hand"}}};
constexpr bool replaces_number(CellMark mark) {
  for (const CellMarkInfo& row : cell_marks)
    if (row.mark == mark) return row.replaces_number;
  return false;
}

// Returns the mark of a cell by its number, which is minus infinity if the mask hides the cell, and by its dropout.
inline std::optional<CellMark> mark_of(float value, bool is_dropped) {
  if (std::isnan(value)) return CellMark::not_a_number;
  if (std::isinf(value)) return value > 0 ? CellMark::infinite : CellMark::masked;
  if (is_dropped) return CellMark::dropped;
  return {};
}

}  // namespace attnscope

namespace attnscope::scene {

// The cells of a matrix: their places, the numbers in them, the marks of those that show none, and the legends of marks
// and colours.

// Writes the words of a sheet of matrices into a picture, in its theme and letter sizes.
struct SheetPen {
  picture::Picture& picture;
  const picture::TextMeasure& measure;
  const ThemeColours& theme;
  Rgb line;               // the colour of frames and ticks
  double em = 12;         // size of the text
  double least_text = 0;  // no text is smaller
  double thin = 0.75;     // width of a line
  // Returns the text, or its beginning with an ellipsis if it is wider than `room`. Null: texts are cut between
  // letters.
  std::function<std::string(std::string_view text, double size, double room)> shorten = {};

  std::string shortened(std::string_view text, double of_size, double room) const {
    return shorten ? shorten(text, of_size, room)
                   : picture::shortened(text, room, of_size, picture::Face::text, measure);
  }

  double size(double ems) const { return std::max(ems * em, least_text); }
  double width(std::string_view text, double of_size, picture::Face face = picture::Face::text) const {
    return text.empty() ? 0 : measure(text, of_size, face);
  }

  // Puts a text below `top`. `x` is its left end, its middle or its right end, by `anchor`.
  void put(std::string text, double of_size, Rgb ink, double x, double top, double anchor,
           picture::Face face = picture::Face::text) const {
    picture.add(picture::Word{.text = std::move(text),
                              .x = x,
                              .y = top + picture::baseline * of_size,
                              .size = of_size,
                              .face = face,
                              .ink = {ink},
                              .anchor = anchor});
  }
  // Puts a text that reads upwards from `bottom` on, around `middle`.
  void put_turned(std::string text, double of_size, Rgb ink, double middle, double bottom) const {
    picture.add(picture::Word{.text = std::move(text),
                              .x = middle + (picture::baseline - picture::line_height / 2) * of_size,
                              .y = bottom,
                              .size = of_size,
                              .ink = {ink},
                              .is_turned = true});
  }
  void fill(const Box& box, Rgb ink) const { picture.add(picture::Fill{box, {ink}}); }
  void frame(const Box& box, Rgb ink, double thickness = 1) const {
    picture.add(picture::Outline{box, {ink}, thickness});
  }
  void stroke(std::vector<picture::Point> points, Rgb ink, double thickness = 1) const {
    picture.add(picture::Stroke{.points = std::move(points), .ink = {ink}, .thickness = thickness});
  }
};

// Maps the rows or the columns of a matrix to places along a line, which may show only a part of them.
struct CellAxis {
  double begin = 0;
  double length = 0;
  Index count = 1;   // number of all rows or columns
  double first = 0;  // the row or column at the line's beginning
  double shown = 1;

  double cell() const { return length / shown; }
  double at(Index index) const { return begin + (static_cast<double>(index) - first) * cell(); }
  // Rounds to float, so that a place on a border stays on its side while the line is zoomed around it.
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
  Index rows = 1;  // rows of the whole matrix
  Index cols = 1;
  CellWindow window = {0, 0, 1, 1};

  CellAxis down() const { return {box.y, box.height, rows, window.row, window.rows}; }
  CellAxis across() const { return {box.x, box.width, cols, window.col, window.cols}; }
  double cell_width() const { return box.width / window.cols; }
  double cell_height() const { return box.height / window.rows; }
  CellRect shown() const {  // counts cells that show in part, too
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
  double least = 0;  // the least size of numbers with unexpectedly many digits; smaller ones are left out
  int decimals = 2;
  bool omits_zero = false;   // numbers below 1 begin with the point
  Rgb ground = {};           // the colour behind cells that are not opaque
  double alpha = 1;          // opacity of the numbers
  bool names_hidden = true;  // a hidden weight says 0; false: only its hatch says it, and −∞ is dim
};

// The numbers in the cells of a matrix, each dark or light by the colour of its cell.
struct CellNumbers : NumberStyle {
  const picture::Heatmap& cells;
  double size = 0;
  std::function<bool(Index row, Index col)> is_covered = {};  // true for a cell, as shown, that is to be predicted
};

constexpr Index most_numbers = 4096;  // a matrix with more cells shows none: they never fit

void put_numbers(picture::Picture& picture, const CellNumbers& numbers, const ThemeColours& theme,
                 const picture::TextMeasure& measure);

// Draws a cell that has a mark, instead of the colour of its number or on top of that colour, which is `ground`.
void put_mark(picture::Picture& picture, CellMark mark, const Box& cell, Rgb ground, const ThemeColours& theme);

// The legend of the marks that cells have: a sample beside each name.

double legend_width(const SheetPen& pen, const std::set<CellMark>& marks);  // the width on one line

// Writes the legend in the middle of the lines between `left` and `right`, as many as it takes. Returns where it ends.
double put_legend(const SheetPen& pen, const std::set<CellMark>& marks, Rgb ink, double left, double right, double top);

// The colours of a range with the numbers that they stand for. While these are to be predicted, `has_numbers` is false.
struct ColourBar {
  ColourRange range;
  std::string_view name = {};  // names the range: "× visible keys"; empty: it needs no name
  bool has_numbers = true;
};

// A vertical bar beside matrices: the first returns the width that it takes from `x` on, the second puts it.
double vertical_bar_width(const SheetPen& pen, const ColourBar& bar);
void put_vertical_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double height);

// A horizontal bar with the numbers of its ends below it.
double small_bar_height(const SheetPen& pen);
void put_small_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double width);

// Puts a short bar into a line of text, between the numbers of its ends; it ends at `right`. Returns its width.
double put_inline_bar(const SheetPen& pen, const ColourBar& bar, double right, double top);

}  // namespace attnscope::scene

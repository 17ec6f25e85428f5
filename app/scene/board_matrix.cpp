#include <algorithm>
#include <cmath>

#include "look/number_text.h"
#include "look/stage_look.h"
#include "scene/board_items.h"
#include "scene/cell_marks.h"
#include "scene/cell_plot.h"

namespace attnscope::scene {
namespace {

constexpr double widest_label = 96;  // of a row, at the usual size
constexpr double cell_pad = 7;
constexpr Index few_columns = 4;        // which are as wide as their names
constexpr double widest_caption = 170;  // in one line

std::string cell_text(const BoardMatrix& matrix, std::size_t cell) {
  if (!matrix.texts.empty()) return matrix.texts[cell];
  return std::isnan(matrix.values[cell]) ? "" : format_fixed(static_cast<double>(matrix.values[cell]), matrix.decimals);
}

std::string sum_text(float sum) { return format_fixed(static_cast<double>(sum), 2); }

// Widths of the parts of a matrix, and of the whole.
struct Measures {
  double row_labels = 0;
  double cell_width = 0;
  double sums = 0;
  double width = 0;
};

Measures measures_of(const BoardMatrix& matrix, const BoardPen& pen) {
  Measures m;
  const double most = widest_label * pen.growth();
  if (!matrix.row_labels.empty() && !pen.repeats_rows)
    m.row_labels = std::min(pen.widest(BoardFont::small, matrix.row_labels), most) + cell_pad;
  double widest = 0;
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(matrix.rows * matrix.cols); ++cell)
    widest = std::max(widest, pen.width(BoardFont::number, cell_text(matrix, cell)));
  m.cell_width = std::max(widest + cell_pad, pen.cell_width());
  if (matrix.cols <= few_columns)
    m.cell_width =
        std::max(m.cell_width, std::min(pen.widest(BoardFont::small, matrix.column_labels), most) + cell_pad);
  for (const float sum : matrix.row_sums)
    m.sums = std::max(
        m.sums, cell_pad + std::max(pen.width(BoardFont::small, "sum"), pen.width(BoardFont::small, sum_text(sum))));
  m.width = m.row_labels + static_cast<double>(matrix.cols) * m.cell_width + m.sums;
  m.width = std::max(m.width, pen.width(BoardFont::heading, matrix.title));
  m.width = std::max(m.width, std::min(pen.width(BoardFont::small, matrix.caption) + 1, widest_caption * pen.growth()));
  return m;
}

Rgb ground_of(const BoardMatrix& matrix, const BoardPen& pen, std::size_t cell) {
  if (!matrix.tints.empty()) return pen.tint(matrix.tints[cell]);
  const float value = matrix.values[cell];
  if (!matrix.is_signed) return colour_of(Colormap::viridis, value, matrix.low, matrix.high);
  const Colormap map = pen.theme.is_dark ? Colormap::diverging_dark : Colormap::diverging;
  return colour_of(map, value, -matrix.high, matrix.high);
}

void put_cell(const BoardMatrix& matrix, BoardPen& pen, const Box& box, std::size_t cell) {
  const BoardMark mark = matrix.marks.empty() ? BoardMark() : matrix.marks[cell];
  const bool is_blank = !matrix.tints.empty() && matrix.tints[cell] < 0;
  if (is_blank) return;
  if (mark.is_hidden || mark.is_dropped)
    return put_mark(pen.picture, mark.is_hidden ? CellMark::masked : CellMark::dropped, box, {}, pen.theme);
  const Rgb ground = ground_of(matrix, pen, cell);
  pen.fill(box, ground);
  pen.word(cell_text(matrix, cell), BoardFont::number, ink_on(ground), box.middle_x(),
           box.middle_y() - pen.line_of(BoardFont::number) / 2, centred);
}

// Names of rows and columns, and row sums.
void put_names(const BoardMatrix& matrix, const BoardPen& pen, const Box& cells, const Measures& m) {
  const ThemeInks& inks = pen.theme.inks;
  const double line = pen.line_of(BoardFont::small);
  const double above = cells.y - line - 2;
  const auto middle = [&](std::size_t row) { return cells.y + pen.cell * (static_cast<double>(row) + 0.5) - line / 2; };
  for (std::size_t row = 0; row < matrix.row_labels.size() && !pen.repeats_rows; ++row) {
    const bool is_marked = static_cast<Index>(row) == matrix.marked_row;
    pen.word(matrix.row_labels[row], BoardFont::small, is_marked ? inks.accent : inks.text, cells.x - cell_pad + 2,
             middle(row), ends, m.row_labels - cell_pad + 4);
  }
  for (std::size_t col = 0; col < matrix.column_labels.size(); ++col) {
    pen.word(matrix.column_labels[col], BoardFont::small, inks.text,
             cells.x + m.cell_width * (static_cast<double>(col) + 0.5), above, centred, m.cell_width - 2);
  }
  const double right = cells.right() + m.sums;
  if (!matrix.row_sums.empty()) pen.word("sum", BoardFont::small, inks.dim_text, right, above, ends);
  for (std::size_t row = 0; row < matrix.row_sums.size(); ++row) {
    const float sum = matrix.row_sums[row];
    pen.word(sum_text(sum), BoardFont::small, is_off_one(sum) ? inks.warning : inks.dim_text, right, middle(row), ends);
  }
}

}  // namespace

BoardSize set_item(const BoardMatrix& matrix, BoardPen& pen, const Box& box) {
  const Measures m = measures_of(matrix, pen);
  const double names = matrix.column_labels.empty() ? 0 : pen.line_of(BoardFont::small) + 2;
  const double header = pen.title(matrix.title, matrix.caption, box.x, box.y, m.width) + names - box.y;
  const BoardSize size{m.width, header + static_cast<double>(matrix.rows) * pen.cell, header};
  if (pen.is_measuring) return size;
  const Box cells{box.x + m.row_labels, box.y + std::max(pen.header, header),
                  static_cast<double>(matrix.cols) * m.cell_width, static_cast<double>(matrix.rows) * pen.cell};
  const CellPlot plot = whole_plot(cells, matrix.rows, matrix.cols);
  const auto for_each_cell = [&](const auto& visit) {
    for (Index row = 0; row < matrix.rows; ++row)
      for (Index col = 0; col < matrix.cols; ++col)
        visit(plot.cell(row, col), static_cast<std::size_t>(row * matrix.cols + col));
  };
  for_each_cell([&](const Box& place, std::size_t cell) { put_cell(matrix, pen, place, cell); });
  pen.frame(cells, pen.line);
  for_each_cell([&](const Box& place, std::size_t cell) {
    if (!matrix.marks.empty() && matrix.marks[cell].differs)
      pen.frame({place.x + 1, place.y + 1, place.width - 2, place.height - 2}, pen.theme.inks.cross_hair, 2);
  });
  put_names(matrix, pen, cells, m);
  pen.layout.cells.push_back({&matrix, cells});
  return size;
}

}  // namespace attnscope::scene

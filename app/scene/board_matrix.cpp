#include <algorithm>
#include <cmath>

#include "look/number_text.h"
#include "look/stage_look.h"
#include "scene/board_items.h"
#include "scene/cell_marks.h"

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

// Widths of the parts of a matrix, and of the whole.
struct Measures {
  double row_labels = 0;
  double column_labels = 0;
  double cell_width = 0;
  double sums = 0;
  double title = 0;
  double width = 0;
};

Measures measures_of(const BoardMatrix& matrix, const BoardPen& pen) {
  Measures m;
  const double pad = cell_pad;
  const double most = widest_label * pen.growth();
  if (!matrix.row_labels.empty() && !pen.repeats_rows)
    m.row_labels = std::min(pen.widest(BoardFont::small, matrix.row_labels), most) + pad;
  if (!matrix.column_labels.empty()) m.column_labels = pen.line_of(BoardFont::small) + 2;
  double widest = 0;
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(matrix.rows * matrix.cols); ++cell)
    widest = std::max(widest, pen.width(BoardFont::number, cell_text(matrix, cell)));
  m.cell_width = std::max(widest + pad, pen.cell_width());
  if (matrix.cols <= few_columns)
    m.cell_width = std::max(m.cell_width, std::min(pen.widest(BoardFont::small, matrix.column_labels), most) + pad);
  if (!matrix.row_sums.empty()) {
    double sum = pen.width(BoardFont::small, "sum");
    for (const float each : matrix.row_sums)
      sum = std::max(sum, pen.width(BoardFont::small, format_fixed(static_cast<double>(each), 2)));
    m.sums = sum + pad;
  }
  m.width = m.row_labels + static_cast<double>(matrix.cols) * m.cell_width + m.sums;
  m.width = std::max(m.width, pen.width(BoardFont::heading, matrix.title));
  m.width = std::max(m.width, std::min(pen.width(BoardFont::small, matrix.caption) + 1, widest_caption * pen.growth()));
  m.title = title_height(pen, matrix.title, matrix.caption, m.width);
  return m;
}

Rgb ground_of(const BoardMatrix& matrix, const BoardPen& pen, std::size_t cell) {
  if (!matrix.tints.empty()) return pen.tint(matrix.tints[cell]);
  const float value = matrix.values.empty() ? 0 : matrix.values[cell];
  if (!matrix.is_signed) return colour_of(Colormap::viridis, value, matrix.low, matrix.high);
  const Colormap map = pen.theme.is_dark ? Colormap::diverging_dark : Colormap::diverging;
  return colour_of(map, value, -matrix.high, matrix.high);
}

void put_cell(const BoardMatrix& matrix, BoardPen& pen, const Box& box, std::size_t cell) {
  const BoardMark mark = matrix.marks.empty() ? BoardMark() : matrix.marks[cell];
  const std::string text = cell_text(matrix, cell);
  const bool is_blank = !matrix.tints.empty() && matrix.tints[cell] < 0;
  if (is_blank) return;
  if (mark.is_hidden) {
    pen.layout.picture.add(picture::Hatch{box});
    return;
  }
  if (mark.is_dropped)
    return put_mark(pen.layout.picture, CellMark::dropped, box, grey(pen.theme.greys.gap), pen.theme);
  const Rgb ground = ground_of(matrix, pen, cell);
  pen.fill(box, ground);
  pen.word(text, BoardFont::number, ink_on(ground), box.x + box.width / 2,
           box.y + (box.height - pen.line_of(BoardFont::number)) / 2, centred);
}

void put_names(const BoardMatrix& matrix, BoardPen& pen, const Box& cells, const Measures& m) {
  const double line = pen.line_of(BoardFont::small);
  const double cell_height = cells.height / static_cast<double>(matrix.rows);
  const double pad = cell_pad;
  for (std::size_t row = 0; row < matrix.row_labels.size() && !pen.repeats_rows; ++row) {
    const bool is_marked = static_cast<Index>(row) == matrix.marked_row;
    pen.word(matrix.row_labels[row], BoardFont::small, is_marked ? pen.theme.inks.accent : pen.theme.inks.text,
             cells.x - pad + 2, cells.y + cell_height * (static_cast<double>(row) + 0.5) - line / 2, ends,
             m.row_labels - pad + 4);
  }
  const double above = cells.y - line - 2;
  for (std::size_t col = 0; col < matrix.column_labels.size(); ++col) {
    pen.word(matrix.column_labels[col], BoardFont::small, pen.theme.inks.text,
             cells.x + m.cell_width * (static_cast<double>(col) + 0.5), above, centred, m.cell_width - 2);
  }
}

void put_sums(const BoardMatrix& matrix, BoardPen& pen, const Box& cells, const Measures& m) {
  if (matrix.row_sums.empty()) return;
  const double line = pen.line_of(BoardFont::small);
  const double cell_height = cells.height / static_cast<double>(matrix.rows);
  const double right = cells.right() + m.sums;
  pen.word("sum", BoardFont::small, pen.theme.inks.dim_text, right, cells.y - line - 2, ends);
  for (std::size_t row = 0; row < matrix.row_sums.size(); ++row) {
    const float sum = matrix.row_sums[row];
    pen.word(format_fixed(static_cast<double>(sum), 2), BoardFont::small,
             is_off_one(sum) ? pen.theme.inks.warning : pen.theme.inks.dim_text, right,
             cells.y + cell_height * (static_cast<double>(row) + 0.5) - line / 2, ends);
  }
}

}  // namespace

BoardSize size_of(const BoardMatrix& matrix, const BoardPen& pen, double /*width*/) {
  const Measures m = measures_of(matrix, pen);
  const double header = m.title + m.column_labels;
  return {m.width, header + static_cast<double>(matrix.rows) * pen.cell, header};
}

void put(const BoardMatrix& matrix, BoardPen& pen, const Box& box) {
  const Measures m = measures_of(matrix, pen);
  double top = box.y;
  put_title(pen, matrix.title, matrix.caption, box.x, top, m.width);
  const Box cells{box.x + m.row_labels, box.y + std::max(pen.header, m.title + m.column_labels),
                  static_cast<double>(matrix.cols) * m.cell_width, static_cast<double>(matrix.rows) * pen.cell};
  std::vector<Box> differing;
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const auto cell = static_cast<std::size_t>(row * matrix.cols + col);
      const Box place{cells.x + static_cast<double>(col) * m.cell_width, cells.y + static_cast<double>(row) * pen.cell,
                      m.cell_width, pen.cell};
      put_cell(matrix, pen, place, cell);
      if (!matrix.marks.empty() && matrix.marks[cell].differs) differing.push_back(place);
    }
  }
  pen.frame(cells, pen.line);
  for (const Box& each : differing) {
    pen.frame({each.x + 1, each.y + 1, each.width - 2, each.height - 2}, pen.theme.inks.cross_hair, 2);
  }
  put_names(matrix, pen, cells, m);
  put_sums(matrix, pen, cells, m);
  pen.layout.cells.push_back({&matrix, cells});
}

}  // namespace attnscope::scene

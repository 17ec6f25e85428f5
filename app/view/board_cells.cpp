#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "view/board_items.h"

// Numbers in cells: a matrix, and arrangements of the same numbers that move from one to the next.

namespace attnscope::scene {
namespace {

constexpr double widest_label = 96;  // limits the name of a row, at the usual size
constexpr double cell_pad = 7;
constexpr Index few_columns = 4;        // so few columns are as wide as their names
constexpr double widest_caption = 170;  // limits a caption of one line

std::string cell_text(const BoardMatrix& matrix, std::size_t cell) {
  if (!matrix.texts.empty()) return matrix.texts[cell];
  return std::isnan(matrix.values[cell]) ? "" : format_fixed(static_cast<double>(matrix.values[cell]), matrix.decimals);
}

std::string short_text(float number) { return format_fixed(static_cast<double>(number), 2); }

// Widths of the parts of a matrix, and of the whole.
struct Measures {
  double row_labels = 0;
  double cell_width = 0;
  double overhang = 0;  // of the last column's name
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
  m.overhang = pen.overhang(matrix.column_labels, m.cell_width);
  for (const float sum : matrix.row_sums)
    m.sums = std::max(
        m.sums, cell_pad + std::max(pen.width(BoardFont::small, "sum"), pen.width(BoardFont::small, short_text(sum))));
  const double caption = std::min(pen.width(BoardFont::small, matrix.caption) + 1, widest_caption * pen.growth());
  m.width = std::max({m.row_labels + static_cast<double>(matrix.cols) * m.cell_width + m.overhang + m.sums,
                      pen.width(BoardFont::heading, matrix.title), caption});
  return m;
}

Rgb ground_of(const BoardMatrix& matrix, const BoardPen& pen, std::size_t cell) {
  if (!matrix.tints.empty()) return pen.shade(matrix.tints[cell]);
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

// Puts names of rows and columns, and row sums.
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
             cells.x + m.cell_width * (static_cast<double>(col) + 0.5), above, centred,
             pen.name_room(matrix.column_labels, col, m.cell_width));
  }
  const double right = cells.right() + m.overhang + m.sums;
  if (!matrix.row_sums.empty()) pen.word("sum", BoardFont::small, inks.dim_text, right, above, ends);
  for (std::size_t row = 0; row < matrix.row_sums.size(); ++row) {
    const float sum = matrix.row_sums[row];
    pen.word(short_text(sum), BoardFont::small, is_off_one(sum) ? inks.warning : inks.dim_text, right, middle(row),
             ends);
  }
}

using Arrangement = BoardMoving::Arrangement;

constexpr double group_gap = 12;
constexpr double head_bar = 4;        // height of the strip below a number: its parts count up to the head's
constexpr double head_bar_gap = 3;    // between two parts
constexpr double token_share = 0.45;  // a cell shows the token's colour this pale
constexpr double longest_name = 84;

// The room that every arrangement fits into.
struct Room {
  double names = 0;  // width of the names of rows
  double cell_width = 0;
  double cell_height = 0;
  double width = 0;    // width of the cells
  double height = 0;   // height of the cells
  double above = 0;    // height of the names of groups of columns
  double beside = 0;   // width of the names of groups of rows
  double heading = 0;  // the widest line above the cells
};

// Returns where a cell of an arrangement stands, from the upper left corner of all.
picture::Point place_in(const Arrangement& arrangement, Index row, Index col, const Room& room) {
  const auto along = [](Index at, Index together, double cell) {
    const Index gaps = together == 0 ? 0 : at / together;
    return static_cast<double>(at) * cell + static_cast<double>(gaps) * group_gap;
  };
  return {along(col, arrangement.cols_together, room.cell_width),
          along(row, arrangement.rows_together, room.cell_height)};
}

Room room_of(const BoardMoving& moving, const BoardPen& pen) {
  Room room;
  room.heading = pen.width(BoardFont::heading, moving.title);
  room.cell_height = pen.cell;
  room.cell_width = pen.cell_width();
  for (const BoardMoving::Number& number : moving.numbers)
    room.cell_width = std::max(room.cell_width, pen.width(BoardFont::number, short_text(number.value)) + cell_pad);
  for (const Arrangement& each : moving.arrangements) {
    room.heading = std::max(room.heading, pen.width(BoardFont::small, each.name) + 1);
    room.names = std::max(room.names, std::min(pen.widest(BoardFont::small, each.rows), longest_name * pen.growth()));
    for (const BoardMoving::Place& at : each.places) {
      const picture::Point place = place_in(each, at.row, at.col, room);
      room.width = std::max(room.width, place.x + room.cell_width);
      room.height = std::max(room.height, place.y + room.cell_height);
    }
    if (each.cols_together > 0) room.above = pen.line_of(BoardFont::small) + 2;
    if (each.rows_together > 0)
      room.beside = std::max(room.beside, pen.widest(BoardFont::small, each.groups) + cell_pad);
  }
  if (room.names > 0) room.names += cell_pad;
  return room;
}

// Returns the share of the way that is done, which grows slowly at both ends.
double eased(double share) { return share * share * (3 - 2 * share); }

void put_number(const BoardMoving::Number& number, const BoardPen& pen, const Box& cell) {
  const Rgb ground = mix(pen.canvas.paper, pen.tint(number.token), token_share);
  const double inset = 0.5;
  const Box inner{cell.x + inset, cell.y + inset, cell.width - 2 * inset, cell.height - head_bar - 2 * inset};
  pen.fill(inner, ground);
  const double parts = number.head + 1;
  const double part = (inner.width - (parts - 1) * head_bar_gap) / parts;
  for (int i = 0; i <= number.head; ++i)
    pen.fill({inner.x + i * (part + head_bar_gap), inner.bottom(), part, head_bar}, pen.head(number.head));
  pen.word(short_text(number.value), BoardFont::number, ink_on(ground), cell.middle_x(),
           inner.middle_y() - pen.line_of(BoardFont::number) / 2, centred);
}

// Names rows and columns of an arrangement while it stands still.
void put_names(const Arrangement& arrangement, const BoardPen& pen, const Box& cells, const Room& room) {
  const double line = pen.line_of(BoardFont::small);
  for (std::size_t row = 0; row < arrangement.rows.size(); ++row) {
    const double y = cells.y + place_in(arrangement, static_cast<Index>(row), 0, room).y;
    pen.word(arrangement.rows[row], BoardFont::small, pen.theme.inks.text, cells.x - cell_pad,
             y + (pen.cell - line) / 2, ends, room.names - cell_pad);
  }
  Index cols = 0;
  for (const BoardMoving::Place& place : arrangement.places) cols = std::max(cols, place.col + 1);
  for (std::size_t group = 0; group < arrangement.groups.size(); ++group) {
    const auto at = static_cast<Index>(group);
    const Index across = arrangement.cols_together;
    const Index down = arrangement.rows_together;
    const picture::Point place = place_in(arrangement, at * down, at * across, room);
    const double width = static_cast<double>(across) * room.cell_width;
    const double height = static_cast<double>(down) * room.cell_height;
    const bool is_above = across > 0;
    const double x =
        cells.x + (is_above ? place.x + width / 2 : static_cast<double>(cols) * room.cell_width + cell_pad);
    const double y = cells.y + (is_above ? -line - 2 : place.y + (height - line) / 2);
    pen.word(arrangement.groups[group], BoardFont::small, pen.theme.inks.text, x, y, is_above ? centred : begins,
             is_above ? width + group_gap : 0);
  }
}

}  // namespace

BoardSize set_item(const BoardMatrix& matrix, BoardPen& pen, const Box& box) {
  const Measures m = measures_of(matrix, pen);
  const double names = matrix.column_labels.empty() ? 0 : pen.line_of(BoardFont::small) + 2;
  const std::optional<Stage> stage = matrix.first ? matrix.first->stage : matrix.of;
  const Rgb ink = stage ? title_ink(pen.theme, *stage) : pen.theme.inks.text;
  const double header = pen.title(matrix.title, matrix.caption, box.x, box.y, m.width, ink) + names - box.y;
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
  pen.layout.cells.push_back({plot, &matrix});
  return size;
}

BoardSize set_item(const BoardMoving& moving, BoardPen& pen, const Box& box) {
  const Room room = room_of(moving, pen);
  const double width = std::max(room.names + room.width + room.beside, room.heading);
  const auto last = static_cast<double>(moving.arrangements.size() - 1);
  const double step = std::clamp(moving.step, 0.0, last);
  const Arrangement& from = moving.arrangements[static_cast<std::size_t>(std::floor(step))];
  const Arrangement& to = moving.arrangements[static_cast<std::size_t>(std::ceil(step))];
  const double share = eased(step - std::floor(step));
  const Rgb ink = moving.of ? title_ink(pen.theme, *moving.of) : pen.theme.inks.text;
  const double header =
      pen.title(moving.title, (share < 0.5 ? from : to).name, box.x, box.y, width, ink) + room.above - box.y;
  const BoardSize size{width, header + room.height, header};
  if (pen.is_measuring) return size;
  const Box cells{box.x + room.names, box.y + std::max(pen.header, header), room.width, room.height};
  for (std::size_t number = 0; number < moving.numbers.size(); ++number) {
    const auto place = [&](const Arrangement& each) {
      return place_in(each, each.places[number].row, each.places[number].col, room);
    };
    const picture::Point first = place(from);
    const picture::Point second = place(to);
    put_number(moving.numbers[number], pen,
               {cells.x + first.x + share * (second.x - first.x), cells.y + first.y + share * (second.y - first.y),
                room.cell_width, room.cell_height});
  }
  if (share == 0) put_names(from, pen, cells, room);
  return size;
}

}  // namespace attnscope::scene

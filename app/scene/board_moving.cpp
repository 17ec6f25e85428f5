#include <algorithm>
#include <cmath>

#include "look/number_text.h"
#include "scene/board_items.h"

namespace attnscope::scene {
namespace {

using Arrangement = BoardMoving::Arrangement;

constexpr int decimals = 2;
constexpr double pad = 7;
constexpr double group_gap = 12;
constexpr double head_bar = 4;        // below a number, in the colour of its head
constexpr double token_share = 0.45;  // of the token's colour in its cell: strong colours are of heads
constexpr double longest_name = 84;

std::string number_text_of(const BoardMoving::Number& number) {
  return format_fixed(static_cast<double>(number.value), decimals);
}

// The room that every arrangement fits into.
struct Room {
  double names = 0;  // of rows, before them
  double cell_width = 0;
  double cell_height = 0;
  double width = 0;    // of the cells
  double height = 0;   // likewise
  double above = 0;    // the names of groups of columns
  double beside = 0;   // the names of groups of rows
  double heading = 0;  // the widest line of what stands above the cells
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
    room.cell_width = std::max(room.cell_width, pen.width(BoardFont::number, number_text_of(number)) + pad);
  for (const Arrangement& each : moving.arrangements) {
    room.heading = std::max(room.heading, pen.width(BoardFont::small, each.name) + 1);
    room.names = std::max(room.names, std::min(pen.widest(BoardFont::small, each.rows), longest_name * pen.growth()));
    for (const BoardMoving::Place& at : each.places) {
      const picture::Point place = place_in(each, at.row, at.col, room);
      room.width = std::max(room.width, place.x + room.cell_width);
      room.height = std::max(room.height, place.y + room.cell_height);
    }
    if (each.cols_together > 0) room.above = pen.line_of(BoardFont::small) + 2;
    if (each.rows_together > 0) room.beside = std::max(room.beside, pen.widest(BoardFont::small, each.groups) + pad);
  }
  if (room.names > 0) room.names += pad;
  return room;
}

// Slow at both ends.
double eased(double share) { return share * share * (3 - 2 * share); }

void put_number(const BoardMoving::Number& number, const BoardPen& pen, const Box& cell) {
  const Rgb ground = mix(pen.canvas.paper, pen.tint(number.token), token_share);
  const double inset = 0.5;
  const Box inner{cell.x + inset, cell.y + inset, cell.width - 2 * inset, cell.height - head_bar - 2 * inset};
  pen.fill(inner, ground);
  pen.fill({inner.x, inner.bottom(), inner.width, head_bar}, pen.tint(number.head));
  pen.word(number_text_of(number), BoardFont::number, ink_on(ground), cell.middle_x(),
           inner.middle_y() - pen.line_of(BoardFont::number) / 2, centred);
}

// Names its rows and columns while an arrangement stands still.
void put_names(const Arrangement& arrangement, const BoardPen& pen, const Box& cells, const Room& room) {
  const double line = pen.line_of(BoardFont::small);
  for (std::size_t row = 0; row < arrangement.rows.size(); ++row) {
    const double y = cells.y + place_in(arrangement, static_cast<Index>(row), 0, room).y;
    pen.word(arrangement.rows[row], BoardFont::small, pen.theme.inks.text, cells.x - pad, y + (pen.cell - line) / 2,
             ends, room.names - pad);
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
    const double x = cells.x + (is_above ? place.x + width / 2 : static_cast<double>(cols) * room.cell_width + pad);
    const double y = cells.y + (is_above ? -line - 2 : place.y + (height - line) / 2);
    pen.word(arrangement.groups[group], BoardFont::small, pen.tint(static_cast<int>(group)), x, y,
             is_above ? centred : begins, is_above ? width + group_gap : 0);
  }
}

}  // namespace

BoardSize set_item(const BoardMoving& moving, BoardPen& pen, const Box& box) {
  const Room room = room_of(moving, pen);
  const double width = std::max(room.names + room.width + room.beside, room.heading);
  const auto last = static_cast<double>(moving.arrangements.size() - 1);
  const double step = std::clamp(moving.step, 0.0, last);
  const Arrangement& from = moving.arrangements[static_cast<std::size_t>(std::floor(step))];
  const Arrangement& to = moving.arrangements[static_cast<std::size_t>(std::ceil(step))];
  const double share = eased(step - std::floor(step));
  const double header =
      pen.title(moving.title, (share < 0.5 ? from : to).name, box.x, box.y, width) + room.above - box.y;
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

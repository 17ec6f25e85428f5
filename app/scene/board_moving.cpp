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

double gaps_before(Index at, Index together) {
  if (together == 0) return 0;
  const Index groups = at / together;
  return static_cast<double>(groups) * group_gap;
}

// The room that every arrangement fits into.
struct Room {
  double names = 0;  // of rows, before them
  double cell_width = 0;
  double width = 0;   // of the cells
  double height = 0;  // likewise
  double above = 0;   // the names of groups of columns
  double beside = 0;  // the names of groups of rows
};

Room room_of(const BoardMoving& moving, const BoardPen& pen) {
  Room room;
  double widest = 0;
  for (const BoardMoving::Number& number : moving.numbers)
    widest = std::max(widest, pen.width(BoardFont::number, number_text_of(number)));
  room.cell_width = std::max(widest + pad, pen.cell_width());
  for (const Arrangement& each : moving.arrangements) {
    room.names = std::max(room.names, std::min(pen.widest(BoardFont::small, each.rows), longest_name * pen.growth()));
    for (const BoardMoving::Place& at : each.places) {
      room.width = std::max(
          room.width, static_cast<double>(at.col + 1) * room.cell_width + gaps_before(at.col, each.cols_together));
      room.height =
          std::max(room.height, static_cast<double>(at.row + 1) * pen.cell + gaps_before(at.row, each.rows_together));
    }
    if (each.cols_together > 0) room.above = pen.line_of(BoardFont::small) + 2;
    if (each.rows_together > 0) room.beside = std::max(room.beside, pen.widest(BoardFont::small, each.groups) + pad);
  }
  if (room.names > 0) room.names += pad;
  return room;
}

// The widest line of what stands above the cells.
double heading_width(const BoardMoving& moving, const BoardPen& pen) {
  double width = pen.width(BoardFont::heading, moving.title);
  for (const Arrangement& each : moving.arrangements)
    width = std::max(width, pen.width(BoardFont::small, each.name) + 1);
  return width;
}

picture::Point place_in(const Arrangement& arrangement, std::size_t number, const Room& room, const BoardPen& pen) {
  const BoardMoving::Place& at = arrangement.places[number];
  return {static_cast<double>(at.col) * room.cell_width + gaps_before(at.col, arrangement.cols_together),
          static_cast<double>(at.row) * pen.cell + gaps_before(at.row, arrangement.rows_together)};
}

// Slow at both ends.
double eased(double share) { return share * share * (3 - 2 * share); }

void put_number(const BoardMoving::Number& number, BoardPen& pen, const Box& cell) {
  const Rgb ground = mix(pen.canvas.paper, pen.tint(number.token), token_share);
  const double inset = 0.5;
  const Box inner{cell.x + inset, cell.y + inset, cell.width - 2 * inset, cell.height - 2 * inset};
  const double low = inner.bottom() - head_bar;
  pen.fill({inner.x, inner.y, inner.width, low - inner.y}, ground);
  pen.fill({inner.x, low, inner.width, head_bar}, pen.tint(number.head));
  pen.word(number_text_of(number), BoardFont::number, ink_on(ground), cell.x + cell.width / 2,
           inner.y + (low - inner.y - pen.line_of(BoardFont::number)) / 2, centred);
}

// Names its rows and columns while an arrangement stands still.
void put_names(const Arrangement& arrangement, BoardPen& pen, const Box& cells, const Room& room) {
  const double line = pen.line_of(BoardFont::small);
  for (std::size_t row = 0; row < arrangement.rows.size(); ++row) {
    const double y =
        cells.y + static_cast<double>(row) * pen.cell + gaps_before(static_cast<Index>(row), arrangement.rows_together);
    pen.word(arrangement.rows[row], BoardFont::small, pen.theme.inks.text, cells.x - pad, y + (pen.cell - line) / 2,
             ends, room.names - pad);
  }
  for (std::size_t group = 0; group < arrangement.groups.size(); ++group) {
    const auto at = static_cast<double>(group);
    const Rgb colour = pen.tint(static_cast<int>(group));
    if (arrangement.cols_together > 0) {
      const double width = static_cast<double>(arrangement.cols_together) * room.cell_width;
      const double x = cells.x + at * (width + group_gap);
      pen.word(arrangement.groups[group], BoardFont::small, colour, x + width / 2, cells.y - line - 2, centred,
               width + group_gap);
    } else if (arrangement.rows_together > 0) {
      const double height = static_cast<double>(arrangement.rows_together) * pen.cell;
      const double y = cells.y + at * (height + group_gap);
      Index cols = 0;
      for (const BoardMoving::Place& place : arrangement.places) cols = std::max(cols, place.col + 1);
      pen.word(arrangement.groups[group], BoardFont::small, colour,
               cells.x + static_cast<double>(cols) * room.cell_width + pad, y + (height - line) / 2);
    }
  }
}

}  // namespace

BoardSize set_item(const BoardMoving& moving, BoardPen& pen, const Box& box) {
  const Room room = room_of(moving, pen);
  const double width = std::max(room.names + room.width + room.beside, heading_width(moving, pen));
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
    const picture::Point first = place_in(from, number, room, pen);
    const picture::Point second = place_in(to, number, room, pen);
    put_number(moving.numbers[number], pen,
               {cells.x + first.x + share * (second.x - first.x), cells.y + first.y + share * (second.y - first.y),
                room.cell_width, pen.cell});
  }
  if (share == 0) put_names(from, pen, cells, room);
  return size;
}

}  // namespace attnscope::scene

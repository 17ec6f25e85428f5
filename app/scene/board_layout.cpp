#include "scene/board_layout.h"

#include <algorithm>
#include <utility>

#include "scene/board_items.h"

namespace attnscope::scene {
namespace {

constexpr double tallest_cell = 96;
constexpr double tallest_on_endless_page = 46;
constexpr double widest_shape = 2.2;      // of a cell, from its height to its width
constexpr double comfortable = 1.35;      // times the least height of cells, where lines are left out for it
constexpr double well_filled = 0.75;      // of the page's height, where they may be
constexpr double gain_of_breaking = 1.3;  // cells are at least so much larger where lines are broken for it
constexpr double page_shape = 1.5;        // from the width of an endless page to the height that is filled
constexpr int search_steps = 6;
constexpr double item_gap = 18;
constexpr double sign_gap = 7;  // beside a sign
constexpr double line_gap = 16;
constexpr double most_line_gap = 40;

// Items of a line that stand beside each other, and how high they are together.
struct BoardLine {
  std::vector<const BoardItem*> items;
  std::vector<BoardSize> sizes;
  double width = 0;   // of all, at the least
  double header = 0;  // above the cells of its matrices
  double height = 0;
  int flexible = 0;  // items that take what room is left
};

// Before an item that follows another one.
double gap_between(const BoardItem& item, const BoardItem& next) {
  const bool is_sign = std::holds_alternative<BoardSign>(item) || std::holds_alternative<BoardSign>(next);
  return is_sign ? sign_gap : item_gap;
}

void add_item(BoardLine& line, const BoardItem& item, const BoardSize& size) {
  line.width += size.width + (line.items.empty() ? 0 : gap_between(*line.items.back(), item));
  const double lower = std::max(0.0, size.header - line.header);  // by so much the others move down
  line.height = std::max(line.height + (line.header > 0 ? lower : 0), size.height);
  line.header = std::max(line.header, size.header);
  if (size.header > 0) line.height = std::max(line.height, size.height - size.header + line.header);
  line.flexible += size.most_width > 0 ? 1 : 0;
  line.items.push_back(&item);
  line.sizes.push_back(size);
}

// The sign that a line ends with, which leads on to what stands in the next one: there it goes.
BoardLine last_sign(BoardLine& line) {
  BoardLine next;
  if (line.items.size() < 2 || !std::holds_alternative<BoardSign>(*line.items.back())) return next;
  add_item(next, *line.items.back(), line.sizes.back());
  BoardLine shorter;
  for (std::size_t i = 0; i + 1 < line.items.size(); ++i) add_item(shorter, *line.items[i], line.sizes[i]);
  line = std::move(shorter);
  return next;
}

// The board at one size of cells. Where a line is too wide, the items at its end go on in a line of their own.
struct Flow {
  std::vector<BoardLine> lines;
  double width = 0;
  double height = 0;
  bool is_broken = false;
};

// Whether the matrix before it in the line has the same names of rows, but for a sign between them.
bool repeats_rows(const BoardLine& line, const BoardItem& item) {
  const auto* const matrix = std::get_if<BoardMatrix>(&item);
  if (!matrix) return false;
  for (auto before = line.items.rbegin(); before != line.items.rend(); ++before) {
    if (std::holds_alternative<BoardSign>(**before)) continue;
    const auto* const other = std::get_if<BoardMatrix>(*before);
    return other && other->row_labels == matrix->row_labels;
  }
  return false;
}

using Lines = std::vector<std::vector<const BoardItem*>>;

Flow flow_at(const Lines& lines, BoardPen& pen, double width) {
  Flow flow;
  for (const std::vector<const BoardItem*>& items : lines) {
    BoardLine line;
    pen.is_alone = items.size() == 1;
    for (const BoardItem* const item : items) {
      pen.repeats_rows = repeats_rows(line, *item);
      BoardSize size = size_of_item(*item, pen, width);
      if (!line.items.empty() && line.width + gap_between(*line.items.back(), *item) + size.width > width) {
        BoardLine next = last_sign(line);
        flow.lines.push_back(std::exchange(line, std::move(next)));
        flow.is_broken = true;
        pen.repeats_rows = false;
        size = size_of_item(*item, pen, width);
      }
      add_item(line, *item, size);
    }
    if (!line.items.empty()) flow.lines.push_back(std::move(line));
  }
  for (const BoardLine& line : flow.lines) {
    flow.width = std::max(flow.width, line.width);
    flow.height += line.height + (&line == flow.lines.data() ? 0 : line_gap);
  }
  return flow;
}

// The largest value between two for which something holds, as far as a few steps find it; it holds for the lowest.
template <typename Holds>
double largest_where(double low, double high, Holds holds) {
  if (holds(high)) return high;
  for (int step = 0; step < search_steps; ++step) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

// Makes cells as large as a page allows, first high and then wide. Returns whether there is room at all.
bool fit_cells(const Lines& lines, BoardPen& pen, double height, double most) {
  const double width = pen.canvas.width;
  const auto fits = [&](double cell, double shape, bool may_break) {
    pen.cell = cell;
    pen.cell_shape = shape;
    const Flow flow = flow_at(lines, pen, width);
    return flow.width <= width && flow.height <= height && (may_break || !flow.is_broken);
  };
  const double least = pen.least_cell();
  const auto tallest = [&](double low, bool may_break) {
    if (low > most || !fits(low, 1, may_break)) return 0.0;
    return largest_where(low, most, [&](double cell) { return fits(cell, 1, may_break); });
  };
  const double whole = tallest(least, false);
  const double broken = tallest(std::max(least, gain_of_breaking * whole), true);
  const bool breaks = broken > 0;
  const double cell = breaks ? broken : whole;
  if (cell == 0) {
    fits(least, 1, true);  // leaves the pen at the least size
    return false;
  }
  pen.cell_shape = largest_where(1, widest_shape, [&](double shape) { return fits(cell, shape, breaks); });
  pen.cell = cell;
  return true;
}

// Leaves out lines from the last one on until those that stay are large enough; the first one always stays, and so does
// one without which much of the page would be empty.
void fit_lines(Lines& lines, BoardPen& pen) {
  const bool is_endless = pen.canvas.height >= endless_height;
  const double height = is_endless ? page_shape * pen.canvas.width : pen.canvas.height;
  const double most = is_endless ? tallest_on_endless_page : tallest_cell;
  while (true) {
    const bool is_fit = fit_cells(lines, pen, height, most);
    if (lines.size() == 1 || (is_fit && pen.cell >= comfortable * pen.least_cell())) return;
    Lines all = lines;
    lines.pop_back();
    if (!is_fit || !fit_cells(lines, pen, height, most)) continue;
    if (flow_at(lines, pen, pen.canvas.width).height >= well_filled * height) continue;
    lines = std::move(all);
    fit_cells(lines, pen, height, most);
    return;
  }
}

double width_in(const BoardLine& line, std::size_t item, double spare) {
  const BoardSize& size = line.sizes[item];
  return std::min(size.width + spare, std::max(size.width, size.most_width));
}

double spare_in(const BoardLine& line, double width) {
  return line.flexible == 0 ? 0 : std::max(0.0, width - line.width) / line.flexible;
}

// Returns how wide a line becomes where flexible items take the room that is left.
double stretched_width(const BoardLine& line, double width) {
  double stretched = line.width;
  for (std::size_t i = 0; i < line.items.size(); ++i)
    stretched += width_in(line, i, spare_in(line, width)) - line.sizes[i].width;
  return stretched;
}

void put_line(const BoardLine& line, BoardPen& pen, double left, double top, double width) {
  const double spare = spare_in(line, width);
  double x = left;
  BoardLine before;
  pen.header = line.header;
  pen.is_alone = line.items.size() == 1;
  for (std::size_t i = 0; i < line.items.size(); ++i) {
    pen.repeats_rows = repeats_rows(before, *line.items[i]);
    before.items.push_back(line.items[i]);
    const double item_width = width_in(line, i, spare);
    put_item(*line.items[i], pen, {x, top, item_width, line.height});
    x += item_width;
    if (i + 1 < line.items.size()) x += gap_between(*line.items[i], *line.items[i + 1]);
  }
}

}  // namespace

BoardLayout layout_board(const Board& board, const BoardCanvas& canvas) {
  BoardLayout layout;
  BoardPen pen{{.picture = layout.picture,
                .measure = canvas.measure,
                .theme = *canvas.theme,
                .line = canvas.line,
                .shorten = {}},
               canvas,
               layout,
               tallest_cell};
  const BoardItem details = BoardText{"", board.details};
  Lines lines;
  for (const std::vector<BoardItem>& line : board.lines) {
    lines.emplace_back();
    for (const BoardItem& item : line) lines.back().push_back(&item);
  }
  if (!board.details.empty()) lines.push_back({&details});
  if (lines.empty()) return layout;
  fit_lines(lines, pen);
  const Flow flow = flow_at(lines, pen, canvas.width);
  double width = 1;
  for (const BoardLine& line : flow.lines) width = std::max(width, stretched_width(line, canvas.width));
  const double left = std::max(0.0, (canvas.width - width) / 2);
  const double spare = canvas.height >= endless_height ? 0 : std::max(0.0, canvas.height - flow.height);
  const double gap = std::min(line_gap + spare / static_cast<double>(flow.lines.size() + 1), most_line_gap);
  double top = 0;
  for (const BoardLine& line : flow.lines) {
    put_line(line, pen, left, top, width);
    top += line.height + gap;
  }
  // Words come last, so that no line runs across one.
  std::stable_partition(layout.picture.items.begin(), layout.picture.items.end(),
                        [](const picture::Item& item) { return !std::holds_alternative<picture::Word>(item); });
  layout.width = left + width;
  layout.height = std::max(top - gap, 1.0);
  return layout;
}

}  // namespace attnscope::scene

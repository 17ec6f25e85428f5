#include "scene/board_layout.h"

#include <algorithm>
#include <utility>

#include "scene/board_items.h"

namespace attnscope::scene {
namespace {

constexpr double tallest_cell = 46;
constexpr double shrink = 0.94;
constexpr double item_gap = 18;
constexpr double sign_gap = 7;  // beside a sign
constexpr double line_gap = 16;

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
  line.flexible += size.is_flexible ? 1 : 0;
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

Flow flow_at(const Board& board, BoardPen& pen, double width) {
  Flow flow;
  for (const std::vector<BoardItem>& items : board.lines) {
    BoardLine line;
    for (const BoardItem& item : items) {
      pen.repeats_rows = repeats_rows(line, item);
      BoardSize size = size_of_item(item, pen, width);
      if (!line.items.empty() && line.width + gap_between(*line.items.back(), item) + size.width > width) {
        BoardLine next = last_sign(line);
        flow.lines.push_back(std::exchange(line, std::move(next)));
        flow.is_broken = true;
        pen.repeats_rows = false;
        size = size_of_item(item, pen, width);
      }
      add_item(line, item, size);
    }
    if (!line.items.empty()) flow.lines.push_back(std::move(line));
  }
  for (const BoardLine& line : flow.lines) {
    flow.width = std::max(flow.width, line.width);
    flow.height += line.height + (&line == flow.lines.data() ? 0 : line_gap);
  }
  return flow;
}

void put_line(const BoardLine& line, BoardPen& pen, double top, double width) {
  const double spare = line.flexible == 0 ? 0 : std::max(0.0, width - line.width) / line.flexible;
  double x = 0;
  BoardLine before;
  pen.header = line.header;
  for (std::size_t i = 0; i < line.items.size(); ++i) {
    pen.repeats_rows = repeats_rows(before, *line.items[i]);
    before.items.push_back(line.items[i]);
    const BoardSize& size = line.sizes[i];
    const double item_width =
        size.is_flexible ? std::min(size.width + spare, std::max(size.width, size.most_width)) : size.width;
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
  const double least = pen.line_of(BoardFont::number) + 4;
  Flow flow = flow_at(board, pen, canvas.width);
  while ((flow.is_broken || flow.width > canvas.width || flow.height > canvas.height) && pen.cell * shrink > least) {
    pen.cell *= shrink;
    flow = flow_at(board, pen, canvas.width);
  }
  double top = 0;
  for (const BoardLine& line : flow.lines) {
    put_line(line, pen, top, canvas.width);
    top += line.height + line_gap;
  }
  // Words come last, so that no line runs across one.
  std::stable_partition(layout.picture.items.begin(), layout.picture.items.end(),
                        [](const picture::Item& item) { return !std::holds_alternative<picture::Word>(item); });
  layout.width = std::max(flow.width, 1.0);
  layout.height = std::max(flow.height, 1.0);
  return layout;
}

}  // namespace attnscope::scene

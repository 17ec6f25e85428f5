#include "look/board_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "look/board_items.h"
#include "look/stage_look.h"

namespace attnscope {
namespace {

constexpr double tallest_cell = 46;
constexpr double shrink = 0.94;
constexpr double item_gap = 18;
constexpr double sign_gap = 7;  // beside a sign
constexpr double line_gap = 16;

// Items of a line that stand beside each other, and how high they are together.
struct PlacedLine {
  std::vector<const BoardItem*> items;
  std::vector<BoardSize> sizes;
  double width = 0;   // of all, at the least
  double header = 0;  // above the cells of its matrices
  double height = 0;
  int flexible = 0;  // items that take what room is left
};

// Before an item that follows another one.
double gap_between(const BoardItem& item, const BoardItem& next, double unit) {
  const bool is_sign = std::holds_alternative<BoardSign>(item) || std::holds_alternative<BoardSign>(next);
  return (is_sign ? sign_gap : item_gap) * unit;
}

void add_item(PlacedLine& line, const BoardItem& item, const BoardSize& size, double unit) {
  line.width += size.width + (line.items.empty() ? 0 : gap_between(*line.items.back(), item, unit));
  const double lower = std::max(0.0, size.header - line.header);  // by so much the others move down
  line.height = std::max(line.height + (line.header > 0 ? lower : 0), size.height);
  line.header = std::max(line.header, size.header);
  if (size.header > 0) line.height = std::max(line.height, size.height - size.header + line.header);
  line.flexible += size.is_flexible ? 1 : 0;
  line.items.push_back(&item);
  line.sizes.push_back(size);
}

// The sign that a line ends with, which leads on to what stands in the next one: there it goes.
PlacedLine last_sign(PlacedLine& line, double unit) {
  PlacedLine next;
  if (line.items.size() < 2 || !std::holds_alternative<BoardSign>(*line.items.back())) return next;
  add_item(next, *line.items.back(), line.sizes.back(), unit);
  PlacedLine shorter;
  for (std::size_t i = 0; i + 1 < line.items.size(); ++i) add_item(shorter, *line.items[i], line.sizes[i], unit);
  line = std::move(shorter);
  return next;
}

// The board at one size of cells. Where a line is too wide, the items at its end go on in a line of their own.
struct Flow {
  std::vector<PlacedLine> lines;
  double width = 0;
  double height = 0;
  bool is_broken = false;
};

// Whether the matrix before it in the line has the same names of rows, but for a sign between them.
bool repeats_rows(const PlacedLine& line, const BoardItem& item) {
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
  const double unit = pen.measure.unit;
  for (const std::vector<BoardItem>& items : board.lines) {
    PlacedLine line;
    for (const BoardItem& item : items) {
      pen.repeats_rows = repeats_rows(line, item);
      BoardSize size = size_of(item, pen, width);
      if (!line.items.empty() && line.width + gap_between(*line.items.back(), item, unit) + size.width > width) {
        PlacedLine next = last_sign(line, unit);
        flow.lines.push_back(std::exchange(line, std::move(next)));
        flow.is_broken = true;
        pen.repeats_rows = false;
        size = size_of(item, pen, width);
      }
      add_item(line, item, size, unit);
    }
    if (!line.items.empty()) flow.lines.push_back(std::move(line));
  }
  for (const PlacedLine& line : flow.lines) {
    flow.width = std::max(flow.width, line.width);
    flow.height += line.height + (&line == flow.lines.data() ? 0 : line_gap * pen.measure.unit);
  }
  return flow;
}

void put_line(const PlacedLine& line, BoardPen& pen, double top, double width) {
  const double spare = line.flexible == 0 ? 0 : std::max(0.0, width - line.width) / line.flexible;
  double x = 0;
  PlacedLine before;
  pen.header = line.header;
  for (std::size_t i = 0; i < line.items.size(); ++i) {
    pen.repeats_rows = repeats_rows(before, *line.items[i]);
    before.items.push_back(line.items[i]);
    const BoardSize& size = line.sizes[i];
    const double item_width =
        size.is_flexible ? std::min(size.width + spare, std::max(size.width, size.most_width)) : size.width;
    put_item(*line.items[i], pen, {x, top, item_width, line.height});
    x += item_width;
    if (i + 1 < line.items.size()) x += gap_between(*line.items[i], *line.items[i + 1], pen.measure.unit);
  }
}

}  // namespace

BoardPicture lay_out(const Board& board, const BoardMeasure& measure, const BoardInks& inks, double width,
                     double height) {
  BoardPicture picture;
  BoardPen pen{measure, inks, picture, tallest_cell * measure.unit};
  const double least = measure.line_of(BoardFont::number) + 4 * measure.unit;
  Flow flow = flow_at(board, pen, width);
  while ((flow.is_broken || flow.width > width || flow.height > height) && pen.cell * shrink > least) {
    pen.cell *= shrink;
    flow = flow_at(board, pen, width);
  }
  double top = 0;
  for (const PlacedLine& line : flow.lines) {
    put_line(line, pen, top, width);
    top += line.height + line_gap * measure.unit;
  }
  picture.width = std::max(flow.width, 1.0);
  picture.height = std::max(flow.height, 1.0);
  return picture;
}

std::vector<std::string> wrap_words(const BoardMeasure& measure, BoardFont font, std::string_view text, double width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const bool ends_line = end < text.size() && text[end] == '\n';
    const std::string longer = line.empty() ? std::string(word) : fmt::format("{} {}", line, word);
    if (!line.empty() && measure.width_of(font, longer) > width) {
      lines.push_back(std::exchange(line, std::string(word)));
    } else {
      line = longer;
    }
    if (ends_line) lines.push_back(std::exchange(line, {}));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

Rgb tint_rgb(int tint, bool is_dark) { return head_rgb(tint, is_dark); }

}  // namespace attnscope

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scene/diagram_layout.h"

namespace attnscope::scene {
namespace {

// Motion: from one layout to the next.

bool are_same(const PlacedMatrix& a, const PlacedMatrix& b) {
  return a.stage == b.stage && a.result == b.result && a.role == b.role && a.is_second == b.is_second;
}
bool are_same(const PlacedText& a, const PlacedText& b) {
  return a.text == b.text && a.query == b.query && a.key == b.key && a.stage == b.stage && a.result == b.result;
}
bool are_same(const PlacedFrame& a, const PlacedFrame& b) { return a.is_hero == b.is_hero; }
bool are_same(const PlacedSums& a, const PlacedSums& b) { return a.stage == b.stage; }

// Moves what both layouts have, each from where it was before.
template <typename Placed, typename Move>
void move_all(const std::vector<Placed>& from, std::vector<Placed>& to, const Move& move) {
  for (Placed& now : to) {
    const auto before = std::ranges::find_if(from, [&](const Placed& each) { return are_same(each, now); });
    if (before != from.end()) move(*before, now);
  }
}

// Steps: from cell to cell by the arrow keys.

// A column as it is drawn: the head and the column of its cells, and where its middle is.
struct DrawnColumn {
  Index head = 0;
  Index column = 0;
  double x = 0;
};

std::vector<DrawnColumn> columns_of(const AttentionConfig& config, const PlacedMatrix& placed) {
  const bool is_of_head = is_per_head(config, placed.stage);
  std::vector<DrawnColumn> columns;
  for (const PlacedPart& part : placed.parts) {
    for (Index i = 0; i < part.columns; ++i)
      columns.push_back({is_of_head ? part.head : 0, i + (is_of_head ? 0 : part.first_column),
                         part.x + part.width * (as_double(i) + 0.5) / as_double(part.columns)});
  }
  return columns;
}

Source cell_at(const PlacedMatrix& placed, const Source& from, Index row, const DrawnColumn& column) {
  Source cell = from;
  cell.stage = placed.stage;
  cell.kind = SourceKind::cell;
  cell.head = column.head;
  cell.row = row;
  cell.col = column.column;
  if (placed.is_transposed) std::swap(cell.row, cell.col);
  return cell;
}

// The one place of a stage that the keys go to: its own, else where it is used.
const PlacedMatrix* main_place(const DiagramLayout& layout, Stage stage) {
  const PlacedMatrix* found = nullptr;
  for (const PlacedMatrix& placed : layout.matrices) {
    if (placed.stage != stage || placed.is_second) continue;
    if (!found || placed.role == PlacedRole::result) found = &placed;
  }
  return found;
}

// How far two spans are apart; below 0 where they overlap.
double apart(double low, double high, double other_low, double other_high) {
  return std::max(other_low - high, low - other_high);
}

// The nearest in that direction; what is aside counts for more than what is far.
const PlacedMatrix* neighbour(const DiagramLayout& layout, const PlacedMatrix& from, int rows, int columns) {
  constexpr double aside = 3;
  const PlacedMatrix* nearest = nullptr;
  double least = std::numeric_limits<double>::max();
  for (const PlacedMatrix& placed : layout.matrices) {
    if (&placed == &from || main_place(layout, placed.stage) != &placed) continue;
    const bool is_forward = rows + columns > 0;
    const Box& a = is_forward ? from.box : placed.box;
    const Box& b = is_forward ? placed.box : from.box;
    const double distance = columns != 0 ? b.x - a.right() : b.y - a.bottom();
    const double side =
        std::max(0.0, columns != 0 ? apart(a.y, a.bottom(), b.y, b.bottom()) : apart(a.x, a.right(), b.x, b.right()));
    const double cost = distance + aside * side;
    if (distance < -1 || (columns != 0 && side > 0) || cost >= least) continue;  // a row goes on within its line
    least = cost;
    nearest = &placed;
  }
  return nearest;
}

}  // namespace

DiagramLayout between(const DiagramLayout& from, const DiagramLayout& to, double share) {
  DiagramLayout now = to;
  now.arrows.clear();
  now.pills.clear();
  const auto move = [share](double before, double& after) { after = before + share * (after - before); };
  const auto move_box = [&](const Box& before, Box& after) {
    for (double Box::*const side : {&Box::x, &Box::y, &Box::width, &Box::height}) move(before.*side, after.*side);
  };
  move_all(from.matrices, now.matrices, [&](const PlacedMatrix& before, PlacedMatrix& matrix) {
    if (before.parts.size() != matrix.parts.size()) return;
    move_box(before.box, matrix.box);
    for (std::size_t i = 0; i < matrix.parts.size(); ++i) {
      move(before.parts[i].x, matrix.parts[i].x);
      move(before.parts[i].width, matrix.parts[i].width);
    }
    if (before.text > 0) matrix.text = std::min(before.text, matrix.text);
  });
  move_all(from.texts, now.texts, [&](const PlacedText& before, PlacedText& text) {
    move(before.x, text.x);
    move(before.y, text.y);
  });
  move_all(from.frames, now.frames,
           [&](const PlacedFrame& before, PlacedFrame& frame) { move_box(before.box, frame.box); });
  move_all(from.sums, now.sums, [&](const PlacedSums& before, PlacedSums& sums) {
    for (double PlacedSums::*const place : {&PlacedSums::x, &PlacedSums::y, &PlacedSums::row})
      move(before.*place, sums.*place);
  });
  return now;
}

std::optional<Source> step_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& from,
                                      int rows, int columns) {
  const PlacedMatrix* const here = main_place(layout, from.stage);
  if (!here) return {};
  const std::vector<DrawnColumn> own = columns_of(config, *here);
  const Index row = here->is_transposed ? from.col : from.row;
  const Index column = here->is_transposed ? from.row : from.col;
  const bool is_any_head = here->parts.size() == 1 || !is_per_head(config, here->stage);
  const auto at = std::ranges::find_if(
      own, [&](const DrawnColumn& each) { return each.column == column && (is_any_head || each.head == from.head); });
  if (at == own.end()) return {};
  const Index next = at - own.begin() + columns;
  if (row + rows >= 0 && row + rows < here->rows && next >= 0 && next < std::ssize(own))
    return cell_at(*here, from, row + rows, own[static_cast<std::size_t>(next)]);
  const PlacedMatrix* const other = neighbour(layout, *here, rows, columns);
  if (!other) return {};
  const std::vector<DrawnColumn> others = columns_of(config, *other);
  if (rows != 0) {
    const auto distance = [&](const DrawnColumn& each) { return std::abs(each.x - at->x); };
    return cell_at(*other, from, rows > 0 ? 0 : other->rows - 1, *std::ranges::min_element(others, {}, distance));
  }
  const double y = here->box.y + (as_double(row) + 0.5) * here->row_height();
  const auto beside = static_cast<Index>(std::floor((y - other->box.y) / other->row_height()));
  return cell_at(*other, from, std::clamp<Index>(beside, 0, other->rows - 1),
                 columns > 0 ? others.front() : others.back());
}

}  // namespace attnscope::scene

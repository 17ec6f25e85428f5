#include "scene/diagram_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace attnscope::scene {
namespace {

struct Place {
  Index row = 0;
  Index column = 0;  // counted over all parts
};

Index column_count(const PlacedMatrix& placed) {
  Index count = 0;
  for (const PlacedPart& part : placed.parts) count += part.columns;
  return count;
}

std::optional<Place> place_of(const AttentionConfig& config, const PlacedMatrix& placed, const Source& cell) {
  Index row = cell.row;
  Index column = cell.col;
  if (placed.is_transposed) std::swap(row, column);
  const bool is_of_head = is_per_head(config, placed.stage);
  Index before = 0;
  for (const PlacedPart& part : placed.parts) {
    const bool is_here = is_of_head && placed.parts.size() > 1
                             ? part.head == cell.head
                             : column >= part.first_column && column < part.first_column + part.columns;
    if (is_here) return Place{row, before + column - (is_of_head ? 0 : part.first_column)};
    before += part.columns;
  }
  return {};
}

Source cell_at(const AttentionConfig& config, const PlacedMatrix& placed, const Source& from, Place place) {
  Source cell = from;
  cell.stage = placed.stage;
  cell.kind = SourceKind::cell;
  const bool is_of_head = is_per_head(config, placed.stage);
  for (const PlacedPart& part : placed.parts) {
    if (place.column >= part.columns) {
      place.column -= part.columns;
      continue;
    }
    cell.head = is_of_head ? part.head : 0;
    cell.row = place.row;
    cell.col = place.column + (is_of_head ? 0 : part.first_column);
    break;
  }
  if (placed.is_transposed) std::swap(cell.row, cell.col);
  return cell;
}

double x_of(const PlacedMatrix& placed, Index column) {
  for (const PlacedPart& part : placed.parts) {
    if (column < part.columns) return part.x + part.width * (as_double(column) + 0.5) / as_double(part.columns);
    column -= part.columns;
  }
  return placed.box.right();
}

Index column_at(const PlacedMatrix& placed, double x) {
  Index nearest = 0;
  for (Index column = 1; column < column_count(placed); ++column)
    if (std::abs(x_of(placed, column) - x) < std::abs(x_of(placed, nearest) - x)) nearest = column;
  return nearest;
}

double y_of(const PlacedMatrix& placed, Index row) {
  return placed.box.y + (as_double(row) + 0.5) * placed.row_height();
}

Index row_at(const PlacedMatrix& placed, double y) {
  return std::clamp<Index>(static_cast<Index>(std::floor((y - placed.box.y) / placed.row_height())), 0,
                           placed.rows - 1);
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

// How far a span lies beyond another one; and how far the two are apart to the side, 0 where they overlap.
double beyond(double low, double high, double other_low, double other_high, int direction) {
  return direction > 0 ? other_low - high : low - other_high;
}
double apart(double low, double high, double other_low, double other_high) {
  return std::max({0.0, other_low - high, low - other_high});
}

// The nearest in that direction; what is aside counts for more than what is far.
const PlacedMatrix* neighbour(const DiagramLayout& layout, const PlacedMatrix& from, int rows, int columns) {
  constexpr double aside = 3;
  const Box& a = from.box;
  const PlacedMatrix* nearest = nullptr;
  double least = std::numeric_limits<double>::max();
  for (const PlacedMatrix& placed : layout.matrices) {
    const Box& b = placed.box;
    if (&placed == &from || main_place(layout, placed.stage) != &placed) continue;
    const double distance =
        columns != 0 ? beyond(a.x, a.right(), b.x, b.right(), columns) : beyond(a.y, a.bottom(), b.y, b.bottom(), rows);
    if (distance < -1) continue;
    const double side = columns != 0 ? apart(a.y, a.bottom(), b.y, b.bottom()) : apart(a.x, a.right(), b.x, b.right());
    if (columns != 0 && side > 0) continue;  // a row goes on within its line
    const double cost = distance + aside * side;
    if (cost >= least) continue;
    least = cost;
    nearest = &placed;
  }
  return nearest;
}

}  // namespace

std::optional<Source> step_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& from,
                                      int rows, int columns) {
  const PlacedMatrix* const here = main_place(layout, from.stage);
  if (!here) return {};
  const std::optional<Place> place = place_of(config, *here, from);
  if (!place) return {};
  const Place next{place->row + rows, place->column + columns};
  if (next.row >= 0 && next.row < here->rows && next.column >= 0 && next.column < column_count(*here))
    return cell_at(config, *here, from, next);
  const PlacedMatrix* const other = neighbour(layout, *here, rows, columns);
  if (!other) return {};
  const Index row = columns != 0 ? row_at(*other, y_of(*here, place->row)) : rows > 0 ? 0 : other->rows - 1;
  const Index column = rows != 0     ? column_at(*other, x_of(*here, place->column))
                       : columns > 0 ? 0
                                     : column_count(*other) - 1;
  return cell_at(config, *other, from, {row, column});
}

}  // namespace attnscope::scene

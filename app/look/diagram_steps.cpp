#include "look/diagram_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "look/diagram_layout.h"

namespace attnscope {
namespace {

// Of any size: which matrix stands beside which does not depend on it.
constexpr float any_width = 1600;
constexpr float any_height = 1000;

DiagramText any_text() {
  return {.width_of = [](std::string_view words) { return 7 * static_cast<float>(words.size()); },
          .line = 15,
          .heading = 18,
          .row_labels = 50,
          .widest_label = 44,
          .longest_upright = 64,
          .row_sums = 36,
          .gap = 6};
}

// A matrix as it is shown.
class ShownMatrix {
public:
  ShownMatrix(const AttentionConfig& config, const PlacedMatrix& placed) : placed_(placed) {
    const std::vector<Index> shape = stage_shape(config, placed.matrix.stage);
    rows_ = shape[shape.size() - 2];
    cols_ = shape.back();
    if (placed.matrix.is_transposed) std::swap(rows_, cols_);
    is_of_head_ = is_per_head(config, placed.matrix.stage);
    heads_ = placed.matrix.shows_all_heads && is_of_head_ ? head_count(config) : 1;
  }

  const DiagramBox& box() const { return placed_.cells; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_ * heads_; }
  Index row_of(const Source& cell) const { return placed_.matrix.is_transposed ? cell.col : cell.row; }
  Index col_of(const Source& cell) const {
    return (placed_.matrix.is_transposed ? cell.row : cell.col) + (heads_ > 1 ? cell.head * cols_ : 0);
  }
  float x_of(Index col) const {
    return box().x + box().width * (static_cast<float>(col) + 0.5F) / static_cast<float>(cols());
  }
  float y_of(Index row) const {
    return box().y + box().height * (static_cast<float>(row) + 0.5F) / static_cast<float>(rows());
  }
  Index col_at(float x) const { return at((x - box().x) / box().width, cols()); }
  Index row_at(float y) const { return at((y - box().y) / box().height, rows()); }

  Source cell(const Source& from, Index head, Index row, Index col) const {
    Source cell = from;
    cell.stage = placed_.matrix.stage;
    cell.kind = SourceKind::cell;
    cell.head = heads_ > 1 ? col / cols_ : is_of_head_ ? head : 0;
    cell.row = placed_.matrix.is_transposed ? col % cols_ : row;
    cell.col = placed_.matrix.is_transposed ? row : col % cols_;
    return cell;
  }

private:
  static Index at(float share, Index count) {
    return std::clamp<Index>(static_cast<Index>(std::floor(share * static_cast<float>(count))), 0, count - 1);
  }

  const PlacedMatrix& placed_;
  Index rows_ = 0;
  Index cols_ = 0;
  Index heads_ = 1;
  bool is_of_head_ = false;
};

// The one place of a stage that the keys go to: its own, else where it is an operand.
const PlacedMatrix* place_of(const DiagramLayout& layout, Stage stage) {
  const PlacedMatrix* found = nullptr;
  for (const PlacedMatrix& placed : layout.matrices) {
    if (!placed.matrix.is_present || placed.matrix.stage != stage) continue;
    if (!found || placed.matrix.role == DiagramRole::result) found = &placed;
  }
  return found;
}

// How far a span lies beyond another one; and how far the two are apart to the side, 0 where they overlap.
float beyond(float low, float high, float other_low, float other_high, int direction) {
  return direction > 0 ? other_low - high : low - other_high;
}
float apart(float low, float high, float other_low, float other_high) {
  return std::max({0.0F, other_low - high, low - other_high});
}

// The nearest in that direction; what is aside counts for more than what is far.
const PlacedMatrix* neighbour(const DiagramLayout& layout, const PlacedMatrix& from, int rows, int cols) {
  constexpr float aside = 3;
  const DiagramBox& a = from.cells;
  const PlacedMatrix* nearest = nullptr;
  float least = std::numeric_limits<float>::max();
  for (const PlacedMatrix& placed : layout.matrices) {
    const DiagramBox& b = placed.cells;
    if (&placed == &from || place_of(layout, placed.matrix.stage) != &placed) continue;
    const float distance =
        cols != 0 ? beyond(a.x, a.right(), b.x, b.right(), cols) : beyond(a.y, a.bottom(), b.y, b.bottom(), rows);
    if (distance < -1) continue;
    const float side = cols != 0 ? apart(a.y, a.bottom(), b.y, b.bottom()) : apart(a.x, a.right(), b.x, b.right());
    if (cols != 0 && side > 0) continue;  // a row goes on within its band
    const float cost = distance + aside * side;
    if (cost >= least) continue;
    least = cost;
    nearest = &placed;
  }
  return nearest;
}

}  // namespace

std::optional<Source> step_in_diagram(const AttentionConfig& config, const Source& from, Index head, int rows,
                                      int cols) {
  const DiagramLayout layout = layout_diagram(config, any_text(), any_width, any_height);
  const PlacedMatrix* const here = place_of(layout, from.stage);
  if (!here) return {};
  const ShownMatrix shown(config, *here);
  const Index row = shown.row_of(from) + rows;
  const Index col = shown.col_of(from) + cols;
  if (row >= 0 && row < shown.rows() && col >= 0 && col < shown.cols()) return shown.cell(from, head, row, col);
  const PlacedMatrix* const next = neighbour(layout, *here, rows, cols);
  if (!next) return {};
  const ShownMatrix other(config, *next);
  const Index entry_row = cols != 0 ? other.row_at(shown.y_of(shown.row_of(from))) : rows > 0 ? 0 : other.rows() - 1;
  const Index entry_col = rows != 0 ? other.col_at(shown.x_of(shown.col_of(from))) : cols > 0 ? 0 : other.cols() - 1;
  return other.cell(from, head, entry_row, entry_col);
}

}  // namespace attnscope

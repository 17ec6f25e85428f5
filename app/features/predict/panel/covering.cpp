#include "features/predict/panel/covering.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float smallest_dotted = 7;  // side of a cell that has a dot
constexpr float dot_size = 1.4F;
constexpr Index most_dots = 4096;

bool covers(const ViewContext& context) { return context.now.prediction.cover && context.now.result(); }

void draw_cover_dots(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const float side = grid.cell_side();
  const Index count = (grid.end_row() - grid.first_row()) * (grid.end_col() - grid.first_col());
  if (side < smallest_dotted * unit(context) || count > most_dots) return;
  for (Index row = grid.first_row(); row < grid.end_row(); ++row) {
    for (Index col = grid.first_col(); col < grid.end_col(); ++col) {
      if (!is_covered(context, view, row, col)) continue;
      const Box cell = grid.cell(row, col);
      const ImVec2 middle{static_cast<float>(cell.middle_x()), static_cast<float>(cell.middle_y())};
      fill_circle(middle, dot_size * unit(context), {context.theme.inks.dim_text, 0.55});
    }
  }
}

// From one row of the stage to another, as they are shown.
void fill_cover(const ViewContext& context, const StageView& view, const CellGrid& grid, Index first, Index end) {
  ImVec2 low = grid.min_screen();
  ImVec2 high = grid.max_screen();
  if (view.is_transposed) {
    low.x = std::max(low.x, std::floor(grid.corner(0, first).x));
    high.x = std::min(high.x, std::ceil(grid.corner(0, end).x));
  } else {
    low.y = std::max(low.y, std::floor(grid.corner(first, 0).y));
    high.y = std::min(high.y, std::ceil(grid.corner(end, 0).y));
  }
  fill_box(low, high, {context.theme.inks.panel});
  fill_box(low, high, {context.theme.inks.chosen});
}

}  // namespace

bool is_covered(const ViewContext& context, const Source& source) {
  return covers(context) && context.now.prediction.cover->hides(context.now.result()->config, source);
}

bool is_covered(const ViewContext& context, const StageView& view, Index row, Index col) {
  return covers(context) && is_covered(context, source_at(view, row, col));
}

bool covers_any(const ViewContext& context, Stage stage) {
  return covers(context) && context.now.prediction.cover->hides_any(context.now.result()->config, stage);
}

std::vector<Index> covered_rows(const ViewContext& context, const StageView& view) {
  std::vector<Index> covered;
  if (!covers_any(context, view.stage)) return covered;
  for (Index row = 0; row < (view.is_transposed ? view.cols : view.rows); ++row) {
    if (context.now.prediction.cover->hides(context.now.result()->config, view.stage, row)) covered.push_back(row);
  }
  return covered;
}

void draw_cover(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  if (!covers_any(context, view.stage)) return;
  const Index first = view.is_transposed ? grid.first_col() : grid.first_row();
  const Index end = view.is_transposed ? grid.end_col() : grid.end_row();
  const auto hides = [&](Index row) {
    return view.is_transposed ? is_covered(context, view, 0, row) : is_covered(context, view, row, 0);
  };
  for (Index row = first; row < end; ++row) {
    if (!hides(row)) continue;
    Index last = row + 1;
    while (last < end && hides(last)) ++last;
    fill_cover(context, view, grid, row, last);
    row = last;
  }
  draw_cover_dots(context, view, grid);
}

std::vector<DerivationLine> without_covered(const ViewContext& context, std::vector<DerivationLine> lines) {
  if (!covers(context)) return lines;
  const auto names_covered = [&](const std::optional<Source>& source) {
    return source && is_covered(context, *source);
  };
  std::vector<DerivationLine> shown;
  int below = -1;  // the depth of a line that is covered, with what was opened below it
  for (DerivationLine& line : lines) {
    if (below >= 0 && line.depth > below) continue;
    below = -1;
    if (names_covered(line.line.source) || names_covered(line.line.second)) {
      below = line.depth;
      line.line = {.text = "covered", .is_words = true};
      line.can_open = line.is_open = line.is_heading = false;
    }
    const bool repeats = below >= 0 && !shown.empty() && shown.back().line.text == "covered";
    if (!repeats) shown.push_back(std::move(line));
  }
  return shown;
}

}  // namespace attnscope

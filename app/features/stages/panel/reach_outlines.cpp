#include "features/stages/panel/reach_outlines.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float line_width = 2;
constexpr double fading = 0.88;  // with each step
constexpr double faintest = 0.55;

void draw_frame(const ViewContext& context, const Reached& reached, Rgb colour, const StageView& view,
                const CellGrid& grid) {
  CellRect rect = reached.rect;
  if (view.is_transposed) rect = {rect.col, rect.row, rect.cols, rect.rows};
  const float half = line_width * unit(context) / 2;  // frames lie within their cells
  const ImVec2 from = grid.corner(rect.row, rect.col);
  const ImVec2 to = grid.corner(rect.row + rect.rows, rect.col + rect.cols);
  const ImVec2 low{from.x + half, from.y + half};
  const ImVec2 high{to.x - half, to.y - half};
  const double alpha = std::max(faintest, std::pow(fading, static_cast<double>(reached.distance - 1)));
  outline_box(low, {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)}, {colour, alpha},
              line_width * unit(context));
}

// Around the number that the pointer rests on in an explanation, or around its row.
void draw_term(const ViewContext& context, const Source& term, const StageView& view, const CellGrid& grid) {
  const bool is_head = !is_per_head(view.result->config, term.stage) || term.head == view.head;
  if (term.stage != view.stage || !is_head) return;
  const bool is_cell = term.kind == SourceKind::cell || term.kind == SourceKind::draw;
  const CellRect row = {term.row, 0, 1, view.is_transposed ? view.rows : view.cols};
  draw_frame(context, {term.stage, term.head, is_cell ? CellRect{term.row, term.col, 1, 1} : row, 1},
             context.theme.inks.cross_hair, view, grid);
}

void draw_frames(const ViewContext& context, const std::vector<Reached>& all, Rgb colour, const StageView& view,
                 const CellGrid& grid) {
  const Index head = is_per_head(view.result->config, view.stage) ? view.head : 0;
  for (const Reached& reached : all) {
    if (reached.stage == view.stage && reached.head == head) draw_frame(context, reached, colour, view, grid);
  }
}

}  // namespace

ReachOutlines reach_outlines(const ViewContext& context) {
  const std::optional<Source>& pinned = context.now.view.pinned;
  const Result* const result = context.now.result();
  if (!context.now.view.show_reach || !pinned || !result || result->external) return {};
  if (!has_stage(result->config, pinned->stage)) return {};
  return {ancestors(result->config, *pinned), descendants(result->config, *pinned)};
}

void draw_reach(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const ReachOutlines& outlines = *context.reach;
  const std::optional<Source>& term = context.now.view.passing.term;
  if (outlines.before.empty() && outlines.after.empty() && !term) return;
  ImGui::PushClipRect(grid.min_screen(), grid.max_screen(), true);
  draw_frames(context, outlines.before, context.theme.inks.accent, view, grid);
  draw_frames(context, outlines.after, context.theme.inks.after, view, grid);
  if (term) draw_term(context, *term, view, grid);
  ImGui::PopClipRect();
}

}  // namespace attnscope

#include "views/heatmap.h"

#include <algorithm>
#include <cmath>

#include "core/difference.h"
#include "views/covering.h"
#include "views/mark_legend.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

// Around cells, as far as the plot shows them: lines just outside of it are clipped away.
void outline(ImDrawList& list, const CellGrid& grid, Index row, Index col, Index rows, Index cols, ImU32 colour,
             float thickness) {
  const float beyond = 2 * thickness;
  const auto x = [&](Index at) {
    return std::clamp(grid.x_of(at), grid.min_screen.x - beyond, grid.max_screen.x + beyond);
  };
  const auto y = [&](Index at) {
    return std::clamp(grid.y_of(at), grid.min_screen.y - beyond, grid.max_screen.y + beyond);
  };
  list.AddRect({std::floor(x(col)), std::floor(y(row))}, {std::ceil(x(col + cols)), std::ceil(y(row + rows))}, colour,
               0, 0, thickness);
}

bool shows_row(const CellGrid& grid, Index row) { return row >= grid.first_row() && row < grid.end_row(); }
bool shows_col(const CellGrid& grid, Index col) { return col >= grid.first_col() && col < grid.end_col(); }

void draw_marks(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const std::optional<Source>& cell = shown_cell(context);
  if (!cell) return;
  const MarkedLines lines = marked_lines(context, view);
  const CellPlace place = place_of(view, *cell);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 faint = with_alpha(context.theme.cross_hair, 0.85f);
  const float thin = std::max(1.0f, unit(context));
  if (grid.is_zoomed()) list.PushClipRect(grid.min_screen, grid.max_screen, true);
  for (const Index row : {lines.row, lines.second_row}) {
    if (shows_row(grid, row)) outline(list, grid, row, 0, 1, grid.cols, faint, thin);
  }
  if (shows_col(grid, lines.col)) outline(list, grid, 0, lines.col, grid.rows, 1, faint, thin);
  const bool is_of_head = !is_per_head(view.result->config, cell->stage) || cell->head == view.head;
  const bool is_here = cell->stage == view.info->stage && is_of_head && cell->kind == SourceKind::cell;
  const bool is_same_pair =
      cell->kind == SourceKind::cell && is_query_by_key(info(cell->stage).axes) && is_query_by_key(view.info->axes);
  if ((is_here || is_same_pair) && shows_row(grid, place.row) && shows_col(grid, place.col)) {
    outline(list, grid, place.row, place.col, 1, 1, to_u32(context.theme.cross_hair), (is_here ? 2.5f : 2.0f) * thin);
  }
  if (grid.is_zoomed()) list.PopClipRect();
}

}  // namespace

ColourRange range_of(const ViewContext& context, const StageView& view) {
  const auto range_in = [&](const Result& result, const StageView& of) {
    return colour_range(result, of.info->stage, *of.summary, of.matrix, context.view.range, context.theme.dark);
  };
  ColourRange range = range_in(view.result->difference ? *view.result : *context.result(), view);
  if (!context.beside) return range;
  const auto other = stage_view(context, *context.beside, view.info->stage, view.head, view.side_by_side, true);
  if (!other) return range;
  const ColourRange of_other = range_in(*other->result, *other);
  range.low = std::min(range.low, of_other.low);
  range.high = std::max(range.high, of_other.high);
  return range;
}

HeatmapQuad heatmap_quad(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const ColourRange range = range_of(context, view);
  HeatmapQuad quad;
  quad.values = view.tensor;
  quad.matrix = view.matrix;
  quad.result = view.result;
  quad.stage = view.result->difference ? view.info->stage : same_cells_as(view.result->config, view.info->stage);
  quad.drops = shows_dropped(*view.result, view.info->stage);
  if (quad.drops) {
    quad.factors = view.result->share(Stage::dropout_factors);
    quad.factors_matrix = view.matrix;
  }
  quad.seen = visibility(*view.result, view.info->stage);
  quad.map = range.map;
  quad.low = range.low;
  quad.high = range.high;
  quad.measure = range.measure;
  quad.window = grid.window;
  quad.pooling = context.view.pooling;
  quad.side_by_side = view.side_by_side;
  quad.min_screen = grid.min_screen;
  quad.max_screen = grid.max_screen;
  quad.greys = context.theme.greys;
  quad.is_transposed = view.is_transposed;
  quad.opacity = view.opacity;
  return quad;
}

void register_matrix(const ViewContext& context, const StageView& view, std::string_view name, const CellGrid& grid) {
  if (!context.widgets) return;
  WidgetRegistry::Matrix& matrix = context.widgets->matrices.emplace_back();
  matrix.name = name;
  matrix.drawn_in = context.widgets->entries.back().window;
  matrix.title = view.info->title;
  matrix.min_screen = matrix.card_min_screen = grid.min_screen;
  matrix.max_screen = matrix.card_max_screen = grid.max_screen;
  matrix.window = grid.window;
  matrix.rows = grid.rows;
  matrix.cols = grid.cols;
  matrix.is_transposed = view.is_transposed;
  matrix.has_cells = !pooled_cells(grid).is_pooled();
  matrix.result = view.result;
  matrix.stage = view.info->stage;
  matrix.matrix = view.matrix;
  matrix.head = view.head;
  for (Index row = grid.first_row(); row < grid.end_row(); ++row)
    matrix.row_labels.push_back(row_label(context, view, row));
  for (Index col = grid.first_col(); col < grid.end_col(); ++col)
    matrix.column_labels.push_back(column_label(context, view, col));
  const MarkedLines lines = marked_lines(context, view);
  matrix.marked_row = lines.row;
  matrix.second_marked_row = lines.second_row;
  matrix.marked_col = lines.col;
  matrix.covered = covered_rows(context, view);
  for (const CellPlace& place : edited_cells(view, grid)) matrix.edited.emplace_back(place.row, place.col);
}

void draw_heatmap(const ViewContext& context, CommandQueue& queue, const StageView& view, std::string_view name,
                  const CellGrid& grid) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (context.heatmaps) context.heatmaps->draw(list, heatmap_quad(context, view, grid));
  if (context.view.numbers) draw_cell_numbers(context, view, grid);
  draw_marks(context, view, grid);
  list.AddRect(grid.min_screen, grid.max_screen, to_u32(context.theme.border));
  use_heatmap(context, queue, view, name, grid);
}

void use_heatmap(const ViewContext& context, CommandQueue& queue, const StageView& view, std::string_view name,
                 const CellGrid& grid) {
  draw_cover(context, view, grid);
  draw_edit_marks(context, view, grid);
  if (ImGui::IsRectVisible(grid.min_screen, grid.max_screen)) note_marks(context, view, grid);
  const bool is_in_minimap = draw_minimap(context, queue, view, name, grid);
  draw_cell_field(context, queue, view, grid);
  ImGui::SetCursorScreenPos(grid.min_screen);
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool is_clicked =
      ImGui::InvisibleButton("heatmap", {grid.max_screen.x - grid.min_screen.x, grid.max_screen.y - grid.min_screen.y});
  ImGui::PopID();
  register_item(context, name);
  register_matrix(context, view, name, grid);
  if (!is_in_minimap) handle_heatmap_pointer(context, queue, view, grid, is_clicked);
}

}  // namespace attnscope

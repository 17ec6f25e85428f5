#include "views/heatmap.h"

#include <algorithm>
#include <cmath>

#include "core/difference.h"
#include "views/covering.h"
#include "views/mark_legend.h"
#include "views/widgets.h"

namespace attnscope {

ColourRange range_of(const ViewContext& context, const StageView& view) {
  const auto range_in = [&](const Result& result, const StageView& of) {
    return colour_range(result, of.info->stage, *of.summary, of.matrix, context.view.range, context.theme.is_dark);
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
  HeatmapQuad quad;
  quad.range = range_of(context, view);
  MatrixSource& source = quad.source;
  source.values = view.tensor;
  source.matrix = view.matrix;
  source.result = view.result;
  source.stage = view.result->difference ? view.info->stage : same_cells_as(view.result->config, view.info->stage);
  source.drops = shows_dropped(*view.result, view.info->stage);
  if (source.drops) {
    source.factors = view.result->share(Stage::dropout_factors);
    source.factors_matrix = view.matrix;
  }
  source.seen = visibility(*view.result, view.info->stage);
  source.measure = quad.range.measure;
  quad.window = grid.window;
  quad.pooling = context.view.pooling;
  quad.side_by_side = view.side_by_side;
  quad.min_screen = grid.min_screen();
  quad.max_screen = grid.max_screen();
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
  matrix.min_screen = matrix.card_min_screen = grid.min_screen();
  matrix.max_screen = matrix.card_max_screen = grid.max_screen();
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

void use_heatmap(const ViewContext& context, CommandQueue& queue, const StageView& view, std::string_view name,
                 const CellGrid& grid) {
  draw_cover(context, view, grid);
  draw_edit_marks(context, view, grid);
  if (ImGui::IsRectVisible(grid.min_screen(), grid.max_screen())) note_marks(context, view, grid);
  const bool is_in_minimap = draw_minimap(context, queue, view, name, grid);
  draw_cell_field(context, queue, view, grid);
  ImGui::SetCursorScreenPos(grid.min_screen());
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool is_clicked = ImGui::InvisibleButton("heatmap", grid.size_screen());
  ImGui::PopID();
  register_item(context, name);
  register_matrix(context, view, name, grid);
  if (!is_in_minimap) handle_heatmap_pointer(context, queue, view, grid, is_clicked);
}

}  // namespace attnscope

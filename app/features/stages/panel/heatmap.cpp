#include "features/stages/panel/heatmap.h"

#include <algorithm>
#include <cmath>

#include "core/difference.h"
#include "features/predict/panel/covering.h"
#include "features/stages/panel/mark_legend.h"
#include "ui/widgets.h"

namespace attnscope {

void draw_heatmap(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  draw_matrix(context, {coloured(context, view), grid.box, grid.window}, grid.min_screen(), grid.max_screen());
}

void register_matrix(const ViewContext& context, const StageView& view, std::string_view name, const CellGrid& grid) {
  if (!context.widgets) return;
  WidgetRegistry::Matrix& matrix = context.widgets->matrices.emplace_back(view);
  matrix.name = name;
  matrix.drawn_in = context.widgets->entries.back().window;
  matrix.title = info(view.stage).title;
  matrix.min_screen = matrix.card_min_screen = grid.min_screen();
  matrix.max_screen = matrix.card_max_screen = grid.max_screen();
  matrix.window = grid.window;
  matrix.has_cells = !pooled_cells(grid).is_pooled();
  for (Index row = grid.first_row(); row < grid.end_row(); ++row)
    matrix.row_labels.push_back(row_label(context, view, row));
  for (Index col = grid.first_col(); col < grid.end_col(); ++col)
    matrix.column_labels.push_back(column_label(context, view, col));
  matrix.marks = marked_lines(context, view);
  matrix.covered = covered_rows(context, view);
  matrix.edited = edited_cells(view, grid);
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

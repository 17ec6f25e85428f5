#include <algorithm>
#include <bit>
#include <vector>

#include "core/parameters.h"
#include "features/edit/panel/cell_edits.h"
#include "features/stages/panel/heatmap.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr Index most_looked_at_for_marks = 16384;
constexpr float least_cell = 5;  // that has room for a mark in its corner
constexpr float share_of_cell = 0.35f;
constexpr float least_mark = 5;
constexpr float largest_mark = 8;

// Weights that differ from what the seed gave.
std::vector<picture::CellPlace> edited_weights(const StageView& view, const CellGrid& grid) {
  const Result& result = *view.result;
  const Parameter* const parameter =
      result.parameters ? parameter_of(result.config, *result.parameters, view.stage, view.head) : nullptr;
  std::vector<picture::CellPlace> places;
  if (!parameter || parameter->drawn.values.empty()) return places;
  const Index cols = parameter->tensor.shape.back();
  for (Index row = grid.first_row(); row < grid.end_row(); ++row) {
    for (Index col = grid.first_col(); col < grid.end_col(); ++col) {
      const Source cell = source_at(view, row, col);
      const auto at = static_cast<std::size_t>(cell.row * cols + cell.col);
      const auto bits = [at](const Tensor& tensor) { return std::bit_cast<std::uint32_t>(tensor.values[at]); };
      if (bits(parameter->drawn) != bits(parameter->tensor)) places.push_back({row, col});
    }
  }
  return places;
}

std::vector<picture::CellPlace> edited_factors(const StageView& view, const CellGrid& grid) {
  const Source any = source_at(view, 0, 0);
  std::vector<picture::CellPlace> places;
  for (const DropoutEdit& edit : acting_dropout_edits(view.result->config)) {
    if (edit.batch != any.batch || edit.head != view.head) continue;
    const picture::CellPlace place = place_of(view, {.row = edit.query, .col = edit.key});
    if (grid.shows(place.row, place.col)) places.push_back(place);
  }
  return places;
}

}  // namespace

std::vector<picture::CellPlace> edited_cells(const StageView& view, const CellGrid& grid) {
  const Stage stage = view.stage;
  const CellRect shown = grid.shown();
  if (view.result->external || shown.rows * shown.cols > most_looked_at_for_marks) return {};
  if (is_parameter(info(view.stage).axes)) return edited_weights(view, grid);
  const bool is_of_dropout = stage == Stage::dropout_factors || stage == Stage::dropped_weights;
  return is_of_dropout ? edited_factors(view, grid) : std::vector<picture::CellPlace>();
}

void draw_edit_marks(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const float cell = grid.cell_side();
  if (cell < least_cell * unit(context)) return;
  const std::vector<picture::CellPlace> places = edited_cells(view, grid);
  if (places.empty()) return;
  if (context.marks) context.marks->insert(CellMark::edited);
  const float side = std::clamp(share_of_cell * cell, least_mark * unit(context), largest_mark * unit(context));
  ImGui::PushClipRect(grid.min_screen(), grid.max_screen(), true);
  for (const picture::CellPlace& place : places)
    draw_edit_mark(context.theme, grid.corner(place.row, place.col + 1), side);
  ImGui::PopClipRect();
}

void draw_edit_mark(const Theme& theme, ImVec2 corner, float side) {
  const float rim = side + 1.5f;
  fill_triangle({corner.x - rim, corner.y}, corner, {corner.x, corner.y + rim}, {Rgb{255, 255, 255}});
  fill_triangle({corner.x - side, corner.y}, corner, {corner.x, corner.y + side}, {theme.inks.edited});
}

}  // namespace attnscope

#include "features/stages/panel/cell_grid.h"

#include <fmt/format.h>

#include <cmath>

namespace attnscope {
Box box_between(ImVec2 min_screen, ImVec2 max_screen) {
  const auto x = static_cast<double>(min_screen.x);
  const auto y = static_cast<double>(min_screen.y);
  return {x, y, static_cast<double>(max_screen.x) - x, static_cast<double>(max_screen.y) - y};
}

MapPlace map_place(const StageView& view) {
  const bool is_turned = view.is_transposed;
  return {view.stage, view.head, is_turned ? view.cols : view.rows, is_turned ? view.rows : view.cols};
}

CellGrid cell_grid(const ViewContext& context, const StageView& view, ImVec2 min_screen, ImVec2 max_screen) {
  const CellWindow window = window_of(context.now.view.map, context.now.view.zoom_alone, map_place(view));
  CellGrid grid{
      {box_between(min_screen, max_screen), view.rows, view.cols, view.is_transposed ? transposed(window) : window}};
  const double part = grid.window.rows * grid.window.cols / static_cast<double>(view.rows * view.cols);
  grid.share = view.share_of(part * static_cast<double>(view.side_by_side));
  return grid;
}

PooledCells pooled_cells(const CellGrid& grid) {
  const auto per_texel = [](Index cells, double shown, double length, float pixels_per_unit) {
    const double pixels = std::round(length * static_cast<double>(pixels_per_unit));
    return static_cast<double>(cells) / static_cast<double>(texel_count(cells, shown, pixels));
  };
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  return {per_texel(grid.rows, grid.window.rows, grid.box.height, scale.y),
          per_texel(grid.cols, grid.window.cols, grid.box.width, scale.x)};
}

std::string pooling_text(const ViewContext& context, const CellGrid& grid) {
  const PooledCells cells = pooled_cells(grid);
  if (!cells.is_pooled()) return {};
  const char* const name = context.now.view.pooling == Pooling::mean ? "mean" : "largest";
  const auto rows = static_cast<Index>(cells.rows);
  if (grid.share < 1 && rows > 1) return fmt::format("{} of {} of {} rows", name, rows_read(rows, grid.share), rows);
  const auto is_whole = [](double value) { return std::abs(value - std::round(value)) < 0.05; };
  const char* const about = is_whole(cells.rows) && is_whole(cells.cols) ? "" : "about ";
  return fmt::format("{} of {}{:.0f} × {:.0f} cells", name, about, cells.rows, cells.cols);
}

}  // namespace attnscope

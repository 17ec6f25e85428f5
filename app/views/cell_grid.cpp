#include "views/cell_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attnscope {
float CellGrid::x_of(Index col) const {
  return min_screen.x + static_cast<float>((static_cast<double>(col) - window.col) / window.cols *
                                           static_cast<double>(max_screen.x - min_screen.x));
}

float CellGrid::y_of(Index row) const {
  return min_screen.y + static_cast<float>((static_cast<double>(row) - window.row) / window.rows *
                                           static_cast<double>(max_screen.y - min_screen.y));
}

double CellGrid::col_at(float x_screen) const {
  const double part = static_cast<double>((x_screen - min_screen.x) / (max_screen.x - min_screen.x));
  return window.col + window.cols * part;
}

double CellGrid::row_at(float y_screen) const {
  const double part = static_cast<double>((y_screen - min_screen.y) / (max_screen.y - min_screen.y));
  return window.row + window.rows * part;
}

Index CellGrid::end_row() const {
  return std::min<Index>(static_cast<Index>(std::ceil(window.row + window.rows)), rows);
}

Index CellGrid::end_col() const {
  return std::min<Index>(static_cast<Index>(std::ceil(window.col + window.cols)), cols);
}

MapPlace map_place(const StageView& view) {
  const bool is_turned = view.is_transposed;
  return {view.info->stage, view.head, is_turned ? view.cols : view.rows, is_turned ? view.rows : view.cols};
}

CellGrid cell_grid(const ViewContext& context, const StageView& view, ImVec2 min_screen, ImVec2 max_screen) {
  const CellWindow window = window_of(context.view.map, context.view.zoom_alone, map_place(view));
  CellGrid grid = {min_screen, max_screen, view.is_transposed ? transposed(window) : window, view.rows, view.cols};
  const double part = grid.window.rows * grid.window.cols / static_cast<double>(view.rows * view.cols);
  grid.share = view.share_of(part * static_cast<double>(view.side_by_side));
  return grid;
}

PooledCells pooled_cells(const CellGrid& grid) {
  const auto per_texel = [](Index cells, double shown, float length, float pixels_per_unit) {
    const double pixels = static_cast<double>(std::round(length * pixels_per_unit));
    return static_cast<double>(cells) / static_cast<double>(texel_count(cells, shown, pixels));
  };
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  return {per_texel(grid.rows, grid.window.rows, grid.max_screen.y - grid.min_screen.y, scale.y),
          per_texel(grid.cols, grid.window.cols, grid.max_screen.x - grid.min_screen.x, scale.x)};
}

std::string pooling_text(const ViewContext& context, const CellGrid& grid) {
  const PooledCells cells = pooled_cells(grid);
  if (!cells.is_pooled()) return {};
  const char* const name = context.view.pooling == Pooling::mean ? "mean" : "largest";
  const auto rows = static_cast<Index>(cells.rows);
  if (grid.share < 1 && rows > 1) return fmt::format("{} of {} of {} rows", name, rows_read(rows, grid.share), rows);
  const auto is_whole = [](double value) { return std::abs(value - std::round(value)) < 0.05; };
  const char* const about = is_whole(cells.rows) && is_whole(cells.cols) ? "" : "about ";
  return fmt::format("{} of {}{:.0f} × {:.0f} cells", name, about, cells.rows, cells.cols);
}

}  // namespace attnscope

#include <algorithm>
#include <cmath>
#include <string>

#include "features/predict/panel/covering.h"
#include "features/stages/panel/heatmap.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float smallest_plot = 240;  // side of a heatmap that has room for a minimap
constexpr float share = 0.22f;        // of the plot's smaller side
constexpr float longest_side = 168;
constexpr float edge_gap = 10;
constexpr float smallest_frame = 4;

// In the upper right corner: where there is a causal mask there is nothing else there.
CellGrid minimap_grid(const ViewContext& context, const CellGrid& grid) {
  const ImVec2 plot = grid.size_screen();
  const float side = std::floor(std::min(std::min(plot.x, plot.y) * share, longest_side * unit(context)));
  const float gap = edge_gap * unit(context);
  CellGrid map = grid;
  map.window = whole_window(grid.rows, grid.cols);
  const ImVec2 low{grid.max_screen().x - gap - side, grid.min_screen().y + gap};
  map.box = box_between(low, {low.x + side, low.y + side});
  return map;
}

// Around the window, never so small that it is lost.
void draw_window_frame(const ViewContext& context, const CellGrid& map, const CellWindow& window) {
  const float width = map.size_screen().x / static_cast<float>(map.cols);
  const float height = map.size_screen().y / static_cast<float>(map.rows);
  const float smallest = smallest_frame * unit(context);
  const ImVec2 size{std::max(width * static_cast<float>(window.cols), smallest),
                    std::max(height * static_cast<float>(window.rows), smallest)};
  const ImVec2 low{std::min(map.min_screen().x + width * static_cast<float>(window.col), map.max_screen().x - size.x),
                   std::min(map.min_screen().y + height * static_cast<float>(window.row), map.max_screen().y - size.y)};
  const ImVec2 high{low.x + size.x, low.y + size.y};
  const float thickness = std::max(1.0f, std::round(1.5f * unit(context)));
  outline_box({low.x - 1, low.y - 1}, {high.x + 1, high.y + 1}, {Rgb{255, 255, 255}, 200 / 255.0}, thickness + 2);
  outline_box(low, high, {context.theme.inks.cross_hair}, thickness);
}

void move_view(CallQueue& queue, const StageView& view, const CellGrid& grid, const CellGrid& map) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  CellWindow window = grid.window;
  window.row = map.row_at(pointer.y) - window.rows / 2;
  window.col = map.col_at(pointer.x) - window.cols / 2;
  window = clamped(window, grid.rows, grid.cols);
  if (!(window == grid.window)) show_window(queue, view, window);
}

}  // namespace

bool draw_minimap(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                  const CellGrid& grid) {
  const float smallest = smallest_plot * unit(context);
  const bool has_room = grid.size_screen().x >= smallest && grid.size_screen().y >= smallest;
  if (!context.now.view.show_minimap || !grid.is_zoomed() || !has_room) return false;
  const CellGrid map = minimap_grid(context, grid);
  const float rim = 2 * unit(context);
  const ImVec2 low{map.min_screen().x - rim, map.min_screen().y - rim};
  const ImVec2 high{map.max_screen().x + rim, map.max_screen().y + rim};
  fill_box(low, high, {context.theme.inks.card});
  draw_heatmap(context, view, map);
  draw_cover(context, view, map);
  outline_box(low, high, {context.theme.inks.border});
  draw_window_frame(context, map, grid.window);
  ImGui::SetCursorScreenPos(map.min_screen());
  ImGui::PushID(name.data(), name.data() + name.size());
  ImGui::InvisibleButton("minimap", map.size_screen());
  ImGui::PopID();
  register_item(context, std::string(name) + "/minimap");
  if (ImGui::IsItemActive()) move_view(queue, view, grid, map);
  return ImGui::IsItemActive() || ImGui::IsItemHovered();
}

}  // namespace attnscope

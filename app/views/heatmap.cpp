#include "views/heatmap.h"

#include <algorithm>
#include <cmath>

#include "views/cell_numbers.h"
#include "views/format.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

struct Grid {
  ImVec2 min_screen;
  ImVec2 cell;
  Index rows;
  Index cols;

  ImVec2 corner(Index row, Index col) const {
    return {min_screen.x + cell.x * static_cast<float>(col), min_screen.y + cell.y * static_cast<float>(row)};
  }
};

const std::optional<Cell>& shown_cell(const ViewContext& context) {
  return context.hovered ? context.hovered : context.view.pinned;
}

void draw_picture(const ViewContext& context, const StageView& view, ImVec2 min_screen, ImVec2 max_screen) {
  const ColourRange range = range_of(context, view);
  HeatmapQuad quad;
  quad.values = view.tensor;
  quad.matrix = view.matrix;
  if (shows_dropped(*context.result(), view.info->stage)) {
    quad.factors = context.result()->share(Stage::dropout_factors);
    quad.factors_matrix = view.matrix;
  }
  quad.causal = shows_mask(context.result()->config, view.info->stage);
  quad.map = range.map;
  quad.low = range.low;
  quad.high = range.high;
  quad.min_screen = min_screen;
  quad.max_screen = max_screen;
  quad.dark = context.theme.dark;
  if (context.heatmaps) context.heatmaps->draw(*ImGui::GetWindowDrawList(), quad);
}

void outline(ImDrawList& list, const Grid& grid, Index row, Index col, Index rows, Index cols, ImU32 colour,
             float thickness) {
  const ImVec2 low = grid.corner(row, col);
  const ImVec2 high = grid.corner(row + rows, col + cols);
  list.AddRect({std::floor(low.x), std::floor(low.y)}, {std::ceil(high.x), std::ceil(high.y)}, colour, 0, 0, thickness);
}

void draw_marks(const ViewContext& context, const StageView& view, const Grid& grid) {
  const std::optional<Cell>& cell = shown_cell(context);
  if (!cell) return;
  const MarkedLines lines = marked_lines(*cell, view);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 faint = with_alpha(context.theme.cross_hair, 0.85f);
  const float thin = std::max(1.0f, unit(context));
  for (const Index row : {lines.row, lines.second_row}) {
    if (row >= 0 && row < grid.rows) outline(list, grid, row, 0, 1, grid.cols, faint, thin);
  }
  if (lines.col >= 0 && lines.col < grid.cols) outline(list, grid, 0, lines.col, grid.rows, 1, faint, thin);
  const bool is_here = cell->stage == view.info->stage && (!is_per_head(cell->stage) || cell->head == view.head);
  const bool is_same_pair = is_query_by_key(info(cell->stage).axes) && is_query_by_key(view.info->axes);
  if ((is_here || is_same_pair) && cell->row < grid.rows && cell->col < grid.cols) {
    outline(list, grid, cell->row, cell->col, 1, 1, to_u32(context.theme.cross_hair), (is_here ? 2.5f : 2.0f) * thin);
  }
}

std::string cell_description(const ViewContext& context, const StageView& view, const Cell& cell) {
  std::string text(view.info->title);
  if (is_per_head(view.info->stage) && head_count(context.result()->config) > 1) {
    text += ", head " + std::to_string(view.head + 1);
  }
  if (is_query_by_key(view.info->axes)) {
    text += "\n" + format_position("query", cell.row, context.labels);
    text += "\n" + format_position("key", cell.col, context.labels);
  } else {
    text += "\n" + format_position("token", cell.row, context.labels) + "\nfeature " + std::to_string(cell.col + 1);
  }
  text += "\n" + format_full(cell_value(view, cell.row, cell.col));
  if (is_hidden_cell(context, view, cell.row, cell.col)) text += "  masked";
  if (is_dropped_cell(context, view, cell.row, cell.col)) text += "  dropped";
  return text;
}

void show_tooltip(const ViewContext& context, const StageView& view, const Cell& cell) {
  ImGui::BeginTooltip();
  push_font(context.fonts.small_text);
  ImGui::TextUnformatted(cell_description(context, view, cell).c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void handle_pointer(const ViewContext& context, CommandQueue& queue, const StageView& view, const Grid& grid) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  Cell cell;
  cell.stage = view.info->stage;
  cell.batch = view.info->axes == StageAxes::query_key ? 0 : context.view.batch;
  cell.head = view.head;
  cell.row = std::clamp<Index>(static_cast<Index>((pointer.y - grid.min_screen.y) / grid.cell.y), 0, grid.rows - 1);
  cell.col = std::clamp<Index>(static_cast<Index>((pointer.x - grid.min_screen.x) / grid.cell.x), 0, grid.cols - 1);
  queue.push_back(Hover{cell});
  show_tooltip(context, view, cell);
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  queue.push_back(UpdateView{
      [cell](ViewState& state) { state.pinned = state.pinned == cell ? std::nullopt : std::optional<Cell>(cell); }});
}

}  // namespace

ColourRange range_of(const ViewContext& context, const StageView& view) {
  return colour_range(context.result()->config, view.info->stage, *view.summary, view.matrix, context.view.range,
                      context.theme.dark);
}

// A cell stands for a query and a key, or for one of them; each stage shows its tokens as rows, columns or both.
MarkedLines marked_lines(const Cell& of, const StageView& view) {
  const auto is_key_side = [](Stage stage) { return stage == Stage::keys || stage == Stage::values; };
  const bool of_pair = is_query_by_key(info(of.stage).axes);
  const Index query = of_pair || !is_key_side(of.stage) ? of.row : -1;
  const Index key = of_pair ? of.col : (is_key_side(of.stage) ? of.row : -1);
  if (is_query_by_key(view.info->axes)) return {.row = query, .col = key};
  if (!of_pair) return {.row = of.row};
  if (view.info->stage == Stage::inputs) return {.row = query, .second_row = key};
  return {.row = is_key_side(view.info->stage) ? key : query};
}

void draw_heatmap(const ViewContext& context, CommandQueue& queue, const StageView& view, std::string_view name,
                  ImVec2 min_screen, ImVec2 max_screen) {
  const ImVec2 size{max_screen.x - min_screen.x, max_screen.y - min_screen.y};
  const Grid grid{min_screen,
                  {size.x / static_cast<float>(view.cols), size.y / static_cast<float>(view.rows)},
                  view.rows,
                  view.cols};
  draw_picture(context, view, min_screen, max_screen);
  if (context.view.numbers) draw_cell_numbers(context, view, min_screen, grid.cell);
  draw_marks(context, view, grid);
  ImGui::GetWindowDrawList()->AddRect(min_screen, max_screen, to_u32(context.theme.border));
  ImGui::SetCursorScreenPos(min_screen);
  ImGui::PushID(name.data(), name.data() + name.size());
  ImGui::InvisibleButton("heatmap", size);
  ImGui::PopID();
  register_item(context, name);
  handle_pointer(context, queue, view, grid);
}

}  // namespace attnscope

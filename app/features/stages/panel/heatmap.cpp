#include "features/stages/panel/stage_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/results.h"
#include "core/text.h"
#include "features/edit/panel/cell_edits.h"
#include "features/inspect/panel/inspector.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/diagram_scene.h"
#include "features/stages/panel/stage_sheet.h"
#include "ui/widgets.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

constexpr float click_reach = 4;       // a press that moved less is a click
constexpr float largest_cell = 96;     // side of a cell that is zoomed to the last
constexpr float least_dragged = 8;     // side of a cell whose number is dragged without Alt
constexpr float legible_cell = 20;     // from here on a cell can carry its number
constexpr float wheel_factor = 1.25f;  // a line of the wheel

bool is_dragging() {
  const ImGuiIO& io = ImGui::GetIO();
  return ImGui::IsItemActive() && io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] >= click_reach * click_reach;
}

// The diagram is zoomed as a whole; of it, a small screen shows one matrix.
bool is_of_diagram(const ViewContext& context) {
  return context.now.view.mode == ViewMode::diagram && (is_presenting(context) || !is_small_screen(context));
}

// Whether the matrix shows a part of its cells that can be moved.
bool is_zoomed_in(const ViewContext& context, const CellGrid& grid) {
  return !is_of_diagram(context) && grid.is_zoomed();
}

// On a page that scrolls the wheel scrolls over cells that are legible as they are, unless Ctrl is held.
bool wheel_zooms(const ViewContext& context, const CellGrid& grid) {
  if (is_of_diagram(context)) return false;
  const bool is_legible = grid.cell_side() >= legible_cell * unit(context);
  if (ImGui::GetIO().KeyCtrl) return true;
  return ImGui::GetScrollMaxY() <= 0 || grid.is_zoomed() || !is_legible;
}

void zoom(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid) {
  if (!wheel_zooms(context, grid)) return;
  take_wheel();
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0) return;
  const auto largest = static_cast<double>(largest_cell * unit(context));
  WindowLimits limits{grid.rows, grid.cols, grid.box.height / largest, grid.box.width / largest};
  // Both sides of a query-by-key matrix go by the same factor, so that cells keep their shape.
  if (is_query_by_key(info(view.stage).axes))
    limits.min_rows = limits.min_cols = std::max(limits.min_rows, limits.min_cols);
  const auto factor = static_cast<double>(std::pow(wheel_factor, io.MouseWheel));
  const CellWindow window = zoomed(grid.window, limits, factor, grid.row_at(io.MousePos.y), grid.col_at(io.MousePos.x));
  if (!(window == grid.window)) show_window(queue, view, window);
}

void pan(CallQueue& queue, const StageView& view, const CellGrid& grid) {
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, click_reach);
  if (moved.x == 0 && moved.y == 0) return;
  ImGui::ResetMouseDragDelta(ImGuiMouseButton_Left);
  show_window(queue, view,
              panned(grid.window, grid.rows, grid.cols, -static_cast<double>(moved.y) / grid.cell_height(),
                     -static_cast<double>(moved.x) / grid.cell_width()));
}

Source cell_at(const StageView& view, const CellGrid& grid, ImVec2 pointer) {
  return source_at(view,
                   std::clamp<Index>(static_cast<Index>(grid.row_at(pointer.y)), grid.first_row(), grid.end_row() - 1),
                   std::clamp<Index>(static_cast<Index>(grid.col_at(pointer.x)), grid.first_col(), grid.end_col() - 1));
}

// Names the matrix and the lines that a number stands in.
std::string place_description(const ViewContext& context, const StageView& view, const Source& source) {
  std::string text(title_in(view.result->config, view.stage));
  if (context.now.viewing && context.now.viewing->layers > 1)
    text += ", layer " + std::to_string(context.now.viewing->layer + 1);
  if (is_per_head(context.now.result()->config, view.stage) && head_count(context.now.result()->config) > 1) {
    text += ", head " + std::to_string(view.head + 1);
  }
  for (const std::string& line : position_lines(context, source)) text += "\n" + line;
  return text;
}

std::string cell_description(const ViewContext& context, const StageView& view, const Source& cell) {
  std::string text = place_description(context, view, cell);
  if (is_covered(context, cell)) return text + "\ncovered";
  const picture::CellPlace place = place_of(view, cell);
  const Difference* const of = view.result->difference.get();
  const bool are_both_there = of && has_cell(*of->now, cell) && has_cell(*of->baseline, cell);
  const std::string number = are_both_there ? format_difference(value_at(*of->now, cell), value_at(*of->baseline, cell))
                                            : format_full(cell_value(view, place.row, place.col));
  text += "\n" + (of ? "difference " + number : number);
  if (is_hidden_cell(view, place.row, place.col)) text += "  masked";
  if (is_dropped_cell(view, place.row, place.col)) text += "  dropped";
  return text;
}

// Says what the wheel does only where there is more than can be read.
const char* pointer_hint(const ViewContext& context, const CellGrid& grid, const Source& cell) {
  if (const char* const hint = edit_hint(context, cell)) return hint;
  if (is_zoomed_in(context, grid)) return "drag pans · double click shows everything";
  const bool is_legible = grid.cell_side() >= legible_cell * unit(context);
  if (is_legible) return nullptr;
  return is_of_diagram(context) ? "Ctrl and the wheel zoom" : "wheel zooms";
}

void show_tooltip(const ViewContext& context, const StageView& view, const CellGrid& grid, const Source& cell) {
  begin_tooltip(context);
  push_font(context.fonts.small_text);
  plain_text(wrapped(ImGui::GetFont(), cell_description(context, view, cell), readable_width()));
  if (const char* const hint = pointer_hint(context, grid, cell)) ImGui::TextDisabled("%s", hint);
  ImGui::PopFont();
  ImGui::EndTooltip();
}

// Returns whether the inspector explains the cell under the pointer: a tooltip would repeat it and cover the
// neighbours.
bool is_told_by_inspector(const ViewContext& context) {
  const ViewState& view = context.now.view;
  if (view.mode != ViewMode::diagram || !view.show_inspector || is_presenting(context)) return false;
  const scene::DiagramLayout* const layout = context.layouts ? context.layouts->last() : nullptr;
  return view.docks_inspector || (layout && layout->card);
}

// Pins the cell. A pinned one stays pinned, because lessons ask to click it, too; Esc and the card's × unpin.
void pin(CallQueue& queue, const Source& cell) {
  change_view(queue, [cell](ViewState& state) {
    state.transient.pinned_before = state.pinned;
    state.pinned = cell;
  });
}

// Shows the whole matrix. The first of the two clicks has pinned the cell; that is taken back.
void fit(CallQueue& queue, const StageView& view, const CellGrid& grid, const Source& cell) {
  show_window(queue, view, whole_window(grid.rows, grid.cols));
  change_view(queue, [cell](ViewState& state) {
    const std::optional<Source>& before = state.transient.pinned_before;
    if (state.pinned == cell) state.pinned = before;
  });
}

// Opens the menu of the cell under the pointer, which is pinned for that.
void show_menu(CallQueue& queue, const Source& cell) {
  change_view(queue, [cell](ViewState& state) { state.pinned = cell; });
  open_cell_menu(queue);
}

// Says why a number gets no field to type in, and what it follows from; nothing for one that is switched, not computed.
std::string reason_not_typed(const ViewContext& context, const Source& cell) {
  if (const std::string_view obstacle = obstacle_to_edits(context); !obstacle.empty()) return std::string(obstacle);
  const AttentionConfig& config = context.now.document.config;
  if (is_of_switches(cell.stage) || !has_stage(config, Stage::inputs)) return {};
  const std::string_view matrix = has_stage(config, Stage::query_weight) ? " or a weight, such as one of W_query" : "";
  return fmt::format("This number is computed. Change a number of the inputs{}, and it follows.", matrix);
}

// An embedding or a weight gets a field to type in, and a weight of dropout is kept or dropped. Any other matrix is
// shown as a whole, and a message says what its numbers follow from.
void open_twice_clicked(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid,
                        const Source& cell) {
  const bool types = can_type(context, cell);
  const bool toggles = is_of_switches(cell.stage) && can_toggle(context, cell);
  if (is_zoomed_in(context, grid)) return fit(queue, view, grid, cell);
  if (!types && !toggles) {
    if (const std::string reason = reason_not_typed(context, cell); !reason.empty()) say(queue, reason);
    return fit(queue, view, grid, cell);
  }
  if (toggles) toggle(context, queue, cell);
  change_view(queue, [cell, types](ViewState& state) {
    state.pinned = cell;
    if (types) state.transient.edited = cell;
  });
}

}  // namespace

void show_window(CallQueue& queue, const StageView& view, const CellWindow& window) {
  const CellWindow stored = view.is_transposed ? transposed(window) : window;
  change_view(queue, [place = map_place(view), stored](ViewState& state) { set_window(state.map, place, stored); });
}

namespace {

// Hovering explains, a click pins, the wheel zooms, dragging pans, a double click shows everything. Call right after
// the heatmap's button, with whether that was clicked.
void handle_heatmap_pointer(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid,
                            bool is_clicked) {
  const bool is_zoomed = is_zoomed_in(context, grid);
  const bool types = !is_zoomed && grid.cell_side() >= least_dragged * unit(context);
  const Source pressed = cell_at(view, grid, ImGui::GetIO().MouseClickedPos[ImGuiMouseButton_Left]);
  const bool begins = types && is_dragging() && can_type(context, pressed);
  const Source pointed = begins ? pressed : cell_at(view, grid, ImGui::GetIO().MousePos);
  const bool drags = drag_cells(context, queue, pointed, begins, types);
  if (is_dragging() && !drags && is_zoomed) return pan(queue, view, grid);
  if (!ImGui::IsItemHovered() || (drags && can_type(context, pressed))) return;
  zoom(context, queue, view, grid);
  if (context.now.view.transient.keys_lead) return;
  const ImGuiIO& io = ImGui::GetIO();
  const Source cell = cell_at(view, grid, io.MousePos);
  hover(queue, cell);
  const bool is_typed = context.now.view.transient.edited.has_value();  // a tooltip would cover what changes
  if (!is_told_by_inspector(context) && !is_typed) show_tooltip(context, view, grid, cell);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) show_menu(queue, cell);
  if (drags || io.KeyAlt) return;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) open_twice_clicked(context, queue, view, grid, cell);
  const bool is_second = io.MouseClickedLastCount[ImGuiMouseButton_Left] > 1;
  const bool has_moved = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] >= click_reach * click_reach;
  if (is_clicked && !is_second && !has_moved) pin(queue, cell);
}

}  // namespace

void draw_question_of_sums(const ViewContext& context, CallQueue& queue, Stage stage, std::string_view name,
                           ImVec2 pos_screen) {
  const char* const id = stage == Stage::dropped_weights  ? "row_sums"
                         : stage == Stage::masked_weights ? "mask_when"
                                                          : "softmax_axis";
  draw_why(context, queue, *question_named(id), std::string(name) + "/sums", pos_screen);
}

void handle_row_sums(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
                     const CellGrid& grid, float width) {
  if (width <= 0) return;
  ImGui::SetCursorScreenPos({grid.max_screen().x, grid.min_screen().y});
  const bool is_clicked = ImGui::InvisibleButton("sums", {width, grid.size_screen().y});
  register_item(context, std::string(name) + "/sums");
  if (!ImGui::IsItemHovered() || context.now.view.transient.keys_lead) return;
  Source sum = cell_at(view, grid, {grid.min_screen().x, ImGui::GetIO().MousePos.y});
  sum.col = 0;
  sum.kind = SourceKind::row_sum;
  hover(queue, sum);
  begin_tooltip(context);
  push_font(context.fonts.small_text);
  const std::string text = "sum of a row: " + place_description(context, view, sum);
  plain_text(wrapped(ImGui::GetFont(), text, readable_width()));
  ImGui::PopFont();
  ImGui::EndTooltip();
  if (is_clicked) pin(queue, sum);
}

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

void use_heatmap(const ViewContext& context, CallQueue& queue, const StageView& view, std::string_view name,
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

Box box_between(ImVec2 min_screen, ImVec2 max_screen) {
  const auto x = static_cast<double>(min_screen.x);
  const auto y = static_cast<double>(min_screen.y);
  return {x, y, static_cast<double>(max_screen.x) - x, static_cast<double>(max_screen.y) - y};
}

MapPlace map_place(const StageView& view) {
  const bool is_turned = view.is_transposed;
  return {view.stage, is_turned ? view.cols : view.rows, is_turned ? view.rows : view.cols};
}

CellGrid cell_grid(const ViewContext& context, const StageView& view, ImVec2 min_screen, ImVec2 max_screen) {
  const CellWindow window = window_of(context.now.view.map, map_place(view));
  return {
      {box_between(min_screen, max_screen), view.rows, view.cols, view.is_transposed ? transposed(window) : window}};
}

PooledCells pooled_cells(const CellGrid& grid) {
  const auto per_pixel = [](Index cells, double shown, double length, float pixels_per_unit) {
    const double pixels = std::round(length * static_cast<double>(pixels_per_unit));
    return static_cast<double>(cells) / static_cast<double>(pixel_count(cells, shown, pixels));
  };
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  return {per_pixel(grid.rows, grid.window.rows, grid.box.height, scale.y),
          per_pixel(grid.cols, grid.window.cols, grid.box.width, scale.x)};
}

std::string pooling_text(const CellGrid& grid) {
  const PooledCells cells = pooled_cells(grid);
  if (!cells.is_pooled()) return {};
  const auto is_whole = [](double value) { return std::abs(value - std::round(value)) < 0.05; };
  const char* const about = is_whole(cells.rows) && is_whole(cells.cols) ? "" : "about ";
  return fmt::format("largest of {}{:.0f} × {:.0f} cells", about, cells.rows, cells.cols);
}

namespace {

constexpr float smallest_plot = 240;  // side of a heatmap that has room for a minimap
constexpr float share = 0.22f;        // of the plot's smaller side
constexpr float longest_side = 168;
constexpr float edge_gap = 10;
constexpr float smallest_frame = 4;

// Returns the place of the minimap: the upper right corner, which a causal mask leaves empty.
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

// Draws a frame around the window, never so small that it is lost.
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
  if (!grid.is_zoomed() || !has_room) return false;
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

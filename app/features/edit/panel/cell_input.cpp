#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/words.h"
#include "document/float_text.h"
#include "features/edit/panel/cell_edits.h"
#include "features/shared/panel/menu.h"
#include "features/stages/panel/heatmap.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float least_width = 84;
constexpr std::size_t most_number_letters = 64;

bool is_of(const StageView& view, const Source& cell) {
  const bool is_of_head = !is_per_head(view.result->config, cell.stage) || cell.head == view.head;
  return cell.stage == view.stage && is_of_head && view.opacity == 1;
}

std::string typed_text(float number) {
  std::string text;
  append_float(text, number);
  return text;
}

// Reads numbers as people type them: with a decimal comma, with the minus sign of the cells.
std::optional<double> number_in(std::string_view typed) {
  std::string text(trimmed(typed));
  if (const std::size_t minus = text.find("−"); minus == 0) text.replace(0, std::string_view("−").size(), "-");
  std::ranges::replace(text, ',', '.');
  const std::optional<double> number = read_float(text);
  return number && std::isfinite(static_cast<float>(*number)) ? number : std::nullopt;
}

// The cells that the pointer went over since the last frame, in a straight line.
std::vector<Source> cells_between(const Source& from, const Source& to) {
  const Index steps = std::max(std::abs(to.row - from.row), std::abs(to.col - from.col));
  std::vector<Source> cells;
  for (Index step = 1; step <= steps; ++step) {
    Source cell = to;
    cell.row = from.row + (to.row - from.row) * step / steps;
    cell.col = from.col + (to.col - from.col) * step / steps;
    cells.push_back(cell);
  }
  return cells;
}

void begin(const ViewContext& context, CallQueue& queue, const Source& cell) {
  const bool paints = !can_type(context, cell);
  const float number = paints ? (is_on(context, cell) ? 0.0F : 1.0F) : number_now(context, cell);
  if (paints) set_on(context, queue, {&cell, 1}, number > 0, false);
  change_view(queue, [drag = CellDrag{cell, number}](ViewState& state) {
    state.transient.drag = drag;
    state.pinned = drag.cell;
  });
}

void go_on(const ViewContext& context, CallQueue& queue, const CellDrag& drag, const Source& pointed) {
  if (can_type(context, drag.cell)) {
    const ImGuiIO& io = ImGui::GetIO();
    const float moved = io.MousePos.x - io.MouseClickedPos[ImGuiMouseButton_Left].x;
    const float steps = std::round(moved / (units_a_step * unit(context)));
    const float number = in_steps(drag.number + steps * number_step, number_step);
    if (steps != 0 || number_now(context, drag.cell) != drag.number)
      set_number(queue, drag.cell, steps == 0 ? drag.number : number);
    return;
  }
  const std::vector<Source> cells = cells_between(drag.cell, pointed);
  if (cells.empty()) return;
  set_on(context, queue, cells, drag.number > 0, false);
  change_view(queue, [pointed](ViewState& state) {
    if (state.transient.drag) state.transient.drag->cell = pointed;
  });
}

}  // namespace

void draw_cell_field(const ViewContext& context, CallQueue& queue, const StageView& view, const CellGrid& grid) {
  const std::optional<Source>& cell = context.now.view.transient.edited;
  if (!cell || !is_of(view, *cell)) return;
  const picture::CellPlace place = place_of(view, *cell);
  const bool is_shown = grid.shows(place.row, place.col);
  // Columns of another head, where one matrix is drawn in parts: its own part has the field.
  if (!is_shown && context.now.view.mode == ViewMode::diagram) return;
  const auto leave = [&] { change_view(queue, [](ViewState& state) { state.transient.edited.reset(); }); };
  if (!is_shown || cell != context.now.view.pinned || !can_type(context, *cell)) return leave();
  push_font(context.fonts.number);
  const ImVec2 low = grid.corner(place.row, place.col);
  const ImVec2 high = grid.corner(place.row + 1, place.col + 1);
  const float width = std::max(high.x - low.x, least_width * unit(context));
  const float middle = (low.y + high.y) / 2;
  const float left = (low.x + high.x - width) / 2;
  ImGui::SetCursorScreenPos({std::max(left, ImGui::GetWindowPos().x), middle - ImGui::GetFrameHeight() / 2});
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, to_u32(context.theme.inks.card));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
  const ImGuiID id = ImGui::GetID("##cell_number");
  bool& has_begun = *ImGui::GetStateStorage()->GetBoolRef(id, false);
  if (!has_begun) type_into(id);
  has_begun = true;
  std::string text = typed_text(number_now(context, *cell));
  const bool is_changed = text_field("##cell_number", "", text, most_number_letters, ImGuiInputTextFlags_AutoSelectAll);
  const std::optional<double> number = number_in(text);
  if (is_changed && number) set_number(queue, *cell, static_cast<float>(*number));
  if (ImGui::IsItemDeactivated()) {
    has_begun = false;
    if (!number) say(queue, fmt::format("“{}” is not a number, so the cell keeps its own.", text));
    finish_when_let_go(queue);
    leave();
  }
  register_item(context, "cell/number");
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

bool drag_cells(const ViewContext& context, CallQueue& queue, const Source& pointed, bool begins, bool types) {
  const std::optional<CellDrag>& drag = context.now.view.transient.drag;
  const bool holds_alt = ImGui::GetIO().KeyAlt;
  const bool can_begin = holds_alt && (can_type(context, pointed) || can_toggle(context, pointed));
  if (!drag && (begins || (ImGui::IsItemActivated() && can_begin))) {
    begin(context, queue, pointed);
    return true;
  }
  if (drag && ImGui::IsItemActive()) {
    go_on(context, queue, *drag, pointed);
    return true;
  }
  if (drag && ImGui::IsItemDeactivated()) {
    finish_when_let_go(queue);
    change_view(queue, [types = can_type(context, drag->cell)](ViewState& state) {
      state.transient.drag.reset();
      state.transient.keys_lead = types;  // until the pointer moves, what it changed is explained, not what it is over
    });
    return true;
  }
  if ((holds_alt || types) && ImGui::IsItemHovered() && can_type(context, pointed))
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  return false;
}

}  // namespace attnscope

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "features/edit/panel/cell_edits.h"
#include "features/shared/panel/menu.h"
#include "features/stages/panel/heatmap.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

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

void begin(const ViewContext& context, CommandQueue& queue, const Source& cell) {
  const bool paints = !can_type(context, cell);
  const float number = paints ? (is_on(context, cell) ? 0.0F : 1.0F) : number_now(context, cell);
  if (paints) set_on(context, queue, {&cell, 1}, number > 0, false);
  change_view(queue, [drag = CellDrag{cell, number}](ViewState& state) {
    state.passing.drag = drag;
    state.pinned = drag.cell;
  });
}

void go_on(const ViewContext& context, CommandQueue& queue, const CellDrag& drag, const Source& pointed) {
  if (can_type(context, drag.cell)) {
    const ImGuiIO& io = ImGui::GetIO();
    const float moved = io.MousePos.x - io.MouseClickedPos[ImGuiMouseButton_Left].x;
    const float steps = std::round(moved / (units_a_step * unit(context)));
    const float number = in_steps(drag.number + steps * number_step, number_step);
    if (steps != 0 || number_now(context, drag.cell) != drag.number)
      set_number(queue, drag.cell, steps == 0 ? drag.number : number, false);
    return;
  }
  const std::vector<Source> cells = cells_between(drag.cell, pointed);
  if (cells.empty()) return;
  set_on(context, queue, cells, drag.number > 0, false);
  change_view(queue, [pointed](ViewState& state) {
    if (state.passing.drag) state.passing.drag->cell = pointed;
  });
}

}  // namespace

bool drag_cells(const ViewContext& context, CommandQueue& queue, const Source& pointed, bool begins, bool types) {
  const std::optional<CellDrag>& drag = context.now.view.passing.drag;
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
    queue.push_back(FinishEdit{});
    change_view(queue, [types = can_type(context, drag->cell)](ViewState& state) {
      state.passing.drag.reset();
      state.passing.keys_lead = types;  // until the pointer moves, what it changed is explained, not what it is over
    });
    return true;
  }
  if ((holds_alt || types) && ImGui::IsItemHovered() && can_type(context, pointed))
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  return false;
}

}  // namespace attnscope

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "document/float_text.h"
#include "document/words.h"
#include "features/edit/panel/cell_edits.h"
#include "features/shared/panel/menu.h"
#include "features/stages/panel/heatmap.h"
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

}  // namespace

void draw_cell_field(const ViewContext& context, CommandQueue& queue, const StageView& view, const CellGrid& grid) {
  const std::optional<Source>& cell = context.now.view.passing.edited;
  if (!cell || !is_of(view, *cell)) return;
  const picture::CellPlace place = place_of(view, *cell);
  const bool is_shown = grid.shows(place.row, place.col);
  // Columns of another head, where one matrix is drawn in parts: its own part has the field.
  if (!is_shown && context.now.view.layout == Layout::diagram) return;
  const auto leave = [&] { change_view(queue, [](ViewState& state) { state.passing.edited.reset(); }); };
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
  if (is_changed && number) set_number(queue, *cell, static_cast<float>(*number), false);
  if (ImGui::IsItemDeactivated()) {
    has_begun = false;
    if (!number) queue.push_back(ShowMessage{fmt::format("“{}” is not a number, so the cell keeps its own.", text)});
    queue.push_back(FinishEdit{});
    leave();
  }
  register_item(context, "cell/number");
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

}  // namespace attnscope

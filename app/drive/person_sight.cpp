// The sight of a person at a window: widgets, matrices and cells by their names, and the texts in them.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/shown_text.h"
#include "document/json_fields.h"
#include "drive/person.h"
#include "drive/reading.h"

namespace attnscope {

std::string spelled(const Target& target) {
  if (const auto* const name = std::get_if<std::string>(&target)) return in_quotes(*name);
  const auto& cell = std::get<CellTarget>(target);
  std::string text(info(cell.stage).id);
  if (cell.head) text += fmt::format(" of head {}", *cell.head);
  return cell.row ? fmt::format("cell [{}, {}] of {}", *cell.row, *cell.col, text) : text;
}

void Person::refuse_widget(const std::string& name) const {
  std::vector<std::string_view> known;
  for (const WidgetRegistry::Entry& entry : window_.widgets().entries) known.push_back(entry.name);
  const std::string hint = suggestion(name, known);
  throw ScriptError(fmt::format("{} is not on the screen{}", in_quotes(name), hint.empty() ? "." : hint));
}

const WidgetRegistry::Matrix* Person::find_matrix(const CellTarget& cell) const {
  // Heads lie side by side in some matrices, each with columns of its own.
  const auto shows_cell = [&](const WidgetRegistry::Matrix& matrix) {
    if (!cell.row) return true;
    const auto along = static_cast<double>(matrix.is_transposed ? *cell.row : *cell.col);
    return along >= matrix.window.col && along < matrix.window.col + matrix.window.cols;
  };
  const auto is_stage = [&](const WidgetRegistry::Matrix& matrix) {
    return matrix.stage == cell.stage && (!cell.head || *cell.head == matrix.head);
  };
  const auto is_it = [&](const WidgetRegistry::Matrix& matrix) { return is_stage(matrix) && shows_cell(matrix); };
  const auto& all = window_.widgets().matrices;
  // In its own place rather than where it is an operand, and of the head that is looked at.
  const std::string own = fmt::format("stages/{}", info(cell.stage).id);
  auto found = std::ranges::find_if(all, [&](const auto& each) { return is_it(each) && each.name == own; });
  if (found == all.end()) found = std::ranges::find_if(all, is_it);
  if (found == all.end()) found = std::ranges::find_if(all, is_stage);
  return found == all.end() ? nullptr : &*found;
}

const WidgetRegistry::Matrix& Person::matrix_of(const CellTarget& cell) const {
  if (const WidgetRegistry::Matrix* const matrix = find_matrix(cell)) return *matrix;
  std::string ids;
  for (const WidgetRegistry::Matrix& matrix : window_.widgets().matrices)
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", matrix.name.substr(matrix.name.find('/') + 1));
  const std::string there = ids.empty() ? "No matrix is." : "These are: " + ids + ".";
  throw ScriptError(
      fmt::format("{} is not on the screen. {}", spelled(CellTarget{cell.stage, cell.head, {}, {}}), there));
}

Person::Spot Person::spot_of_cell(const CellTarget& cell) const {
  const WidgetRegistry::Matrix& matrix = matrix_of(cell);
  const WidgetRegistry::Entry& entry = *window_.widgets().find(matrix.name);
  ImVec4 rect = visible_part(entry);
  if (!cell.row) return {rect, entry.window};
  const CellRect cells = shown_cells(matrix);
  const Index row = matrix.is_transposed ? *cell.col : *cell.row;
  const Index col = matrix.is_transposed ? *cell.row : *cell.col;
  const bool is_shown =
      row >= cells.row && row < cells.row + cells.rows && col >= cells.col && col < cells.col + cells.cols;
  if (!is_shown)
    throw ScriptError(fmt::format("{} is not on the screen: that shows rows {} to {} and columns {} to {}.",
                                  spelled(cell), cells.row, cells.row + cells.rows - 1, cells.col,
                                  cells.col + cells.cols - 1));
  const double width = (matrix.max_screen.x - matrix.min_screen.x) / matrix.window.cols;
  const double height = (matrix.max_screen.y - matrix.min_screen.y) / matrix.window.rows;
  const auto left = static_cast<float>(matrix.min_screen.x + (static_cast<double>(col) - matrix.window.col) * width);
  const auto top = static_cast<float>(matrix.min_screen.y + (static_cast<double>(row) - matrix.window.row) * height);
  rect = {std::max(rect.x, left), std::max(rect.y, top), std::min(rect.z, left + static_cast<float>(width)),
          std::min(rect.w, top + static_cast<float>(height))};
  return {rect, entry.window};
}

const WidgetRegistry::Entry& Person::widget(const Target& target) const {
  const bool is_cell = std::holds_alternative<CellTarget>(target);
  const std::string& name = is_cell ? matrix_of(std::get<CellTarget>(target)).name : std::get<std::string>(target);
  const WidgetRegistry::Entry* const entry = window_.widgets().find(name);
  if (!entry) refuse_widget(name);
  return *entry;
}

bool Person::sees(const Target& target) const {
  const bool is_cell = std::holds_alternative<CellTarget>(target);
  const WidgetRegistry::Matrix* const matrix = is_cell ? find_matrix(std::get<CellTarget>(target)) : nullptr;
  if (is_cell && !matrix) return false;
  const WidgetRegistry::Entry* const entry =
      window_.widgets().find(matrix ? matrix->name : std::get<std::string>(target));
  return entry && !is_empty(visible_part(*entry));
}

std::string Person::text_of(const Target& target) const {
  const std::vector<VisibleText> texts = window_.texts();
  const auto* const cell = std::get_if<CellTarget>(&target);
  if (!cell) {
    const WidgetRegistry::Entry& entry = widget(target);
    const std::string text = text_in(entry, texts);
    return text.empty() && entry.value ? fmt::format("{:g}", *entry.value) : text;
  }
  const WidgetRegistry::Matrix& matrix = matrix_of(*cell);
  if (!cell->row) return matrix.title;
  const Spot spot = spot_of_cell(*cell);
  std::string all;
  for (const VisibleText& text : texts) {
    const ImVec2 middle{(text.min_screen.x + text.max_screen.x) / 2, (text.min_screen.y + text.max_screen.y) / 2};
    if (text.window == spot.window && middle.x >= spot.rect.x && middle.x < spot.rect.z && middle.y >= spot.rect.y &&
        middle.y < spot.rect.w)
      all += text.text;
  }
  return all;
}

}  // namespace attnscope

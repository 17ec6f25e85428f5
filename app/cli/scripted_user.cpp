#include "cli/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.h"
#include "document/json_value.h"
#include "document/spelling.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"

namespace attnscope {
namespace {

constexpr int drag_moves = 8;    // moves of the pointer in a drag
constexpr int most_turns = 400;  // the wheel turns no more often to scroll something into sight
constexpr float edge = 6;        // units from a window's edge, past its handle, where no widget takes the wheel
constexpr const char* nothing = "nothing";  // the pointer leaves the window

// Returns the first number in a text: 0.25 of "p = 0.25".
std::optional<double> number_in(const std::string& text) {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string::npos) return {};
  const std::size_t end = std::min(text.find_first_not_of("0123456789.", first), text.size());
  const bool is_negative = text.substr(0, first).ends_with("-") || text.substr(0, first).ends_with("−");
  const std::optional<double> number = read_float(text.substr(first, end - first));
  return number && is_negative ? -*number : number;
}

bool is_same(const std::string& shown, const std::string& wanted) {
  if (shown == wanted) return true;
  const std::optional<double> number = read_float(wanted);
  return number && number == number_in(shown);
}

// Returns a window and those that it scrolls with, from within out.
std::vector<const ImGuiWindow*> windows_around(const ImGuiWindow* window) {
  std::vector<const ImGuiWindow*> all;
  for (; window; window = window->Flags & ImGuiWindowFlags_ChildWindow ? window->ParentWindow : nullptr)
    all.push_back(window);
  return all;
}

struct Scrolling {
  const ImGuiWindow* window = nullptr;  // null: nothing has to scroll
  bool is_sideways = false;
  bool is_back = false;  // up, or to the left
};

// The outermost window that has this out of its sight.
Scrolling scrolling_to(const WidgetRegistry::Entry& entry) {
  Scrolling found;
  for (const ImGuiWindow* const window : windows_around(entry.window)) {
    for (const bool is_sideways : {false, true}) {
      const auto along = [&](ImVec2 point) { return is_sideways ? point.x : point.y; };
      const float from = along(window->InnerRect.Min);
      const float to = along(window->InnerRect.Max);
      const float length = std::min(along(entry.max_screen) - along(entry.min_screen), to - from);
      const bool is_before = along(entry.max_screen) < from + length;
      const bool is_after = along(entry.min_screen) > to - length;
      const bool can_scroll = !is_sideways || window->Flags & ImGuiWindowFlags_HorizontalScrollbar;
      if ((is_before || is_after) && can_scroll && along(window->ScrollMax) > 0)
        found = {window, is_sideways, is_before};
    }
  }
  return found;
}

}  // namespace

void ScriptedUser::frames() {
  session_.wait_for_evaluation();
  for (int frame = 0; frame < frames_after_input; ++frame) window_.build_frame();
}

void ScriptedUser::hold(const Modifiers& held) {
  give_modifiers(held.control, held.shift, held.alt);
  window_.build_frame();
}

// Opens the menus and lists that an item is in. A menu within a menu opens under the pointer.
void ScriptedUser::open_way_to(const std::string& name) {
  constexpr std::string_view question = "why/";  // beside a control of that name
  if (name.starts_with(question)) look_for(Target(name.substr(question.size())));
  for (std::size_t slash = name.find('/'); slash != std::string::npos && !window_.widgets().find(name);
       slash = name.find('/', slash + 1)) {
    const std::string way = name.substr(0, slash);
    const WidgetRegistry::Entry* const opener = window_.widgets().find(way);
    if (!opener || !opener->opens || opener->is_on.value_or(false)) continue;
    scroll_to(way);
    const ImVec4 rect = visible_part(widget(way));
    give_pointer({(rect.x + rect.z) / 2, (rect.y + rect.w) / 2});
    frames();
    if (!widget(way).is_on.value_or(false)) click(Target(way), 0, 1, {});
  }
  if (!window_.widgets().find(name)) refuse_widget(name);
}

// Scrolls with the wheel, with the pointer at the edge of the window, where no widget takes the wheel.
void ScriptedUser::scroll_to(const std::string& name) {
  for (int turn = 0; turn < most_turns; ++turn) {
    const WidgetRegistry::Entry entry = widget(name);
    const Scrolling scrolling = scrolling_to(entry);
    if (!scrolling.window) return;
    const ImRect shown = scrolling.window->OuterRectClipped;
    give_pointer({shown.Min.x + edge * session_.shown().view.interface_scale, (shown.Min.y + shown.Max.y) / 2});
    give_modifiers(false, scrolling.is_sideways);
    window_.build_frame();
    give_wheel(scrolling.is_back ? 1.0f : -1.0f);
    window_.build_frame();
    give_modifiers(false, false);
    window_.build_frame();
    const ImVec2 now = widget(name).min_screen;
    if (now.x == entry.min_screen.x && now.y == entry.min_screen.y) return;  // scrolled to its end
  }
}

// Scrolls a target into sight, moves the pointer there, and checks that the pointer is on it.
ScriptedUser::Spot ScriptedUser::spot_of(const Target& target) {
  if (std::holds_alternative<std::string>(target)) open_way_to(std::get<std::string>(target));
  const std::string name = widget(target).name;
  scroll_to(name);
  const WidgetRegistry::Entry& entry = widget(target);
  const Spot spot = std::holds_alternative<std::string>(target) ? Spot{visible_part(entry), entry.window}
                                                                : spot_of_cell(std::get<CellTarget>(target));
  if (is_empty(spot.rect)) throw ScriptError(fmt::format("{} is out of sight.", spelled(target)));
  give_pointer(spot.middle());
  frames();
  if (is_hovered(spot.window)) return spot;
  if (close_open_setup()) return spot_of(target);
  throw ScriptError(fmt::format("{} is on the screen, but a window lies over it: close that first.", spelled(target)));
}

bool ScriptedUser::is_hovered(const ImGuiWindow* window) const {
  const std::vector<const ImGuiWindow*> under = windows_around(ImGui::GetCurrentContext()->HoveredWindow);
  return std::ranges::find(under, window) != under.end();
}

// Closes a setup that was opened over what is wanted, as a person would.
bool ScriptedUser::close_open_setup() {
  if (!window_.widgets().find("setup/over")) return false;
  press(*key_press_named("Escape"));
  return !window_.widgets().find("setup/over");
}

// Opens a setup that is a rail if the target is in it.
void ScriptedUser::look_for(const Target& target) {
  const auto* const name = std::get_if<std::string>(&target);
  if (!name || window_.widgets().find(*name)) return;
  const WidgetRegistry::Entry* const rail = window_.widgets().find(name->substr(0, name->find('/')));
  if (rail && rail->opens && !rail->is_on.value_or(false)) click(Target(rail->name), 0, 1, {});
}

void ScriptedUser::point_at(const Target& target) {
  if (std::holds_alternative<std::string>(target) && std::get<std::string>(target) == nothing) return point_away();
  spot_of(target);
}

void ScriptedUser::point_away() {
  give_pointer({-1, -1});
  frames();
}

void ScriptedUser::click(const Target& target, int button, int count, const Modifiers& held) {
  spot_of(target);
  if (const WidgetRegistry::Entry& entry = widget(target); !entry.enabled)
    throw ScriptError(fmt::format("{} is disabled{}", spelled(target), entry.help.empty() ? "." : ": " + entry.help));
  hold(held);
  for (int press = 0; press < count; ++press) {
    give_button(button, true);
    frames();
    give_button(button, false);
    frames();
  }
  hold({});
}

void ScriptedUser::drag_by(const Target& target, ImVec2 units, const Modifiers& held) {
  const ImVec2 from = spot_of(target).middle();
  hold(held);
  give_button(0, true);
  frames();
  for (int move = 1; move <= drag_moves; ++move) {
    const float part = static_cast<float>(move) / drag_moves;
    give_pointer({from.x + units.x * part, from.y + units.y * part});
    frames();
  }
  give_button(0, false);
  frames();
  hold({});
}

// Drags until the widget shows a text: numbers grow to the right, and words such as "off" are at an end.
void ScriptedUser::drag_until(const Target& target, const std::string& shown, const Modifiers& held) {
  const ImVec2 from = spot_of(target).middle();
  hold(held);
  give_button(0, true);
  frames();
  const auto text_at = [&](int x) {
    give_pointer({static_cast<float>(x), from.y});
    frames();
    return text_of(target);
  };
  const std::optional<double> wanted = read_float(shown);
  int low = 0;
  int high = static_cast<int>(ImGui::GetIO().DisplaySize.x) - 1;
  std::string low_text = text_at(low);
  std::string high_text = is_same(low_text, shown) ? low_text : text_at(high);
  bool is_there = is_same(low_text, shown) || is_same(high_text, shown);
  while (wanted && !is_there && high - low > 1) {
    const int middle = (low + high) / 2;
    const std::string text = text_at(middle);
    is_there = is_same(text, shown);
    const bool is_less = number_in(text).value_or(-HUGE_VAL) < *wanted;
    (is_less ? low : high) = middle;
    (is_less ? low_text : high_text) = text;
  }
  give_button(0, false);
  frames();
  hold({});
  if (!is_there)
    throw ScriptError(fmt::format("{} cannot be dragged to {}: it shows {} and then {}.", spelled(target),
                                  in_quotes(shown), in_quotes(low_text), in_quotes(high_text)));
}

void ScriptedUser::enter(const Target& target, const std::string& text) {
  click(target, 0, 1, {.control = true, .shift = false, .alt = false});
  if (!ImGui::GetIO().WantTextInput) throw ScriptError(fmt::format("{} takes no text.", spelled(target)));
  press(*key_press_named("Ctrl+A"));
  press(*key_press_named("Delete"));
  type(text);
  press(*key_press_named("Enter"));
}

void ScriptedUser::type(const std::string& text) {
  if (!ImGui::GetIO().WantTextInput) throw ScriptError("Nothing on the screen takes text now: click a field first.");
  ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
  frames();
}

void ScriptedUser::press(const KeyPress& key) {
  hold(key.held);
  give_key(code_of(key), true);
  frames();
  give_key(code_of(key), false);
  frames();
  hold({});
}

void ScriptedUser::turn_wheel(const Target& target, float lines, const Modifiers& held) {
  spot_of(target);
  hold(held);
  // Turns one line after the other, as a wheel does.
  for (float left = std::abs(lines); left > 0; left -= 1) {
    give_wheel(std::copysign(std::min(left, 1.0f), lines));
    window_.build_frame();
  }
  frames();
  hold({});
}

std::string spelled(const Target& target) {
  if (const auto* const name = std::get_if<std::string>(&target)) return in_quotes(*name);
  const auto& cell = std::get<CellTarget>(target);
  std::string text(info(cell.stage).id);
  if (cell.head) text += fmt::format(" of head {}", *cell.head);
  return cell.row ? fmt::format("cell [{}, {}] of {}", *cell.row, *cell.col, text) : text;
}

void ScriptedUser::refuse_widget(const std::string& name) const {
  std::vector<std::string_view> known;
  for (const WidgetRegistry::Entry& entry : window_.widgets().entries) known.push_back(entry.name);
  const std::string hint = suggestion(name, known);
  throw ScriptError(fmt::format("{} is not on the screen{}", in_quotes(name), hint.empty() ? "." : hint));
}

const WidgetRegistry::Matrix* ScriptedUser::find_matrix(const CellTarget& cell) const {
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
  // Prefers a matrix in its own place to an operand, and the head that is looked at.
  const std::string own = fmt::format("stages/{}", info(cell.stage).id);
  auto found = std::ranges::find_if(all, [&](const auto& each) { return is_it(each) && each.name == own; });
  if (found == all.end()) found = std::ranges::find_if(all, is_it);
  if (found == all.end()) found = std::ranges::find_if(all, is_stage);
  return found == all.end() ? nullptr : &*found;
}

const WidgetRegistry::Matrix& ScriptedUser::matrix_of(const CellTarget& cell) const {
  if (const WidgetRegistry::Matrix* const matrix = find_matrix(cell)) return *matrix;
  std::string ids;
  for (const WidgetRegistry::Matrix& matrix : window_.widgets().matrices)
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", matrix.name.substr(matrix.name.find('/') + 1));
  const std::string there = ids.empty() ? "No matrix is." : "These are: " + ids + ".";
  throw ScriptError(
      fmt::format("{} is not on the screen. {}", spelled(CellTarget{cell.stage, cell.head, {}, {}}), there));
}

ScriptedUser::Spot ScriptedUser::spot_of_cell(const CellTarget& cell) const {
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

const WidgetRegistry::Entry& ScriptedUser::widget(const Target& target) const {
  const bool is_cell = std::holds_alternative<CellTarget>(target);
  const std::string& name = is_cell ? matrix_of(std::get<CellTarget>(target)).name : std::get<std::string>(target);
  const WidgetRegistry::Entry* const entry = window_.widgets().find(name);
  if (!entry) refuse_widget(name);
  return *entry;
}

bool ScriptedUser::sees(const Target& target) const {
  const bool is_cell = std::holds_alternative<CellTarget>(target);
  const WidgetRegistry::Matrix* const matrix = is_cell ? find_matrix(std::get<CellTarget>(target)) : nullptr;
  if (is_cell && !matrix) return false;
  const WidgetRegistry::Entry* const entry =
      window_.widgets().find(matrix ? matrix->name : std::get<std::string>(target));
  return entry && !is_empty(visible_part(*entry));
}

std::string ScriptedUser::text_of(const Target& target) const {
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

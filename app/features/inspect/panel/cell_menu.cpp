#include "features/inspect/panel/cell_menu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/visibility.h"
#include "document/edit.h"
#include "document/float_text.h"
#include "features/edit/panel/cell_edits.h"
#include "features/predict/panel/covering.h"
#include "features/setup/panel/mask_presets.h"
#include "features/shared/panel/actions.h"
#include "features/shared/panel/menu.h"
#include "paint_window/imgui_compat.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr Index most_tokens_of_line = 1024;
constexpr const char* menu_id = "cell_menu";

void draw_number_items(const ViewContext& context, CommandQueue& queue, const Source& cell) {
  if (menu_item(context, "cell/type", "Type a number", {.keys = "Enter"}))
    change_view(queue, [cell](ViewState& state) { state.passing.edited = cell; });
  if (cell.stage == Stage::inputs) return;
  const bool is_changed = is_edited(*context.now.result(), cell);
  if (menu_item(context, "cell/restore", "Back to the seed's number", {.keys = "Delete", .is_enabled = is_changed}))
    restore(context, queue, cell);
  ImGui::Separator();
  draw_weight_menus(context, queue, cell);
}

// The words for switching on and off.
struct SwitchWords {
  const char* on;       // of what is off
  const char* off;      // of what is on
  const char* one;      // "this weight"
  std::string_view of;  // behind a whole row or column
};

SwitchWords words_of(Switched switched) {
  if (switched == Switched::mask) return {"Show", "Hide", "this key from this query", ""};
  return {"Keep", "Drop", "this weight", " in this head"};
}

// A row or a column at once, `whose` in words.
void line_item(const ViewContext& context, CommandQueue& queue, const char* name, const std::string& whose,
               Source first, bool is_column) {
  const SwitchWords words = words_of(switched_by(context, first));
  std::vector<Source> cells;
  const AttentionConfig& config = context.now.document.config;
  for (Index i = 0; i < (is_column ? query_count(config) : key_count(config)); ++i) {
    (is_column ? first.row : first.col) = i;
    if (can_toggle(context, first)) cells.push_back(first);
  }
  const bool turns_on = std::ranges::none_of(cells, [&](const Source& each) { return is_on(context, each); });
  const std::string label = fmt::format("{} {}{}", turns_on ? words.on : words.off, whose, words.of);
  if (menu_item(context, name, label)) set_on(context, queue, cells, turns_on, true);
}

void draw_switch_items(const ViewContext& context, CommandQueue& queue, const Source& cell) {
  const Switched switched = switched_by(context, cell);
  const SwitchWords words = words_of(switched);
  const std::string one = fmt::format("{} {}", is_on(context, cell) ? words.off : words.on, words.one);
  if (menu_item(context, "cell/toggle", one, {.keys = "Space"})) toggle(context, queue, cell);
  const Index tokens = std::ssize(context.now.labels);
  const auto label = [&](Index token) { return context.now.labels[static_cast<std::size_t>(token)]; };
  if (tokens <= most_tokens_of_line && cell.row < tokens && cell.col < tokens) {
    line_item(context, queue, "cell/key", fmt::format("“{}” for every query", label(cell.col)), cell, true);
    line_item(context, queue, "cell/query", fmt::format("every key of “{}”", label(cell.row)), cell, false);
  }
  ImGui::Separator();
  if (switched == Switched::mask) return draw_mask_items(context, queue, cell);
  if (menu_item(context, "cell/restore", "As it was drawn",
                {.keys = "Delete", .is_enabled = is_edited(*context.now.result(), factor_of(cell))}))
    restore(context, queue, cell);
  const bool has_edits = !context.now.document.config.dropout_edits.empty();
  if (menu_item(context, "cell/restore_all", "The whole mask as it was drawn", {.is_enabled = has_edits}))
    queue.push_back(EditDocument{"dropout by hand", remove_dropout_edits});
}

void draw_common_items(const ViewContext& context, CommandQueue& queue, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  if (!is_covered(context, cell) && menu_item(context, "cell/copy", "Copy the number")) {
    std::string text;
    const bool is_pictured = context.pictured && has(*context.pictured->result, cell.stage);
    const float value = value_at(is_pictured ? *context.pictured->result : *context.now.result(), cell);
    if (std::isfinite(value)) {
      append_float(text, value);
    } else {
      text = fmt::format("{}", value);
    }
    queue.push_back(CopyText{text, fmt::format("Copied {}.", text)});
  }
  if (!is_per_head(context.now.result()->config, cell.stage) || !obstacle_to_heads(context).empty()) return;
  const std::string label = fmt::format("Switch head {} {}", cell.head + 1, is_off(config, cell.head) ? "on" : "off");
  if (menu_item(context, "cell/head", label, {.keys = "H"})) switch_head(context, queue, cell.head);
}

void draw_head_button(const ViewContext& context, CommandQueue& queue, Index head) {
  if (!obstacle_to_heads(context).empty()) return;
  push_font(context.fonts.small_text);
  const bool is_head_off = is_off(context.now.document.config, head);
  if (push_button(context, "inspector/head", is_head_off ? "Switch this head on" : "Switch this head off", {},
                  "Switched off, the head has a context of zero (H)"))
    switch_head(context, queue, head);
  ImGui::PopFont();
}

// The pinned cell, where the result has it.
std::optional<Source> pinned_cell(const ViewContext& context) {
  const std::optional<Source>& pinned = context.now.view.pinned;
  return pinned && context.now.result() && has_cell(*context.now.result(), *pinned) ? pinned : std::nullopt;
}

}  // namespace

void beside_or_below(const ViewContext& context, const char* label) {
  ImGui::SameLine(0, 4 * unit(context));
  const float width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

void open_cell_menu(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) { state.passing.opens_cell_menu = state.pinned.has_value(); });
}

void draw_cell_menu(const ViewContext& context, CommandQueue& queue) {
  if (context.now.view.passing.opens_cell_menu) {
    ImGui::OpenPopup(menu_id);
    change_view(queue, [](ViewState& state) { state.passing.opens_cell_menu = false; });
  }
  if (!ImGui::BeginPopup(menu_id)) return;
  if (const std::optional<Source> cell = pinned_cell(context)) {
    if (can_type(context, *cell)) draw_number_items(context, queue, *cell);
    if (can_toggle(context, *cell)) draw_switch_items(context, queue, *cell);
    if (can_type(context, *cell) || can_toggle(context, *cell)) ImGui::Separator();
    draw_common_items(context, queue, *cell);
    ImGui::Separator();
    action_items(context, queue, {"predict/stage", "predict/row"});
  } else {
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

bool draw_cell_edits(const ViewContext& context, CommandQueue& queue, const Source& cell) {
  const bool types = can_type(context, cell);
  const bool toggles = can_toggle(context, cell);
  if (cell.stage == Stage::head_context) draw_head_button(context, queue, cell.head);
  if (!types && !toggles) return false;
  const Result& result = *context.now.result();
  push_font(context.fonts.small_text);
  if (types) {
    float number = number_now(context, cell);
    ImGui::SetNextItemWidth(62 * unit(context));
    if (ImGui::DragFloat("##value", &number, drag_speed(context), 0, 0, "%.4f", ImGuiSliderFlags_NoRoundToFormat) &&
        std::isfinite(number))
      set_number(queue, cell, number, false);
    if (ImGui::IsItemDeactivated()) queue.push_back(FinishEdit{});
    register_item(context, "inspector/value");
    item_tooltip(context, "Drag, or double-click to type. In the matrix, too: drag, Enter, Ctrl+↑ and Ctrl+↓");
    beside_or_below(context, "More…");
  } else {
    const SwitchWords words = words_of(switched_by(context, cell));
    const std::string label = fmt::format("{} it", is_on(context, cell) ? words.off : words.on);
    if (push_button(context, "inspector/toggle", label.c_str(), {}, "Space; Alt+drag changes several"))
      toggle(context, queue, cell);
    beside_or_below(context, "More…");
  }
  if (cell.stage != Stage::inputs && switched_by(context, cell) != Switched::mask) {
    const bool is_changed = is_edited(result, types ? cell : factor_of(cell));
    if (is_changed) {
      if (push_button(context, "inspector/restore", types ? "Seed's" : "As drawn", {},
                      "Back to what was drawn (Delete)"))
        restore(context, queue, cell);
      beside_or_below(context, "More…");
    }
  }
  if (push_button(context, "inspector/more", "More…", {}, "Rows, columns, the whole matrix (right click, M)"))
    open_cell_menu(queue);
  ImGui::PopFont();
  return true;
}

}  // namespace attnscope

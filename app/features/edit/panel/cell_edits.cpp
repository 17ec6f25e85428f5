#include "features/edit/panel/cell_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/source.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/edit.h"
#include "document/spelling.h"
#include "features/shared/panel/calls.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

bool is_weight(Stage stage) { return is_parameter(info(stage).axes); }

bool shows_dropout(Stage stage) { return stage == Stage::dropout_factors || stage == Stage::dropped_weights; }

DropoutEdit edit_of(const Source& cell, bool keeps) { return {cell.batch, cell.head, cell.row, cell.col, keeps}; }

bool is_set(const AttentionConfig& config, const Source& cell) {
  return kept_by_user(config, cell.batch, cell.head, cell.row, cell.col).has_value();
}

// Whether the weight would be kept if nobody had set it: what the result shows, unless somebody has.
bool is_drawn_to_be_kept(const Result& result, const Source& cell) {
  if (is_set(result.config, cell)) return is_kept_as_drawn(result, factor_of(cell));
  return value_at(result, factor_of(cell)) > 0;
}

void set_kept(const ViewContext& context, CallQueue& queue, std::span<const Source> cells, bool keeps, bool finished) {
  constexpr std::size_t few = 4;
  const Result& result = *context.now.result();
  std::vector<DropoutEdit> set;
  std::vector<DropoutEdit> as_drawn;
  // To draw one of many again can take as long as to draw them all: where somebody set it, it is set once more.
  const bool is_quick = cells.size() <= few || result.config.dropout_kernel == DropoutKernel::mkl;
  for (const Source& cell : cells) {
    if (switched_by(context, cell) != Switched::dropout) continue;
    const bool is_known = is_quick || !is_set(result.config, cell);
    const bool is_as_drawn = is_known && keeps == is_drawn_to_be_kept(result, cell);
    (is_as_drawn ? as_drawn : set).push_back(edit_of(cell, keeps));
  }
  edit_document(queue, {"dropout by hand",
                        [now = context.now.document.config.dropout_edits, set, as_drawn](Document& document) {
                          document.config.dropout_edits = now;  // with what was painted before
                          for (const DropoutEdit& edit : as_drawn) remove_dropout_edit(document, edit);
                          for (const DropoutEdit& edit : set) set_dropout_edit(document, edit);
                        },
                        finished, finished ? 0 : ImGui::GetItemID()});
}

void set_shown(const ViewContext& context, CallQueue& queue, std::span<const Source> cells, bool is_shown,
               bool finished) {
  edit_document(queue, {"mask by hand",
                        [now = context.now.document.config, cells = std::vector(cells.begin(), cells.end()),
                         is_shown](Document& document) {
                          document.config.mask = now.mask;  // with what was painted before
                          document.config.hidden = now.hidden;
                          for (const Source& cell : cells) set_hidden(document, cell.row, cell.col, !is_shown);
                        },
                        finished, finished ? 0 : ImGui::GetItemID()});
}

constexpr Index most_looked_at_for_marks = 16384;
constexpr float least_cell = 5;  // the smallest cell with room for a mark in its corner
constexpr float share_of_cell = 0.35f;
constexpr float least_mark = 5;
constexpr float largest_mark = 8;

bool differs_from_draw(const Parameter& parameter, const Source& cell) {
  const auto at = static_cast<std::size_t>(cell.row * parameter.tensor.shape.back() + cell.col);
  const auto bits = [at](const Tensor& tensor) { return std::bit_cast<std::uint32_t>(tensor.values[at]); };
  return bits(parameter.drawn) != bits(parameter.tensor);
}

// Returns whether no number of a matrix is as it was drawn: then it was given as a whole, and marks would tell nothing.
bool is_given_as_a_whole(const Parameter& parameter, const StageView& view) {
  for (Index row = 0; row < view.rows; ++row)
    for (Index col = 0; col < view.cols; ++col)
      if (!differs_from_draw(parameter, source_at(view, row, col))) return false;
  return true;
}

// Returns the weights that differ from what the seed gave.
std::vector<picture::CellPlace> edited_weights(const StageView& view, const CellGrid& grid) {
  const Result& result = *view.result;
  const Parameter* const parameter =
      result.parameters ? parameter_of(result.config, *result.parameters, view.stage, view.head) : nullptr;
  std::vector<picture::CellPlace> places;
  if (!parameter || parameter->drawn.values.empty() || is_given_as_a_whole(*parameter, view)) return places;
  for (Index row = grid.first_row(); row < grid.end_row(); ++row) {
    for (Index col = grid.first_col(); col < grid.end_col(); ++col) {
      if (differs_from_draw(*parameter, source_at(view, row, col))) places.push_back({row, col});
    }
  }
  return places;
}

std::vector<picture::CellPlace> edited_factors(const StageView& view, const CellGrid& grid) {
  const Source any = source_at(view, 0, 0);
  std::vector<picture::CellPlace> places;
  for (const DropoutEdit& edit : acting_dropout_edits(view.result->config)) {
    if (edit.batch != any.batch || edit.head != view.head) continue;
    const picture::CellPlace place = place_of(view, {.row = edit.query, .col = edit.key});
    if (grid.shows(place.row, place.col)) places.push_back(place);
  }
  return places;
}

}  // namespace

std::string_view obstacle_to_edits(const ViewContext& context) {
  const bool shows_kept = context.now.is_comparing() && context.now.view.side == ComparedSide::baseline;
  if (shows_kept || context.is_kept) return "A is kept as it was: only B is edited.";
  return viewing_reason(context);
}

bool can_type(const ViewContext& context, const Source& cell) {
  if (!obstacle_to_edits(context).empty() || cell.kind != SourceKind::cell) return false;
  return cell.stage == Stage::inputs || (is_weight(cell.stage) && has_stage(context.now.document.config, cell.stage));
}

Switched switched_by(const ViewContext& context, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  const bool is_there = cell.row < query_count(config) && cell.col < key_count(config) &&
                        cell.head < head_count(config) && cell.batch < config.batch_size;
  if (!obstacle_to_edits(context).empty() || cell.kind != SourceKind::cell || !is_there) return Switched::nothing;
  if (cell.stage == Stage::mask || cell.stage == Stage::masked_scores || cell.stage == Stage::scores)
    return Switched::mask;
  const bool drops = info(config.mechanism).has_dropout && config.training && config.dropout < 1;
  const bool is_of_it = shows_dropout(cell.stage) || cell.stage == normalized_weights_stage(config);
  return drops && is_of_it && !visibility(config).hides(cell.row, cell.col) ? Switched::dropout : Switched::nothing;
}

bool can_toggle(const ViewContext& context, const Source& cell) {
  return switched_by(context, cell) != Switched::nothing;
}

bool is_of_switches(Stage stage) {
  return shows_dropout(stage) || stage == Stage::mask || stage == Stage::masked_scores;
}

const char* edit_hint(const ViewContext& context, const Source& cell) {
  if (can_type(context, cell)) return "drag left or right to change it · double click types it · right click: more";
  if (is_of_switches(cell.stage) && can_toggle(context, cell)) return "double click switches it · right click: more";
  return nullptr;
}

bool is_edited(const Result& result, const Source& cell) {
  if (result.imported || cell.kind != SourceKind::cell) return false;
  if (is_weight(cell.stage)) return number_before_edit(result, cell).has_value();
  return shows_dropout(cell.stage) && kept_by_user(result.config, cell.batch, cell.head, cell.row, cell.col);
}

float number_now(const ViewContext& context, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  const auto at = [](const SharedTensor& tensor, Index row, Index col) {
    const bool is_there = row < tensor.rows() && col < tensor.cols();
    return is_there ? tensor.row(row)[static_cast<std::size_t>(col)] : 0.0F;
  };
  if (cell.stage == Stage::inputs) {
    if (const auto* typed = std::get_if<SharedTensor>(&config.inputs)) return at(*typed, cell.row, cell.col);
  } else {
    const auto set = config.weight_overrides.find(parameter_name(config, cell.stage, cell.head));
    if (set != config.weight_overrides.end()) return at(set->second, cell.row, cell.col);
  }
  return value_at(*context.now.result(), cell);
}

void set_number(CallQueue& queue, const Source& cell, float number) {
  if (cell.stage == Stage::inputs) {
    edit_document(queue, held_edit("embedding", [cell, number](Document& document) {
                    set_input(document, cell.row, cell.col, number);
                  }));
    return;
  }
  edit_document(queue,
                held_edit(fmt::format("number of {}", info(cell.stage).title), [cell, number](Document& document) {
                  set_weight(document, cell.stage, cell.head, cell.row, cell.col, number);
                }));
}

float drag_speed(const ViewContext& context) { return number_step / (units_a_step * unit(context)); }

namespace {

// Returns the nearest multiple of a step, as a file writes it: 0.85, not 0.84999996.
float in_steps(float number, float step) {
  const double per_unit = std::round(1 / std::abs(static_cast<double>(step)));
  return static_cast<float>(std::round(static_cast<double>(number) * per_unit) / per_unit);
}

}  // namespace

void step_number(const ViewContext& context, CallQueue& queue, const Source& cell, float step) {
  const float number = in_steps(number_now(context, cell) + step, step);
  if (std::isfinite(number)) set_number(queue, cell, number);
}

Source factor_of(Source cell) {
  cell.stage = Stage::dropout_factors;
  return cell;
}

bool is_on(const ViewContext& context, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  if (switched_by(context, cell) == Switched::mask) return !visibility(config).hides(cell.row, cell.col);
  const std::optional<bool> set = kept_by_user(config, cell.batch, cell.head, cell.row, cell.col);
  return set ? *set : is_drawn_to_be_kept(*context.now.result(), cell);
}

void set_on(const ViewContext& context, CallQueue& queue, std::span<const Source> cells, bool is_on, bool finished) {
  if (cells.empty()) return;
  const bool is_mask = switched_by(context, cells.front()) == Switched::mask;
  is_mask ? set_shown(context, queue, cells, is_on, finished) : set_kept(context, queue, cells, is_on, finished);
}

void toggle(const ViewContext& context, CallQueue& queue, const Source& cell) {
  set_on(context, queue, {&cell, 1}, !is_on(context, cell), true);
}

void restore(const ViewContext& context, CallQueue& queue, const Source& cell) {
  if (can_toggle(context, cell)) {
    edit_document(queue, {"dropout by hand",
                          [cell](Document& document) { remove_dropout_edit(document, edit_of(cell, false)); }});
  } else if (is_weight(cell.stage)) {
    edit_document(queue, {fmt::format("number of {}", info(cell.stage).title), [cell](Document& document) {
                            restore_weights(document, {cell.stage, cell.head, {cell.row, cell.col, 1, 1}});
                          }});
  }
}

void switch_head(const ViewContext& context, CallQueue& queue, Index head) {
  const bool is_now_off = std::ranges::binary_search(context.now.document.config.heads_off, head);
  edit_document(queue, {fmt::format("switching head {} {}", head + 1, is_now_off ? "on" : "off"),
                        [head, is_now_off](Document& document) { set_head_off(document, head, !is_now_off); }});
}

namespace {

// Returns the head of the pinned cell, else the one that is looked at.
Index head_at_hand(const ViewContext& context) {
  const std::optional<Source>& pinned = context.now.view.pinned;
  const bool is_of_head = pinned && context.now.result() && is_per_head(context.now.result()->config, pinned->stage);
  const Index last = std::max<Index>(context.now.document.config.num_heads, 1) - 1;
  return std::clamp<Index>(is_of_head ? pinned->head : context.now.view.head, 0, last);
}

}  // namespace

void switch_head_at_hand(const ViewContext& context, CallQueue& queue) {
  switch_head(context, queue, head_at_hand(context));
}

std::string label_of_head_switch(const ViewContext& context) {
  const Index head = head_at_hand(context);
  return fmt::format("Switch head {} {}", head + 1, is_off(context.now.document.config, head) ? "on" : "off");
}

std::string_view obstacle_to_heads(const ViewContext& context) {
  const std::string_view obstacle = obstacle_to_edits(context);
  if (!obstacle.empty() || info(context.now.document.config.mechanism).has_heads) return obstacle;
  return "Only the two multi-head mechanisms have heads to switch off.";
}

std::vector<picture::CellPlace> edited_cells(const StageView& view, const CellGrid& grid) {
  const Stage stage = view.stage;
  const CellRect shown = grid.shown();
  if (view.result->imported || shown.rows * shown.cols > most_looked_at_for_marks) return {};
  if (is_parameter(info(view.stage).axes)) return edited_weights(view, grid);
  const bool is_of_dropout = stage == Stage::dropout_factors || stage == Stage::dropped_weights;
  return is_of_dropout ? edited_factors(view, grid) : std::vector<picture::CellPlace>();
}

void draw_edit_marks(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const float cell = grid.cell_side();
  if (cell < least_cell * unit(context)) return;
  const std::vector<picture::CellPlace> places = edited_cells(view, grid);
  if (places.empty()) return;
  if (context.marks) context.marks->insert(CellMark::edited);
  const float side = std::clamp(share_of_cell * cell, least_mark * unit(context), largest_mark * unit(context));
  ImGui::PushClipRect(grid.min_screen(), grid.max_screen(), true);
  for (const picture::CellPlace& place : places)
    draw_edit_mark(context.theme, grid.corner(place.row, place.col + 1), side);
  ImGui::PopClipRect();
}

void draw_edit_mark(const Theme& theme, ImVec2 corner, float side) {
  const float rim = side + 1.5f;
  fill_triangle({corner.x - rim, corner.y}, corner, {corner.x, corner.y + rim}, {Rgb{255, 255, 255}});
  fill_triangle({corner.x - side, corner.y}, corner, {corner.x, corner.y + side}, {theme.inks.edited});
}

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

// Returns the cells that the pointer went over since the last frame, in a straight line.
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

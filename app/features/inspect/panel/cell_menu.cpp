#include "features/inspect/panel/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/visibility.h"
#include "document/edit.h"
#include "document/spelling.h"
#include "features/edit/panel/cell_edits.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/imgui_compat.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr Index most_tokens_of_line = 1024;
constexpr const char* menu_id = "cell_menu";

constexpr float factor_width = 60;
constexpr std::size_t most_factor_letters = 32;

// Returns a key that changes a cell; none before an audience, where it does something else, or nothing.
const char* while_editing(const ViewContext& context, const char* key) { return is_presenting(context) ? "" : key; }

// Cells that are changed together.
struct Scope {
  const char* id;
  std::string label;
  std::string what;  // for undo: "row of W_query"
  WeightCells cells;
  bool is_matrix = false;  // or a head's part of one
};

// Returns the head that the cell belongs to; nothing if it belongs to none or to the only one.
std::optional<Index> head_of(const AttentionConfig& config, const Source& cell) {
  if (head_count(config) == 1 || cell.stage == Stage::output_bias || is_gain(cell.stage)) return {};
  if (has_own_heads(config)) return cell.head;
  const bool are_rows = info(cell.stage).axes == StageAxes::weight && cell.stage != Stage::output_weight;
  return (are_rows ? cell.row : cell.col) / head_features(config);
}

std::vector<Scope> scopes_of(const AttentionConfig& config, const Source& cell) {
  const std::string title(info(cell.stage).title);
  const CellRect all = all_cells(config, cell.stage);
  const auto cells = [&](const CellRect& rect) { return WeightCells{cell.stage, cell.head, rect}; };
  std::vector<Scope> scopes;
  if (all.rows > 1) {
    scopes.push_back({"row", "This row", "row of " + title, cells({cell.row, 0, 1, all.cols})});
    scopes.push_back({"column", "This column", "column of " + title, cells({0, cell.col, all.rows, 1})});
  }
  const std::optional<Index> head = head_of(config, cell);
  if (head && !has_own_heads(config)) {
    scopes.push_back({"head", fmt::format("The part of head {}", *head + 1),
                      fmt::format("head {} of {}", *head + 1, title), cells(cells_of_head(config, cell.stage, *head)),
                      true});
  }
  scopes.push_back({"matrix", all.rows > 1 ? "The whole matrix" : "The whole bias", title, cells(all), true});
  return scopes;
}

template <typename Change>
void item(const ViewContext& context, CallQueue& queue, const Scope& scope, const char* id, std::string_view label,
          const Change& change, bool is_enabled = true) {
  if (menu_item(context, fmt::format("cell/{}/{}", scope.id, id), label, {.is_enabled = is_enabled}))
    edit_document(queue, {scope.what, [change, cells = scope.cells](Document& document) { change(document, cells); }});
}

// Every time from other random numbers, but from the same ones in the same session.
void draw_fillings(const ViewContext& context, CallQueue& queue, const Scope& scope, const Source& cell) {
  const std::uint64_t seed = context.now.edition;
  const auto fill = [seed](Filling filling) {
    return
        [seed, filling](Document& document, const WeightCells& cells) { fill_weights(document, cells, filling, seed); };
  };
  item(context, queue, scope, "zeros", "Zeros", fill(Filling::zeros));
  item(context, queue, scope, "one_hot", "1 here, 0 elsewhere",
       [cell](Document& document, const WeightCells& cells) { make_one_hot(document, cells, cell.row, cell.col); });
  item(context, queue, scope, "randn", "torch.randn", fill(Filling::randn));
  if (!scope.is_matrix || scope.cells.rect.rows == 1) return;
  item(context, queue, scope, "identity", "Identity", fill(Filling::identity));
  item(context, queue, scope, "orthogonal", "Orthogonal (torch.nn.init.orthogonal_)", fill(Filling::orthogonal));
}

void scale(CallQueue& queue, const Scope& scope, double factor) {
  edit_document(queue, {scope.what,
                        [factor, cells = scope.cells](Document& document) { scale_weights(document, cells, factor); }});
}

void draw_factors(const ViewContext& context, CallQueue& queue, const Scope& scope) {
  static constexpr struct {
    const char* id;
    const char* label;
    double factor;
  } factors[] = {{"double", "× 2", 2}, {"half", "× ½", 0.5}, {"negate", "× −1", -1}};
  for (const auto& row : factors) {
    if (menu_item(context, fmt::format("cell/{}/{}", scope.id, row.id), row.label)) scale(queue, scope, row.factor);
  }
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("×");
  ImGui::SameLine(0, 4 * unit(context));
  ImGui::SetNextItemWidth(factor_width * unit(context));
  std::string typed;
  const bool is_entered =
      text_field("##factor", "factor", typed, most_factor_letters, ImGuiInputTextFlags_EnterReturnsTrue);
  register_item(context, fmt::format("cell/{}/factor", scope.id));
  const std::optional<double> factor = read_float(typed);
  if (!is_entered || !factor) return;
  scale(queue, scope, *factor);
  ImGui::CloseCurrentPopup();
}

void draw_head_copies(const ViewContext& context, CallQueue& queue, const Scope& scope, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  const std::optional<Index> head = head_of(config, cell);
  const bool is_whole_head = scope.is_matrix && (has_own_heads(config) || std::string_view(scope.id) == "head");
  if (!head || !is_whole_head || !begin_menu(context, fmt::format("cell/{}/copy", scope.id), "Copy from head")) return;
  const Index heads = makes_keys_or_values(cell.stage) ? key_value_heads(config) : head_count(config);
  for (Index from = 0; from < heads; ++from) {
    if (from == *head) continue;
    item(context, queue, scope, fmt::format("copy/{}", from).c_str(), fmt::format("Head {}", from + 1),
         [from, to = *head](Document& document, const WeightCells& cells) {
           copy_weights_of_head(document, cells.stage, from, to);
         });
  }
  end_menu();
}

void draw_scope(const ViewContext& context, CallQueue& queue, const Scope& scope, const Source& cell) {
  if (!begin_menu(context, fmt::format("cell/{}", scope.id), scope.label.c_str())) return;
  draw_fillings(context, queue, scope, cell);
  ImGui::Separator();
  draw_factors(context, queue, scope);
  ImGui::Separator();
  draw_head_copies(context, queue, scope, cell);
  item(context, queue, scope, "restore", "Back to the seed's", restore_weights,
       !context.now.document.config.weight_overrides.empty());
  end_menu();
}

// Draws the menus that change a row, a column, a head's part or the whole of the weights or biases that a cell stands
// in.
void draw_weight_menus(const ViewContext& context, CallQueue& queue, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  for (const Scope& scope : scopes_of(config, cell)) draw_scope(context, queue, scope, cell);
  if (menu_item(context, "cell/paste", "Paste numbers, beginning at this cell")) {
    const char* const clipboard = ImGui::GetClipboardText();
    edit_document(queue, {fmt::format("paste into {}", info(cell.stage).title),
                          [cell, text = std::string(clipboard ? clipboard : "")](Document& document) {
                            paste_weights(document, cell.stage, cell.head, cell.row, cell.col,
                                          parse_number_block(text));
                          }});
  }
  const bool is_compared = cell.stage == Stage::query_weight || cell.stage == Stage::key_weight;
  if (is_compared &&
      menu_item(context, "cell/equal_keys", "W_key = W_query: K = Q", {.is_enabled = !has_shared_keys(config)}))
    edit_document(queue,
                  {"K = Q", [](Document& document) { set_config(document, with_keys_of_queries(document.config)); }});
  if (menu_item(context, "cell/restore_all", "All weights as the seed drew them",
                {.is_enabled = !config.weight_overrides.empty()}))
    edit_document(queue, {"all weights", restore_all_weights});
}

void draw_number_items(const ViewContext& context, CallQueue& queue, const Source& cell) {
  if (menu_item(context, "cell/type", "Type a number", {.keys = while_editing(context, "Enter")}))
    change_view(queue, [cell](ViewState& state) { state.transient.edited = cell; });
  if (cell.stage == Stage::inputs) return;
  const bool is_changed = is_edited(*context.now.result(), cell);
  if (menu_item(context, "cell/restore", "Back to the seed's number",
                {.keys = while_editing(context, "Delete"), .is_enabled = is_changed}))
    restore(context, queue, cell);
  ImGui::Separator();
  draw_weight_menus(context, queue, cell);
}

// The words for switching on or off.
struct SwitchWords {
  const char* verb;
  const char* what;     // "weight"
  const char* one;      // "this weight"
  const char* of_key;   // "“one” from every query"
  const char* of_row;   // "every key from “one”"
  std::string_view of;  // behind a whole row or column
};

SwitchWords words_of(Switched switched, bool turns_on) {
  if (switched == Switched::mask)
    return turns_on ? SwitchWords{"Show", "key", "this key to this query", "to", "to", ""}
                    : SwitchWords{"Hide", "key", "this key from this query", "from", "from", ""};
  return {turns_on ? "Keep" : "Drop", "weight", "this weight", "for", "of", " in this head"};
}

std::string label_of_switch(const ViewContext& context, const Source& cell) {
  const SwitchWords words = words_of(switched_by(context, cell), !is_on(context, cell));
  return fmt::format("{} this {}", words.verb, words.what);
}

// Draws the item that switches a row or a column at once, named by its token.
void line_item(const ViewContext& context, CallQueue& queue, const char* name, const std::string& token, Source first,
               bool is_column) {
  std::vector<Source> cells;
  const AttentionConfig& config = context.now.document.config;
  for (Index i = 0; i < (is_column ? query_count(config) : key_count(config)); ++i) {
    (is_column ? first.row : first.col) = i;
    if (can_toggle(context, first)) cells.push_back(first);
  }
  const bool turns_on = std::ranges::none_of(cells, [&](const Source& each) { return is_on(context, each); });
  const SwitchWords words = words_of(switched_by(context, first), turns_on);
  const std::string line = is_column ? fmt::format("“{}” {} every query", token, words.of_key)
                                     : fmt::format("every key {} “{}”", words.of_row, token);
  const std::string label = fmt::format("{} {}{}", words.verb, line, words.of);
  if (menu_item(context, name, label)) set_on(context, queue, cells, turns_on, true);
}

void draw_switch_items(const ViewContext& context, CallQueue& queue, const Source& cell) {
  const Switched switched = switched_by(context, cell);
  const SwitchWords words = words_of(switched, !is_on(context, cell));
  const std::string one = fmt::format("{} {}", words.verb, words.one);
  if (menu_item(context, "cell/toggle", one,
                {.keys = while_editing(context, is_of_switches(cell.stage) ? "Enter" : "")}))
    toggle(context, queue, cell);
  const Index tokens = std::ssize(context.now.labels);
  const auto label = [&](Index token) { return context.now.labels[static_cast<std::size_t>(token)]; };
  if (tokens <= most_tokens_of_line && cell.row < tokens && cell.col < tokens) {
    line_item(context, queue, "cell/key", label(cell.col), cell, true);
    line_item(context, queue, "cell/query", label(cell.row), cell, false);
  }
  ImGui::Separator();
  if (switched == Switched::mask) return draw_mask_items(context, queue, cell);
  if (menu_item(
          context, "cell/restore", "As it was drawn",
          {.keys = while_editing(context, "Delete"), .is_enabled = is_edited(*context.now.result(), factor_of(cell))}))
    restore(context, queue, cell);
  const bool has_edits = !context.now.document.config.dropout_edits.empty();
  if (menu_item(context, "cell/restore_all", "The whole mask as it was drawn", {.is_enabled = has_edits}))
    edit_document(queue, {"dropout by hand", remove_dropout_edits});
}

void draw_common_items(const ViewContext& context, CallQueue& queue, const Source& cell) {
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
    copy_text(queue, text, fmt::format("Copied {}.", text));
  }
  if (!is_per_head(context.now.result()->config, cell.stage) || !obstacle_to_heads(context).empty()) return;
  const std::string label = fmt::format("Switch head {} {}", cell.head + 1, is_off(config, cell.head) ? "on" : "off");
  const std::string keys = action("edit/head").chord.text();
  if (menu_item(context, "cell/head", label, {.keys = while_editing(context, keys.c_str())}))
    switch_head(context, queue, cell.head);
}

void draw_head_button(const ViewContext& context, CallQueue& queue, Index head) {
  if (!obstacle_to_heads(context).empty()) return;
  push_font(context.fonts.small_text);
  const bool is_head_off = is_off(context.now.document.config, head);
  if (push_button(context, "inspector/head", is_head_off ? "Switch this head on" : "Switch this head off", {},
                  fmt::format("Switched off, the head has a context of zero ({})", action("edit/head").chord.text())))
    switch_head(context, queue, head);
  ImGui::PopFont();
}

// The field says what typing or dragging there does to the number.
constexpr const char* field_format = "change %.4f";
std::string field_text(float number) { return fmt::format("change {:.4f}", number); }

// Returns the label of the button that takes an edit of a number back; null if the number is as it was drawn.
const char* label_of_restore(const ViewContext& context, const Source& cell) {
  if (cell.stage == Stage::inputs || switched_by(context, cell) == Switched::mask) return nullptr;
  const bool types = can_type(context, cell);
  if (!is_edited(*context.now.result(), types ? cell : factor_of(cell))) return nullptr;
  return types ? "The seed's number" : "As it was drawn";
}

// Returns the pinned cell if the result has it.
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

void open_cell_menu(CallQueue& queue) {
  change_view(queue, [](ViewState& state) { state.transient.opens_cell_menu = state.pinned.has_value(); });
}

void draw_cell_menu(const ViewContext& context, CallQueue& queue) {
  if (context.now.view.transient.opens_cell_menu) {
    ImGui::OpenPopup(menu_id);
    change_view(queue, [](ViewState& state) { state.transient.opens_cell_menu = false; });
  }
  if (!ImGui::BeginPopup(menu_id)) return;
  if (const std::optional<Source> cell = pinned_cell(context)) {
    if (can_type(context, *cell)) draw_number_items(context, queue, *cell);
    if (can_toggle(context, *cell)) draw_switch_items(context, queue, *cell);
    if (can_type(context, *cell) || can_toggle(context, *cell)) ImGui::Separator();
    draw_common_items(context, queue, *cell);
    ImGui::Separator();
    action_items(context, queue, {"learn/film", "predict/stage", "predict/row"});
  } else {
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

int lines_of_cell_edits(const ViewContext& context, const Source& cell, float width) {
  const bool types = can_type(context, cell);
  if (!types && !can_toggle(context, cell)) return 1;
  std::vector<std::string> labels = {types ? field_text(number_now(context, cell)) : label_of_switch(context, cell)};
  if (const char* const restore_label = label_of_restore(context, cell)) labels.emplace_back(restore_label);
  labels.insert(labels.end(), {"More…", "Copy…"});
  push_font(context.fonts.small_text);
  int lines = 1;
  float used = 0;
  for (const std::string& label : labels) {
    const float button = button_width(label.c_str());
    const bool is_beside = used > 0 && used + 4 * unit(context) + button <= width;
    if (used > 0 && !is_beside) ++lines;
    used = is_beside ? used + 4 * unit(context) + button : button;
  }
  ImGui::PopFont();
  return lines;
}

bool draw_cell_edits(const ViewContext& context, CallQueue& queue, const Source& cell) {
  const bool types = can_type(context, cell);
  const bool toggles = can_toggle(context, cell);
  if (cell.stage == Stage::head_context) draw_head_button(context, queue, cell.head);
  if (!types && !toggles) return false;
  const char* const restore_label = label_of_restore(context, cell);
  const char* const next = restore_label ? restore_label : "More…";
  push_font(context.fonts.small_text);
  if (types) {
    float number = number_now(context, cell);
    ImGui::SetNextItemWidth(button_width(field_text(number).c_str()));
    if (ImGui::DragFloat("##value", &number, drag_speed(context), 0, 0, field_format,
                         ImGuiSliderFlags_NoRoundToFormat) &&
        std::isfinite(number))
      set_number(queue, cell, number);
    finish_when_let_go(queue);
    register_item(context, "inspector/value");
    item_tooltip(context, "Drag, or double-click to type. In the matrix, too: drag, Enter, Ctrl+↑ and Ctrl+↓");
    beside_or_below(context, next);
  } else {
    const std::string label = label_of_switch(context, cell);
    if (push_button(context, "inspector/toggle", label.c_str(), {},
                    is_of_switches(cell.stage) ? "Enter; Alt+drag changes several" : "Alt+drag changes several"))
      toggle(context, queue, cell);
    beside_or_below(context, next);
  }
  if (restore_label) {
    if (push_button(context, "inspector/restore", restore_label, {},
                    types ? "The number that the seed drew comes back (Delete)" : "Dropout decides again (Delete)"))
      restore(context, queue, cell);
    beside_or_below(context, "More…");
  }
  if (push_button(context, "inspector/more", "More…", {}, "Rows, columns, the whole matrix (right click, M)"))
    open_cell_menu(queue);
  ImGui::PopFont();
  return true;
}

}  // namespace attnscope

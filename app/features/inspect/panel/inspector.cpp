#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "core/model/transformer.h"
#include "features/compare/panel/comparison.h"
#include "features/edit/panel/cell_edits.h"
#include "features/inspect/panel/inspector.h"
#include "features/predict/panel/covering.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

// Returns the cell if the shown result has it; else nothing.
std::optional<Source> valid_cell(const ViewContext& context, const std::optional<Source>& cell) {
  if (!cell || !context.now.result()) return {};
  const Source valid = with_batch_and_head_of(context.now.result()->config, *cell);
  return has_cell(*context.now.result(), valid) ? std::optional(valid) : std::nullopt;
}

struct Inspected {
  Source cell;
  std::vector<DerivationLine> lines;
};

// Returns the lines that derive a number; only the pinned number's can be opened.
std::vector<DerivationLine> lines_of(const ViewContext& context, const Source& cell) {
  const bool is_pinned = cell == valid_cell(context, context.now.view.pinned);
  return without_covered(context, derivation(*context.now.result(), cell, query_and_key_names(context),
                                             is_pinned ? context.now.view.transient.opened : std::set<std::string>()));
}

std::optional<Inspected> inspected(const ViewContext& context) {
  const std::optional<Source> cell = explained_cell(context);
  return cell ? std::optional(Inspected{*cell, lines_of(context, *cell)}) : std::nullopt;
}

void draw_place(const ViewContext& context, const Source& cell) {
  const StageInfo& stage = info(cell.stage);
  const Index heads = head_count(context.now.result()->config);
  push_font(context.fonts.heading);
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(title_ink(context.theme, cell.stage)));
  plain_text(wrapped(ImGui::GetFont(), fmt::format("{}{}", kind_words(cell.kind), stage.title), width));
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (context.now.viewing && context.now.viewing->layers > 1) {
    ImGui::Text("Layer %lld of %lld", static_cast<long long>(context.now.viewing->layer) + 1,
                static_cast<long long>(context.now.viewing->layers));
  }
  if (const auto* const model = std::get_if<ModelInputs>(&context.now.result()->config.inputs)) {
    ImGui::Text("Layer %lld of %lld", static_cast<long long>(model->layer) + 1,
                static_cast<long long>(model->model->shape.layers));
  }
  if (is_per_head(context.now.result()->config, cell.stage) && heads > 1) {
    const Rgb colour = head_rgb(cell.head, context.theme.is_dark);
    ImGui::TextColored(to_vec4(colour), "Head %lld of %lld", static_cast<long long>(cell.head) + 1,
                       static_cast<long long>(heads));
  }
  if (context.now.result()->config.batch_size > 1 && is_per_batch(cell.stage)) {
    ImGui::Text("Batch entry %lld", static_cast<long long>(cell.batch) + 1);
  }
  for (const std::string& line : position_lines(context, cell)) plain_text(wrapped(ImGui::GetFont(), line, width));
}

// "query journey", or "query 3" where tokens have no names.
std::string named(std::string_view axis, Index index, const std::vector<std::string>& labels) {
  if (index >= std::ssize(labels)) return format_position(axis, index, labels);
  return fmt::format("{} {}", axis, labels[static_cast<std::size_t>(index)]);
}

// "0.4838658 · attention weights · query journey · key Your · head 1 of 2"
void draw_place_in_a_line(const ViewContext& context, const Source& cell) {
  const AttentionConfig& config = context.now.result()->config;
  std::string text = is_covered(context, cell) ? "" : format_full(value_at(*context.now.result(), cell)) + " · ";
  text += fmt::format("{}{}", kind_words(cell.kind), title_in(config, cell.stage));
  if (cell.kind == SourceKind::cell && is_query_by_key(info(cell.stage).axes)) {
    text +=
        " · " + named("query", cell.row, query_labels(context)) + " · " + named("key", cell.col, context.now.labels);
  } else {
    for (const std::string& part : position_lines(context, cell)) text += " · " + part;
  }
  const Index heads = head_count(config);
  const bool has_head = is_per_head(config, cell.stage) && heads > 1;
  if (const auto* const model = std::get_if<ModelInputs>(&config.inputs)) {
    text += fmt::format(" · layer {}", model->layer + 1);
    if (has_head) text += fmt::format(", head {}{}", cell.head + 1, bracketed_name(config, cell.head));
  } else if (has_head) {
    text += fmt::format(" · head {} of {}", cell.head + 1, heads);
  }
  if (config.batch_size > 1 && is_per_batch(cell.stage)) text += fmt::format(" · batch entry {}", cell.batch + 1);
  dim_text(context, text);
}

void draw_value(const ViewContext& context, const Source& cell) {
  push_font(context.fonts.large_number);
  ImGui::TextUnformatted(format_full(value_at(*context.now.result(), cell)).c_str());
  ImGui::PopFont();
}

// Draws whether the cell is masked or dropped, and by whom.
void draw_state(const ViewContext& context, const Source& cell) {
  const Result& result = *context.now.result();
  if (cell.kind != SourceKind::cell) return;
  if (is_masked(result, cell)) {
    const bool is_edited = result.config.mask == MaskRoute::custom || result.config.sliding_window;
    dim_text(context, is_edited ? "masked: the key is hidden from the query" : "masked: the key comes after the query");
  }
  if (!is_dropped(result, cell)) return;
  const bool is_set = kept_by_user(result.config, cell.batch, cell.head, cell.row, cell.col).has_value();
  dim_text(context, is_set ? "dropped by you" : "dropped: its random number was 1 − p or more");
}

void draw_unpin(const ViewContext& context, CallQueue& queue, const char* label) {
  if (push_button(context, "inspector/unpin", label, {}, "Unpin this number (Esc)"))
    change_view(queue, [](ViewState& state) { state.pinned.reset(); });
}

// The buttons that stand at the right end of a heading, behind Back and Forward.
struct HeadingButtons {
  const char* docking = nullptr;  // "dock" or "undock"; null: neither
  bool has_unpin = false;
  std::optional<Source> watched = {};  // whose film can be played; none: no button
};

constexpr const char* watch_label = "▸ Watch";
constexpr float most_bars_height = 116;  // of the bars of a row with two lines of names

void draw_heading_buttons(const ViewContext& context, CallQueue& queue, const HeadingButtons& buttons) {
  push_font(context.fonts.small_text);
  const float gap = 2 * unit(context);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {5 * unit(context), 1 * unit(context)});
  float width = -gap;
  if (buttons.docking) width += gap + button_width(buttons.docking);
  if (buttons.has_unpin) width += gap + button_width("×");
  const float steps = 2 * (button_width("‹") + gap);
  const float room = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - ImGui::GetItemRectMax().x;
  const float word = button_width(watch_label) + 4 * gap;
  // A narrow card leaves Back and Forward to their keys and their menu, so that the film's button has its word.
  const bool has_steps = !buttons.watched || width + steps + word < room || width + word >= room;
  if (has_steps) width += steps;
  const char* const watch = width + word < room ? watch_label : "▸";
  const float watch_width = buttons.watched ? button_width(watch) + 3 * gap : 0;
  same_line_at_right(width + watch_width);
  if (buttons.watched) {
    draw_watch_button(context, queue, *buttons.watched, watch);
    ImGui::SameLine(0, 3 * gap);
  }
  if (has_steps) {
    action_button(context, queue, "inspector/back", "‹", action("view/back"), action("view/back").help);
    ImGui::SameLine(0, gap);
    action_button(context, queue, "inspector/forward", "›", action("view/forward"), action("view/forward").help);
  }
  if (buttons.docking) {
    const bool docks = std::string_view(buttons.docking) == "dock";
    if (has_steps) ImGui::SameLine(0, gap);
    if (push_button(
            context, docks ? "inspector/dock" : "inspector/undock", buttons.docking, {},
            docks ? "Always show this in a column at the right" : "Show this as a card in the picture's free corner"))
      change_view(queue, [docks](ViewState& state) { state.docks_inspector = docks; });
  }
  if (buttons.has_unpin) {
    ImGui::SameLine(0, gap);
    draw_unpin(context, queue, "×");
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

void draw_formula(const ViewContext& context, Stage stage) {
  push_font(context.fonts.small_text);
  ImGui::TextWrapped("%s", std::string(wording(*context.now.result(), stage).formula).c_str());
  ImGui::PopFont();
}

void draw_nothing_selected(const ViewContext& context) {
  dim_text(context,
           "Rest the pointer on a cell to see how its number was computed. Click to pin it; press Esc to unpin it.");
}

// Draws a button that opens the formats: text, Markdown and LaTeX.
void draw_copies(const ViewContext& context, CallQueue& queue, const Source& cell) {
  static constexpr struct {
    TextFormat format;
    const char* label;
    const char* name;
  } formats[] = {{TextFormat::plain, "Text", "inspector/copy/text"},
                 {TextFormat::markdown, "Markdown", "inspector/copy/markdown"},
                 {TextFormat::latex, "LaTeX", "inspector/copy/latex"}};
  if (!obstacle_of_cover(context.now).empty()) return;
  push_font(context.fonts.small_text);
  if (push_button(context, "inspector/copy", "Copy…", {},
                  "Copies how this number was computed, with the lines that are open"))
    ImGui::OpenPopup("copy");
  if (ImGui::BeginPopup("copy")) {
    for (const auto& [format, label, name] : formats) {
      if (menu_item(context, name, label))
        copy_text(queue,
                  derivation_text(*context.now.result(), cell, query_and_key_names(context),
                                  context.now.view.transient.opened, format),
                  fmt::format("Copied how the number was computed, as {}.", label));
    }
    ImGui::EndPopup();
  }
  ImGui::PopFont();
}

// Draws each number of the row as a bar in its colour, unless what follows needs the room: it is `below` pixels high.
void draw_row_bars(const ViewContext& context, const Source& cell, float below) {
  constexpr Index most_bars = 24;
  constexpr float least_name = 27;  // room for three or four letters
  const std::optional<StageView> view = stage_view(context, cell.stage, cell.head);
  if (!view || cell.kind != SourceKind::cell || !is_query_by_key(info(view->stage).axes)) return;
  if (view->cols > most_bars || cell.row >= view->rows) return;
  const ColourRange range = range_of(context, *view);
  std::vector<float> values;
  float low = 0;
  float high = 0;
  for (Index key = 0; key < view->cols; ++key) {
    const bool is_hidden = is_hidden_cell(*view, cell.row, key) || is_covered(context, *view, cell.row, key);
    const float value = is_hidden ? std::numeric_limits<float>::quiet_NaN() : cell_value(*view, cell.row, key);
    values.push_back(value);
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = unit(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImFont* const font = context.fonts.small_text;
  const float pitch = std::min(46 * scale, room.x / static_cast<float>(values.size()));
  std::vector<std::string> labels;
  for (Index key = 0; key < view->cols; ++key) labels.push_back(column_label(context, *view, key));
  const auto is_wide = [&](const std::string& label) { return text_size(font, label).x > pitch - 2 * scale; };
  // Names that are wider than their bars stand in two lines, by turns.
  const bool is_staggered = pitch >= least_name * scale && std::ranges::any_of(labels, is_wide);
  const float line = (is_staggered ? 2.0F : 1.0F) * font_height(font);
  const float least = 20 * scale;
  const float free = room.y - below - line - 8 * scale;
  if (free < least || high - low <= 0) return;
  const float height = std::min({free, std::max(least, 0.22F * room.y), 90 * scale});
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  const float zero = pos.y + height * high / (high - low);
  for (std::size_t key = 0; key < values.size(); ++key) {
    const float left = pos.x + pitch * static_cast<float>(key);
    const float right = left + 0.8F * pitch;
    const bool is_number = std::isfinite(values[key]);
    const float top = is_number ? zero - height * values[key] / (high - low) : zero - 4 * scale;
    const Rgb colour = is_number ? cell_colour(range, values[key], cell.row) : grey(context.theme.greys.hidden);
    fill_box({left, std::min(top, zero)}, {right, std::max(top, zero)}, {colour});
    const bool is_it = static_cast<Index>(key) == cell.col;
    if (is_it)
      outline_box({left - 1, std::min(top, zero) - 1}, {right + 1, std::max(top, zero) + 1},
                  {context.theme.inks.cross_hair}, 1.5F * scale);
    const std::string& label = labels[key];
    const bool is_narrow = pitch < least_name * scale;
    // Names that would be cut to a letter or two are left out, but for the number's own.
    if (!is_it && is_narrow && is_wide(label)) continue;
    const float most = (is_staggered ? 2 : 1) * pitch - 2 * scale;
    const std::string name = is_it && is_narrow ? label : fit_text(font, label, most);
    const float x = std::clamp(left + (0.8F * pitch - text_size(font, name).x) / 2, pos.x - 4 * scale,
                               std::max(pos.x - 4 * scale, pos.x + room.x - text_size(font, name).x));
    const float lower = is_staggered && key % 2 == 1 ? font_height(font) : 0;
    draw_text(font, {x, pos.y + height + 2 * scale + lower},
              {is_it ? context.theme.inks.cross_hair : context.theme.inks.dim_text}, name);
  }
  ImGui::Dummy({pitch * static_cast<float>(values.size()), height + line + 5 * scale});
  register_item(context, "inspector/row");
}

// Draws "Why 0.48?", and at its right end the ways back and out.
void draw_card_heading(const ViewContext& context, CallQueue& queue, const Source& cell, bool is_pinned) {
  const bool is_hidden = is_covered(context, cell);
  const float value = value_at(*context.now.result(), cell);
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(
      is_hidden ? "Which number?"
                : fmt::format("Why {}?", format_fixed(static_cast<double>(value), context.now.view.decimals)).c_str());
  register_item(context, "inspector/title");
  ImGui::PopFont();
  draw_heading_buttons(context, queue, {.docking = "dock", .has_unpin = is_pinned, .watched = cell});
}

// Draws the explanation of a number, below its heading.
void draw_explanation(const ViewContext& context, CallQueue& queue, const Inspected& shown, bool is_pinned,
                      bool is_card) {
  if (is_covered(context, shown.cell)) {
    dim_text(context, "covered: what is it?");
    return draw_formula(context, shown.cell.stage);
  }
  draw_state(context, shown.cell);
  draw_compared_values(context, shown.cell);
  const int lines = is_pinned ? lines_of_cell_edits(context, shown.cell, ImGui::GetContentRegionAvail().x) : 1;
  const float button = font_height(context.fonts.small_text) + 2 * ImGui::GetStyle().FramePadding.y;
  const float of_card = static_cast<float>(lines) * (button + ImGui::GetStyle().ItemSpacing.y);
  const float buttons = is_card ? of_card : 3 * ImGui::GetFrameHeightWithSpacing();
  const float bars = most_bars_height * unit(context);
  const bool has_notes = closed_height(context, shown.lines, DerivationPlace::roomy_card) + buttons + bars <
                         ImGui::GetContentRegionAvail().y;
  const DerivationPlace place = !is_card    ? DerivationPlace::column
                                : has_notes ? DerivationPlace::roomy_card
                                            : DerivationPlace::card;
  draw_row_bars(context, shown.cell, closed_height(context, shown.lines, place) + buttons);
  draw_derivation(context, queue, shown.lines, place);
  const char* const hint = edit_hint(context, shown.cell);
  if (!is_pinned && hint) dim_text(context, hint);
  if (!is_card) ImGui::Dummy({0, 2 * unit(context)});
  if (is_pinned && draw_cell_edits(context, queue, shown.cell)) beside_or_below(context, "Copy…");
  draw_copies(context, queue, shown.cell);
}

}  // namespace

std::optional<Source> explained_cell(const ViewContext& context) {
  const std::optional<Source> shown = valid_cell(context, shown_cell(context));
  const std::optional<Source> pinned = valid_cell(context, context.now.view.pinned);
  // Resting on a number that the pinned one is explained by does not change the subject.
  const bool is_part = shown && pinned && shown != pinned && names(lines_of(context, *pinned), *shown);
  return is_part ? pinned : shown;
}

void draw_inspector(const ViewContext& context, CallQueue& queue) {
  section_heading(context, "Inspector");
  const std::optional<Inspected> shown = inspected(context);
  draw_heading_buttons(context, queue, {.docking = context.now.view.docks_inspector ? "undock" : nullptr});
  if (!shown) return draw_nothing_selected(context);
  ImGui::Dummy({0, 2 * unit(context)});
  draw_place(context, shown->cell);
  ImGui::Dummy({0, 2 * unit(context)});
  const bool is_pinned = shown->cell == valid_cell(context, context.now.view.pinned);
  if (!is_covered(context, shown->cell)) {
    draw_value(context, shown->cell);
    same_line_at_right(button_width(watch_label));
    draw_watch_button(context, queue, shown->cell, watch_label);
    draw_formula(context, shown->cell.stage);
  }
  draw_explanation(context, queue, *shown, is_pinned, false);
  if (is_pinned) draw_unpin(context, queue, "Unpin (Esc)");
}

void draw_inspector_card(const ViewContext& context, CallQueue& queue, ImVec2 low, ImVec2 high) {
  const std::optional<Inspected> shown = inspected(context);
  if (!shown) return;
  const bool is_pinned = shown->cell == valid_cell(context, context.now.view.pinned);
  ImGui::SetCursorScreenPos(low);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_u32(context.theme.inks.card));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 8 * unit(context));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {14 * unit(context), 8 * unit(context)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {6 * unit(context), 2 * unit(context)});
  begin_steady_child("card", {high.x - low.x, high.y - low.y}, true, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, false);  // unlike in the stages around it, arrows go from item to item
  begin_panel(context, queue, Panel::inspector);
  draw_card_heading(context, queue, shown->cell, is_pinned);
  push_font(context.fonts.small_text);
  draw_place_in_a_line(context, shown->cell);
  ImGui::PopFont();
  draw_explanation(context, queue, *shown, is_pinned, true);
  end_panel(context, Panel::inspector);
  ImGui::PopItemFlag();
  ImGui::EndChild();
  register_item(context, "inspector");
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

}  // namespace attnscope

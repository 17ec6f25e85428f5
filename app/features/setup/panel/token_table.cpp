#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "document/edit.h"
#include "features/edit/panel/cell_edits.h"
#include "features/files/reading_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float min_name_width = 42;
constexpr float short_name_width = 57;  // of “journey”, which numbers leave room for
constexpr float max_name_width = 110;
constexpr float least_number_width = 34;  // that shows −0.00
constexpr float most_number_width = 48;
constexpr float most_named_width = 64;  // where the column has a name
constexpr float menu_width = 20;
constexpr float gap = 3;
constexpr float row_padding = 3;  // above and below the text of a field
constexpr float row_padding_across = 5;
constexpr Index most_features_in_setup = 4;
constexpr float least_window_width = 300;
constexpr float most_window_width = 640;
constexpr float most_window_height = 480;
constexpr float wide_name_share = 0.3f;
constexpr std::size_t name_bytes = 256;
constexpr std::size_t sentence_room = 4096;
constexpr Index max_sentence_tokens = 512;
constexpr const char* sentence_name = "tokens/sentence";

// The numbers of the table: typed ones from the document, drawn ones from the result.
class ShownInputs {
public:
  explicit ShownInputs(const ViewContext& context)
      : typed_(std::get_if<SharedTensor>(&context.now.document.config.inputs)),
        drawn_(context.now.result() ? context.now.result()->find(Stage::inputs) : nullptr) {}

  bool are_there() const { return typed_ || drawn_; }
  Index rows() const { return typed_ ? typed_->rows() : drawn_->rows(); }
  Index cols() const { return typed_ ? typed_->cols() : drawn_->cols(); }
  std::span<const float> row(Index token) const {
    if (typed_) return typed_->row(token);
    return std::span(drawn_->values)
        .subspan(static_cast<std::size_t>(token * cols()), static_cast<std::size_t>(cols()));
  }

private:
  const SharedTensor* typed_;
  const Tensor* drawn_;
};

float largest_magnitude(const ViewContext& context) {
  if (!context.now.evaluation.summaries) return 1;
  const SummaryPtr summary = context.now.evaluation.summaries->of(Stage::inputs);
  return summary ? std::max(std::abs(summary->overall.low), std::abs(summary->overall.high)) : 1;
}

template <typename Change>
void edit_tokens(CallQueue& queue, const char* label, Change change) {
  edit_document(queue, {label, change});
}

void draw_name(const ViewContext& context, CallQueue& queue, Index token, float width) {
  std::string name = context.now.document.tokens[static_cast<std::size_t>(token)];
  ImGui::SetNextItemWidth(width);
  if (text_field("##name", "", name, name_bytes))
    edit_document(queue,
                  held_edit("token name", [token, name](Document& document) { rename_token(document, token, name); }));
  finish_when_let_go(queue);
  register_item(context, fmt::format("tokens/{}/name", token));
}

void draw_number(const ViewContext& context, CallQueue& queue, float shown, Index token, Index feature,
                 const ColourRange& range, float width) {
  const Rgb tint = colour_of(range.map, shown, range.low, range.high);
  for (const ImGuiCol ground : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive})
    ImGui::PushStyleColor(ground, to_u32(tint));
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(ink_on(tint)));
  ImGui::SetNextItemWidth(width);
  float value = shown;
  // Dragging moves in hundredths, as shown, but for Alt; typing keeps every digit.
  const ImGuiSliderFlags rounding = ImGui::GetIO().KeyAlt ? ImGuiSliderFlags_NoRoundToFormat : ImGuiSliderFlags_None;
  if (ImGui::DragFloat("##number", &value, drag_speed(context), 0, 0, "%.2f", rounding) && std::isfinite(value))
    edit_document(queue, held_edit("embedding", [token, feature, value](Document& document) {
                    set_input(document, token, feature, value);
                  }));
  finish_when_let_go(queue);
  ImGui::PopStyleColor(4);
  register_item(context, fmt::format("tokens/{}/{}", token, feature));
}

struct RowAction {
  const char* label;
  const char* name;  // of its widget
  const char* edit;  // what undo will say
  bool is_enabled;
  void (*change)(Document& document, Index token);
};

void draw_row_menu(const ViewContext& context, CallQueue& queue, Index token) {
  ImGui::PushStyleColor(ImGuiCol_Button, {0, 0, 0, 0});
  if (ImGui::Button("⋮", {menu_width * unit(context), 0})) ImGui::OpenPopup("token_menu");
  ImGui::PopStyleColor();
  register_item(context, fmt::format("tokens/{}/menu", token));
  item_tooltip(context, "Move, duplicate or delete this token");
  if (!ImGui::BeginPopup("token_menu")) return;
  const Index last = static_cast<Index>(context.now.document.tokens.size()) - 1;
  const RowAction items[] = {{"Move up", "up", "move token", token > 0,
                              [](Document& document, Index at) { move_token(document, at, at - 1); }},
                             {"Move down", "down", "move token", token < last,
                              [](Document& document, Index at) { move_token(document, at, at + 1); }},
                             {"Duplicate", "duplicate", "duplicate token", true, duplicate_token},
                             {"Delete", "delete", "delete token", last > 0, delete_token}};
  for (const RowAction& item : items) {
    if (ImGui::MenuItem(item.label, nullptr, false, item.is_enabled))
      edit_tokens(queue, item.edit, [token, change = item.change](Document& document) { change(document, token); });
    register_item(context, fmt::format("tokens/{}/{}", token, item.name), {.enabled = item.is_enabled});
  }
  ImGui::EndPopup();
}

// Measures of the table for its number of columns: names take what numbers leave. Where that is too little, the numbers
// scroll beside the names.
struct Columns {
  float name = 0;     // width of the names
  float number = 0;   // width of a number
  float numbers = 0;  // where the first number stands, unless scrolled
  float step = 0;     // from one number to the next
  float wanted = 0;   // width of the whole table
};

Columns measure_columns(const ViewContext& context, Index features, float available) {
  const float spacing = gap * unit(context);
  const float menu = menu_width * unit(context) + spacing;
  const float least = min_name_width * unit(context);
  const auto count = static_cast<float>(features);
  Columns columns;
  const float room = std::floor((available - menu - short_name_width * unit(context)) / count) - spacing;
  const float most = context.now.document.config.dimensions.empty() ? most_number_width : most_named_width;
  columns.number = std::clamp(room, least_number_width * unit(context), most * unit(context));
  columns.step = columns.number + spacing;
  const float numbers = columns.step * count - spacing;
  const float left = available - menu - spacing - numbers;
  columns.name = std::clamp(left < least ? wide_name_share * available : left, least, max_name_width * unit(context));
  columns.numbers = menu + columns.name + spacing;
  columns.wanted = columns.numbers + numbers;
  return columns;
}

// Returns whether the table fits beside a scroll bar, so that one more token does not move it to another place.
bool fits(const ViewContext& context, Index features) {
  const float available = setup_room(context) - ImGui::GetStyle().ScrollbarSize;
  return features <= most_features_in_setup && measure_columns(context, features, available).wanted <= available + 1;
}

// Features that are in sight when the table is scrolled sideways: the others cost nothing.
struct VisibleFeatures {
  Index first = 0;
  Index end = 0;
};

VisibleFeatures visible_features(const Columns& columns, Index features) {
  const Index first = static_cast<Index>(std::max(0.0f, ImGui::GetScrollX() / columns.step));
  const Index count = static_cast<Index>(ImGui::GetWindowWidth() / columns.step) + 2;
  return {std::min(first, features), std::min(first + count, features)};
}

void draw_token_row(const ViewContext& context, CallQueue& queue, const ShownInputs& inputs, Index token,
                    const Columns& columns, const ColourRange& range) {
  ImGui::PushID(static_cast<int>(token));
  ImGui::SetCursorPosX(ImGui::GetScrollX());
  draw_row_menu(context, queue, token);
  ImGui::SameLine();
  draw_name(context, queue, token, columns.name);
  push_font(context.fonts.small_number);
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImGui::PushClipRect({low.x + columns.numbers, low.y}, {low.x + size.x, low.y + size.y}, true);
  const VisibleFeatures visible = visible_features(columns, inputs.cols());
  const std::span<const float> numbers = inputs.row(token);
  for (Index feature = visible.first; feature < visible.end; ++feature) {
    ImGui::SameLine(columns.numbers + columns.step * static_cast<float>(feature));
    ImGui::PushID(static_cast<int>(feature));
    draw_number(context, queue, numbers[static_cast<std::size_t>(feature)], token, feature, range, columns.number);
    ImGui::PopID();
  }
  ImGui::PopClipRect();
  ImGui::PopFont();
  ImGui::PopID();
}

// Draws the names of the dimensions above their numbers; a dimension without a name shows its number as a hint.
void draw_dimension_row(const ViewContext& context, CallQueue& queue, const ShownInputs& inputs,
                        const Columns& columns) {
  ImGui::PushID("dimensions");
  ImGui::SetCursorPosX(ImGui::GetScrollX());
  ImGui::AlignTextToFramePadding();
  dim_text(context, "dimension");
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImGui::PushClipRect({low.x + columns.numbers, low.y}, {low.x + size.x, low.y + size.y}, true);
  const VisibleFeatures visible = visible_features(columns, inputs.cols());
  const DimensionNames& names = context.now.document.config.dimensions;
  for (Index feature = visible.first; feature < visible.end; ++feature) {
    const auto at = static_cast<std::size_t>(feature);
    std::string name = at < names.size() ? names[at] : std::string();
    ImGui::SameLine(columns.numbers + columns.step * static_cast<float>(feature));
    ImGui::PushID(static_cast<int>(feature));
    ImGui::SetNextItemWidth(columns.number);
    if (text_field("##dimension", std::to_string(feature + 1).c_str(), name, name_bytes))
      edit_document(queue, held_edit("dimension name", [feature, name](Document& document) {
                      rename_dimension(document, feature, name);
                    }));
    finish_when_let_go(queue);
    register_item(context, fmt::format("tokens/dimensions/{}", feature));
    item_tooltip(context, name.empty() ? "Type a name for this number of every embedding" : name);
    ImGui::PopID();
  }
  ImGui::PopClipRect();
  ImGui::PopID();
}

// Returns the rows that the panel has room for: the table is the last in it. Where it begins too far below, the panel
// scrolls to all of its rows, because a table of a few rows that scrolls in a panel that scrolls hides its numbers.
int rows_shown(Index tokens, float row_height) {
  constexpr Index fewest_rows = 5;
  constexpr Index most_rows_below = 16;
  const float room = ImGui::GetWindowHeight() - ImGui::GetCursorPosY() - ImGui::GetStyle().WindowPadding.y;
  const auto fit = static_cast<Index>((room - ImGui::GetStyle().ScrollbarSize) / row_height);
  return static_cast<int>(std::min(tokens, fit < fewest_rows ? most_rows_below : fit));
}

void draw_rows(const ViewContext& context, CallQueue& queue, const ShownInputs& inputs) {
  const Index tokens = std::min<Index>(inputs.rows(), static_cast<Index>(context.now.document.tokens.size()));
  const ImGuiStyle& style = ImGui::GetStyle();
  const float row_height = ImGui::GetFrameHeight() + style.ItemSpacing.y;
  const int shown = rows_shown(tokens + 1, row_height);  // with the names of the dimensions
  const float scrollbar = tokens + 1 > shown ? style.ScrollbarSize : 0;
  const float available = ImGui::GetContentRegionAvail().x - scrollbar;
  const Columns columns = measure_columns(context, inputs.cols(), available);
  const bool is_wide = columns.wanted > available + 1;
  const float height = static_cast<float>(shown) * row_height + (is_wide ? style.ScrollbarSize : 0);
  begin_flat_child("rows", {0, height}, false, is_wide ? ImGuiWindowFlags_HorizontalScrollbar : 0);
  const ColourRange range = signed_range(largest_magnitude(context), context.theme.is_dark);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(tokens + 1), row_height);
  while (clipper.Step()) {
    for (int line = clipper.DisplayStart; line < clipper.DisplayEnd; ++line) {
      line == 0 ? draw_dimension_row(context, queue, inputs, columns)
                : draw_token_row(context, queue, inputs, line - 1, columns, range);
    }
  }
  if (is_wide) {
    ImGui::SameLine(columns.wanted);
    ImGui::Dummy({1, 0});
  }
  ImGui::EndChild();
}

void draw_buttons(const ViewContext& context, CallQueue& queue, const ShownInputs& inputs) {
  const Index tokens = inputs.rows();
  const Index features = inputs.cols();
  struct Button {
    const char* name;
    const char* label;
    std::string_view obstacle;
    std::string_view help;
    void (*press)(CallQueue& queue);
  };
  const Button buttons[] = {
      {"tokens/add", "+ token", tokens < max_tokens ? "" : "A document has at most 4096 tokens.", "One more token",
       [](CallQueue& to) { edit_tokens(to, "add token", [](Document& document) { add_token(document); }); }},
      {"tokens/add_feature", "+ dim", features < max_features ? "" : "12288 are the most.",
       "Adds a number to every token",
       [](CallQueue& to) { edit_tokens(to, "add dimension", [](Document& document) { add_feature(document); }); }},
      {"tokens/remove_feature", "− dim", features > 1 ? "" : "A token needs at least one number.",
       "Removes the last number of every token",
       [](CallQueue& to) {
         edit_tokens(to, "remove dimension", [](Document& document) { remove_feature(document); });
       }},
      {"tokens/randn", "randn", "", "Draw all numbers with torch.randn from the seed",
       [](CallQueue& to) { edit_tokens(to, "randn", [](Document& document) { fill_with_randn(document); }); }},
      {"tokens/paste", "paste", "",
       "Numbers from the clipboard: cells of a spreadsheet, CSV, or a Python list of lists",
       [](CallQueue& calls) { calls.push([](const Controllers& to) { to.documents.paste_numbers(); }); }}};
  for (const Button& button : buttons) {
    if (&button != buttons) same_line_if_fits(gap * unit(context), button_width(button.label));
    if (!push_button(context, button.name, button.label, button.obstacle, button.help)) continue;
    button.press(queue);
    // The table with one more number for every token is where it can be seen.
    const bool is_wider = &button == &buttons[1] && fits(context, features) && !fits(context, features + 1);
    if (is_wider) change_view(queue, [](ViewState& state) { state.transient.opens_tokens = true; });
  }
}

// Draws the tokens as a sentence: editing it edits them. It is empty for very many tokens, because nobody can read the
// line.
void draw_sentence(const ViewContext& context, CallQueue& queue) {
  const bool is_long = std::ssize(context.now.document.tokens) > max_sentence_tokens;
  const std::string sentence = is_long ? std::string() : fmt::format("{}", fmt::join(context.now.document.tokens, " "));
  const float left = ImGui::GetContentRegionAvail().x - text_size(ImGui::GetFont(), sentence).x;
  const float across = std::clamp(left / 2 - 1, 1 * unit(context), row_padding_across * unit(context));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {across, row_padding * unit(context)});
  ImGui::SetNextItemWidth(-1);
  const bool is_asked_for = context.now.view.transient.pointed == sentence_name;
  const ImGuiID field = ImGui::GetID("##sentence");
  if (is_asked_for && ImGui::GetActiveID() != field && !is_popup_open()) type_into(field);
  document_text_field(context, queue, "##sentence", "A sentence makes tokens", sentence, sentence_room, "sentence",
                      [](Document& document, const std::string& text) { set_sentence(document, text); });
  ImGui::PopStyleVar();
  if (is_asked_for && ImGui::IsItemDeactivated())
    change_view(queue, [](ViewState& state) { state.transient.pointed.clear(); });
  register_item(context, sentence_name);
  item_tooltip(context,
               "Type a sentence and press Enter: its words become the tokens. Words in the table keep their numbers; a "
               "new word always gets the same ones.",
               TooltipPlace::above);
}

constexpr const char* known_label = "Words it knows…";

// Draws the words that the trained model knows, in a popup.
void draw_known_words(const ViewContext& context, const InventedWords& invented, std::string_view place) {
  constexpr const char* popup = "known_words";
  constexpr float width = 420;
  constexpr float height = 260;
  if (push_button(context, fmt::format("{}/known", place), known_label, {}, "The words that the trained model knows"))
    ImGui::OpenPopup(popup);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10 * unit(context), 8 * unit(context)});
  const bool is_open = ImGui::BeginPopup(popup);
  ImGui::PopStyleVar();
  if (!is_open) return;
  ImGui::BeginChild("words", {width * unit(context), height * unit(context)}, false);
  dim_text(context, fmt::format("The trained model knows {} words:", invented.known_to_model.size()));
  const std::string words = fmt::format("{}", fmt::join(invented.known_to_model, "  "));
  plain_text(wrapped(ImGui::GetFont(), words, ImGui::GetContentRegionAvail().x));
  ImGui::EndChild();
  register_item(context, fmt::format("{}/known_words", place));
  ImGui::EndPopup();
}

void draw_table(const ViewContext& context, CallQueue& queue) {
  const ShownInputs inputs(context);
  if (!inputs.are_there()) return;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap * unit(context), gap * unit(context)});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {row_padding_across * unit(context), row_padding * unit(context)});
  // Above the rows, so that a new one does not move them from under the pointer.
  push_font(context.fonts.small_text);
  draw_buttons(context, queue, inputs);
  draw_sentence(context, queue);
  draw_invented_words(context, queue, "tokens");
  draw_rows(context, queue, inputs);
  ImGui::PopFont();
  ImGui::PopStyleVar(2);
}

// Returns a size for all of the table, as far as that is reasonable.
ImVec2 wanted_window(const ViewContext& context) {
  const float most = most_window_width * unit(context);
  const float wanted = measure_columns(context, input_features(context.now.document.config), most).wanted;
  const float scrollbars = ImGui::GetStyle().ScrollbarSize;
  const float line = font_height(context.fonts.small_text) + (2 * row_padding + gap) * unit(context);
  const std::size_t above = context.now.invented ? 7 : 3;  // buttons, sentence, names; what is said of invented words
  const auto lines = static_cast<float>(context.now.document.tokens.size() + above);
  return {std::clamp(wanted + scrollbars, least_window_width * unit(context), most),
          std::min(lines * line + scrollbars + ImGui::GetStyle().WindowPadding.y, most_window_height * unit(context))};
}

void draw_way_to_window(const ViewContext& context, CallQueue& queue) {
  const ShownInputs inputs(context);
  const bool is_open = context.now.view.transient.opens_tokens;
  if (inputs.are_there()) dim_text(context, fmt::format("{} tokens of {} numbers", inputs.rows(), inputs.cols()));
  if (!is_open) {
    push_font(context.fonts.small_text);
    draw_sentence(context, queue);
    ImGui::PopFont();
    draw_invented_words(context, queue, "tokens");
  }
  // Over the stages the rail's button has the name that leads to what is in the window.
  const bool has_rail = !context.now.lesson.lesson && !is_setup_column(context);
  const char* const name = has_rail ? "tokens/edit" : "tokens";
  if (ImGui::Button(is_open ? "Close their table" : "Edit tokens…"))
    change_view(queue, [is_open](ViewState& state) { state.transient.opens_tokens = !is_open; });
  register_item(context, name, {.is_on = is_open, .opens = true});
  item_tooltip(context, "Opens the names and numbers of all tokens in a window");
}

}  // namespace

std::string_view mark_of_invented(const UiState& now) {
  // A lesson has its own text, and a comparison shows two documents.
  const bool is_of_document = !now.viewing && !now.is_comparing() && !now.lesson.lesson;
  return now.invented && is_of_document ? "invented numbers: these shares mean nothing yet" : "";
}

void draw_invented_words(const ViewContext& context, CallQueue& queue, std::string_view place) {
  const std::shared_ptr<const InventedWords>& invented = context.now.invented;
  if (!invented) return;
  static constexpr std::size_t most_named = 6;
  const auto named = [](const std::vector<std::string>& words) {
    std::string list;
    for (std::size_t i = 0; i < std::min(words.size(), most_named); ++i)
      list += fmt::format("{}“{}”", i > 0 ? ", " : "", words[i]);
    return list + (words.size() > most_named ? " …" : "");
  };
  dim_text(context,
           fmt::format("The program invented the numbers of {}: they mean nothing yet.", named(invented->words)));
  register_item(context, fmt::format("{}/invented", place));
  const std::vector<std::string>& unknown = invented->unknown_to_model;
  const std::string obstacle =
      unknown.empty() ? "" : fmt::format("The trained model does not know {}.", named(unknown));
  if (push_button(context, fmt::format("{}/read_by_model", place), "Let the trained model read it", obstacle,
                  "Opens the trained model, which has learned numbers for these words; Ctrl+Z leads back"))
    queue.push([text = invented->text](const Controllers& to) { to.reading.read_by_model(text); });
  same_line_if_fits(gap * unit(context), button_width(known_label));
  draw_known_words(context, *invented, place);
}

bool tokens_fit_setup(const ViewContext& context) { return fits(context, input_features(context.now.document.config)); }

void draw_tokens(const ViewContext& context, CallQueue& queue) {
  section_heading(context, "Tokens and embeddings");
  const bool is_here = tokens_fit_setup(context) && !context.now.view.transient.opens_tokens;
  is_here ? draw_table(context, queue) : draw_way_to_window(context, queue);
}

void draw_token_window(const ViewContext& context, CallQueue& queue) {
  if (!context.now.view.transient.opens_tokens) return;
  const bool is_needed = !context.now.viewing && !begins_with_heads(context.now.document.config);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 wanted = wanted_window(context);
  const ImVec2 size{std::min(wanted.x, 0.9f * display.x), std::min(wanted.y, 0.8f * display.y)};
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Appearing, {0.5f, 0.5f});
  const bool is_open = is_needed && floating_window(context, "Tokens and embeddings", 0, [&] {
                         ImGui::BeginChild("table", size, false);
                         draw_table(context, queue);
                         ImGui::EndChild();
                       });
  if (is_open) return;
  change_view(queue, [](ViewState& state) {
    state.transient.opens_tokens = false;
    if (state.transient.pointed == sentence_name) state.transient.pointed.clear();
  });
}

void type_sentence(CallQueue& queue) {
  change_view(queue, [](ViewState& state) { state.transient.pointed = sentence_name; });
}

}  // namespace attnscope

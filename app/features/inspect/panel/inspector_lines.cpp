#include "features/inspect/panel/inspector.h"

#include <algorithm>

#include "features/shared/panel/calls.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float indent = 11;
constexpr float result_column = 340;  // right end of the results in a card
constexpr float deepest_indent = 5;   // levels; deeper ones are not indented further
constexpr float arrow_share = 0.27F;  // of a line's height, from the middle of the arrow to its edge

class Lines {
public:
  Lines(const ViewContext& context, CallQueue& queue, ImFont* font)
      : context_(context), queue_(queue), number_font_(font) {}

  // `result`, if any, stands at the right end of the line.
  void draw(const DerivationLine& line, const std::string& result = {}) {
    ImGui::PushID(index_++);
    const float offset = std::min(static_cast<float>(line.depth), deepest_indent) * indent * unit(context_);
    if (offset > 0) ImGui::Indent(offset);
    push_font(line.line.is_words ? context_.fonts.small_text : number_font_);
    if (is_rested_on(line)) draw_ground();
    if (line.is_heading) {
      draw_heading(line);
    } else if (line.line.is_rest) {
      draw_rest(line);
    } else if (line.line.source) {
      draw_numbers(line);
    } else {
      draw_words(line);
    }
    if (!result.empty()) draw_result(result);
    ImGui::PopFont();
    if (offset > 0) ImGui::Unindent(offset);
    ImGui::PopID();
  }

  // Marks the term under the pointer elsewhere, from the next frame on.
  void mark_term() {
    if (term_ == context_.now.view.transient.term) return;
    change_view(queue_, [term = term_](ViewState& state) { state.transient.term = term; });
  }

private:
  static std::string name_of(const DerivationLine& line) { return "inspector/line/" + line.path; }

  bool is_rested_on(const DerivationLine& line) const {
    const std::optional<Source>& cell = context_.now.hovered;
    return cell && context_.now.view.pinned != cell && (line.line.source == cell || line.line.second == cell);
  }

  void draw_ground() const {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float right = low.x + ImGui::GetContentRegionAvail().x;
    fill_box(low, {right, low.y + ImGui::GetTextLineHeight()}, {context_.theme.inks.chosen});
  }

  // Makes a number a link: a click or Enter leads to it.
  void link(const std::string& name, bool is_pressed, const Source& source) {
    if (is_pressed) change_view(queue_, [source](ViewState& state) { look_at(state, source); });
    if (ImGui::IsItemHovered() || ImGui::IsItemFocused()) term_ = source;
    register_item(context_, name);
    item_tooltip(context_, "Go to " + number_text(*context_.now.result(), source, query_and_key_names(context_)));
  }

  void toggle(const std::string& path) {
    change_view(queue_, [path](ViewState& state) {
      if (state.transient.opened.erase(path) == 0) state.transient.opened.insert(path);
    });
  }

  void draw_arrow(const DerivationLine& line) {
    const float side = ImGui::GetTextLineHeight();
    if (pressable_area("open", {side, side})) toggle(line.path);
    register_item(context_, name_of(line) + "/open", {.is_on = line.is_open});
    // Not over the lines that a click has just opened.
    if (!line.is_open) item_tooltip(context_, "How these numbers were computed");
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 middle{low.x + 0.35F * side, low.y + 0.5F * side};
    const float reach = arrow_share * side;
    const ImVec2 tip = line.is_open ? ImVec2{middle.x, middle.y + reach} : ImVec2{middle.x + reach, middle.y};
    const ImVec2 one = line.is_open ? ImVec2{middle.x - reach, middle.y - 0.6F * reach}
                                    : ImVec2{middle.x - 0.6F * reach, middle.y - reach};
    const ImVec2 other = line.is_open ? ImVec2{middle.x + reach, middle.y - 0.6F * reach}
                                      : ImVec2{middle.x - 0.6F * reach, middle.y + reach};
    fill_triangle(one, tip, other,
                  {ImGui::IsItemHovered() ? context_.theme.inks.accent : context_.theme.inks.dim_text});
    ImGui::SameLine(0, 0);
  }

  // "inspector/line/3", and "inspector/line/3/second" where the line leads to two numbers.
  void draw_numbers(const DerivationLine& line) {
    const std::string name = name_of(line);
    const ExplanationLine& text = line.line;
    if (line.can_open) draw_arrow(line);
    ImGui::PushStyleColor(ImGuiCol_Text, to_u32(context_.theme.inks.accent));
    if (text.second) {
      link(name, text_part(0, text.text.substr(0, text.second_begin)), *text.source);
      ImGui::SameLine(0, 0);
      draw_second(name + "/second", text);
    } else {
      const std::string shown = is_column() ? text.text : without_padding(text.text);
      link(name, wrapped_parts(shown, ImGui::GetTextLineHeight()), *text.source);
    }
    ImGui::PopStyleColor();
  }

  // The result of a product stands beside it if there is room. If not, a column has it on the next line, and a card
  // shows only the name in brackets behind it.
  void draw_second(const std::string& name, const ExplanationLine& text) {
    const std::string second = text.text.substr(text.second_begin);
    const std::size_t equals = second.find(" = ");
    const bool fits = text_size(ImGui::GetFont(), second).x <= ImGui::GetContentRegionAvail().x;
    if (fits || equals == std::string::npos) return link(name, text_part(1, second), *text.second);
    const std::size_t bracket = second.find(" (", equals);
    const std::string named = second.substr(0, equals) + (bracket == std::string::npos ? "" : second.substr(bracket));
    if (!is_column() && text_size(ImGui::GetFont(), named).x <= ImGui::GetContentRegionAvail().x)
      return link(name, text_part(1, named), *text.second);
    link(name, text_part(1, second.substr(0, equals)), *text.second);
    ImGui::Indent(ImGui::GetTextLineHeight());
    plain_text(second.substr(equals + 1));
    ImGui::Unindent(ImGui::GetTextLineHeight());
  }

  // Draws a text in as many lines as it takes, the further ones indented; returns whether one was pressed.
  static bool wrapped_parts(std::string_view text, float indented) {
    const std::string shown = wrapped(ImGui::GetFont(), text, ImGui::GetContentRegionAvail().x);
    bool is_pressed = false;
    int part = 0;
    for (std::size_t begin = 0; begin <= shown.size();) {
      const std::size_t end = std::min(shown.find('\n', begin), shown.size());
      if (part > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indented);
      is_pressed = text_part(part++, std::string_view(shown).substr(begin, end - begin)) || is_pressed;
      begin = end + 1;
    }
    return is_pressed;
  }

  bool is_column() const { return number_font_ == context_.fonts.number; }  // letters stand below each other

  // Returns a text without the blanks that make letters of one width stand below each other.
  static std::string without_padding(std::string_view text) {
    std::string shown;
    for (const char each : text)
      if (each != ' ' || !shown.ends_with(' ')) shown += each;
    return shown;
  }

  void draw_heading(const DerivationLine& line) {
    push_font(context_.fonts.small_text);
    link(name_of(line), wrapped_parts(line.line.text, 0), *line.line.source);
    ImGui::PopFont();
  }

  void draw_rest(const DerivationLine& line) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_u32(context_.theme.inks.accent));
    if (text_part(0, line.line.text + " …")) toggle(line.path);
    ImGui::PopStyleColor();
    register_item(context_, "inspector/more/" + line.path);
    item_tooltip(context_, "Show more of them");
  }

  void draw_words(const DerivationLine& line) {
    ImGui::PushStyleColor(ImGuiCol_Text,
                          to_u32(line.line.is_words ? context_.theme.inks.dim_text : context_.theme.inks.text));
    plain_text(wrapped(ImGui::GetFont(), line.line.text, ImGui::GetContentRegionAvail().x));
    ImGui::PopStyleColor();
  }

  // Draws a result in a column of its own, which stays near the lines in a wide card.
  void draw_result(const std::string& result) const {
    const float width = ImGui::CalcTextSize(result.c_str()).x;
    const float right = std::min(ImGui::GetWindowContentRegionMax().x, result_column * unit(context_));
    ImGui::SameLine();
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - width));
    ImGui::TextUnformatted(result.c_str());
  }

  const ViewContext& context_;
  CallQueue& queue_;
  ImFont* number_font_;
  int index_ = 0;
  std::optional<Source> term_;
};

// Returns the font of all lines of numbers: letters of one width in a column, narrower ones in a card. One sum never
// stands in two fonts.
ImFont* font_of_numbers(const ViewContext& context, bool is_card) {
  return is_card ? context.fonts.small_text : context.fonts.number;
}

// Returns whether the second line is the result of the first one.
bool is_result(const DerivationLine& line, const DerivationLine& next) {
  const bool is_plain = !line.line.is_words && !line.is_heading && !line.line.is_rest && !line.is_open;
  return is_plain && line.depth == next.depth && !next.line.source && !next.can_open &&
         next.line.text.starts_with("= ") && line.line.text.find(" = ") == std::string::npos &&
         !line.line.text.starts_with("= ");
}

}  // namespace

void draw_derivation(const ViewContext& context, CallQueue& queue, const std::vector<DerivationLine>& all,
                     DerivationPlace place) {
  const bool is_card = place != DerivationPlace::column;
  Lines lines(context, queue, font_of_numbers(context, is_card));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (place == DerivationPlace::card && all[i].line.is_note) continue;
    const bool has_result = is_card && i + 1 < all.size() && is_result(all[i], all[i + 1]);
    lines.draw(all[i], has_result ? all[i + 1].line.text : "");
    if (has_result) ++i;
  }
  lines.mark_term();
}

float closed_height(const ViewContext& context, const std::vector<DerivationLine>& all, DerivationPlace place) {
  const bool is_card = place != DerivationPlace::column;
  const float width = ImGui::GetContentRegionAvail().x;
  float height = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ExplanationLine& line = all[i].line;
    const bool is_left_out = place == DerivationPlace::card && line.is_note;
    if (all[i].depth > 0 || is_left_out || (is_card && i > 0 && is_result(all[i - 1], all[i]))) continue;
    const ImFont* const font = line.is_words ? context.fonts.small_text : font_of_numbers(context, is_card);
    const std::string text = line.is_words ? wrapped(font, line.text, width) : line.text;
    height += text_size(font, text).y + ImGui::GetStyle().ItemSpacing.y;
  }
  return height;
}

bool names(const std::vector<DerivationLine>& lines, const Source& source) {
  return std::ranges::any_of(
      lines, [&](const DerivationLine& each) { return each.line.source == source || each.line.second == source; });
}

}  // namespace attnscope

#include "features/shared/panel/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "features/lessons/lesson_controller.h"
#include "features/predict/prediction_controller.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/calls.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

using Style = TextSpan::Style;

constexpr float line_spacing = 3;
constexpr float paragraph_gap = 7;
constexpr float code_padding = 6;
constexpr float item_indent = 14;

const ImFont* font_of(const ViewContext& context, Style style) {
  if (style == Style::strong) return context.fonts.heading;
  return style == Style::code || style == Style::number ? context.fonts.number : context.fonts.text;
}

// Lays out words one after the other, in lines.
class Flow {
public:
  Flow(const ViewContext& context, float indent)
      : context_(context),
        origin_screen_(ImGui::GetCursorScreenPos()),
        left_(indent * unit(context)),
        width_(ImGui::GetContentRegionAvail().x),
        height_(font_height(context.fonts.text)),
        at_{left_, 0} {}

  void add(const TextSpan& span) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const bool is_blank = rest.front() == ' ';
      const std::size_t end = std::min(is_blank ? rest.find_first_not_of(' ') : rest.find(' '), rest.size());
      if (is_blank) {
        place();
      } else {
        joined_.push_back({rest.substr(0, end), span.style});
      }
      rest.remove_prefix(end);
    }
  }
  // Puts pieces without a blank between them into one line, whatever their styles.
  void place() {
    if (joined_.empty()) return;
    float width = 0;
    for (const Piece& piece : joined_) width += text_size(font_of(context_, piece.style), piece.text).x;
    const float blank = at_.x > left_ ? text_size(context_.fonts.text, " ").x : 0;
    if (at_.x + blank + width > width_ && at_.x > left_) {
      at_ = {left_, at_.y + height_ + line_spacing * unit(context_)};
    } else {
      at_.x += blank;
    }
    for (const Piece& piece : joined_) at_.x += draw(piece.text, piece.style);
    joined_.clear();
  }
  void mark(std::string_view text) {
    draw_text(context_.fonts.text, origin_screen_, {context_.theme.inks.dim_text}, text);
  }
  float height() const { return at_.y + height_; }

private:
  struct Piece {
    std::string_view text;
    Style style = Style::plain;
  };

  float draw(std::string_view text, Style style) const {
    const ImFont* const font = font_of(context_, style);
    const float width = text_size(font, text).x;
    const Theme& theme = context_.theme;
    const float drop = font_ascent(context_.fonts.text) - font_ascent(font);  // to one baseline
    const ImVec2 pos_screen{origin_screen_.x + at_.x, origin_screen_.y + at_.y + drop};
    if (style == Style::emphasis) {
      draw_slanted_text(font, pos_screen, {theme.inks.text}, text);
    } else {
      draw_text(font, pos_screen, {style == Style::number ? theme.inks.accent : theme.inks.text}, text);
    }
    return width;
  }

  const ViewContext& context_;
  ImVec2 origin_screen_;
  float left_;
  float width_;
  float height_;
  ImVec2 at_;
  std::vector<Piece> joined_;  // not placed yet
};

void draw_code(const ViewContext& context, const TextBlock& block) {
  const float padding = code_padding * unit(context);
  const float room = ImGui::GetContentRegionAvail().x - 2 * padding;
  const std::string& text = block.spans.front().text;
  const ImFont* font = context.fonts.number;
  if (text_size(font, text).x > room) font = context.fonts.small_number;
  const bool is_wide = text_size(font, text).x > room && block.spans.front().style == Style::code;
  const std::string lines = is_wide ? wrapped(font, text, room) : text;
  // A table of numbers is never cut: its digits become smaller, or an audience gets a wider panel.
  const float shrink = is_presenting(context) ? 1 : std::min(1.0F, room / std::max(text_size(font, lines).x, 1.0F));
  const float height = shrink * font_height(font);
  const ImVec2 size = text_size(font, height, lines);
  const ImVec2 pos_screen = ImGui::GetCursorScreenPos();
  const ImVec2 box{std::max(room, size.x) + 2 * padding, size.y + 2 * padding};
  fill_box(pos_screen, {pos_screen.x + box.x, pos_screen.y + box.y}, {context.theme.inks.card}, 4 * unit(context));
  const bool is_number = block.spans.front().style == Style::number;
  draw_text(font, height, {pos_screen.x + padding, pos_screen.y + padding},
            {is_number ? context.theme.inks.accent : context.theme.inks.text}, lines);
  ImGui::Dummy(box);
}

void draw_flow(const ViewContext& context, const TextBlock& block) {
  const bool is_item = block.kind == TextBlock::Kind::item;
  Flow flow(context, is_item ? item_indent : 0);
  if (is_item) flow.mark("•");
  for (const TextSpan& span : block.spans) flow.add(span);
  flow.place();
  ImGui::Dummy({ImGui::GetContentRegionAvail().x, flow.height()});
}

constexpr float bar_height = 96;
constexpr float typed_width = 110;
constexpr std::size_t most_typed = 40;

void change_answer(CallQueue& queue, const AskedQuestion& asked, std::function<void(Answer&)> change) {
  queue.push([is_of_lesson = asked.is_of_lesson, change = std::move(change)](const Controllers& to) {
    is_of_lesson ? to.lessons.change_answer(change) : to.predictions.change_answer(change);
  });
}

std::string widget_name(const AskedQuestion& asked, std::string_view part) {
  return fmt::format("{}/{}", asked.name, part);
}

void draw_clicked(const ViewContext& context, const AttentionConfig& config) {
  const std::optional<Source>& cell = context.now.view.pinned;
  if (!cell) return dim_text(context, "You have not clicked a cell yet.");
  std::string words = fmt::format("row {}, column {}", cell->row + 1, cell->col + 1);
  const std::vector<std::string>& labels = context.now.labels;
  const auto name = [&](Index index) { return labels[static_cast<std::size_t>(index)]; };
  const Index count = std::ssize(labels);
  if (is_query_by_key(info(cell->stage).axes) && cell->row < count && cell->col < count)
    words = fmt::format("query “{}”, key “{}”", name(cell->row), name(cell->col));
  const bool has_heads = is_per_head(config, cell->stage) && head_count(config) > 1;
  if (has_heads) words = fmt::format("head {}, {}", cell->head + 1, words);
  dim_text(context, fmt::format("You clicked {}, {}", info(cell->stage).title, words));
}

// Draws the field of a typed answer; returns whether it is to be judged.
bool draw_typed(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked) {
  std::string typed = asked.answering.answer.typed;
  ImGui::SetNextItemWidth(typed_width * unit(context));
  const char* const hint = is_in_percent(asked.question) ? "such as 2.5 %" : "a number";
  const bool is_entered = text_field("##lesson_number", hint, typed, most_typed, ImGuiInputTextFlags_EnterReturnsTrue);
  register_item(context, widget_name(asked, "number"));
  if (typed != asked.answering.answer.typed)
    change_answer(queue, asked, [typed](Answer& answer) { answer.typed = typed; });
  return is_entered;
}

// Draws a bar at the cursor, behind the slider that drags it.
void draw_bar(const ViewContext& context, ImVec2 size, float share) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 high{low.x + size.x, low.y + size.y};
  fill_box(low, high, {context.theme.inks.window}, 3 * unit(context));
  fill_box({low.x, high.y - share * size.y}, high, {context.theme.inks.accent, 0.35});
}

void draw_bars(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked) {
  const std::vector<float>& bars = asked.answering.answer.bars;
  const std::vector<std::string>& names = asked.answering.texts.bars;
  if (bars.empty() || names.size() < bars.size()) return;
  const float gap = 4 * unit(context);
  const auto count = static_cast<float>(bars.size());
  const float width = std::min((ImGui::GetContentRegionAvail().x - gap * (count - 1)) / count, 54 * unit(context));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImFont* const font = context.fonts.small_text;
  const bool is_narrow = width < text_size(context.fonts.text, "0.00").x + 6 * unit(context);
  push_font(is_narrow ? context.fonts.small_number : context.fonts.text);
  ImGui::BeginDisabled(asked.is_done);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, {0, 0, 0, 0});
  ImGui::PushStyleColor(ImGuiCol_SliderGrab, {0, 0, 0, 0});  // the bar's own end is where it is dragged
  ImGui::PushStyleColor(ImGuiCol_SliderGrabActive, {0, 0, 0, 0});
  float sum = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, gap);
    float bar = bars[i];
    sum += bar;
    draw_bar(context, {width, bar_height * unit(context)}, bar);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::VSliderFloat("##bar", {width, bar_height * unit(context)}, &bar, 0, 1, "%.2f"))
      change_answer(queue, asked, [i, bar](Answer& answer) {
        if (i < answer.bars.size()) answer.bars[i] = std::clamp(bar, 0.0F, 1.0F);
      });
    ImGui::PopID();
    register_item(context, widget_name(asked, fmt::format("bar/{}", i)), {.enabled = !asked.is_done});
    item_tooltip(context, names[i]);
    const std::string shown = fit_text(font, names[i], width);
    draw_text(font,
              {origin.x + static_cast<float>(i) * (width + gap) + (width - text_size(font, shown).x) / 2,
               origin.y + (bar_height + 2) * unit(context)},
              {context.theme.inks.text}, shown);
  }
  ImGui::PopStyleColor(3);
  ImGui::EndDisabled();
  ImGui::PopFont();
  ImGui::Dummy({0, font_height(font)});
  dim_text(context, fmt::format("The bars sum to {}.", format_fixed(static_cast<double>(sum), 2)));
}

void draw_choices(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked) {
  const float indent = 24 * unit(context);
  const float padding = 4 * unit(context);
  for (std::size_t i = 0; i < asked.answering.texts.choices.size(); ++i) {
    const std::string& text = asked.answering.texts.choices[i];
    const float room = ImGui::GetContentRegionAvail().x - indent - padding;
    const std::string lines = wrapped(context.fonts.text, text, room);
    const float height = text_size(context.fonts.text, lines).y + 2 * padding;
    const ImVec2 pos_screen = ImGui::GetCursorScreenPos();
    const bool is_chosen = asked.answering.answer.choice == i;
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable("##choice", is_chosen, 0, {0, height}))
      change_answer(queue, asked, [i](Answer& answer) { answer.choice = i; });
    ImGui::PopID();
    register_item(context, widget_name(asked, fmt::format("choice/{}", i)), {.is_on = is_chosen});
    const ImVec2 middle{pos_screen.x + indent / 2, pos_screen.y + padding + font_height(context.fonts.text) / 2};
    outline_circle(middle, 6 * unit(context), {is_chosen ? context.theme.inks.accent : context.theme.inks.dim_text},
                   1.5F * unit(context));
    if (is_chosen) fill_circle(middle, 3 * unit(context), {context.theme.inks.accent});
    draw_text(context.fonts.text, {pos_screen.x + indent, pos_screen.y + padding}, {context.theme.inks.text}, lines);
  }
}

// Draws the field of the answer; returns whether it is to be judged.
bool draw_answer(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked) {
  const Question& question = asked.question;
  switch (question.kind) {
    case Question::Kind::cell:
      draw_clicked(context, asked.answering.numbers->config);
      return false;
    case Question::Kind::number:
      return draw_typed(context, queue, asked);
    case Question::Kind::sketch:
      draw_bars(context, queue, asked);
      return false;
    case Question::Kind::choose:
      draw_choices(context, queue, asked);
      return false;
    case Question::Kind::reach:
      dim_text(context, "Goal: " + asked.answering.texts.goal);
      return false;
  }
  return false;
}

// Draws a sentence; its numbers stay whole.
void draw_sentence(const ViewContext& context, Rgb colour, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(colour));
  ImGui::TextUnformatted(wrapped(context.fonts.text, text, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopStyleColor();
}

void draw_outcome(const ViewContext& context, const AskedQuestion& asked) {
  const std::optional<Verdict>& verdict = asked.answering.verdict;
  const QuestionRecord& record = asked.record;
  if (verdict && !verdict->is_right) {
    ImGui::Dummy({0, 1 * unit(context)});
    draw_sentence(context, context.theme.inks.warning, verdict->why);
    register_item(context, widget_name(asked, "why"));
  }
  if (!asked.is_done) return;
  ImGui::Dummy({0, 1 * unit(context)});
  if (record.is_right) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_u32(context.theme.inks.after));
    ImGui::TextUnformatted(record.wrong == 0 ? "✓ Right." : "✓ Right in the end.");
    ImGui::PopStyleColor();
    register_item(context, widget_name(asked, "outcome"));
  } else if (record.is_revealed) {
    draw_sentence(context, context.theme.inks.text, "Revealed: " + asked.answering.texts.answer);
    register_item(context, widget_name(asked, "outcome"));
  }
  draw_lesson_text(context, widget_name(asked, "because"), asked.answering.texts.because);
}

// Scrolls to what is said about an answer where there is no room for it below; also once the scrollbar has come,
// which makes its lines shorter.
void scroll_to_outcome(const AskedQuestion& asked) {
  const int said = asked.is_done ? -1 : asked.answering.verdict ? 1 + asked.record.wrong : 0;
  int& before = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("said"), said);
  int& frames = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("frames"));
  if (std::exchange(before, said) != said) frames = 3;
  if (frames == 0) return;
  --frames;
  ImGui::SetScrollHereY(1);
}

}  // namespace

void draw_lesson_text(const ViewContext& context, std::string_view name, std::span<const TextBlock> blocks) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * unit(context), paragraph_gap * unit(context)});
  int index = 0;
  for (const TextBlock& block : blocks) {
    if (block.kind == TextBlock::Kind::code) {
      draw_code(context, block);
    } else {
      draw_flow(context, block);
    }
    register_item(context, fmt::format("{}/{}", name, index++));
  }
  ImGui::PopStyleVar();
}

void draw_asked_question(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked) {
  draw_lesson_text(context, widget_name(asked, "ask"), asked.answering.texts.ask);
  const bool is_number = asked.question.kind == Question::Kind::number;
  if (is_number && asked.record.is_revealed) {  // this says the number
    draw_outcome(context, asked);
    return scroll_to_outcome(asked);
  }
  bool is_answered = draw_answer(context, queue, asked);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float buttons = ImGui::CalcTextSize("CheckReveal").x + 4 * style.FramePadding.x + 2 * style.ItemSpacing.x;
  const bool has_room = ImGui::GetContentRegionAvail().x >= typed_width * unit(context) + buttons;
  if (is_number && has_room) ImGui::SameLine();
  if (!asked.is_done) {
    if (push_button(context, widget_name(asked, "answer"), "Check")) is_answered = true;
    ImGui::SameLine();
    if (push_button(context, widget_name(asked, "reveal"), "Reveal", {},
                    "Shows the answer, which counts as revealed, not as right"))
      queue.push([is_of_lesson = asked.is_of_lesson](const Controllers& to) {
        is_of_lesson ? to.lessons.reveal() : to.predictions.reveal();
      });
  } else if (is_number && has_room) {
    ImGui::NewLine();
  }
  if (is_answered && !asked.is_done)
    queue.push([is_of_lesson = asked.is_of_lesson](const Controllers& to) {
      is_of_lesson ? to.lessons.answer() : to.predictions.answer();
    });
  draw_outcome(context, asked);
  scroll_to_outcome(asked);
}

}  // namespace attnscope

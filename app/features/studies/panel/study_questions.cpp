#include <fmt/format.h>

#include "document/edit.h"
#include "features/predict/panel/covering.h"
#include "features/shared/panel/menu.h"
#include "features/studies/panel/study.h"
#include "paint_window/text.h"
#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float answer_width = 300;
constexpr std::size_t most_searched_bytes = 100;

void draw_question_list(const ViewContext& context, CommandQueue& queue) {
  std::string text = context.now.view.passing.question_search;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::IsWindowAppearing() && context.now.view.passing.question->empty()) ImGui::SetKeyboardFocusHere();
  if (text_field("##search", "Search the questions", text, most_searched_bytes))
    change_view(queue, [text](ViewState& state) { state.passing.question_search = text; });
  register_item(context, "questions/search");
  const std::vector<const ReaderQuestion*> found = find_questions(text);
  if (found.empty()) dim_text(context, "No question has these words.");
  int number = 0;
  for (const ReaderQuestion* const question : found) {
    const bool is_shown = context.now.view.passing.question == question->id;
    const std::string label = wrapped(ImGui::GetFont(), question->text, ImGui::GetContentRegionAvail().x);
    ImGui::PushID(number++);
    const ImVec2 size{0, ImGui::CalcTextSize(label.c_str()).y};
    if (ImGui::Selectable(label.c_str(), is_shown, 0, size)) show_question(queue, question->id);
    ImGui::PopID();
    register_item(context, fmt::format("questions/{}", question->id), {.is_on = is_shown});
  }
}

void draw_paragraph(const ViewContext& context, std::string_view name, std::string_view text) {
  ImGui::BeginGroup();
  plain_text(wrapped(context.fonts.text, text, ImGui::GetContentRegionAvail().x));
  ImGui::EndGroup();
  register_item(context, name);
  ImGui::Spacing();
}

void draw_answer(const ViewContext& context, CommandQueue& queue, const ReaderQuestion& question) {
  push_font(context.fonts.heading);
  plain_text(wrapped(context.fonts.heading, question.text, ImGui::GetContentRegionAvail().x));
  ImGui::PopFont();
  ImGui::Spacing();
  const ReaderAnswer* const answer = context.now.answer.get();
  const bool is_there = answer && answer->question == question.id;
  const std::string covered = obstacle_of_cover(context.now);
  const bool is_of_example = covered.empty() && is_there && !answer->example.empty();
  if (is_of_example) draw_paragraph(context, "questions/example", answer->example);
  draw_paragraph(context, "questions/answer", !covered.empty() ? covered : is_there ? answer->text : "Being computed.");
  if (is_of_example &&
      push_button(context, "questions/use", "Use this example", {}, "Changes the document; Ctrl+Z takes it back"))
    queue.push_back(EditDocument{"example", [change = question.example->with](Document& document) {
                                   set_config(document, change(document.config));
                                 }});
  ImGui::Spacing();
}

void close_questions(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) { state.passing.question.reset(); });
}

}  // namespace

void show_question(CommandQueue& queue, std::string_view id) {
  change_view(queue, [id = std::string(id)](ViewState& state) {
    state.passing.question = id;
    state.layout = Layout::study;
    if (state.side == ComparedSide::difference || state.side == ComparedSide::side_by_side)
      state.side = ComparedSide::now;
    if (const ReaderQuestion* const question = question_named(id))
      state.study = {.id = std::string(question->study), .values = {question->controls}};
  });
}

bool draw_questions(const ViewContext& context, CommandQueue& queue) {
  if (!context.now.view.passing.question) return false;
  ImGui::BeginChild("questions", {answer_width * unit(context), 0}, false, ImGuiWindowFlags_NoScrollbar);
  push_font(context.fonts.small_text);
  ImGui::TextDisabled("Questions");
  ImGui::PopFont();
  const float close = ImGui::CalcTextSize("×").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetContentRegionMax().x - close);
  if (push_button(context, "questions/close", "×", {}, "Closes the questions; the view stays")) close_questions(queue);
  if (const ReaderQuestion* const question = question_named(*context.now.view.passing.question)) {
    draw_answer(context, queue, *question);
    ImGui::Separator();
    ImGui::Spacing();
  }
  ImGui::BeginChild("list", {0, 0}, false);
  draw_question_list(context, queue);
  ImGui::EndChild();
  ImGui::EndChild();
  return true;
}

void draw_questions_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/learn/questions", "Questions")) return;
  if (menu_item(context, "menu/learn/questions/search", "Search…")) show_question(queue, "");
  ImGui::Separator();
  for (const ReaderQuestion& question : questions()) {
    if (menu_item(context, fmt::format("menu/learn/questions/{}", question.id), question.text))
      show_question(queue, question.id);
  }
  ImGui::EndMenu();
}

float why_width(const ViewContext& context) { return text_size(context.fonts.small_text, "?").x + 8 * unit(context); }

void draw_why(const ViewContext& context, CommandQueue& queue, const ReaderQuestion& question, std::string_view name,
              ImVec2 pos_screen) {
  const ImVec2 size{why_width(context), font_height(context.fonts.small_text)};
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(pos_screen);
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool is_clicked = pressable_area("why", size);
  ImGui::PopID();
  const bool is_hovered = ImGui::IsItemHovered();
  draw_text(*ImGui::GetWindowDrawList(), context.fonts.small_text, {pos_screen.x + 4 * unit(context), pos_screen.y},
            to_u32(is_hovered ? context.theme.inks.accent : context.theme.inks.dim_text), "?");
  register_item(context, fmt::format("why/{}", name));
  item_tooltip(context, question.text);
  ImGui::SetCursorScreenPos(before);
  if (is_clicked) show_question(queue, question.id);
}

void draw_why_of_control(const ViewContext& context, CommandQueue& queue, std::string_view control,
                         std::string_view label) {
  const ReaderQuestion* const question = question_at_control(control);
  const float width = ImGui::CalcTextSize(label.data(), label.data() + label.size()).x;
  if (!question || width + why_width(context) > row_label_room(context)) return;
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  const float drop = (ImGui::GetFrameHeight() - font_height(context.fonts.small_text)) / 2;
  draw_why(context, queue, *question, fmt::format("setup/{}", control), {begin.x + width, begin.y + drop});
}

}  // namespace attnscope

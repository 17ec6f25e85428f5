#include "features/studies/panel/study.h"

#include <fmt/format.h>

#include "features/predict/panel/covering.h"
#include "features/shared/panel/menu.h"
#include "features/studies/panel/study_questions.h"
#include "paint_window/text.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float list_width = 190;

// Returns the right end of what shows of the window, however wide its content is.
float visible_right() {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float scrollbar = ImGui::GetScrollMaxY() > 0 ? style.ScrollbarSize : 0;
  return ImGui::GetScrollX() + ImGui::GetWindowWidth() - scrollbar - style.ItemSpacing.x / 2;
}

void draw_list_of_studies(const ViewContext& context, CommandQueue& queue) {
  std::vector<Choice> choices;
  std::vector<std::string> reasons;
  reasons.reserve(studies().size());
  int shown = 0;
  for (const StudyInfo& study : studies()) {
    if (study.id == shown_study(context.now.view.study).id) shown = static_cast<int>(choices.size());
    reasons.push_back(obstacle_to(study, *context.now.result()));
    choices.push_back({std::string(study.title), reasons.back(), study.id});
  }
  ImGui::SetNextItemWidth(list_width * unit(context));
  const int chosen = choose_from(context, "study/view", choices, shown);
  if (chosen >= 0) show_study(queue, studies()[static_cast<std::size_t>(chosen)].id);
}

// The list of views, the question, and the way back.
void draw_study_title(const ViewContext& context, CommandQueue& queue) {
  draw_list_of_studies(context, queue);
  const float back = ImGui::CalcTextSize("×  Diagram").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = visible_right();
  ImGui::SameLine(0, 12 * unit(context));
  push_font(context.fonts.heading);
  ImGui::AlignTextToFramePadding();
  const float room = right - back - ImGui::GetCursorPosX() - 12 * unit(context);
  ImGui::TextUnformatted(
      fit_text(context.fonts.heading, shown_study(context.now.view.study).question, std::max(room, 1.0F)).c_str());
  ImGui::PopFont();
  register_item(context, "study/question");
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - back));
  if (push_button(context, "study/back", "×  Diagram", {}, "Back to the diagram (Esc)")) close_study(queue);
}

void draw_sentence(const ViewContext& context, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  ImGui::BeginGroup();
  plain_text(wrapped(context.fonts.text, text, visible_right() - ImGui::GetCursorPosX()));
  ImGui::EndGroup();
  register_item(context, name);
}

}  // namespace

void show_study(CommandQueue& queue, std::string_view id) {
  change_view(queue, [id = std::string(id)](ViewState& state) {
    state.layout = Layout::study;
    if (state.study.id != id) state.study = {.id = id};
    state.passing.question.reset();
  });
}

void close_study(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.layout = Layout::diagram;
    state.passing.question.reset();
  });
}

namespace {

void draw_view(const ViewContext& context, CommandQueue& queue) {
  draw_study_title(context, queue);
  if (const std::string covered = obstacle_of_cover(context.now); !covered.empty()) return dim_text(context, covered);
  const Board* const board = context.now.board.get();
  if (!board || board->id != shown_study(context.now.view.study).id) return dim_text(context, "Being computed.");
  draw_sentence(context, "study/sentence", board->headline);
  if (!board->controls.empty()) draw_board_controls(context, queue, *board);
  if (!board->note.empty()) dim_text(context, board->note);
  if (!board->lines.empty()) draw_board(context, queue, *board);
}

}  // namespace

void draw_study(const ViewContext& context, CommandQueue& queue) {
  if (!draw_questions(context, queue)) return draw_view(context, queue);
  ImGui::SameLine(0, 16 * unit(context));
  ImGui::BeginChild("view", {0, 0}, false);
  draw_view(context, queue);
  ImGui::EndChild();
}

void draw_study_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/learn/views", "Views")) return;
  for (const StudyInfo& study : studies()) {
    const std::string obstacle =
        context.now.result() ? obstacle_to(study, *context.now.result()) : "Nothing is computed yet.";
    const bool is_shown =
        context.now.view.layout == Layout::study && shown_study(context.now.view.study).id == study.id;
    const std::string label = fmt::format("{}: {}", study.title, study.question);
    if (menu_item(context, fmt::format("menu/learn/views/{}", study.id), label,
                  {.is_on = is_shown, .obstacle = obstacle}))
      show_study(queue, study.id);
  }
  ImGui::EndMenu();
}

}  // namespace attnscope

#include <fmt/format.h>

#include <algorithm>

#include "features/lessons/lesson_controller.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "platform/system/process.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float dot_radius = 4;
constexpr float dot_room = 9;  // of the pointer, around a dot's middle

Rgb dot_colour(const ViewContext& context, std::size_t step) {
  const Theme& theme = context.theme;
  const LessonShown& shown = context.now.lesson;
  if (step >= shown.lesson->steps.size() || !shown.lesson->steps[step].question) return theme.inks.border;
  const QuestionRecord& record = shown.progress.of(shown.lesson->id, shown.lesson->steps[step].id);
  if (record.is_right) return theme.inks.after;
  return record.is_revealed ? theme.inks.warning : theme.inks.dim_text;
}

const char* dot_words(const ViewContext& context, std::size_t step) {
  const LessonStep& of_step = context.now.lesson.lesson->steps[step];
  if (!of_step.question) return "";
  const QuestionRecord& record = context.now.lesson.progress.of(context.now.lesson.lesson->id, of_step.id);
  if (record.is_right) return " ✓ answered";
  return record.is_revealed ? " (revealed)" : " (a question)";
}

// Draws a dot for each step: those with a question are filled in its colour.
void draw_dots(const ViewContext& context, CallQueue& queue) {
  const LessonShown& shown = context.now.lesson;
  const std::size_t count = shown.lesson->steps.size();
  const float width = ImGui::GetContentRegionAvail().x;
  const float room =
      std::min(2 * dot_room * unit(context), width / static_cast<float>(std::max<std::size_t>(count, 1)));
  const float height = 2 * dot_room * unit(context);
  for (std::size_t step = 0; step < count; ++step) {
    if (step > 0) ImGui::SameLine(0, 0);
    const ImVec2 pos_screen = ImGui::GetCursorScreenPos();
    const ImVec2 middle{pos_screen.x + room / 2, pos_screen.y + height / 2};
    ImGui::PushID(static_cast<int>(step));
    if (pressable_area("dot", {room, height}))
      queue.push([step](const Controllers& to) { to.lessons.go_to_step(step); });
    ImGui::PopID();
    register_item(context, fmt::format("lesson/step/{}", step), {.is_on = step == shown.step});
    const std::string title = shown.lesson->steps[step].title.markdown;
    item_tooltip(context, fmt::format("{}. {}{}", step + 1, title, dot_words(context, step)));
    const float radius = dot_radius * unit(context);
    const bool is_question = shown.lesson->steps[step].question.has_value();
    fill_circle(middle, is_question ? radius : radius * 0.6F, {dot_colour(context, step)});
    if (step == shown.step)
      outline_circle(middle, radius + 2.5F * unit(context), {context.theme.inks.accent}, 2 * unit(context));
  }
}

void draw_question(const ViewContext& context, CallQueue& queue) {
  if (!context.now.lesson.numbers) return dim_text(context, "The numbers of this step are being computed.");
  const QuestionRecord record = context.now.lesson.record();
  draw_asked_question(context, queue,
                      {"lesson", true, *context.now.lesson.question(), context.now.lesson, record, record.is_done()});
}

void draw_step(const ViewContext& context, CallQueue& queue, const LessonStep& step) {
  const bool follows_changes = step.question && step.question->kind == Question::Kind::reach;
  if (context.now.lesson.is_changed && !follows_changes) {
    warning_text(context, "You have changed the document: this text is about the step as it was.");
    register_item(context, "lesson/changed");
  }
  draw_lesson_text(context, "lesson/text", context.now.lesson.texts.text);
  if (!step.question) return;
  ImGui::Dummy({0, 2 * unit(context)});
  ImGui::Separator();
  ImGui::Dummy({0, 2 * unit(context)});
  draw_question(context, queue);
}

// Returns the lesson after this one; null after the last.
const Lesson* next_lesson(const LessonShown& shown) {
  for (const auto* const all : {&shown.own, &shipped_lessons()}) {
    const auto found = std::ranges::find(*all, shown.lesson);
    if (found != all->end() && found + 1 != all->end()) return (found + 1)->get();
  }
  return nullptr;
}

void draw_end(const ViewContext& context, CallQueue& queue) {
  const LessonShown& shown = context.now.lesson;
  const LessonScore score = score_of(*shown.lesson, shown.progress);
  ImGui::TextWrapped("%s.", score_words(score).c_str());
  register_item(context, "lesson/score");
  const int open = score.questions - score.right - score.revealed;
  if (open > 0)
    dim_text(context,
             fmt::format("{} {} open: the filled grey dots.", open, open == 1 ? "question is" : "questions are"));
  ImGui::Dummy({0, 4 * unit(context)});
  if (const Lesson* const next = next_lesson(shown)) {
    dim_text(context, "Next lesson");
    ImGui::TextWrapped("%s", next->title.c_str());
    if (push_button(context, "lesson/next_lesson", "Begin it")) open_lesson(queue, next->id);
    ImGui::Dummy({0, 4 * unit(context)});
  }
  if (push_button(context, "lesson/restart", "Begin again", {}, "Deletes the answers given in this lesson"))
    ask_first(context, queue, fmt::format("All answers given in “{}” are deleted.", shown.lesson->title), "Begin again",
              [](const Controllers& to) { to.lessons.restart(); });
  ImGui::SameLine();
  if (push_button(context, "lesson/end/close", "Close", {}, "Closes the lesson and goes back to what was shown before"))
    queue.push([](const Controllers& to) { to.lessons.close(); });
}

void draw_footer(const ViewContext& context, CallQueue& queue) {
  const LessonShown& shown = context.now.lesson;
  ImGui::Separator();
  action_button(context, queue, "lesson/back", "‹ Back", action("lesson/back"));
  ImGui::SameLine();
  const bool is_last = shown.step + 1 == shown.lesson->steps.size();
  action_button(context, queue, "lesson/next", is_last ? "Finish ›" : "Next ›", action("lesson/next"));
  if (!shown.is_changed || !shown.current()) return;
  ImGui::SameLine();
  if (push_button(context, "lesson/restore", "This step's state", {},
                  "You changed the step's document: this restores it. Ctrl+Z brings yours back."))
    queue.push([](const Controllers& to) { to.lessons.restore_step(); });
}

float footer_height() { return ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y + 2; }

void draw_lesson_item(const ViewContext& context, CallQueue& queue, const std::shared_ptr<const Lesson>& lesson,
                      int number) {
  const LessonScore score = score_of(*lesson, context.now.lesson.progress);
  const bool is_begun = score.right + score.revealed > 0;
  const std::string done = is_begun ? fmt::format("{} of {}", score.right, score.questions) : "";
  const std::string label = fmt::format("{}  {}##{}", number, lesson->title, lesson->id);
  if (menu_item(context, fmt::format("menu/learn/lessons/{}", lesson->id), label,
                {.keys = done, .is_on = context.now.lesson.lesson == lesson, .help = lesson->summary}))
    open_lesson(queue, lesson->id);
}

}  // namespace

void draw_lesson_tabs(const ViewContext& context, CallQueue& queue) {
  if (!context.now.lesson.lesson) return;
  const bool shows_setup = context.now.lesson.shows_setup;
  const auto show = [&](bool setup) { queue.push([setup](const Controllers& to) { to.lessons.show_setup(setup); }); };
  if (choice_button(context, "lesson/tab/lesson", "Lesson", !shows_setup)) show(false);
  ImGui::SameLine(0, 3 * unit(context));
  if (choice_button(context, "lesson/tab/setup", "Setup", shows_setup, "Everything that can be changed")) show(true);
  same_line_at_right(button_width("Close"));
  if (push_button(context, "lesson/close", "Close", {}, "Closes the lesson and goes back to what was shown before"))
    queue.push([](const Controllers& to) { to.lessons.close(); });
  ImGui::Separator();
}

void draw_lesson_task(const ViewContext& context, CallQueue& queue) {
  const Question* const question = context.now.lesson.question();
  if (!question || question->kind != Question::Kind::reach) return;
  draw_question(context, queue);
  ImGui::Separator();
}

bool draw_lesson_panel(const ViewContext& context, CallQueue& queue) {
  const LessonShown& shown = context.now.lesson;
  const LessonStep* const step = shown.current();
  const std::size_t count = shown.lesson->steps.size();
  if (!is_presenting(context)) {  // whose line says this
    draw_dots(context, queue);
    const std::string over =
        step ? fmt::format("{} · {} of {}", shown.lesson->title, shown.step + 1, count) : "The end of";
    dim_text(context, over);
  }
  push_font(context.fonts.heading);
  ImGui::TextWrapped("%s", (step ? step->title.markdown : shown.lesson->title).c_str());
  ImGui::PopFont();
  register_item(context, "lesson/title");
  ImGui::Separator();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const std::string body = fmt::format("lesson_body/{}/{}", shown.lesson->id, shown.step);  // each from its top
  begin_flat_child(body.c_str(), {0, -footer_height()});
  ImGui::PopStyleVar();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (step) {
    draw_step(context, queue, *step);
  } else {
    draw_end(context, queue);
  }
  constexpr float slack = 4;  // buttons reach into the spacing
  const bool is_wide = ImGui::GetCurrentWindow()->DC.CursorMaxPos.x > right + slack * unit(context);
  const bool is_high = ImGui::GetScrollMaxY() > 0;
  ImGui::EndChild();
  draw_footer(context, queue);
  return !is_wide && !is_high;
}

namespace {

void draw_handouts_menu(const ViewContext& context, CallQueue& queue) {
  if (in_browser || !begin_menu(context, "menu/learn/lessons/handouts", "Handout")) return;
  const auto draw_item = [&](const std::shared_ptr<const Lesson>& lesson) {
    const std::string id = fmt::format("menu/learn/lessons/handouts/{}", lesson->id);
    if (menu_item(
            context, id, fmt::format("{}##{}", lesson->title, lesson->id),
            {.help = context.now.view.handout_has_answers ? "Writes the lesson as a PDF, with its answers at the end"
                                                          : "Writes the lesson as a PDF, without its answers"}))
      queue.push([id = lesson->id](const Controllers& to) { to.lessons.hand_out(id); });
  };
  std::ranges::for_each(shipped_lessons(), draw_item);
  std::ranges::for_each(context.now.lesson.own, draw_item);
  action_items(context, queue, {"", "learn/handout_answers"});
  end_menu();
}

}  // namespace

void draw_lessons_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/learn/lessons", "Lessons")) return;
  int number = 0;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons())
    draw_lesson_item(context, queue, lesson, ++number);
  if (!context.now.lesson.own.empty()) ImGui::Separator();
  for (const std::shared_ptr<const Lesson>& lesson : context.now.lesson.own)
    draw_lesson_item(context, queue, lesson, ++number);
  action_items(context, queue, {"", "learn/new_lesson", "learn/edit_lesson"});
  draw_handouts_menu(context, queue);
  ImGui::Separator();
  if (menu_item(context, "menu/learn/lessons/clear", "Forget all answers…"))
    ask_first(context, queue, "All answers given in all lessons are deleted.", "Forget all answers",
              [](const Controllers& to) { to.lessons.clear_progress(); });
  end_menu();
}

}  // namespace attnscope

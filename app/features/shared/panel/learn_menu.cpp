#include "features/lessons/panel/lesson_panel.h"
#include "features/shared/panel/actions.h"
#include "features/shared/panel/menu.h"
#include "features/studies/panel/study.h"
#include "features/studies/panel/study_questions.h"
#include "ui/widgets.h"

namespace attnscope {

// Lessons, questions and views, and the ladder as a course: each step's example, in the notebooks' order.
void draw_learn_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/learn", "Learn")) return;
  action_items(context, queue, {"learn/start"});
  draw_lessons_menu(context, queue);
  draw_questions_menu(context, queue);
  draw_study_menu(context, queue);
  if (begin_menu(context, "menu/learn/predict", "Predict")) {
    action_items(context, queue, {"predict/stage", "predict/row"});
    ImGui::EndMenu();
  }
  action_items(context, queue, {"learn/glossary"});
  draw_examples(context, queue);
  ImGui::EndMenu();
}

// The line that says where to begin. After any choice it goes for good.
void draw_start_line(const ViewContext& context, CommandQueue& queue) {
  constexpr const char* examples = "start/example_list";
  constexpr float room_for_title = 850;  // units; in less the first lesson is named by its number
  const auto close = [&] { change_view(queue, [](ViewState& state) { state.shows_start = false; }); };
  const Lesson& first = *shipped_lessons().front();
  const bool is_narrow = ImGui::GetContentRegionAvail().x < room_for_title * unit(context);
  const std::string lesson = is_narrow ? "Lesson 1" : "Lesson 1: " + first.title;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Start here");
  ImGui::SameLine(0, 12 * unit(context));
  if (push_button(context, "start/lesson", lesson.c_str(), {}, first.summary)) {
    queue.push_back(OpenLesson{first.id});
    close();
  }
  ImGui::SameLine();
  if (push_button(context, "start/sentence", "A sentence of your own…", {}, "Its words become the tokens")) {
    change_view(queue, [](ViewState& state) { state.passing.opens_tokens = true; });
    close();
  }
  ImGui::SameLine();
  if (push_button(context, "start/examples", "The notebooks' examples…")) ImGui::OpenPopup(examples);
  ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y}, ImGuiCond_Appearing);
  if (ImGui::BeginPopup(examples)) {
    const std::size_t before = queue.size();
    draw_example_items(context, queue);
    if (queue.size() > before) close();
    ImGui::EndPopup();
  }
  ImGui::SameLine();
  if (push_button(context, "start/close", "×", {}, "Close for good; Learn > Start here brings it back")) close();
}

}  // namespace attnscope

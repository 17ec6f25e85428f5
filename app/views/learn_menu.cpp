#include "views/actions.h"
#include "views/lesson_panel.h"
#include "views/menu.h"
#include "views/study.h"
#include "views/study_questions.h"

namespace attnscope {

// What there is to learn from, and the ladder as a course: each step's example, in the notebooks' order.
void draw_learn_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/learn", "Learn")) return;
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

}  // namespace attnscope

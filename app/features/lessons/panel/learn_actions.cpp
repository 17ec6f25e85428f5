#include "features/lessons/panel/learn_actions.h"

#include "features/predict/panel/prediction_panel.h"

namespace attnscope {
namespace {

constexpr Action all_of_learning[] = {
    {.id = "lesson/back",
     .label = "The step before",
     .chord = {.key = 'N', .shift = true},
     .help = "of the lesson",
     .run = [](const ViewContext& context,
               CommandQueue& queue) { queue.push_back(GoToStep{context.now.lesson.step - 1}); },
     .obstacle = [](const ViewContext& context) -> std::string {
       if (!context.now.lesson.lesson) return "No lesson is open.";
       return context.now.lesson.step == 0 ? "This is the first step." : "";
     }},
    {.id = "lesson/next",
     .label = "The next step",
     .chord = {.key = 'N'},
     .help = "of the lesson",
     .run = [](const ViewContext& context,
               CommandQueue& queue) { queue.push_back(GoToStep{context.now.lesson.step + 1}); },
     .obstacle = [](const ViewContext& context) -> std::string {
       if (!context.now.lesson.lesson) return "No lesson is open.";
       return context.now.lesson.current() ? "" : "This is the end.";
     }},
    {.id = "predict/stage",
     .label = "Predict: cover a stage",
     .chord = {.key = 'P'},
     .help = "covers the stage of the pinned number, to be predicted row by row; or uncovers it",
     .run = toggle_cover,
     .is_on = is_predicting,
     .obstacle = obstacle_to_cover,
     .label_now = label_of_cover},
    {.id = "predict/row",
     .label = "Predict: cover a row",
     .chord = {.key = 'P', .shift = true},
     .help = "covers its row alone",
     .run = cover_row,
     .obstacle = obstacle_to_cover_row,
     .label_now = label_of_cover_row},
};

}  // namespace

std::span<const Action> learn_actions() { return all_of_learning; }

}  // namespace attnscope

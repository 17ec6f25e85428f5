#include <fmt/format.h>

#include <algorithm>

#include "core/evaluate.h"
#include "features/lessons/panel/asked_question.h"
#include "features/predict/panel/covering.h"
#include "features/predict/prediction_controller.h"
#include "features/shared/panel/menu.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_compat.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr struct {
  Question::Kind kind;
  const char* name;
  const char* label;
  const char* help;
} asking_kinds[] = {{Question::Kind::cell, "predict/largest", "Largest", "Click the cell of a row that is the largest"},
                    {Question::Kind::sketch, "predict/sketch", "Sketch", "Drag the bars of a row"},
                    {Question::Kind::number, "predict/value", "Value", "Type the number of the pinned cell"}};

// Returns the stage and the row that keys and menus cover: the stage that is shown alone, else that of the pinned
// number where the diagram has it, else the weights.
Source place_to_cover(const ViewContext& context) {
  const AttentionConfig& config = context.now.document.config;
  const std::optional<Source>& pinned = context.now.view.pinned;
  Source place{.stage = acting_weights_stage(config), .row = 1};
  if (context.now.view.mode.shows_one_stage) {
    place.stage = context.now.view.stage;
  } else if (pinned && acts_in(config, pinned->stage) && obstacle_to_covering(config, pinned->stage).empty()) {
    place.stage = pinned->stage;
  }
  if (pinned && !is_parameter(info(pinned->stage).axes)) place.row = std::min(pinned->row, query_count(config) - 1);
  return place;
}

std::string predicted_row_name(const ViewContext& context, const Source& cell) {
  const std::span<const std::string> names = row_tokens(context, cell.stage);
  return cell.row < std::ssize(names) ? fmt::format("“{}”", names[static_cast<std::size_t>(cell.row)])
                                      : std::to_string(cell.row + 1);
}

void draw_prediction_heading(const ViewContext& context, CallQueue& queue) {
  section_heading(context, "Predict");
  same_line_at_right(button_width("Uncover"));
  const char* const help =
      context.now.prediction.is_done() ? "Show it all (P)" : "Uncovers everything (P); counts as revealed";
  if (push_button(context, "predict/uncover", "Uncover", {}, help))
    queue.push([](const Controllers& to) { to.predictions.uncover(); });
}

void draw_kinds(const ViewContext& context, CallQueue& queue) {
  push_font(context.fonts.small_text);
  for (const auto& [kind, name, label, help] : asking_kinds) {
    if (kind != asking_kinds[0].kind) ImGui::SameLine(0, 1 * unit(context));
    if (choice_button(context, name, label, context.now.prediction.kind == kind, help))
      queue.push([asked = kind](const Controllers& to) { to.predictions.choose_kind(asked); });
  }
  ImGui::PopFont();
}

void draw_next(const ViewContext& context, CallQueue& queue) {
  if (!context.now.prediction.is_done()) return;
  if (push_button(context, "predict/next", "Next row", {}, "Covers the next row; after the last one, the whole matrix"))
    queue.push([](const Controllers& to) { to.predictions.ask_next(); });
}

void draw_score(const ViewContext& context) {
  const PredictionScore& score = context.now.prediction.score;
  if (score == PredictionScore{}) return;
  dim_text(context, score_words(score));
  register_item(context, "predict/score");
}

}  // namespace

void draw_prediction(const ViewContext& context, CallQueue& queue) {
  const PredictionShown& shown = context.now.prediction;
  if (!shown.cover) return;
  draw_prediction_heading(context, queue);
  draw_kinds(context, queue);
  if (!shown.obstacle.empty()) {
    dim_text(context, shown.obstacle);
    register_item(context, "predict/obstacle");
  } else if (shown.numbers) {
    draw_asked_question(context, queue, {"predict", false, shown.question, shown, shown.record, shown.is_done()});
  } else {
    dim_text(context, "Being computed.");
  }
  draw_next(context, queue);
  draw_score(context);
  ImGui::Dummy({0, 2 * unit(context)});
  ImGui::Separator();
  ImGui::Dummy({0, 2 * unit(context)});
}

bool is_predicting(const ViewContext& context) { return context.now.prediction.cover.has_value(); }

void toggle_cover(const ViewContext& context, CallQueue& queue) {
  if (is_predicting(context)) return queue.push([](const Controllers& to) { to.predictions.uncover(); });
  queue.push([stage = place_to_cover(context).stage](const Controllers& to) { to.predictions.cover(stage); });
}

void cover_row(const ViewContext& context, CallQueue& queue) {
  queue.push(
      [place = place_to_cover(context)](const Controllers& to) { to.predictions.cover(place.stage, place.row); });
}

std::string obstacle_to_cover(const ViewContext& context) {
  if (is_predicting(context)) return "";
  if (context.now.viewing) return std::string(viewing_reason(context));
  if (context.now.lesson.lesson) return "A lesson asks its own questions: close it first.";
  return obstacle_to_covering(context.now.document.config, place_to_cover(context).stage);
}

std::string obstacle_to_cover_row(const ViewContext& context) {
  return is_predicting(context) ? "A stage is already covered: uncover it first (P)." : obstacle_to_cover(context);
}

std::string label_of_cover(const ViewContext& context) {
  if (is_predicting(context)) return fmt::format("Uncover {}", info(context.now.prediction.cover->stage).title);
  return fmt::format("Predict: cover {}", info(place_to_cover(context).stage).title);
}

std::string label_of_cover_row(const ViewContext& context) {
  const Source place = place_to_cover(context);
  return fmt::format("Predict: cover row {} of {}", predicted_row_name(context, place), info(place.stage).title);
}

}  // namespace attnscope

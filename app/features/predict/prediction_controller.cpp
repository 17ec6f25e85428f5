#include "features/predict/prediction_controller.h"

#include <algorithm>

#include "core/error.h"
#include "features/shared/app_services.h"

namespace attnscope {
namespace {

std::vector<TextBlock> paragraph(std::string text) {
  return {{TextBlock::Kind::paragraph, {{TextSpan::Style::plain, std::move(text)}}}};
}

Index rows_of(const AttentionConfig& config, Stage stage) {
  const std::vector<Index> shape = stage_shape(config, stage);
  return shape[shape.size() - 2];
}

}  // namespace

void PredictionController::cover(Stage stage, const std::optional<Index>& wanted_row) {
  const AttentionConfig& config = to_.now.document.config;
  to_.subject.require_computed("There is nothing to be predicted");
  if (const std::string obstacle = obstacle_to_covering(config, stage); !obstacle.empty()) throw Error(obstacle);
  uncover();
  shown_.cover = Cover{stage, wanted_row};
  const std::optional<Source>& pinned = to_.view.pinned;
  const Index row = wanted_row.value_or(pinned ? pinned->row : 0);
  shown_.asked = {.stage = stage,
                  .batch = std::clamp<Index>(to_.view.batch, 0, config.batch_size - 1),
                  .head = std::clamp<Index>(to_.view.head, 0, head_count(config) - 1),
                  .row = std::min(row, rows_of(config, stage) - 1)};
  if (pinned && pinned->stage == stage && pinned->row == shown_.asked.row) shown_.asked.col = pinned->col;
  pinned_ = pinned;
  to_.view.show_inspector = true;
  if (to_.view.mode == ViewMode::study) to_.view.mode = ViewMode::diagram;
  ask();
}

void PredictionController::ask() {
  shown_.record = {};
  shown_.answer = {};
  shown_.verdict.reset();
  shown_.numbers.reset();
  shown_.obstacle.clear();
  shown_.texts = {};
  if (shown_.cover && shown_.kind == Question::Kind::cell) to_.view.pinned.reset();  // the next click chooses the cell
}

void PredictionController::choose_kind(Question::Kind kind) {
  if (!shown_.cover) return;
  const bool was_done = shown_.is_done();
  shown_.kind = kind;
  if (was_done) return ask_next();
  ask();
}

// Covers all rows again when all are open.
void PredictionController::ask_next() {
  if (!shown_.cover || !shown_.is_done()) return;
  const AttentionConfig& config = to_.now.document.config;
  if (!has_stage(config, shown_.cover->stage)) return;
  const Index rows = rows_of(config, shown_.cover->stage);
  if (shown_.cover->row) {
    shown_.cover->row = (*shown_.cover->row + 1) % rows;
    shown_.cover->open.clear();
  }
  std::optional<Index> next = shown_.cover->next_row(shown_.asked.row, rows);
  if (!next) {
    shown_.cover->open.clear();
    next = shown_.cover->next_row(shown_.asked.row, rows);
  }
  shown_.asked.row = next.value_or(0);
  shown_.asked.col = 0;
  pinned_ = to_.view.pinned;
  ask();
}

// Uncovering before an answer counts as revealed.
void PredictionController::uncover() {
  if (!shown_.cover) return;
  if (!shown_.is_done()) ++shown_.score.revealed;
  shown_.cover.reset();
  ask();
}

void PredictionController::open_row() { shown_.cover->open.insert(shown_.asked.row); }

void PredictionController::answer() {
  const std::optional<StepNumbers> now = numbers();
  if (!shown_.cover || shown_.is_done() || !now || !shown_.obstacle.empty()) return;
  if (shown_.kind == Question::Kind::cell) shown_.answer.cell = to_.view.pinned;
  const bool is_of_stage = shown_.answer.cell && shown_.answer.cell->stage == shown_.asked.stage;
  shown_.question = question_about(shown_.kind, shown_.asked, *now);
  shown_.verdict = judge_prediction(shown_.question, shown_.answer, *now);
  const bool is_guess = shown_.kind == Question::Kind::cell     ? is_of_stage
                        : shown_.kind == Question::Kind::number ? typed_number(shown_.answer.typed).has_value()
                                                                : true;
  if (!is_guess) return;  // it is said, and does not count
  shown_.verdict->is_right ? ++shown_.score.right : ++shown_.score.wrong;
  shown_.record = {.wrong = shown_.verdict->is_right ? 0 : 1, .is_right = shown_.verdict->is_right};
  write_texts(*now);
  open_row();
}

void PredictionController::reveal() {
  const std::optional<StepNumbers> now = numbers();
  if (!shown_.cover || shown_.is_done() || !now || !shown_.obstacle.empty()) return;
  ++shown_.score.revealed;
  shown_.record.is_revealed = true;
  shown_.verdict.reset();
  shown_.question = question_about(shown_.kind, shown_.asked, *now);
  shown_.answer = right_answer(shown_.question, *now);
  write_texts(*now);
  open_row();
}

std::optional<StepNumbers> PredictionController::numbers() const {
  if (!to_.now.whole_result()) return {};
  return StepNumbers{to_.now.document, *to_.now.result()};
}

// Asks about the pinned cell or its row, in the head that is looked at.
bool PredictionController::follow_pinned() {
  Source asked = shown_.asked;
  const std::optional<Source>& pinned = to_.view.pinned;
  asked.head = std::clamp<Index>(to_.view.head, 0, head_count(to_.now.document.config) - 1);
  asked.batch = std::clamp<Index>(to_.view.batch, 0, to_.now.document.config.batch_size - 1);
  const bool is_new = pinned && pinned != pinned_ && pinned->stage == asked.stage && pinned->kind == SourceKind::cell;
  if (is_new && shown_.cover->hides(to_.now.document.config, *pinned) && shown_.kind != Question::Kind::cell) {
    asked.row = pinned->row;
    if (shown_.kind == Question::Kind::number) asked.col = pinned->col;
  }
  pinned_ = pinned;
  if (asked == shown_.asked) return false;
  shown_.asked = asked;
  return true;
}

void PredictionController::write_texts(const StepNumbers& numbers) {
  LessonTexts& texts = shown_.texts;
  texts = {};
  texts.ask = paragraph(asking_words(shown_.kind, shown_.asked, numbers));
  if (shown_.kind == Question::Kind::sketch) texts.bars = bar_names(shown_.question, numbers);
  if (!shown_.is_done()) return;
  texts.because = paragraph(row_words(shown_.asked, numbers));
  texts.answer = right_answer_text(shown_.question, numbers);
}

void PredictionController::follow() {
  if (!shown_.cover) return;
  if (to_.subject.attention()) return uncover();
  if (!shown_.is_done() && follow_pinned()) ask();
  const std::optional<StepNumbers> now = numbers();
  if (!now || shown_.numbers == to_.now.evaluation.result) return;
  shown_.numbers = to_.now.evaluation.result;
  shown_.obstacle = obstacle_to_asking(shown_.kind, shown_.asked, *now);
  if (!shown_.obstacle.empty()) return;
  shown_.question = question_about(shown_.kind, shown_.asked, *now);
  shown_.verdict.reset();  // the verdict was on other numbers
  write_texts(*now);
  if (shown_.kind != Question::Kind::sketch) return;
  const std::vector<float> first = first_bars(shown_.question, *now);
  if (shown_.answer.bars.size() != first.size()) shown_.answer.bars = first;
}

}  // namespace attnscope

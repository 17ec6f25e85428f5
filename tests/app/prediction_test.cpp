#include "teach/judge.h"

#include <cmath>

#include "core/evaluate.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Kind = Question::Kind;

class Predictions : public testing::Test {
protected:
  static bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
  bool hides(const Cover& cover, Stage stage, Index row) const { return cover.hides(document_.config, stage, row); }
  Verdict on_cell(Index row, Index col) const {
    const Question question = question_about(Kind::cell, asked_, numbers_);
    Source clicked = asked_;
    clicked.row = row;
    clicked.col = col;
    return judge_prediction(question, {.cell = clicked}, numbers_);
  }

  Document document_ = parse_document(R"({"mechanism": "multi_head_attention", "dropout": 0.5, "seed": 123})");
  Result result_ = evaluate(document_.config);
  StepNumbers numbers_{document_, result_};
  Source asked_{.stage = Stage::weights, .head = 1, .row = 3, .col = 1};
};

TEST_F(Predictions, CoverWhatFollowsCellByCellToo) {
  const Cover cover{Stage::weights, 3};
  EXPECT_TRUE(hides(cover, Stage::weights, 3));
  EXPECT_TRUE(hides(cover, Stage::dropped_weights, 3));
  EXPECT_FALSE(hides(cover, Stage::weights, 2));
  EXPECT_FALSE(hides(cover, Stage::scaled_scores, 3)) << "from these it can be told";
  EXPECT_TRUE(hides(cover, Stage::context, 3)) << "with the values, it tells the weights";
  EXPECT_TRUE(hides(cover, Stage::output, 3));
  EXPECT_FALSE(hides(cover, Stage::output, 2));
  EXPECT_TRUE(hides({Stage::head_context}, Stage::context, 0)) << "the same numbers";
  EXPECT_TRUE(hides({Stage::queries}, Stage::scores, 0));
  EXPECT_FALSE(hides({Stage::queries}, Stage::keys, 0));
  EXPECT_FALSE(hides({Stage::keys}, Stage::scores, 0)) << "a row of keys is a column of scores";
}

TEST_F(Predictions, UncoverRowByRow) {
  Cover cover{Stage::weights};
  EXPECT_EQ(cover.next_row(5, 6), 0);
  cover.open = {0, 1};
  EXPECT_FALSE(hides(cover, Stage::weights, 1));
  EXPECT_TRUE(hides(cover, Stage::weights, 2));
  EXPECT_EQ(cover.next_row(5, 6), 2);
  cover.open = {0, 1, 2, 3, 4, 5};
  EXPECT_FALSE(cover.next_row(0, 6).has_value());
  EXPECT_FALSE(cover.hides_any(document_.config, Stage::weights));
}

TEST_F(Predictions, AreOfWhatIsComputed) {
  EXPECT_EQ(obstacle_to_covering(document_.config, Stage::queries), "");
  EXPECT_EQ(obstacle_to_covering(document_.config, Stage::dropped_weights), "");
  EXPECT_NE(obstacle_to_covering(document_.config, Stage::inputs), "");
  EXPECT_NE(obstacle_to_covering(document_.config, Stage::query_weight), "");
  EXPECT_NE(obstacle_to_covering(document_.config, Stage::mask), "");
  EXPECT_NE(obstacle_to_covering(document_.config, Stage::dropout_factors), "") << "they are drawn";
}

TEST_F(Predictions, OfTheLargestAreRightOnEachThatIs) {
  Source cell = asked_;
  Index largest = 0;
  for (Index col = 1; col < 4; ++col) {
    Source other = cell;
    cell.col = largest;
    other.col = col;
    if (value_at(result_, other) > value_at(result_, cell)) largest = col;
  }
  EXPECT_TRUE(on_cell(3, largest).is_right);
  const Verdict wrong = on_cell(3, (largest + 1) % 4);
  EXPECT_FALSE(wrong.is_right);
  EXPECT_TRUE(has(wrong.why, "The row is right, the key is not")) << wrong.why;
  document_ = parse_document(R"({"mechanism": "simple_self_attention", "inputs": [[1, 0], [1, 0], [1, 0]]})");
  result_ = evaluate(document_.config);
  asked_ = {.stage = Stage::weights, .row = 1};
  for (Index col = 0; col < 3; ++col) EXPECT_TRUE(on_cell(1, col).is_right) << "all are alike";
}

TEST_F(Predictions, AreToldWhatTheyAre) {
  Question number = question_about(Kind::number, asked_, numbers_);
  Source score = asked_;
  score.stage = Stage::masked_scores;
  const Verdict verdict = judge_prediction(number, {.typed = std::to_string(value_at(result_, score))}, numbers_);
  EXPECT_TRUE(has(verdict.why, "attention weights come after")) << verdict.why;
  const Question sketch = question_about(Kind::sketch, asked_, numbers_);
  const Verdict sum = judge_prediction(sketch, {.bars = std::vector<float>(6, 0)}, numbers_);
  EXPECT_TRUE(has(sum.why, "they sum to 1")) << sum.why;
  EXPECT_TRUE(judge_prediction(sketch, right_answer(sketch, numbers_), numbers_).is_right);
  EXPECT_TRUE(has(asking_words(Kind::number, asked_, numbers_), "of head 2"));
}

TEST_F(Predictions, DoNotAskForWhatCannotBeAnswered) {
  Source masked = asked_;
  masked.stage = Stage::masked_scores;
  masked.col = 5;
  EXPECT_NE(obstacle_to_asking(Kind::number, masked, numbers_), "");
  EXPECT_NE(obstacle_to_asking(Kind::sketch, masked, numbers_), "") << "scores are no shares";
  EXPECT_EQ(obstacle_to_asking(Kind::cell, masked, numbers_), "");
  EXPECT_EQ(obstacle_to_asking(Kind::sketch, asked_, numbers_), "");
  Source outside = asked_;
  outside.row = 6;
  EXPECT_NE(obstacle_to_asking(Kind::cell, outside, numbers_), "") << "after an edit";
}

TEST_F(Predictions, AreCounted) {
  EXPECT_EQ(score_words({.right = 3, .wrong = 1, .revealed = 1}), "3 of 5 right, 1 shown so far");
  EXPECT_EQ(score_words(PredictionScore{.right = 2}), "2 of 2 right so far");
}

}  // namespace
}  // namespace attnscope::test

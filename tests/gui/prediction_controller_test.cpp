#include <gtest/gtest.h>

#include <set>

#include "controller_alone.h"
#include "core/error.h"
#include "features/predict/prediction_controller.h"

namespace attnscope::test {
namespace {

class Predictions : public ControllerAlone {
protected:
  Predictions() { show(default_document()); }
  void pin(Stage stage, Index row, Index col) {
    now_.view.pinned = Source{.stage = stage, .row = row, .col = col};
    app_.follow();
  }

  PredictionController app_{services_, now_.prediction};
  PredictionShown& shown_ = now_.prediction;
};

TEST_F(Predictions, UncoveringBeforeAnAnswerCountsAsRevealedOnce) {
  app_.cover(Stage::weights);
  app_.uncover();
  EXPECT_EQ(shown_.score.revealed, 1);
  app_.cover(Stage::weights);
  app_.follow();
  app_.reveal();
  app_.reveal();
  EXPECT_EQ(shown_.score.revealed, 2);
  EXPECT_FALSE(shown_.texts.answer.empty());
  EXPECT_TRUE(shown_.answer.cell);
  app_.uncover();
  EXPECT_EQ(shown_.score.revealed, 2);
  EXPECT_TRUE(shown_.texts.answer.empty());
  EXPECT_FALSE(shown_.answer.cell);
  EXPECT_FALSE(shown_.is_done());
  app_.cover(Stage::weights);
  app_.cover(Stage::scores);
  EXPECT_EQ(shown_.score.revealed, 3) << "another cover takes the first one's place";
}

TEST_F(Predictions, AskAboutWhatIsLookedAt) {
  now_.document.config.mechanism = Mechanism::multi_head_attention;
  now_.document.config.d_out = 4;
  now_.document.config.num_heads = 2;
  now_.document.config.batch_size = 2;
  show(now_.document);
  now_.view.head = 1;
  now_.view.batch = 1;
  now_.view.mode = ViewMode::study;
  now_.view.show_inspector = false;
  shown_.kind = Question::Kind::number;
  now_.view.pinned = Source{.stage = Stage::weights, .row = 3, .col = 2};
  app_.cover(Stage::weights);
  EXPECT_EQ(shown_.asked, (Source{.stage = Stage::weights, .batch = 1, .head = 1, .row = 3, .col = 2}));
  EXPECT_EQ(now_.view.mode, ViewMode::diagram);
  EXPECT_TRUE(now_.view.show_inspector);
  EXPECT_TRUE(now_.view.pinned);
  app_.cover(Stage::weights, 1);
  EXPECT_EQ(shown_.asked.row, 1);
  EXPECT_EQ(shown_.asked.col, 0) << "the pinned cell is of another row";
  EXPECT_EQ(shown_.cover->row, 1);
  now_.view.pinned = Source{.stage = Stage::scores, .row = 3, .col = 2};
  app_.cover(Stage::weights);
  EXPECT_EQ(shown_.asked.row, 3);
  EXPECT_EQ(shown_.asked.col, 0) << "the pinned cell is of another stage";
  app_.cover(Stage::weights, 9);
  EXPECT_EQ(shown_.asked.row, 5) << "the last one";
  now_.view.head = 0;
  now_.view.batch = 0;
  app_.follow();
  EXPECT_EQ(shown_.asked.head, 0);
  EXPECT_EQ(shown_.asked.batch, 0);
}

TEST_F(Predictions, FollowAPinnedCellThatIsCovered) {
  shown_.kind = Question::Kind::number;
  now_.view.pinned = Source{.stage = Stage::weights, .row = 5, .col = 1};
  app_.cover(Stage::weights);
  app_.follow();
  shown_.asked.row = 4;
  app_.follow();
  EXPECT_EQ(shown_.asked.row, 4) << "the pin is no new one";
  pin(Stage::weights, 2, 1);
  EXPECT_EQ(std::pair(shown_.asked.row, shown_.asked.col), std::pair(Index{2}, Index{1}));
  pin(Stage::scores, 3, 0);
  EXPECT_EQ(shown_.asked.row, 2) << "another stage";
  now_.view.pinned = Source{.stage = Stage::weights, .row = 4, .kind = SourceKind::row_sum};
  app_.follow();
  EXPECT_EQ(shown_.asked.row, 2) << "no cell";
  app_.reveal();
  pin(Stage::weights, 1, 0);
  EXPECT_EQ(shown_.asked.row, 2) << "the answer is on the screen";
  app_.ask_next();
  EXPECT_EQ(shown_.asked.row, 3);
  EXPECT_EQ(shown_.asked.col, 0);
  pin(Stage::weights, 2, 1);
  EXPECT_EQ(shown_.asked.row, 3) << "that row is open";
  app_.choose_kind(Question::Kind::sketch);
  pin(Stage::weights, 1, 1);
  EXPECT_EQ(shown_.asked.row, 1);
  EXPECT_EQ(shown_.asked.col, 0) << "the whole row is asked about";
  app_.choose_kind(Question::Kind::cell);
  EXPECT_FALSE(now_.view.pinned) << "the next click chooses the cell";
  pin(Stage::weights, 4, 1);
  EXPECT_EQ(shown_.asked.row, 1) << "it is the answer";
}

TEST_F(Predictions, AskTheNextQuestionOnlyAfterAnAnswer) {
  EXPECT_THROW(app_.cover(Stage::inputs), Error) << "what is typed cannot be predicted";
  EXPECT_FALSE(shown_.cover);
  shown_.kind = Question::Kind::number;
  app_.cover(Stage::weights);
  app_.follow();
  app_.ask_next();
  EXPECT_EQ(shown_.asked.row, 0);
  shown_.answer.typed = "a lot";
  app_.answer();
  EXPECT_TRUE(shown_.verdict);
  app_.reveal();
  EXPECT_FALSE(shown_.verdict) << "the answer is there instead";
  app_.ask_next();
  EXPECT_EQ(shown_.asked.row, 1);
}

TEST_F(Predictions, CountAGuessOnce) {
  shown_.kind = Question::Kind::number;
  app_.cover(Stage::weights);
  app_.follow();
  EXPECT_FALSE(shown_.texts.ask.empty());
  shown_.answer.typed = "a lot";
  app_.answer();
  EXPECT_FALSE(shown_.is_done());
  EXPECT_TRUE(shown_.verdict) << "it is said";
  shown_.answer.typed = "17";
  app_.answer();
  app_.answer();
  EXPECT_EQ(shown_.score.wrong, 1);
  EXPECT_EQ(shown_.record.wrong, 1);
  EXPECT_TRUE(shown_.is_done());
  EXPECT_FALSE(shown_.texts.because.empty());
  EXPECT_EQ(shown_.cover->open, std::set<Index>{shown_.asked.row});
  now_.document.config.seed = 5;
  show(now_.document);
  app_.follow();
  EXPECT_FALSE(shown_.verdict) << "it was on other numbers";
  app_.ask_next();
  app_.follow();
  EXPECT_TRUE(shown_.texts.because.empty());
  EXPECT_TRUE(shown_.answer.typed.empty());
  EXPECT_EQ(shown_.record, QuestionRecord{});
  app_.choose_kind(Question::Kind::cell);
  pin(Stage::scores, 1, 0);
  app_.answer();
  EXPECT_FALSE(shown_.is_done()) << "a cell of another stage is no guess";
  pin(Stage::weights, 1, 0);
  app_.answer();
  EXPECT_TRUE(shown_.is_done());
  app_.choose_kind(Question::Kind::sketch);
  EXPECT_FALSE(shown_.is_done()) << "the next row is asked about";
  EXPECT_EQ(shown_.asked.row, 2);
  app_.follow();
  const std::vector<float> first = shown_.answer.bars;
  ASSERT_EQ(first.size(), shown_.texts.bars.size());
  shown_.answer.bars[0] = 0.625F;
  show(now_.document);
  app_.follow();
  EXPECT_EQ(shown_.answer.bars[0], 0.625F) << "what was drawn stays";
}

TEST_F(ControllerAlone, PredictionsCoverAllRowsAgainWhenAllAreOpen) {
  show(default_document());
  PredictionController controller(services_, now_.prediction);
  controller.cover(Stage::weights);
  for (Index row = 0; row < 6; ++row) {
    EXPECT_EQ(now_.prediction.asked.row, row);
    controller.follow();
    controller.reveal();
    EXPECT_FALSE(now_.prediction.cover->hides(now_.document.config, Stage::weights, row));
    controller.ask_next();
  }
  EXPECT_EQ(now_.prediction.asked.row, 0);
  EXPECT_TRUE(now_.prediction.cover->open.empty());
}

TEST_F(ControllerAlone, PredictionsOfOneRowBeginAgainAfterTheLastOne) {
  show(default_document());
  PredictionController controller(services_, now_.prediction);
  controller.cover(Stage::weights, 5);
  controller.follow();
  controller.reveal();
  controller.ask_next();
  EXPECT_EQ(now_.prediction.cover->row, 0);
  EXPECT_EQ(now_.prediction.asked.row, 0);
  EXPECT_TRUE(now_.prediction.cover->open.empty());
}

}  // namespace
}  // namespace attnscope::test

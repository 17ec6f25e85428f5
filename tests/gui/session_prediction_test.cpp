// A learner at the window who covers a stage, guesses, and has it revealed.

#include <fmt/format.h>

#include <algorithm>

#include "features/files/exchange_controller.h"
#include "features/predict/prediction_controller.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "support.h"
#include "view/number_words.h"

namespace attnscope::test {
namespace {

class Predicting : public testing::Test {
protected:
  Predicting() {
    app_.settle();
    pin({.stage = Stage::weights, .row = 3, .col = 1});
  }
  void pin(const Source& cell) {
    app_.change_view([cell](ViewState& view) { view.pinned = cell; });
    app_.frames(2);
  }
  void cover() { app_.press_key(keys::letter('P')); }
  void edit(const std::function<void(Document&)>& change) { app_.edit({"edit", change}); }
  const PredictionShown& shown() { return app_.session().shown().prediction; }
  float value(Index row, Index col) {
    return value_at(app_.result(), {.stage = Stage::weights, .row = row, .col = col});
  }
  Index largest_of(Index row) {
    Index largest = 0;
    for (Index col = 1; col <= row; ++col)
      if (value(row, col) > value(row, largest)) largest = col;
    return largest;
  }

  HeadlessApp app_;
};

TEST_F(Predicting, CoversAStageThatIsOnTheScreen) {
  app_.change_view([](ViewState& view) {
    view.mode = ViewMode::focus;
    view.stage = Stage::context;
  });
  cover();
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->stage, Stage::context) << "not that of the pinned number, which is not shown";
  cover();
  app_.change_view([](ViewState& view) { view.mode = ViewMode::diagram; });
  pin({.stage = Stage::dropped_weights, .row = 3, .col = 1});
  edit([](Document& document) { document.config.dropout = 0; });
  cover();
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->stage, Stage::weights) << "the diagram has no dropped weights without dropout";
}

TEST_F(Predicting, NothingSaysWhatIsCovered) {
  app_.change_view([](ViewState& view) {
    view.decimals = 4;
    view.mode = ViewMode::focus;
  });
  app_.frames(2);
  const std::string number = format_fixed(static_cast<double>(value(3, 1)), 4);
  ASSERT_NE(app_.text().find(number), std::string::npos);
  cover();
  app_.hover_cell(Stage::weights, 3, 1);
  EXPECT_EQ(app_.text().find(number), std::string::npos) << app_.text();
  EXPECT_NE(app_.text().find("covered"), std::string::npos);
  EXPECT_EQ(app_.text().find("1.0000"), std::string::npos) << "sums of rows";
  pin({.stage = Stage::head_context, .row = 3, .col = 0});
  app_.move_away();
  EXPECT_EQ(app_.text().find(number), std::string::npos) << "as a term of another number";
  app_.call([](const Controllers& to) { to.exchange.copy_stage(MatrixForm::table); });
  EXPECT_TRUE(app_.clipboard().empty());
  EXPECT_NE(app_.message().find("covered"), std::string::npos);
  cover();  // P again
  EXPECT_FALSE(shown().cover);
  EXPECT_NE(app_.text().find(number), std::string::npos);
}

TEST_F(Predicting, AReplyGoesWithTheNumbersThatItIsAbout) {
  app_.session().push([](const Controllers& to) { to.predictions.choose_kind(Question::Kind::number); });
  cover();
  app_.call([](const Controllers& to) { to.predictions.choose_kind(Question::Kind::number); });
  app_.session().push(
      [](const Controllers& to) { to.predictions.change_answer([](Answer& answer) { answer.typed = "0.9"; }); });
  app_.call([](const Controllers& to) { to.predictions.answer(); });
  ASSERT_TRUE(shown().verdict);
  EXPECT_EQ(shown().verdict->why, "0.9 is too large.");
  edit([](Document& document) { document.config.seed = 7; });
  app_.frames(2);
  EXPECT_FALSE(shown().verdict);
}

TEST_F(Predicting, TheLargestIsClicked) {
  cover();
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().asked.row, 3);
  app_.click_cell(Stage::weights, 3, largest_of(3));
  app_.click("predict/answer");
  EXPECT_TRUE(shown().record.is_right);
  EXPECT_NE(app_.text().find("1 of 1 right so far"), std::string::npos) << app_.text();
  EXPECT_FALSE(shown().cover->hides(app_.config(), Stage::weights, 3)) << "it is revealed";
  EXPECT_TRUE(shown().cover->hides(app_.config(), Stage::weights, 4));
  app_.click("predict/next");
  EXPECT_EQ(shown().asked.row, 4);
  EXPECT_FALSE(shown().is_done());
}

TEST_F(Predicting, AGuessIsJudgedOnceAndToldWhatItIs) {
  cover();
  app_.click("predict/value");
  Source score{.stage = Stage::scaled_scores, .row = 3, .col = 1};
  app_.replace_text("predict/number", format_fixed(static_cast<double>(value_at(app_.result(), score)), 4));
  app_.click("predict/answer");
  EXPECT_EQ(shown().score, (PredictionScore{.wrong = 1}));
  EXPECT_NE(app_.text().find("come after"), std::string::npos) << app_.text();
  EXPECT_FALSE(app_.shows("predict/answer")) << "there is one guess";
  EXPECT_FALSE(shown().cover->hides(app_.config(), Stage::weights, 3));
}

TEST_F(Predicting, WhatIsNoGuessDoesNotCount) {
  cover();
  app_.click("predict/value");
  app_.replace_text("predict/number", "many");
  app_.click("predict/answer");
  EXPECT_EQ(shown().score, PredictionScore{});
  EXPECT_TRUE(app_.shows("predict/why"));
  EXPECT_TRUE(app_.shows("predict/answer"));
}

TEST_F(Predicting, ARowIsSketchedAndRevealed) {
  app_.press_key(keys::letter('P'));
  app_.click("predict/sketch");
  EXPECT_TRUE(app_.shows("predict/bar/5"));
  app_.click("predict/reveal");
  EXPECT_EQ(shown().score, (PredictionScore{.revealed = 1}));
  EXPECT_FLOAT_EQ(shown().answer.bars.at(1), value(3, 1));
  EXPECT_NE(app_.text().find("0 of 1 right, 1 shown so far"), std::string::npos) << app_.text();
}

TEST_F(Predicting, ACoverStaysThroughEditsAndIsJudgedByTheNumbersOfNow) {
  cover();
  edit([](Document& document) { document.config.seed = 7; });
  ASSERT_TRUE(shown().cover);
  app_.click_cell(Stage::weights, 3, largest_of(3));
  app_.click("predict/answer");
  EXPECT_TRUE(shown().record.is_right) << "of the seed 7";
  app_.click("predict/next");
  edit([](Document& document) { document.config.mask = MaskRoute::none; });
  edit([](Document& document) { document.config.mask = MaskRoute::causal; });
  EXPECT_TRUE(shown().cover->hides(app_.config(), Stage::weights, 4));
  EXPECT_EQ(shown().asked.row, 4);
}

TEST_F(Predicting, WhoUncoversAfterAnsweringKeepsTheScore) {
  cover();
  app_.click_cell(Stage::weights, 3, largest_of(3));
  app_.click("predict/answer");
  app_.click("predict/uncover");
  EXPECT_FALSE(shown().cover);
  EXPECT_EQ(shown().score, (PredictionScore{.right = 1}));
}

TEST_F(Predicting, OneRowIsCoveredAlone) {
  app_.click("menu/learn");
  app_.click("menu/learn/predict");
  app_.click("menu/predict/row");
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->row, 3);
  EXPECT_FALSE(shown().cover->hides(app_.config(), Stage::weights, 2));
}

TEST_F(Predicting, ATokenPinnedInTheInputsCoversItsRowOfTheWeightsThatAct) {
  pin({.stage = Stage::inputs, .row = 4, .col = 1});
  app_.click("menu/learn");
  app_.click("menu/learn/predict");
  app_.click("menu/predict/row");
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->stage, Stage::weights) << "dropout is off";
  EXPECT_EQ(shown().cover->row, 4);
}

TEST_F(Predicting, AViewThatWouldTellIsCoveredToo) {
  cover();
  app_.change_view([](ViewState& view) {
    view.mode = ViewMode::study;
    view.study.id = "softmax";
  });
  app_.settle();
  EXPECT_FALSE(app_.shows("study/board"));
  EXPECT_NE(app_.text().find("are covered: uncover them first"), std::string::npos) << app_.text();
  app_.open_lesson("mask");
  EXPECT_FALSE(shown().cover) << "a lesson asks its own questions";
}

}  // namespace
}  // namespace attnscope::test

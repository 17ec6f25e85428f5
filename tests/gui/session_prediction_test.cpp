// A learner at the window who covers a stage, guesses, and has it revealed.

#include <fmt/format.h>

#include <algorithm>

#include "desk.h"
#include "support.h"
#include "words/format.h"

namespace attnscope::test {
namespace {

using Kind = Question::Kind;

class Predicting : public testing::Test {
protected:
  Predicting() {
    desk_.settle();
    pin({.stage = Stage::weights, .row = 3, .col = 1});
  }
  void pin(const Source& cell) {
    desk_.change_view([cell](ViewState& view) { view.pinned = cell; });
    desk_.frames(2);
  }
  void cover() {
    desk_.press_key(keys::letter('P'));
    desk_.frames(2);
  }
  void edit(const std::function<void(Document&)>& change) {
    desk_.session().push(EditDocument{"edit", change});
    desk_.settle();
  }
  const PredictionShown& shown() { return desk_.session().shown().prediction; }
  float value(Index row, Index col) {
    return value_at(desk_.result(), {.stage = Stage::weights, .row = row, .col = col});
  }
  Index largest_of(Index row) {
    Index largest = 0;
    for (Index col = 1; col <= row; ++col)
      if (value(row, col) > value(row, largest)) largest = col;
    return largest;
  }

  Desk desk_;
};

TEST_F(Predicting, CoversAStageThatIsOnTheScreen) {
  desk_.change_view([](ViewState& view) {
    view.layout = Layout::focus;
    view.stage = Stage::context;
  });
  cover();
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->stage, Stage::context) << "not that of the pinned number, which is not shown";
  cover();
  desk_.change_view([](ViewState& view) { view.layout = Layout::diagram; });
  pin({.stage = Stage::dropped_weights, .row = 3, .col = 1});
  edit([](Document& document) { document.config.dropout = 0; });
  cover();
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->stage, Stage::weights) << "the diagram has no dropped weights without dropout";
}

TEST_F(Predicting, NothingSaysWhatIsCovered) {
  desk_.change_view([](ViewState& view) {
    view.decimals = 4;
    view.layout = Layout::focus;
  });
  desk_.frames(2);
  const std::string number = format_fixed(static_cast<double>(value(3, 1)), 4);
  ASSERT_NE(desk_.text().find(number), std::string::npos);
  cover();
  desk_.hover_cell(Stage::weights, 3, 1);
  EXPECT_EQ(desk_.text().find(number), std::string::npos) << desk_.text();
  EXPECT_NE(desk_.text().find("covered"), std::string::npos);
  EXPECT_EQ(desk_.text().find("1.0000"), std::string::npos) << "sums of rows";
  pin({.stage = Stage::head_context, .row = 3, .col = 0});
  desk_.move_away();
  EXPECT_EQ(desk_.text().find(number), std::string::npos) << "as a term of another number";
  desk_.session().push(CopyStage{CopyStage::Form::table});
  desk_.frames();
  EXPECT_TRUE(desk_.clipboard().empty());
  EXPECT_NE(desk_.message().find("covered"), std::string::npos);
  cover();  // P again
  EXPECT_FALSE(shown().cover);
  EXPECT_NE(desk_.text().find(number), std::string::npos);
}

TEST_F(Predicting, AReplyGoesWithTheNumbersThatItIsAbout) {
  desk_.session().push(AskPrediction{Kind::number});
  cover();
  desk_.session().push(AskPrediction{Kind::number});
  desk_.frames(2);
  desk_.session().push(UpdatePrediction{[](Answer& answer) { answer.typed = "0.9"; }});
  desk_.session().push(JudgePrediction{});
  desk_.frames(2);
  ASSERT_TRUE(shown().verdict);
  EXPECT_EQ(shown().verdict->why, "0.9 is too large.");
  edit([](Document& document) { document.config.seed = 7; });
  desk_.frames(2);
  EXPECT_FALSE(shown().verdict);
}

TEST_F(Predicting, TheLargestIsClicked) {
  cover();
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().asked.row, 3);
  desk_.click_cell(Stage::weights, 3, largest_of(3));
  desk_.click("predict/answer");
  EXPECT_TRUE(shown().record.is_right);
  EXPECT_NE(desk_.text().find("1 of 1 right so far"), std::string::npos) << desk_.text();
  EXPECT_FALSE(shown().cover->hides(desk_.config(), Stage::weights, 3)) << "it is revealed";
  EXPECT_TRUE(shown().cover->hides(desk_.config(), Stage::weights, 4));
  desk_.click("predict/next");
  EXPECT_EQ(shown().asked.row, 4);
  EXPECT_FALSE(shown().is_done());
}

TEST_F(Predicting, AGuessIsJudgedOnceAndToldWhatItIs) {
  cover();
  desk_.click("predict/value");
  Source score{.stage = Stage::scaled_scores, .row = 3, .col = 1};
  desk_.replace_text("predict/number", format_fixed(static_cast<double>(value_at(desk_.result(), score)), 4));
  desk_.click("predict/answer");
  EXPECT_EQ(shown().score, (PredictionScore{.wrong = 1}));
  EXPECT_NE(desk_.text().find("come after"), std::string::npos) << desk_.text();
  EXPECT_FALSE(desk_.shows("predict/answer")) << "there is one guess";
  EXPECT_FALSE(shown().cover->hides(desk_.config(), Stage::weights, 3));
}

TEST_F(Predicting, WhatIsNoGuessDoesNotCount) {
  cover();
  desk_.click("predict/value");
  desk_.replace_text("predict/number", "many");
  desk_.click("predict/answer");
  EXPECT_EQ(shown().score, PredictionScore{});
  EXPECT_TRUE(desk_.shows("predict/why"));
  EXPECT_TRUE(desk_.shows("predict/answer"));
}

TEST_F(Predicting, ARowIsSketchedAndRevealed) {
  desk_.press_key(keys::letter('P'));
  desk_.frames(2);
  desk_.click("predict/sketch");
  EXPECT_TRUE(desk_.shows("predict/bar/5"));
  desk_.click("predict/reveal");
  EXPECT_EQ(shown().score, (PredictionScore{.revealed = 1}));
  EXPECT_FLOAT_EQ(shown().answer.bars.at(1), value(3, 1));
  EXPECT_NE(desk_.text().find("0 of 1 right, 1 shown so far"), std::string::npos) << desk_.text();
}

TEST_F(Predicting, ACoverStaysThroughEditsAndIsJudgedByTheNumbersOfNow) {
  cover();
  edit([](Document& document) { document.config.seed = 7; });
  ASSERT_TRUE(shown().cover);
  desk_.click_cell(Stage::weights, 3, largest_of(3));
  desk_.click("predict/answer");
  EXPECT_TRUE(shown().record.is_right) << "of the seed 7";
  desk_.click("predict/next");
  edit([](Document& document) { document.config.mask = MaskRoute::none; });
  edit([](Document& document) { document.config.mask = MaskRoute::causal; });
  EXPECT_TRUE(shown().cover->hides(desk_.config(), Stage::weights, 4));
  EXPECT_EQ(shown().asked.row, 4);
}

TEST_F(Predicting, WhoUncoversBeforeAnsweringHasItRevealed) {
  cover();
  desk_.click("predict/uncover");
  EXPECT_FALSE(shown().cover);
  EXPECT_EQ(shown().score, (PredictionScore{.revealed = 1}));
}

TEST_F(Predicting, WhoUncoversAfterAnsweringKeepsTheScore) {
  cover();
  desk_.click_cell(Stage::weights, 3, largest_of(3));
  desk_.click("predict/answer");
  desk_.click("predict/uncover");
  EXPECT_FALSE(shown().cover);
  EXPECT_EQ(shown().score, (PredictionScore{.right = 1}));
}

TEST_F(Predicting, OneRowIsCoveredAlone) {
  desk_.click("menu/learn");
  desk_.click("menu/learn/predict");
  desk_.click("menu/predict/row");
  desk_.frames(2);
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->row, 3);
  EXPECT_FALSE(shown().cover->hides(desk_.config(), Stage::weights, 2));
}

TEST_F(Predicting, ATokenPinnedInTheInputsCoversItsRowOfTheWeightsThatAct) {
  pin({.stage = Stage::inputs, .row = 4, .col = 1});
  desk_.click("menu/learn");
  desk_.click("menu/learn/predict");
  desk_.click("menu/predict/row");
  desk_.frames(2);
  ASSERT_TRUE(shown().cover);
  EXPECT_EQ(shown().cover->stage, Stage::weights) << "dropout is off";
  EXPECT_EQ(shown().cover->row, 4);
}

TEST_F(Predicting, AViewThatWouldTellIsCoveredToo) {
  cover();
  desk_.change_view([](ViewState& view) {
    view.layout = Layout::study;
    view.study.id = "softmax";
  });
  desk_.settle();
  EXPECT_FALSE(desk_.shows("study/board"));
  EXPECT_NE(desk_.text().find("are covered: uncover them first"), std::string::npos) << desk_.text();
  desk_.session().push(OpenLesson{"mask"});
  desk_.settle();
  EXPECT_FALSE(shown().cover) << "a lesson asks its own questions";
}

}  // namespace
}  // namespace attnscope::test

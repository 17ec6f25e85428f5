// The document before an audience: what is shown, what is not there yet, and the keys of a presenter's remote.

#include "desk.h"
#include "desk_input.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "features/present/panel/presenting.h"
#include "support.h"

namespace attnscope::test {
namespace {

class PresentingDesk : public testing::Test {
protected:
  PresentingDesk() {
    desk_.settle();
    begin();
    press(ImGuiKey_Home);
  }
  void begin() {
    desk_.press_key(keys::function(11));
    desk_.frames(3);
  }
  void press(ImGuiKey key, int times = 1) {
    for (int time = 0; time < times; ++time) desk_.press_key(keys::named(key));
    desk_.frames(3);
  }
  void press_letter(char letter) {
    desk_.press_key(keys::letter(letter));
    desk_.frames(3);
  }
  const Presenting& presenting() const { return desk_.view().passing.presenting.value(); }
  // The matrices that are drawn as results.
  bool has_come(Stage stage) const { return desk_.shows("stages/" + std::string(info(stage).id)); }

  Desk desk_{opening_document(), {1280, 720}};
};

TEST_F(PresentingDesk, ShowsThePictureAloneAndEndsWithEscape) {
  EXPECT_FALSE(desk_.shows("menu/file"));
  EXPECT_FALSE(desk_.shows("setup"));
  EXPECT_FALSE(desk_.shows("inspector"));
  EXPECT_TRUE(desk_.shows("presenting/line"));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(desk_.view().passing.presenting);
  EXPECT_TRUE(desk_.shows("menu/file"));
  EXPECT_TRUE(desk_.shows("setup"));
}

TEST_F(PresentingDesk, SaysWhyNothingIsPredicted) {
  press_letter('P');
  EXPECT_FALSE(desk_.session().shown().prediction.cover);
  EXPECT_NE(desk_.message().find("end presenting with Esc"), std::string::npos) << desk_.message();
}

TEST_F(PresentingDesk, StagesComeOneAfterTheOtherInTheirPlaces) {
  EXPECT_TRUE(has_come(Stage::inputs));
  EXPECT_FALSE(has_come(Stage::queries));
  const ImVec2 place = desk_.widget("stages/inputs").min_screen;
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(has_come(Stage::queries));
  EXPECT_FALSE(has_come(Stage::keys));
  press(ImGuiKey_End);
  for (const Stage stage : {Stage::scores, Stage::weights, Stage::output}) EXPECT_TRUE(has_come(stage));
  const ImVec2 output = desk_.widget("stages/output").min_screen;
  EXPECT_NEAR(desk_.widget("stages/inputs").min_screen.x, place.x, 16) << "its names are as large as there is room";
  press(ImGuiKey_LeftArrow);
  EXPECT_FALSE(has_come(Stage::output));
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(desk_.widget("stages/output").min_screen.y, output.y);
  press(ImGuiKey_RightArrow);
  EXPECT_TRUE(has_come(Stage::output)) << "there is nothing after the last one";
  press(ImGuiKey_Home);
  EXPECT_FALSE(has_come(Stage::queries));
}

TEST_F(PresentingDesk, EveryStageIsInSightWhenItComes) {
  std::string before;
  for (std::string now = "inputs"; now != before; now = std::string(info(desk_.view().stage).id)) {
    const WidgetRegistry::Entry& matrix = desk_.widget("stages/" + now);
    const ImRect page = desk_.widget("stages").window->Rect();
    EXPECT_TRUE(page.Contains(ImRect(matrix.min_screen, matrix.max_screen))) << now;
    before = now;
    press(ImGuiKey_RightArrow);
  }
  EXPECT_EQ(before, "output");
}

TEST_F(PresentingDesk, TheStageThatComesIsLargerThanBesideAllOthers) {
  const auto height = [&](Stage stage) {
    const WidgetRegistry::Entry& matrix = desk_.widget("stages/" + std::string(info(stage).id));
    return matrix.max_screen.y - matrix.min_screen.y;
  };
  constexpr int most_steps = 40;
  for (int step = 0; desk_.view().stage != Stage::scores; ++step) {
    ASSERT_LT(step, most_steps);
    press(ImGuiKey_RightArrow);
  }
  const float alone = height(Stage::scores);
  press(ImGuiKey_End);
  EXPECT_GT(alone, 1.3F * height(Stage::scores));
}

TEST_F(PresentingDesk, WhatHasNotComeIsNotInAPictureOfTheMomentEither) {
  const KeptUiState moment = desk_.session().moment();
  const StageSet awaited = awaited_results({moment.moment, {}});
  EXPECT_TRUE(awaited.contains(Stage::queries));
  EXPECT_FALSE(awaited.contains(Stage::inputs));
}

TEST_F(PresentingDesk, NumbersChooseTheViewAndTheStageGoesOnInIt) {
  press(ImGuiKey_RightArrow, 3);
  desk_.press_key(keys::digit(3));
  desk_.frames(3);
  EXPECT_EQ(desk_.view().layout, Layout::focus);
  EXPECT_EQ(desk_.view().stage, Stage::values);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(desk_.view().stage, Stage::scores);
  desk_.press_key(keys::digit(5));
  desk_.frames(3);
  EXPECT_EQ(desk_.view().layout, Layout::study);
  press(ImGuiKey_PageDown, 2);
  const std::string third = desk_.view().study.id;
  press(ImGuiKey_PageUp);
  EXPECT_NE(desk_.view().study.id, third);
  EXPECT_EQ(presenting().step, 4) << "the stage waits for the diagram";
}

TEST_F(PresentingDesk, LettersAreThoseOfThePresenter) {
  const bool is_head_off = is_off(desk_.config(), 0);
  press_letter('H');
  EXPECT_EQ(desk_.view().head, 1);
  EXPECT_EQ(is_off(desk_.config(), 0), is_head_off);
  press_letter('B');
  EXPECT_TRUE(presenting().is_blank);
  EXPECT_FALSE(desk_.shows("presenting/line"));
  EXPECT_FALSE(has_come(Stage::inputs));
  press_letter('B');
  EXPECT_TRUE(has_come(Stage::inputs));
  press_letter('S');
  EXPECT_EQ(presenting().spot, Layout::diagram);
  press_letter('K');
  EXPECT_FALSE(desk_.document().compared);
}

TEST_F(PresentingDesk, BeginsWithTheStageOfThePinnedNumber) {
  press(ImGuiKey_Escape);
  ASSERT_EQ(desk_.view().pinned->stage, Stage::weights);
  begin();
  EXPECT_TRUE(has_come(Stage::weights));
  EXPECT_FALSE(has_come(Stage::context));
}

TEST_F(PresentingDesk, StagesThatWereLeftOutAreNeitherStepsNorInThePicture) {
  press(ImGuiKey_Escape);
  desk_.session().push(UpdateView{[](ViewState& view) {
    view.not_presented = {Stage::queries, Stage::keys, Stage::values};
  }});
  desk_.frames(2);
  EXPECT_TRUE(has_come(Stage::queries)) << "only before an audience";
  begin();
  press(ImGuiKey_Home);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(desk_.view().stage, Stage::scores);
  press(ImGuiKey_End);
  EXPECT_FALSE(has_come(Stage::queries));
  EXPECT_TRUE(has_come(Stage::output));
}

TEST_F(PresentingDesk, ScoresThatAreDividedByOneAreNoStep) {
  desk_.session().push(EditDocument{"d_out", [](Document& document) { document.config.d_out = 2; }});
  desk_.settle();
  press(ImGuiKey_Home);
  for (int step = 0; step < 12; ++step) {
    EXPECT_NE(desk_.view().stage, Stage::scaled_scores) << "head_dim is 1";
    press(ImGuiKey_RightArrow);
  }
  EXPECT_EQ(desk_.view().stage, Stage::output);
}

TEST_F(PresentingDesk, TheSpotEndsWithTheView) {
  press_letter('S');
  desk_.press_key(keys::digit(5));
  desk_.frames(3);
  press_letter('S');
  EXPECT_EQ(presenting().spot, Layout::study) << "it was off in the teaching view";
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(presenting().spot);
  press_letter('S');
  desk_.press_key(keys::digit(1));
  desk_.frames(3);
  desk_.press_key(keys::digit(5));
  desk_.frames(3);
  EXPECT_FALSE(presenting().spot) << "coming back does not light it again";
}

TEST_F(PresentingDesk, ADocumentWithFewerStagesIsAtItsLastOne) {
  press(ImGuiKey_End);
  const Index last = presenting().step;
  desk_.session().push(
      EditDocument{"mechanism", [](Document& document) { set_mechanism(document, Mechanism::simple_self_attention); }});
  desk_.settle();
  desk_.frames(2);
  EXPECT_TRUE(has_come(Stage::context));
  EXPECT_EQ(presenting().step, last);
  press(ImGuiKey_LeftArrow);
  EXPECT_FALSE(has_come(Stage::context));
}

}  // namespace
}  // namespace attnscope::test

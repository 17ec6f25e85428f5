// The document before an audience: what is shown, what is not there yet, and the keys of a presenter's remote.

#include "document/builtin.h"
#include "document/edit.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "support.h"

namespace attnscope::test {
namespace {

class PresentingApp : public testing::Test {
protected:
  PresentingApp() {
    app_.settle();
    begin();
    press(ImGuiKey_Home);
  }
  void begin() {
    app_.press_key(keys::function(11));
    app_.frames(3);
  }
  void press(ImGuiKey key, int times = 1) {
    for (int time = 0; time < times; ++time) app_.press_key(keys::named(key));
    app_.frames(3);
  }
  void press_letter(char letter) {
    app_.press_key(keys::letter(letter));
    app_.frames(3);
  }
  const Presenting& presenting() const { return app_.view().transient.presenting.value(); }
  // The matrices that are drawn as results.
  bool has_come(Stage stage) const { return app_.shows("stages/" + std::string(info(stage).id)); }

  HeadlessApp app_{notebook_document(), {1280, 720}};
};

TEST_F(PresentingApp, ShowsThePictureAloneAndEndsWithEscape) {
  EXPECT_FALSE(app_.shows("menu/file"));
  EXPECT_FALSE(app_.shows("setup"));
  EXPECT_FALSE(app_.shows("inspector"));
  EXPECT_TRUE(app_.shows("presenting/line"));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app_.view().transient.presenting);
  EXPECT_TRUE(app_.shows("menu/file"));
  EXPECT_TRUE(app_.shows("setup"));
}

TEST_F(PresentingApp, SaysWhyNothingIsPredicted) {
  press_letter('P');
  EXPECT_FALSE(app_.session().shown().prediction.cover);
  EXPECT_NE(app_.message().find("end presenting with Esc"), std::string::npos) << app_.message();
}

TEST_F(PresentingApp, StagesComeOneAfterTheOtherInTheirPlaces) {
  EXPECT_TRUE(has_come(Stage::inputs));
  EXPECT_FALSE(has_come(Stage::queries));
  const ImVec2 place = app_.widget("stages/inputs").min_screen;
  press(ImGuiKey_PageDown);
  EXPECT_TRUE(has_come(Stage::queries));
  EXPECT_FALSE(has_come(Stage::keys));
  press(ImGuiKey_End);
  for (const Stage stage : {Stage::scores, Stage::weights, Stage::output}) EXPECT_TRUE(has_come(stage));
  const ImVec2 output = app_.widget("stages/output").min_screen;
  EXPECT_NEAR(app_.widget("stages/inputs").min_screen.x, place.x, 48) << "its names are as large as there is room";
  press(ImGuiKey_LeftArrow);
  EXPECT_FALSE(has_come(Stage::output));
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(app_.widget("stages/output").min_screen.y, output.y);
  press(ImGuiKey_RightArrow);
  EXPECT_TRUE(has_come(Stage::output)) << "there is nothing after the last one";
  press(ImGuiKey_Home);
  EXPECT_FALSE(has_come(Stage::queries));
}

TEST_F(PresentingApp, EveryStageIsInSightWhenItComes) {
  std::string before;
  for (std::string now = "inputs"; now != before; now = std::string(info(app_.view().stage).id)) {
    const WidgetRegistry::Entry& matrix = app_.widget("stages/" + now);
    const ImRect page = app_.widget("stages").window->Rect();
    EXPECT_TRUE(page.Contains(ImRect(matrix.min_screen, matrix.max_screen))) << now;
    before = now;
    press(ImGuiKey_RightArrow);
  }
  EXPECT_EQ(before, "output");
}

TEST_F(PresentingApp, TheStageThatComesIsLargerThanBesideAllOthers) {
  const auto height = [&](Stage stage) {
    const WidgetRegistry::Entry& matrix = app_.widget("stages/" + std::string(info(stage).id));
    return matrix.max_screen.y - matrix.min_screen.y;
  };
  constexpr int most_steps = 40;
  for (int step = 0; app_.view().stage != Stage::scores; ++step) {
    ASSERT_LT(step, most_steps);
    press(ImGuiKey_RightArrow);
  }
  const float alone = height(Stage::scores);
  press(ImGuiKey_End);
  EXPECT_GT(alone, 1.3F * height(Stage::scores));
}

TEST_F(PresentingApp, WhatHasNotComeIsNotInAPictureOfTheMomentEither) {
  const KeptUiState kept = app_.session().kept();
  const StageSet awaited = awaited_results({kept.state, {}});
  EXPECT_TRUE(awaited.contains(Stage::queries));
  EXPECT_FALSE(awaited.contains(Stage::inputs));
}

TEST_F(PresentingApp, NumbersChooseTheViewAndTheStageGoesOnInIt) {
  press(ImGuiKey_RightArrow, 3);
  app_.press_key(keys::digit(3));
  app_.frames(3);
  EXPECT_EQ(app_.view().mode, ViewMode::focus);
  EXPECT_EQ(app_.view().stage, Stage::values);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(app_.view().stage, Stage::scores);
  app_.press_key(keys::digit(5));
  app_.frames(3);
  EXPECT_EQ(app_.view().mode, ViewMode::study);
  press(ImGuiKey_PageDown, 2);
  const std::string third = app_.view().study.id;
  press(ImGuiKey_PageUp);
  EXPECT_NE(app_.view().study.id, third);
  EXPECT_EQ(presenting().step, 4) << "the stage waits for the diagram";
}

TEST_F(PresentingApp, LettersAreThoseOfThePresenter) {
  const bool is_head_off = is_off(app_.config(), 0);
  press_letter('H');
  EXPECT_EQ(app_.view().head, 1);
  EXPECT_EQ(is_off(app_.config(), 0), is_head_off);
  press_letter('B');
  EXPECT_TRUE(presenting().is_blank);
  EXPECT_FALSE(app_.shows("presenting/line"));
  EXPECT_FALSE(has_come(Stage::inputs));
  press_letter('B');
  EXPECT_TRUE(has_come(Stage::inputs));
  press_letter('S');
  EXPECT_EQ(presenting().spot, ViewMode::diagram);
  press_letter('K');
  EXPECT_FALSE(app_.document().compared);
}

TEST_F(PresentingApp, BeginsWithTheStageOfThePinnedNumber) {
  press(ImGuiKey_Escape);
  ASSERT_EQ(app_.view().pinned->stage, Stage::weights);
  begin();
  EXPECT_TRUE(has_come(Stage::weights));
  EXPECT_FALSE(has_come(Stage::context));
}

TEST_F(PresentingApp, StagesThatWereLeftOutAreNeitherStepsNorInThePicture) {
  press(ImGuiKey_Escape);
  change_view(app_.session().queue(), [](ViewState& view) {
    view.not_presented = {Stage::queries, Stage::keys, Stage::values};
  });
  app_.frames(2);
  EXPECT_TRUE(has_come(Stage::queries)) << "only before an audience";
  begin();
  press(ImGuiKey_Home);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(app_.view().stage, Stage::scores);
  press(ImGuiKey_End);
  EXPECT_FALSE(has_come(Stage::queries));
  EXPECT_TRUE(has_come(Stage::output));
}

TEST_F(PresentingApp, ScoresThatAreDividedByOneAreNoStep) {
  edit_document(app_.session().queue(), {"d_out", [](Document& document) { document.config.d_out = 2; }});
  app_.settle();
  press(ImGuiKey_Home);
  for (int step = 0; step < 12; ++step) {
    EXPECT_NE(app_.view().stage, Stage::scaled_scores) << "head_dim is 1";
    press(ImGuiKey_RightArrow);
  }
  EXPECT_EQ(app_.view().stage, Stage::output);
}

TEST_F(PresentingApp, TheSpotEndsWithTheView) {
  press_letter('S');
  app_.press_key(keys::digit(5));
  app_.frames(3);
  press_letter('S');
  EXPECT_EQ(presenting().spot, ViewMode::study) << "it was off in the teaching view";
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(presenting().spot);
  press_letter('S');
  app_.press_key(keys::digit(1));
  app_.frames(3);
  app_.press_key(keys::digit(5));
  app_.frames(3);
  EXPECT_FALSE(presenting().spot) << "coming back does not light it again";
}

TEST_F(PresentingApp, ADocumentWithFewerStagesIsAtItsLastOne) {
  press(ImGuiKey_End);
  const Index last = presenting().step;
  edit_document(app_.session().queue(),
                {"mechanism", [](Document& document) { set_mechanism(document, Mechanism::simple_self_attention); }});
  app_.settle();
  app_.frames(2);
  EXPECT_TRUE(has_come(Stage::context));
  EXPECT_EQ(presenting().step, last);
  press(ImGuiKey_LeftArrow);
  EXPECT_FALSE(has_come(Stage::context));
}

}  // namespace
}  // namespace attnscope::test

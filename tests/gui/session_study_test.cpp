// Teaching views in the window: what is played, and where they begin.

#include "headless_app.h"
#include "support.h"
#include "ui/imgui_input.h"

namespace attnscope::test {
namespace {

class StudyViews : public testing::Test {
protected:
  void show(const std::string& id) {
    app_.change_view([id](ViewState& view) {
      view.mode = ViewMode::study;
      view.study = {.id = id};
    });
    app_.settle();
  }
  double step() { return app_.view().study.value("step", -1); }

  HeadlessApp app_;
};

TEST_F(StudyViews, StepsArePlayedToTheirEndAndThenTheWindowSleeps) {
  show("splitting");
  app_.click("study/step/play");
  app_.frames(20);
  const double early = step();
  EXPECT_GT(early, 0);
  EXPECT_LT(early, 1);
  app_.frames(20);
  EXPECT_GT(step(), early);
  app_.frames(200);
  EXPECT_EQ(step(), 2);
  app_.settle();
  app_.move_away();
  constexpr int most = 100;  // frames that what is computed in the background may still ask for
  int awake = 0;
  while (awake < most && app_.frame_of(app_.session())) ++awake;
  EXPECT_LT(awake, most);
}

TEST_F(StudyViews, TakeNothingThatIsNoNumber) {
  show("draws");
  for (const char* const typed : {"0", "*1e999"}) {  // 0 times infinity
    app_.control_click("study/inserted");
    app_.type(typed);
    app_.press_key(keys::named(ImGuiKey_Enter));
    app_.settle();
  }
  EXPECT_EQ(app_.view().study.value("inserted", 1), 0);
}

TEST_F(StudyViews, LeftAndRightLeadToOtherViews) {
  const Source pinned{.stage = Stage::weights, .row = 4, .col = 1};
  app_.change_view([&](ViewState& view) { view.pinned = pinned; });
  show("splitting");
  app_.press_key(keys::named(ImGuiKey_RightArrow));
  app_.settle();
  EXPECT_NE(app_.view().study.id, "splitting");
  EXPECT_EQ(app_.view().pinned, pinned) << "nobody sees it move there";
  app_.press_key(keys::named(ImGuiKey_LeftArrow));
  app_.settle();
  EXPECT_EQ(app_.view().study.id, "splitting");
  app_.press_key(keys::named(ImGuiKey_UpArrow));
  EXPECT_EQ(app_.view().pinned->row, 3) << "the view is about another query";
}

TEST_F(StudyViews, WhatIsPlayedCanBeStopped) {
  show("splitting");
  app_.click("study/step/play");
  app_.frames(20);
  app_.click("study/step/play");
  const double stopped = step();
  app_.frames(20);
  EXPECT_EQ(step(), stopped);
}

TEST_F(StudyViews, BeginAtTheirLeftHoweverFarTheDiagramWasScrolled) {
  show("mix");
  const float left = app_.widget("study/view").min_screen.x;
  app_.change_view([](ViewState& view) {
    view.mode = ViewMode::diagram;
    view.diagram_zoom = 4;
  });
  app_.frames(3);
  const float inputs = app_.widget("stages/inputs").min_screen.x;
  app_.move_to("stages");
  give_modifiers(false, true);
  app_.scroll(-20);
  give_modifiers(false, false);
  app_.frames(2);
  ASSERT_LT(app_.widget("stages/inputs").min_screen.x, inputs) << "it is scrolled";
  show("mix");
  EXPECT_EQ(app_.widget("study/view").min_screen.x, left);
}

}  // namespace
}  // namespace attnscope::test

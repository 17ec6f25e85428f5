// Teaching views in the window: what is played, and where they begin.

#include "desk.h"
#include "support.h"
#include "ui/input_events.h"

namespace attnscope::test {
namespace {

class StudyViews : public testing::Test {
protected:
  void show(const std::string& id) {
    desk_.change_view([id](ViewState& view) {
      view.layout = Layout::study;
      view.study = {.id = id};
    });
    desk_.settle();
    desk_.frames(2);
  }
  double step() { return desk_.view().study.value("step", -1); }

  Desk desk_;
};

TEST_F(StudyViews, StepsArePlayedToTheirEndAndThenTheWindowSleeps) {
  show("splitting");
  desk_.click("study/step/play");
  desk_.frames(20);
  const double early = step();
  EXPECT_GT(early, 0);
  EXPECT_LT(early, 1);
  desk_.frames(20);
  EXPECT_GT(step(), early);
  desk_.frames(200);
  EXPECT_EQ(step(), 2);
  desk_.settle();
  desk_.move_away();
  constexpr int most = 100;  // frames that what is computed in the background may still ask for
  int awake = 0;
  while (awake < most && desk_.frame_of(desk_.session())) ++awake;
  EXPECT_LT(awake, most);
}

TEST_F(StudyViews, TakeNothingThatIsNoNumber) {
  show("draws");
  for (const char* const typed : {"0", "*1e999"}) {  // 0 times infinity
    desk_.control_click("study/inserted");
    desk_.type(typed);
    desk_.press_key(keys::named(ImGuiKey_Enter));
    desk_.settle();
  }
  EXPECT_EQ(desk_.view().study.value("inserted", 1), 0);
}

TEST_F(StudyViews, WhatIsPlayedCanBeStopped) {
  show("splitting");
  desk_.click("study/step/play");
  desk_.frames(20);
  desk_.click("study/step/play");
  desk_.frames(2);
  const double stopped = step();
  desk_.frames(20);
  EXPECT_EQ(step(), stopped);
}

TEST_F(StudyViews, BeginAtTheirLeftHoweverFarTheDiagramWasScrolled) {
  show("mix");
  const float left = desk_.widget("study/view").min_screen.x;
  desk_.change_view([](ViewState& view) {
    view.layout = Layout::diagram;
    view.diagram_zoom = 4;
  });
  desk_.frames(3);
  const float inputs = desk_.widget("stages/inputs").min_screen.x;
  desk_.move_to("stages");
  give_modifiers(false, true);
  desk_.scroll(-20);
  give_modifiers(false, false);
  desk_.frames(2);
  ASSERT_LT(desk_.widget("stages/inputs").min_screen.x, inputs) << "it is scrolled";
  show("mix");
  EXPECT_EQ(desk_.widget("study/view").min_screen.x, left);
}

}  // namespace
}  // namespace attnscope::test

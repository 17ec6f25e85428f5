#include "desk.h"
#include "desk_input.h"
#include "tests/support/patience.h"

namespace attnscope::test {
namespace {

void open_by_menu(Desk& desk) {
  desk.click("menu/view");
  desk.click("menu/view/performance");
  desk.frames(2);
}

void finish_measuring(Desk& desk) {
  wait_until([&] {
    desk.frames();
    desk.session().poll_evaluation();
    return !desk.session().shown().performance->comparison.is_running;
  });
  desk.frames(2);
}

TEST(PerformancePanel, IsOpenedByTheMenuAndTheKeyAndClosedByEsc) {
  Desk desk;
  EXPECT_FALSE(desk.shows("performance/history"));
  open_by_menu(desk);
  EXPECT_TRUE(desk.shows("performance/history"));
  EXPECT_TRUE(desk.shows("performance/phases"));
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(desk.view().show_performance);
  desk.press_key(keys::function(4));
  EXPECT_TRUE(desk.shows("performance/history"));
  desk.press_key(keys::function(4));
  EXPECT_FALSE(desk.shows("performance/history"));
}

TEST(PerformancePanel, EscLeavesWhatIsPinnedUntilItIsClosed) {
  Desk desk;
  ASSERT_TRUE(desk.view().pinned);
  open_by_menu(desk);
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_TRUE(desk.view().pinned);
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(desk.view().pinned);
}

TEST(PerformancePanel, StaysInTheSmallestWindow) {
  Desk desk(default_document(), {800, 520});
  open_by_menu(desk);
  for (const char* name : {"performance/history", "performance/phases"}) {
    EXPECT_GE(desk.widget(name).min_screen.x, 0) << name;
    EXPECT_LE(desk.widget(name).max_screen.x, 800) << name;
  }
  EXPECT_GE(desk.widget("performance/history").min_screen.y, 0);
}

TEST(PerformancePanel, StaysInSightWhereItWasOpenFromTheStart) {
  ViewState view;
  view.show_performance = true;
  Desk desk(default_document(), {1280, 720}, view);
  desk.frames(3);
  EXPECT_LE(desk.widget("performance/measure").max_screen.y, 720);
  ImGui::GetIO().DisplaySize = {1000, 640};
  desk.frames(4);
  EXPECT_LE(desk.widget("performance/measure").max_screen.y, 640);
  EXPECT_LE(desk.widget("performance/phases").max_screen.x, 1000);
}

TEST(PerformancePanel, GrowsWithEveryChange) {
  Desk desk;
  open_by_menu(desk);
  const std::size_t before = desk.session().shown().performance->evaluations.size();
  desk.drag("setup/dropout", 0.1f, 0.5f);
  desk.settle();
  EXPECT_GT(desk.session().shown().performance->evaluations.size(), before);
  EXPECT_FALSE(desk.session().shown().performance->newest()->is_whole()) << "dropout keeps the scores";
  EXPECT_EQ(desk.session().shown().performance->newest()->ticket, desk.session().shown().evaluation.result_ticket);
}

TEST(MeasureBoth, HasMediansOfBothBackends) {
  if (!has_openmp) GTEST_SKIP() << "there is only one";
  Desk desk;
  open_by_menu(desk);
  EXPECT_FALSE(desk.session().shown().performance->comparison.median(Backend::serial));
  const std::shared_ptr<const Result> shown = desk.session().shown().evaluation.result;
  desk.click("performance/measure");
  finish_measuring(desk);
  const BackendComparison& comparison = desk.session().shown().performance->comparison;
  EXPECT_EQ(comparison.error, "");
  EXPECT_EQ(comparison.workload, workload_of(desk.config()));
  EXPECT_GE(comparison.seconds[0].size(), 3U);
  EXPECT_EQ(comparison.seconds[0].size(), comparison.seconds[1].size());
  EXPECT_GT(*comparison.median(Backend::serial), 0);
  EXPECT_GT(*comparison.median(Backend::openmp), 0);
  EXPECT_EQ(desk.session().shown().evaluation.result, shown) << "what is on the screen stays";
  EXPECT_TRUE(desk.enables("performance/measure"));
}

TEST(MeasureBoth, GivesWayToAChangeOfTheDocument) {
  if (!has_openmp) GTEST_SKIP() << "there is only one";
  Document document = default_document();
  document.config.inputs = RandnInputs{2048, 768};
  document.config.d_out = 768;
  document.config.num_heads = 12;
  Desk desk(document);
  open_by_menu(desk);
  desk.click("performance/measure");
  EXPECT_TRUE(desk.session().shown().performance->comparison.is_running);
  desk.session().push(NewDocument{});
  desk.frames(2);
  desk.settle();
  finish_measuring(desk);
  EXPECT_TRUE(desk.is_up_to_date());
  EXPECT_LT(desk.session().shown().performance->comparison.seconds[1].size(), 25U);
}

}  // namespace
}  // namespace attnscope::test

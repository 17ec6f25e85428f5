// Sweeps that take a while: how far they have come, and that stopping them leaves nothing.

#include "sweep_app.h"
#include "tests/support/patience.h"

namespace attnscope::test {
namespace {

class LongSweep : public SweepDialog {
protected:
  // Frames of some milliseconds each.
  void start(const std::string& name, bool is_series) {
    open_sweep("seed", "400");
    if (is_series) app_.click("figure/series");
    app_.replace_text("dialog/name", name);
    app_.click("dialog/accept");
    wait_until([&] {
      app_.frames(1);
      return !figure().under_way || drawn() >= 3;
    });
  }
  std::size_t drawn() {
    const auto& under_way = figure().under_way;
    return under_way ? under_way->progress->drawn.load() : 0;
  }
};

TEST_F(LongSweep, TellsHowFarItHasComeAndStopsWithoutAFile) {
  for (const bool is_series : {false, true}) {
    start(is_series ? "a-%d.png" : "a.png", is_series);
    ASSERT_TRUE(figure().under_way);
    EXPECT_EQ(figure().under_way->progress->count, 400U);
    EXPECT_GE(drawn(), 3U);
    EXPECT_TRUE(app_.shows("figure/progress"));
    app_.click("dialog/cancel");
    EXPECT_FALSE(figure().under_way);
    EXPECT_EQ(dialog().kind, DialogState::Kind::figure);
    EXPECT_TRUE(says(app_.message(), {"Stopped", "nothing was written"}));
    app_.settle();
    EXPECT_TRUE(folder_.names().empty());
    app_.click("dialog/cancel");
  }
}

}  // namespace
}  // namespace attnscope::test

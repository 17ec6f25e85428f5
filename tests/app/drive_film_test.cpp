// The film of a number as a person watches it, read as text.

#include "drive_support.h"

namespace attnscope::test {
namespace {

class DriveFilm : public DriveCommand {
protected:
  static testing::AssertionResult has(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
      if (text.find(part) == std::string::npos) return testing::AssertionFailure() << "no " << part << " in " << text;
    return testing::AssertionSuccess();
  }
  static std::string picture(const Json& read) { return widget(read, "film/picture").at("text"); }
};

// Nobody watches while a script waits, so that a film that plays is at its end at once.
TEST_F(DriveFilm, IsReadSceneByScene) {
  const ProgramRun run = drive_steps(R"(
      {"click": {"stage": "weights", "head": 0, "row": 3, "col": 1}}, {"hover": "nothing"},
      {"keys": "W"}, {"read": "end.json"}, {"keys": "Home"}, {"keys": "Right"}, {"read": "meet.json"},
      {"keys": "Right"}, {"read": "sum.json"}, {"click": "film/back"}, {"read": "back.json"},
      {"click": "film/close"}, {"read": "a.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json end = reading("out/end.json");
  EXPECT_TRUE(has(picture(end), {"The shares mix the values", "context of with", "−0.57"}));
  EXPECT_EQ(widget(end, "film/play").at("text"), "Again");
  const Json meet = reading("out/meet.json");
  EXPECT_TRUE(has(picture(meet), {"“with” meets “journey”", "query of with", "key of journey"}));
  EXPECT_TRUE(has(widget(meet, "film/scene").at("text"), {"scene 1 of "}));
  EXPECT_TRUE(has(widget(meet, "film/strip").at("text"), {"meet", "softmax", "mix"}));
  EXPECT_TRUE(has(widget(reading("out/sum.json"), "film/scene").at("text"), {"scene 2 of "}));
  EXPECT_EQ(picture(reading("out/back.json")), picture(meet));
  EXPECT_FALSE(has_widget(reading(), "film/picture"));
  EXPECT_TRUE(has_widget(reading(), "stages/weights"));
}

TEST_F(DriveFilm, FollowsASlider) {
  const ProgramRun run = drive_steps(R"(
      {"click": {"stage": "weights", "head": 0, "row": 3, "col": 1}}, {"hover": "nothing"},
      {"click": "inspector/watch"}, {"keys": "Home"}, {"keys": "Right"}, {"read": "before.json"},
      {"enter": "setup/seed", "text": "124"}, {"hover": "nothing"}, {"read": "after.json"},
      {"keys": "Ctrl+Z"}, {"read": "undone.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string before = picture(reading("out/before.json"));
  EXPECT_NE(picture(reading("out/after.json")), before);
  EXPECT_EQ(picture(reading("out/undone.json")), before);
}

TEST_F(DriveFilm, SaysWhyATypedNumberHasNone) {
  const ProgramRun run = drive_steps(R"(
      {"click": {"stage": "inputs", "row": 1, "col": 1}}, {"hover": "nothing"}, {"keys": "W"}, {"read": "a.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_FALSE(has_widget(reading(), "film/picture"));
  const Json button = widget(reading(), "inspector/watch");
  EXPECT_EQ(button.at("enabled"), false);
  EXPECT_TRUE(has(button.at("reason"), {"has no film"})) << button;
}

}  // namespace
}  // namespace attnscope::test

// A trained model in the window: all heads of all layers, the next word, and heads that are switched off.

#include <fmt/format.h>

#include <cmath>

#include "drive_support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

constexpr const char* story =
    R"({"model": "example:stories", "text": "Mia puts the ball in the box . Now she looks for")";

class DriveModel : public DriveCommand {
protected:
  ProgramRun drive_story(const std::string& steps, const std::string& rest = "",
                         const std::string& size = "1440, 900") {
    return drive(std::string(R"({"document": )") + story + rest + R"(}, "size": [)" + size + R"(], "steps": [)" +
                 steps + "]}");
  }
  static std::vector<std::string> named(const Json& read, const std::string& prefix) {
    std::vector<std::string> names;
    for (const Json& widget : read.at("widgets")) {
      const std::string name = widget.at("name");
      if (name.starts_with(prefix)) names.push_back(name);
    }
    return names;
  }
  Json document(const std::string& name) const { return Json::parse(text_of(folder_ / "out" / name)); }
};

// Reading takes a while, in which the document before it is still shown.
TEST_F(DriveModel, WhatIsPinnedAtItsStartIsOfItself) {
  const std::string model = (tests_folder().parent_path() / "assets/models/stories").string();
  std::vector<Json> cards;
  for (const char* const before : {"example:who_is_it", "example:notebook"}) {
    const ProgramRun run = drive(fmt::format(R"({{"document": "{}", "size": [1440, 900], "steps": [
        {{"open": "{}"}}, {{"keys": "Ctrl+1"}}, {{"hover": "nothing"}}, {{"read": "a.json"}}]}})",
                                             before, model));
    ASSERT_EQ(run.status, 0) << run.err;
    cards.push_back(reading().at("inspector"));
  }
  EXPECT_FALSE(cards.front().empty());
  EXPECT_EQ(cards.front(), cards.back());
}

TEST_F(DriveModel, OpensOnAllHeadsOfAllLayers) {
  ASSERT_EQ(drive_story(R"({"read": "a.json"})").status, 0);
  const Json read = reading();
  for (const std::string head : {"model/0/0", "model/3/3", "model/1/2"}) EXPECT_TRUE(has_widget(read, head)) << head;
  EXPECT_FALSE(has_widget(read, "model/4/0"));
  EXPECT_EQ(named(read, "model/next/").size(), 10U);
  // From bottom to top, and the residual stream begins below the first layer.
  const auto top = [&](const std::string& name) { return widget(read, name).at("rect").at(1).get<double>(); };
  EXPECT_LT(top("model/3/0"), top("model/2/0"));
  EXPECT_LT(top("model/0/0"), top("model/residual/0"));
}

// What stands beside a word is what `eval` makes of the document's logits.
TEST_F(DriveModel, ShowsTheProbabilitiesOfTheLogits) {
  ASSERT_EQ(drive_story(R"({"read": "a.json"})").status, 0);
  put_text(folder_ / "story.json", std::string(story) + "}");
  const ProgramRun run = run_program({"eval", (folder_ / "story.json").string(), "--stages", "logits"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto logits = Json::parse(run.out).at("logits").back().get<std::vector<double>>();
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  double before = 1;
  for (const std::string& name : named(reading(), "model/next/")) {
    const auto token = static_cast<std::size_t>(std::stoul(name.substr(name.rfind('/') + 1)));
    const double shown = widget(reading(), name).at("value");
    EXPECT_NEAR(shown, std::exp(logits[token]) / sum, 1e-5);
    EXPECT_LE(shown, before) << "the likeliest first";
    before = shown;
  }
}

TEST_F(DriveModel, AClickOpensAHeadAndEscLeadsBack) {
  ASSERT_EQ(drive_story(R"({"click": "model/2/1"}, {"read": "a.json"}, {"document": "layer.json"},
                          {"keys": "Escape"}, {"read": "b.json"})")
                .status,
            0);
  EXPECT_TRUE(has_widget(reading(), "stages/weights"));
  EXPECT_EQ(document("layer.json").at("layer"), 2);
  EXPECT_TRUE(has_widget(reading("out/b.json"), "model/0/0"));
}

// Also where the setup is a rail.
TEST_F(DriveModel, NamesTheLayerThatIsShown) {
  ASSERT_EQ(drive_story(R"({"click": "model/2/1"}, {"read": "a.json"})", "", "1280, 720").status, 0);
  EXPECT_TRUE(has_widget(reading(), "rail/layer"));
  EXPECT_FALSE(has_widget(reading(), "rail/d_out"));
  const std::string shapes = widget(reading(), "status/shapes").at("text");
  EXPECT_TRUE(shapes.starts_with("layer 3 of 4:")) << shapes;
}

TEST_F(DriveModel, SpaceSwitchesAHeadOffAndThePredictionChanges) {
  ASSERT_EQ(drive_story(R"({"read": "a.json"}, {"hover": "model/1/2"}, {"keys": "Space"}, {"read": "b.json"},
                          {"document": "off.json"}, {"keys": "Ctrl+Z"}, {"read": "c.json"}, {"document": "on.json"})")
                .status,
            0);
  EXPECT_TRUE(widget(reading("out/a.json"), "model/1/2").at("on").get<bool>());
  EXPECT_FALSE(widget(reading("out/b.json"), "model/1/2").at("on").get<bool>());
  EXPECT_EQ(document("off.json").at("changed_layers").at("1").at("heads_off"), Json::array({2}));
  EXPECT_FALSE(document("on.json").contains("changed_layers"));
  const std::string likeliest = named(reading("out/a.json"), "model/next/").front();
  const auto value = [&](const std::string& name) {
    return widget(reading(name), likeliest).at("value").get<double>();
  };
  EXPECT_NE(value("out/a.json"), value("out/b.json"));
  EXPECT_EQ(value("out/a.json"), value("out/c.json"));
}

// The number below a head is the difference that switching it off makes.
TEST_F(DriveModel, RanksHeadsByWhatTheyDo) {
  ASSERT_EQ(drive_story(R"({"read": "a.json"})").status, 0);
  const Json read = reading();
  const std::string fall = named(read, "model/fall/").front();
  const std::string head = fall.substr(std::string("model/fall/").size());
  const std::string token = named(read, "model/next/").front();
  const double with_all = widget(read, token).at("value");
  ASSERT_EQ(drive_story(R"({"hover": "model/)" + head + R"("}, {"keys": "Space"}, {"read": "a.json"})").status, 0);
  const double without = widget(reading(), token).at("value");
  EXPECT_NEAR(std::log(with_all) - std::log(without), widget(read, fall).at("value").get<double>(), 2e-4);
}

TEST_F(DriveModel, AppendsTheNextWord) {
  ASSERT_EQ(drive_story(R"({"click": "model/append"}, {"document": "a.json"}, {"click": "model/draw"},
                          {"document": "b.json"}, {"keys": "Ctrl+Z"}, {"document": "c.json"})")
                .status,
            0);
  const std::string first = document("a.json").at("text");
  EXPECT_TRUE(first.starts_with("Mia puts the ball in the box . Now she looks for ")) << first;
  const std::string second = document("b.json").at("text");
  EXPECT_TRUE(second.starts_with(first + " ")) << second;
  EXPECT_EQ(document("c.json").at("text"), first);
}

TEST_F(DriveModel, FollowsAPositionAndAWord) {
  ASSERT_EQ(drive_story(R"({"read": "a.json"}, {"click": "model/token/3"}, {"read": "b.json"})").status, 0);
  EXPECT_FALSE(widget(reading("out/a.json"), "model/token/3").at("on").get<bool>());
  EXPECT_TRUE(widget(reading("out/b.json"), "model/token/3").at("on").get<bool>());
  const std::vector<std::string> words = named(reading("out/b.json"), "model/next/");
  EXPECT_NE(words, named(reading("out/a.json"), "model/next/"));
  ASSERT_EQ(drive_story(R"({"click": "model/token/3"}, {"click": ")" + words[2] + R"("}, {"read": "a.json"})").status,
            0);
  EXPECT_TRUE(widget(reading(), words[2]).at("on").get<bool>());
  EXPECT_FALSE(widget(reading(), words[0]).at("on").get<bool>());
}

TEST_F(DriveModel, HasAllInSightInEveryWindow) {
  for (const std::string size : {"1280, 720", "1440, 900", "1920, 1080"}) {
    ASSERT_EQ(drive_story(R"({"read": "a.json"})", "", size).status, 0);
    const Json read = reading();
    const double right = read.at("window").at("size").at(0);
    const double bottom = read.at("window").at("size").at(1);
    for (const std::string& name : named(read, "model/")) {
      const Json rect = widget(read, name).at("rect");
      EXPECT_LE(rect.at(2).get<double>(), right) << size << " " << name;
      EXPECT_LE(rect.at(3).get<double>(), bottom) << size << " " << name;
    }
  }
}

TEST_F(DriveModel, TheTextIsTyped) {
  ASSERT_EQ(
      drive_story(R"({"enter": "model/text", "text": "The dogs"}, {"read": "a.json"}, {"document": "a-document.json"})")
          .status,
      0);
  EXPECT_EQ(document("a-document.json").at("text"), "The dogs");
  EXPECT_EQ(named(reading(), "model/token/").size(), 2U);
}

// Before an audience nothing scrolls, and no line is cut.
TEST_F(DriveModel, PresentedFitsScreensOfEveryShape) {
  for (const char* const size : {"[1024, 768]", "[1280, 720]", "[1440, 900]", "[1920, 1080]"}) {
    const ProgramRun run = drive(fmt::format(R"({{"document": "example:stories", "size": {}, "steps": [
        {{"keys": "F11"}}, {{"keys": "Right"}}, {{"keys": "Space"}}, {{"read": "a.json"}}]}})",
                                             size));
    ASSERT_EQ(run.status, 0) << run.err;
    const Json read = reading();
    const double end = widget(read, "presenting/line").at("rect").at(1);
    std::size_t falls = 0;
    for (const Json& each : read.at("widgets")) {
      if (!each.at("name").get<std::string>().starts_with("model/")) continue;
      EXPECT_LE(each.at("rect").at(3).get<double>(), end) << size << ": " << each.dump();
      falls += each.at("name").get<std::string>().starts_with("model/fall/") ? 1 : 0;
    }
    EXPECT_GE(falls, 2U) << size;
  }
}

}  // namespace
}  // namespace attnscope::test

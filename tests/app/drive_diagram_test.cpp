// The diagram as a person moves about in it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "drive_support.h"

namespace attnscope::test {
namespace {

class DriveDiagram : public DriveCommand {
protected:
  // Left, top, right and bottom of a matrix, in the order of the steps.
  std::vector<Json> places(const std::string& stage, const std::string& steps, const std::vector<std::string>& names) {
    const ProgramRun run = drive_steps(steps);
    EXPECT_EQ(run.status, 0) << run.err;
    std::vector<Json> rects;
    for (const std::string& name : names) rects.push_back(widget(reading("out/" + name), "stages/" + stage).at("rect"));
    return rects;
  }
};

TEST_F(DriveDiagram, CtrlAndTheWheelZoomAroundThePointerAndZeroFitsAgain) {
  const std::vector<Json> rects = places("scores", R"(
      {"resize": [1920, 1080]}, {"hover": "nothing"}, {"read": "a.json"},
      {"wheel": {"stage": "scores", "row": 2, "col": 3}, "by": 3, "holding": "Ctrl"}, {"hover": "nothing"},
      {"read": "b.json"}, {"keys": "0"}, {"read": "c.json"})",
                                         {"a.json", "b.json", "c.json"});
  const auto cell = [](const Json& rect) {  // middle of row 2 and column 3 of 6
    const double width = rect[2].get<double>() - rect[0].get<double>();
    const double height = rect[3].get<double>() - rect[1].get<double>();
    return std::pair(rect[0].get<double>() + 3.5 / 6 * width, rect[1].get<double>() + 2.5 / 6 * height);
  };
  EXPECT_GT(rects[1][2].get<double>() - rects[1][0].get<double>(),
            1.2 * (rects[0][2].get<double>() - rects[0][0].get<double>()));
  // Titles grow in steps, so that not everything grows alike.
  constexpr double steps = 80;
  EXPECT_NEAR(cell(rects[1]).first, cell(rects[0]).first, steps);
  EXPECT_NEAR(cell(rects[1]).second, cell(rects[0]).second, steps);
  EXPECT_EQ(rects[2], rects[0]);
}

TEST_F(DriveDiagram, TheSettingsZoom) {
  const std::vector<Json> rects = places("inputs", R"(
      {"read": "a.json"}, {"keys": "Ctrl+,"}, {"click": "settings/zoom/300"}, {"keys": "Escape"}, {"expect": "view/fit", "text": "300 %: fit"},
      {"read": "b.json"})",
                                         {"a.json", "b.json"});
  EXPECT_GT(rects[1][0], rects[0][0]);
}

TEST_F(DriveDiagram, ShiftAndTheArrowsMoveWhatIsZoomed) {
  const std::vector<Json> rects =
      places("queries", R"({"keys": "Ctrl+,"}, {"click": "settings/zoom/200"}, {"keys": "Escape"}, {"hover": "nothing"},
      {"read": "a.json"}, {"keys": "Shift+Right"}, {"keys": "Shift+Down"}, {"hover": "nothing"}, {"read": "b.json"})",
             {"a.json", "b.json"});
  EXPECT_NE(rects[1], rects[0]);
}

// Four decimals, both panels, and a small window.
TEST_F(DriveDiagram, AllOfItIsInSight) {
  const ProgramRun run = drive_steps(R"({"hover": "nothing"}, {"read": "small.json"}, {"resize": [1920, 1080]},
      {"click": "view/decimals"}, {"hover": "nothing"}, {"read": "large.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const std::string name : {"out/small.json", "out/large.json"}) {
    const Json read = reading(name);
    const Json canvas = read.at("canvas");
    for (const Json& each : read.at("matrices")) {
      const Json& rect = each.at("rect");
      EXPECT_TRUE(rect[0] >= canvas[0] && rect[1] >= canvas[1] && rect[2] <= canvas[2] && rect[3] <= canvas[3])
          << name << " " << each.at("name");
    }
  }
  const Json large = reading("out/large.json");
  EXPECT_FALSE(matrix(large, "weights").at("shown").is_null());
  EXPECT_FALSE(matrix(large, "output").at("shown").is_null());
}

TEST_F(DriveDiagram, WhatADocumentLacksIsAWordThatSaysWhy) {
  const ProgramRun run = drive(R"({"document": {"mechanism": "causal_attention", "mask": "none"},
      "size": [1440, 900], "steps": [{"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json dropout = widget(reading(), "stages/dropped_weights/absent");
  EXPECT_EQ(dropout.at("text"), "dropout off");
  EXPECT_TRUE(dropout.at("help").get<std::string>().starts_with("dropout is off")) << dropout.at("help");
  EXPECT_EQ(widget(reading(), "stages/masked_scores/absent").at("text"), "no mask");
}

TEST_F(DriveDiagram, HeadsOfLessThanAPixelEachAreDrawnAndPointedAt) {
  const ProgramRun run = drive(R"({"document": {"mechanism": "multi_head_attention_wrapper", "num_heads": 128},
      "size": [1024, 700], "steps": [{"hover": "stages/queries"}, {"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NO_THROW(matrix(reading(), "queries"));
}

TEST_F(DriveDiagram, AllHeadsKeepTheirNumbersWhereCellsCanBeWider) {
  for (const char* const size : {"[1280, 720]", "[1440, 900]"}) {
    const ProgramRun run = drive(fmt::format(R"({{"document": {{"d_out": 24, "num_heads": 12}}, "size": {},
        "steps": [{{"click": "view/heads"}}, {{"read": "a.json"}}]}})",
                                             size));
    ASSERT_EQ(run.status, 0) << run.err;
    const Json matrices = reading().at("matrices");
    ASSERT_EQ(matrices.size(), 12U);
    for (const Json& each : matrices) EXPECT_GE(each.at("text_size").get<double>(), 11) << size;
  }
}

TEST_F(DriveDiagram, TextGrowsWithTheCanvas) {
  const ProgramRun run = drive_steps(R"({"resize": [3840, 2160]}, {"hover": "nothing"}, {"read": "a.json"},
                                        {"resize": [1280, 720]}, {"read": "b.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto size = [&](const std::string& name) {
    return find(reading(name).at("texts"), "text", "scores").at("size");
  };
  EXPECT_GT(size("out/a.json").get<double>(), 1.15 * size("out/b.json").get<double>());
}

TEST_F(DriveCommand, ThePresentersLineSpeaksOfTheStageThatIsShownAlone) {
  for (const char* const layout : {"2", "3"}) {
    const ProgramRun run = drive(fmt::format(R"({{"document": {{"d_out": 4, "num_heads": 2}}, "size": [1280, 720],
        "steps": [{{"keys": ["F11", "{}"]}}, {{"read": "a.json"}}]}})",
                                             layout));
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string line = widget(reading(), "presenting/line").at("text");
    EXPECT_TRUE(line.starts_with("inputs")) << line;
  }
}

TEST_F(DriveDiagram, MatricesThatAStageFollowsFromAreSquareWhereItIs) {
  const ProgramRun run = drive(R"({"document": {"inputs": {"randn": [64, 8]}}, "size": [1280, 720], "steps": [
      {"keys": "Ctrl+3"}, {"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json box = find(reading().at("matrices"), "name", "focus/scaled_scores").at("rect");
  const double width = box.at(2).get<double>() - box.at(0).get<double>();
  EXPECT_NEAR(width, box.at(3).get<double>() - box.at(1).get<double>(), 1);
}

}  // namespace
}  // namespace attnscope::test

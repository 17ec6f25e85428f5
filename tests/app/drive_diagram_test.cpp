// The diagram as a person moves about in it.

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

TEST_F(DriveDiagram, TheMenuZoomsAndDraggingWhereNothingIsPans) {
  const std::vector<Json> rects = places("inputs", R"(
      {"click": "menu/view/zoom/300"}, {"expect": "view/fit", "text": "300 %: fit"}, {"read": "a.json"},
      {"drag": "diagram/band/1", "by": [-40, -30]}, {"read": "b.json"})",
                                         {"a.json", "b.json"});
  EXPECT_LT(rects[1][0], rects[0][0]);
}

TEST_F(DriveDiagram, AClickOnTheOverviewGoesThere) {
  const ProgramRun run = drive_steps(R"({"read": "a.json"}, {"click": "diagram/overview"}, {"read": "b.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json before = widget(reading("out/a.json"), "stages/scores").at("rect");
  const Json after = widget(reading("out/b.json"), "stages/scores").at("rect");
  EXPECT_LT(after[1], before[1]);
}

TEST_F(DriveDiagram, TheOverviewCoversNoMatrixWhereThereIsRoom) {
  const ProgramRun run = drive_steps(R"({"hover": "nothing"}, {"read": "a.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json read = reading();
  const Json over = widget(read, "diagram/overview").at("rect");
  for (const Json& matrix : read.at("matrices")) {
    const Json& rect = matrix.at("rect");
    EXPECT_FALSE(rect[0] < over[2] && over[0] < rect[2] && rect[1] < over[3] && over[1] < rect[3]) << matrix.at("name");
  }
}

TEST_F(DriveDiagram, ShiftAndTheArrowsMoveTheView) {
  const std::vector<Json> rects = places("scores", R"({"keys": "F2"}, {"hover": "nothing"}, {"read": "a.json"},
      {"keys": "Shift+Right"}, {"keys": "Shift+Down"}, {"read": "b.json"})",
                                         {"a.json", "b.json"});
  EXPECT_LT(rects[1][0], rects[0][0]);
  EXPECT_LT(rects[1][1], rects[0][1]);
}

TEST_F(DriveDiagram, ACellThatIsPinnedElsewhereIsScrolledTo) {
  const ProgramRun run = drive_steps(R"({"hover": "nothing"}, {"read": "a.json"}, {"click": "view/focus"},
      {"click": "view/stage"}, {"click": "view/stage/output"}, {"click": {"stage": "output", "row": 5, "col": 1}},
      {"click": "view/diagram"}, {"hover": {"stage": "output", "row": 5, "col": 1}})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_ANY_THROW(widget(reading("out/a.json"), "stages/output"));  // it was out of sight
}

// All of it: the output is the last one on the right and below.
TEST_F(DriveDiagram, FitsWithFourDecimalsBesideBothPanelsAndZoomedOutInASmallWindow) {
  const ProgramRun run = drive_steps(R"({"click": "menu/view/zoom/50"}, {"hover": "nothing"},
      {"read": "small.json"}, {"keys": "0"}, {"resize": [1920, 1080]}, {"click": "view/decimals"},
      {"hover": "nothing"}, {"read": "large.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const std::string name : {"out/small.json", "out/large.json"}) {
    const Json read = reading(name);
    const Json output = widget(read, "stages/output").at("rect");
    const Json canvas = widget(read, "workspace").at("rect");
    EXPECT_LE(output[2], canvas[2]) << name;
    EXPECT_LE(output[3], canvas[3]) << name;
    EXPECT_ANY_THROW(widget(read, "diagram/overview")) << name;
  }
  const Json large = reading("out/large.json");
  for (const Json& matrix : large.at("matrices")) EXPECT_FALSE(matrix.at("shown").is_null()) << matrix.at("stage");
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

// With few tokens there is no room for it: then the pointer finds it all the same.
TEST_F(DriveDiagram, WhyAStageIsLeftOutIsNeverCutOff) {
  const auto outline_with = [&](const std::string& inputs) {
    const ProgramRun run = drive(R"({"document": {"mechanism": "causal_attention", "inputs": [[1, 0])" + inputs +
                                 R"(]}, "steps": [{"hover": "stages/dropped_weights/absent"}, {"read": "a.json"}]})");
    EXPECT_EQ(run.status, 0) << run.err;
    return widget(reading(), "stages/dropped_weights/absent");
  };
  const Json few = outline_with("");
  const Json many = outline_with(", [0, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1], [0, 0]");
  EXPECT_EQ(few.at("text"), "");
  std::string shown = many.at("text");
  std::ranges::replace(shown, '\n', ' ');
  EXPECT_EQ(shown, many.at("help").get<std::string>());
  EXPECT_EQ(few.at("help"), many.at("help"));
}

TEST_F(DriveDiagram, HeadsOfLessThanAPixelEachAreDrawnAndPointedAt) {
  const ProgramRun run = drive(R"({"document": {"mechanism": "multi_head_attention_wrapper", "num_heads": 128},
      "size": [640, 480], "steps": [{"hover": "stages/queries"}, {"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NO_THROW(matrix(reading(), "queries"));
}

}  // namespace
}  // namespace attnscope::test

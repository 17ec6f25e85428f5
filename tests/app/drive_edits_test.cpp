// Numbers changed where they stand: weights, weights of dropout, heads.

#include <gtest/gtest.h>

#include <cmath>

#include "drive_support.h"

namespace attnscope::test {
namespace {

class DriveEdits : public DriveCommand {
protected:
  // The document after some steps.
  Json document_after(const std::string& steps) const {
    const ProgramRun run = drive_steps(R"({"resize": [1920, 1080]},)" + steps + R"(, {"document": "after.json"})");
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(text_of(folder_ / "out/after.json"));
  }
};

TEST_F(DriveEdits, AWeightIsTypedInItsCellAndTakenBack) {
  const Json after = document_after(R"(
      {"click": {"stage": "W_query", "row": 1, "col": 0}}, {"keys": "Enter"}, {"type": "-0,75"}, {"keys": "Enter"},
      {"hover": "nothing"}, {"read": "a.json"}, {"document": "typed.json"}, {"keys": "Ctrl+Z"})");
  EXPECT_EQ(after.at("weights"), Json::object());
  const Json typed = Json::parse(text_of(folder_ / "out/typed.json"));
  const Json weight = typed.at("weights").at("W_query.weight");
  Json shown;  // the part of its head
  const Json read = reading();
  for (const Json& each : read.at("matrices"))
    if (each.at("stage") == "W_query" && !each.at("marks").at("edited").empty()) shown = each;
  ASSERT_TRUE(shown.is_object());
  ASSERT_EQ(shown.at("marks").at("edited").size(), 1U);
  const bool is_turned = shown.at("transposed");
  const Json place = shown.at("marks").at("edited")[0];
  EXPECT_EQ(weight[place[is_turned ? 1 : 0].get<std::size_t>()][place[is_turned ? 0 : 1].get<std::size_t>()], -0.75);
  EXPECT_NE(reading().at("inspector").dump().find("-0.75"), std::string::npos);
  EXPECT_NE(reading().at("inspector").dump().find("Set by hand: the seed drew"), std::string::npos);
}

TEST_F(DriveEdits, WhatIsNoNumberIsSaidAndChangesNothing) {
  const Json after = document_after(R"(
      {"click": {"stage": "W_key", "row": 0, "col": 0}}, {"keys": "Enter"}, {"type": "many"}, {"keys": "Enter"},
      {"read": "a.json"})");
  EXPECT_EQ(after.at("weights"), Json::object());
  EXPECT_NE(reading().at("messages").dump().find("“many” is not a number"), std::string::npos);
}

TEST_F(DriveEdits, KeysAndThePointerChangeAWeightByStepsAndDeleteGivesTheSeedsBack) {
  const Json stepped = document_after(R"(
      {"click": {"stage": "W_query", "row": 0, "col": 0}}, {"keys": ["Ctrl+Up", "Ctrl+Up", "Ctrl+Shift+Up"]},
      {"document": "up.json"}, {"keys": "Delete"})");
  EXPECT_EQ(stepped.at("weights"), Json::object());
  const double up = Json::parse(text_of(folder_ / "out/up.json")).at("weights").at("W_query.weight")[0][0];
  EXPECT_NEAR(up * 10, std::round(up * 10), 1e-4) << "a multiple of the step";
  const Json dragged = document_after(R"(
      {"drag": {"stage": "W_query", "row": 0, "col": 0}, "by": [40, 0], "holding": "Alt"}, {"document": "far.json"},
      {"keys": "Ctrl+Z"})");
  EXPECT_EQ(dragged.at("weights"), Json::object()) << "one edit";
  EXPECT_TRUE(Json::parse(text_of(folder_ / "out/far.json")).at("weights").contains("W_query.weight"));
}

// Where they stand among the inputs, without a key held.
TEST_F(DriveEdits, EmbeddingsAreDraggedAndTypedInTheDiagram) {
  const Json after = document_after(R"(
      {"hover": {"stage": "inputs", "row": 1, "col": 0}}, {"read": "a.json"},
      {"drag": {"stage": "inputs", "row": 1, "col": 0}, "by": [40, 0]}, {"document": "dragged.json"},
      {"keys": "Ctrl+Z"}, {"document": "undone.json"},
      {"double_click": {"stage": "inputs", "row": 2, "col": 1}}, {"type": "0.25"}, {"keys": "Enter"})");
  const auto inputs = [&](const std::string& name) {
    return Json::parse(text_of(folder_ / ("out/" + name))).at("inputs");
  };
  const Json before = inputs("undone.json");
  EXPECT_EQ(before[1][0].dump(), "0.55");
  EXPECT_EQ(inputs("dragged.json")[1][0].dump(), "0.95") << "a hundredth for each unit, without a float's rounding";
  EXPECT_EQ(inputs("dragged.json")[1][1], before[1][1]);
  EXPECT_EQ(after.at("inputs")[2][1], 0.25);
  EXPECT_EQ(after.at("inputs")[1][0], before[1][0]) << "the drag is one edit";
  EXPECT_NE(reading().at("texts").dump().find("drag left or right to change it"), std::string::npos);
}

TEST_F(DriveEdits, TheMenuFillsARowScalesAHeadAndRestoresTheMatrix) {
  const Json after = document_after(R"(
      {"right_click": {"stage": "W_value", "row": 1, "col": 0}}, {"click": "cell/matrix/identity"},
      {"document": "identity.json"},
      {"right_click": {"stage": "W_value", "row": 0, "col": 0}}, {"enter": "cell/matrix/factor", "text": "2.5"},
      {"document": "scaled.json"},
      {"keys": "M"}, {"click": "cell/row/zeros"}, {"document": "zeros.json"},
      {"keys": "M"}, {"click": "cell/head/copy/1"}, {"document": "copied.json"},
      {"keys": "M"}, {"click": "cell/restore_all"})");
  const auto weight = [&](const std::string& name) {
    return Json::parse(text_of(folder_ / ("out/" + name))).at("weights").at("W_value.weight");
  };
  EXPECT_EQ(weight("identity.json"), Json::parse("[[1, 0, 0], [0, 1, 0]]"));
  EXPECT_EQ(weight("scaled.json"), Json::parse("[[2.5, 0, 0], [0, 2.5, 0]]"));
  EXPECT_EQ(weight("zeros.json"), Json::parse("[[0, 0, 0], [0, 2.5, 0]]"));
  EXPECT_EQ(weight("copied.json"), Json::parse("[[0, 2.5, 0], [0, 2.5, 0]]"));
  EXPECT_EQ(after.at("weights"), Json::object());
}

TEST_F(DriveEdits, KeysBecomeQueriesByOneItem) {
  const Json after = document_after(R"(
      {"right_click": {"stage": "W_query", "row": 0, "col": 0}}, {"click": "cell/equal_keys"},
      {"hover": "nothing"}, {"read": "a.json"})");
  EXPECT_TRUE(after.at("weights").contains("W_key.weight"));
  EXPECT_EQ(matrix(reading(), "keys").at("values"), matrix(reading(), "queries").at("values"));
}

TEST_F(DriveEdits, AWeightOfDropoutIsKeptAndDropped) {
  const Json after = document_after(R"(
      {"enter": "setup/dropout", "text": "0.5"},
      {"click": {"stage": "dropped_weights", "row": 3, "col": 1}}, {"read": "before.json"}, {"keys": "Enter"},
      {"hover": "nothing"}, {"read": "a.json"}, {"document": "toggled.json"}, {"keys": "Enter"})");
  EXPECT_FALSE(after.contains("dropout_edits"));
  const Json toggled = Json::parse(text_of(folder_ / "out/toggled.json")).at("dropout_edits");
  const bool was_dropped = widget(reading("out/before.json"), "inspector/toggle").at("text") == "Keep this weight";
  EXPECT_EQ(toggled.at(was_dropped ? "keep" : "drop"), Json::parse("[[0, 0, 3, 1]]"));
  EXPECT_EQ(matrix(reading(), "dropped_weights").at("marks").at("edited"), Json::parse("[[3, 1]]"));
  EXPECT_EQ(matrix(reading(), "dropout_factors").at("marks").at("edited"), Json::parse("[[3, 1]]"));
}

TEST_F(DriveEdits, AWordIsLostByTheMenuAndFoundAgain) {
  const Json after = document_after(R"(
      {"right_click": {"stage": "weights", "row": 3, "col": 1}}, {"click": "cell/key"},
      {"document": "lost.json"}, {"read": "a.json"}, {"keys": ["M"]}, {"click": "cell/restore_all"})");
  const Json lost = Json::parse(text_of(folder_ / "out/lost.json"));
  EXPECT_EQ(lost.at("dropout"), 0) << "also where nothing is drawn";
  EXPECT_EQ(lost.at("dropout_edits").at("drop").size(), 5U) << "the first query does not see it";
  EXPECT_EQ(matrix(reading(), "dropped_weights").at("values")[3][1], 0);
  EXPECT_FALSE(after.contains("dropout_edits"));
}

TEST_F(DriveEdits, AKeyIsLostWhereQueriesAndKeysAreOfOtherNumbers) {
  const ProgramRun run =
      drive(R"({"document": {"mechanism": "scaled_dot_product_attention", "tokens": ["a", "b", "c", "d"],
      "given": {"queries": [[[1, 2], [3, 4]]], "keys": [[1, 0], [0, 1], [1, 1], [2, 0]],
      "values": [[1], [2], [3], [4]]}}, "size": [1920, 1080], "steps": [
      {"right_click": {"stage": "weights", "row": 1, "col": 3}}, {"click": "cell/key"}, {"document": "lost.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json lost = Json::parse(text_of(folder_ / "out/lost.json")).at("dropout_edits");
  EXPECT_EQ(lost.at("drop"), Json::parse("[[0, 0, 0, 3], [0, 0, 1, 3]]"));
}

TEST_F(DriveEdits, AltAndDraggingPaintWhatIsDroppedInOneEdit) {
  const Json after = document_after(R"(
      {"hover": "nothing"}, {"read": "a.json"},
      {"drag": {"stage": "weights", "row": 5, "col": 0}, "by": [70, 0], "holding": "Alt"},
      {"document": "painted.json"}, {"keys": "Ctrl+Z"})");
  const double cell = matrix(reading(), "weights").at("cell")[0];
  const Json drop = Json::parse(text_of(folder_ / "out/painted.json")).at("dropout_edits").at("drop");
  EXPECT_EQ(drop.size(), 1U + static_cast<std::size_t>(std::floor(0.5 + 70 / cell)));
  for (std::size_t i = 0; i < drop.size(); ++i) EXPECT_EQ(drop[i], (Json{0, 0, 5, i}));
  EXPECT_FALSE(after.contains("dropout_edits"));
}

TEST_F(DriveEdits, HeadsAreSwitchedOffByKeyAndInTheSetup) {
  const Json after = document_after(R"(
      {"keys": "O"}, {"click": "setup/heads_off/1"}, {"keys": "Escape"}, {"document": "off.json"},
      {"click": {"stage": "context", "row": 0, "col": 0}}, {"read": "a.json"}, {"keys": ["O", "]", "O"]})");
  EXPECT_EQ(Json::parse(text_of(folder_ / "out/off.json")).at("heads_off"), Json::parse("[0, 1]"));
  EXPECT_NE(reading().at("inspector").dump().find("because this head is switched off"), std::string::npos);
  EXPECT_EQ(matrix(reading(), "context").at("values")[0][0], 0);
  EXPECT_FALSE(after.contains("heads_off"));
}

TEST_F(DriveEdits, AKeyIsHiddenFromAQueryAndShownAgain) {
  const Json after = document_after(R"(
      {"click": {"stage": "mask", "row": 4, "col": 1}}, {"keys": "Enter"}, {"hover": "nothing"}, {"read": "a.json"},
      {"document": "hidden.json"}, {"double_click": {"stage": "mask", "row": 4, "col": 1}})");
  const Json hidden = Json::parse(text_of(folder_ / "out/hidden.json"));
  EXPECT_EQ(hidden.at("mask"), "custom");
  EXPECT_EQ(hidden.at("hidden")[4], Json::parse("[[1, 2], [5, 6]]"));
  EXPECT_EQ(matrix(reading(), "mask").at("values")[4], Json::parse("[0, 1, 0, 0, 0, 1]"));
  EXPECT_EQ(matrix(reading(), "weights").at("values")[4][1], 0);
  EXPECT_EQ(widget(reading(), "inspector/toggle").at("text"), "Show this key");
  EXPECT_EQ(after.at("hidden")[4], Json::parse("[[5, 6]]"));
}

TEST_F(DriveEdits, AltAndDraggingPaintTheMaskInOneEdit) {
  const Json after = document_after(R"(
      {"drag": {"stage": "masked_scores", "row": 5, "col": 0}, "by": [60, 0], "holding": "Alt"},
      {"document": "painted.json"}, {"keys": "Ctrl+Z"})");
  const Json row = Json::parse(text_of(folder_ / "out/painted.json")).at("hidden")[5];
  EXPECT_EQ(row.size(), 1U);
  EXPECT_EQ(row[0][0], 0);
  EXPECT_GE(row[0][1], 2);
  EXPECT_EQ(after.at("mask"), "causal");
}

TEST_F(DriveEdits, PresetsOfTheMaskStandInTheSetupAndInTheMenuOfACell) {
  const Json after = document_after(R"(
      {"click": "setup/options"}, {"enter": "setup/mask_preset/window/keys", "text": "2"},
      {"click": "setup/mask_preset/window"}, {"document": "window.json"},
      {"right_click": {"stage": "mask", "row": 4, "col": 3}}, {"click": "cell/padding"}, {"document": "padding.json"},
      {"enter": "setup/mask_preset/blocks", "text": "3, 5"}, {"document": "blocks.json"},
      {"click": "setup/mask_preset/none"})");
  const auto hidden = [&](const std::string& name) {
    return Json::parse(text_of(folder_ / ("out/" + name))).at("hidden");
  };
  EXPECT_EQ(hidden("window.json")[3], Json::parse("[[0, 2], [4, 6]]"));
  EXPECT_EQ(hidden("padding.json")[3], Json::parse("[[0, 2], [3, 6]]"));
  EXPECT_EQ(hidden("blocks.json")[3], Json::parse("[[0, 2], [4, 6]]"));
  EXPECT_EQ(after.at("mask"), "none");
}

}  // namespace
}  // namespace attnscope::test

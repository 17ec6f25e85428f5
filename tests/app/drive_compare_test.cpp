// Scripts that compare documents in the window, and what they read of it, against the engine.

#include <fmt/format.h>

#include "core/evaluate.h"
#include "document/compare.h"
#include "drive_support.h"
#include "files/document_file.h"

namespace attnscope::test {
namespace {

class DriveCompare : public DriveCommand {
protected:
  // In a window in which the whole pipeline is seen.
  ProgramRun drive_steps(const std::string& steps) const {
    return drive(R"({"document": "example:multi_head_attention", "size": [1920, 1200], "steps": [)" + steps + "]}");
  }
  static Tensor stage_of(const Document& document, Stage stage) {
    return read_stage(evaluate(document.config, {Backend::serial, 1, {}}), stage);
  }
  Document document(const std::string& name) const { return load_document((folder_ / "out" / name).string()); }

  // What the shown head's matrix shows is the difference of two documents.
  static void expect_difference(const Json& read, Stage stage, const Document& now, const Document& before) {
    const Json shown = matrix(read, std::string(info(stage).id));
    const Json values = shown.at("values");
    const Index head = is_per_head(now.config, stage) ? shown.at("head").get<Index>() : 0;
    const Tensor left = stage_of(now, stage);
    const Tensor right = stage_of(before, stage);
    ASSERT_EQ(std::ssize(values), left.rows());
    for (Index row = 0; row < left.rows(); ++row) {
      for (Index col = 0; col < left.cols(); ++col) {
        EXPECT_EQ(values.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(col)).get<float>(),
                  left.matrix(head)(row, col) - right.matrix(head)(row, col));
      }
    }
  }
};

TEST_F(DriveCompare, WhatAnEditChangedIsSeenInEveryStage) {
  const ProgramRun run = drive_steps(R"({"document": "before.json"}, {"drag": "setup/dropout", "to": 0.5},
      {"keys": "C"}, {"hover": "nothing"}, {"read": "a.json"}, {"document": "now.json"}, {"keys": "C"},
      {"hover": "nothing"}, {"read": "b.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json read = reading();
  for (const Stage stage : {Stage::dropped_weights, Stage::output})
    expect_difference(read, stage, document("now.json"), document("before.json"));
  EXPECT_EQ(widget(read, "compare/difference").at("on"), true);
  const Json shown = matrix(reading("out/b.json"), "output").at("values");
  EXPECT_EQ(shown.at(0).at(0).get<float>(), stage_of(document("now.json"), Stage::output).values[0]);
}

TEST_F(DriveCompare, TwoDocumentsAreShownSwappedSavedAndOpened) {
  const ProgramRun run = drive_steps(R"({"keys": "K"}, {"enter": "setup/seed", "text": "7"}, {"keys": "D"},
      {"hover": "nothing"}, {"read": "a.json"}, {"document": "pair.json"}, {"keys": "Shift+A"}, {"read": "both.json"},
      {"screenshot": "both.png"}, {"hover": "weights[0,0,4,2]"}, {"read": "over_a.json"}, {"click": "menu/compare"},
      {"click": "menu/compare/swap"}, {"document": "swapped.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Document pair = document("pair.json");
  ASSERT_TRUE(pair.compared);
  EXPECT_EQ(pair.config.seed, 7U);
  for (const Stage stage : {Stage::weights, Stage::output}) expect_difference(reading(), stage, pair, *pair.compared);
  Document swapped = pair;
  swap_compared(swapped);
  EXPECT_EQ(document("swapped.json"), swapped);
  EXPECT_EQ(document("both.png"), pair) << "a picture is a document, and so are two";
  int shown = 0;
  const Json both = reading("out/both.json");
  for (const Json& each : both.at("matrices")) {
    if (each.at("stage") == "inputs") ++shown;
  }
  EXPECT_EQ(shown, 1) << "what both have alike is drawn once";
  const std::string texts = both.at("texts").dump();
  EXPECT_NE(texts.find("\"inputs\""), std::string::npos) << "of both";
  EXPECT_NE(texts.find("\"A: queries\""), std::string::npos) << "another seed makes other queries for B";
  const auto title = [&](const Document& document) {
    return fmt::format("Why {:.2f}?", stage_of(document, Stage::weights).matrix()(4, 2));
  };
  EXPECT_NE(title(pair), title(*pair.compared));
  EXPECT_NE(reading("out/over_a.json").at("texts").dump().find(title(*pair.compared)), std::string::npos)
      << "over A's number the card explains A's";
}

// Pairs that give the same begin side by side.
TEST_F(DriveCompare, EveryPairOpens) {
  for (const ReadyPair& pair : ready_pairs()) {
    SCOPED_TRACE(pair.id);
    const std::string item = "gallery/pairs/" + std::string(pair.id);
    const ProgramRun run =
        drive(R"({"document": {"d_out": 4}, "steps": [{"click": "menu/compare/pairs"}, {"click": ")" + item +
              R"("}, )" + (pair.example ? "" : R"({"keys": "D"}, )") +
              R"({"hover": "nothing"}, {"read": "a.json"}, {"document": "pair.json"}]})");
    ASSERT_EQ(run.status, 0) << run.err;
    const Document made = document("pair.json");
    if (pair.is_of_model) {
      EXPECT_NE(reading().at("texts").dump().find("B: untrained"), std::string::npos);
      continue;
    }
    expect_difference(reading(), Stage::weights, made, *made.compared);
  }
}

}  // namespace
}  // namespace attnscope::test

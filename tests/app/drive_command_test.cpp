// Scripts that drive the window, and what they read in it, against the engine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "document/builtin.h"
#include "document/document.h"
#include "document/json.h"
#include "drive_support.h"
#include "files/document_file.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

TEST_F(DriveCommand, WithoutADocumentBeginsWithTheNotebooksWords) {
  ASSERT_EQ(drive(R"({"steps": [{"document": "document.json"}]})").status, 0);
  EXPECT_EQ(load_document((folder_ / "out/document.json").string()), notebook_document());
}

TEST_F(DriveCommand, WhatIsReadIsWhatTheEngineComputes) {
  const ProgramRun run = drive_steps(R"(
      {"resize": [1920, 1100]}, {"drag": "setup/dropout", "to": 0.25},
      {"click": "weights[0,0,3,2]"},
      {"hover": "nothing"},
      {"read": "a.json"}, {"document": "document.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json read = reading();
  EXPECT_EQ(widget(read, "setup/dropout").at("text"), "0.25");
  EXPECT_EQ(widget(read, "setup/dropout").at("label"), "dropout");
  const std::string document = (folder_ / "out/document.json").string();
  EXPECT_EQ(load_document(document).config.dropout, 0.25);
  const Json computed = Json::parse(run_program({"eval", document}).out);
  for (const char* const stage : {"inputs", "queries", "scores", "weights", "dropped_weights", "output"}) {
    const Json shown = matrix(read, stage);
    const Json& whole = computed.at(stage).at(0);
    const Json& expected = whole.at(0).at(0).is_array() ? whole.at(0) : whole;  // of head 0, where it has heads
    ASSERT_EQ(shown.at("values").size(), expected.size()) << stage;
    for (std::size_t row = 0; row < expected.size(); ++row) {
      for (std::size_t col = 0; col < expected.at(row).size(); ++col)
        EXPECT_EQ(shown.at("values").at(row).at(col).get<float>(), expected.at(row).at(col).get<float>()) << stage;
    }
  }
  const Json weights = matrix(read, "weights");
  EXPECT_EQ(weights.at("row_labels"), Json({"Your", "journey", "starts", "with", "one", "step"}));
  EXPECT_EQ(weights.at("marks").at("row"), 3);
  EXPECT_EQ(weights.at("marks").at("column"), 2);
  EXPECT_EQ(weights.at("marks").at("hidden").size(), 15U);
  // Pinned, with the pointer away: what the inspector explains.
  const Json lines = read.at("inspector");
  EXPECT_NE(lines.dump().find("query with"), std::string::npos) << lines;
  EXPECT_NE(lines.dump().find("key starts"), std::string::npos) << lines;
}

TEST_F(DriveCommand, AboutSaysTheVersionAndWhatTheProgramIsMadeWith) {
  const ProgramRun run = drive_steps(R"({"click": "menu/help/about"}, {"hover": "nothing"}, {"read": "a.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string texts = reading().at("texts").dump();
  for (const std::string& text : {"Version " + std::string(version()), std::string("MIT license"),
                                  std::string("Omar Cornut"), std::string("CLI11"), std::string("MPL-2.0")}) {
    EXPECT_NE(texts.find(text), std::string::npos) << text;
  }
}

TEST_F(DriveCommand, NumbersAreReadAsTheyAreShown) {
  const ProgramRun run = drive_steps(R"({"resize": [1440, 900]},
      {"click": "menu/view/focus"}, {"click": "view/decimals"}, {"hover": "nothing"}, {"read": "a.json"},
      {"drag": "view/batch", "to": 2}, {"expect": "view/batch", "text": "2"},
      {"expect": {"stage": "weights", "row": 0, "col": 0}, "text": "1.0000"},
      {"expect": "view/decimals", "text": "4 decimals", "on": true},
      {"expect": "setup/num_heads", "text": "2", "enabled": true})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json weights = matrix(reading(), "weights");
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t col = 0; col <= row; ++col) {
      char text[32];
      std::snprintf(text, sizeof text, "%.4f", weights.at("values").at(row).at(col).get<double>());
      EXPECT_EQ(weights.at("shown").at(row).at(col), text);
    }
  }
}

// Every letter is read back, blanks too, and stands where its widget is.
TEST_F(DriveCommand, TextsAreReadWhole) {
  ASSERT_EQ(drive_steps(R"({"keys": "F2"}, {"read": "a.json"})").status, 0);
  const Json read = reading();
  EXPECT_EQ(widget(read, "tokens/sentence").at("text"), "Your journey starts with one step");
  EXPECT_EQ(widget(read, "setup/mechanism/simple_self_attention").at("text"), "1  Simple self-attention");
  EXPECT_EQ(widget(read, "menu/view").at("text"), "View");
  for (const Json& text : read.at("texts")) {
    EXPECT_GT(text.at("size"), 5) << text;
    EXPECT_LT(text.at("size"), 40) << text;
    const Json& rect = text.at("rect");
    EXPECT_TRUE(rect.at(0) < rect.at(2) && rect.at(1) < rect.at(3)) << text;
    EXPECT_TRUE(rect.at(0) >= 0 && rect.at(1) >= 0 && rect.at(2) <= 1280 && rect.at(3) <= 720) << text;
  }
}

TEST_F(DriveCommand, TheSameScriptMakesTheSameBytes) {
  const std::string steps = R"(
      {"drag": "setup/dropout", "to": 0.5}, {"enter": "setup/seed", "text": "42"}, {"click": "menu/view/heads"},
      {"hover": {"stage": "weights", "head": 1, "row": 2, "col": 1}}, {"click": "tokens/sentence"},
      {"read": "a.json"}, {"screenshot": "a.png"})";
  ASSERT_EQ(drive_steps(steps, "first").status, 0);
  ASSERT_EQ(drive_steps(steps, "second").status, 0);
  for (const char* const name : {"a.json", "a.png"}) {
    ASSERT_FALSE(text_of(folder_ / "first" / name).empty());
    EXPECT_TRUE(text_of(folder_ / "first" / name) == text_of(folder_ / "second" / name)) << name;
  }
  EXPECT_EQ(load_document((folder_ / "first/a.png").string()).config.seed, 42U);
  const Json read = reading("first/a.json");
  EXPECT_EQ(widget(read, "tokens/sentence").value("focused", false), true);  // it was clicked last
  EXPECT_EQ(widget(read, "setup/seed").value("focused", false), false);
}

TEST_F(DriveCommand, TheSetupIsOpenedWhereItIsARail) {
  const ProgramRun run = drive_steps(R"({"expect": "setup/dropout", "shown": false}, {"read": "before.json"},
      {"enter": "setup/num_heads", "text": "1"}, {"expect": "setup/num_heads", "text": "1"},
      {"click": {"stage": "inputs", "row": 0, "col": 0}}, {"expect": "setup/dropout", "shown": false},
      {"drag": "setup/dropout", "to": 0.25}, {"keys": "Escape"}, {"click": "why/setup/dropout"}, {"keys": "Escape"},
      {"keys": "Escape"}, {"enter": "tokens/1/0", "text": "0.5"}, {"expect": "setup/seed", "text": "123"},
      {"click": "menu/view/heads"}, {"read": "a.json"}, {"document": "document.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Document document = load_document((folder_ / "out/document.json").string());
  EXPECT_EQ(document.config.num_heads, 1);
  EXPECT_EQ(document.config.dropout, 0.25);
  EXPECT_EQ(std::get<SharedTensor>(document.config.inputs).row(1)[0], 0.5f);
  EXPECT_EQ(widget(reading("out/before.json"), "setup").at("open"), false);
  EXPECT_EQ(widget(reading(), "setup").at("open"), false) << "a click on the menu closed it";
}

TEST_F(DriveCommand, EverythingThatAPersonDoesCanBeDone) {
  const ProgramRun run = drive_steps(R"(
      {"enter": "setup/d_out", "text": 8}, {"drag": "setup/num_heads", "to": "4"},
      {"keys": "Ctrl+Z"}, {"keys": ["Ctrl+Z", "Ctrl+Y"]},
      {"enter": "tokens/1/name", "text": "voyage"}, {"enter": "tokens/0/1", "text": "0.125"},
      {"click": "tokens/sentence"}, {"keys": "End"}, {"type": " more"}, {"keys": "Enter"},
      {"click": "setup/options"}, {"click": "setup/mask/3"}, {"click": "setup/weight_order"},
      {"resize": [1600, 1000]}, {"theme": "dark"}, {"scale": 2},
      {"wheel": {"stage": "weights", "row": 0, "col": 0}, "by": 2},
      {"drag": {"stage": "weights", "row": 0, "col": 0}, "by": [-30, -20]},
      {"double_click": {"stage": "weights"}}, {"right_click": {"stage": "weights"}}, {"wait": 60},
      {"read": "a.json"}, {"screenshot": "sub/a.png"}, {"document": "document.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Document document = load_document((folder_ / "out/document.json").string());
  EXPECT_EQ(document.config.d_out, 8);
  EXPECT_EQ(document.config.mask, MaskRoute::causal_renormalized);
  EXPECT_EQ(document.tokens.size(), 7U);
  EXPECT_EQ(document.tokens[1], "voyage");
  EXPECT_EQ(document.tokens[6], "more");
  const Json read = reading();
  EXPECT_EQ(read.at("window").at("size"), Json({1600, 1000}));
  EXPECT_EQ(read.at("messages"), Json::array());  // old by then
  EXPECT_EQ(text_of(folder_ / "out/sub/a.png").substr(16, 8), std::string("\0\0\x0c\x80\0\0\x07\xd0", 8));
}

TEST_F(DriveCommand, TheThemeChangesBehindADialog) {
  ASSERT_EQ(drive_steps(R"({"click": "menu/file/figure"}, {"theme": "dark"}, {"screenshot": "dark.png"},
                           {"theme": "light"}, {"screenshot": "light.png"})")
                .status,
            0);
  EXPECT_LT(read_png(folder_ / "out/dark.png").pixels[0], 100);
  EXPECT_GT(read_png(folder_ / "out/light.png").pixels[0], 100);
}

TEST_F(DriveCommand, ListsAndDialogsAreRead) {
  ASSERT_EQ(drive_steps(R"({"click": "menu/file/figure"}, {"read": "a.json"}, {"click": "figure/stage"},
                           {"read": "b.json"}, {"keys": "Escape"}, {"keys": "Escape"},
                           {"expect": "dialog/accept", "shown": false})")
                .status,
            0);
  const Json dialog = reading();
  EXPECT_EQ(widget(dialog, "dialog/accept").at("text"), "Export");
  EXPECT_FALSE(widget(dialog, "dialog/accept").contains("covered"));
  EXPECT_TRUE(widget(dialog, "stages/scores").at("covered"));
  EXPECT_TRUE(widget(dialog, "menu/view").at("covered"));  // it does nothing while the dialog is open
  EXPECT_FALSE(widget(dialog, "figure/stage").at("open"));
  const Json list = reading("out/b.json");
  EXPECT_TRUE(widget(list, "figure/stage").at("open"));
  EXPECT_EQ(widget(list, "figure/stage/weights").at("text"), "attention weights");
  EXPECT_EQ(widget(list, "figure/stage/pipeline").at("on"), widget(dialog, "figure/stage").at("text") == "the diagram");
  EXPECT_EQ(widget(list, "figure/stage").at("rect"), widget(dialog, "figure/stage").at("rect"));
}

// Where there is little room a menu lies over the one that it belongs to.
TEST_F(DriveCommand, MenusWithinMenusAreOpenedAtEveryScale) {
  for (const char* const scale : {"0.75", "1", "1.5", "2"}) {
    const std::string start = R"({"size": [1280, 720], "interface_scale": )" + std::string(scale);
    const ProgramRun run = drive(start + R"(, "steps": [{"click": "menu/learn/lessons/mask"},
        {"expect": "lesson/next", "shown": true}, {"click": "menu/edit/copy/pytorch"}, {"read": "a.json"}]})");
    EXPECT_EQ(run.status, 0) << scale << run.err;
  }
}

TEST_F(DriveCommand, WhatIsNotOnTheScreenEndsItWithTheStep) {
  const auto refused = [&](const std::string& step) {
    std::filesystem::remove_all(folder_ / "out");
    const ProgramRun run = drive_steps(R"({"read": "a.json"}, )" + step + R"(, {"read": "b.json"})");
    EXPECT_EQ(run.status, 2) << step;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out/b.json"));
    return run.err;
  };
  const auto expect = [&](const std::string& step, const std::string& sentence) {
    EXPECT_NE(refused(step).find(sentence), std::string::npos) << refused(step);
  };
  expect(R"({"click": "setup/dropuot"})",
         R"(steps[1].click: "setup/dropuot" is not on the screen, did you mean "setup/dropout"?)");
  expect(R"({"click": "menu/view/nothing"})", R"(steps[1].click: "menu/view/nothing" is not on the screen)");
  expect(R"({"click": {"stage": "masked_weights", "row": 0, "col": 0}})",
         "steps[1].click: masked_weights is not on the screen. These are: ");
  expect(R"({"hover": {"stage": "weights", "row": 6, "col": 0}})",
         "steps[1].hover: cell [6, 0] of weights is not on the screen: that shows rows 0 to 5 and columns 0 to 5.");
  expect(R"({"click": {"stage": "weights", "head": 5}})", "weights of head 5 is not on the screen.");
  expect(R"({"drag": "setup/num_heads", "to": 3})",
         R"(steps[1].drag: "setup/num_heads" cannot be dragged to "3": it shows )");
  expect(R"({"enter": "menu/view", "text": "a"})", R"("menu/view" takes no text.)");
  expect(R"({"click": "setup/options"}, {"click": "setup/normalization/1"})",
         R"("setup/normalization" is disabled: Only simple self-attention can divide by the sum)");
  expect(R"({"type": "a"})", "steps[1].type: Nothing on the screen takes text now");
  expect(R"({"expect": "setup/num_heads", "text": "5"})", R"("setup/num_heads" shows "2", not "5".)");
  expect(R"({"open": "missing.json"})", "steps[1].open: ");
  expect(R"({"keys": "Ctrl+E"}, {"click": "setup/dropout"})", "a window lies over it");
  expect(R"({"keys": "Ctrl+Q"})", "steps[2].read: A step before this one has closed the window.");
}

TEST_F(DriveCommand, MistakesAreSaidWithTheirPath) {
  const auto expect = [&](const std::string& script, const std::string& sentence) {
    EXPECT_NE(refusal(script).find(sentence), std::string::npos) << refusal(script);
  };
  expect(R"({"steps": [)", "The script is not JSON: the mistake is at line 1, column 12.");
  expect("[]", "A script is an object");
  expect(R"({"step": []})", R"(The script has the unknown key "step", did you mean "steps"?)");
  expect(R"({"size": [1280, 20]})", "size[1] is 20, but it must be a whole number from 240 to 4320.");
  expect(R"({"theme": "blue"})", R"(theme is "blue", but it must be "light", "dark" or "high-contrast".)");
  expect(R"({"theme": "dark", "theme": "dark"})", R"(The key "theme" occurs twice in one object.)");
  expect(R"({"document": {"dropout": 2}})", "document: dropout is 2");
  expect(R"({"document": "example:none"})",
         R"(document: "none" is not an example: there are who_is_it, notebook, stories, )");
  expect(R"({"document": "missing.json"})", "document: ");
  expect(R"({"steps": [{"clik": "a"}]})", R"(steps[0] has the unknown key "clik", did you mean "click"?)");
  expect(R"({"steps": [{"click": "a", "hover": "a"}]})", R"(steps[0] does two things, "click" and "hover")");
  expect(R"({"steps": [{"click": {"stage": "wieghts"}}]})",
         R"(steps[0].click.stage is "wieghts", did you mean "weights"?)");
  expect(R"({"steps": [{"click": {"stage": "weights", "row": 1}}]})", R"(has one of "row" and "col")");
  expect(R"({"steps": [{"click": {"stage": "weights", "row": 1.5, "col": 0}}]})", "steps[0].click.row is 1.5");
  expect(R"({"steps": [{"drag": "setup/dropout"}]})", R"(steps[0] needs one of "to")");
  expect(R"({"steps": [{"enter": "setup/seed"}]})", R"(steps[0] lacks "text".)");
  expect(R"({"steps": [{"keys": "Ctrl+Nothing"}]})", R"(steps[0].keys is "Ctrl+Nothing", but it must be a key)");
  expect(R"({"steps": [{"read": "../a.json"}]})", R"(steps[0].read is "../a.json", but it must be the name of a file)");
  expect(R"({"steps": [{"screenshot": "/a.png"}]})", R"(steps[0].screenshot is "/a.png")");
  expect(R"({"steps": [{"screenshot": "a.jpg"}]})", R"(steps[0].screenshot is "a.jpg")");
  expect(R"({"steps": [{"read": "a.json"}, {"read": "./a.json"}]})",
         R"(steps[1].read is "a.json", which steps[0].read writes already.)");
}

TEST_F(DriveCommand, KeysAloneReachAWidgetThatIsReadAsFocused) {
  const ProgramRun run =
      drive_steps(R"({"keys": "F2"}, {"keys": "Tab"}, {"keys": "Tab"}, {"keys": "Tab"}, {"keys": "Down"},
      {"read": "a.json"}, {"keys": "Enter"}, {"document": "document.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(widget(reading(), "setup/mechanism/self_attention_v1").at("focused"), true);
  const Document document = load_document((folder_ / "out/document.json").string());
  EXPECT_EQ(document.config.mechanism, Mechanism::self_attention_v1);
}

TEST_F(DriveCommand, EmojiAreReadAsTheyStandInTheDocument) {
  const ProgramRun run = drive(R"({"document": {"tokens": ["🍕", "is", "good"], "inputs": {"randn": [3, 2]}},
      "steps": [{"click": {"stage": "weights", "row": 2, "col": 0}}, {"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json lines = reading().at("inspector");
  EXPECT_NE(lines.dump().find("key 🍕"), std::string::npos) << lines;
}

TEST_F(DriveCommand, AFolderThatCannotBeMadeIsStatusOne) {
  put_text(folder_ / "out", "a file");
  const ProgramRun run = drive_steps(R"({"read": "a.json"})");
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_NE(run.err.find((folder_ / "out").string()), std::string::npos) << run.err;
}

}  // namespace
}  // namespace attnscope::test

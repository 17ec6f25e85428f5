#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compute/computation.h"
#include "core/evaluate.h"
#include "document/json.h"
#include "features/search/search_controller.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "ui/imgui_input.h"

namespace attnscope::test {
namespace {

const std::vector<std::string> names = {"The", "cat", "sat", "on", "the", "mat", "42", "other"};

Document many_tokens() { return parse_document(R"({"inputs": {"randn": [64, 8]}, "d_out": 8, "num_heads": 2})"); }

Source pinned(const HeadlessApp& app) { return app.view().pinned.value_or(Source{.row = -1}); }

bool is_in_sight(const HeadlessApp& app, const Source& cell) {
  const CellWindow window = window_of(app.view().map, {Stage::weights, 64, 64});
  const auto row = static_cast<double>(cell.row);
  const auto col = static_cast<double>(cell.col);
  return row >= window.row && row + 1 <= window.row + window.rows && col >= window.col &&
         col + 1 <= window.col + window.cols;
}

void open_go_to(HeadlessApp& app) { app.press_control('F'); }

void enter(HeadlessApp& app) {
  app.press_key(keys::named(ImGuiKey_Enter));
  app.settle();
}

TEST(FindToken, TakesEqualNamesBeforeThoseThatContainTheText) {
  EXPECT_EQ(find_token(names, "the", -1).token, 0);
  EXPECT_EQ(find_token(names, "the", 0).token, 4);
  EXPECT_EQ(find_token(names, "the", 4).token, 0);
  EXPECT_EQ(find_token(names, "the", 4).count, 2);
  EXPECT_EQ(find_token(names, "at", -1).token, 1);
  EXPECT_EQ(find_token(names, "at", 2).token, 5);
  EXPECT_EQ(find_token(names, "dog", -1).token, -1);
  EXPECT_EQ(find_token(names, "", -1).token, -1);
}

TEST(FindToken, TakesANumberForThatTokenFirst) {
  EXPECT_EQ(find_token(names, "3", -1).token, 2);
  EXPECT_EQ(find_token(names, "42", -1).token, 6);
  EXPECT_EQ(find_token({"a3", "b", "c", "d"}, "3", -1).token, 2) << "though the first name has this digit";
  EXPECT_EQ(find_token(names, "0", -1).token, -1);
  EXPECT_EQ(find_token({"a", "b", "c"}, "3", -1).token, 2) << "the last one";
  EXPECT_EQ(find_token({"a", "b", "c"}, "4", -1).token, -1);
  EXPECT_EQ(find_token({"a", "b", "2"}, "2", -1).token, 1);
  EXPECT_EQ(find_token({"a", "b", "2"}, "2", 1).token, 2);
}

TEST(LargestCells, AreThoseOfASortedListOfAll) {
  HeadlessApp app(many_tokens());
  for (const Stage stage : {Stage::weights, Stage::scores, Stage::masked_scores}) {
    const Tensor tensor = read_stage(app.result(), stage);
    std::vector<LargeCell> all;
    for (Index row = 0; row < 64; ++row) {
      for (Index col = 0; col < 64; ++col) {
        const float value = tensor.matrix(1)(row, col);
        if (std::isfinite(value) && value != 0) all.push_back({row, col, value});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const LargeCell& left, const LargeCell& right) {
      return std::abs(left.value) > std::abs(right.value);
    });
    all.resize(20);
    EXPECT_EQ(largest_cells(app.result(), stage, 1, 20), all) << info(stage).id;
  }
}

TEST(GoTo, OpensAndClosesByKeyAndMenu) {
  HeadlessApp app;
  open_go_to(app);
  EXPECT_TRUE(app.shows("go_to/text"));
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app.shows("go_to/text"));
  EXPECT_TRUE(app.view().pinned);
  app.click("menu/edit");
  app.click("menu/edit/go_to");
  EXPECT_TRUE(app.shows("go_to/text"));
}

TEST(GoTo, LeavesTheLayoutKeysAtWorkWhileATokenIsTyped) {
  HeadlessApp app(many_tokens());
  open_go_to(app);
  app.type("40");
  app.hold_control(true);
  app.press_key(keys::digit(3));
  app.hold_control(false);
  EXPECT_EQ(app.view().mode, ViewMode::focus);
  EXPECT_EQ(app.session().shown().go_to.text, "40");
}

TEST(GoTo, FindsATokenAsQueryAsKeyAndAsBoth) {
  HeadlessApp app(many_tokens());
  open_go_to(app);
  app.type("40");
  enter(app);
  EXPECT_EQ(pinned(app).col, 39);
  EXPECT_GE(pinned(app).row, 39);
  EXPECT_TRUE(is_in_sight(app, pinned(app)));
  EXPECT_NE(app.session().shown().go_to.status.find("key 40"), std::string::npos);
  app.click("go_to/query");
  app.replace_text("go_to/text", "12");
  enter(app);
  EXPECT_EQ(pinned(app).row, 11);
  EXPECT_LE(pinned(app).col, 11);
  app.click("go_to/both");
  app.replace_text("go_to/text", "50");
  enter(app);
  EXPECT_EQ(pinned(app), (Source{.stage = Stage::weights, .row = 49, .col = 49}));
  EXPECT_TRUE(is_in_sight(app, pinned(app)));
}

TEST(GoTo, EnterAgainGoesToTheNextMatch) {
  HeadlessApp app(parse_document(R"({"tokens": ["a", "b", "a", "b", "a"], "inputs": {"randn": [5, 3]}, "d_out": 2})"));
  open_go_to(app);
  app.click("go_to/both");
  app.replace_text("go_to/text", "a");
  for (const Index token : {0, 2, 4, 0}) {
    enter(app);
    EXPECT_EQ(pinned(app).row, token);
  }
  app.replace_text("go_to/text", "c");
  enter(app);
  EXPECT_NE(app.session().shown().go_to.status.find("No token"), std::string::npos);
}

TEST(GoTo, StepsThroughTheLargestWeightsOfTheHeadThatIsShown) {
  HeadlessApp app(many_tokens());
  app.click("view/head/1");
  open_go_to(app);
  const std::vector<LargeCell> largest = largest_cells(app.result(), Stage::weights, 1, 20);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    app.click("go_to/largest");
    app.settle();
    EXPECT_EQ(pinned(app),
              (Source{.stage = Stage::weights, .head = 1, .row = largest[rank].row, .col = largest[rank].col}));
    EXPECT_TRUE(is_in_sight(app, pinned(app)));
  }
  app.click("view/head/0");
  app.click("go_to/largest");
  app.settle();
  const LargeCell first = largest_cells(app.result(), Stage::weights, 0, 1).front();
  EXPECT_EQ(pinned(app), (Source{.stage = Stage::weights, .head = 0, .row = first.row, .col = first.col}));
}

TEST(GoTo, WalksAlongTheDiagonalToItsEndAndBeginsAgain) {
  HeadlessApp app(many_tokens());
  open_go_to(app);
  double row = -1;
  for (int step = 0; step < 40; ++step) {
    app.click("go_to/diagonal");
    const CellWindow window = window_of(app.view().map, {Stage::weights, 64, 64});
    EXPECT_DOUBLE_EQ(window.row, window.col);
    EXPECT_EQ(app.session().shown().go_to.status,
              fmt::format("Tokens {} to {} of 64", std::floor(window.row) + 1, std::ceil(window.row + window.rows)));
    if (window.row <= row) {
      EXPECT_EQ(window.row, 0);
      EXPECT_EQ(row, 64 - window.rows);
      return;
    }
    row = window.row;
  }
  FAIL() << "the end never came";
}

TEST(GoTo, ShowsTheFirstTokensColumn) {
  HeadlessApp app(many_tokens());
  app.click_cell(Stage::weights, 50, 20);
  open_go_to(app);
  app.click("go_to/first_column");
  EXPECT_EQ(pinned(app).col, 0);
  EXPECT_TRUE(is_in_sight(app, pinned(app)));
}

// Dear ImGui has to know behind which window the tooltip belongs.
TEST(GoTo, ShowsATooltipInTheFrameInWhichADialogOpens) {
  HeadlessApp app;
  open_go_to(app);
  const WidgetRegistry::Entry& field = app.widget("go_to/query");
  give_pointer({field.min_screen.x + 3, field.min_screen.y + 3});
  app.show_dialog(DialogState::Kind::shortcuts);
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::shortcuts);
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_TRUE(app.shows("go_to/text"));
}

}  // namespace
}  // namespace attnscope::test

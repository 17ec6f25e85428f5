#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compute/largest_cells.h"
#include "core/cells.h"
#include "desk.h"
#include "desk_input.h"
#include "document/json.h"
#include "features/shared/panel/panels.h"
#include "ui/input_events.h"

namespace attnscope::test {
namespace {

const std::vector<std::string> names = {"The", "cat", "sat", "on", "the", "mat", "42", "other"};

Document many_tokens() { return parse_document(R"({"inputs": {"randn": [64, 8]}, "d_out": 8, "num_heads": 2})"); }

Source pinned(const Desk& desk) { return desk.view().pinned.value_or(Source{.row = -1}); }

bool is_in_sight(const Desk& desk, const Source& cell) {
  const CellWindow window = window_of(desk.view().map, false, {Stage::weights, 0, 64, 64});
  const auto row = static_cast<double>(cell.row);
  const auto col = static_cast<double>(cell.col);
  return row >= window.row && row + 1 <= window.row + window.rows && col >= window.col &&
         col + 1 <= window.col + window.cols;
}

void open_go_to(Desk& desk) {
  desk.press_control('F');
  desk.frames(3);
}

void enter(Desk& desk) {
  desk.press_key(keys::named(ImGuiKey_Enter));
  desk.settle();
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
  Desk desk(many_tokens());
  for (const Stage stage : {Stage::weights, Stage::scores, Stage::masked_scores}) {
    const Tensor tensor = read_stage(desk.result(), stage);
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
    EXPECT_EQ(largest_cells(desk.result(), stage, 1, 20, {}), all) << info(stage).id;
  }
}

TEST(GoTo, OpensAndClosesByKeyAndMenu) {
  Desk desk;
  open_go_to(desk);
  EXPECT_TRUE(desk.shows("go_to/text"));
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(desk.shows("go_to/text"));
  EXPECT_TRUE(desk.view().pinned);
  desk.click("menu/edit");
  desk.click("menu/edit/go_to");
  EXPECT_TRUE(desk.shows("go_to/text"));
}

TEST(GoTo, LeavesTheLayoutKeysAtWorkWhileATokenIsTyped) {
  Desk desk(many_tokens());
  open_go_to(desk);
  desk.type("40");
  desk.hold_control(true);
  desk.press_key(keys::digit(3));
  desk.hold_control(false);
  EXPECT_EQ(desk.view().layout, Layout::focus);
  EXPECT_EQ(desk.session().shown().go_to.text, "40");
}

TEST(GoTo, FindsATokenAsQueryAsKeyAndAsBoth) {
  Desk desk(many_tokens());
  open_go_to(desk);
  desk.type("40");
  enter(desk);
  EXPECT_EQ(pinned(desk).col, 39);
  EXPECT_GE(pinned(desk).row, 39);
  EXPECT_TRUE(is_in_sight(desk, pinned(desk)));
  EXPECT_NE(desk.session().shown().go_to.status.find("key 40"), std::string::npos);
  desk.click("go_to/query");
  desk.replace_text("go_to/text", "12");
  enter(desk);
  EXPECT_EQ(pinned(desk).row, 11);
  EXPECT_LE(pinned(desk).col, 11);
  desk.click("go_to/both");
  desk.replace_text("go_to/text", "50");
  enter(desk);
  EXPECT_EQ(pinned(desk), (Source{.stage = Stage::weights, .row = 49, .col = 49}));
  EXPECT_TRUE(is_in_sight(desk, pinned(desk)));
}

TEST(GoTo, EnterAgainGoesToTheNextMatch) {
  Desk desk(parse_document(R"({"tokens": ["a", "b", "a", "b", "a"], "inputs": {"randn": [5, 3]}, "d_out": 2})"));
  open_go_to(desk);
  desk.click("go_to/both");
  desk.replace_text("go_to/text", "a");
  for (const Index token : {0, 2, 4, 0}) {
    enter(desk);
    EXPECT_EQ(pinned(desk).row, token);
  }
  desk.replace_text("go_to/text", "c");
  enter(desk);
  EXPECT_NE(desk.session().shown().go_to.status.find("No token"), std::string::npos);
}

TEST(GoTo, StepsThroughTheLargestWeightsOfTheHeadThatIsShown) {
  Desk desk(many_tokens());
  desk.click("view/head/1");
  open_go_to(desk);
  const std::vector<LargeCell> largest = largest_cells(desk.result(), Stage::weights, 1, 20, {});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    desk.click("go_to/largest");
    desk.settle();
    EXPECT_EQ(pinned(desk),
              (Source{.stage = Stage::weights, .head = 1, .row = largest[rank].row, .col = largest[rank].col}));
    EXPECT_TRUE(is_in_sight(desk, pinned(desk)));
  }
  desk.click("view/head/0");
  desk.click("go_to/largest");
  desk.settle();
  const LargeCell first = largest_cells(desk.result(), Stage::weights, 0, 1, {}).front();
  EXPECT_EQ(pinned(desk), (Source{.stage = Stage::weights, .head = 0, .row = first.row, .col = first.col}));
}

TEST(GoTo, WalksAlongTheDiagonalToItsEndAndBeginsAgain) {
  Desk desk(many_tokens());
  open_go_to(desk);
  double row = -1;
  for (int step = 0; step < 40; ++step) {
    desk.click("go_to/diagonal");
    const CellWindow window = window_of(desk.view().map, false, {Stage::weights, 0, 64, 64});
    EXPECT_DOUBLE_EQ(window.row, window.col);
    EXPECT_EQ(desk.session().shown().go_to.status,
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
  Desk desk(many_tokens());
  desk.click_cell(Stage::weights, 50, 20);
  open_go_to(desk);
  desk.click("go_to/first_column");
  EXPECT_EQ(pinned(desk).col, 0);
  EXPECT_TRUE(is_in_sight(desk, pinned(desk)));
}

// Dear ImGui has to know behind which window the tooltip belongs.
TEST(GoTo, ShowsATooltipInTheFrameInWhichADialogOpens) {
  Desk desk;
  open_go_to(desk);
  const WidgetRegistry::Entry& field = desk.widget("go_to/query");
  give_pointer({field.min_screen.x + 3, field.min_screen.y + 3});
  desk.session().push(ShowDialog{ShowDialog::Kind::shortcuts});
  desk.frames(3);
  EXPECT_EQ(desk.session().shown().dialog.kind, DialogState::Kind::shortcuts);
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(desk.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_TRUE(desk.shows("go_to/text"));
}

}  // namespace
}  // namespace attnscope::test

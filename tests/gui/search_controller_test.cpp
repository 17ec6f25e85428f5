#include <gtest/gtest.h>

#include "controller_alone.h"
#include "features/search/search_controller.h"

namespace attnscope::test {
namespace {

class Searches : public ControllerAlone {
protected:
  Searches() { show(default_document()); }

  SearchController app_{now_, now_.go_to, now_.view};
};

TEST_F(Searches, PinTheCellOfAToken) {
  app_.seek("starts");
  app_.go_to(GoToState::Target::token);
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(now_.view.pinned->col, 2);
  EXPECT_NE(now_.go_to.status.find("starts"), std::string::npos);
}

// What a text finds among names, and from which one on.
TEST(FindToken, TakesNumbersEqualNamesAndPartsOfNames) {
  const std::vector<std::string> names = {"the", "cat", "The", "then", "2"};
  const struct {
    const char* text;
    Index from;
    Index token;
    Index rank;
    Index count;
  } cases[] = {
      {"the", -1, 0, 0, 2}, {"THE", 0, 2, 1, 2}, {"the", 2, 0, 0, 2}, {"he", -1, 0, 0, 3},
      {"he", 2, 3, 2, 3},   {"1", -1, 0, 0, 1},  {"5", -1, 4, 0, 1},  {"2", -1, 1, 0, 2},
      {"2", 1, 4, 1, 2},    {"6", -1, -1, 0, 0}, {"0", -1, -1, 0, 0}, {"", -1, -1, 0, 0},
  };
  for (const auto& each : cases) {
    const TokenMatch match = find_token(names, each.text, each.from);
    EXPECT_EQ(match.token, each.token) << each.text << " from " << each.from;
    if (each.token < 0) continue;
    EXPECT_EQ(match.rank, each.rank) << each.text << " from " << each.from;
    EXPECT_EQ(match.count, each.count) << each.text;
  }
}

// Where the search works: the stage, head and batch entry that the view shows, or the pinned head.
TEST_F(Searches, WorkWhereTheViewIs) {
  AttentionConfig config = now_.document.config;
  config.mechanism = Mechanism::multi_head_attention;
  config.d_out = 4;
  config.num_heads = 2;
  config.batch_size = 2;
  config.mask = MaskRoute::causal;
  const Result result = evaluate(config);
  ViewState view;
  view.batch = 1;
  view.head = 1;
  view.stage = Stage::scores;
  view.mode = ViewMode::focus;
  view.pinned = Source{.stage = Stage::weights, .head = 0};
  EXPECT_EQ(go_to_place(view, result).stage, Stage::scores);
  EXPECT_EQ(go_to_place(view, result).matrix, 3);
  view.stage = Stage::mask;
  EXPECT_EQ(go_to_place(view, result).stage, Stage::weights) << "all heads share the mask";
  view.stage = Stage::queries;
  EXPECT_EQ(go_to_place(view, result).stage, Stage::weights);
  view.stage = Stage::scores;
  view.mode = ViewMode::heads;
  EXPECT_EQ(go_to_place(view, result).matrix, 2) << "of the pinned cell";
  view.mode = ViewMode::diagram;
  EXPECT_EQ(go_to_place(view, result).stage, Stage::weights);
  view.batch = 7;
  EXPECT_EQ(go_to_place(view, result).matrix, 3);
}

TEST_F(Searches, ShowTheCellAndLeadTheKeys) {
  app_.seek("journey");
  app_.choose_side(GoToState::Side::query);
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.view.pinned->row, 1);
  EXPECT_TRUE(now_.view.transient.keys_lead);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 1: query 2")) << now_.go_to.status;
  app_.choose_side(GoToState::Side::key);
  EXPECT_EQ(now_.go_to.token, -1);
  app_.seek("Your");
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.view.pinned->row, 1) << "only the key was looked for";
  EXPECT_EQ(now_.view.pinned->col, 0);
  app_.seek("nobody");
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.go_to.status, "No token is called “nobody”.");
  app_.seek("");
  now_.go_to.status = "as before";
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.go_to.status, "as before");
  now_.view.pinned = Source{.stage = Stage::weights, .row = 4, .col = 3};
  app_.go_to(GoToState::Target::first_column);
  EXPECT_EQ(now_.view.pinned->row, 4);
  EXPECT_EQ(now_.view.pinned->col, 0);
  EXPECT_FALSE(now_.view.transient.history.back.empty()) << "Alt+Left leads back";
}

// A key that the query must not see leads to the first query that sees it, a query to the last key that it sees.
TEST_F(Searches, GoToNoHiddenCellWhereThereIsAnother) {
  now_.document.config.mask = MaskRoute::causal;
  now_.document.config.mechanism = Mechanism::causal_attention;
  show(now_.document);
  const auto found = [&](GoToState::Side side, const std::string& text, Index row, Index col) {
    now_.view.pinned = Source{.stage = Stage::weights, .row = row, .col = col};
    app_.choose_side(side);
    app_.seek(text);
    app_.go_to(GoToState::Target::token);
    return std::pair(now_.view.pinned->row, now_.view.pinned->col);
  };
  EXPECT_EQ(found(GoToState::Side::key, "4", 1, 0), std::pair(Index{3}, Index{3}));
  EXPECT_EQ(found(GoToState::Side::key, "2", 4, 0), std::pair(Index{4}, Index{1})) << "it is seen from there";
  EXPECT_EQ(found(GoToState::Side::query, "2", 4, 4), std::pair(Index{1}, Index{1}));
}

TEST_F(Searches, LargestCellsComeOneAfterTheOther) {
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 20: ")) << now_.go_to.status;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("2 of 20: ")) << now_.go_to.status;
  now_.evaluation.result_ticket = 9;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 20: ")) << "other numbers";
  app_.go_to(GoToState::Target::largest);
  now_.view.mode = ViewMode::focus;
  now_.view.stage = Stage::scores;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 20: ")) << "another stage";
  EXPECT_EQ(now_.view.pinned->stage, Stage::scores);
}

// A window that shows legible cells stays where the cell is in it; others move, or become smaller.
TEST_F(Searches, MoveTheWindowOnlyAsFarAsTheyMust) {
  now_.document.config.inputs = RandnInputs{40, 3};
  show(now_.document);
  now_.view.stage = Stage::weights;
  const auto revealed = [&](const ViewMode& mode, const std::optional<CellWindow>& window, Index row) {
    now_.view.mode = mode;
    now_.view.map.window = window;
    now_.view.pinned = Source{.stage = Stage::weights, .row = row};
    app_.go_to(GoToState::Target::first_column);
    return now_.view.map.window.value_or(CellWindow{});
  };
  EXPECT_EQ(revealed(ViewMode::diagram, {}, 20).rows, 6);
  EXPECT_EQ(revealed(ViewMode::heads, {}, 20).rows, 6);
  EXPECT_EQ(revealed(ViewMode::focus, {}, 20).rows, 12);
  const CellWindow small{.row = 0, .col = 0, .rows = 6, .cols = 6};
  EXPECT_EQ(revealed(ViewMode::diagram, small, 5), small);
  const CellWindow smaller{.row = 0, .col = 0, .rows = 4, .cols = 4};
  EXPECT_EQ(revealed(ViewMode::diagram, smaller, 20).rows, 4);
  EXPECT_NE(revealed(ViewMode::diagram, smaller, 20), smaller);
}

TEST_F(Searches, WalkAlongTheDiagonalOfLongTexts) {
  now_.document.config.inputs = RandnInputs{40, 3};
  show(now_.document);
  now_.view.pinned = Source{.stage = Stage::inputs, .row = 5, .col = 2};
  const auto next = [&] {
    app_.go_to(GoToState::Target::diagonal);
    EXPECT_EQ(now_.view.map.window->row, now_.view.map.window->col);
    return now_.go_to.status;
  };
  EXPECT_EQ(next(), "Tokens 1 to 6 of 40");
  EXPECT_EQ(next(), "Tokens 5 to 11 of 40");
  now_.view.map.window = CellWindow{.row = 20, .col = 3, .rows = 6, .cols = 6};
  EXPECT_EQ(next(), "Tokens 21 to 26 of 40");
  now_.view.map.window = CellWindow{.row = 32, .col = 32, .rows = 6, .cols = 6};
  EXPECT_EQ(next(), "Tokens 35 to 40 of 40") << "not beyond the end";
  EXPECT_EQ(next(), "Tokens 1 to 6 of 40");
  app_.go_to(GoToState::Target::first_column);
  EXPECT_EQ(now_.view.pinned->row, 3) << "the middle of what is in sight: no weight was pinned";
  now_.view.pinned->row = 30;
  app_.go_to(GoToState::Target::first_column);
  EXPECT_EQ(now_.view.pinned->row, 30);
  EXPECT_GT(now_.view.map.window->row, 20) << "it comes into sight";
  now_.prediction.cover = Cover{Stage::weights};
  app_.go_to(GoToState::Target::first_column);
  EXPECT_TRUE(now_.go_to.status.ends_with("\ncovered")) << now_.go_to.status;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(says(now_.go_to.status, {"are covered"}));
}

TEST_F(Searches, FindTheLargestWeight) {
  app_.go_to(GoToState::Target::largest);
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(value_at(*now_.result(), *now_.view.pinned), 1);  // the first query sees itself alone
}

}  // namespace
}  // namespace attnscope::test

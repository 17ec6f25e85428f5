// The window with a document of two batch entries, three heads, a mask beside dropout and a bias of its own for each:
// what panels say and commands do is of the entry and the head that are looked at.

#include <fmt/format.h>

#include <algorithm>

#include "compute/computation.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/compare.h"
#include "features/shared/panel/calls.h"
#include "features/stages/panel/stage_view.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "teach/teaching_view.h"
#include "tests/support/hard_documents.h"

namespace attnscope::test {
namespace {

ViewState looking_at_head(Index batch, Index head, ViewMode layout = ViewMode::diagram) {
  ViewState view = docked();
  view.batch = batch;
  view.head = head;
  view.mode = layout;
  return view;
}

class HardPanels : public testing::Test {
protected:
  explicit HardPanels(Document document = hard_document())
      : app_(std::move(document), {1920, 1080}, looking_at_head(1, 2)) {}

  void pin(const Source& cell) {
    app_.change_view([cell](ViewState& view) { view.pinned = cell; });
    app_.frames(2);
  }
  float value(const Source& cell) { return value_at(app_.result(), cell); }
  // Lines are broken as their column is wide.
  std::string text_in_one_line() {
    std::string text = app_.text();
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
  void expect_text(const std::vector<std::string>& parts) {
    const std::string text = text_in_one_line();
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }

  HeadlessApp app_;
};

// A cell of the last entry and head that the mask shows, and that dropout keeps or drops.
Source seen_cell(Stage stage) { return {.stage = stage, .batch = 1, .head = 2, .row = 4, .col = 3}; }

TEST_F(HardPanels, TheInspectorSaysEntryHeadAndTokensOfItsNumber) {
  for (const Stage stage : {Stage::scores, Stage::biased_scores, Stage::weights, Stage::dropped_weights}) {
    SCOPED_TRACE(info(stage).id);
    pin(seen_cell(stage));
    expect_text({format_full(value(seen_cell(stage))), "Head 3 of 3", "Batch entry 2", "query 5 one", "key 4 with"});
  }
  const Source context{.stage = Stage::head_context, .batch = 1, .head = 2, .row = 4, .col = 1};
  pin(context);
  expect_text({format_full(value(context)), "Head 3 of 3", "Batch entry 2", "token 5 one", "dimension 2"});
  app_.change_view([](ViewState& view) { view.docks_inspector = false; });
  pin(seen_cell(Stage::weights));
  expect_text({format_full(value(seen_cell(Stage::weights))) +
                   " · attention weights · query one · key with · head 3 of 3 · batch entry 2",
               fmt::format("Why {}?", format_fixed(static_cast<double>(value(seen_cell(Stage::weights))), 2))});
}

// Dropout leaves no row a sum of 1.
TEST_F(HardPanels, SumsOfRowsAreThoseOfTheEntryAndTheHead) {
  const ViewContext context(app_.session().shown(), {});
  for (Index head = 0; head < hard_heads; ++head) {
    const std::optional<StageView> view = stage_view(context, Stage::dropped_weights, head);
    ASSERT_TRUE(view);
    for (Index row = 0; row < view->rows; ++row) {
      float sum = 0;
      for (Index col = 0; col < view->cols; ++col)
        sum += value({.stage = Stage::dropped_weights, .batch = 1, .head = head, .row = row, .col = col});
      EXPECT_NEAR(row_sum(context, *view, row), sum, 1e-5) << "head " << head + 1 << ", row " << row + 1;
    }
  }
}

TEST_F(HardPanels, TheInspectorCountsTheKeysThatTheMaskLeaves) {
  pin(seen_cell(Stage::weights));
  const auto share = 100 * static_cast<double>(value(seen_cell(Stage::weights)));
  expect_text({fmt::format("shares its attention out among 4 keys; “with” gets {}\u00a0%.", format_fixed(share, 1))});
  pin(seen_cell(Stage::biased_scores));
  const float bias = app_.config().bias.row((hard_heads + 2) * 6 + 4)[3];
  expect_text(
      {"Plus the bias of this query and key:", fmt::format("+ {}", format_fixed(static_cast<double>(bias), 4))});
}

TEST_F(HardPanels, ADropThatTheUserMadeIsSaidInItsEntryOnly) {
  app_.edit({"dropout", [](Document& document) { document.config.dropout_edits = {{1, 2, 4, 3, false}}; }});
  pin(seen_cell(Stage::dropped_weights));
  expect_text({"dropped by you"});
  Source other = seen_cell(Stage::dropped_weights);
  other.batch = 0;
  pin(other);
  EXPECT_EQ(app_.text().find("dropped by you"), std::string::npos);
}

TEST_F(HardPanels, DropoutByHandIsOfTheEntryThatIsPinned) {
  pin(seen_cell(Stage::dropped_weights));
  const bool was_kept = value(seen_cell(Stage::dropout_factors)) > 0;
  app_.change_view([](ViewState& view) {
    view.mode = ViewMode::focus;
    view.stage = Stage::dropped_weights;
  });
  app_.frames(2);
  const HeadlessApp::CellPlace place = app_.cell_place(Stage::dropped_weights, 4, 3);
  app_.move_to(place.widget, place.where);
  app_.press();
  app_.release();
  app_.press();
  app_.release();
  app_.settle();
  EXPECT_EQ(app_.config().dropout_edits, (std::vector<DropoutEdit>{{1, 2, 4, 3, !was_kept}}));
}

TEST_F(HardPanels, PredictionsAreAskedOfTheHeadAndTheEntryThatAreShown) {
  pin(seen_cell(Stage::weights));
  app_.press_key(keys::letter('P'));
  const PredictionShown& shown = app_.session().shown().prediction;
  ASSERT_TRUE(shown.cover);
  EXPECT_EQ(shown.asked.head, 2);
  EXPECT_EQ(shown.asked.batch, 1);
  EXPECT_EQ(shown.asked.row, 4);
  Index largest = 0;
  for (Index key = 1; key < 6; ++key) {
    const auto at = [&](Index col) {
      return value({.stage = Stage::weights, .batch = 1, .head = 2, .row = 4, .col = col});
    };
    if (at(key) > at(largest)) largest = key;
  }
  app_.click("predict/reveal");
  EXPECT_EQ(shown.question.answer, fmt::format("weights[1,2,4,{}]", largest));
  app_.change_view([](ViewState& view) { view.batch = 0; });
  app_.click("predict/next");
  EXPECT_EQ(shown.asked.batch, 0);
}

TEST_F(HardPanels, TeachingViewsAreOfTheEntryAndTheHeadThatAreShown) {
  pin(seen_cell(Stage::weights));
  for (const char* const id : {"dropout", "softmax", "sharpness", "mix"}) {
    app_.change_view([id](ViewState& view) {
      view.mode = ViewMode::study;
      view.study = {.id = id};
    });
    app_.settle();
    const TeachingViewChoice choice{.id = id};
    const std::vector<std::string> labels = token_labels(app_.document().tokens);
    ASSERT_TRUE(app_.session().shown().board);
    const Board& board = *app_.session().shown().board;
    EXPECT_EQ(board.headline, make_board({app_.result(), labels, 2, 1, 4, choice}).headline);
    EXPECT_EQ(board.details, make_board({app_.result(), labels, 2, 1, 4, choice}).details);
  }
}

TEST_F(HardPanels, TheLargestCellIsFoundInTheEntryThatIsShown) {
  app_.press_control('F');
  app_.click("go_to/largest");
  app_.settle();
  const LargeCell first = largest_cells(app_.result(), Stage::weights, hard_heads + 2, 1).front();
  EXPECT_EQ(app_.view().pinned,
            (Source{.stage = Stage::weights, .batch = 1, .head = 2, .row = first.row, .col = first.col}));
}

TEST_F(HardPanels, AQueryThatDoesNotSeeATokenIsLedToTheLastOneThatItSees) {
  pin(seen_cell(Stage::weights));
  app_.press_control('F');
  app_.click("go_to/query");
  app_.replace_text("go_to/text", "Your");
  app_.press_key(keys::named(ImGuiKey_Enter));
  app_.settle();
  EXPECT_EQ(app_.view().pinned, (Source{.stage = Stage::weights, .batch = 1, .head = 2, .row = 0, .col = 0}));
}

TEST_F(HardPanels, TheSameCellOfAnotherEntryIsAPlaceToGoBackTo) {
  ViewState view;
  view.pinned = seen_cell(Stage::weights);
  note_pinned(view, {});
  const std::optional<Source> before = view.pinned;
  view.pinned->batch = 0;
  note_pinned(view, before);
  EXPECT_TRUE(can_go_back(view));
}

TEST_F(HardPanels, TheLargestChangeLeadsToItsEntry) {
  Document document = hard_document();
  keep_as_compared(document);
  Tensor bias = document.config.bias.copy();
  bias.values[static_cast<std::size_t>(((hard_heads + 1) * 6 + 5) * 6 + 2)] += 3;
  document.config.bias = std::move(bias);
  document.config.dropout = 0;
  auto before = std::make_shared<Document>(*document.compared);
  before->config.dropout = 0;
  document.compared = std::move(before);
  app_.edit({"other", [document](Document& shown) { shown = document; }});
  app_.press_key(keys::letter('D'));
  app_.settle();
  app_.click("compare/change/0");
  ASSERT_TRUE(app_.view().pinned);
  EXPECT_EQ(app_.view().pinned->batch, 1);
  EXPECT_EQ(app_.view().pinned->head, 1);
  EXPECT_EQ(app_.view().pinned->row, 5);
}

// A window that reaches back from a query to a key holds both of them.
TEST_F(HardPanels, TheMenuOfAMaskMakesAWindowThatReachesBackToTheCell) {
  pin({.stage = Stage::mask, .row = 4, .col = 2});
  app_.press_key(keys::letter('M'));
  app_.click("cell/window");
  app_.settle();
  const Visibility seen = visibility(app_.config());
  EXPECT_FALSE(seen.hides(4, 2));
  EXPECT_TRUE(seen.hides(4, 1));
  EXPECT_FALSE(seen.hides(2, 0));
  EXPECT_TRUE(seen.hides(3, 0));
}

TEST_F(HardPanels, TheStatusLineSaysTheShapesOfAllEntries) {
  expect_text({"x (2, 6, 3) → Q, K, V (2, 3, 6, 2) → scores (2, 3, 6, 6)"});
}

class GivenPanels : public HardPanels {
protected:
  GivenPanels() : HardPanels(hard_given(3, 5)) {}
};

TEST_F(GivenPanels, QueriesHaveNamesOfTheirOwnOrNumbers) {
  const Source cell{.stage = Stage::weights, .batch = 1, .head = 2, .row = 2, .col = 3};
  pin(cell);
  expect_text({"query 3 q3", "key 4 x4", format_full(value(cell))});
  app_.edit({"names", [](Document& document) { document.query_tokens = {}; }});
  pin(cell);
  const std::string text = text_in_one_line();
  EXPECT_NE(text.find("query 3 key 4 x4"), std::string::npos) << text;
}

TEST_F(GivenPanels, AQueryIsFoundByItsOwnNameAndAKeyBeyondTheQueries) {
  const auto go_to = [&](const std::string& text) {
    app_.replace_text("go_to/text", text);
    app_.press_key(keys::named(ImGuiKey_Enter));
    app_.settle();
  };
  app_.press_control('F');
  app_.click("go_to/query");
  go_to("q3");
  EXPECT_EQ(app_.view().pinned.value_or(Source{.row = -1}).row, 2);
  go_to("x5");
  EXPECT_EQ(app_.session().shown().go_to.status, "No query is called “x5”.");
  app_.click("go_to/key");
  go_to("x5");
  EXPECT_EQ(app_.view().pinned->col, 4);
  app_.click("go_to/both");
  go_to("x5");
  EXPECT_EQ(app_.session().shown().go_to.status, "No token is called “x5”.");
}

TEST_F(GivenPanels, TheLargestCellIsCalledByTheNameOfItsQuery) {
  app_.press_control('F');
  app_.click("go_to/largest");
  app_.settle();
  ASSERT_TRUE(app_.view().pinned);
  const std::string name = fmt::format("query {0} q{0}", app_.view().pinned->row + 1);
  const std::string& status = app_.session().shown().go_to.status;
  EXPECT_NE(status.find(name), std::string::npos) << status;
}

TEST_F(GivenPanels, ContextsOfWideValuesLeadToTheirHead) {
  const Source joined{.stage = Stage::context, .batch = 1, .row = 2, .col = 8};
  pin(joined);
  const Source own{.stage = Stage::head_context, .batch = 1, .head = 1, .row = 2, .col = 3};
  EXPECT_EQ(value(joined), value(own));
  expect_text({"Dimension 4 of head 2, at position 9 of 15."});
}

}  // namespace
}  // namespace attnscope::test

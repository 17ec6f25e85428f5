// The document beside another one, or beside itself before the last edit.

#include <regex>

#include "core/difference.h"
#include "desk.h"
#include "desk_input.h"
#include "document/compare.h"
#include "document/edit.h"

namespace attnscope::test {
namespace {

Document document_of_heads() {
  Document document = default_document();
  document.config.d_out = 4;
  return document;
}

const WidgetRegistry::Matrix& matrix_of(const Desk& desk, Stage stage) {
  const auto found = std::ranges::find(desk.widgets().matrices, stage, &WidgetRegistry::Matrix::stage);
  EXPECT_NE(found, desk.widgets().matrices.end());
  return *found;
}

float shown_number(const Desk& desk, const Source& source) {
  return value_at(*matrix_of(desk, source.stage).result, source);
}

const Source cell = {.stage = Stage::weights, .row = 2, .col = 1};

TEST(SessionComparison, ShowsTheOtherThisOneAndWhatIsBetweenThem) {
  Desk desk(document_of_heads());
  const float before = value_at(desk.result(), cell);
  desk.press_key(keys::letter('K'));
  EXPECT_TRUE(desk.shows("compare/before"));
  desk.replace_text("setup/seed", "7");
  desk.press_key(keys::named(ImGuiKey_Enter));
  desk.settle();
  const float now = value_at(desk.result(), cell);
  ASSERT_NE(now, before);
  EXPECT_EQ(shown_number(desk, cell), now);
  desk.press_key(keys::letter('A'));
  desk.settle();
  EXPECT_EQ(shown_number(desk, cell), before);
  desk.press_key(keys::letter('D'));
  desk.settle();
  EXPECT_EQ(shown_number(desk, cell), now - before);
  EXPECT_TRUE(desk.shows("compare/change/0"));
  desk.press_key(keys::letter('B'));
  desk.settle();
  EXPECT_EQ(shown_number(desk, cell), now);
  desk.click("compare/end");
  EXPECT_FALSE(desk.document().compared);
  EXPECT_FALSE(desk.shows("compare/before"));
}

TEST(SessionComparison, AHasItsOwnNamesWhereItHasFewerTokens) {
  Document document = default_document();
  add_token(document);
  std::vector<std::string> names = document.tokens;
  names.back() = "the widest of them all";
  document.tokens = names;
  document.compared = std::make_shared<const Document>(default_document());
  ViewState view;
  view.layout = Layout::heads;
  Desk desk(std::move(document), {1280, 800}, view);
  desk.press_key(keys::letter('A'));
  desk.settle();
  EXPECT_EQ(matrix_of(desk, Stage::weights).row_labels, token_labels(default_document().tokens));
}

TEST(SessionComparison, WhatTheLastEditChangedFollowsADrag) {
  Desk desk(document_of_heads());
  const Source dropped = {.stage = Stage::dropped_weights, .row = 0, .col = 0};
  desk.press_key(keys::letter('C'));
  EXPECT_FALSE(desk.view().shows_changes) << "nothing was edited yet";
  desk.drag("setup/dropout", 0, 0.25F);
  desk.press_key(keys::letter('C'));
  desk.settle();
  const float quarter = value_at(desk.result(), dropped);
  EXPECT_EQ(shown_number(desk, dropped), quarter - 1);
  desk.drag("setup/dropout", 0.25F, 0.5F);  // from where this one began
  desk.settle();
  const float half = value_at(desk.result(), dropped);
  EXPECT_EQ(shown_number(desk, dropped), half - quarter);
  desk.press_key(keys::letter('C'));
  EXPECT_FALSE(desk.shows("compare/before"));
}

TEST(SessionComparison, EditsWhatIsShownAsBAlone) {
  Desk desk(document_of_heads());
  desk.change_view([](ViewState& state) { look_at(state, {.stage = Stage::mask, .row = 1, .col = 0}); });
  desk.press_key(keys::letter('K'));
  const Document kept = desk.document();
  desk.press_key(keys::letter('A'));
  desk.settle();
  desk.press_key(keys::named(ImGuiKey_Space));
  desk.press_key(keys::letter('H'));
  desk.settle();
  EXPECT_EQ(desk.document(), kept) << "A was shown";
  desk.press_key(keys::letter('B'));
  desk.settle();
  desk.press_key(keys::named(ImGuiKey_Space));
  desk.settle();
  EXPECT_NE(desk.document(), kept);
}

TEST(SessionComparison, LeadsToTheLargestChange) {
  Desk desk(document_of_heads());
  desk.press_key(keys::letter('K'));
  desk.drag("setup/dropout", 0, 0.5F);
  desk.press_key(keys::letter('D'));
  desk.settle();
  desk.click("compare/change/0");
  ASSERT_TRUE(desk.view().pinned);
  const Source pinned = *desk.view().pinned;
  EXPECT_EQ(pinned.stage, Stage::dropped_weights);
  const Result& difference = *matrix_of(desk, Stage::dropped_weights).result;
  for (const float other : read_stage(difference, Stage::dropped_weights).values)
    EXPECT_LE(std::abs(other), std::abs(value_at(difference, pinned)));
}

TEST(SessionComparison, NamesNoStageThatChangesNothing) {
  Desk desk(document_of_heads());
  desk.press_key(keys::letter('K'));
  desk.replace_text("setup/seed", "7");
  desk.press_key(keys::named(ImGuiKey_Enter));
  desk.press_key(keys::letter('D'));
  desk.settle();
  desk.click("compare/change/0");
  ASSERT_TRUE(desk.view().pinned);
  EXPECT_EQ(desk.view().pinned->stage, Stage::weights) << "dropout is off on both sides";
}

TEST(SessionComparison, ASmallChangeIsWrittenWithTheDecimalsThatShowIt) {
  Document document = document_of_heads();
  keep_as_compared(document);
  set_input(document, 0, 0, 0.4301F);
  Desk desk(document);
  desk.press_key(keys::letter('D'));
  desk.settle();
  ASSERT_TRUE(desk.shows("compare/change/0"));
  EXPECT_FALSE(std::regex_search(desk.text(), std::regex(": (-?[0-9.]+) → \\1([^0-9]|$)"))) << desk.text();
}

TEST(SessionComparison, OfStagesThatCannotBeSubtractedSaysWhy) {
  Document document = document_of_heads();
  keep_as_compared(document);
  document.config.d_out = 6;
  Desk desk(document);
  desk.press_key(keys::letter('D'));
  desk.change_view([](ViewState& state) {
    state.layout = Layout::focus;
    state.stage = Stage::queries;
  });
  desk.settle();
  EXPECT_NE(desk.text().find("A has (1, 2, 6, 2), B has (1, 2, 6, 3)."), std::string::npos) << desk.text();
  desk.change_view([](ViewState& state) { state.stage = Stage::weights; });
  desk.settle();
  matrix_of(desk, Stage::weights);
}

TEST(SessionComparison, OfADocumentThatCannotBeComputedKeepsTheOther) {
  Document document = document_of_heads();
  keep_as_compared(document);
  Document large = *document.compared;
  large.config.inputs = RandnInputs{max_tokens, 64};
  large.config.d_out = 12288;
  large.config.batch_size = 64;
  large.tokens = numbered_tokens(max_tokens);
  document.compared = std::make_shared<const Document>(large);
  Desk desk(document);
  desk.press_key(keys::letter('A'));
  desk.settle();
  EXPECT_NE(desk.text().find("A cannot be computed"), std::string::npos);
  EXPECT_EQ(shown_number(desk, cell), value_at(desk.result(), cell));
}

TEST(SessionComparison, OfAPairBeginsWithTheDifference) {
  Desk desk(document_of_heads());
  desk.click("menu/compare");
  desk.click("menu/compare/two_seeds");
  desk.settle();
  EXPECT_EQ(desk.view().side, ComparedSide::difference);
  EXPECT_EQ(desk.document().compared->config.seed + 1, desk.config().seed);
  desk.press_control('Z');
  EXPECT_FALSE(desk.shows("compare/before"));
}

TEST(SessionComparison, SideBySideSharesColoursAndScrolling) {
  Desk desk(document_of_heads());
  desk.press_key(keys::letter('K'));
  desk.drag("setup/dropout", 0, 0.5F);
  desk.press_key(keys::letter('S'));
  desk.settle();
  std::vector<const Result*> shown;
  for (const WidgetRegistry::Matrix& matrix : desk.widgets().matrices) {
    if (matrix.stage == Stage::weights) shown.push_back(matrix.result.get());
  }
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0]->config, desk.document().compared->config) << "A above B";
  EXPECT_EQ(shown[1], &desk.result());
}

TEST(SessionComparison, IsReadWithItsNumbersInTheInspector) {
  Desk desk(document_of_heads());
  desk.press_key(keys::letter('K'));
  desk.drag("setup/dropout", 0, 0.5F);
  desk.press_key(keys::letter('D'));
  desk.change_view([](ViewState& state) { look_at(state, {.stage = Stage::dropped_weights}); });
  desk.move_away();
  desk.settle();
  EXPECT_NE(desk.text().find("B − A: "), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test

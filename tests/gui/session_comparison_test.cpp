// The document beside another one, or beside itself before the last edit.

#include <regex>

#include "core/results.h"
#include "document/builtin.h"
#include "document/compare.h"
#include "document/edit.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

Document document_of_heads() {
  Document document = default_document();
  document.config.d_out = 4;
  return document;
}

const WidgetRegistry::Matrix& matrix_of(const HeadlessApp& app, Stage stage) {
  const auto found = std::ranges::find(app.widgets().matrices, stage, &WidgetRegistry::Matrix::stage);
  EXPECT_NE(found, app.widgets().matrices.end());
  return *found;
}

float shown_number(const HeadlessApp& app, const Source& source) {
  return value_at(*matrix_of(app, source.stage).result, source);
}

const Source cell = {.stage = Stage::weights, .row = 2, .col = 1};

TEST(SessionComparison, ShowsTheOtherThisOneAndWhatIsBetweenThem) {
  HeadlessApp app(document_of_heads());
  const float before = value_at(app.result(), cell);
  app.press_key(keys::letter('K'));
  EXPECT_TRUE(app.shows("compare/before"));
  app.replace_text("setup/seed", "7");
  app.press_key(keys::named(ImGuiKey_Enter));
  app.settle();
  const float now = value_at(app.result(), cell);
  ASSERT_NE(now, before);
  EXPECT_EQ(shown_number(app, cell), now);
  app.press_key(keys::letter('A'));
  app.settle();
  EXPECT_EQ(shown_number(app, cell), before);
  app.press_key(keys::letter('D'));
  app.settle();
  EXPECT_EQ(shown_number(app, cell), now - before);
  EXPECT_TRUE(app.shows("compare/change/0"));
  app.press_key(keys::letter('D'));
  app.settle();
  EXPECT_EQ(shown_number(app, cell), now) << "the same key again shows B";
  app.click("compare/end");
  EXPECT_FALSE(app.document().compared);
  EXPECT_FALSE(app.shows("compare/before"));
}

TEST(SessionComparison, AHasItsOwnNamesWhereItHasFewerTokens) {
  Document document = default_document();
  add_token(document);
  std::vector<std::string> names = document.tokens;
  names.back() = "the widest of them all";
  document.tokens = names;
  document.compared = std::make_shared<const Document>(default_document());
  ViewState view;
  view.mode = ViewMode::heads;
  HeadlessApp app(std::move(document), {1280, 800}, view);
  app.press_key(keys::letter('A'));
  app.settle();
  EXPECT_EQ(matrix_of(app, Stage::weights).row_labels, token_labels(default_document().tokens));
}

TEST(SessionComparison, WhatTheLastEditChangedFollowsADrag) {
  HeadlessApp app(document_of_heads());
  const Source dropped = {.stage = Stage::dropped_weights, .row = 0, .col = 0};
  app.press_key(keys::letter('C'));
  EXPECT_FALSE(app.view().shows_changes) << "nothing was edited yet";
  app.drag("setup/dropout", 0, 0.25F);
  app.press_key(keys::letter('C'));
  app.settle();
  const float quarter = value_at(app.result(), dropped);
  EXPECT_EQ(shown_number(app, dropped), quarter - 1);
  app.drag("setup/dropout", 0.25F, 0.5F);  // from where this one began
  app.settle();
  const float half = value_at(app.result(), dropped);
  EXPECT_EQ(shown_number(app, dropped), half - quarter);
  app.press_key(keys::letter('C'));
  EXPECT_FALSE(app.shows("compare/before"));
}

TEST(SessionComparison, EditsWhatIsShownAsBAlone) {
  HeadlessApp app(document_of_heads());
  app.change_view([](ViewState& state) { look_at(state, {.stage = Stage::mask, .row = 1, .col = 0}); });
  app.press_key(keys::letter('K'));
  const Document kept = app.document();
  app.press_key(keys::letter('A'));
  app.settle();
  app.press_key(keys::named(ImGuiKey_Enter));
  app.press_key(keys::named(ImGuiKey_Escape));  // from the explanation, to which Enter leads there
  app.press_key(keys::letter('O'));
  app.settle();
  EXPECT_EQ(app.document(), kept) << "A was shown";
  app.press_key(keys::letter('A'));
  app.settle();
  app.press_key(keys::named(ImGuiKey_Enter));
  app.settle();
  EXPECT_NE(app.document(), kept);
}

TEST(SessionComparison, LeadsToTheLargestChange) {
  HeadlessApp app(document_of_heads());
  app.press_key(keys::letter('K'));
  app.drag("setup/dropout", 0, 0.5F);
  app.press_key(keys::letter('D'));
  app.settle();
  app.click("compare/change/0");
  ASSERT_TRUE(app.view().pinned);
  const Source pinned = *app.view().pinned;
  EXPECT_EQ(pinned.stage, Stage::dropped_weights);
  const Result& difference = *matrix_of(app, Stage::dropped_weights).result;
  for (const float other : read_stage(difference, Stage::dropped_weights).values)
    EXPECT_LE(std::abs(other), std::abs(value_at(difference, pinned)));
}

// The place is shortened where there is no room for it, never the numbers.
TEST(SessionComparison, WritesTheNumbersOfTheLargestChangeWhole) {
  Document document = document_of_heads();
  keep_as_compared(document);
  document.config.seed = 7;
  for (const float width : {1600.0F, 1280.0F, 1024.0F, 900.0F}) {
    HeadlessApp app(document, {width, 800});
    app.press_key(keys::letter('D'));
    app.settle();
    ASSERT_TRUE(app.shows("compare/change/0")) << width;
    EXPECT_TRUE(std::regex_search(app.text(), std::regex("[0-9.]+ → (−)?[0-9]+\\.[0-9][0-9]"))) << width << app.text();
    EXPECT_FALSE(std::regex_search(app.text(), std::regex("→[^\n]*…"))) << width << app.text();
  }
}

TEST(SessionComparison, NamesBothByWhatDiffers) {
  Document document = document_of_heads();
  keep_as_compared(document);
  document.config.seed = 124;
  HeadlessApp app(document);
  app.settle();
  EXPECT_NE(app.text().find("A: seed 123"), std::string::npos) << app.text();
  EXPECT_NE(app.text().find("B: seed 124"), std::string::npos) << app.text();
}

TEST(SessionComparison, NamesNoStageThatChangesNothing) {
  HeadlessApp app(document_of_heads());
  app.press_key(keys::letter('K'));
  app.replace_text("setup/seed", "7");
  app.press_key(keys::named(ImGuiKey_Enter));
  app.press_key(keys::letter('D'));
  app.settle();
  app.click("compare/change/0");
  ASSERT_TRUE(app.view().pinned);
  EXPECT_EQ(app.view().pinned->stage, Stage::weights) << "dropout is off on both sides";
}

TEST(SessionComparison, ASmallChangeIsWrittenWithTheDecimalsThatShowIt) {
  Document document = document_of_heads();
  keep_as_compared(document);
  set_input(document, 0, 0, 0.4301F);
  HeadlessApp app(document);
  app.press_key(keys::letter('D'));
  app.settle();
  ASSERT_TRUE(app.shows("compare/change/0"));
  EXPECT_FALSE(std::regex_search(app.text(), std::regex(": (-?[0-9.]+) → \\1([^0-9]|$)"))) << app.text();
}

TEST(SessionComparison, OfStagesThatCannotBeSubtractedSaysWhy) {
  Document document = document_of_heads();
  keep_as_compared(document);
  document.config.d_out = 6;
  HeadlessApp app(document);
  app.press_key(keys::letter('D'));
  app.change_view([](ViewState& state) {
    state.mode = ViewMode::focus;
    state.stage = Stage::queries;
  });
  app.settle();
  EXPECT_NE(app.text().find("A has (1, 2, 6, 2), B has (1, 2, 6, 3)."), std::string::npos) << app.text();
  app.change_view([](ViewState& state) { state.stage = Stage::weights; });
  app.settle();
  matrix_of(app, Stage::weights);
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
  HeadlessApp app(document);
  app.press_key(keys::letter('A'));
  app.settle();
  EXPECT_NE(app.text().find("A cannot be computed"), std::string::npos);
  EXPECT_EQ(shown_number(app, cell), value_at(app.result(), cell));
}

// The pair of a trained and an untrained model takes the place of a document without a model; Undo brings that back.
TEST(SessionComparison, OfAModelGivesItsPlaceToTheDiagramWhenItIsUndone) {
  HeadlessApp app(document_of_heads());
  app.click("menu/compare");
  app.click("menu/compare/pairs");
  app.click("gallery/pairs/untrained");
  app.settle();
  ASSERT_EQ(app.view().mode, ViewMode::model);
  app.press_control('Z');
  app.settle();
  EXPECT_EQ(app.view().mode, ViewMode::diagram);
  EXPECT_EQ(app.message(), "This document has no trained model, so the diagram is shown.");
}

// A pair takes the place of what was there, numbers that are not saved too; × brings all of it back, and one Undo leads
// back, too, where B was to stay.
TEST(SessionComparison, APairGivesBackWhatWasThereBefore) {
  HeadlessApp app(document_of_heads());
  edit_document(app.session().queue(), {"seed", [](Document& document) { document.config.seed = 99; }});
  app.change_view([](ViewState& view) {
    view.mode = ViewMode::heads;
    view.head = 1;
    view.pinned = Source{.stage = Stage::scores, .head = 1, .row = 2, .col = 1};
  });
  app.settle();
  const Document before = app.document();
  for (const char* const id : {"untrained", "scaling", "two_seeds"}) {
    ASSERT_NE(ready_pair_named(id), nullptr) << id;
    for (const char* const next : {id, "v1_v2"}) {  // also a pair that replaces another one
      app.click("menu/compare");
      app.click("menu/compare/pairs");
      app.click(std::string("gallery/pairs/") + next);
      app.settle();
    }
    app.edit({"seed", [](Document& document) { document.config.seed = 5; }});
    app.click("compare/end");
    app.settle();
    EXPECT_EQ(app.document(), before) << id;
    EXPECT_EQ(app.view().mode, ViewMode::heads);
    EXPECT_EQ(app.view().head, 1);
    EXPECT_EQ(app.view().pinned, (Source{.stage = Stage::scores, .head = 1, .row = 2, .col = 1}));
    EXPECT_FALSE(app.shows("compare/end"));
  }
}

TEST(SessionComparison, OfEqualsBeginsSideBySideAndIsUndoneAtOnce) {
  HeadlessApp app(document_of_heads());
  const Document before = app.document();
  app.click("menu/compare");
  app.click("menu/compare/pairs");
  app.click("gallery/pairs/v1_v2");
  app.settle();
  EXPECT_EQ(app.view().side, ComparedSide::side_by_side);
  app.click("menu/compare");
  app.click("menu/compare/stop");
  app.settle();
  EXPECT_FALSE(app.document() == before);
  app.press_control('Z');
  app.settle();
  EXPECT_EQ(app.document(), before);
}

TEST(SessionComparison, OfAPairBeginsWithTheDifference) {
  HeadlessApp app(document_of_heads());
  app.click("menu/compare");
  app.click("menu/compare/pairs");
  app.click("gallery/pairs/two_seeds");
  app.settle();
  EXPECT_EQ(app.view().side, ComparedSide::difference);
  EXPECT_EQ(app.document().compared->config.seed + 1, app.config().seed);
  app.press_control('Z');
  EXPECT_FALSE(app.shows("compare/before"));
}

TEST(SessionComparison, SideBySideSharesColoursAndScrolling) {
  HeadlessApp app(document_of_heads());
  app.press_key(keys::letter('K'));
  app.drag("setup/dropout", 0, 0.5F);
  app.press_shift('A');
  app.settle();
  std::vector<const Result*> shown;
  for (const WidgetRegistry::Matrix& matrix : app.widgets().matrices) {
    if (matrix.stage == Stage::weights) shown.push_back(matrix.result.get());
  }
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0]->config, app.document().compared->config) << "A above B";
  EXPECT_EQ(shown[1], &app.result());
}

TEST(SessionComparison, SideBySideSaysWhatEachHasOfItsOwnUntilEsc) {
  Document document = opening_document();
  make_pair(document, *ready_pair_named("scaling"), 0);
  HeadlessApp app(document, {1440, 900}, ViewState());
  app.press_shift('A');
  app.change_view([](ViewState& view) { view.pinned = cell; });
  app.settle();
  const std::vector<std::string> lines = app.drawn_lines();
  for (const char* const words : {"scaled", "not scaled"})
    EXPECT_TRUE(std::ranges::any_of(lines, [&](const std::string& line) { return line.starts_with(words); })) << words;
  EXPECT_NE(app.text().find("A (scaled): "), std::string::npos) << app.text();
  EXPECT_NE(app.text().find("B (not scaled): "), std::string::npos) << app.text();
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(app.view().side, ComparedSide::side_by_side) << "it unpins first";
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(app.view().side, ComparedSide::now);
}

TEST(SessionComparison, IsReadWithItsNumbersInTheInspector) {
  HeadlessApp app(document_of_heads());
  app.press_key(keys::letter('K'));
  app.drag("setup/dropout", 0, 0.5F);
  app.press_key(keys::letter('D'));
  app.change_view([](ViewState& state) { look_at(state, Source{.stage = Stage::dropped_weights}); });
  app.move_away();
  app.settle();
  EXPECT_NE(app.text().find("B − A: "), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test

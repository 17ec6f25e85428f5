// From a number of the last stage down to what was typed or drawn, in the inspector, and back.

#include "document/json.h"
#include "features/stages/panel/diagram_scene.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

const ImVec2 tall_window{2560, 5000};  // for long explanations

Document derived_document(Mechanism mechanism) {
  Document document = default_document();
  document.config.mechanism = mechanism;
  document.config.d_out = 4;
  return document;
}

// The arrow of the last line that is closed: that of what was opened last.
std::string last_closed_arrow(const HeadlessApp& app) {
  std::string name;
  for (const WidgetRegistry::Entry& entry : app.widgets().entries) {
    const bool is_arrow = entry.name.starts_with("inspector/line/") && entry.name.ends_with("/open");
    if (is_arrow && entry.is_on == false) name = entry.name;
  }
  return name;
}

TEST(SessionDerivation, OpensFromAnOutputDownToTheWordOfTheGenerator) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    SCOPED_TRACE(mechanism.id);
    HeadlessApp app(derived_document(mechanism.mechanism), tall_window);
    const bool has_output = has_stage(app.config(), Stage::output);
    app.click_cell(has_output ? Stage::output : Stage::context, 0, 0);
    const bool draws = mechanism.weight_style != WeightStyle::none;
    const std::string end = draws ? "0x" : "Typed: ";
    for (int opened = 0; opened < 12 && app.text().find(end) == std::string::npos; ++opened) {
      const std::string arrow = last_closed_arrow(app);
      ASSERT_NE(arrow, "");
      app.click(arrow);
      app.move_away();  // its tooltip
    }
    EXPECT_NE(app.text().find(end), std::string::npos);
  }
}

TEST(SessionDerivation, WhatIsOpenedClosesAgainAndIsForgottenElsewhere) {
  HeadlessApp app(derived_document(Mechanism::multi_head_attention), tall_window);
  app.click_cell(Stage::scores, 2, 1);
  const std::string arrow = last_closed_arrow(app);
  app.click(arrow);
  EXPECT_EQ(app.view().transient.opened.size(), 1U);
  app.click(arrow);
  EXPECT_TRUE(app.view().transient.opened.empty());
  app.click(arrow);
  app.press_key(keys::named(ImGuiKey_RightArrow));  // the next score, opened alike
  EXPECT_EQ(app.view().transient.opened.size(), 1U);
  app.click_cell(Stage::weights, 2, 1);
  EXPECT_TRUE(app.view().transient.opened.empty());
}

TEST(SessionDerivation, ATermAndItsCellMarkEachOther) {
  HeadlessApp app(derived_document(Mechanism::multi_head_attention), tall_window);
  app.click_cell(Stage::scores, 2, 1);
  std::string line;
  for (const WidgetRegistry::Entry& entry : app.widgets().entries) {
    if (line.empty() && entry.name.ends_with("/second")) line = entry.name;
  }
  app.move_to(line);
  EXPECT_EQ(app.view().transient.term, (Source{.stage = Stage::keys, .row = 1, .col = 0}));
  app.move_away();
  EXPECT_FALSE(app.view().transient.term);
  app.hover_cell(Stage::queries, 2, 0);  // a term: what is pinned stays explained
  EXPECT_TRUE(app.shows("inspector/unpin"));
  app.hover_cell(Stage::queries, 4, 0);
  EXPECT_FALSE(app.shows("inspector/unpin"));
}

TEST(SessionDerivation, OfARowSumNamesEveryCellOfTheRow) {
  Document document = derived_document(Mechanism::multi_head_attention);
  document.config.dropout = 0.5;
  HeadlessApp app(document, tall_window);
  const Index rows = token_count(app.config());
  for (const Stage stage : {Stage::weights, Stage::dropped_weights}) {
    const std::string name = "stages/" + std::string(info(stage).id) + "/sums";
    app.click(name, {0.5F, 2.5F / static_cast<float>(rows)});
    const Source sum = {.stage = stage, .row = 2, .kind = SourceKind::row_sum};
    EXPECT_EQ(app.view().pinned, sum);
    app.move_away();
    EXPECT_NE(app.text().find("sum of " + std::string(info(stage).title)), std::string::npos) << app.text();
    app.wait(1);
    app.click(name, {0.5F, 2.5F / static_cast<float>(rows)});
    EXPECT_EQ(app.view().pinned, sum) << "as with a cell, a second click keeps it";
    app.wait(1);
  }
}

TEST(SessionDerivation, IsCopied) {
  HeadlessApp app(derived_document(Mechanism::multi_head_attention), tall_window);
  app.click_cell(Stage::scores, 2, 1);
  app.click("inspector/copy");
  app.click("inspector/copy/markdown");
  EXPECT_TRUE(app.clipboard().starts_with("- **scores of head 1, starts → journey = ")) << app.clipboard();
  app.click("inspector/copy");
  app.click("inspector/copy/latex");
  EXPECT_NE(app.clipboard().find("\\texttt{"), std::string::npos);
}

TEST(SessionDerivation, FramesAreThoseOfTheNumberThatIsExplained) {
  HeadlessApp app(derived_document(Mechanism::multi_head_attention), tall_window);
  const auto after = [&] { return reach_outlines(ViewContext(app.session().shown(), {})).after; };
  app.click_cell(Stage::weights, 2, 1);
  app.move_away();
  const std::vector<Reached> of_pinned = after();
  EXPECT_FALSE(of_pinned.empty());
  app.hover_cell(Stage::scaled_scores, 2, 1);
  EXPECT_EQ(after().size(), of_pinned.size()) << "the pinned weight is explained by this score";
  app.hover_cell(Stage::context, 4, 1);
  EXPECT_NE(after().size(), of_pinned.size());
}

TEST(SessionDerivation, FramesCanBeSwitchedOff) {
  HeadlessApp app;
  app.open_settings();
  app.click("settings/view/reach");
  EXPECT_FALSE(app.view().show_reach);
}

}  // namespace
}  // namespace attnscope::test

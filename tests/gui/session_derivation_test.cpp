// From a number of the last stage down to what was typed or drawn, in the inspector, and back.

#include "desk.h"
#include "desk_input.h"
#include "document/json.h"
#include "features/stages/panel/diagram_scene.h"

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
std::string last_closed_arrow(const Desk& desk) {
  std::string name;
  for (const WidgetRegistry::Entry& entry : desk.widgets().entries) {
    const bool is_arrow = entry.name.starts_with("inspector/line/") && entry.name.ends_with("/open");
    if (is_arrow && entry.is_on == false) name = entry.name;
  }
  return name;
}

TEST(SessionDerivation, OpensFromAnOutputDownToTheWordOfTheGenerator) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    SCOPED_TRACE(mechanism.id);
    Desk desk(derived_document(mechanism.mechanism), tall_window);
    const bool has_output = has_stage(desk.config(), Stage::output);
    desk.click_cell(has_output ? Stage::output : Stage::context, 0, 0);
    const bool draws = mechanism.weight_style != WeightStyle::none;
    const std::string end = draws ? "0x" : "Typed: ";
    for (int opened = 0; opened < 12 && desk.text().find(end) == std::string::npos; ++opened) {
      const std::string arrow = last_closed_arrow(desk);
      ASSERT_NE(arrow, "");
      desk.click(arrow);
      desk.move_away();  // its tooltip
    }
    EXPECT_NE(desk.text().find(end), std::string::npos);
  }
}

TEST(SessionDerivation, WhatIsOpenedClosesAgainAndIsForgottenElsewhere) {
  Desk desk(derived_document(Mechanism::multi_head_attention), tall_window);
  desk.click_cell(Stage::scores, 2, 1);
  const std::string arrow = last_closed_arrow(desk);
  desk.click(arrow);
  EXPECT_EQ(desk.view().passing.opened.size(), 1U);
  desk.click(arrow);
  EXPECT_TRUE(desk.view().passing.opened.empty());
  desk.click(arrow);
  desk.press_key(keys::named(ImGuiKey_RightArrow));  // the next score, opened alike
  EXPECT_EQ(desk.view().passing.opened.size(), 1U);
  desk.click_cell(Stage::weights, 2, 1);
  EXPECT_TRUE(desk.view().passing.opened.empty());
}

TEST(SessionDerivation, ATermAndItsCellMarkEachOther) {
  Desk desk(derived_document(Mechanism::multi_head_attention), tall_window);
  desk.click_cell(Stage::scores, 2, 1);
  std::string line;
  for (const WidgetRegistry::Entry& entry : desk.widgets().entries) {
    if (line.empty() && entry.name.ends_with("/second")) line = entry.name;
  }
  desk.move_to(line);
  desk.frames(2);
  EXPECT_EQ(desk.view().passing.term, (Source{.stage = Stage::keys, .row = 1, .col = 0}));
  desk.move_away();
  desk.frames(2);
  EXPECT_FALSE(desk.view().passing.term);
  desk.hover_cell(Stage::queries, 2, 0);  // a term: what is pinned stays explained
  EXPECT_TRUE(desk.shows("inspector/unpin"));
  desk.hover_cell(Stage::queries, 4, 0);
  EXPECT_FALSE(desk.shows("inspector/unpin"));
}

TEST(SessionDerivation, OfARowSumNamesEveryCellOfTheRow) {
  Document document = derived_document(Mechanism::multi_head_attention);
  document.config.dropout = 0.5;
  Desk desk(document, tall_window);
  const Index rows = token_count(desk.config());
  for (const Stage stage : {Stage::weights, Stage::dropped_weights}) {
    const std::string name = "stages/" + std::string(info(stage).id) + "/sums";
    desk.click(name, {0.5F, 2.5F / static_cast<float>(rows)});
    const Source sum = {.stage = stage, .row = 2, .kind = SourceKind::row_sum};
    EXPECT_EQ(desk.view().pinned, sum);
    desk.move_away();
    EXPECT_NE(desk.text().find("sum of " + std::string(info(stage).title)), std::string::npos) << desk.text();
    desk.wait(1);
    desk.click(name, {0.5F, 2.5F / static_cast<float>(rows)});
    EXPECT_FALSE(desk.view().pinned);
    desk.wait(1);
  }
}

TEST(SessionDerivation, IsCopied) {
  Desk desk(derived_document(Mechanism::multi_head_attention), tall_window);
  desk.click_cell(Stage::scores, 2, 1);
  desk.click("inspector/copy");
  desk.click("inspector/copy/markdown");
  EXPECT_TRUE(desk.clipboard().starts_with("- **scores of head 1, starts → journey = ")) << desk.clipboard();
  desk.click("inspector/copy");
  desk.click("inspector/copy/latex");
  EXPECT_NE(desk.clipboard().find("\\texttt{"), std::string::npos);
}

TEST(SessionDerivation, FramesAreThoseOfTheNumberThatIsExplained) {
  Desk desk(derived_document(Mechanism::multi_head_attention), tall_window);
  const auto after = [&] { return reach_outlines(ViewContext(desk.session().shown(), {})).after; };
  desk.click_cell(Stage::weights, 2, 1);
  desk.move_away();
  const std::vector<Reached> of_pinned = after();
  EXPECT_FALSE(of_pinned.empty());
  desk.hover_cell(Stage::scaled_scores, 2, 1);
  EXPECT_EQ(after().size(), of_pinned.size()) << "the pinned weight is explained by this score";
  desk.hover_cell(Stage::context, 4, 1);
  EXPECT_NE(after().size(), of_pinned.size());
}

TEST(SessionDerivation, FramesCanBeSwitchedOff) {
  Desk desk;
  desk.click("menu/view");
  desk.click("menu/view/reach");
  EXPECT_FALSE(desk.view().show_reach);
}

}  // namespace
}  // namespace attnscope::test

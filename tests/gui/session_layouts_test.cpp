// Diagram, Heads and Focus.

#include <fmt/format.h>

#include <algorithm>

#include "document/edit.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

const ImVec2 projector{1920, 1080};

Document document_of(Index heads) {
  Document document = default_document();
  document.config.num_heads = heads;
  document.config.d_out = 2 * heads;
  return document;
}

TEST(Layouts, AreChosenByButtonsAndKeys) {
  HeadlessApp app;
  app.click("view/heads");
  EXPECT_EQ(app.view().mode, ViewMode::heads);
  EXPECT_TRUE(app.shows("stages/weights/1"));
  app.click("view/focus");
  EXPECT_EQ(app.view().mode, ViewMode::focus);
  EXPECT_FALSE(app.shows("stages/scores"));
  app.click("view/diagram");
  EXPECT_TRUE(app.shows("stages/scores"));
  app.hold_control(true);
  app.press_key(keys::digit(3));
  EXPECT_EQ(app.view().mode, ViewMode::focus);
  app.press_key(keys::digit(2));
  EXPECT_EQ(app.view().mode, ViewMode::heads);
  app.press_key(keys::digit(1));
  EXPECT_EQ(app.view().mode, ViewMode::diagram);
}

struct Extent {
  ImVec2 min_screen{1e9F, 1e9F};
  ImVec2 max_screen;
  float area() const { return (max_screen.x - min_screen.x) * (max_screen.y - min_screen.y); }
};

Extent extent_of_cards(const HeadlessApp& app) {
  Extent all;
  for (const WidgetRegistry::Matrix& matrix : app.widgets().matrices) {
    all.min_screen = {std::min(all.min_screen.x, matrix.card_min_screen.x),
                      std::min(all.min_screen.y, matrix.card_min_screen.y)};
    all.max_screen = {std::max(all.max_screen.x, matrix.card_max_screen.x),
                      std::max(all.max_screen.y, matrix.card_max_screen.y)};
  }
  return all;
}

float area_of_page(const HeadlessApp& app) {
  const WidgetRegistry::Entry& page = app.widget("stages");
  return (page.max_screen.x - page.min_screen.x) * (page.max_screen.y - page.min_screen.y);
}

TEST(Heads, FillThePageWhateverTheirNumber) {
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
    for (const Index heads : {2, 3, 4, 5, 6, 8, 12}) {
      HeadlessApp app(document_of(heads), size);
      app.click("view/heads");
      app.move_away();
      EXPECT_EQ(app.widgets().matrices.size(), static_cast<std::size_t>(heads));
      EXPECT_GT(extent_of_cards(app).area(), 0.7F * area_of_page(app)) << heads << " heads, " << size.x;
    }
  }
}

TEST(Heads, OfAHundredAreScrolledAndDoNotOverlap) {
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1440, 900}}) {
    HeadlessApp app(document_of(128), size);
    app.click("view/heads");
    const std::vector<WidgetRegistry::Matrix>& all = app.widgets().matrices;
    ASSERT_GT(all.size(), 20U);
    for (std::size_t i = 1; i < all.size(); ++i) {
      const bool is_same_line = all[i].min_screen.y == all[i - 1].min_screen.y;
      const bool is_beside = all[i].card_min_screen.x >= all[i - 1].card_max_screen.x;
      const bool is_below = all[i].card_min_screen.y >= all[i - 1].card_max_screen.y;
      EXPECT_TRUE(is_same_line ? is_beside : is_below) << all[i].name << " " << size.x;
    }
    EXPECT_LE(extent_of_cards(app).max_screen.x, app.widget("stages").max_screen.x) << size.x;
  }
}

TEST(Focus, FillsThePageBesideWhatTheStageFollowsFromAndAClickGoesThere) {
  HeadlessApp app(document_of(2), projector);
  app.click("view/focus");
  app.move_away();
  const WidgetRegistry::Matrix& large = app.widgets().matrices.back();
  const Extent cells{large.min_screen, large.max_screen};
  EXPECT_GT(cells.area(), 0.45F * area_of_page(app));
  EXPECT_TRUE(app.shows("focus/scaled_scores"));
  EXPECT_FALSE(app.shows("focus/scores"));
  app.click("focus/scaled_scores");
  EXPECT_EQ(app.view().stage, Stage::scaled_scores);
  app.click("focus/masked_scores");
  EXPECT_TRUE(app.shows("focus/mask"));
  app.click("focus/scores");
  EXPECT_TRUE(app.shows("focus/queries"));
  EXPECT_TRUE(app.shows("focus/keys"));
}

TEST(Focus, ShowsTheHeadThatIsPinnedAndPinsTheCellOfTheStageThatIsChosen) {
  HeadlessApp app(document_of(2), projector);
  app.change_view(
      [](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .head = 1, .row = 3, .col = 2}; });
  app.click("view/focus");
  EXPECT_EQ(app.widgets().matrices.back().head, 1);
  app.click("focus/scaled_scores");
  ASSERT_TRUE(app.view().pinned);
  EXPECT_EQ(*app.view().pinned, (Source{.stage = Stage::scaled_scores, .head = 1, .row = 3, .col = 2}));
}

TEST(Focus, ShowsTheTwoStagesAloneSideBySide) {
  HeadlessApp app(document_of(2), projector);
  app.press_key(keys::letter('K'));
  app.click("view/focus");
  app.move_away();
  ASSERT_TRUE(app.shows("focus/scaled_scores"));
  app.press_shift('A');
  EXPECT_FALSE(app.shows("focus/scaled_scores"));
}

TEST(Focus, LeavesOutWhatTheStageFollowsFromInALowWindow) {
  bool is_left_out = false;
  ViewState scores_alone;
  scores_alone.mode = ViewMode::focus;
  scores_alone.stage = Stage::scores;
  for (float height = 100; height <= 480; height += 4) {
    HeadlessApp app(document_of(2), {1280, height}, scores_alone);
    is_left_out = is_left_out || !app.shows("focus/queries");
    for (const char* const name : {"focus/queries", "focus/keys"}) {
      if (!app.shows(name)) continue;
      EXPECT_LT(app.widget(name).min_screen.x, app.widget(name).max_screen.x) << name << " at " << height;
      EXPECT_LT(app.widget(name).max_screen.x, 640) << name << " at " << height;
      EXPECT_LT(app.widget(name).min_screen.y, app.widget(name).max_screen.y) << name << " at " << height;
    }
  }
  EXPECT_TRUE(is_left_out);
}

TEST(Focus, LeavesOutWhatTheStageFollowsFromWhereItsOwnNumbersWouldHaveNoRoom) {
  bool is_left_out = false;
  ViewState scores_alone;
  scores_alone.mode = ViewMode::focus;
  scores_alone.stage = Stage::scores;
  scores_alone.decimals = 4;
  for (float width = 700; width <= 1300; width += 50) {
    HeadlessApp app(document_of(2), {width, 720}, scores_alone);
    app.move_away();
    const WidgetRegistry::Matrix& large = app.widgets().matrices.back();
    EXPECT_TRUE(large.text_size > 0 || !app.shows("focus/queries")) << width;
    is_left_out = is_left_out || (large.text_size > 0 && !app.shows("focus/queries"));
  }
  EXPECT_TRUE(is_left_out);
}

// Past stages that the document does without.
TEST(Focus, ShowsWhatActsBeforeTheStage) {
  Document document = document_of(2);
  document.config.scale = false;
  HeadlessApp app(document, projector);
  app.click("view/focus");
  app.move_away();
  EXPECT_TRUE(app.shows("focus/masked_scores"));
  EXPECT_FALSE(app.shows("focus/scaled_scores"));
}

TEST(StageCombo, ShowsEveryStageOfTheMechanism) {
  HeadlessApp app;
  app.click("view/focus");
  for (const StageInfo& stage : stages()) {
    const std::string id(stage.id);
    app.click("view/stage");
    EXPECT_EQ(app.shows("view/stage/" + id), app.result().find(stage.stage) != nullptr) << id;
    if (app.shows("view/stage/" + id)) {
      app.click("view/stage/" + id);
      EXPECT_EQ(app.view().stage, stage.stage);
      EXPECT_TRUE(app.shows("stages/" + id)) << id;
    } else {
      app.press_key(keys::named(ImGuiKey_Escape));
    }
  }
}

TEST(StageCombo, ShowsTheStageBeforeOneThatTheDocumentLacksUntilItIsBack) {
  HeadlessApp app;
  app.click("view/heads");
  app.click("view/stage");
  app.click("view/stage/output");
  app.click("setup/mechanism/simple_self_attention");
  app.settle();
  EXPECT_EQ(app.view().stage, Stage::context);
  EXPECT_TRUE(app.shows("stages/context"));
  ASSERT_FALSE(app.session().shown().messages.empty());
  EXPECT_EQ(app.session().shown().messages.back().text,
            fmt::format("This document has no stage “{}”, so “{}” is shown.", info(Stage::output).title,
                        info(Stage::context).title));
  app.click("setup/mechanism/multi_head_attention");
  app.settle();
  EXPECT_EQ(app.view().stage, Stage::output) << "nobody has chosen another one";
  app.click("setup/mechanism/simple_self_attention");
  app.settle();
  app.click("view/stage");
  app.click("view/stage/scores");
  app.click("setup/mechanism/multi_head_attention");
  app.settle();
  EXPECT_EQ(app.view().stage, Stage::scores);
}

// As after a restart, with the settings of another document.
TEST(StageCombo, ShowsTheStageBeforeOneThatTheFirstDocumentLacks) {
  Document document = default_document();
  set_mechanism(document, Mechanism::causal_attention);
  ViewState view = docked();
  view.mode = ViewMode::focus;
  view.stage = Stage::output;
  HeadlessApp app(document, {1280, 800}, view);
  app.settle();
  EXPECT_EQ(app.view().stage, Stage::context);
}

}  // namespace
}  // namespace attnscope::test

// Diagram, Heads and Focus.

#include <algorithm>

#include "desk.h"
#include "desk_input.h"

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
  Desk desk;
  desk.click("view/heads");
  EXPECT_EQ(desk.view().layout, Layout::heads);
  EXPECT_TRUE(desk.shows("stages/weights/1"));
  desk.click("view/focus");
  EXPECT_EQ(desk.view().layout, Layout::focus);
  EXPECT_FALSE(desk.shows("stages/scores"));
  desk.click("view/diagram");
  EXPECT_TRUE(desk.shows("stages/scores"));
  desk.hold_control(true);
  desk.press_key(keys::digit(3));
  EXPECT_EQ(desk.view().layout, Layout::focus);
  desk.press_key(keys::digit(2));
  EXPECT_EQ(desk.view().layout, Layout::heads);
  desk.press_key(keys::digit(1));
  EXPECT_EQ(desk.view().layout, Layout::diagram);
}

struct Extent {
  ImVec2 min_screen{1e9F, 1e9F};
  ImVec2 max_screen;
  float area() const { return (max_screen.x - min_screen.x) * (max_screen.y - min_screen.y); }
};

Extent extent_of_cards(const Desk& desk) {
  Extent all;
  for (const WidgetRegistry::Matrix& matrix : desk.widgets().matrices) {
    all.min_screen = {std::min(all.min_screen.x, matrix.card_min_screen.x),
                      std::min(all.min_screen.y, matrix.card_min_screen.y)};
    all.max_screen = {std::max(all.max_screen.x, matrix.card_max_screen.x),
                      std::max(all.max_screen.y, matrix.card_max_screen.y)};
  }
  return all;
}

float area_of_page(const Desk& desk) {
  const WidgetRegistry::Entry& page = desk.widget("stages");
  return (page.max_screen.x - page.min_screen.x) * (page.max_screen.y - page.min_screen.y);
}

TEST(Heads, FillThePageWhateverTheirNumber) {
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
    for (const Index heads : {2, 3, 4, 5, 6, 8, 12}) {
      Desk desk(document_of(heads), size);
      desk.click("view/heads");
      desk.move_away();
      EXPECT_EQ(desk.widgets().matrices.size(), static_cast<std::size_t>(heads));
      EXPECT_GT(extent_of_cards(desk).area(), 0.7F * area_of_page(desk)) << heads << " heads, " << size.x;
    }
  }
}

TEST(Heads, OfAHundredAreScrolledAndDoNotOverlap) {
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1440, 900}}) {
    Desk desk(document_of(128), size);
    desk.click("view/heads");
    const std::vector<WidgetRegistry::Matrix>& all = desk.widgets().matrices;
    ASSERT_GT(all.size(), 20U);
    for (std::size_t i = 1; i < all.size(); ++i) {
      const bool is_same_line = all[i].min_screen.y == all[i - 1].min_screen.y;
      const bool is_beside = all[i].card_min_screen.x >= all[i - 1].card_max_screen.x;
      const bool is_below = all[i].card_min_screen.y >= all[i - 1].card_max_screen.y;
      EXPECT_TRUE(is_same_line ? is_beside : is_below) << all[i].name << " " << size.x;
    }
    EXPECT_LE(extent_of_cards(desk).max_screen.x, desk.widget("stages").max_screen.x) << size.x;
  }
}

TEST(Focus, FillsThePageBesideWhatTheStageFollowsFromAndAClickGoesThere) {
  Desk desk(document_of(2), projector);
  desk.click("view/focus");
  desk.move_away();
  const WidgetRegistry::Matrix& large = desk.widgets().matrices.back();
  const Extent cells{large.min_screen, large.max_screen};
  EXPECT_GT(cells.area(), 0.45F * area_of_page(desk));
  EXPECT_TRUE(desk.shows("focus/scaled_scores"));
  EXPECT_FALSE(desk.shows("focus/scores"));
  desk.click("focus/scaled_scores");
  EXPECT_EQ(desk.view().stage, Stage::scaled_scores);
  desk.click("focus/masked_scores");
  EXPECT_TRUE(desk.shows("focus/mask"));
  desk.click("focus/scores");
  EXPECT_TRUE(desk.shows("focus/queries"));
  EXPECT_TRUE(desk.shows("focus/keys"));
}

TEST(Focus, ShowsTheHeadThatIsPinnedAndPinsTheCellOfTheStageThatIsChosen) {
  Desk desk(document_of(2), projector);
  desk.change_view(
      [](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .head = 1, .row = 3, .col = 2}; });
  desk.click("view/focus");
  EXPECT_EQ(desk.widgets().matrices.back().head, 1);
  desk.click("focus/scaled_scores");
  ASSERT_TRUE(desk.view().pinned);
  EXPECT_EQ(*desk.view().pinned, (Source{.stage = Stage::scaled_scores, .head = 1, .row = 3, .col = 2}));
}

TEST(Focus, ShowsTheTwoStagesAloneSideBySide) {
  Desk desk(document_of(2), projector);
  desk.press_key(keys::letter('K'));
  desk.click("view/focus");
  desk.move_away();
  ASSERT_TRUE(desk.shows("focus/scaled_scores"));
  desk.press_key(keys::letter('S'));
  desk.frames(2);
  EXPECT_FALSE(desk.shows("focus/scaled_scores"));
}

TEST(Focus, LeavesOutWhatTheStageFollowsFromInALowWindow) {
  bool is_left_out = false;
  ViewState scores_alone;
  scores_alone.layout = Layout::focus;
  scores_alone.stage = Stage::scores;
  for (float height = 100; height <= 480; height += 4) {
    Desk desk(document_of(2), {1280, height}, scores_alone);
    is_left_out = is_left_out || !desk.shows("focus/queries");
    for (const char* const name : {"focus/queries", "focus/keys"}) {
      if (!desk.shows(name)) continue;
      EXPECT_LT(desk.widget(name).min_screen.x, desk.widget(name).max_screen.x) << name << " at " << height;
      EXPECT_LT(desk.widget(name).max_screen.x, 640) << name << " at " << height;
      EXPECT_LT(desk.widget(name).min_screen.y, desk.widget(name).max_screen.y) << name << " at " << height;
    }
  }
  EXPECT_TRUE(is_left_out);
}

// Past stages that the document does without.
TEST(Focus, ShowsWhatActsBeforeTheStage) {
  Document document = document_of(2);
  document.config.scale = false;
  Desk desk(document, projector);
  desk.click("view/focus");
  desk.move_away();
  EXPECT_TRUE(desk.shows("focus/masked_scores"));
  EXPECT_FALSE(desk.shows("focus/scaled_scores"));
}

TEST(StageCombo, ShowsEveryStageOfTheMechanism) {
  Desk desk;
  desk.click("view/focus");
  for (const StageInfo& stage : stages()) {
    const std::string id(stage.id);
    desk.click("view/stage");
    EXPECT_EQ(desk.shows("view/stage/" + id), desk.result().find(stage.stage) != nullptr) << id;
    if (desk.shows("view/stage/" + id)) {
      desk.click("view/stage/" + id);
      EXPECT_EQ(desk.view().stage, stage.stage);
      EXPECT_TRUE(desk.shows("stages/" + id)) << id;
    } else {
      desk.press_key(keys::named(ImGuiKey_Escape));
    }
  }
}

TEST(StageCombo, WaitsForAStageThatTheMechanismLacks) {
  Desk desk;
  desk.click("view/heads");
  desk.click("view/stage");
  desk.click("view/stage/output");
  desk.click("setup/mechanism/simple_self_attention");
  desk.move_away();
  EXPECT_TRUE(desk.text().find("has no such stage") != std::string::npos);
}

}  // namespace
}  // namespace attnscope::test

#include "core/explain.h"
#include "desk.h"
#include "desk_input.h"
#include "document/json.h"

namespace attnscope::test {
namespace {

constexpr Source journey_on_your{.stage = Stage::weights, .row = 1, .col = 0};

Document document_with_heads(Index heads, Index d_out) {
  Document document = default_document();
  document.config.num_heads = heads;
  document.config.d_out = d_out;
  return document;
}

Source pinned_cell_of(const Desk& desk) { return desk.view().pinned.value_or(Source{.row = -1}); }

bool writes(Desk& desk, const std::string& fragment) { return desk.text().find(fragment) != std::string::npos; }

const ImVec2 large_window{2560, 1440};  // the whole diagram

TEST(Hover, FindsTheCellUnderThePointerInEveryStage) {
  Desk desk(default_document(), large_window);
  for (const StageInfo& stage : stages()) {
    if (!desk.shows("stages/" + std::string(stage.id))) continue;
    const std::vector<Index> shape = stage_shape(desk.result().config, stage.stage);
    const Index row = std::min<Index>(shape[shape.size() - 2], 3) - 1;
    desk.hover_cell(stage.stage, row, 0);
    ASSERT_TRUE(desk.session().shown().hovered) << stage.id;
    EXPECT_EQ(desk.session().shown().hovered->stage, stage.stage);
    EXPECT_EQ(desk.session().shown().hovered->row, row) << stage.id;
    EXPECT_EQ(desk.session().shown().hovered->col, 0) << stage.id;
  }
}

TEST(Hover, IsExplainedInsteadOfThePinnedCell) {
  Desk desk(default_document(), large_window);
  EXPECT_TRUE(desk.shows("inspector/unpin"));
  desk.hover_cell(Stage::weights, 4, 3);
  EXPECT_FALSE(desk.shows("inspector/unpin"));
  EXPECT_TRUE(writes(desk, "query 5 one"));
  desk.move_to("setup");
  EXPECT_FALSE(desk.session().shown().hovered);
  EXPECT_TRUE(desk.shows("inspector/unpin"));
  EXPECT_EQ(pinned_cell_of(desk), journey_on_your);
}

TEST(Inspector, NamesThePlaceAndTheFullNumber) {
  Desk desk;
  const std::string text = desk.text();
  for (const char* fragment : {"Head 1 of 2", "query 2 journey", "key 1 Your"}) {
    EXPECT_NE(text.find(fragment), std::string::npos) << fragment << " is not in\n" << text;
  }
}

TEST(Inspector, LineLeadsToTheCellItsNumberCameFrom) {
  Desk desk;
  int line = 0;
  while (!desk.shows("inspector/line/" + std::to_string(line))) ASSERT_LT(++line, 20);
  desk.click("inspector/line/" + std::to_string(line));
  EXPECT_EQ(pinned_cell_of(desk), (Source{.stage = Stage::scaled_scores, .row = 1, .col = 0}));
}

int first_line_with_second(Desk& desk) {
  for (int line = 0; line < 20; ++line) {
    if (desk.shows("inspector/line/" + std::to_string(line) + "/second")) return line;
  }
  throw std::runtime_error("no line leads to two numbers");
}

TEST(Inspector, BothFactorsLeadOnAndBackAndForwardLeadBack) {
  Desk desk(default_document(), large_window);
  const Source score{.stage = Stage::scores, .row = 3, .col = 2};
  desk.click_cell(Stage::scores, 3, 2);
  desk.move_away();
  desk.click("inspector/line/" + std::to_string(first_line_with_second(desk)) + "/second");
  const Source key{.stage = Stage::keys, .row = 2, .col = 0};
  EXPECT_EQ(pinned_cell_of(desk), key);
  desk.click("inspector/line/" + std::to_string(first_line_with_second(desk)) + "/second");
  EXPECT_EQ(pinned_cell_of(desk).stage, Stage::key_weight);
  const Source weight = pinned_cell_of(desk);
  desk.click("inspector/back");
  EXPECT_EQ(pinned_cell_of(desk), key);
  desk.press_alt(ImGuiKey_LeftArrow);
  EXPECT_EQ(pinned_cell_of(desk), score) << "the arrow alone would move the cell";
  desk.press_alt(ImGuiKey_RightArrow);
  EXPECT_EQ(pinned_cell_of(desk), key);
  desk.click("inspector/forward");
  EXPECT_EQ(pinned_cell_of(desk), weight);
  EXPECT_FALSE(desk.enables("inspector/forward"));
  EXPECT_EQ(undo_count(desk), 0) << "looking is no edit";
}

TEST(Inspector, StepsOfTheArrowsAreOnePlaceToGoBackTo) {
  Desk desk(default_document(), large_window);
  for (int step = 0; step < 3; ++step) desk.press_key(keys::named(ImGuiKey_DownArrow));
  const Source below = pinned_cell_of(desk);
  EXPECT_FALSE(desk.enables("inspector/back"));
  desk.click_cell(Stage::output, 0, 1);
  desk.move_away();
  desk.press_alt(ImGuiKey_LeftArrow);
  EXPECT_EQ(pinned_cell_of(desk), below);
}

TEST(Inspector, TheSameCellOfAnotherHeadIsAPlaceToGoBackTo) {
  ViewState view;
  view.pinned = Source{.stage = Stage::weights, .row = 1};
  note_pinned(view, {});
  const std::optional<Source> before = view.pinned;
  view.pinned->head = 1;
  note_pinned(view, before);
  ASSERT_TRUE(can_go_back(view));
  go_back(view);
  EXPECT_EQ(view.pinned, before);
}

TEST(Inspector, GoesBackWithinOneDocumentOnly) {
  Desk desk;
  desk.click_cell(Stage::scores, 3, 2);
  EXPECT_TRUE(desk.enables("inspector/back"));
  desk.press_control('N');
  desk.move_away();
  EXPECT_FALSE(desk.enables("inspector/back"));
}

TEST(Pin, ComesWithAClickAndGoesWithASecond) {
  Desk desk;
  desk.click_cell(Stage::scores, 3, 2);
  EXPECT_EQ(pinned_cell_of(desk), (Source{.stage = Stage::scores, .row = 3, .col = 2}));
  desk.click_cell(Stage::scores, 3, 2);
  EXPECT_FALSE(desk.view().pinned);
}

TEST(Pin, GoesWithEscape) {
  Desk desk;
  ASSERT_TRUE(desk.view().pinned);
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(desk.view().pinned);
}

TEST(Pin, GoesWithItsButton) {
  Desk desk;
  desk.click("inspector/unpin");
  EXPECT_FALSE(desk.view().pinned);
}

TEST(Pin, MovesWithTheArrowsAndStaysInsideWhereOneStageIsShown) {
  Desk desk;
  desk.click("view/focus");
  desk.press_key(keys::named(ImGuiKey_RightArrow));
  desk.press_key(keys::named(ImGuiKey_DownArrow));
  EXPECT_EQ(pinned_cell_of(desk), (Source{.stage = Stage::weights, .row = 2, .col = 1}));
  for (int times = 0; times < 8; ++times) desk.press_key(keys::named(ImGuiKey_UpArrow));
  for (int times = 0; times < 8; ++times) desk.press_key(keys::named(ImGuiKey_LeftArrow));
  EXPECT_EQ(pinned_cell_of(desk), (Source{.stage = Stage::weights, .row = 0, .col = 0}));
}

TEST(Pin, IsMovedByTheArrowsAndExplainedWhileThePointerRestsElsewhere) {
  Desk desk(default_document(), large_window);
  desk.click_cell(Stage::weights, 3, 1);
  desk.press_key(keys::named(ImGuiKey_DownArrow));
  EXPECT_EQ(pinned_cell_of(desk), (Source{.stage = Stage::weights, .row = 4, .col = 1}));
  EXPECT_TRUE(writes(desk, "query 5 one"));
  EXPECT_FALSE(writes(desk, "query 4 with"));
  desk.move_by({1, 0});
  desk.frames(2);
  EXPECT_TRUE(writes(desk, "query 4 with")) << "the pointer that moves leads again";
}

TEST(Pin, SurvivesAStageThatIsGoneForAWhile) {
  Desk desk(default_document(), large_window);
  desk.click_cell(Stage::output, 5, 1);
  desk.click("setup/mechanism/simple_self_attention");
  desk.move_away();
  EXPECT_TRUE(writes(desk, "Rest the pointer on a cell"));
  desk.click("setup/mechanism/multi_head_attention");
  desk.move_away();
  EXPECT_TRUE(writes(desk, "token 6 step"));
}

TEST(HeadChips, ShowTheirHead) {
  Desk desk(document_with_heads(4, 8));
  desk.click("view/head/2");
  EXPECT_EQ(desk.view().head, 2);
  EXPECT_EQ(pinned_cell_of(desk).head, 2);
  EXPECT_TRUE(writes(desk, "Head 3 of 4"));
}

TEST(HeadKeys, GoAround) {
  Desk desk(document_with_heads(4, 8));
  desk.press_key(keys::left_bracket());
  EXPECT_EQ(desk.view().head, 3);
  desk.press_key(keys::right_bracket());
  desk.press_key(keys::right_bracket());
  EXPECT_EQ(desk.view().head, 1);
}

TEST(HeadArrows, StepThroughManyHeads) {
  Desk desk(document_with_heads(24, 24));
  desk.click("view/head/next");
  EXPECT_EQ(desk.view().head, 1);
  desk.click("view/head/previous");
  desk.click("view/head/previous");
  EXPECT_EQ(desk.view().head, 23);
}

TEST(HeadArrows, StepFromTheHeadThatIsShownWhenThereAreFewerThanBefore) {
  Desk desk(document_with_heads(4, 8));
  desk.click("view/head/3");
  desk.control_click("setup/num_heads");
  desk.press_control('A');
  desk.type("2");
  desk.press_key(keys::named(ImGuiKey_Enter));
  ASSERT_EQ(desk.config().num_heads, 2);
  desk.settle();
  desk.move_away();
  EXPECT_TRUE(writes(desk, "Head 2 of 2"));
  desk.press_key(keys::left_bracket());
  EXPECT_EQ(desk.view().head, 0);
}

TEST(Escape, ClosesAListBeforeItUnpins) {
  Desk desk;
  desk.click("view/focus");
  desk.click("view/stage");
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(desk.shows("view/stage/scores"));
  EXPECT_TRUE(desk.view().pinned);
}

TEST(StatusLine, TellsTheShapes) {
  Desk desk;
  EXPECT_TRUE(writes(desk, "scores (2, 6, 6)"));
}

// Matrices of a long document stand on their lines, inside of a small window, zoomed or not.
TEST(Diagram, OfALongDocumentKeepsItsRowsInASmallWindow) {
  Desk desk(parse_document(R"({"inputs": {"randn": [1024, 8]}, "d_out": 8, "num_heads": 4, "batch_size": 2})"),
            {1280, 720});
  desk.settle();
  for (const bool is_zoomed : {false, true}) {
    if (is_zoomed) desk.change_view([&](ViewState& view) { view.map.window = CellWindow{100, 50, 400, 400}; });
    desk.frames(3);
    const WidgetRegistry::Entry& scores = desk.widget("stages/scores");
    for (const std::string name : {"stages/masked_scores", "stages/scaled_scores"})
      EXPECT_EQ(desk.widget(name).min_screen.y, scores.min_screen.y) << name;
    EXPECT_LE(desk.widget("stages/mask").max_screen.y, desk.widget("stages/masked_scores").min_screen.y);
    EXPECT_LT(desk.widget("stages/weights").max_screen.y, scores.min_screen.y);
    const ImRect page = desk.widget("stages").window->Rect();
    for (const WidgetRegistry::Matrix& matrix : desk.widgets().matrices)
      EXPECT_TRUE(page.Contains(ImRect(matrix.min_screen, matrix.max_screen))) << matrix.name;
  }
}

TEST(RowSums, AreInfiniteBesideMinusInfinity) {
  Document document = default_document();
  const AttentionConfig& config = document.config;
  ASSERT_EQ(config.mask, MaskRoute::causal);
  EXPECT_TRUE(holds_minus_infinity(config, Stage::masked_scores, 0));
  EXPECT_TRUE(holds_minus_infinity(config, Stage::scaled_scores, 4));
  EXPECT_FALSE(holds_minus_infinity(config, Stage::scaled_scores, 5));
  EXPECT_FALSE(holds_minus_infinity(config, Stage::scores, 0));
  EXPECT_FALSE(holds_minus_infinity(config, Stage::weights, 0));
  document.config.mask = MaskRoute::causal_after_softmax;
  EXPECT_FALSE(holds_minus_infinity(config, Stage::scaled_scores, 0));
}

}  // namespace
}  // namespace attnscope::test

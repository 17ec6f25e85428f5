#include "core/source.h"
#include "document/builtin.h"
#include "document/json.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

constexpr Source journey_on_your{.stage = Stage::weights, .row = 1, .col = 0};

Document document_with_heads(Index heads, Index d_out) {
  Document document = default_document();
  document.config.num_heads = heads;
  document.config.d_out = d_out;
  return document;
}

Source pinned_cell_of(const HeadlessApp& app) { return app.view().pinned.value_or(Source{.row = -1}); }

bool writes(HeadlessApp& app, const std::string& fragment) { return app.text().find(fragment) != std::string::npos; }

const ImVec2 large_window{2560, 1440};  // the whole diagram

TEST(Hover, FindsTheCellUnderThePointerInEveryStage) {
  HeadlessApp app(default_document(), large_window);
  for (const StageInfo& stage : stages()) {
    if (!app.shows("stages/" + std::string(stage.id))) continue;
    const std::vector<Index> shape = stage_shape(app.result().config, stage.stage);
    const Index row = std::min<Index>(shape[shape.size() - 2], 3) - 1;
    app.hover_cell(stage.stage, row, 0);
    ASSERT_TRUE(app.session().shown().hovered) << stage.id;
    EXPECT_EQ(app.session().shown().hovered->stage, stage.stage);
    EXPECT_EQ(app.session().shown().hovered->row, row) << stage.id;
    EXPECT_EQ(app.session().shown().hovered->col, 0) << stage.id;
  }
}

TEST(Hover, IsExplainedInsteadOfThePinnedCell) {
  HeadlessApp app(default_document(), large_window);
  EXPECT_TRUE(app.shows("inspector/unpin"));
  app.hover_cell(Stage::weights, 4, 3);
  EXPECT_FALSE(app.shows("inspector/unpin"));
  EXPECT_TRUE(writes(app, "query 5 one"));
  app.move_to("setup");
  EXPECT_FALSE(app.session().shown().hovered);
  EXPECT_TRUE(app.shows("inspector/unpin"));
  EXPECT_EQ(pinned_cell_of(app), journey_on_your);
}

// Lessons ask to click numbers that are pinned already.
TEST(Hover, AClickKeepsTheNumberThatIsPinned) {
  HeadlessApp app(default_document(), large_window);
  ASSERT_EQ(pinned_cell_of(app), journey_on_your);
  app.click_cell(Stage::weights, 1, 0);
  EXPECT_EQ(pinned_cell_of(app), journey_on_your);
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app.view().pinned);
}

TEST(Inspector, NamesThePlaceAndTheFullNumber) {
  HeadlessApp app;
  const std::string text = app.text();
  for (const char* fragment : {"Head 1 of 2", "query 2 journey", "key 1 Your"}) {
    EXPECT_NE(text.find(fragment), std::string::npos) << fragment << " is not in\n" << text;
  }
}

TEST(Inspector, LineLeadsToTheCellItsNumberCameFrom) {
  HeadlessApp app;
  int line = 0;
  while (!app.shows("inspector/line/" + std::to_string(line))) ASSERT_LT(++line, 20);
  app.click("inspector/line/" + std::to_string(line));
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::scaled_scores, .row = 1, .col = 0}));
}

int first_line_with_second(HeadlessApp& app) {
  for (int line = 0; line < 20; ++line) {
    if (app.shows("inspector/line/" + std::to_string(line) + "/second")) return line;
  }
  throw std::runtime_error("no line leads to two numbers");
}

TEST(Inspector, BothFactorsLeadOnAndBackAndForwardLeadBack) {
  HeadlessApp app(default_document(), large_window);
  const Source score{.stage = Stage::scores, .row = 3, .col = 2};
  app.click_cell(Stage::scores, 3, 2);
  app.move_away();
  app.click("inspector/line/" + std::to_string(first_line_with_second(app)) + "/second");
  const Source key{.stage = Stage::keys, .row = 2, .col = 0};
  EXPECT_EQ(pinned_cell_of(app), key);
  app.click("inspector/line/" + std::to_string(first_line_with_second(app)) + "/second");
  EXPECT_EQ(pinned_cell_of(app).stage, Stage::key_weight);
  const Source weight = pinned_cell_of(app);
  app.click("inspector/back");
  EXPECT_EQ(pinned_cell_of(app), key);
  app.press_alt(ImGuiKey_LeftArrow);
  EXPECT_EQ(pinned_cell_of(app), score) << "the arrow alone would move the cell";
  app.press_alt(ImGuiKey_RightArrow);
  EXPECT_EQ(pinned_cell_of(app), key);
  app.click("inspector/forward");
  EXPECT_EQ(pinned_cell_of(app), weight);
  EXPECT_FALSE(app.enables("inspector/forward"));
  EXPECT_EQ(undo_count(app), 0) << "looking is no edit";
}

TEST(Inspector, StepsOfTheArrowsAreOnePlaceToGoBackTo) {
  HeadlessApp app(default_document(), large_window);
  for (int step = 0; step < 3; ++step) app.press_key(keys::named(ImGuiKey_DownArrow));
  const Source below = pinned_cell_of(app);
  EXPECT_FALSE(app.enables("inspector/back"));
  app.click_cell(Stage::output, 0, 1);
  app.move_away();
  app.press_alt(ImGuiKey_LeftArrow);
  EXPECT_EQ(pinned_cell_of(app), below);
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
  HeadlessApp app;
  app.click_cell(Stage::scores, 3, 2);
  EXPECT_TRUE(app.enables("inspector/back"));
  app.press_control('N');
  app.move_away();
  EXPECT_FALSE(app.enables("inspector/back"));
}

TEST(Pin, ComesWithAClickAndStaysWithASecond) {
  HeadlessApp app;
  app.click_cell(Stage::scores, 3, 2);
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::scores, .row = 3, .col = 2}));
  app.click_cell(Stage::scores, 3, 2);
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::scores, .row = 3, .col = 2}));
}

TEST(Pin, GoesWithEscape) {
  HeadlessApp app;
  ASSERT_TRUE(app.view().pinned);
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app.view().pinned);
}

TEST(Pin, GoesWithItsButton) {
  HeadlessApp app;
  app.click("inspector/unpin");
  EXPECT_FALSE(app.view().pinned);
}

TEST(Pin, MovesWithTheArrowsAndStaysInsideWhereOneStageIsShown) {
  HeadlessApp app;
  app.click("view/focus");
  app.press_key(keys::named(ImGuiKey_RightArrow));
  app.press_key(keys::named(ImGuiKey_DownArrow));
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::weights, .row = 2, .col = 1}));
  for (int times = 0; times < 8; ++times) app.press_key(keys::named(ImGuiKey_UpArrow));
  for (int times = 0; times < 8; ++times) app.press_key(keys::named(ImGuiKey_LeftArrow));
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::weights, .row = 0, .col = 0}));
}

TEST(Pin, IsMovedByTheArrowsAndExplainedWhileThePointerRestsElsewhere) {
  HeadlessApp app(default_document(), large_window);
  app.click_cell(Stage::weights, 3, 1);
  app.press_key(keys::named(ImGuiKey_DownArrow));
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::weights, .row = 4, .col = 1}));
  EXPECT_TRUE(writes(app, "query 5 one"));
  EXPECT_FALSE(writes(app, "query 4 with"));
  app.move_by({1, 0});
  app.frames(2);
  EXPECT_TRUE(writes(app, "query 4 with")) << "the pointer that moves leads again";
}

TEST(Pin, ThatIsMovedToAnotherHeadSaysSo) {
  HeadlessApp app(opening_document(), large_window);
  app.click_cell(Stage::weights, 4, 0);
  app.press_key(keys::named(ImGuiKey_LeftArrow));
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::values, .row = 4, .col = 1}));
  EXPECT_EQ(app.message(), "");
  app.press_key(keys::named(ImGuiKey_RightArrow));
  EXPECT_EQ(pinned_cell_of(app), (Source{.stage = Stage::values, .head = 1, .row = 4, .col = 0}));
  EXPECT_EQ(app.message(), "Head 2 is shown now: every matrix has its numbers.");
}

TEST(Pin, SurvivesAStageThatIsGoneForAWhile) {
  HeadlessApp app(default_document(), large_window);
  app.click_cell(Stage::output, 5, 1);
  app.click("setup/mechanism/simple_self_attention");
  app.move_away();
  EXPECT_TRUE(writes(app, "Rest the pointer on a cell"));
  app.click("setup/mechanism/multi_head_attention");
  app.move_away();
  EXPECT_TRUE(writes(app, "token 6 step"));
}

TEST(HeadChips, ShowTheirHead) {
  HeadlessApp app(document_with_heads(4, 8));
  app.click("view/head/2");
  EXPECT_EQ(app.view().head, 2);
  EXPECT_EQ(pinned_cell_of(app).head, 2);
  EXPECT_TRUE(writes(app, "Head 3 of 4"));
}

TEST(HeadKeys, GoAround) {
  HeadlessApp app(document_with_heads(4, 8));
  app.press_key(keys::left_bracket());
  EXPECT_EQ(app.view().head, 3);
  app.press_key(keys::right_bracket());
  app.press_key(keys::right_bracket());
  EXPECT_EQ(app.view().head, 1);
}

TEST(HeadArrows, StepThroughManyHeads) {
  HeadlessApp app(document_with_heads(24, 24));
  app.click("view/head/next");
  EXPECT_EQ(app.view().head, 1);
  app.click("view/head/previous");
  app.click("view/head/previous");
  EXPECT_EQ(app.view().head, 23);
}

TEST(HeadArrows, StepFromTheHeadThatIsShownWhenThereAreFewerThanBefore) {
  HeadlessApp app(document_with_heads(4, 8));
  app.click("view/head/3");
  app.control_click("setup/num_heads");
  app.press_control('A');
  app.type("2");
  app.press_key(keys::named(ImGuiKey_Enter));
  ASSERT_EQ(app.config().num_heads, 2);
  app.settle();
  app.move_away();
  EXPECT_TRUE(writes(app, "Head 2 of 2"));
  app.press_key(keys::left_bracket());
  EXPECT_EQ(app.view().head, 0);
}

TEST(Escape, ClosesAListBeforeItUnpins) {
  HeadlessApp app;
  app.click("view/focus");
  app.click("view/stage");
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app.shows("view/stage/scores"));
  EXPECT_TRUE(app.view().pinned);
}

TEST(StatusLine, TellsTheShapes) {
  HeadlessApp app;
  EXPECT_TRUE(writes(app, "scores (1, 2, 6, 6)"));
}

// Matrices of a long document stand on their lines, inside of a small window, zoomed or not.
TEST(Diagram, OfALongDocumentKeepsItsRowsInASmallWindow) {
  HeadlessApp app(parse_document(R"({"inputs": {"randn": [1024, 8]}, "d_out": 8, "num_heads": 4, "batch_size": 2})"),
                  {1280, 720});
  app.settle();
  for (const bool is_zoomed : {false, true}) {
    if (is_zoomed) app.change_view([&](ViewState& view) { view.map.window = CellWindow{100, 50, 400, 400}; });
    app.frames(3);
    const WidgetRegistry::Entry& scores = app.widget("stages/scores");
    for (const std::string name : {"stages/masked_scores", "stages/scaled_scores"})
      EXPECT_EQ(app.widget(name).min_screen.y, scores.min_screen.y) << name;
    EXPECT_LE(app.widget("stages/mask").max_screen.y, app.widget("stages/masked_scores").min_screen.y);
    EXPECT_LT(app.widget("stages/weights").max_screen.y, scores.min_screen.y);
    const ImRect page = app.widget("stages").window->Rect();
    for (const WidgetRegistry::Matrix& matrix : app.widgets().matrices)
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

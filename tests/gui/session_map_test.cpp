#include <algorithm>
#include <cmath>

#include "document/json.h"
#include "features/files/reading_controller.h"
#include "features/stages/panel/stage_view.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

const ImVec2 off_middle{0.31f, 0.72f};

Document tokens_of_map() { return parse_document(R"({"inputs": {"randn": [64, 8]}, "d_out": 8, "num_heads": 2})"); }

ViewState looking_at(ViewMode layout) {
  ViewState view;
  view.mode = layout;
  return view;
}

CellWindow window(const HeadlessApp& app, Stage stage = Stage::weights, Index cols = 64) {
  return window_of(app.view().map, {stage, 64, cols});
}

Source hovered(HeadlessApp& app) { return app.session().shown().hovered.value_or(Source{.row = -1}); }

TEST(Wheel, ZoomsAndKeepsTheCellUnderThePointer) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights", off_middle);
  const Source before = hovered(app);
  for (int lines = 0; lines < 5; ++lines) {
    const double rows = window(app).rows;
    app.scroll(1);
    EXPECT_LT(window(app).rows, rows);
    EXPECT_DOUBLE_EQ(window(app).rows, window(app).cols);
    EXPECT_EQ(hovered(app), before);
  }
}

TEST(Wheel, ZoomsDownToCellsOfTheirLargestSizeAndBackToTheWhole) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 30; ++lines) app.scroll(1);
  const WidgetRegistry::Entry& heatmap = app.widget("stages/weights");
  EXPECT_NEAR((heatmap.max_screen.y - heatmap.min_screen.y) / static_cast<float>(window(app).rows), 96, 0.1);
  for (int lines = 0; lines < 30; ++lines) app.scroll(-1);
  EXPECT_FALSE(app.view().map.window);
}

TEST(Wheel, ScrollsAZoomedDiagramAndZoomsItWithControl) {
  HeadlessApp app;
  app.move_to("stages/weights");
  app.hold_control(true);
  app.scroll(4);
  app.hold_control(false);
  EXPECT_GT(app.view().diagram_zoom, 1);
  const float before = app.widget("stages/weights").min_screen.y;
  app.scroll(-1);
  EXPECT_LT(app.widget("stages/weights").min_screen.y, before);
  EXPECT_FALSE(app.view().map.window);
}

TEST(Drag, PansAndPinsNothing) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) app.scroll(1);
  app.move_by({5, 5});  // away from the borders of the cell
  const CellWindow before = window(app);
  const Source cell = hovered(app);
  app.wait(1);
  app.press();
  for (int step = 0; step < 10; ++step) app.move_by({6, -4});
  app.release();
  EXPECT_LT(window(app).col, before.col);
  EXPECT_GT(window(app).row, before.row);
  EXPECT_EQ(hovered(app), cell);
  EXPECT_FALSE(app.view().pinned == std::optional<Source>(cell));
}

TEST(Drag, StaysInsideTheMatrix) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights");
  for (int lines = 0; lines < 3; ++lines) app.scroll(1);
  app.wait(1);
  app.press();
  for (int step = 0; step < 30; ++step) app.move_by({20, 15});
  app.release();
  EXPECT_EQ(window(app).row, 0);
  EXPECT_EQ(window(app).col, 0);
}

TEST(Click, StillPinsWhereItIsZoomedThoughTheHandShakes) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) app.scroll(1);
  const CellWindow before = window(app);
  const Source cell = hovered(app);
  app.wait(1);
  app.press();
  app.move_by({2, 1});
  app.release();
  EXPECT_EQ(app.view().pinned, cell);
  EXPECT_EQ(window(app), before);
}

TEST(DoubleClick, ShowsTheWholeMatrixAndPinsNothing) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) app.scroll(1);
  const std::optional<Source> pinned = app.view().pinned;
  app.double_click("stages/weights");
  EXPECT_FALSE(app.view().map.window);
  EXPECT_EQ(app.view().pinned, pinned);
}

TEST(DoubleClick, OnThePinnedNumberLeavesItPinned) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights");
  for (int lines = 0; lines < 6; ++lines) app.scroll(1);
  app.click("stages/weights");
  const std::optional<Source> pinned = app.view().pinned;
  ASSERT_TRUE(pinned);
  app.wait(1);
  app.double_click("stages/weights");
  EXPECT_FALSE(app.view().map.window);
  EXPECT_EQ(app.view().pinned, pinned);
}

TEST(DoubleClick, OnAComputedNumberSaysWhatItFollowsFrom) {
  HeadlessApp app(default_document(), {1280, 800}, looking_at(ViewMode::focus));
  app.double_click("stages/weights");
  EXPECT_NE(app.message().find("This number is computed. Change a number of the inputs"), std::string::npos)
      << app.message();
}

TEST(Heads, MoveInStep) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::heads));
  app.move_to("stages/weights/0", off_middle);
  for (int lines = 0; lines < 4; ++lines) app.scroll(1);
  const Source here = hovered(app);
  app.move_to("stages/weights/1", off_middle);
  EXPECT_EQ(hovered(app), (Source{.stage = Stage::weights, .head = 1, .row = here.row, .col = here.col}));
}

TEST(TokenRows, FollowTheQueriesAndKeysThatShow) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) app.scroll(1);
  const CellWindow pairs = window(app);
  EXPECT_EQ(window(app, Stage::queries, 4), (CellWindow{pairs.row, 0, pairs.rows, 4}));
  EXPECT_EQ(window(app, Stage::keys, 4), (CellWindow{pairs.col, 0, pairs.cols, 4}));
}

TEST(TokenRows, TakeThePairsWithThem) {
  MapState map;
  set_window(map, {Stage::keys, 64, 10}, {20, 0, 8, 5});
  EXPECT_EQ(window_of(map, {Stage::weights, 64, 64}), (CellWindow{28, 20, 8, 8}));
  EXPECT_EQ(window_of(map, {Stage::output, 64, 20}), (CellWindow{28, 0, 8, 10}));
}

TEST(ZoomKeys, ZoomPanAndFit) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.press_key(keys::named(ImGuiKey_Escape));  // no pinned cell
  app.press_key(keys::equal());
  app.press_key(keys::equal());
  const CellWindow before = window(app);
  EXPECT_NEAR(before.rows, 64 / 1.25 / 1.25, 1e-9);
  app.press_key(keys::named(ImGuiKey_RightArrow));
  EXPECT_GT(window(app).col, before.col);
  app.press_key(keys::minus());
  EXPECT_GT(window(app).rows, before.rows);
  app.press_key(keys::digit(0));
  EXPECT_FALSE(app.view().map.window);
}

TEST(PinnedCell, TakesTheViewWithIt) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 9; ++lines) app.scroll(1);
  app.click("stages/weights", off_middle);
  app.move_away();
  for (int times = 0; times < 12; ++times) app.press_key(keys::named(ImGuiKey_DownArrow));
  const Source pinned = app.view().pinned.value_or(Source{.row = -1});
  EXPECT_GE(static_cast<double>(pinned.row), window(app).row - 1e-9);
  EXPECT_LE(static_cast<double>(pinned.row + 1), window(app).row + window(app).rows + 1e-9);
}

TEST(Minimap, IsThereWhileALargeHeatmapIsZoomedAndMovesTheView) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  EXPECT_FALSE(app.shows("stages/weights/minimap"));
  app.move_to("stages/weights");
  for (int lines = 0; lines < 5; ++lines) app.scroll(1);
  const std::optional<Source> pinned = app.view().pinned;
  app.click("stages/weights/minimap", {0.9f, 0.8f});
  const CellWindow moved = window(app);
  EXPECT_NEAR(moved.row + moved.rows / 2, 0.8 * 64, 1);
  EXPECT_NEAR(std::min(moved.col, 64 - moved.cols), moved.col, 1e-9);
  EXPECT_EQ(app.view().pinned, pinned);
  app.press_key(keys::digit(0));
  EXPECT_FALSE(app.shows("stages/weights/minimap"));
}

TEST(Window, IsForgottenWithItsDocument) {
  HeadlessApp app(tokens_of_map(), {1280, 800}, looking_at(ViewMode::focus));
  app.move_to("stages/weights");
  app.scroll(3);
  app.call([](const Controllers& to) { to.reading.new_document(); });
  EXPECT_FALSE(app.view().map.window);
}

TEST(Pooling, SaysHowManyCellsShareAPoint) {
  const HeadlessApp app;  // for Dear ImGui's context
  CellGrid grid{scene::whole_plot({0, 0, 350, 175}, 700, 700)};
  EXPECT_EQ(pooled_cells(grid).rows, 4);
  EXPECT_EQ(pooled_cells(grid).cols, 2);
  grid.window = {0, 0, 300, 300};
  EXPECT_EQ(pooled_cells(grid).rows, 2);
  grid.window = {0, 0, 100, 100};
  EXPECT_FALSE(pooled_cells(grid).is_pooled());
}

}  // namespace
}  // namespace attnscope::test

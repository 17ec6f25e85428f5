#include <algorithm>
#include <cmath>

#include "desk.h"
#include "desk_input.h"
#include "document/json.h"
#include "features/stages/panel/cell_grid.h"

namespace attnscope::test {
namespace {

const ImVec2 off_middle{0.31f, 0.72f};

Document tokens_of_map() { return parse_document(R"({"inputs": {"randn": [64, 8]}, "d_out": 8, "num_heads": 2})"); }

ViewState looking_at(Layout layout) {
  ViewState view;
  view.layout = layout;
  return view;
}

CellWindow window(const Desk& desk, Stage stage = Stage::weights, Index head = 0, Index cols = 64) {
  return window_of(desk.view().map, desk.view().zoom_alone, {stage, head, 64, cols});
}

Source hovered(Desk& desk) { return desk.session().shown().hovered.value_or(Source{.row = -1}); }

TEST(Wheel, ZoomsAndKeepsTheCellUnderThePointer) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights", off_middle);
  const Source before = hovered(desk);
  for (int lines = 0; lines < 5; ++lines) {
    const double rows = window(desk).rows;
    desk.scroll(1);
    EXPECT_LT(window(desk).rows, rows);
    EXPECT_DOUBLE_EQ(window(desk).rows, window(desk).cols);
    EXPECT_EQ(hovered(desk), before);
  }
}

TEST(Wheel, ZoomsDownToCellsOfTheirLargestSizeAndBackToTheWhole) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 30; ++lines) desk.scroll(1);
  const WidgetRegistry::Entry& heatmap = desk.widget("stages/weights");
  EXPECT_NEAR((heatmap.max_screen.y - heatmap.min_screen.y) / static_cast<float>(window(desk).rows), 96, 0.1);
  for (int lines = 0; lines < 30; ++lines) desk.scroll(-1);
  EXPECT_FALSE(desk.view().map.window);
}

TEST(Wheel, ScrollsAZoomedDiagramAndZoomsItWithControl) {
  Desk desk;
  desk.move_to("stages/weights");
  desk.hold_control(true);
  desk.scroll(4);
  desk.hold_control(false);
  EXPECT_GT(desk.view().diagram_zoom, 1);
  const float before = desk.widget("stages/weights").min_screen.y;
  desk.scroll(-1);
  desk.frames(2);
  EXPECT_LT(desk.widget("stages/weights").min_screen.y, before);
  EXPECT_FALSE(desk.view().map.window);
}

TEST(Drag, PansAndPinsNothing) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) desk.scroll(1);
  desk.move_by({5, 5});  // away from the borders of the cell
  const CellWindow before = window(desk);
  const Source cell = hovered(desk);
  desk.wait(1);
  desk.press();
  for (int step = 0; step < 10; ++step) desk.move_by({6, -4});
  desk.release();
  EXPECT_LT(window(desk).col, before.col);
  EXPECT_GT(window(desk).row, before.row);
  EXPECT_EQ(hovered(desk), cell);
  EXPECT_FALSE(desk.view().pinned == std::optional<Source>(cell));
}

TEST(Drag, StaysInsideTheMatrix) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights");
  for (int lines = 0; lines < 3; ++lines) desk.scroll(1);
  desk.wait(1);
  desk.press();
  for (int step = 0; step < 30; ++step) desk.move_by({20, 15});
  desk.release();
  EXPECT_EQ(window(desk).row, 0);
  EXPECT_EQ(window(desk).col, 0);
}

TEST(Click, StillPinsWhereItIsZoomedThoughTheHandShakes) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) desk.scroll(1);
  const CellWindow before = window(desk);
  const Source cell = hovered(desk);
  desk.wait(1);
  desk.press();
  desk.move_by({2, 1});
  desk.release();
  EXPECT_EQ(desk.view().pinned, cell);
  EXPECT_EQ(window(desk), before);
}

TEST(DoubleClick, ShowsTheWholeMatrixAndPinsNothing) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) desk.scroll(1);
  const std::optional<Source> pinned = desk.view().pinned;
  desk.double_click("stages/weights");
  EXPECT_FALSE(desk.view().map.window);
  EXPECT_EQ(desk.view().pinned, pinned);
}

TEST(DoubleClick, OnThePinnedNumberLeavesItPinned) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights");
  for (int lines = 0; lines < 6; ++lines) desk.scroll(1);
  desk.click("stages/weights");
  const std::optional<Source> pinned = desk.view().pinned;
  ASSERT_TRUE(pinned);
  desk.wait(1);
  desk.double_click("stages/weights");
  EXPECT_FALSE(desk.view().map.window);
  EXPECT_EQ(desk.view().pinned, pinned);
}

TEST(Heads, MoveInStep) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::heads));
  desk.move_to("stages/weights/0", off_middle);
  for (int lines = 0; lines < 4; ++lines) desk.scroll(1);
  const Source here = hovered(desk);
  desk.move_to("stages/weights/1", off_middle);
  EXPECT_EQ(hovered(desk), (Source{.stage = Stage::weights, .head = 1, .row = here.row, .col = here.col}));
}

TEST(Heads, MoveAloneOnRequest) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::heads));
  desk.click("menu/view");
  desk.click("menu/view/alone");
  desk.move_to("stages/weights/1");
  desk.scroll(2);
  EXPECT_LT(window(desk, Stage::weights, 1).rows, 64);
  EXPECT_EQ(window(desk, Stage::weights, 0), whole_window(64, 64));
  desk.click("menu/view");
  desk.click("menu/view/alone");
  EXPECT_EQ(window(desk, Stage::weights, 1), whole_window(64, 64));
}

TEST(TokenRows, FollowTheQueriesAndKeysThatShow) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 6; ++lines) desk.scroll(1);
  const CellWindow pairs = window(desk);
  EXPECT_EQ(window(desk, Stage::queries, 0, 4), (CellWindow{pairs.row, 0, pairs.rows, 4}));
  EXPECT_EQ(window(desk, Stage::keys, 0, 4), (CellWindow{pairs.col, 0, pairs.cols, 4}));
}

TEST(TokenRows, TakeThePairsWithThem) {
  MapState map;
  set_window(map, false, {Stage::keys, 0, 64, 10}, {20, 0, 8, 5});
  EXPECT_EQ(window_of(map, false, {Stage::weights, 0, 64, 64}), (CellWindow{28, 20, 8, 8}));
  EXPECT_EQ(window_of(map, false, {Stage::output, 0, 64, 20}), (CellWindow{28, 0, 8, 10}));
}

TEST(ZoomKeys, ZoomPanAndFit) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.press_key(keys::named(ImGuiKey_Escape));  // no pinned cell
  desk.press_key(keys::equal());
  desk.press_key(keys::equal());
  const CellWindow before = window(desk);
  EXPECT_NEAR(before.rows, 64 / 1.25 / 1.25, 1e-9);
  desk.press_key(keys::named(ImGuiKey_RightArrow));
  EXPECT_GT(window(desk).col, before.col);
  desk.press_key(keys::minus());
  EXPECT_GT(window(desk).rows, before.rows);
  desk.press_key(keys::digit(0));
  EXPECT_FALSE(desk.view().map.window);
}

TEST(PinnedCell, TakesTheViewWithIt) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights", off_middle);
  for (int lines = 0; lines < 9; ++lines) desk.scroll(1);
  desk.click("stages/weights", off_middle);
  desk.move_away();
  for (int times = 0; times < 12; ++times) desk.press_key(keys::named(ImGuiKey_DownArrow));
  const Source pinned = desk.view().pinned.value_or(Source{.row = -1});
  EXPECT_GE(static_cast<double>(pinned.row), window(desk).row - 1e-9);
  EXPECT_LE(static_cast<double>(pinned.row + 1), window(desk).row + window(desk).rows + 1e-9);
}

TEST(Minimap, IsThereWhileALargeHeatmapIsZoomedAndMovesTheView) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  EXPECT_FALSE(desk.shows("stages/weights/minimap"));
  desk.move_to("stages/weights");
  for (int lines = 0; lines < 5; ++lines) desk.scroll(1);
  const std::optional<Source> pinned = desk.view().pinned;
  desk.click("stages/weights/minimap", {0.9f, 0.8f});
  const CellWindow moved = window(desk);
  EXPECT_NEAR(moved.row + moved.rows / 2, 0.8 * 64, 1);
  EXPECT_NEAR(std::min(moved.col, 64 - moved.cols), moved.col, 1e-9);
  EXPECT_EQ(desk.view().pinned, pinned);
  desk.click("menu/view");
  desk.click("menu/view/minimap");
  EXPECT_FALSE(desk.shows("stages/weights/minimap"));
}

TEST(Window, IsForgottenWithItsDocument) {
  Desk desk(tokens_of_map(), {1280, 800}, looking_at(Layout::focus));
  desk.move_to("stages/weights");
  desk.scroll(3);
  desk.session().push(NewDocument{});
  desk.settle();
  EXPECT_FALSE(desk.view().map.window);
}

TEST(Pooling, IsChosenInTheMenu) {
  Desk desk;
  desk.click("menu/view");
  desk.click("menu/view/pooling");
  desk.click("menu/view/pooling/mean");
  EXPECT_EQ(desk.view().pooling, Pooling::mean);
}

TEST(Pooling, SaysHowManyCellsShareAPoint) {
  const Desk desk;  // for Dear ImGui's context
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

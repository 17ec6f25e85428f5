#include "view/board.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace attnscope::test {
namespace {

using scene::BoardLayout;

double width_of(std::string_view text, double size, picture::Face) {
  return 0.5 * size * static_cast<double>(text.size());
}

BoardLayout laid_out(const Board& board, double width, double height, bool scrolls = false) {
  return scene::layout_board(board, {.width = width,
                                     .height = height,
                                     .text = 15,
                                     .theme = &colours_of(ThemeId::light),
                                     .paper = {},
                                     .line = {},
                                     .measure = width_of,
                                     .scrolls = scrolls});
}

BoardMatrix matrix(Index side) {
  BoardMatrix one{.title = "weights", .rows = side, .cols = side};
  for (Index i = 0; i < side; ++i) {
    one.row_labels.push_back("token");
    one.column_labels.push_back("token");
  }
  one.values.assign(static_cast<std::size_t>(side * side), 0.25F);
  return one;
}

std::vector<picture::Word> words_of(const BoardLayout& layout) {
  std::vector<picture::Word> words;
  for (const picture::Word* const word : layout.picture.all<picture::Word>()) words.push_back(*word);
  return words;
}

Box box_of(const picture::Word& word) { return picture::box_of(word, width_of); }

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() - 0.01 && b.x < a.right() - 0.01 && a.y < b.bottom() && b.y < a.bottom();
}

void expect_legible(const BoardLayout& layout) {
  const std::vector<picture::Word> words = words_of(layout);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_GE(box_of(words[i]).x, -0.01) << words[i].text;
    EXPECT_LE(box_of(words[i]).right(), layout.width + 0.01) << words[i].text;
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(overlap(box_of(words[i]), box_of(words[k]))) << words[i].text << ", " << words[k].text;
  }
}

TEST(BoardLayout, FitsTheRoomThatThereIs) {
  Board board;
  board.lines = {{matrix(6), BoardSign{"="}, matrix(6)}, {matrix(6)}};
  const BoardLayout small = laid_out(board, 900, 420);
  const BoardLayout large = laid_out(board, 1600, 1000);
  EXPECT_LE(small.width, 900);
  EXPECT_LE(small.height, 420);
  EXPECT_GT(large.cells[0].box.width, small.cells[0].box.width);
  expect_legible(small);
  expect_legible(large);
}

// Room goes to the first line: the others are left out before its cells become small.
TEST(BoardLayout, LeavesOutTheLastLinesWhereRoomIsShort) {
  Board board;
  board.lines = {{matrix(6), matrix(6)}, {matrix(6)}};
  board.details = "Further words.";
  const auto says = [](const BoardLayout& layout, std::string_view text) {
    return std::ranges::count(words_of(layout), text, &picture::Word::text) > 0;
  };
  const BoardLayout large = laid_out(board, 1200, 900);
  EXPECT_EQ(large.cells.size(), 3U);
  EXPECT_TRUE(says(large, "Further words."));
  const BoardLayout small = laid_out(board, 700, 240);
  EXPECT_EQ(small.cells.size(), 2U);
  EXPECT_FALSE(says(small, "Further words."));
  EXPECT_LE(small.height, 240);
  EXPECT_GE(small.cells[0].cell_height(), 19);
  expect_legible(small);
  const BoardLayout scrolled = laid_out(board, 700, 240, true);
  EXPECT_EQ(scrolled.cells.size(), 3U);
  EXPECT_TRUE(says(scrolled, "Further words."));
  EXPECT_GT(scrolled.height, 240);
  EXPECT_EQ(scrolled.cells[0].cell_height(), small.cells[0].cell_height()) << "what has room is as large as before";
  EXPECT_EQ(laid_out(board, 1200, 900, true).height, large.height);
  expect_legible(scrolled);
}

TEST(BoardLayout, NumbersOfBarsSideBySideStandClearOfEachOther) {
  Board board;
  const std::vector<float> equal = {-0.06F, -0.06F};
  board.lines = {{BoardBars{.labels = {"1", "2"}, .parts = {{.values = equal}, {.values = equal}, {.values = equal}}}}};
  expect_legible(laid_out(board, 600, 400));
}

// A bar goes up or down from 0 as far as its number says, within the room of the bars.
TEST(BoardLayout, BarsBelowZeroGoDown) {
  Board board;
  board.lines = {{BoardBars{.title = "scores", .labels = {"a", "b", "c"}, .parts = {{.values = {2, -1, 0.5F}}}}}};
  const BoardLayout layout = laid_out(board, 600, 400);
  std::vector<Box> bars;
  for (const picture::Fill* const fill : layout.picture.all<picture::Fill>()) bars.push_back(fill->box);
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_NEAR(bars[1].y, bars[0].bottom(), 0.01) << "both begin at 0";
  EXPECT_NEAR(bars[2].bottom(), bars[0].bottom(), 0.01);
  EXPECT_NEAR(bars[1].height, bars[0].height / 2, 0.01);
  EXPECT_NEAR(bars[2].height, bars[0].height / 4, 0.01);
}

// The arcs of a query end beside each other at its token, and are as high as they are long.
TEST(BoardLayout, ArcsAreAsWideAsThePage) {
  Board board;
  BoardArcs arcs{.tokens = {"a", "b", "c", "d"}, .query = 3};
  arcs.heads = {{"head 1", 0, {0.25F, 0.25F, 0.25F, 0.25F}}};
  board.lines = {{arcs}};
  const BoardLayout layout = laid_out(board, 1000, 500);
  expect_legible(layout);
  std::vector<const picture::Stroke*> strokes = layout.picture.all<picture::Stroke>();
  ASSERT_EQ(strokes.size(), 4U);
  EXPECT_LT(strokes[0]->points.back().x, 200);
  EXPECT_GT(strokes[0]->points.front().x, 800);
  const auto top = [](const picture::Stroke* stroke) {
    return std::ranges::min(stroke->points, {}, &picture::Point::y).y;
  };
  EXPECT_LT(top(strokes[0]), top(strokes[1]));
  EXPECT_LT(top(strokes[1]), top(strokes[2]));
  EXPECT_GT(strokes[0]->points.front().x, strokes[2]->points.front().x) << "none crosses another";
  board.lines = {{BoardArcs(arcs)}};
  std::get<BoardArcs>(board.lines[0][0]).shows_all = true;
  std::get<BoardArcs>(board.lines[0][0]).heads[0].weights.assign(16, 0.25F);
  EXPECT_EQ(laid_out(board, 1000, 500).picture.all<picture::Stroke>().size(), 16U);
}

// However small its weights are beside those of other queries.
TEST(BoardLayout, EveryQueryHasArcsToItsLargestWeightsAndAHatchBelowTokensHiddenFromIt) {
  Board board;
  board.lines = {{BoardArcs{.tokens = {"a", "b", "c"},
                            .query = 1,
                            .hidden = {2},
                            .shows_all = true,
                            .heads = {{"head 1", 0, {1, 0, 0, 0.06F, 0.05F, 0, 0.9F, 0.08F, 0.02F}}}}}};
  const BoardLayout layout = laid_out(board, 1000, 500);
  EXPECT_EQ(layout.picture.all<picture::Stroke>().size(), 1U + 2U + 1U);
  const std::vector<const picture::Hatch*> hatches = layout.picture.all<picture::Hatch>();
  ASSERT_EQ(hatches.size(), 1U);
  EXPECT_GT(hatches[0]->box.x, 600);
  const auto zeros = std::ranges::count(layout.picture.all<picture::Word>(), "0.00",
                                        [](const picture::Word* word) { return word->text; });
  EXPECT_EQ(zeros, 0);
}

// Weights stand query by query: the only large one leads from the last token to the first.
TEST(BoardLayout, ArcsLeadFromTheQueryToTheToken) {
  Board board;
  board.lines = {{BoardArcs{.tokens = {"a", "b", "c"},
                            .query = 2,
                            .shows_all = true,
                            .heads = {{"head 1", 0, {0, 0, 0, 0, 0, 0, 1, 0, 0}}}}}};
  const BoardLayout layout = laid_out(board, 1000, 500);
  const std::vector<const picture::Stroke*> strokes = layout.picture.all<picture::Stroke>();
  ASSERT_EQ(strokes.size(), 1U);
  EXPECT_GT(strokes[0]->points.front().x, 600);
  EXPECT_LT(strokes[0]->points.back().x, 400);
}

TEST(BoardLayout, HatchesHiddenCellsAndCrossesOutDroppedOnes) {
  Board board;
  BoardMatrix marked = matrix(2);
  marked.marks = {{}, {.is_hidden = true}, {.is_dropped = true}, {}};
  board.lines = {{marked}};
  const BoardLayout layout = laid_out(board, 600, 400);
  const std::vector<const picture::Hatch*> hatches = layout.picture.all<picture::Hatch>();
  ASSERT_EQ(hatches.size(), 1U);
  ASSERT_EQ(layout.cells.size(), 1U);
  EXPECT_GT(hatches[0]->box.middle_x(), layout.cells[0].box.middle_x()) << "the second cell of the first row";
  EXPECT_LT(hatches[0]->box.middle_y(), layout.cells[0].box.middle_y());
}

TEST(BoardLayout, GoesOnInAnotherLineWhereThereIsNoRoomBeside) {
  Board board;
  board.lines = {{matrix(6), matrix(6), matrix(6)}};
  const BoardLayout layout = laid_out(board, 420, 200);
  ASSERT_EQ(layout.cells.size(), 3U);
  EXPECT_GT(layout.cells[1].box.y, layout.cells[0].box.bottom());
  EXPECT_LE(layout.width, 420);
  expect_legible(layout);
}

TEST(BoardLayout, BarsReachAsHighAsTheirNumbers) {
  Board board;
  BoardBars bars{.title = "shares", .labels = {"a", "b"}, .parts = {{.values = {0.25F, 0.75F}}}, .high = 1.0F};
  board.lines = {{bars}};
  const BoardLayout layout = laid_out(board, 400, 400);
  const std::vector<const picture::Fill*> fills = layout.picture.all<picture::Fill>();
  ASSERT_EQ(fills.size(), 2U);
  EXPECT_NEAR(fills[1]->box.height, 3 * fills[0]->box.height, 1e-3);
  expect_legible(layout);
}

TEST(BoardLayout, CurvesOfPowersAreLinesOnLogarithmicAxes) {
  Board board;
  board.lines = {{BoardPlot{.title = "p",
                            .x_title = "n",
                            .is_log_y = true,
                            .curves = {{.name = "1/n", .x = {1, 10, 100}, .y = {1, 0.1, 0.01}}}}}};
  const BoardLayout layout = laid_out(board, 400, 400);
  const picture::Stroke* curve = nullptr;
  for (const picture::Stroke* const stroke : layout.picture.all<picture::Stroke>()) {
    if (stroke->points.size() == 3) curve = stroke;
  }
  ASSERT_TRUE(curve);
  EXPECT_NEAR(curve->points[1].x - curve->points[0].x, curve->points[2].x - curve->points[1].x, 1e-6);
  EXPECT_NEAR(curve->points[1].y - curve->points[0].y, curve->points[2].y - curve->points[1].y, 1e-6);
}

TEST(BoardLayout, LongNamesAreCutBetweenLettersAndNotWithinOne) {
  Board board;
  BoardMatrix one = matrix(2);
  one.row_labels = {"éééééééééééééééééééééé", "a"};
  board.lines = {{one}};
  const BoardLayout layout = laid_out(board, 400, 400);
  for (const picture::Word& word : words_of(layout)) {
    if (!word.text.ends_with("…")) continue;
    EXPECT_EQ((word.text.size() - 3) % 2, 0U) << word.text;
    return;
  }
  FAIL() << "nothing was cut";
}

TEST(BoardLayout, ASignLeadsToWhatStandsInTheNextLine) {
  Board board;
  board.lines = {{matrix(6), BoardSign{"="}, matrix(6)}};
  const BoardLayout layout = laid_out(board, 330, 200);
  ASSERT_EQ(layout.cells.size(), 2U);
  ASSERT_GT(layout.cells[1].box.y, layout.cells[0].box.bottom());
  const std::vector<picture::Word> words = words_of(layout);
  const auto sign = std::ranges::find(words, "=", &picture::Word::text);
  ASSERT_NE(sign, words.end());
  EXPECT_GT(sign->y, layout.cells[0].box.bottom());
  EXPECT_LT(sign->x, layout.cells[1].box.x);
}

TEST(BoardLayout, NumbersGoFromPlaceToPlace) {
  BoardMoving moving{.title = "queries", .numbers = {{0.5F, 0, 0}, {0.25F, 0, 1}}};
  moving.arrangements = {
      {.name = "a row", .places = {{0, 0}, {0, 1}}, .rows = {"token"}},
      {.name = "a column", .places = {{0, 0}, {1, 0}}, .rows_together = 1, .groups = {"one", "two"}}};
  const auto second_at = [&](double step) {
    moving.step = step;
    Board board;
    board.lines = {{moving}};
    const BoardLayout layout = laid_out(board, 400, 300);
    expect_legible(layout);
    const std::vector<picture::Word> words = words_of(layout);
    const auto word = std::ranges::find(words, "0.25", &picture::Word::text);
    return std::pair(word->x, word->y);
  };
  const auto [x0, y0] = second_at(0);
  const auto [x1, y1] = second_at(0.5);
  const auto [x2, y2] = second_at(1);
  EXPECT_NEAR(x1, (x0 + x2) / 2, 1e-6);
  EXPECT_NEAR(y1, (y0 + y2) / 2, 1e-6);
  EXPECT_LT(x2, x0);
  EXPECT_GT(y2, y0);
  EXPECT_LT(second_at(0.1).second - y0, 0.05 * (y2 - y0)) << "slow at first";
}

}  // namespace
}  // namespace attnscope::test

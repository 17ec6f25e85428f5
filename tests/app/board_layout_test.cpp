#include "look/board_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace attnscope::test {
namespace {

BoardMeasure measure() {
  BoardMeasure measure;
  measure.width_of = [](BoardFont, std::string_view text) { return 6.0 * static_cast<double>(text.size()); };
  measure.line = {18, 16, 14, 12};
  return measure;
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

bool overlap(const BoardWord& a, const BoardWord& b) {
  return a.x < b.x + b.width - 0.01 && b.x < a.x + a.width - 0.01 && a.y < b.y + 10 && b.y < a.y + 10;
}

void expect_legible(const BoardPicture& picture) {
  for (std::size_t i = 0; i < picture.words.size(); ++i) {
    EXPECT_GE(picture.words[i].x, -0.01) << picture.words[i].text;
    EXPECT_LE(picture.words[i].x + picture.words[i].width, picture.width + 0.01) << picture.words[i].text;
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(overlap(picture.words[i], picture.words[k]))
          << picture.words[i].text << ", " << picture.words[k].text;
  }
}

TEST(BoardLayout, FitsTheRoomThatThereIs) {
  Board board;
  board.lines = {{matrix(6), BoardSign{"="}, matrix(6)}, {matrix(6)}};
  const BoardPicture small = lay_out(board, measure(), {}, 900, 420);
  const BoardPicture large = lay_out(board, measure(), {}, 1600, 1000);
  EXPECT_LE(small.width, 900);
  EXPECT_LE(small.height, 420);
  EXPECT_GT(large.cells[0].box.width, small.cells[0].box.width);
  expect_legible(small);
  expect_legible(large);
}

TEST(BoardLayout, GoesOnInAnotherLineWhereThereIsNoRoomBeside) {
  Board board;
  board.lines = {{matrix(6), matrix(6), matrix(6)}};
  const BoardPicture picture = lay_out(board, measure(), {}, 420, 200);
  ASSERT_EQ(picture.cells.size(), 3U);
  EXPECT_GT(picture.cells[1].box.y, picture.cells[0].box.bottom());
  EXPECT_LE(picture.width, 420);
  expect_legible(picture);
}

TEST(BoardLayout, BarsReachAsHighAsTheirNumbers) {
  Board board;
  BoardBars bars{.title = "shares", .labels = {"a", "b"}, .parts = {{.values = {0.25F, 0.75F}}}, .high = 1.0F};
  board.lines = {{bars}};
  const BoardPicture picture = lay_out(board, measure(), {}, 400, 400);
  ASSERT_EQ(picture.fills.size(), 2U);
  EXPECT_NEAR(picture.fills[1].box.height, 3 * picture.fills[0].box.height, 1e-3);
  expect_legible(picture);
}

TEST(BoardLayout, CurvesOfPowersAreLinesOnLogarithmicAxes) {
  Board board;
  board.lines = {{BoardPlot{.title = "p",
                            .x_title = "n",
                            .is_log_x = true,
                            .is_log_y = true,
                            .curves = {{.name = "1/n", .x = {1, 10, 100}, .y = {1, 0.1, 0.01}}}}}};
  const BoardPicture picture = lay_out(board, measure(), {}, 400, 400);
  const BoardStroke* curve = nullptr;
  for (const BoardStroke& stroke : picture.strokes) {
    if (stroke.points.size() == 3) curve = &stroke;
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
  const BoardPicture picture = lay_out(board, measure(), {}, 400, 400);
  for (const BoardWord& word : picture.words) {
    if (!word.text.ends_with("…")) continue;
    EXPECT_EQ((word.text.size() - 3) % 2, 0U) << word.text;
    return;
  }
  FAIL() << "nothing was cut";
}

TEST(BoardLayout, ASignLeadsToWhatStandsInTheNextLine) {
  Board board;
  board.lines = {{matrix(6), BoardSign{"="}, matrix(6)}};
  const BoardPicture picture = lay_out(board, measure(), {}, 330, 200);
  ASSERT_EQ(picture.cells.size(), 2U);
  ASSERT_GT(picture.cells[1].box.y, picture.cells[0].box.bottom());
  const auto sign = std::ranges::find(picture.words, "=", &BoardWord::text);
  ASSERT_NE(sign, picture.words.end());
  EXPECT_GT(sign->y, picture.cells[0].box.bottom());
  EXPECT_LT(sign->x, picture.cells[1].box.x);
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
    const BoardPicture picture = lay_out(board, measure(), {}, 400, 300);
    expect_legible(picture);
    const auto word = std::ranges::find(picture.words, "0.25", &BoardWord::text);
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

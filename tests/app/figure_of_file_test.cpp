// Figures of attention of a file: how much of it they read.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "core/external_attention.h"
#include "figure_support.h"
#include "paint_file/figure_painter.h"

namespace attnscope::test {
namespace {

// Attention of a file whose numbers are all `value`; `cells` counts what is read of it.
std::shared_ptr<const Result> file_of(Index heads, Index tokens, float value, std::atomic<Index>& cells) {
  auto attention = std::make_shared<ExternalAttention>();
  attention->heads = heads;
  attention->tokens = tokens;
  attention->read = [&cells, value](std::span<float> to, Index, const CellRect&, CellStep) {
    cells += std::ssize(to);
    std::ranges::fill(to, value);
  };
  return std::make_shared<const Result>(result_of(attention));
}

// A few rows are shared by two pixels, and row sums are read of those that are drawn.
TEST(FigureOfAFile, ReadsEveryNumberOfAFileOnce) {
  constexpr Index tokens = 2000;
  std::atomic<Index> cells = 0;
  const auto result = file_of(3, tokens, 1.0F / tokens, cells);
  const std::vector<std::string> labels(tokens, "a");
  (void)render_png(make_figure(result, labels, figure_of(Stage::weights, std::nullopt)));
  EXPECT_LT(cells, 3 * tokens * tokens * 11 / 10);
  cells = 0;
  (void)render_png(make_figure(result, labels, figure_of(Stage::weights, 1)));
  EXPECT_LT(cells, tokens * tokens * 13 / 10);
}

TEST(FigureOfAFile, HasRowSumsOfTheRowsThatAreDrawn) {
  std::atomic<Index> cells = 0;
  constexpr Index tokens = 2000;
  const auto result = file_of(1, tokens, 1.0F / tokens, cells);
  const Figure figure = make_figure(result, std::vector<std::string>(tokens, "a"), figure_of(Stage::weights, 0));
  EXPECT_GT(std::ranges::count(texts_of(figure), "1.00"), 10);
  for (const std::string& text : texts_of(figure)) EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(FigureOfAFile, SaysWhereItIsOfSomeRowsOnly) {
  std::atomic<Index> cells = 0;
  const auto result = file_of(128, 16384, 0, cells);
  const Figure all = make_figure(result, {}, figure_of(Stage::weights, std::nullopt));
  EXPECT_NE(word_in(all, "from 512 of 16384 rows"), nullptr);
  EXPECT_EQ(cells, 64 * 16384) << "colours need a few rows of some heads, and row sums none";
  cells = 0;
  const picture::Heatmap& heatmap = *all.picture.all<picture::Heatmap>().front();
  read_heatmap(heatmap, {64, 64}, 128);
  EXPECT_EQ(cells, 512 * 16384);
  cells = 0;
  read_heatmap(heatmap, {4000, 4000}, 128);
  EXPECT_EQ(cells, 512 * 16384) << "however many pixels it has";
  EXPECT_NE(word_in(make_figure(result, {}, figure_of(Stage::weights, 0)), "Head 1 of 128"), nullptr);
}

}  // namespace
}  // namespace attnscope::test

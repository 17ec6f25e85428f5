// Figures of attention of a file: how much of it they read.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "core/results.h"
#include "figure_support.h"
#include "paint/file/figure_page.h"

namespace attnscope::test {
namespace {

// Attention of a file whose numbers are all `value`; `cells` counts what is read of it.
std::shared_ptr<const Result> file_of(Index heads, Index tokens, float value, std::atomic<Index>& cells) {
  auto attention = std::make_shared<ImportedAttention>();
  attention->heads = heads;
  attention->queries = attention->keys = tokens;
  attention->read = [&cells, value](std::span<float> to, Index, const CellRect&) {
    cells += std::ssize(to);
    std::ranges::fill(to, value);
  };
  return std::make_shared<const Result>(result_of(attention));
}

TEST(FigureOfAFile, ReadsEveryNumberOfAFileOnce) {
  constexpr Index tokens = 2000;
  std::atomic<Index> cells = 0;
  const auto result = file_of(3, tokens, 1.0F / tokens, cells);
  const std::vector<std::string> labels(tokens, "a");
  (void)render_png(make_figure(result, labels, figure_of(Stage::weights, std::nullopt)));
  EXPECT_LT(cells, 3 * tokens * tokens + tokens * 100) << "a few rows more, by which colours are chosen";
  cells = 0;
  (void)render_png(make_figure(result, labels, figure_of(Stage::weights, 1)));
  EXPECT_LT(cells, tokens * 100) << "it was read before";
}

TEST(FigureOfAFile, HasRowSumsOfTheRowsThatAreDrawn) {
  std::atomic<Index> cells = 0;
  constexpr Index tokens = 2000;
  const auto result = file_of(1, tokens, 1.0F / tokens, cells);
  const Figure figure = make_figure(result, std::vector<std::string>(tokens, "a"), figure_of(Stage::weights, 0));
  EXPECT_GT(std::ranges::count(texts_of(figure), "1.00"), 10);
  for (const std::string& text : texts_of(figure)) EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

}  // namespace
}  // namespace attnscope::test

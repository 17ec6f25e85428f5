// Pictures of attention that is read are those of a tensor with the same numbers.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <new>

#include "compute/computation.h"
#include "compute/picture_cache.h"
#include "compute/pixels.h"
#include "core/results.h"
#include "core/tensor.h"
#include "tests/support/held_matrix.h"
#include "tests/support/patience.h"

namespace attnscope {
namespace {

using test::source_holding;

std::shared_ptr<const Tensor> random_weights(Index tokens) {
  auto tensor = std::make_shared<Tensor>(std::vector<Index>{1, 2, tokens, tokens});
  Generator generator(5);
  fill_uniform(tensor->values, generator, 0, 1);
  tensor->matrix(1)(3, 2) = std::numeric_limits<float>::quiet_NaN();
  tensor->matrix(1)(4, 1) = -std::numeric_limits<float>::infinity();
  return tensor;
}

std::shared_ptr<const Result> external_result(const std::shared_ptr<const Tensor>& tensor) {
  auto attention = std::make_shared<ImportedAttention>();
  attention->heads = tensor->shape[1];
  attention->queries = attention->keys = tensor->cols();
  attention->read = [tensor](std::span<float> cells, Index matrix, const CellRect& rect) {
    std::size_t at = 0;
    for (Index row = 0; row < rect.rows; ++row) {
      for (Index col = 0; col < rect.cols; ++col) cells[at++] = tensor->matrix(matrix)(rect.row + row, rect.col + col);
    }
  };
  return std::make_shared<const Result>(result_of(attention));
}

// A picture, or a summary, for which there is no memory stays as it was, once and for all.
TEST(ExternalPixels, ThatFailsSaysSoAndHoldsUpNobody) {
  auto attention = std::make_shared<ImportedAttention>();
  attention->queries = attention->keys = 3000;
  attention->read = [](std::span<float>, Index, const CellRect&) { throw std::bad_alloc(); };
  ShownMatrix source;
  source.result = std::make_shared<const Result>(result_of(attention));
  const PixelGrid grid = whole_grid(source, 100, 100);
  PictureCache cache;
  cache.begin_frame();
  EXPECT_EQ(cache.find(source, grid), nullptr);
  while (cache.wait()) {
  }
  ASSERT_TRUE(cache.take_failure());
  EXPECT_FALSE(cache.take_failure()) << "once is enough";
  cache.begin_frame();
  EXPECT_EQ(cache.find(source, grid), nullptr);
  EXPECT_TRUE(cache.is_done());
  EXPECT_FALSE(cache.take_failure());
  cache.summarize(source.result, Stage::weights, 0, true);
  while (cache.wait()) {
  }
  EXPECT_TRUE(cache.take_failure());
  cache.summarize(source.result, Stage::weights, 0, true);
  EXPECT_TRUE(cache.is_done());
}

bool same(float left, float right) { return left == right || (std::isnan(left) && std::isnan(right)); }

TEST(ExternalPixels, IsThatOfATensorWithTheSameNumbers) {
  const auto tensor = random_weights(300);
  ShownMatrix kept = test::source_holding(tensor);
  kept.matrix = 1;
  ShownMatrix read;
  read.result = external_result(tensor);
  read.matrix = 1;
  const CellRect part = {75, 100, 150, 150};
  for (const PixelGrid& grid :
       {whole_grid(kept, 300, 300), whole_grid(kept, 70, 90), PixelGrid{part, 150, 150}, PixelGrid{part, 31, 150}}) {
    const Pixels expected = pixels_of(kept, grid, {});
    const Pixels actual = pixels_of(read, grid, {});
    ASSERT_EQ(actual.values.size(), expected.values.size());
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      ASSERT_TRUE(same(actual.values[i], expected.values[i]))
          << i << ": " << actual.values[i] << " instead of " << expected.values[i];
    }
    EXPECT_TRUE(actual.drops.empty());
  }
}

// `cells` counts what is read.
std::shared_ptr<const Result> counted_result(const std::shared_ptr<const Tensor>& tensor, std::atomic<Index>& cells) {
  const std::shared_ptr<const Result> plain = external_result(tensor);
  auto attention = std::make_shared<ImportedAttention>(*plain->imported);
  attention->read = [&cells, read = attention->read](std::span<float> to, Index matrix, const CellRect& rect) {
    cells += std::ssize(to);
    read(to, matrix, rect);
  };
  return std::make_shared<const Result>(result_of(attention));
}

// The picture of a matrix, its row sums and the extremes of its colours come from one reading.
TEST(ExternalPixels, AMatrixIsReadOnceForItsPictureAndItsSummary) {
  const auto tensor = random_weights(1200);
  std::atomic<Index> cells = 0;
  ShownMatrix read;
  read.result = counted_result(tensor, cells);
  const Summaries summaries(read.result, Stage::weights, sample_imported(*read.result->imported));
  cells = 0;
  PictureCache cache;
  test::wait_until([&] {
    cache.begin_frame();
    cache.find(read, whole_grid(read, 100, 100));
    cache.summarize(read.result, Stage::weights, 0, false);
    return !cache.wait();
  });
  EXPECT_EQ(cells, 1200 * 1200);
  const SummaryPtr summary = summaries.of(Stage::weights);
  float largest = 0;
  for (const float value : eigen(*tensor, 0).reshaped()) largest = std::max(largest, value);
  EXPECT_EQ(summary->matrices[0].high, largest);
  for (Index row = 0; row < 1200; ++row) ASSERT_FALSE(std::isnan(summary->row_sums[static_cast<std::size_t>(row)]));
}

TEST(ExternalPixels, AnotherLayerIsAnotherPicture) {
  const auto tensor = random_weights(8);
  ShownMatrix one;
  one.result = external_result(tensor);
  ShownMatrix other;
  other.result = external_result(tensor);
  EXPECT_NE(key_of(one, whole_grid(one, 8, 8)), key_of(other, whole_grid(other, 8, 8)));
}

TEST(ExternalPixels, LargestCellsAreFound) {
  const auto tensor = random_weights(300);
  const std::vector<LargeCell> cells = largest_cells(*external_result(tensor), Stage::weights, 1, 3);
  ASSERT_EQ(cells.size(), 3U);
  float largest = 0;
  for (const float value : eigen(*tensor, 1).reshaped())
    largest = std::isfinite(value) ? std::max(largest, value) : largest;
  EXPECT_EQ(cells[0].value, largest);
  EXPECT_EQ(tensor->matrix(1)(cells[0].row, cells[0].col), largest);
}

TEST(ExternalPixels, ASmallerBudgetLetsGoOfWhatIsNotShown) {
  const auto tensor = random_weights(300);
  PictureCache cache;
  ShownMatrix read;
  read.result = external_result(tensor);
  for (Index frame = 0; frame < 6; ++frame) {
    cache.begin_frame();
    read.matrix = frame < 3 ? 0 : 1;
    cache.find(read, whole_grid(read, 300, 300));
    cache.wait();
  }
  EXPECT_EQ(cache.bytes(), 2U * 300 * 300 * 4);
  cache.keep_at_most(1);
  EXPECT_EQ(cache.bytes(), 1U * 300 * 300 * 4);  // what is shown stays
}

}  // namespace
}  // namespace attnscope

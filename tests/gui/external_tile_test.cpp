// Pictures of attention that is read are those of a tensor with the same numbers.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <new>

#include "compute/largest_cells.h"
#include "compute/matrix_source.h"
#include "compute/tile_store.h"
#include "core/external_attention.h"
#include "core/matrix.h"
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
  auto attention = std::make_shared<ExternalAttention>();
  attention->heads = tensor->shape[1];
  attention->tokens = tensor->cols();
  attention->read = [tensor](std::span<float> cells, Index matrix, const CellRect& rect, CellStep step) {
    std::size_t at = 0;
    for (Index row = 0; row < rect.rows; ++row) {
      for (Index col = 0; col < rect.cols; ++col)
        cells[at++] = tensor->matrix(matrix)(rect.row + row * step.rows, rect.col + col * step.cols);
    }
  };
  return std::make_shared<const Result>(result_of(attention));
}

// A picture, or a summary, for which there is no memory stays as it was, once and for all.
TEST(ExternalTile, ThatFailsSaysSoAndHoldsUpNobody) {
  auto attention = std::make_shared<ExternalAttention>();
  attention->tokens = 3000;
  attention->read = [](std::span<float>, Index, const CellRect&, CellStep) { throw std::bad_alloc(); };
  MatrixSource source;
  source.result = std::make_shared<const Result>(result_of(attention));
  const TexelGrid grid = {100, 100, Pooling::mean};
  const auto estimate = std::make_shared<StageSummary>();
  estimate->matrices.resize(1);
  estimate->is_exact = false;
  TileStore store;
  store.begin_frame();
  EXPECT_EQ(store.find(source, grid, {0, 0, 100, 100}), nullptr);
  while (store.wait()) {
  }
  ASSERT_TRUE(store.take_failure());
  EXPECT_FALSE(store.take_failure()) << "once is enough";
  store.begin_frame();
  EXPECT_EQ(store.find(source, grid, {0, 0, 100, 100}), nullptr);
  EXPECT_TRUE(store.is_done());
  EXPECT_FALSE(store.take_failure());
  EXPECT_EQ(store.summary(source.result, Stage::weights, estimate, 0, {1, 1}), estimate);
  while (store.wait()) {
  }
  EXPECT_TRUE(store.take_failure());
  EXPECT_EQ(store.summary(source.result, Stage::weights, estimate, 0, {1, 1}), estimate);
  EXPECT_TRUE(store.is_done());
}

bool same(float left, float right) { return left == right || (std::isnan(left) && std::isnan(right)); }

TEST(ExternalTile, IsThatOfATensorWithTheSameNumbers) {
  const auto tensor = random_weights(300);
  MatrixSource kept = test::source_holding(tensor);
  kept.matrix = 1;
  MatrixSource read;
  read.result = external_result(tensor);
  read.matrix = 1;
  for (const TexelGrid& grid : {TexelGrid{300, 300, Pooling::largest_magnitude}, TexelGrid{70, 90, Pooling::mean},
                                TexelGrid{101, 300, Pooling::largest_magnitude}}) {
    const Tile tile = {grid.rows / 4, grid.cols / 3, grid.rows / 2, grid.cols / 2};
    const TilePixels expected = compute_tile(kept, grid, tile, {});
    const TilePixels actual = compute_tile(read, grid, tile, {});
    ASSERT_EQ(actual.values.size(), expected.values.size());
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      ASSERT_TRUE(same(actual.values[i], expected.values[i]))
          << i << ": " << actual.values[i] << " instead of " << expected.values[i];
    }
    EXPECT_TRUE(actual.drops.empty());
  }
}

TEST(ExternalTile, ASampleIsOfSomeOfTheSameNumbers) {
  const auto tensor = random_weights(300);
  MatrixSource read;
  read.result = external_result(tensor);
  const TilePixels pixels = sample_tile(read, {30, 30}, {0, 0, 30, 30});
  EXPECT_TRUE(pixels.is_coarse);
  EXPECT_EQ(pixels.values.front(), tensor->matrix(0)(0, 0));
  EXPECT_EQ(pixels.values.back(), tensor->matrix(0)(290, 290));
}

// `cells` counts what is read.
std::shared_ptr<const Result> counted_result(const std::shared_ptr<const Tensor>& tensor, std::atomic<Index>& cells) {
  const std::shared_ptr<const Result> plain = external_result(tensor);
  auto attention = std::make_shared<ExternalAttention>(*plain->external);
  attention->read = [&cells, read = attention->read](std::span<float> to, Index matrix, const CellRect& rect,
                                                     CellStep step) {
    cells += std::ssize(to);
    read(to, matrix, rect, step);
  };
  return std::make_shared<const Result>(result_of(attention));
}

TEST(ExternalTile, OfSomeRowsReadsNoOthersAndIsTheLargestOfThem) {
  const auto tensor = random_weights(300);
  std::atomic<Index> cells = 0;
  MatrixSource read;
  read.result = counted_result(tensor, cells);
  TexelGrid grid = {30, 30};
  grid.rows_read = 2;
  const TilePixels pixels = compute_tile(read, grid, {0, 0, 30, 30}, {Backend::serial, 1, {}});
  EXPECT_EQ(cells, 60 * 300);
  EXPECT_FALSE(pixels.is_coarse);
  float largest = 0;
  for (const Index row : {290, 295}) {
    for (Index col = 290; col < 300; ++col) largest = std::max(largest, tensor->matrix(0)(row, col));
  }
  EXPECT_EQ(pixels.values.back(), largest);
  TexelGrid whole = grid;
  whole.rows_read = 0;
  EXPECT_NE(key_of(read, grid, {0, 0, 30, 30}), key_of(read, whole, {0, 0, 30, 30}));
}

TEST(ExternalTile, OnlyManyLargeMatricesAreReadInPart) {
  ExternalAttention attention;
  attention.tokens = 16384;
  MatrixSource read;
  read.result = std::make_shared<const Result>(result_of(std::make_shared<const ExternalAttention>(attention)));
  EXPECT_EQ(within_bounds({128, 128}, read, 1).rows_read, 0);
  EXPECT_EQ(within_bounds({128, 128}, read, 128).rows_read, 4);
  EXPECT_EQ(within_bounds({16384, 16384}, read, 128).rows_read, 0) << "a cell is no smaller than a pixel";
}

// The picture of a matrix, its row sums and the extremes of its colours come from one reading.
TEST(ExternalTile, AMatrixIsReadOnceForItsPictureAndItsSummary) {
  const auto tensor = random_weights(1200);
  std::atomic<Index> cells = 0;
  MatrixSource read;
  read.result = counted_result(tensor, cells);
  const SummaryPtr estimate = sample_external(*read.result->external);
  cells = 0;
  TileStore store;
  SummaryPtr summary;
  test::wait_until([&] {
    store.begin_frame();
    store.find(read, {100, 100}, {0, 0, 100, 100});
    summary = store.summary(read.result, Stage::weights, estimate, 0, {});
    return !store.wait();
  });
  EXPECT_LE(cells, 1200 * 1200 * 12 / 10);  // a few rows are shared by two points
  EXPECT_EQ(summary->matrices[0].high,
            summarize_matrix(*read.result, std::array{Stage::weights}, 0, {}).front().extremes.high);
  for (Index row = 0; row < 1200; ++row) ASSERT_FALSE(std::isnan(summary->row_sums[static_cast<std::size_t>(row)]));
}

// However soon the picture is there.
TEST(ExternalTile, ASummaryThatIsAskedForAfterItsPictureReadsNothing) {
  const auto tensor = random_weights(1200);
  std::atomic<Index> cells = 0;
  MatrixSource read;
  read.result = counted_result(tensor, cells);
  const SummaryPtr estimate = sample_external(*read.result->external);
  TileStore store;
  store.begin_frame();
  store.find(read, {100, 100}, {0, 0, 100, 100});
  store.wait();
  cells = 0;
  const SummaryPtr summary = store.summary(read.result, Stage::weights, estimate, 0, {});
  EXPECT_TRUE(store.is_done());
  EXPECT_EQ(summary->matrices[0].high,
            summarize_matrix(*read.result, std::array{Stage::weights}, 0, {}).front().extremes.high);
  EXPECT_EQ(cells, 1200 * 1200) << "of what it is compared with";
}

TEST(ExternalTile, AnotherLayerIsAnotherPicture) {
  const auto tensor = random_weights(8);
  MatrixSource one;
  one.result = external_result(tensor);
  MatrixSource other;
  other.result = external_result(tensor);
  EXPECT_NE(key_of(one, {8, 8}, {0, 0, 8, 8}), key_of(other, {8, 8}, {0, 0, 8, 8}));
}

TEST(ExternalTile, LargestCellsAreFound) {
  const auto tensor = random_weights(300);
  const std::vector<LargeCell> cells = largest_cells(*external_result(tensor), Stage::weights, 1, 3, {});
  ASSERT_EQ(cells.size(), 3U);
  float largest = 0;
  for (const float value : eigen(*tensor, 1).reshaped())
    largest = std::isfinite(value) ? std::max(largest, value) : largest;
  EXPECT_EQ(cells[0].value, largest);
  EXPECT_EQ(tensor->matrix(1)(cells[0].row, cells[0].col), largest);
}

TEST(ExternalTile, ASmallerBudgetLetsGoOfWhatIsNotShown) {
  const auto tensor = random_weights(300);
  TileStore store;
  MatrixSource read;
  read.result = external_result(tensor);
  for (Index frame = 0; frame < 6; ++frame) {
    store.begin_frame();
    read.matrix = frame < 3 ? 0 : 1;
    store.find(read, {300, 300}, {0, 0, 300, 300});
    store.wait();
  }
  EXPECT_EQ(store.bytes(), 2U * 300 * 300 * 4);
  store.keep_at_most(1);
  EXPECT_EQ(store.bytes(), 1U * 300 * 300 * 4);  // what is shown stays
}

}  // namespace
}  // namespace attnscope

#include "compute/tile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace attnscope {
namespace {

CellBlock whole_block(const MatrixView<const float>& matrix) {
  return {matrix.data(), {0, 0, matrix.rows(), matrix.cols()}, matrix.cols(), matrix.rows(), matrix.cols()};
}

constexpr float infinity = std::numeric_limits<float>::infinity();
const Visibility earlier_keys{.last = 1};
const Visibility window{.first = -6, .last = 9};

// Every third key of 70 is hidden from the first half of 50 queries, every key from some of the others.
Visibility with_gaps() {
  std::vector<std::vector<KeyRange>> queries(50);
  for (Index query = 0; query < 50; ++query) {
    for (Index key = query % 3; query < 25 && key < 70; key += 3)
      queries[static_cast<std::size_t>(query)].push_back({key, key + 1});
    if (query > 40) queries[static_cast<std::size_t>(query)].push_back({0, 70});
  }
  return {.keys = 70, .hidden = HiddenKeys(std::move(queries))};
}
const float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> pooled_to_one(AlignedFloats cells) {
  const auto cols = static_cast<Index>(cells.size());
  const Tensor tensor({1, cols}, std::move(cells));
  return tile_values(whole_block(tensor.matrix()), {}, {1, 1, Pooling::largest_magnitude}, {0, 0, 1, 1});
}

TEST(Tile, CopiesCellsWhereEachHasATexel) {
  const Tensor tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), {}, {2, 3}, {0, 0, 2, 3}),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), {}, {2, 3}, {1, 1, 1, 2}), (std::vector<float>{5, 6}));
}

TEST(Tile, WeightsTakeTheKeysOfTheirQueriesBeforeTheyArePooled) {
  const Measure relative{MeasureKind::relative, {.keys = 4, .last = 1}};
  const Tensor tensor({4, 4}, {1, 0, 0, 0,             //
                               0.5F, 0.5F, 0, 0,       //
                               0.25F, 0.5F, 0.25F, 0,  //
                               0.25F, 0.25F, 0.25F, 0.25F});
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), earlier_keys, {4, 4}, {2, 0, 2, 4}, relative),
            (std::vector<float>{0.75F, 1.5F, 0.75F, -infinity, 1, 1, 1, 1}));
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), earlier_keys, {2, 2}, {0, 0, 2, 2}, relative),
            (std::vector<float>{1, -infinity, 1.5F, 1}));
  const TexelGrid means = {1, 1, Pooling::mean};
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), earlier_keys, means, {0, 0, 1, 1}, relative),
            std::vector<float>{1});
}

TEST(Tile, LogarithmsAreOfThePooledWeight) {
  const Measure logarithm{MeasureKind::logarithm, {}};
  const Tensor tensor({1, 4}, {0.001F, 0.1F, 0.01F, 0.01F});
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), {}, {1, 2}, {0, 0, 1, 2}, logarithm),
            (std::vector<float>{-1, -2}));
}

TEST(Tile, HiddenCellsAreMinusInfinity) {
  const Tensor tensor({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const std::vector<float> whole = {1, -infinity, -infinity, 4, 5, -infinity, 7, 8, 9};
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), earlier_keys, {3, 3}, {0, 0, 3, 3}), whole);
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), earlier_keys, {3, 3}, {0, 2, 2, 1}),
            (std::vector<float>{-infinity, -infinity}));
  EXPECT_EQ(tile_values(whole_block(tensor.matrix()), {.first = 0, .last = 2}, {3, 3}, {0, 0, 3, 3}),
            (std::vector<float>{1, 2, -infinity, -infinity, 5, 6, -infinity, -infinity, 9}));
}

TEST(Tile, PoolsByTheLargestMagnitudeAndKeepsItsSign) {
  EXPECT_EQ(pooled_to_one({1, -3, 2}), std::vector<float>{-3});
  EXPECT_EQ(pooled_to_one({-2, 2}), std::vector<float>{2});
  EXPECT_EQ(pooled_to_one({0, -0.0F, 1e-45F}), std::vector<float>{1e-45F});
  EXPECT_EQ(pooled_to_one({5, infinity}), std::vector<float>{infinity});
  EXPECT_TRUE(std::isnan(pooled_to_one({infinity, nan, 2}).front()));
  EXPECT_TRUE(std::isnan(pooled_to_one({-nan, infinity}).front()));
}

TEST(Tile, PooledTexelIsMaskedOnlyWhereAllItsCellsAre) {
  EXPECT_EQ(pooled_to_one({-infinity, -infinity}), std::vector<float>{-infinity});
  EXPECT_EQ(pooled_to_one({-infinity, 0}), std::vector<float>{0});
  EXPECT_EQ(std::signbit(pooled_to_one({-0.0F, -0.0F}).front()), false);
  const Tensor ones({4, 4}, AlignedFloats(16, 1.0F));
  EXPECT_EQ(tile_values(whole_block(ones.matrix()), earlier_keys, {2, 2}, {0, 0, 2, 2}),
            (std::vector<float>{1, -infinity, 1, 1}));
  EXPECT_EQ(tile_values(whole_block(ones.matrix()), {.first = 0}, {2, 2}, {0, 0, 2, 2}),
            (std::vector<float>{1, 1, -infinity, 1}));
}

TEST(Tile, TilesOfAPooledMatrixAreCutsOfTheWhole) {
  AlignedFloats cells(50 * 70);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>((i * 7919) % 1009) - 500;
  const Tensor tensor({50, 70}, cells);
  const TexelGrid grid = {17, 23};
  const std::vector<float> whole = tile_values(whole_block(tensor.matrix()), earlier_keys, grid, {0, 0, 17, 23});
  const std::vector<float> cut = tile_values(whole_block(tensor.matrix()), earlier_keys, grid, {5, 9, 10, 8});
  for (std::size_t row = 0; row < 10; ++row) {
    for (std::size_t col = 0; col < 8; ++col) EXPECT_EQ(cut[row * 8 + col], whole[(row + 5) * 23 + col + 9]);
  }
}

// Cells under texel number `texel` of `texels`, by asking each whether they touch.
bool touches(Index texel, Index texels, Index cell, Index cells) {
  return texel * cells < (cell + 1) * texels && cell * texels < (texel + 1) * cells;
}

float naive_mean(const Tensor& tensor, const Visibility& seen, const TexelGrid& grid, Index texel_row,
                 Index texel_col) {
  double sum = 0;
  int count = 0;
  for (Index row = 0; row < tensor.rows(); ++row) {
    for (Index col = 0; col < tensor.cols(); ++col) {
      const bool is_under =
          touches(texel_row, grid.rows, row, tensor.rows()) && touches(texel_col, grid.cols, col, tensor.cols());
      const float value = tensor.matrix()(row, col);
      if (!is_under || seen.hides(row, col) || value == -infinity) continue;
      sum += static_cast<double>(value);
      ++count;
    }
  }
  return count == 0 ? -infinity : static_cast<float>(sum / count);
}

TEST(Tile, MeansAreThoseOfNaiveLoops) {
  AlignedFloats cells(50 * 70);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = i % 11 == 0 ? -infinity : static_cast<float>((i * 7919) % 1009) - 500;
  }
  const Tensor tensor({50, 70}, cells);
  for (const Visibility& seen : {Visibility{}, earlier_keys, window, with_gaps()}) {
    for (const TexelGrid& grid : {TexelGrid{17, 23, Pooling::mean}, TexelGrid{50, 7, Pooling::mean},
                                  TexelGrid{25, 35, Pooling::mean}, TexelGrid{1, 1, Pooling::mean}}) {
      const Tile tile = {grid.rows / 3, grid.cols / 4, grid.rows - grid.rows / 3, grid.cols - grid.cols / 4};
      const std::vector<float> means = tile_values(whole_block(tensor.matrix()), seen, grid, tile);
      for (Index row = 0; row < tile.rows; ++row) {
        for (Index col = 0; col < tile.cols; ++col) {
          EXPECT_FLOAT_EQ(means[static_cast<std::size_t>(row * tile.cols + col)],
                          naive_mean(tensor, seen, grid, tile.row + row, tile.col + col));
        }
      }
    }
  }
}

TEST(Tile, MeanKeepsWhatIsNotFiniteAndLeavesOutTheMasked) {
  const auto mean = [](AlignedFloats cells) {
    const auto cols = static_cast<Index>(cells.size());
    const Tensor tensor({1, cols}, std::move(cells));
    return tile_values(whole_block(tensor.matrix()), {}, {1, 1, Pooling::mean}, {0, 0, 1, 1}).front();
  };
  EXPECT_EQ(mean({1, -infinity, 3}), 2);
  EXPECT_EQ(mean({-infinity, -infinity}), -infinity);
  EXPECT_EQ(mean({1, infinity}), infinity);
  EXPECT_TRUE(std::isnan(mean({1, nan, infinity})));
}

TEST(Tile, DropsAreWhereEveryUnmaskedCellIsDropped) {
  const Tensor factors({2, 2}, {0, 2, 0, 2});
  EXPECT_EQ(tile_drops(whole_block(factors.matrix()), {}, {2, 2}, {0, 0, 2, 2}), (std::vector<float>{1, 0, 1, 0}));
  EXPECT_EQ(tile_drops(whole_block(factors.matrix()), earlier_keys, {2, 2}, {0, 0, 2, 2}),
            (std::vector<float>{1, 0, 1, 0}));
  EXPECT_EQ(tile_drops(whole_block(factors.matrix()), {}, {2, 1}, {0, 0, 2, 1}), (std::vector<float>{0, 0}));
  EXPECT_EQ(tile_drops(whole_block(factors.matrix()), earlier_keys, {2, 1}, {0, 0, 2, 1}), (std::vector<float>{1, 0}));
}

}  // namespace
}  // namespace attnscope

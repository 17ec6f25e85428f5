#include "compute/pixels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tests/support/held_matrix.h"
#include "tests/support/special_numbers.h"

namespace attnscope {
namespace {

ShownMatrix shown(const Tensor& tensor, const Visibility& seen, const Measure& measure = {}) {
  ShownMatrix source = test::source_holding(std::make_shared<const Tensor>(tensor));
  source.seen = seen;
  source.measure = measure;
  return source;
}

// The whole matrix in so many pixels.
std::vector<float> pooled(const Tensor& tensor, const Visibility& seen, Index rows, Index cols,
                          const Measure& measure = {}) {
  const ShownMatrix source = shown(tensor, seen, measure);
  return pixels_of(source, whole_grid(source, rows, cols), {}).values;
}

// Cells one by one.
std::vector<float> part(const Tensor& tensor, const Visibility& seen, const CellRect& cells,
                        const Measure& measure = {}) {
  return pixels_of(shown(tensor, seen, measure), {cells, cells.rows, cells.cols}, {}).values;
}

std::vector<float> drops(const Tensor& factors, const Visibility& seen, Index rows, Index cols) {
  ShownMatrix source =
      test::source_holding(std::make_shared<const Tensor>(Tensor({2, 2})), std::make_shared<const Tensor>(factors));
  source.seen = seen;
  return pixels_of(source, whole_grid(source, rows, cols), {}).drops;
}

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

std::vector<float> pooled_to_one(AlignedFloats cells) {
  const auto cols = static_cast<Index>(cells.size());
  const Tensor tensor({1, cols}, std::move(cells));
  return pooled(tensor, {}, 1, 1);
}

TEST(Pixels, CopiesCellsWhereEachHasAPixel) {
  const Tensor tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(pooled(tensor, {}, 2, 3), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(part(tensor, {}, {1, 1, 1, 2}), (std::vector<float>{5, 6}));
}

TEST(Pixels, WeightsTakeTheKeysOfTheirQueriesBeforeTheyArePooled) {
  const Measure relative{MeasureKind::relative, {.keys = 4, .last = 1}};
  const Tensor tensor({4, 4}, {1, 0, 0, 0,             //
                               0.5F, 0.5F, 0, 0,       //
                               0.25F, 0.5F, 0.25F, 0,  //
                               0.25F, 0.25F, 0.25F, 0.25F});
  EXPECT_EQ(part(tensor, earlier_keys, {2, 0, 2, 4}, relative),
            (std::vector<float>{0.75F, 1.5F, 0.75F, -infinity, 1, 1, 1, 1}));
  EXPECT_EQ(pooled(tensor, earlier_keys, 2, 2, relative), (std::vector<float>{1, -infinity, 1.5F, 1}));
  EXPECT_EQ(pooled(tensor, earlier_keys, 1, 1, relative), std::vector<float>{1.5F});
}

TEST(Pixels, LogarithmsAreOfThePooledWeight) {
  const Measure logarithm{MeasureKind::logarithm, {}};
  const Tensor tensor({1, 4}, {0.001F, 0.1F, 0.01F, 0.01F});
  EXPECT_EQ(pooled(tensor, {}, 1, 2, logarithm), (std::vector<float>{-1, -2}));
}

TEST(Pixels, HiddenCellsAreMinusInfinity) {
  const Tensor tensor({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const std::vector<float> whole = {1, -infinity, -infinity, 4, 5, -infinity, 7, 8, 9};
  EXPECT_EQ(pooled(tensor, earlier_keys, 3, 3), whole);
  EXPECT_EQ(part(tensor, earlier_keys, {0, 2, 2, 1}), (std::vector<float>{-infinity, -infinity}));
  EXPECT_EQ(pooled(tensor, {.first = 0, .last = 2}, 3, 3),
            (std::vector<float>{1, 2, -infinity, -infinity, 5, 6, -infinity, -infinity, 9}));
}

TEST(Pixels, PoolsByTheLargestMagnitudeAndKeepsItsSign) {
  EXPECT_EQ(pooled_to_one({1, -3, 2}), std::vector<float>{-3});
  EXPECT_EQ(pooled_to_one({-2, 2}), std::vector<float>{2});
  EXPECT_EQ(pooled_to_one({0, -0.0F, 1e-45F}), std::vector<float>{1e-45F});
  EXPECT_EQ(pooled_to_one({5, infinity}), std::vector<float>{infinity});
  EXPECT_TRUE(std::isnan(pooled_to_one({infinity, not_a_number, 2}).front()));
  EXPECT_TRUE(std::isnan(pooled_to_one({-not_a_number, infinity}).front()));
}

TEST(Pixels, PooledPixelIsMaskedOnlyWhereAllItsCellsAre) {
  EXPECT_EQ(pooled_to_one({-infinity, -infinity}), std::vector<float>{-infinity});
  EXPECT_EQ(pooled_to_one({-infinity, 0}), std::vector<float>{0});
  EXPECT_EQ(std::signbit(pooled_to_one({-0.0F, -0.0F}).front()), false);
  const Tensor ones({4, 4}, AlignedFloats(16, 1.0F));
  EXPECT_EQ(pooled(ones, earlier_keys, 2, 2), (std::vector<float>{1, -infinity, 1, 1}));
  EXPECT_EQ(pooled(ones, {.first = 0}, 2, 2), (std::vector<float>{1, 1, -infinity, 1}));
}

// By several threads, strip by strip, or a part of the matrix as if there were no other cells.
TEST(Pixels, OfAPartAreThoseOfAMatrixOfThatPart) {
  AlignedFloats cells(500 * 700);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>((i * 7919) % 1009) - 500;
  const Tensor tensor({500, 700}, cells);
  const CellRect rect = {100, 30, 200, 90};
  Tensor alone({200, 90});
  for (Index row = 0; row < 200; ++row) std::copy_n(&tensor.matrix()(100 + row, 30), 90, &alone.matrix()(row, 0));
  const std::vector<float> values = pixels_of(shown(tensor, {}), {rect, 17, 23}, {Backend::openmp, 3, {}}).values;
  EXPECT_EQ(values, pooled(alone, {}, 17, 23));
}

// Cells under pixel number `texel` of `texels`, by asking each whether they touch.
bool touches(Index texel, Index texels, Index cell, Index cells) {
  return texel * cells < (cell + 1) * texels && cell * texels < (texel + 1) * cells;
}

float naive_largest(const Tensor& tensor, const Visibility& seen, Index rows, Index cols, Index texel_row,
                    Index texel_col) {
  std::optional<float> largest;
  for (Index row = 0; row < tensor.rows(); ++row) {
    for (Index col = 0; col < tensor.cols(); ++col) {
      const bool is_under =
          touches(texel_row, rows, row, tensor.rows()) && touches(texel_col, cols, col, tensor.cols());
      const float value = tensor.matrix()(row, col);
      if (!is_under || seen.hides(row, col) || value == -infinity) continue;
      const bool is_larger = !largest || std::pair(std::abs(value), value) > std::pair(std::abs(*largest), *largest);
      if (is_larger) largest = value;
    }
  }
  return largest.value_or(-infinity);
}

TEST(Pixels, AreThoseOfNaiveLoops) {
  AlignedFloats cells(50 * 70);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = i % 11 == 0 ? -infinity : static_cast<float>((i * 7919) % 1009) - 500;
  }
  const Tensor tensor({50, 70}, cells);
  for (const Visibility& seen : {Visibility{}, earlier_keys, window, with_gaps()}) {
    for (const auto& [rows, cols] : {std::pair(17, 23), std::pair(50, 7), std::pair(25, 35), std::pair(1, 1)}) {
      const std::vector<float> pixels = pooled(tensor, seen, rows, cols);
      for (Index row = 0; row < rows; ++row) {
        for (Index col = 0; col < cols; ++col) {
          EXPECT_EQ(pixels[static_cast<std::size_t>(row * cols + col)],
                    naive_largest(tensor, seen, rows, cols, row, col));
        }
      }
    }
  }
}

TEST(Pixels, DropsAreWhereEveryUnmaskedCellIsDropped) {
  const Tensor factors({2, 2}, {0, 2, 0, 2});
  EXPECT_EQ(drops(factors, {}, 2, 2), (std::vector<float>{1, 0, 1, 0}));
  EXPECT_EQ(drops(factors, earlier_keys, 2, 2), (std::vector<float>{1, 0, 1, 0}));
  EXPECT_EQ(drops(factors, {}, 2, 1), (std::vector<float>{0, 0}));
  EXPECT_EQ(drops(factors, earlier_keys, 2, 1), (std::vector<float>{1, 0}));
}

}  // namespace
}  // namespace attnscope

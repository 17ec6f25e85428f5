#include "core/error.h"
#include "support.h"

#include <limits>

namespace attnscope::test {
namespace {

TEST(Tensor, StartsWithZerosInRowMajorOrder) {
  Tensor tensor({2, 3, 4});
  EXPECT_EQ(tensor.size(), 24);
  EXPECT_EQ(tensor.matrix_count(), 2);
  tensor.matrix(1)(2, 3) = 5.0F;
  EXPECT_EQ(tensor.values.back(), 5.0F);
  EXPECT_EQ(tensor.values.front(), 0.0F);
}

TEST(Tensor, MatrixLooksAtItsOwnNumbers) {
  const Tensor tensor({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(tensor.matrix(1)(0, 1), 5.0F);
  EXPECT_EQ(tensor.matrix(0)(1, 0), 2.0F);
}

TEST(Tensor, RefusesElementsThatDoNotFillIt) {
  const Error error = error_of([] { Tensor({2, 2}, {1, 2, 3}); });
  EXPECT_STREQ(error.what(), "A tensor of 2 x 2 elements was given 3 numbers.");
}

TEST(ElementCount, RefusesWhatNoIndexCanCount) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  EXPECT_EQ(element_count(std::array<Index, 2>{huge, 1}), huge);
  EXPECT_EQ(element_count(std::array<Index, 3>{huge, huge, 0}), 0);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_THROW(element_count(std::array<Index, 2>{huge / 2 + 1, 2}), Error);
  EXPECT_THROW(element_count(std::array<Index, 2>{3, -1}), Error);
}

}  // namespace
}  // namespace attnscope::test

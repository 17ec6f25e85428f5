#include "core/tensor.h"

#include "support.h"

#include <cmath>

namespace attnscope::test {

namespace {

// Of several blocks, the last one shorter than the others.
SharedTensor several_blocks() { return noise({1000, 300}, 3); }

// Blocks of `left` that are not the very same memory in `right`.
Index separate_blocks(const SharedTensor& left, const SharedTensor& right) {
  Index count = 0;
  for (Index block = 0; block < left.block_count(); ++block) {
    if (left.block(block).data() != right.block(block).data()) ++count;
  }
  return count;
}

TEST(SharedTensor, HasTheNumbersOfTheTensorThatItIsMadeOf) {
  for (const std::vector<Index>& shape :
       {std::vector<Index>{1000, 300}, std::vector<Index>{3, 100'000}, std::vector<Index>{2, 3}, std::vector<Index>{5},
        std::vector<Index>{2, 3, 4}, std::vector<Index>{0, 3}, std::vector<Index>{}}) {
    const Tensor tensor = shape.empty() ? Tensor() : noise(shape, 1);
    const SharedTensor shared = tensor;
    EXPECT_TRUE(same_bits(shared.copy(), tensor));
    EXPECT_EQ(shared.shape(), tensor.shape);
    for (Index row = 0; row < shared.rows(); ++row) {
      for (Index col = 0; col < shared.cols(); ++col) {
        ASSERT_EQ(shared.row(row)[static_cast<std::size_t>(col)],
                  tensor.values[static_cast<std::size_t>(row * shared.cols() + col)]);
      }
    }
  }
}

TEST(SharedTensor, IsNotCopiedWhereItIsMadeOrCopied) {
  Tensor tensor({6, 3});
  const float* const numbers = tensor.values.data();
  const SharedTensor shared = std::move(tensor);
  const SharedTensor copy = shared;
  EXPECT_EQ(copy.row(0).data(), numbers);
}

TEST(SharedTensor, AChangedNumberTakesItsBlockAlone) {
  const SharedTensor before = several_blocks();
  ASSERT_GT(before.block_count(), 3);
  for (const Index row : {Index{0}, Index{500}, Index{999}}) {
    SharedTensor after = before;
    after.set(row, 299, 7);
    Tensor expected = before.copy();
    expected.values[static_cast<std::size_t>(row * 300 + 299)] = 7;
    EXPECT_TRUE(same_bits(after.copy(), expected));
    EXPECT_EQ(separate_blocks(after, before), 1);
    EXPECT_LE(after.bytes_beyond(before), before.block(0).size_bytes());
    EXPECT_GT(after.bytes_beyond(before), 0U);
  }
  EXPECT_TRUE(same_bits(before.copy(), several_blocks().copy())) << "the other copy stays as it was";
}

TEST(SharedTensor, IsEqualToTheSameShapeAndBits) {
  const SharedTensor tensor = several_blocks();
  SharedTensor other = tensor;
  EXPECT_EQ(other, tensor);
  EXPECT_EQ(several_blocks(), tensor) << "of other memory";
  other.set(999, 299, other.row(999)[299] + 1);
  EXPECT_NE(other, tensor);
  other.set(999, 299, tensor.row(999)[299]);
  EXPECT_EQ(other, tensor) << "changed and changed back";
  EXPECT_NE(SharedTensor(Tensor({2, 3})), SharedTensor(Tensor({3, 2})));
  EXPECT_NE(SharedTensor(Tensor({1}, {0.0F})), SharedTensor(Tensor({1}, {-0.0F})));
}

TEST(SharedTensor, KnowsWhereTheFirstNumberIsThatIsNotFinite) {
  SharedTensor tensor = several_blocks();
  EXPECT_EQ(tensor.first_not_finite(), std::nullopt);
  tensor.set(998, 5, NAN);
  EXPECT_EQ(tensor.first_not_finite(), 998 * 300 + 5);
  tensor.set(3, 4, -INFINITY);
  EXPECT_EQ(tensor.first_not_finite(), 3 * 300 + 4);
  tensor.set(3, 7, INFINITY);
  tensor.set(3, 4, 0);
  EXPECT_EQ(tensor.first_not_finite(), 3 * 300 + 7);
  tensor.set(3, 7, 0);
  tensor.set(998, 5, 0);
  EXPECT_EQ(tensor.first_not_finite(), std::nullopt);
  EXPECT_EQ(SharedTensor(Tensor({3}, {0, INFINITY, NAN})).first_not_finite(), 1);
}

}  // namespace

}  // namespace attnscope::test

#include "core/tensor.h"

#include "core/error.h"
#include "core/run.h"
#include "support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

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

TEST(TensorPool, HandsOutTheSameMemoryWhenNobodyReadsIt) {
  TensorPool pool;
  std::shared_ptr<Tensor> tensor = pool.make({2, 3, 4});
  const float* const memory = tensor->values.data();
  tensor.reset();
  tensor = pool.make({4, 6});
  EXPECT_EQ(tensor->values.data(), memory);
  EXPECT_EQ(tensor->shape, (std::vector<Index>{4, 6}));
}

TEST(TensorPool, NeverHandsOutWhatSomebodyReads) {
  TensorPool pool;
  const std::shared_ptr<const Tensor> looked_at = pool.make({2, 3});
  const std::shared_ptr<Tensor> next = pool.make({2, 3});
  EXPECT_NE(next->values.data(), looked_at->values.data());
  std::vector<std::shared_ptr<Tensor>> many;
  for (int i = 0; i < 100; ++i) many.push_back(pool.make({2, 3}));
  for (const std::shared_ptr<Tensor>& tensor : many) {
    EXPECT_NE(tensor->values.data(), looked_at->values.data());
    EXPECT_NE(tensor->values.data(), next->values.data());
  }
}

TEST(TensorPool, MakesAnotherSizeAnew) {
  TensorPool pool;
  std::ranges::fill(pool.make({2, 3})->values, 1.0F);
  const std::shared_ptr<Tensor> larger = pool.make({2, 4});
  EXPECT_EQ(larger->size(), 8);
  EXPECT_EQ(larger->values, AlignedFloats(8, 0.0F));
}

// An editor's document grows token by token, and no memory of all its former sizes may stay behind.
TEST(TensorPool, LetsGoOfWhatFitsNoLonger) {
  TensorPool pool;
  std::ranges::fill(pool.make({2, 3})->values, 7.0F);
  EXPECT_EQ(pool.make({2, 3})->values.front(), 7) << "kept while it may fit";
  pool.make({2, 4});
  EXPECT_EQ(pool.make({2, 3})->values.front(), 0) << "made anew";
}

// Pictures of a tensor are kept by its address: with other contents it must not pass for the one of before.
TEST(TensorPool, WhoWatchesATensorLearnsThatItsReaderLetGo) {
  TensorPool pool;
  std::shared_ptr<Tensor> tensor = pool.make({2, 3});
  const Tensor* const address = tensor.get();
  std::weak_ptr<const Tensor> watched = tensor;
  tensor.reset();
  EXPECT_TRUE(watched.expired());
  const std::shared_ptr<Tensor> next = pool.make({2, 3});
  EXPECT_EQ(next.get(), address);
  EXPECT_TRUE(watched.expired());
  watched = next;
  EXPECT_NE(pool.make({2, 3}).get(), address) << "it is read";
}

// What a reader on another thread read is read before the memory is written again; ThreadSanitizer sees whether it is.
TEST(TensorPool, ComesBackFromAnotherThread) {
  TensorPool pool;
  for (int i = 0; i < 200; ++i) {
    std::shared_ptr<Tensor> written = pool.make({64});
    std::ranges::fill(written->values, static_cast<float>(i));
    const std::jthread reader([i, read = std::shared_ptr<const Tensor>(std::move(written))]() mutable {
      EXPECT_EQ(read->values.back(), static_cast<float>(i));
      read.reset();
    });
    std::ranges::fill(pool.make({64})->values, -1.0F);
  }
}

}  // namespace
}  // namespace attnscope::test

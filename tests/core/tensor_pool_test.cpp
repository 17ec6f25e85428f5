#include "core/run.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace attnscope::test {
namespace {

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

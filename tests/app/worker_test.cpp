#include "platform/system/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/patience.h"

namespace attnscope {
namespace {

TEST(Worker, GoesOnUntilThereIsNothingToDo) {
  std::atomic<int> left = 3;
  std::atomic<int> calls = 0;
  Worker worker([&](const std::stop_token&) {
    ++calls;
    return left > 0 && --left >= 0;
  });
  worker.wake();
  test::wait_until([&] { return left == 0 && calls == 4; });
  left = 1;
  worker.wake();
  test::wait_until([&] { return left == 0 && calls == 6; });
}

TEST(Worker, IsStoppedAtItsEnd) {
  std::atomic<bool> has_begun = false;
  {
    Worker worker([&](const std::stop_token& stop) {
      has_begun = true;
      while (!stop.stop_requested()) std::this_thread::yield();
      return true;
    });
    worker.wake();
    test::wait_until([&] { return has_begun.load(); });
  }
  EXPECT_TRUE(has_begun);
}

TEST(Worker, WithoutThreadsWorksWhenItIsAskedTo) {
  const WithoutThreads none;
  int left = 2;
  Worker worker([&](const std::stop_token&) { return left > 0 && left-- > 0; });
  EXPECT_FALSE(work_between_frames());
  worker.wake();
  EXPECT_EQ(left, 2);
  EXPECT_TRUE(work_between_frames());
  EXPECT_EQ(left, 1);
  worker.help();
  EXPECT_EQ(left, 0);
  EXPECT_FALSE(work_between_frames());
}

TEST(Worker, WithoutThreadsMayEndAnotherOne) {
  const WithoutThreads none;
  std::vector<int> order;
  std::optional<Worker> later;
  Worker first([&](const std::stop_token&) {
    order.push_back(1);
    later.reset();
    return false;
  });
  later.emplace([&](const std::stop_token&) {
    order.push_back(2);
    return true;
  });
  first.wake();
  later->wake();
  EXPECT_FALSE(work_between_frames());
  EXPECT_EQ(order, std::vector{1});
}

}  // namespace
}  // namespace attnscope

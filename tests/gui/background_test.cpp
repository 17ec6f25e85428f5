#include "compute/background.h"
#include "tests/support/patience.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace attnscope {
namespace {

// A job gives its own number, when it is let.
class Numbers {
public:
  int work(int number, const std::stop_token& stop) {
    ++started_;
    while (is_held_ && !stop.stop_requested()) std::this_thread::yield();
    if (stop.stop_requested()) throw Cancelled{};
    return number;
  }
  void hold(bool is_held) { is_held_ = is_held; }
  void wait_for_start(int count) const {
    test::wait_until([&] { return started_ >= count; });
  }

private:
  std::atomic<bool> is_held_ = false;
  std::atomic<int> started_ = 0;
};

class BackgroundJobs : public testing::Test {
protected:
  Numbers numbers_;
  std::atomic<int> finished_ = 0;
  Background<int, int> background_{
      [this](const int& number, const std::stop_token& stop) { return numbers_.work(number, stop); },
      [this] { ++finished_; }};
};

TEST_F(BackgroundJobs, GiveWhatCameOfThemOnce) {
  EXPECT_EQ(background_.take(), std::nullopt);
  background_.start(7);
  background_.wait();
  EXPECT_EQ(background_.take(), 7);
  EXPECT_EQ(background_.take(), std::nullopt);
}

TEST_F(BackgroundJobs, GiveWayToTheNewest) {
  numbers_.hold(true);
  background_.start(1);
  numbers_.wait_for_start(1);
  background_.start(2);
  background_.start(3);
  numbers_.wait_for_start(2);
  numbers_.hold(false);
  background_.wait();
  EXPECT_EQ(background_.take(), 3);
}

// Work that returns nothing is called again, with the same job, until a newer one comes or nobody wants it any more.
TEST(BackgroundJobsInPieces, AreDonePieceByPiece) {
  const WithoutThreads none;
  int pieces = 0;
  Background<int, int> background([&](const int& number, const std::stop_token&) -> std::optional<int> {
    return ++pieces < number ? std::nullopt : std::optional(number);
  });
  background.start(3);
  for (int piece = 1; piece < 3; ++piece) {
    EXPECT_TRUE(work_between_frames());
    EXPECT_EQ(pieces, piece);
    EXPECT_TRUE(background.is_busy());
    EXPECT_EQ(background.take(), std::nullopt);
  }
  background.wait();
  EXPECT_EQ(background.take(), 3);
  pieces = 0;
  background.start(5);
  work_between_frames();
  background.start(2);
  background.wait();
  EXPECT_EQ(background.take(), 2) << "the newest wins between two pieces, too";
  pieces = 0;
  background.start(5);
  work_between_frames();
  background.cancel();
  background.wait();
  EXPECT_EQ(pieces, 2) << "a piece that was asked for may see the stop; no other follows";
  EXPECT_EQ(background.take(), std::nullopt);
}

TEST_F(BackgroundJobs, LeaveNothingWhenTheyAreCancelled) {
  numbers_.hold(true);
  background_.start(1);
  numbers_.wait_for_start(1);
  background_.cancel();
  background_.wait();
  EXPECT_EQ(background_.take(), std::nullopt);
  EXPECT_EQ(finished_, 0);
  numbers_.hold(false);
  background_.start(2);
  background_.wait();
  background_.cancel();  // nobody has taken it yet
  EXPECT_EQ(background_.take(), std::nullopt);
}

TEST(BackgroundJobsThatFail, SaySoOnceAndLeaveTheThreadToOthers) {
  std::atomic<int> finished = 0;
  Background<int, int> background(
      [](const int& number, const std::stop_token&) {
        if (number < 0) throw std::bad_alloc();
        return number;
      },
      [&] { ++finished; });
  background.start(-1);
  background.wait();
  EXPECT_THROW(background.take(), std::bad_alloc);
  EXPECT_EQ(background.take(), std::nullopt);
  background.start(-1);
  background.wait();
  background.cancel();
  EXPECT_EQ(background.take(), std::nullopt) << "nobody wants to hear of it";
  background.start(7);
  background.wait();
  EXPECT_EQ(background.take(), 7);
  test::wait_until([&] { return finished == 3; });
}

TEST(BackgroundJobsAtTheEnd, AreCancelled) {
  Numbers numbers;
  std::atomic<int> finished = 0;
  numbers.hold(true);
  {
    Background<int, int> background(
        [&](const int& number, const std::stop_token& stop) { return numbers.work(number, stop); },
        [&] { ++finished; });
    background.start(1);
    numbers.wait_for_start(1);
  }
  EXPECT_EQ(finished, 0);
}

}  // namespace
}  // namespace attnscope

#include "compute/picture_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "core/heads.h"
#include "core/results.h"
#include "head_support.h"
#include "tests/support/exact_summary.h"
#include "tests/support/held_matrix.h"
#include "tests/support/patience.h"

namespace attnscope::test {
namespace {

// Asks in frame after frame until nothing is left to compute.
void ask_until_done(PictureCache& cache, const std::function<void()>& ask) {
  wait_until([&] {
    cache.begin_frame();
    ask();
    return !cache.wait();
  });
}

PixelsPtr pixels_in(PictureCache& cache, const ShownMatrix& source, Index side) {
  const PixelGrid grid = whole_grid(source, side, side);
  ask_until_done(cache, [&] { cache.find(source, grid); });
  return cache.find(source, grid);
}

// The attention of a file that `read` reads.
ResultPtr result_read_by(decltype(ImportedAttention::read) read, Index tokens, Index heads = 1) {
  auto attention = std::make_shared<ImportedAttention>();
  attention->queries = attention->keys = tokens;
  attention->heads = heads;
  attention->read = std::move(read);
  return std::make_shared<const Result>(result_of(attention));
}

TEST(PictureCache, GivesSmallMatricesAtOnce) {
  PictureCache cache;
  const ResultPtr result = computed(config_of(60));
  cache.begin_frame();
  const ShownMatrix source = shown_matrix(result, Stage::weights, 1);
  EXPECT_NE(cache.find(source, whole_grid(source, 60, 60)), nullptr);
  EXPECT_FALSE(cache.wait()) << "nothing is left to wait for";
}

TEST(PictureCache, ComputesLargeMatricesOnItsThread) {
  const ResultPtr result = large_result();
  std::atomic<int> calls = 0;
  PictureCache cache([&] { ++calls; });
  const ShownMatrix source = shown_matrix(result, Stage::scaled_scores, 1);
  cache.begin_frame();
  EXPECT_EQ(cache.find(source, whole_grid(source, 300, 300)), nullptr);
  const PixelsPtr pixels = pixels_in(cache, source, 300);
  expect_close(pixels->values, pixels_of(source, whole_grid(source, 300, 300), {}).values);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(cache.take_changed());
  EXPECT_FALSE(cache.take_changed());
  EXPECT_TRUE(result->heads->knows(Stage::scaled_scores, 1)) << "colours need no second look";
}

TEST(PictureCache, PoolsLargeKeptMatricesOnItsThread) {
  const auto tensor = std::make_shared<const Tensor>(std::vector<Index>{700, 700});
  const ShownMatrix source = source_holding(tensor);
  PictureCache cache;
  cache.begin_frame();
  EXPECT_EQ(cache.find(source, whole_grid(source, 100, 100)), nullptr);
  EXPECT_EQ(pixels_in(cache, source, 100)->values, std::vector<float>(10000, 0.0F));
}

TEST(PictureCache, ForgetsTheLeastRecentlyShownBeyondItsBudget) {
  constexpr std::uint64_t budget = 5 * 100 * 100 * sizeof(float);
  PictureCache cache({}, budget);
  for (Index tokens = 200; tokens < 230; ++tokens) {
    pixels_in(cache, shown_matrix(computed(config_of(tokens)), Stage::weights, 1), 100);
  }
  std::vector<ResultPtr> results;
  for (Index tokens = 200; tokens < 230; ++tokens) {
    results.push_back(computed(config_of(tokens)));
    pixels_in(cache, shown_matrix(results.back(), Stage::weights, 1), 100);
    EXPECT_LE(cache.bytes(), budget + 2 * 100 * 100 * sizeof(float));
  }
}

TEST(PictureCache, ForgetsTheOlderOfTwoPicturesThatAreNoLongerShown) {
  PictureCache cache({}, 2 * 60 * 60 * sizeof(float));
  const ResultPtr result = computed(config_of(60));
  const auto find = [&](Stage stage, Index matrix) {
    const ShownMatrix source = shown_matrix(result, stage, matrix);
    return cache.find(source, whole_grid(source, 60, 60));
  };
  cache.begin_frame();
  const PixelsPtr shown_first = find(Stage::scores, 1);
  cache.begin_frame();
  const PixelsPtr shown_last = find(Stage::scores, 0);
  cache.begin_frame();
  cache.begin_frame();
  find(Stage::scaled_scores, 0);  // there is no room for three
  EXPECT_EQ(cache.bytes(), 2 * 60 * 60 * sizeof(float));
  EXPECT_EQ(find(Stage::scores, 0), shown_last) << "it was shown last";
  EXPECT_NE(find(Stage::scores, 1), shown_first) << "it is made anew";
}

// The picture of a matrix with a mask is not that of the same matrix without one.
TEST(PictureCache, TellsPicturesApartByWhatIsMasked) {
  const ResultPtr result = computed(config_of(60));
  const ShownMatrix all = shown_matrix(result, Stage::scores, 1);
  ShownMatrix causal = all;
  causal.seen = visibility(result->config);
  ASSERT_NE(causal.seen, all.seen);
  PictureCache cache;
  cache.begin_frame();
  const PixelGrid grid = whole_grid(all, 60, 60);
  const PixelsPtr of_all = cache.find(all, grid);
  const PixelsPtr of_causal = cache.find(causal, grid);
  EXPECT_EQ(of_all->values, pixels_of(all, grid, {}).values);
  EXPECT_EQ(of_causal->values, pixels_of(causal, grid, {}).values);
}

// Three matrices whose reading waits until it may go on, and a cache with one thread that is asked for them.
class WaitingMatrices : public testing::Test {
protected:
  WaitingMatrices() {
    const auto read = [this](std::span<float> cells, Index matrix, const CellRect&) {
      std::ranges::fill(cells, 0.0F);
      {
        const std::lock_guard lock(mutex_);
        if (order_.empty() || order_.back() != matrix) order_.push_back(matrix);
      }
      wait_until([this] { return may_go_on_.load(); });
    };
    result_ = result_read_by(read, 100, 3);
    cache_.use(Backend::serial, 1);
  }

  void ask(Index matrix) {
    const ShownMatrix source = shown_matrix(result_, Stage::weights, matrix);
    EXPECT_EQ(cache_.find(source, whole_grid(source, 50, 50)), nullptr);
  }
  std::vector<Index> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }
  // Lets the thread read all that was asked for, and returns in which order it did.
  std::vector<Index> order_of_all() {
    may_go_on_ = true;
    wait_until([this] { return order().size() == 3; });
    return order();
  }

  std::atomic<bool> may_go_on_ = false;
  std::mutex mutex_;
  std::vector<Index> order_;
  std::shared_ptr<const Result> result_;
  PictureCache cache_;  // ends its thread before the others go
};

TEST_F(WaitingMatrices, KeepNoOtherResultThatIsNoLongerAskedFor) {
  ResultPtr other = computed(config_of(1500));
  const std::weak_ptr<const Result> watched = other;
  cache_.begin_frame();
  ask(0);
  wait_until([this] { return !order().empty(); });
  {
    const ShownMatrix source = shown_matrix(other, Stage::weights, 1);
    EXPECT_EQ(cache_.find(source, whole_grid(source, 50, 50)), nullptr);
  }
  other.reset();
  cache_.begin_frame();
  EXPECT_FALSE(watched.expired()) << "a frame begins before it asks again";
  EXPECT_TRUE(cache_.is_done()) << "this frame has asked for nothing";
  cache_.begin_frame();
  EXPECT_TRUE(watched.expired());
  may_go_on_ = true;
}

TEST_F(WaitingMatrices, OfTwoResultsAreEachTheirOwn) {
  cache_.begin_frame();
  ask(0);
  wait_until([this] { return !order().empty(); });
  std::vector<ShownMatrix> sources;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}}) {
    AttentionConfig config = config_of(1030);
    config.seed = seed;
    sources.push_back(shown_matrix(computed(config), Stage::scores, 1));
  }
  const PixelGrid grid = whole_grid(sources[0], 40, 40);
  for (const ShownMatrix& source : sources) EXPECT_EQ(cache_.find(source, grid), nullptr);
  may_go_on_ = true;
  for (const ShownMatrix& source : sources) {
    wait_until([&] { return cache_.find(source, grid) != nullptr; });
    expect_close(cache_.find(source, grid)->values, pixels_of(source, grid, {}).values);
  }
}

TEST_F(WaitingMatrices, AreSummarizedFromTheShownOneOn) {
  may_go_on_ = true;
  cache_.pause(true);
  cache_.begin_frame();
  cache_.summarize(result_, Stage::weights, 2, true);
  cache_.pause(false);
  cache_.wait();
  EXPECT_EQ(order(), (std::vector<Index>{2, 0, 1}));
}

TEST_F(WaitingMatrices, AreReadInTheOrderOfTheFrame) {
  cache_.begin_frame();
  for (const Index matrix : {2, 1, 0}) ask(matrix);  // the thread begins with the first while the others come
  EXPECT_EQ(order_of_all(), (std::vector<Index>{2, 1, 0}));
}

TEST_F(WaitingMatrices, OfTheNewestFrameComeFirst) {
  cache_.begin_frame();
  ask(0);
  wait_until([this] { return !order().empty(); });
  ask(1);
  cache_.begin_frame();
  ask(2);
  EXPECT_EQ(order_of_all(), (std::vector<Index>{0, 2, 1}));
}

TEST(PictureCache, MakesAtOnceWhatTakesLessThanAFrame) {
  PictureCache cache;
  cache.begin_frame();
  const auto is_there = [&](const ShownMatrix& source, Index side) {
    return cache.find(source, whole_grid(source, side, side)) != nullptr;
  };
  EXPECT_TRUE(is_there(source_holding(std::make_shared<const Tensor>(std::vector<Index>{512, 512})), 50));
  EXPECT_FALSE(is_there(source_holding(std::make_shared<const Tensor>(std::vector<Index>{513, 512})), 50));
  const ResultPtr result = computed(config_of(500));
  result->heads->make(*result, {Stage::scaled_scores}, 1, {});
  EXPECT_TRUE(is_there(shown_matrix(result, Stage::scaled_scores, 1), 50)) << "the matrix is kept";
  EXPECT_FALSE(is_there(shown_matrix(result, Stage::scaled_scores, 0), 50));
}

TEST(PictureCache, KeepsAPictureWithItsDropsAsLongAsBothHaveTheirOrigin) {
  const auto tensor = std::make_shared<const Tensor>(std::vector<Index>{60, 60});
  auto factors = std::make_shared<const Tensor>(std::vector<Index>{60, 60});
  PictureCache cache;
  cache.begin_frame();
  {
    const ShownMatrix source = source_holding(tensor, factors);
    const PixelsPtr picture = cache.find(source, whole_grid(source, 60, 60));
    EXPECT_EQ(cache.find(source, whole_grid(source, 60, 60)), picture);
  }
  EXPECT_EQ(cache.bytes(), 2 * 60 * 60 * sizeof(float));
  cache.begin_frame();
  EXPECT_EQ(cache.bytes(), 2 * 60 * 60 * sizeof(float));
  factors.reset();
  cache.begin_frame();
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(PictureCache, GivesUpSummariesThatWereAskedForTwoFramesAgo) {
  const ResultPtr result = computed(config_of(60));
  for (const bool asks_again : {false, true}) {
    const Stage stage = asks_again ? Stage::scores : Stage::weights;
    PictureCache cache;
    cache.pause(true);
    cache.begin_frame();
    cache.summarize(result, stage, 0, false);
    cache.begin_frame();
    if (asks_again) cache.summarize(result, stage, 0, false);
    cache.begin_frame();
    cache.summarize(result, stage, 1, false);
    cache.pause(false);
    cache.wait();
    EXPECT_TRUE(result->heads->knows(stage, 1));
    EXPECT_EQ(result->heads->knows(stage, 0), asks_again);
  }
}

// A long matrix that is read in a hundred blocks, as many of them as are allowed.
class LongMatrix : public testing::Test {
protected:
  LongMatrix() {
    const auto read = [this](std::span<float> cells, Index, const CellRect&) {
      std::ranges::fill(cells, 0.0F);
      const int block = ++blocks_;
      wait_until([&] { return block <= allowed_; });
    };
    long_ = result_read_by(read, 6400);
    cache_.use(Backend::serial, 1);
    cache_.begin_frame();
  }
  void TearDown() override { allowed_ = 1000; }

  void wait_for_first_block() {
    wait_until([&] { return blocks_ == 1; });
  }
  // Lets the first block end, and waits for a picture of another matrix.
  void see_another() {
    const ShownMatrix source = source_holding(std::make_shared<const Tensor>(std::vector<Index>{700, 700}));
    const PixelGrid grid = whole_grid(source, 10, 10);
    EXPECT_EQ(cache_.find(source, grid), nullptr);
    allowed_ = 1;
    wait_until([&] { return cache_.find(source, grid) != nullptr; });
    EXPECT_NE(cache_.find(source, grid), nullptr);
  }

  std::atomic<int> blocks_ = 0;
  std::atomic<int> allowed_ = 0;
  std::shared_ptr<const Result> long_;
  PictureCache cache_;
};

TEST_F(LongMatrix, IsGivenUpWhenNoFrameShowsItAnyMore) {
  const ShownMatrix source = shown_matrix(long_, Stage::weights, 0);
  cache_.find(source, whole_grid(source, 300, 300));
  wait_for_first_block();
  for (int frame = 0; frame < 2; ++frame) cache_.begin_frame();
  see_another();
}

TEST_F(LongMatrix, IsSummarizedOnlyAsLongAsSomebodyAsks) {
  cache_.summarize(long_, Stage::weights, 0, false);
  wait_for_first_block();
  EXPECT_FALSE(cache_.is_done());
  cache_.begin_frame();
  EXPECT_TRUE(cache_.is_done());
  cache_.begin_frame();
  const ResultPtr other = computed(config_of(60));
  cache_.summarize(other, Stage::weights, 0, false);
  allowed_ = 1;
  wait_until([&] { return other->heads->knows(Stage::weights, 0); });
  EXPECT_TRUE(other->heads->knows(Stage::weights, 0));
}

TEST_F(LongMatrix, IsSummarizedAfterPictures) {
  cache_.summarize(long_, Stage::weights, 0, false);
  wait_for_first_block();
  see_another();
}

TEST_F(LongMatrix, IsNotSummarizedOnceSummariesPause) {
  cache_.summarize(long_, Stage::weights, 0, false);
  wait_for_first_block();
  cache_.pause(true);
  allowed_ = 1;
  cache_.wait();
  EXPECT_FALSE(long_->heads->knows(Stage::weights, 0));
  EXPECT_EQ(blocks_, 1);
}

TEST(PictureCache, TriesNoOtherSummaryOfAResultThatFailed) {
  std::atomic<int> reads = 0;
  const auto read = [&](std::span<float>, Index, const CellRect&) {
    ++reads;
    throw std::runtime_error("the file is gone");
  };
  const ResultPtr bad = result_read_by(read, 100, 2);
  const ResultPtr good = computed(config_of(60));
  PictureCache cache;
  cache.use(Backend::serial, 1);
  cache.pause(true);
  cache.begin_frame();
  cache.summarize(bad, Stage::weights, 0, false);
  cache.summarize(bad, Stage::weights, 1, false);
  cache.summarize(good, Stage::weights, 0, false);
  cache.pause(false);
  cache.wait();
  EXPECT_TRUE(cache.is_done());
  EXPECT_TRUE(cache.take_changed()) << "a failure is something to show";
  EXPECT_NE(cache.take_failure(), nullptr);
  EXPECT_EQ(cache.take_failure(), nullptr) << "it is said once";
  EXPECT_EQ(reads, 1);
  EXPECT_TRUE(good->heads->knows(Stage::weights, 0));
}

TEST(PictureCache, MakesRoomAtOnceWhereItMayKeepLess) {
  PictureCache cache;
  const ResultPtr result = computed(config_of(60));
  cache.begin_frame();
  const ShownMatrix source = shown_matrix(result, Stage::scores, 1);
  cache.find(source, whole_grid(source, 60, 60));
  cache.begin_frame();
  cache.begin_frame();
  EXPECT_EQ(cache.bytes(), 60 * 60 * sizeof(float));
  cache.keep_at_most(1);
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(PictureCache, KeepsWhatIsShownNowWhateverItsBudget) {
  PictureCache cache({}, 1);
  const ResultPtr result = computed(config_of(60));
  cache.begin_frame();
  std::vector<PixelsPtr> shown;
  for (const Index matrix : {0, 1, 0, 1}) {
    const ShownMatrix source = shown_matrix(result, Stage::scores, matrix);
    shown.push_back(cache.find(source, whole_grid(source, 60, 60)));
  }
  EXPECT_EQ(shown[2], shown[0]);
  EXPECT_EQ(shown[3], shown[1]);
  EXPECT_EQ(cache.bytes(), 2 * 60 * 60 * sizeof(float));
}

// Pictures come while a frame is drawn: those of the frame before may still be asked for.
TEST(PictureCache, KeepsWhatTheFrameBeforeShowedWhateverItsBudget) {
  PictureCache cache({}, 60 * 60 * sizeof(float));
  const ResultPtr result = computed(config_of(60));
  const auto find = [&](Index matrix) {
    const ShownMatrix source = shown_matrix(result, Stage::scores, matrix);
    return cache.find(source, whole_grid(source, 60, 60));
  };
  cache.begin_frame();
  const PixelsPtr shown = find(0);
  cache.begin_frame();
  find(1);
  EXPECT_EQ(find(0), shown);
}

TEST(PictureCache, KeepsNoResultAlive) {
  ResultPtr result = computed(config_of(1500));
  const std::weak_ptr<const Result> watched = result;
  PictureCache cache;
  pixels_in(cache, shown_matrix(result, Stage::weights, 1), 300);
  result.reset();
  EXPECT_TRUE(watched.expired());
  cache.begin_frame();
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(PictureCache, SummarizesNothingWhilePaused) {
  const ResultPtr result = large_result();
  PictureCache cache;
  cache.pause(true);
  cache.begin_frame();
  cache.summarize(result, Stage::weights, 1, false);
  cache.wait();
  EXPECT_FALSE(cache.wait()) << "waiting would never end";
  EXPECT_FALSE(result->heads->knows(Stage::weights, 1));
  cache.pause(false);
  ask_until_done(cache, [&] { cache.summarize(result, Stage::weights, 1, false); });
  EXPECT_TRUE(result->heads->knows(Stage::weights, 1));
  EXPECT_FALSE(result->heads->knows(Stage::weights, 0));
}

// A frame begins before it asks again.
TEST(PictureCache, GoesOnWithASummaryThatTheFrameBeforeAskedFor) {
  std::atomic<bool> has_begun = false;
  std::atomic<bool> may_go_on = false;
  const auto read = [&](std::span<float> cells, Index, const CellRect&) {
    std::ranges::fill(cells, 0.0F);
    has_begun = true;
    wait_until([&] { return may_go_on.load(); });
  };
  const ResultPtr result = result_read_by(read, 100);
  PictureCache cache;
  cache.use(Backend::serial, 1);
  cache.begin_frame();
  cache.summarize(result, Stage::weights, 0, false);
  wait_until([&] { return has_begun.load(); });
  cache.begin_frame();
  may_go_on = true;
  wait_until([&] { return result->heads->knows(Stage::weights, 0); });
  EXPECT_TRUE(result->heads->knows(Stage::weights, 0));
}

// No frame comes that asks again.
TEST(PictureCache, GoesOnWithSummariesAfterAPause) {
  const ResultPtr result = large_result();
  PictureCache cache;
  cache.pause(true);
  cache.begin_frame();
  cache.summarize(result, Stage::weights, 1, false);
  cache.wait();
  ASSERT_FALSE(cache.is_done());
  cache.pause(false);
  wait_until([&] { return cache.is_done(); });
  EXPECT_TRUE(result->heads->knows(Stage::weights, 1));
}

TEST(PictureCache, MakesPicturesAndNoSummariesWhilePaused) {
  const ResultPtr result = computed(config_of(60));
  const ShownMatrix source = source_holding(std::make_shared<const Tensor>(std::vector<Index>{700, 700}));
  PictureCache cache;
  cache.pause(true);
  cache.begin_frame();
  cache.summarize(result, Stage::weights, 1, false);
  EXPECT_EQ(cache.find(source, whole_grid(source, 100, 100)), nullptr);
  cache.wait();
  EXPECT_NE(cache.find(source, whole_grid(source, 100, 100)), nullptr);
  EXPECT_FALSE(result->heads->knows(Stage::weights, 1));
}

TEST(PictureCache, SaysThatAJobFailedAndDoesNotTryItAgain) {
  const auto read = [](std::span<float>, Index, const CellRect&) { throw std::runtime_error("the file is gone"); };
  ShownMatrix source;
  source.result = result_read_by(read, 100);
  PictureCache cache;
  cache.begin_frame();
  EXPECT_EQ(cache.find(source, whole_grid(source, 100, 100)), nullptr);
  wait_until([&] { return cache.take_failure() != nullptr; });
  EXPECT_EQ(cache.take_failure(), nullptr) << "it is said once";
  wait_until([&] { return cache.take_changed(); });
  cache.begin_frame();
  EXPECT_EQ(cache.find(source, whole_grid(source, 100, 100)), nullptr);
  EXPECT_TRUE(cache.is_done());
}

TEST(PictureCache, EndsWhileItComputes) {
  std::atomic<int> blocks = 0;
  const auto read = [&](std::span<float>, Index, const CellRect&) {
    ++blocks;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  ShownMatrix source;
  source.result = result_read_by(read, 6400);
  {
    PictureCache cache;
    cache.begin_frame();
    EXPECT_EQ(cache.find(source, whole_grid(source, 300, 300)), nullptr);
    wait_until([&] { return blocks > 0; });
  }
  EXPECT_LT(blocks, 100) << "of 100";
}

TEST(PictureCache, SummariesBecomeExact) {
  AttentionConfig config = config_of(500);
  const ResultPtr result = computed(config);
  const Result kept = evaluate_readable(config);
  const Summaries summaries(result);
  PictureCache cache;
  for (const StageInfo& stage : stages()) {
    if (!is_query_by_key(stage.axes) || !has(*result, stage.stage)) continue;
    SCOPED_TRACE(stage.id);
    const StageSummary expected = exact_summary(*kept.find(stage.stage));
    ask_until_done(cache, [&] { cache.summarize(result, stage.stage, 0, true); });
    const SummaryPtr summary = summaries.of(stage.stage);
    EXPECT_TRUE(summary->is_exact);
    const float scale = std::max({1.0F, -expected.overall.low, expected.overall.high});
    EXPECT_NEAR(summary->overall.low, expected.overall.low, 1e-5 * scale);
    EXPECT_NEAR(summary->overall.high, expected.overall.high, 1e-5 * scale);
    ASSERT_EQ(summary->row_sums.size(), expected.row_sums.size());
    for (std::size_t row = 0; row < summary->row_sums.size(); ++row) {
      ASSERT_NEAR(summary->row_sums[row], expected.row_sums[row], 1e-3) << row;
    }
  }
}

// As where heads stand side by side: none of them is forgotten for another.
TEST(PictureCache, SummariesOfAllMatricesAskedForBecomeExact) {
  const ResultPtr result = computed(config_of(500));
  const Summaries summaries(result);
  const StageSummary expected = exact_summary(*evaluate_readable(config_of(500)).find(Stage::dropped_weights));
  PictureCache cache;
  ask_until_done(cache, [&] {
    for (const Index matrix : {0, 1}) cache.summarize(result, Stage::dropped_weights, matrix, false);
  });
  expect_close(summaries.of(Stage::dropped_weights)->row_sums, expected.row_sums);
}

TEST(PictureCache, SummarizesAllMatricesIfTheNewestFrameAsksForThem) {
  const auto known = [](Stage stage, const std::vector<bool>& asks, bool are_frames) {
    const ResultPtr result = computed(config_of(60));
    PictureCache cache;
    cache.pause(true);
    cache.begin_frame();
    for (const bool all : asks) {
      cache.summarize(result, stage, 0, all);
      if (are_frames) cache.begin_frame();
    }
    cache.pause(false);
    wait_until([&] { return result->heads->knows(stage, 0); });
    cache.summarize(result, Stage::scores, 0, false);
    cache.wait();
    return result->heads->known_count(stage);
  };
  EXPECT_EQ(known(Stage::weights, {true}, false), 2U);
  EXPECT_EQ(known(Stage::weights, {false, true}, false), 2U);
  EXPECT_EQ(known(Stage::weights, {true, false}, false), 2U);
  EXPECT_EQ(known(Stage::weights, {true, false}, true), 1U) << "one is looked at now";
  EXPECT_EQ(known(Stage::mask, {true}, false), 1U) << "all heads have the same";
}

// Whoever asks for one of them in the same frame takes nothing back.
TEST(PictureCache, SummariesOfAllMatricesAreOfEveryEntryOfTheBatch) {
  AttentionConfig config = config_of(500);
  config.batch_size = 2;
  const ResultPtr result = computed(config);
  PictureCache cache;
  ask_until_done(cache, [&] {
    for (const bool all : {true, false}) cache.summarize(result, Stage::weights, 1, all);
  });
  EXPECT_EQ(result->heads->known_count(Stage::weights), 4U);
}

}  // namespace
}  // namespace attnscope::test

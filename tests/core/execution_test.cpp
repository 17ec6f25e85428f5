#include "core/execution.h"

#include "core/engine.h"
#include "core/results.h"
#include "core/run.h"
#include "support.h"

#include <array>
#include <atomic>
#include <thread>

namespace attnscope::test {
namespace {

// Many blocks of rows in every stage, and a last one that is not full.
AttentionConfig large_config(Mechanism mechanism) {
  AttentionConfig config = config_of(mechanism);
  config.inputs = RandnInputs{.tokens = 200, .features = 37};
  config.d_out = 24;
  config.num_heads = 3;
  config.batch_size = 2;
  config.dropout = 0.25;
  config.qkv_bias = true;
  return config;
}

TEST(Execution, SerialAndParallelGiveTheSameBits) {
  std::vector<AttentionConfig> configs = varied_configs();
  for (const MechanismInfo& mechanism : mechanisms()) configs.push_back(large_config(mechanism.mechanism));
  for (const AttentionConfig& config : configs) {
    const Result expected = evaluate_readable(config, serial());
    for (const int threads : {1, 2, 3, 8}) {
      EXPECT_TRUE(same_result(evaluate_readable(config, openmp(threads)), expected))
          << threads << " " << describe(config);
    }
  }
}

TEST(Execution, RunsEveryBlockOnce) {
  for (const Execution& execution : {serial(), openmp(1), openmp(4), Execution{}}) {
    std::vector<std::atomic<int>> visits(101);
    for_each_block(execution, 101, [&](Index block) { ++visits[static_cast<std::size_t>(block)]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
    for_each_block(execution, 0, [](Index) { FAIL() << "there is no block"; });
  }
}

TEST(Execution, PassesOnWhatABlockThrows) {
  for (const Execution& execution : {serial(), openmp(4)}) {
    const auto fail = [&] {
      for_each_block(execution, 10, [](Index block) {
        if (block == 7) throw Error("seventh");
      });
    };
    EXPECT_STREQ(error_of(fail).what(), "seventh");
  }
}

// Both ways to run steps, of blocks that are slow to begin with: a step that does not wait for the one before would be
// seen.
class Steps : public testing::TestWithParam<bool> {
protected:
  static void take_a_while() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }

  template <typename... Blocks>
  void run(const Execution& execution, const Step<Blocks>&... steps) {
    if (GetParam()) return run_together(execution, result_, steps...);
    run_in_turn(execution, result_, steps...);
  }

  Result result_;
};

TEST_P(Steps, BeginOnceAllBlocksBeforeAreDone) {
  for (const Execution& execution : {serial(), openmp(1), openmp(2), openmp(5), Execution{}}) {
    std::array<std::atomic<int>, 3> done{};
    std::atomic<int> early = 0;
    const auto step = [&](std::size_t at, Index count, std::size_t before, int expected) {
      const auto block = [&, at, before, expected](Index index) {
        if (index == 0) take_a_while();
        if (at > 0 && done.at(before) != expected) ++early;
        ++done.at(at);
      };
      return Step{Phase::attention, count, block};
    };
    run(execution, step(0, 7, 0, 0), step(1, 1, 0, 7), step(2, 12, 1, 1));
    EXPECT_EQ(done[0], 7);
    EXPECT_EQ(done[1], 1);
    EXPECT_EQ(done[2], 12);
    EXPECT_EQ(early, 0);
  }
}

TEST_P(Steps, RunEveryBlockOnceAndNoneOfNone) {
  for (const Execution& execution : {serial(), openmp(1), openmp(4)}) {
    std::vector<std::atomic<int>> visits(101);
    const auto none = [](Index) { FAIL() << "there is no block"; };
    const auto block = [&](Index index) { ++visits[static_cast<std::size_t>(index)]; };
    run(execution, Step{Phase::attention, 0, none}, Step{Phase::output, 101, block});
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST_P(Steps, PassOnWhatABlockThrows) {
  for (const Execution& execution : {serial(), openmp(4)}) {
    const auto fail = [](Index block) {
      if (block == 7) throw Error("seventh");
    };
    const auto fine = [](Index) {};
    EXPECT_STREQ(error_of([&] {
                   run(execution, Step{Phase::attention, 10, fail}, Step{Phase::output, 3, fine});
                 }).what(),
                 "seventh");
  }
}

TEST_P(Steps, AreNotBegunOnceAStopIsRequested) {
  std::stop_source source;
  source.request_stop();
  for (Execution execution : {serial(), openmp(2)}) {
    execution.stop = source.get_token();
    const auto block = [](Index) { FAIL(); };
    EXPECT_THROW(run(execution, Step{Phase::attention, 3, block}), Cancelled);
  }
}

INSTANTIATE_TEST_SUITE_P(Execution, Steps, testing::Bool(),
                         [](const auto& together) { return together.param ? "Together" : "InTurn"; });

TEST(Execution, CountsAtLeastOneThread) {
  EXPECT_EQ(thread_count(serial()), 1);
  EXPECT_GE(thread_count(Execution{}), 1);
  EXPECT_GE(thread_count(openmp(-3)), 1);
  EXPECT_EQ(thread_count(openmp(3)), has_openmp ? 3 : 1);
}

#ifdef ATTNSCOPE_OPENMP
TEST(Execution, TakesTheThreadsThatOpenMPIsTold) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(3);  // as OMP_NUM_THREADS=3 does when the program starts
  EXPECT_EQ(thread_count(Execution{}), 3);
  EXPECT_EQ(thread_count(openmp(2)), 2);
  omp_set_num_threads(before);
}
#endif

TEST(Cancellation, BeforeTheStartComputesNothing) {
  std::stop_source source;
  source.request_stop();
  for (Execution execution : {serial(), openmp(2)}) {
    execution.stop = source.get_token();
    EXPECT_THROW(evaluate_readable(config_of(Mechanism::multi_head_attention), execution), Cancelled);
    EXPECT_THROW(for_each_block(execution, 3, [](Index) { FAIL(); }), Cancelled);
  }
}

// Each thread asks for the stop itself from the fifth block on, so that none can run on while another is held up.
TEST(Cancellation, StopsBetweenBlocks) {
  for (Execution execution : {serial(), openmp(2)}) {
    std::stop_source source;
    execution.stop = source.get_token();
    std::atomic<int> blocks = 0;
    const auto run = [&] {
      for_each_block(execution, 1000, [&](Index) {
        if (++blocks >= 5) source.request_stop();
      });
    };
    EXPECT_THROW(run(), Cancelled);
    EXPECT_LT(blocks, 20);
  }
}

TEST(Progress, IsMadeOfItsPasses) {
  Progress progress;
  progress.expect(40);
  EXPECT_EQ(progress.fraction(), 0);
  progress.begin(10);
  progress.report(0.5F);
  EXPECT_FLOAT_EQ(progress.fraction(), 0.125F);
  progress.begin(30);
  EXPECT_FLOAT_EQ(progress.fraction(), 0.25F) << "the pass before has ended, whatever it reported";
  progress.report(1);
  EXPECT_FLOAT_EQ(progress.fraction(), 1);
  progress.expect(1);
  EXPECT_EQ(progress.fraction(), 0);
}

TEST(Progress, NeverGoesBackAndNeverBeyondTheEnd) {
  Progress progress;
  progress.expect(2);
  progress.begin(1);
  progress.report(0.8F);
  progress.report(0.6F);
  EXPECT_FLOAT_EQ(progress.fraction(), 0.4F);
  for (int i = 0; i < 3; ++i) progress.begin(1);
  progress.report(1);
  EXPECT_FLOAT_EQ(progress.fraction(), 1) << "more work than was expected";
}

TEST(Progress, OfNothingExpectedStaysAtTheStart) {
  Progress progress;
  progress.begin(5);
  progress.report(1);
  EXPECT_EQ(progress.fraction(), 0);
}

// What the fraction was at every check of an evaluation, and in the end.
std::vector<float> fractions_of(const AttentionConfig& config, Execution execution, Way way) {
  Progress progress;
  std::vector<float> fractions;
  progress.on_check = [&] { fractions.push_back(progress.fraction()); };
  execution.progress = &progress;
  evaluate_by(way, config, execution);
  fractions.push_back(progress.fraction());
  return fractions;
}

TEST(ProgressOfAnEvaluation, OnlyGrowsAndEndsAtOne) {
  for (const AttentionConfig& config : varied_configs()) {
    for (const Way way : both_ways) {
      const std::vector<float> fractions = fractions_of(config, serial(), way);
      EXPECT_TRUE(std::ranges::is_sorted(fractions)) << describe(config);
      EXPECT_EQ(fractions.front(), 0);
      EXPECT_NEAR(fractions.back(), 1, 1e-4) << describe(config);
    }
  }
}

TEST(ProgressOfAnEvaluation, OnSeveralThreadsEndsAtOneToo) {
  Progress progress;
  Execution execution = openmp(3);
  execution.progress = &progress;
  evaluate_by_engine(config_of(Mechanism::multi_head_attention), execution, nullptr);
  EXPECT_NEAR(progress.fraction(), 1, 1e-4);
}

TEST(ProgressOfAnEvaluation, MovesInSmallSteps) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 1500, .features = 96};
  config.d_out = 96;
  config.num_heads = 4;
  config.dropout = 0.5;
  const std::vector<float> fractions = fractions_of(config, serial(), Way::engine);
  float widest = 0;
  for (std::size_t i = 1; i < fractions.size(); ++i) widest = std::max(widest, fractions[i] - fractions[i - 1]);
  EXPECT_LT(widest, 0.2F);
}

}  // namespace
}  // namespace attnscope::test

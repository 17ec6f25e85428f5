#include "compute/evaluator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/error.h"
#include "core/evaluate.h"
#include "evaluator_support.h"
#include "platform/system/process.h"
#include "tests/support/patience.h"

namespace attnscope::test {
namespace {

// Seconds of work in little memory, whatever the machine.
AttentionConfig long_job() {
  AttentionConfig config;
  config.mechanism = Mechanism::self_attention_v2;
  config.mask = MaskRoute::none;
  config.inputs = RandnInputs{4096, 1024};
  config.d_out = 2048;
  return config;
}

void wait_until_running(const Evaluator& evaluator) {
  wait_until([&] { return evaluator.progress().has_value(); });  // there is none in the first moments
}

TEST(Evaluator, HasNothingBeforeTheFirstJob) {
  Evaluator evaluator;
  EXPECT_EQ(evaluator.latest().result, nullptr);
  EXPECT_EQ(evaluator.latest().finished_ticket, 0U);
  EXPECT_FALSE(evaluator.busy());
  EXPECT_FALSE(evaluator.wait(1, std::chrono::milliseconds(1)));
}

TEST(Evaluator, WithoutThreadsEvaluatesBetweenFrames) {
  const WithoutThreads none;
  int finished = 0;
  Evaluator evaluator([&] { ++finished; });
  const AttentionConfig config = config_with_seed(7, Evaluator::at_once_tokens + 1);
  evaluator.submit(config, Backend::serial, 1);
  EXPECT_TRUE(evaluator.busy());
  EXPECT_TRUE(work_between_frames());
  EXPECT_FALSE(evaluator.busy());
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(*evaluator.latest().result->find(Stage::output), *evaluate(config).find(Stage::output));
}

TEST(Evaluator, YieldsWhatEvaluateYields) {
  Evaluator evaluator;
  const AttentionConfig config = config_with_seed(7);
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config, Backend::serial, 0), long_enough));
  const Result expected = evaluate(config);
  const Evaluation latest = evaluator.latest();
  EXPECT_EQ(*latest.result->find(Stage::output), *expected.find(Stage::output));
  ASSERT_NE(latest.summaries->of(Stage::output), nullptr);
}

TEST(Evaluator, HasTheResultOfAFewTokensWhenSubmitReturns) {
  std::atomic<int> calls = 0;
  Evaluator evaluator([&] { ++calls; });
  for (const Index tokens : {6, 9, 64}) {
    const std::uint64_t ticket = evaluator.submit(config_with_seed(7, tokens), Backend::openmp, 0);
    const Evaluation latest = evaluator.latest();
    EXPECT_EQ(latest.finished_ticket, ticket) << tokens;
    EXPECT_EQ(latest.result_ticket, ticket) << tokens;
    EXPECT_EQ(token_count(latest.result->config), tokens);
    EXPECT_FALSE(evaluator.busy());
  }
  EXPECT_EQ(calls, 0);
}

// While a long evaluation ends, the one that replaced it is there already, and stays.
TEST(Evaluator, AFewTokensDoNotWaitForALongEvaluationToEnd) {
  Evaluator evaluator;
  const std::uint64_t long_ticket = evaluator.submit(long_job(), Backend::serial, 0);
  wait_until([&] { return evaluator.busy(); });
  const std::uint64_t ticket = evaluator.submit(config_with_seed(5), Backend::serial, 0);
  EXPECT_GT(ticket, long_ticket);
  EXPECT_EQ(evaluator.latest().result_ticket, ticket);
  wait_until([&] { return !evaluator.busy(); });
  EXPECT_EQ(evaluator.latest().result_ticket, ticket);
}

// As wide as it may be, 64 tokens take longer than a thread may be held that draws the window.
TEST(Evaluator, WideDocumentsOfFewTokensAreEvaluatedInTheBackground) {
  Evaluator evaluator;
  AttentionConfig config = config_with_seed(7, 64);
  config.inputs = RandnInputs{64, 2048};
  config.d_out = 2048;
  const std::uint64_t ticket = evaluator.submit(config, Backend::openmp, 0);
  EXPECT_LT(evaluator.latest().finished_ticket, ticket);
  EXPECT_TRUE(evaluator.wait(ticket, long_enough));
}

TEST(Evaluator, NewestOfManyWins) {
  Evaluator evaluator;
  std::uint64_t ticket = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ticket = evaluator.submit(config_with_seed(seed, 48), Backend::openmp, 0);
    EXPECT_EQ(ticket, seed);
  }
  ASSERT_TRUE(evaluator.wait(ticket, long_enough));
  EXPECT_EQ(evaluator.latest().result->config.seed, 200U);
  EXPECT_EQ(evaluator.latest().result_ticket, 200U);
}

TEST(Evaluator, NeverGoesBackToAnOlderResult) {
  Evaluator evaluator;
  std::uint64_t newest_seen = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    evaluator.submit(config_with_seed(seed, seed % 2 == 0 ? 6 : 96), Backend::openmp, 0);
    const Evaluation latest = evaluator.latest();
    EXPECT_GE(latest.finished_ticket, newest_seen);
    EXPECT_LE(latest.result_ticket, latest.finished_ticket);
    if (latest.result) {
      EXPECT_EQ(latest.result->config.seed, latest.result_ticket);
    }
    newest_seen = latest.finished_ticket;
    if (seed % 7 == 0) evaluator.wait(seed, std::chrono::milliseconds(1));
  }
}

TEST(Evaluator, LongJobGivesWayToANewerOne) {
  Evaluator evaluator;
  const std::uint64_t long_ticket = evaluator.submit(long_job(), Backend::serial, 0);
  wait_until_running(evaluator);
  const std::uint64_t ticket = evaluator.submit(config_with_seed(5), Backend::serial, 0);
  ASSERT_TRUE(evaluator.wait(long_ticket, long_enough)) << "waiting for a replaced job ends with the newer one";
  EXPECT_EQ(evaluator.latest().finished_ticket, ticket);
  EXPECT_EQ(evaluator.latest().result->config.seed, 5U);
}

TEST(Evaluator, HoldsNoLargeWeights) {
  Evaluator evaluator;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(gpt2_sized(3), Backend::openmp, 0), long_enough));
  const Evaluation latest = evaluator.latest();
  EXPECT_EQ(latest.result->find(Stage::weights), nullptr);
  EXPECT_TRUE(has(*latest.result, Stage::weights));
  EXPECT_NE(latest.summaries->of(Stage::weights), nullptr);
}

TEST(Evaluator, TellsHowFarALongEvaluationHasCome) {
  Evaluator evaluator;
  EXPECT_FALSE(evaluator.progress());
  AttentionConfig config = config_with_seed(3, 4096);
  config.d_out = 768;
  config.num_heads = 12;
  config.batch_size = 4;  // longer than any computer takes to show that it works
  const std::uint64_t ticket = evaluator.submit(config, Backend::serial, 0);
  float highest = 0;
  bool is_shown = false;
  while (evaluator.latest().finished_ticket < ticket && highest < 0.05F) {
    if (const std::optional<float> progress = evaluator.progress()) {
      is_shown = true;
      EXPECT_GE(*progress, highest);
      highest = *progress;
      EXPECT_LE(*progress, 1);
    }
    std::this_thread::yield();
  }
  EXPECT_TRUE(is_shown);
  EXPECT_GT(highest, 0);
}

TEST(Evaluator, DoesNotFinishItsJobWhenItIsDestroyed) {
  std::atomic<int> finished = 0;
  {
    Evaluator evaluator([&] { ++finished; });
    evaluator.submit(long_job(), Backend::serial, 0);
    wait_until_running(evaluator);
  }
  EXPECT_EQ(finished, 0);
}

TEST(Evaluator, KeepsTheLastGoodResultAndSaysWhatIsWrong) {
  Evaluator evaluator;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config_with_seed(3), Backend::serial, 0), long_enough));
  AttentionConfig bad = config_with_seed(4);
  bad.d_out = 3;
  bad.num_heads = 2;
  const std::uint64_t ticket = evaluator.submit(bad, Backend::serial, 0);
  ASSERT_TRUE(evaluator.wait(ticket, long_enough));
  const Evaluation latest = evaluator.latest();
  EXPECT_EQ(latest.result->config.seed, 3U);
  EXPECT_EQ(latest.result_ticket, 1U);
  EXPECT_EQ(latest.finished_ticket, ticket);
  EXPECT_NE(latest.error, "");
  EXPECT_EQ(latest.error_field, "num_heads");
}

TEST(Evaluator, RefusesWhatTheMachineHasNoMemoryFor) {
  Evaluator evaluator;
  AttentionConfig config = config_with_seed(3, 4096);
  config.d_out = 12288;
  config.num_heads = 128;
  config.batch_size = 64;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config, Backend::serial, 0), long_enough));
  EXPECT_EQ(evaluator.latest().result, nullptr);
  EXPECT_NE(evaluator.latest().error.find("bytes"), std::string::npos) << evaluator.latest().error;
}

TEST(Evaluator, TellsWhenItIsDoneButNotOfWhatItGaveUp) {
  std::atomic<const Evaluator*> asked = nullptr;
  std::atomic<int> calls = 0;
  std::atomic<int> early_calls = 0;
  Evaluator evaluator([&] {
    if (asked.load()->latest().finished_ticket < 2) ++early_calls;
    ++calls;
    calls.notify_all();
  });
  asked = &evaluator;
  evaluator.submit(long_job(), Backend::serial, 0);
  wait_until_running(evaluator);
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config_with_seed(5, 96), Backend::serial, 0), long_enough));
  calls.wait(0);
  EXPECT_EQ(early_calls, 0);
}

TEST(AvailableMemory, IsSome) { EXPECT_GT(available_memory(), 1'000'000U); }

}  // namespace
}  // namespace attnscope::test

// The head that is looked at is there before the others.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "compute/evaluator.h"
#include "core/error.h"
#include "core/evaluate.h"
#include "evaluator_support.h"

namespace attnscope::test {
namespace {

bool shows_single_head(const Evaluation& evaluation) {
  return evaluation.newer || (evaluation.result && !evaluation.result->finished.are_all());
}

std::vector<float> row_of_weights(const Result& result, Index matrix) {
  std::vector<float> cells(static_cast<std::size_t>(token_count(result.config)));
  read_cells(cells, result, Stage::weights, matrix, {700, 0, 1, token_count(result.config)});
  return cells;
}

// Keeps what was known when a head was published, and reads the head while the others are computed.
struct Listener {
  std::vector<Evaluation> published;
  std::vector<float> weights;
  std::jthread reader;
  Evaluator evaluator{[this] {
    const Evaluation latest = evaluator.latest();
    if (!shows_single_head(latest)) return;
    published.push_back(latest);
    reader = std::jthread([this, head = latest.newer ? latest.newer : latest.result] {
      const Index matrix = head->finished.only.value();
      for (const Stage stage : {Stage::queries, Stage::values, Stage::head_context}) {
        std::vector<float> cells(static_cast<std::size_t>(token_count(head->config) * head_features(head->config)));
        read_cells(cells, *head, stage, matrix, {0, 0, token_count(head->config), head_features(head->config)});
      }
      weights = row_of_weights(*head, matrix);
    });
  }};

  // The row of weights that was read of the newest head.
  std::vector<float> read() {
    reader.join();
    return weights;
  }
};

TEST(Evaluator, PublishesTheHeadThatIsLookedAtBeforeTheOthers) {
  Listener listener;
  Evaluator& evaluator = listener.evaluator;
  const std::uint64_t ticket = evaluator.submit(gpt2_sized(3), Backend::openmp, 0, 14);
  ASSERT_TRUE(evaluator.wait(ticket, long_enough));
  const Evaluation whole = evaluator.latest();
  EXPECT_TRUE(whole.result->finished.are_all());
  EXPECT_EQ(whole.published_heads, 1U);
  ASSERT_EQ(listener.published.size(), 1U);
  const Evaluation& first = listener.published.front();
  EXPECT_EQ(first.finished_ticket, 0U);
  EXPECT_EQ(first.result_ticket, 0U);
  EXPECT_EQ(first.result->finished, FinishedHeads{14});
  EXPECT_EQ(listener.read(), row_of_weights(*whole.result, 14));
  EXPECT_NE(first.summaries->of(Stage::weights), nullptr);
  EXPECT_EQ(first.summaries->of(Stage::output), nullptr);
}

TEST(Evaluator, AHeadOfTheSameSizesStandsBesideTheLastResult) {
  Listener listener;
  Evaluator& evaluator = listener.evaluator;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(gpt2_sized(3), Backend::openmp, 0), long_enough));
  const std::shared_ptr<const Result> last = evaluator.latest().result;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(gpt2_sized(4), Backend::openmp, 0, 5), long_enough));
  const Evaluation whole = evaluator.latest();
  ASSERT_EQ(listener.published.size(), 2U);
  const Evaluation& beside = listener.published.back();
  EXPECT_EQ(beside.result, last);
  ASSERT_TRUE(beside.newer);
  EXPECT_EQ(beside.newer->finished, FinishedHeads{5});
  EXPECT_EQ(listener.read(), row_of_weights(*whole.result, 5));
  EXPECT_EQ(whole.newer, nullptr);
}

// Nothing is built on a result of which only a head is finished, not even where the document is the same again.
TEST(Evaluator, ComputesTheWholeWhereAnEvaluationWasGivenUpAfterItsFirstHead) {
  std::atomic<bool> gives_up = true;
  Evaluator evaluator([&] {
    if (gives_up.exchange(false)) evaluator.submit(gpt2_sized(4), Backend::openmp, 0);
  });
  evaluator.submit(gpt2_sized(4), Backend::openmp, 0);
  ASSERT_TRUE(evaluator.wait(2, long_enough));
  const Evaluation latest = evaluator.latest();
  EXPECT_EQ(latest.published_heads, 2U);
  ASSERT_TRUE(latest.result);
  EXPECT_TRUE(latest.result->finished.are_all());
}

TEST(Evaluator, TheLastResultComesBackWhereTheRestOfAHeadFails) {
  Evaluator evaluator([&] {
    if (shows_single_head(evaluator.latest())) throw Error("There is no room for the other heads.");
  });
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config_with_seed(3), Backend::serial, 0), long_enough));
  const Evaluation before = evaluator.latest();
  ASSERT_TRUE(evaluator.wait(evaluator.submit(gpt2_sized(4), Backend::openmp, 0), long_enough));
  const Evaluation failed = evaluator.latest();
  EXPECT_EQ(failed.error, "There is no room for the other heads.");
  EXPECT_EQ(failed.result, before.result);
  EXPECT_EQ(failed.summaries, before.summaries);
  EXPECT_EQ(failed.result_ticket, before.result_ticket);
}

}  // namespace
}  // namespace attnscope::test

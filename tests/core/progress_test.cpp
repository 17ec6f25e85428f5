#include "core/execution.h"

#include "core/engine.h"
#include "core/summary.h"
#include "support.h"

namespace attnscope::test {
namespace {

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

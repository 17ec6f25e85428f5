#include "core/evaluate.h"
#include "support.h"

#include <algorithm>
#include <cmath>

namespace attnscope::test {
namespace {

AttentionConfig capped_config(Index tokens, double cap) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = tokens, .features = 24};
  config.d_out = 24;
  config.softcap = cap;
  return config;
}

double largest_scaled_score(const Result& result) {
  double largest = 0;
  for (const float score : result.find(Stage::scaled_scores)->values) {
    largest = std::max(largest, std::abs(static_cast<double>(score)));
  }
  return largest;
}

TEST(Softcap, StandsBetweenScalingAndTheMask) {
  const AttentionConfig config = capped_config(6, 5);
  EXPECT_EQ(score_route(config), (StageList{Stage::scores, Stage::scaled_scores, Stage::capped_scores,
                                            Stage::masked_scores, Stage::weights, Stage::dropped_weights}));
  AttentionConfig plain = config;
  plain.softcap.reset();
  EXPECT_FALSE(has_stage(plain, Stage::capped_scores));
  EXPECT_EQ(predecessors(plain, Stage::masked_scores)[0], Stage::scores);
}

TEST(Softcap, KeepsScoresBelowItAndHiddenOnesHidden) {
  AttentionConfig config = capped_config(40, 0.25);
  config.weight_overrides["W_query.weight"] = noise({24, 24}, 1);
  const Result result = evaluate_readable(config, serial());
  const auto capped = result.find(Stage::capped_scores)->matrix();
  const auto masked = result.find(Stage::masked_scores)->matrix();
  const auto weights = result.find(Stage::weights)->matrix();
  float largest = 0;
  for (Index row = 0; row < 40; ++row) {
    for (Index col = 0; col < 40; ++col) {
      EXPECT_LE(std::abs(capped(row, col)), 0.25F);
      largest = std::max(largest, std::abs(capped(row, col)));
      EXPECT_EQ(weights(row, col) == 0, col > row);
      if (col <= row) {
        EXPECT_EQ(masked(row, col), capped(row, col));
      }
    }
  }
  EXPECT_GT(largest, 0.2F) << "the cap acts";
}

TEST(Softcap, EngineAgreesWithTheReadableStages) {
  for (const double cap : {0.05, 0.5, 5.0, 50.0}) {
    for (const MaskRoute mask : {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_renormalized}) {
      AttentionConfig config = capped_config(200, cap);
      config.mask = mask;
      config.dropout = 0.1;
      SCOPED_TRACE(describe(config));
      const Result kept = evaluate_readable(config, serial());
      const Result computed = evaluate_by_engine(config, serial());
      EXPECT_TRUE(close(*computed.find(Stage::output), *kept.find(Stage::output), 4e-6)) << cap;
      // The cap makes numbers smaller, and not their errors.
      const double shrink = std::max(1.0, largest_scaled_score(kept) / cap);
      for (const Stage stage : score_route(config)) {
        Tensor cells({200, 200});
        read_cells(cells.values, computed, stage, 1, {0, 0, 200, 200});
        Tensor expected({200, 200});
        read_cells(expected.values, kept, stage, 1, {0, 0, 200, 200});
        EXPECT_TRUE(close(cells, expected, 4e-6 * shrink)) << info(stage).id << " " << cap;
      }
    }
  }
}

TEST(Softcap, LeavesWhatComesBeforeItStanding) {
  const AttentionConfig before = capped_config(6, 5);
  AttentionConfig after = before;
  after.softcap = 6;
  const StageSet stale = stale_stages(before, after);
  EXPECT_FALSE(stale.contains(Stage::scaled_scores));
  EXPECT_TRUE(stale.contains(Stage::capped_scores));
  EXPECT_TRUE(stale.contains(Stage::output));
  EXPECT_FALSE(stale.contains(Stage::dropout_factors));
}

TEST(Softcap, MustBeAboveZero) {
  EXPECT_THROW(check(capped_config(6, 0)), Error);
  EXPECT_THROW(check(capped_config(6, -1)), Error);
  EXPECT_NO_THROW(check(capped_config(6, 50)));
}

}  // namespace
}  // namespace attnscope::test

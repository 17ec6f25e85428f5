// What one evaluation has more than another one, cell by cell.

#include "core/evaluate.h"
#include "core/results.h"
#include "support.h"

#include <cmath>

namespace attnscope::test {
namespace {

std::shared_ptr<const Result> share(Result result) { return std::make_shared<const Result>(std::move(result)); }

// Every cell that can be read of the difference is that of now, less that of before.
void expect_subtracted(const Result& difference) {
  const Result& now = *difference.difference->now;
  const Result& before = *difference.difference->baseline;
  SCOPED_TRACE(describe(now.config));
  SCOPED_TRACE(describe(before.config));
  for (const StageInfo& stage : stages()) {
    ASSERT_EQ(has(difference, stage.stage), is_comparable(now, before, stage.stage)) << stage.id;
    if (!has(difference, stage.stage)) continue;
    const Tensor cells = read_stage(difference, stage.stage);
    const Tensor minuend = read_stage(now, stage.stage);
    const Tensor subtrahend = read_stage(before, stage.stage);
    ASSERT_EQ(cells.shape, minuend.shape) << stage.id;
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
      const float expected = difference_of(minuend.values[i], subtrahend.values[i]);
      ASSERT_EQ(cells.values[i], expected) << stage.id << " " << i;
    }
  }
}

TEST(Stages, AreEqualIfBothAreFinishedWithTheSameNumbers) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  Result left = evaluate_readable(config, serial());
  Result right = evaluate_readable(config, serial());
  ASSERT_NE(left.find(Stage::weights), right.find(Stage::weights));
  EXPECT_TRUE(is_equal(left, right, Stage::weights));
  EXPECT_TRUE(is_equal(left, left, Stage::weights));
  for (Result* const part : {&left, &right}) {
    part->finished.only = 0;
    EXPECT_FALSE(is_equal(left, right, Stage::weights)) << "numbers are still written";
    part->finished = {};
  }
  config.seed += 1;
  EXPECT_FALSE(is_equal(left, evaluate_readable(config, serial()), Stage::weights));
}

TEST(Stages, ShowDroppedCellsOnlyAfterDropout) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.dropout = 0.5;
  const auto now = std::make_shared<const Result>(evaluate_readable(config, serial()));
  EXPECT_TRUE(shows_dropped(*now, Stage::dropped_weights));
  for (const Stage stage : {Stage::weights, Stage::scores, Stage::context})
    EXPECT_FALSE(shows_dropped(*now, stage)) << info(stage).id;
  EXPECT_FALSE(shows_dropped(*difference_of(now, now), Stage::dropped_weights));
  config.training = false;
  EXPECT_FALSE(shows_dropped(evaluate_readable(config, serial()), Stage::dropped_weights));
}

TEST(Spread, IsEvenWithTheFirstAndTheLast) {
  EXPECT_EQ(spread(3, 9), (std::vector<Index>{0, 4, 8}));
  EXPECT_EQ(spread(3, 3), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(spread(5, 3), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(spread(1, 10), std::vector<Index>{9});
}

TEST(Difference, OfNumbersIsZeroUpToRounding) {
  EXPECT_EQ(difference_of(2, 0.5F), 1.5F);
  EXPECT_EQ(difference_of(1, 1.0000005F), 0);
  EXPECT_EQ(difference_of(-1e20F, -1.0000005e20F), 0);
  EXPECT_EQ(difference_of(1e-20F, 1.5e-20F), 1e-20F - 1.5e-20F) << "small numbers differ as large ones do";
  EXPECT_LT(difference_of(1, 1.000002F), 0);
  EXPECT_EQ(difference_of(-infinity, -infinity), 0);
  EXPECT_EQ(difference_of(-infinity, 1), -infinity);
  EXPECT_TRUE(std::isnan(difference_of(NAN, 1)));
  EXPECT_EQ(difference_of(1, 1 - 0.5e-6F), 0);
  EXPECT_NE(difference_of(1, 1 - 1.5e-6F), 0);
}

// A neighbour of a configuration, with every stage of the same shape.
AttentionConfig changed(AttentionConfig config) {
  config.seed += 1;
  config.mask = config.mask == MaskRoute::none ? MaskRoute::causal : MaskRoute::none;
  return config;
}

TEST(Difference, IsThatOfEveryCellOfEveryKindOfConfiguration) {
  for (const AttentionConfig& config : varied_configs()) {
    for (const Way way : both_ways) {
      const auto now = share(evaluate_by(way, config, serial()));
      const auto before = share(evaluate_by(way, changed(config), serial()));
      expect_subtracted(*difference_of(now, before));
    }
  }
}

// Where one evaluation holds what the other one computes when it is read.
TEST(Difference, OfAHeldAndAComputedResultIsHeld) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const auto now = share(evaluate_readable(config, serial()));
  config.seed = 5;
  const auto difference = difference_of(now, share(evaluate_by_engine(config, serial())));
  EXPECT_TRUE(difference->find(Stage::weights));
  expect_subtracted(*difference);
}

TEST(Difference, OfADocumentAndItselfIsZeroHiddenCellsToo) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.dropout = 0.5;
  const auto now = share(evaluate_by_engine(config, serial()));
  const auto difference = difference_of(now, now);
  for (const StageInfo& stage : stages()) {
    if (!has(*difference, stage.stage)) continue;
    for (const float cell : read_stage(*difference, stage.stage).values) EXPECT_EQ(cell, 0) << stage.id;
  }
}

TEST(Difference, OfACellThatIsHiddenNowIsMinusInfinity) {
  AttentionConfig config = config_of(Mechanism::self_attention_v2);
  config.mask = MaskRoute::causal;
  const auto now = share(evaluate_by_engine(config, serial()));
  config.mask = MaskRoute::none;
  const auto before = share(evaluate_by_engine(config, serial()));
  const auto difference = difference_of(now, before);
  EXPECT_FALSE(has(*difference, Stage::masked_scores)) << "before has none";
  const Tensor scaled = read_stage(*difference, Stage::scaled_scores);
  EXPECT_EQ(scaled.values[1], -infinity);
  EXPECT_FALSE(visibility(*difference, Stage::scaled_scores).hides(0, 1));
}

TEST(Difference, OfTwoMasksHidesNoneOfItsCells) {
  const AttentionConfig config = config_of(Mechanism::causal_attention);
  const auto now = share(evaluate(config, serial()));
  const auto difference = difference_of(now, share(evaluate(config, serial())));
  EXPECT_TRUE(visibility(*difference, Stage::weights).hides(0, 1)) << "both hide it";
  EXPECT_FALSE(visibility(*difference, Stage::mask).hides(0, 1)) << "there the difference of two marks is shown";
}

TEST(Difference, HasNoStageOfAnotherShapeOrStoredTheOtherWayRound) {
  AttentionConfig config = config_of(Mechanism::self_attention_v2);
  config.d_out = input_features(config);
  const auto now = share(evaluate(config, serial()));
  AttentionConfig wider = config;
  wider.d_out += 1;
  const auto other_shape = difference_of(now, share(evaluate(wider, serial())));
  EXPECT_FALSE(has(*other_shape, Stage::queries));
  EXPECT_TRUE(has(*other_shape, Stage::weights));
  AttentionConfig transposed = config;
  transposed.mechanism = Mechanism::self_attention_v1;
  const auto other_way = difference_of(now, share(evaluate(transposed, serial())));
  EXPECT_FALSE(has(*other_way, Stage::query_weight));
  EXPECT_TRUE(has(*other_way, Stage::queries));
}

// By the way that views take, for small stages and for large ones.
TEST(Difference, IsSummarizedAsItIsRead) {
  for (const Index tokens : {Index{5}, Index{300}}) {
    AttentionConfig config = config_of(Mechanism::multi_head_attention);
    config.inputs = RandnInputs{tokens, 8};
    config.dropout = 0.25;
    const auto now = share(evaluate(config, serial()));
    const auto difference = difference_of(now, share(evaluate(changed(config), serial())));
    for (const StageInfo& stage : stages()) {
      if (!has(*difference, stage.stage) || !is_per_head(config, stage.stage)) continue;
      const MatrixSummary summary = summarize_matrix(*difference, stage.stage, 1, serial());
      const Tensor cells = read_stage(*difference, stage.stage);
      StageSummary::Extremes extremes = no_extremes;
      const auto matrix = cells.matrix(1);
      for (Index row = 0; row < matrix.rows(); ++row) {
        double sum = 0;
        for (Index col = 0; col < matrix.cols(); ++col) {
          if (!std::isfinite(matrix(row, col))) continue;
          widen(extremes, {matrix(row, col), matrix(row, col)});
          sum += static_cast<double>(matrix(row, col));
        }
        EXPECT_NEAR(summary.row_sums[static_cast<std::size_t>(row)], sum, 1e-3) << stage.id;
      }
      EXPECT_EQ(summary.extremes.low, extremes.low) << stage.id;
      EXPECT_EQ(summary.extremes.high, extremes.high) << stage.id;
    }
  }
}

}  // namespace
}  // namespace attnscope::test

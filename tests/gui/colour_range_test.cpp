#include "look/colours.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

AttentionConfig config_of(Index tokens) {
  AttentionConfig config;
  config.mechanism = Mechanism::causal_attention;
  config.mask = MaskRoute::causal;
  config.inputs = RandnInputs{.tokens = tokens, .features = 3};
  return config;
}

StageSummary summary_with(float low, float high) {
  StageSummary summary;
  summary.matrices = {{0.001F, 0.9F}};
  summary.overall = summary.matrices.front();
  summary.spread =
      WeightSpread{.counted = {.keys = 100, .last = 1}, .low = low, .high = high, .smallest = 0.002F, .largest = 0.9F};
  return summary;
}

ColourRange range_of(Index tokens, RangeMode mode, const StageSummary& summary, Stage stage = Stage::weights) {
  Result result;
  result.config = config_of(tokens);
  return colour_range(result, stage, summary, 0, mode, false);
}

TEST(ColourRange, IsFixedForFewKeysAndRelativeForMany) {
  const StageSummary summary = summary_with(0.2F, 1.8F);
  const ColourRange few = range_of(12, RangeMode::automatic, summary);
  EXPECT_EQ(few.measure.kind, MeasureKind::value);
  EXPECT_EQ(few.high, 1);
  const ColourRange many = range_of(13, RangeMode::automatic, summary);
  EXPECT_EQ(many.measure.kind, MeasureKind::relative);
  EXPECT_EQ(many.low, 0);
  EXPECT_EQ(many.high, 2);
}

TEST(ColourRange, RelativeTakesTheNarrowestStepThatHoldsTheWeights) {
  EXPECT_EQ(range_of(24, RangeMode::relative, summary_with(0.97F, 1.04F)).high, 1.05F);
  EXPECT_EQ(range_of(24, RangeMode::relative, summary_with(0.8F, 1.2F)).low, 0.75F);
  EXPECT_EQ(range_of(24, RangeMode::relative, summary_with(0.1F, 3.5F)).high, 4);
  EXPECT_EQ(range_of(24, RangeMode::relative, summary_with(0, 700)).high, 8);
}

TEST(ColourRange, AnEvenWeightHasTheSameColourInEveryRowOfARelativeOne) {
  const ColourRange range = range_of(100, RangeMode::relative, summary_with(0.2F, 1.8F));
  EXPECT_EQ(cell_colour(range, 1.0F / 4, 3), cell_colour(range, 1.0F / 64, 63));
  EXPECT_NE(cell_colour(range, 1.0F / 4, 3), cell_colour(range, 1.0F / 4, 4));
}

TEST(ColourRange, LogarithmicGoesFromAPowerOfTenToAnother) {
  const ColourRange range = range_of(24, RangeMode::logarithmic, summary_with(0, 9));
  EXPECT_EQ(range.low, -3);
  EXPECT_EQ(range.high, 0);
  EXPECT_EQ(bar_number(range, range.low, 2), "0.001");
  EXPECT_EQ(bar_number(range, range.high, 2), "1");
  EXPECT_EQ(cell_colour(range, 0, 0), entries(Colormap::viridis).front());
  EXPECT_EQ(cell_colour(range, 1, 0), entries(Colormap::viridis).back());
}

TEST(ColourRange, OfScoresAndFactorsHasNoMeasure) {
  for (const RangeMode mode : {RangeMode::automatic, RangeMode::relative, RangeMode::logarithmic}) {
    const ColourRange scores = range_of(24, mode, summary_with(0, 2), Stage::scores);
    EXPECT_EQ(scores.measure.kind, MeasureKind::value);
    EXPECT_EQ(scores.low, -scores.high);
    EXPECT_EQ(range_of(24, mode, summary_with(0, 2), Stage::dropout_factors).measure.kind, MeasureKind::value);
  }
}

TEST(ColourRange, SaysWhatItsNumbersAre) {
  const ColourRange relative = range_of(24, RangeMode::automatic, summary_with(0.8F, 1.2F));
  EXPECT_EQ(bar_number(relative, relative.low, 2), "0.75×");
  EXPECT_EQ(bar_number(relative, 1.5, 2), "1.5×");
  EXPECT_EQ(bar_number(relative, 2, 2), "2×");
  EXPECT_EQ(measure_name(relative), "× visible keys");
  EXPECT_EQ(measure_name(range_of(6, RangeMode::automatic, summary_with(0, 2))), "");
}

}  // namespace
}  // namespace attnscope

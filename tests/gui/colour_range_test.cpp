#include "view/colours.h"

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

// Of the first matrix, from 0.001 to 0.9; of all, from −2 to 1.
TEST(ColourRange, OfItsOwnOrOfAllIsThatOfItsNumbers) {
  StageSummary summary = summary_with(0, 2);
  summary.matrices.push_back({-2, 1});
  summary.overall = {-2, 1};
  Result result;
  result.config = config_of(6);
  result.config.mechanism = Mechanism::multi_head_attention;
  const auto range = [&](Stage stage, Index matrix, RangeMode mode) {
    return colour_range(result, stage, summary, matrix, mode, false);
  };
  const auto expect_ends = [](const ColourRange& is, float low, float high) {
    EXPECT_EQ(is.low, low);
    EXPECT_EQ(is.high, high);
  };
  expect_ends(range(Stage::weights, 0, RangeMode::own), 0.001F, 0.9F);
  expect_ends(range(Stage::weights, 1, RangeMode::own), -2, 1);
  expect_ends(range(Stage::weights, 0, RangeMode::shared), -2, 1);
  expect_ends(range(Stage::weights, 0, RangeMode::fixed), 0, 1);
  expect_ends(range(Stage::scores, 0, RangeMode::own), -0.9F, 0.9F);
  expect_ends(range(Stage::scores, 1, RangeMode::own), -2, 2);
  expect_ends(range(Stage::scores, 0, RangeMode::fixed), -2, 2);
  expect_ends(range(Stage::mask, 1, RangeMode::own), -1, 1);
  expect_ends(signed_range(0, false), -1, 1);
  result.config.dropout = 0.75;
  expect_ends(range(Stage::weights, 0, RangeMode::fixed), 0, 1);
  expect_ends(range(Stage::dropped_weights, 0, RangeMode::fixed), 0, 4);
  expect_ends(range(Stage::dropout_factors, 0, RangeMode::fixed), 0, 4);
  result.config.dropout = 1;
  expect_ends(range(Stage::dropout_factors, 0, RangeMode::fixed), 0, 1);
}

TEST(ColourRange, HasTheMapOfItsNumbersAndOfTheTheme) {
  Result result;
  result.config = config_of(6);
  const auto map = [&](Stage stage, bool dark) {
    return colour_range(result, stage, summary_with(0, 2), 0, RangeMode::automatic, dark).map;
  };
  EXPECT_EQ(map(Stage::weights, true), Colormap::viridis);
  EXPECT_EQ(map(Stage::scores, false), Colormap::diverging);
  EXPECT_EQ(map(Stage::scores, true), Colormap::diverging_dark);
  EXPECT_EQ(map(Stage::mask, true), Colormap::diverging_dark);
  EXPECT_EQ(map(Stage::dropout_factors, false), Colormap::kept);
  EXPECT_EQ(map(Stage::dropout_factors, true), Colormap::kept_dark);
  EXPECT_EQ(entries(Colormap::kept).back(), (Rgb{203, 232, 196}));
  EXPECT_EQ(mix({0, 100, 200}, {100, 0, 200}, 0.25), (Rgb{25, 75, 200}));
}

TEST(ColourRange, LogarithmicReachesToTheLargestWeightButNotBelowAMillionth) {
  const auto range = [](float smallest, float largest) {
    StageSummary summary = summary_with(0, 2);
    summary.spread->smallest = smallest;
    summary.spread->largest = largest;
    return range_of(24, RangeMode::logarithmic, summary);
  };
  EXPECT_EQ(range(0.02F, 0.05F).low, -2);
  EXPECT_EQ(range(0.02F, 0.05F).high, -1);
  EXPECT_EQ(range(1e-12F, 0.5F).low, -6);
  EXPECT_EQ(range(0.1F, 0.1F).low, -2) << "a range is one power of ten wide at least";
  EXPECT_EQ(range(0.1F, 0.1F).high, -1);
  EXPECT_TRUE(is_centred(signed_range(2, false)));
  EXPECT_FALSE(is_centred({.low = -2, .high = 2, .measure = {MeasureKind::logarithm, {}}}));
  EXPECT_EQ(measure_name(range(0.1F, 1)), "logarithmic");
}

}  // namespace
}  // namespace attnscope

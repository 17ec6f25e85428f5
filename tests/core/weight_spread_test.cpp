// What colours relative to 1 / (number of keys that a query may see) follow from.

#include "core/summary.h"

#include "support.h"

#include <gtest/gtest.h>

namespace attnscope::test {
namespace {

constexpr Index T = 40;

AttentionConfig long_config(MaskRoute mask) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.inputs = RandnInputs{.tokens = T, .features = 3};
  config.mask = mask;
  return config;
}

std::vector<WeightRow> even_rows(bool is_causal) {
  std::vector<WeightRow> rows;
  for (const Index query : {Index{0}, Index{5}, T - 1}) {
    const Index seen = is_causal ? query + 1 : T;
    WeightRow row{query, std::vector<float>(T, 0.0F)};
    std::fill_n(row.weights.begin(), seen, 1.0F / static_cast<float>(seen));
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(WeightSpread, OfEvenWeightsIsOneWhateverTheMask) {
  for (const bool is_causal : {false, true}) {
    const std::vector<WeightRow> rows = even_rows(is_causal);
    const WeightSpread spread = weight_spread(rows, keys_seen(rows, T));
    EXPECT_FLOAT_EQ(spread.low, 1);
    EXPECT_FLOAT_EQ(spread.high, 1);
    EXPECT_FLOAT_EQ(spread.largest, is_causal ? 1 : 1.0F / T);
  }
}

TEST(WeightSpread, TakesWeightsFromElsewhereForCausalWhereTheUpperRightIsZero) {
  EXPECT_EQ(keys_seen(even_rows(true), T).of(5).count(), 6);
  EXPECT_EQ(keys_seen(even_rows(false), T).of(5).count(), T);
  std::vector<WeightRow> rows = even_rows(true);
  rows[1].weights[6] = 1e-6F;
  EXPECT_EQ(keys_seen(rows, T).of(5).count(), T);
  EXPECT_EQ(keys_seen(std::span(rows).last(1), T).of(5).count(), T) << "the last query alone says nothing";
}

TEST(WeightSpread, CountsTheKeysThatTheMaskLeaves) {
  for (const Way way : both_ways) {
    const Result causal = evaluate_by(way, long_config(MaskRoute::causal), serial());
    const WeightSpread spread = weight_spread(causal, Stage::weights);
    EXPECT_EQ(spread.counted.of(7).count(), 8);
    EXPECT_LT(spread.low, 1);
    EXPECT_GT(spread.high, 1);
    const Result after = evaluate_by(way, long_config(MaskRoute::causal_after_softmax), serial());
    EXPECT_EQ(weight_spread(after, Stage::weights).counted.of(7).count(), T);
    EXPECT_EQ(weight_spread(after, Stage::masked_weights).counted.of(7).count(), 8);
  }
}

TEST(WeightSpread, OfManyLongMatricesIsThatOfRowsOfManyHeads) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 700, .features = 4};
  config.d_out = 24;
  config.num_heads = 12;
  const Result result = evaluate_by_engine(config, serial(), nullptr);
  const WeightSpread spread = weight_spread(result, Stage::weights);
  EXPECT_EQ(spread, weight_spread(evaluate_by_engine(config, openmp(2), nullptr), Stage::weights));
  EXPECT_LE(spread.low, 1);
  EXPECT_GE(spread.high, 1);
  EXPECT_LE(spread.smallest, 1.0F / 700);
  EXPECT_GE(spread.largest, spread.smallest);
}

TEST(Measure, IsAMultipleOfOnePartOfTheVisibleKeysOrAPowerOfTen) {
  const Measure relative{MeasureKind::relative, {.keys = 8, .last = 1}};
  EXPECT_EQ(relative.of(0.25F, 3), 1);
  EXPECT_EQ(relative.of(0.5F, 7), 4);
  const Measure logarithm{MeasureKind::logarithm, {}};
  EXPECT_EQ(logarithm.of(0.01F, 3), -2);
  EXPECT_LT(logarithm.of(0, 3), -30);
  EXPECT_EQ(logarithm.of(-std::numeric_limits<float>::infinity(), 3), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(logarithm.of(std::numeric_limits<float>::quiet_NaN(), 3)));
  EXPECT_EQ(Measure().of(0.01F, 3), 0.01F);
}

}  // namespace
}  // namespace attnscope::test

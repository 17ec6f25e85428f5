#include "core/results.h"

#include "core/evaluate.h"
#include "core/tensor.h"
#include "support.h"
#include "tests/support/exact_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace attnscope::test {
namespace {

// Extremes and row sums of stages that are held, or computed when they are read.

TEST(Summarize, OfComputedMatricesAgreesWithThatOfKeptOnes) {
  for (AttentionConfig config : varied_configs()) {
    config.normalization = Normalization::softmax;  // sums near 0 make numbers that no tolerance fits
    const Result kept = evaluate_readable(config, serial());
    const Result computed = evaluate_by_engine(config, serial(), nullptr);
    const Summaries summaries(std::make_shared<const Result>(computed));
    for (const StageInfo& stage : stages()) {
      if (!has(computed, stage.stage)) continue;
      SCOPED_TRACE(describe(config) + " " + std::string(stage.id));
      // So few rows are all looked at.
      const StageSummary& actual = *summaries.of(stage.stage);
      const StageSummary expected = exact_summary(*kept.find(stage.stage));
      EXPECT_TRUE(actual.is_exact);
      EXPECT_NEAR(actual.overall.low, expected.overall.low, 1e-5);
      EXPECT_NEAR(actual.overall.high, expected.overall.high, 1e-5);
      ASSERT_EQ(actual.matrices.size(), expected.matrices.size());
      ASSERT_EQ(actual.row_sums.size(), expected.row_sums.size());
      for (std::size_t row = 0; row < expected.row_sums.size(); ++row) {
        EXPECT_NEAR(actual.row_sums[row], expected.row_sums[row], 1e-4) << row;
      }
    }
  }
}

TEST(Summarize, OfALongMatrixIsKnownWhenSomebodyHasLooked) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 800, .features = 8};
  config.d_out = 16;
  config.dropout = 0.5;
  const Result kept = evaluate_readable(config, serial());
  const auto computed = std::make_shared<const Result>(evaluate_by_engine(config, serial(), nullptr));
  const Summaries summaries(computed);
  for (const Stage stage : {Stage::scores, Stage::weights, Stage::dropped_weights}) {
    SCOPED_TRACE(info(stage).id);
    const SummaryPtr unknown = summaries.of(stage);
    EXPECT_FALSE(unknown->is_exact);
    EXPECT_TRUE(std::ranges::all_of(unknown->row_sums, [](float sum) { return std::isnan(sum); }));
    EXPECT_EQ(summaries.of(stage), unknown) << "nothing is new";
    summarize_matrix(*computed, stage, 1, serial());
    const SummaryPtr one = summaries.of(stage);
    EXPECT_FALSE(one->is_exact);
    const StageSummary exact = exact_summary(*kept.find(stage));
    EXPECT_NEAR(one->matrices[1].high, exact.matrices[1].high, 1e-5);
    EXPECT_EQ(one->matrices[0].high, one->overall.high) << "the best guess";
    for (std::size_t row = 800; row < 1600; ++row) ASSERT_NEAR(one->row_sums[row], exact.row_sums[row], 1e-3) << row;
    summarize_matrix(*computed, stage, 0, serial());
    EXPECT_TRUE(summaries.of(stage)->is_exact);
    EXPECT_EQ(summaries.of(stage)->spread, one->spread);
  }
}

TEST(Summaries, AreTakenOverWhereTheStageIsShared) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 40, .features = 5};
  const auto before = std::make_shared<const Result>(evaluate(config));
  const Summaries first(before);
  const SummaryPtr queries = first.of(Stage::queries);
  const SummaryPtr weights = first.of(Stage::weights);
  config.dropout = 0.5;
  const Summaries second(std::make_shared<const Result>(evaluate(config, {}, before.get())), &first);
  EXPECT_EQ(second.of(Stage::queries), queries);
  EXPECT_EQ(second.of(Stage::weights)->row_sums, weights->row_sums);
  EXPECT_NE(second.of(Stage::context), first.of(Stage::context));
  config.seed = 9;
  const Summaries third(std::make_shared<const Result>(evaluate(config, {}, before.get())), &first);
  EXPECT_NE(third.of(Stage::queries), queries);
  EXPECT_NE(third.of(Stage::weights)->row_sums, weights->row_sums);
}

TEST(Summaries, OfDroppedWeightsAreNotTakenOverFromOtherDraws) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 40, .features = 5};
  config.dropout = 0.5;
  const auto before = std::make_shared<const Result>(evaluate_by_engine(config, serial(), nullptr));
  const Summaries first(before);
  const SummaryPtr weights = first.of(Stage::weights);
  const SummaryPtr dropped = first.of(Stage::dropped_weights);
  config.dropout_seed = 9;
  const Summaries second(std::make_shared<const Result>(evaluate_by_engine(config, serial(), before.get())), &first);
  EXPECT_EQ(second.of(Stage::weights)->row_sums, weights->row_sums);
  EXPECT_NE(second.of(Stage::dropped_weights)->row_sums, dropped->row_sums);
}

// Heads that were not there then are not those of the first summary.
TEST(Summaries, AreMadeAnewWhenMoreHeadsAreFinished) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 40, .features = 5};
  const auto all = std::make_shared<const Result>(evaluate(config, serial()));
  auto one = std::make_shared<Result>(*all);
  one->finished = {.only = 1};
  const Summaries first(one);
  ASSERT_TRUE(first.of(Stage::weights));
  const SummaryPtr weights = Summaries(all, &first).of(Stage::weights);
  const SummaryPtr fresh = Summaries(all).of(Stage::weights);
  EXPECT_EQ(weights->row_sums, fresh->row_sums);
  EXPECT_EQ(weights->matrices[0].high, fresh->matrices[0].high);
}

std::vector<Stage> query_by_key_stages(const Result& result) {
  std::vector<Stage> wanted;
  for (const StageInfo& stage : stages()) {
    if (is_query_by_key(stage.axes) && has(result, stage.stage)) wanted.push_back(stage.stage);
  }
  return wanted;
}

// Against every cell, read by itself.
void expect_summaries(const Result& result, Index matrix) {
  const std::vector<Stage> wanted = query_by_key_stages(result);
  const Index T = token_count(result.config);
  std::vector<float> cells(static_cast<std::size_t>(T * T));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    SCOPED_TRACE(info(wanted[i]).id);
    const Index of_stage = wanted[i] == Stage::mask ? 0 : matrix;
    const MatrixSummary summary = summarize_matrix(result, wanted[i], of_stage, serial());
    read_cells(cells, result, wanted[i], of_stage, {0, 0, T, T});
    StageSummary::Extremes expected{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    for (const float cell : cells) {
      if (!std::isfinite(cell)) continue;
      expected = {std::min(expected.low, cell), std::max(expected.high, cell)};
    }
    EXPECT_EQ(summary.extremes.low, expected.low);
    EXPECT_EQ(summary.extremes.high, expected.high);
  }
}

TEST(SummarizeMatrix, OfAllStagesTogetherHasTheExtremesOfTheirCells) {
  for (AttentionConfig config : varied_configs()) {
    config.inputs = RandnInputs{.tokens = 1100, .features = 6};  // more than is read at once, either way
    config.batch_size = 1;
    std::erase_if(config.dropout_edits, [](const DropoutEdit& edit) { return edit.batch > 0; });
    SCOPED_TRACE(describe(config));
    expect_summaries(evaluate_by_engine(config, serial(), nullptr), head_count(config) - 1);
  }
}

TEST(SummarizeMatrix, OfNumbersThatOverflowIsOfTheFiniteOnes) {
  AttentionConfig config = config_of(Mechanism::simple_self_attention);
  Tensor inputs({150, 2});
  for (Index row = 0; row < 150; ++row) eigen(inputs).row(row) << static_cast<float>(row) - 70, 1;
  eigen(inputs).row(40) << 3e38F, -3e38F;  // its scores are infinite either way, or NaN
  eigen(inputs).row(90) << 3e38F, 3e38F;
  config.inputs = inputs;
  for (const MaskRoute mask : {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_renormalized}) {
    config.mask = mask;
    SCOPED_TRACE(describe(config));
    expect_summaries(evaluate_by_engine(config, serial(), nullptr), 0);
  }
}

// What colours relative to 1 / (number of keys that a query may see) follow from.

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
    const WeightSpread spread = weight_spread(rows, {.keys = T, .last = is_causal ? 1 : T});
    EXPECT_FLOAT_EQ(spread.low, 1);
    EXPECT_FLOAT_EQ(spread.high, 1);
    EXPECT_FLOAT_EQ(spread.largest, is_causal ? 1 : 1.0F / T);
  }
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

TEST(ExactSpread, IsTheSharesOfTheNumbersThatAreSeen) {
  WeightRow row{0, {}};
  for (int i = 0; i <= 100; ++i) row.weights.push_back(static_cast<float>(i) / 100);
  row.weights.push_back(std::numeric_limits<float>::infinity());  // is left out
  const WeightSpread spread = weight_spread(std::span(&row, 1), Visibility{.keys = 102});
  EXPECT_FLOAT_EQ(spread.low, 0.02F * 102);   // number 2 of 0 to 100
  EXPECT_FLOAT_EQ(spread.high, 0.99F * 102);  // number 99
  EXPECT_FLOAT_EQ(spread.smallest, 0.02F);    // number 1 of 0.01 to 1
  EXPECT_FLOAT_EQ(spread.largest, 1);
  row.query = 50;
  const WeightSpread causal = weight_spread(std::span(&row, 1), Visibility{.keys = 102, .last = 1});
  EXPECT_FLOAT_EQ(causal.low, 0.01F * 51);  // number 1 of 0 to 50
  EXPECT_FLOAT_EQ(causal.high, 0.49F * 51);
  EXPECT_FLOAT_EQ(causal.smallest, 0.01F);
  EXPECT_FLOAT_EQ(causal.largest, 0.5F);
  row.weights.assign(102, 0);
  const WeightSpread none = weight_spread(std::span(&row, 1), Visibility{.keys = 102});
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.largest, 1);
}

}  // namespace
}  // namespace attnscope::test

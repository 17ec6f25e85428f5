// Extremes and row sums of stages that are held, or computed when they are read.

#include "core/summary.h"

#include "core/cells.h"
#include "core/matrix.h"
#include "support.h"
#include "tests/support/exact_summary.h"

#include <algorithm>
#include <cmath>

namespace attnscope::test {
namespace {

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

TEST(Summarize, OfALongMatrixKnowsSumsThatNeedNoCellsAndSaysWhichItDoesNotKnow) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.inputs = RandnInputs{.tokens = 800, .features = 5};
  config.dropout = 0.5;
  const Result kept = evaluate_readable(config, serial());
  const Result computed = evaluate_by_engine(config, serial(), nullptr);
  const Summaries estimates(std::make_shared<const Result>(computed));
  for (const Stage stage : {Stage::scores, Stage::masked_scores, Stage::scaled_scores, Stage::weights, Stage::mask}) {
    const StageSummary& estimate = *estimates.of(stage);
    const StageSummary exact = exact_summary(*kept.find(stage));
    EXPECT_FALSE(estimate.is_exact);
    for (std::size_t row = 0; row < 800; ++row) {
      ASSERT_NEAR(estimate.row_sums[row], exact.row_sums[row], 1e-3) << row;
    }
  }
  const std::vector<float>& dropped = estimates.of(Stage::dropped_weights)->row_sums;
  EXPECT_TRUE(std::ranges::all_of(dropped, [](float sum) { return std::isnan(sum); }));
  const MatrixSummary all = summarize_matrix(computed, std::array{Stage::dropped_weights}, 0, serial()).front();
  const StageSummary exact = exact_summary(*kept.find(Stage::dropped_weights));
  for (std::size_t row = 0; row < 800; ++row) ASSERT_NEAR(all.row_sums[row], exact.row_sums[row], 1e-5) << row;
}

// Of a stage that is held, or read in that of all heads: an estimate lies within the exact extremes.
TEST(Summarize, OfALargeHeldStageIsEstimatedFromSomeRows) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 3000, .features = 128};
  config.d_out = 128;
  config.num_heads = 4;
  const auto result = std::make_shared<const Result>(evaluate(config));
  const Summaries summaries(result);
  for (const Stage stage : {Stage::queries, Stage::head_context, Stage::output}) {
    SCOPED_TRACE(info(stage).id);
    const StageSummary& estimate = *summaries.of(stage);
    EXPECT_FALSE(estimate.is_exact);
    const StageSummary exact = exact_summary(read_stage(*result, stage));
    ASSERT_EQ(estimate.row_sums.size(), exact.row_sums.size());
    EXPECT_GE(estimate.overall.low, exact.overall.low);
    EXPECT_LE(estimate.overall.high, exact.overall.high);
    EXPECT_GT(estimate.overall.high, exact.overall.high / 4);
    const MatrixSummary last = summarize_matrix(*result, {&stage, 1}, 0, serial()).front();
    EXPECT_EQ(last.extremes.low, exact.matrices.front().low);
    EXPECT_EQ(last.row_sums.back(), exact.row_sums[last.row_sums.size() - 1]);
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
  EXPECT_EQ(second.of(Stage::weights), weights);
  EXPECT_NE(second.of(Stage::context), first.of(Stage::context));
  config.seed = 9;
  const Summaries third(std::make_shared<const Result>(evaluate(config, {}, before.get())), &first);
  EXPECT_NE(third.of(Stage::queries), queries);
  EXPECT_NE(third.of(Stage::weights), weights);
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
  EXPECT_EQ(second.of(Stage::weights), weights);
  EXPECT_NE(second.of(Stage::dropped_weights), dropped);
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
  const std::vector<MatrixSummary> summaries = summarize_matrix(result, wanted, matrix, serial());
  const Index T = token_count(result.config);
  std::vector<float> cells(static_cast<std::size_t>(T * T));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    SCOPED_TRACE(info(wanted[i]).id);
    read_cells(cells, result, wanted[i], wanted[i] == Stage::mask ? 0 : matrix, {0, 0, T, T});
    StageSummary::Extremes expected{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    for (const float cell : cells) {
      if (!std::isfinite(cell)) continue;
      expected = {std::min(expected.low, cell), std::max(expected.high, cell)};
    }
    EXPECT_EQ(summaries[i].extremes.low, expected.low);
    EXPECT_EQ(summaries[i].extremes.high, expected.high);
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

}  // namespace
}  // namespace attnscope::test

// Cells that are computed when they are read agree with the tensors that hold them all.

#include "core/cells.h"
#include "core/matrix.h"

#include "core/cell_reader.h"
#include "core/explain.h"
#include "core/summary.h"
#include "support.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attnscope::test {
namespace {

constexpr double tolerance = 4e-6;

void expect_agreement(const AttentionConfig& config) {
  SCOPED_TRACE(describe(config));
  const Result kept = evaluate_readable(config, serial());
  const Result computed = evaluate_by_engine(config, serial(), nullptr);
  for (const StageInfo& stage : stages()) {
    ASSERT_EQ(has(computed, stage.stage), has_stage(config, stage.stage)) << stage.id;
    if (!has(computed, stage.stage)) continue;
    const bool is_read = is_query_by_key(stage.axes) || stage.stage == Stage::head_context;
    EXPECT_EQ(computed.find(stage.stage) == nullptr, is_read) << stage.id;
    const bool is_exact = stage.stage == Stage::mask || stage.stage == Stage::dropout_factors;
    EXPECT_TRUE(close(read_stage(computed, stage.stage), *kept.find(stage.stage), is_exact ? 0 : tolerance))
        << stage.id;
  }
}

// A score that overflowed to minus infinity is not one that a mask hides: such rows are not numbers, in both ways.
TEST(ReadCells, OfScoresThatOverflowedAreNotNumbers) {
  AttentionConfig config = config_of(Mechanism::self_attention_v1);
  config.inputs = Tensor({3, 1}, {1e20F, 2e20F, 1e20F});
  config.d_out = 1;
  config.weight_overrides = {{"W_query", Tensor({1, 1}, {1.0F})}, {"W_key", Tensor({1, 1}, {-1.0F})}};
  for (const MaskRoute mask : {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_renormalized}) {
    config.mask = mask;
    expect_agreement(config);
    const Result result = evaluate_by_engine(config, serial());
    for (const float weight : read_stage(result, Stage::weights).values) EXPECT_TRUE(std::isnan(weight));
    for (const float number : result.find(Stage::context)->values) EXPECT_TRUE(std::isnan(number));
  }
}

// Every mechanism, route, normalization and kernel, on sizes that no block divides.
TEST(ReadCells, AgreesWithTheKeptStagesOfEveryKindOfConfiguration) {
  for (const AttentionConfig& config : varied_configs()) expect_agreement(config);
}

TEST(ReadCells, AgreesWhereBlocksAreManyAndOdd) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const MaskRoute route :
         {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
      AttentionConfig config = config_of(mechanism.mechanism);
      config.inputs = RandnInputs{.tokens = 331, .features = 5};
      config.d_out = 6;
      config.num_heads = 2;
      config.batch_size = 2;
      config.mask = route;
      config.dropout = 0.3;
      config.dropout_kernel = route == MaskRoute::causal ? DropoutKernel::mkl : DropoutKernel::standard;
      expect_agreement(config);
      config.dropout_kernel = DropoutKernel::mkl;
      config.dropout_seed = 5;
      if (mechanism.has_heads) expect_agreement(config);
    }
  }
}

TEST(ReadCells, AgreesForOneToken) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    AttentionConfig config = config_of(mechanism.mechanism);
    config.inputs = RandnInputs{.tokens = 1, .features = 3};
    config.dropout = 0.5;
    expect_agreement(config);
  }
}

TEST(ReadCells, DividesByTheSumOverManyBlocks) {
  AttentionConfig config = config_of(Mechanism::simple_self_attention);
  config.normalization = Normalization::sum;
  Tensor inputs = noise({300, 4}, 3);
  for (float& value : inputs.values) value = std::abs(value);
  config.inputs = inputs;
  for (const MaskRoute route : {MaskRoute::none, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
    config.mask = route;
    expect_agreement(config);
  }
}

// Where scores reach thousands, their own rounding moves a weight by a thousandth; what must hold all the same is that
// a row's weights and its sum speak of the same scores.
TEST(ReadCells, OfScoresTooLargeForExponentialsStillSumsToOne) {
  AttentionConfig config = config_of(Mechanism::simple_self_attention);
  Tensor inputs = noise({300, 4}, 3);
  for (float& value : inputs.values) value *= 40;
  config.inputs = inputs;
  for (const MaskRoute route : {MaskRoute::none, MaskRoute::causal}) {
    config.mask = route;
    const Result computed = evaluate_by_engine(config, serial(), nullptr);
    const Tensor weights = read_stage(computed, Stage::weights);
    EXPECT_TRUE(close(weights, *evaluate_readable(config, serial()).find(Stage::weights), 2e-3));
    for (Index row = 0; row < 300; ++row) EXPECT_NEAR(eigen(weights).row(row).sum(), 1, 2e-6) << row;
  }
}

TEST(ReadCells, OfAnyRectangleIsACutOfTheWhole) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention_wrapper);
  config.inputs = RandnInputs{.tokens = 150, .features = 5};
  config.batch_size = 2;
  config.dropout = 0.4;
  for (const Way way : both_ways) {
    const Result result = evaluate_by(way, config, serial());
    for (const CellRect& rect : {CellRect{3, 70, 5, 80}, CellRect{149, 0, 1, 150}, CellRect{0, 149, 150, 1},
                                 CellRect{60, 61, 10, 3}, CellRect{7, 7, 0, 0}}) {
      for (const Stage stage : {Stage::dropped_weights, Stage::dropout_factors, Stage::masked_scores, Stage::mask}) {
        const Index matrix = stage == Stage::mask ? 0 : 2;
        const Tensor whole = read_stage(result, stage);
        Tensor cut({rect.rows, rect.cols});
        read_cells(cut.values, result, stage, matrix, rect);
        Tensor expected({rect.rows, rect.cols});
        if (cut.size() > 0) {
          eigen(expected) = eigen(whole, matrix).block(rect.row, rect.col, rect.rows, rect.cols);
        }
        EXPECT_TRUE(close(cut, expected, tolerance)) << info(stage).id;
      }
    }
  }
}

TEST(ReadCells, WithStepsLeavesOutRowsAndColumns) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 150, .features = 5};
  config.dropout = 0.4;
  const CellRect rect = {5, 2, 20, 30};
  const CellStep step = {7, 4};
  for (const Way way : both_ways) {
    const Result result = evaluate_by(way, config, serial());
    for (const Stage stage :
         {Stage::mask, Stage::scores, Stage::masked_scores, Stage::dropout_factors, Stage::dropped_weights}) {
      const Index matrix = stage == Stage::mask ? 0 : 1;
      const Tensor whole = read_stage(result, stage);
      Tensor expected({rect.rows, rect.cols});
      for (Index row = 0; row < rect.rows; ++row) {
        for (Index col = 0; col < rect.cols; ++col) {
          expected.matrix()(row, col) =
              std::as_const(whole).matrix(matrix)(rect.row + row * step.rows, rect.col + col * step.cols);
        }
      }
      Tensor picked({rect.rows, rect.cols});
      read_cells(picked.values, result, stage, matrix, rect, step);
      EXPECT_TRUE(close(picked, expected, tolerance)) << info(stage).id;
    }
  }
}

// At sizes that fill their panels of keys, begin another, or share out few keys over two.
TEST(CellRows, AreTheCellsThatAreReadAlone) {
  for (const Index tokens : {1, 15, 17, 33, 48, 49, 60, 65, 97, 145}) {
    AttentionConfig config = config_of(Mechanism::multi_head_attention);
    config.inputs = RandnInputs{.tokens = tokens, .features = 8};
    config.d_out = 16;
    config.dropout = 0.5;
    SCOPED_TRACE(describe(config));
    const Result computed = evaluate_by_engine(config, serial(), nullptr);
    const CellReader reader(computed, 1, serial());
    for (const Stage stage :
         {Stage::scores, Stage::mask, Stage::weights, Stage::dropout_factors, Stage::dropped_weights}) {
      for (const Index first : {Index{0}, tokens / 3}) {
        const CellRect rect{first, first, tokens - first, tokens - first};
        std::vector<float> expected(static_cast<std::size_t>(rect.rows * rect.cols));
        read_cells(expected, computed, stage, 1, rect);
        std::vector<float> actual;
        CellRows(reader, rect).read(first, rect.cols, {stage}, [&](Stage, const CellBlock& block) {
          for (Index row = first; row < tokens; ++row) {
            actual.insert(actual.end(), block.at(row, first), block.at(row, first) + rect.cols);
          }
        });
        EXPECT_EQ(actual, expected) << info(stage).id << " from " << first;
      }
    }
  }
}

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
      const StageSummary expected = summarize(*kept.find(stage.stage), serial());
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
    const StageSummary exact = summarize(*kept.find(stage), serial());
    EXPECT_FALSE(estimate.is_exact);
    for (std::size_t row = 0; row < 800; ++row) {
      ASSERT_NEAR(estimate.row_sums[row], exact.row_sums[row], 1e-3) << row;
    }
  }
  const std::vector<float>& dropped = estimates.of(Stage::dropped_weights)->row_sums;
  EXPECT_TRUE(std::ranges::all_of(dropped, [](float sum) { return std::isnan(sum); }));
  const MatrixSummary all = summarize_matrix(computed, std::array{Stage::dropped_weights}, 0, serial()).front();
  const StageSummary exact = summarize(*kept.find(Stage::dropped_weights), serial());
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
    const StageSummary exact = summarize(read_stage(*result, stage), serial());
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

std::vector<Stage> squares_of(const Result& result) {
  std::vector<Stage> squares;
  for (const StageInfo& stage : stages()) {
    if (is_query_by_key(stage.axes) && has(result, stage.stage)) squares.push_back(stage.stage);
  }
  return squares;
}

// Against every cell, read by itself.
void expect_summaries(const Result& result, Index matrix) {
  const std::vector<Stage> squares = squares_of(result);
  const std::vector<MatrixSummary> summaries = summarize_matrix(result, squares, matrix, serial());
  const Index T = token_count(result.config);
  std::vector<float> cells(static_cast<std::size_t>(T * T));
  for (std::size_t i = 0; i < squares.size(); ++i) {
    SCOPED_TRACE(info(squares[i]).id);
    read_cells(cells, result, squares[i], squares[i] == Stage::mask ? 0 : matrix, {0, 0, T, T});
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

TEST(ReadCells, CopiesStagesThatAreAlwaysKept) {
  const Result result = evaluate_by_engine(config_of(Mechanism::multi_head_attention), serial(), nullptr);
  EXPECT_EQ(read_stage(result, Stage::queries), *result.find(Stage::queries));
  EXPECT_EQ(read_stage(result, Stage::output), *result.find(Stage::output));
}

TEST(Explain, IsTheSameAfterEitherWayOfEvaluating) {
  for (AttentionConfig config : varied_configs()) {
    config.normalization = Normalization::softmax;  // sums near 0 make numbers that no tolerance fits
    const Result kept = evaluate_readable(config, serial());
    const Result computed = evaluate_by_engine(config, serial(), nullptr);
    for (const StageInfo& stage : stages()) {
      if (!has(kept, stage.stage)) continue;
      const Index last = kept.find(stage.stage)->rows() - 1;
      const Source cell{stage.stage, config.batch_size - 1, head_count(config) - 1, last, last / 2};
      if (cell.col >= stage_shape(config, stage.stage).back()) continue;
      const Explanation expected = explain(kept, cell);
      const Explanation actual = explain(computed, cell);
      EXPECT_EQ(actual.operation, expected.operation) << stage.id;
      EXPECT_NEAR(actual.value, expected.value, 1e-5) << stage.id;
      ASSERT_EQ(actual.operands.size(), expected.operands.size()) << stage.id;
      for (std::size_t i = 0; i < expected.operands.size(); ++i) {
        EXPECT_EQ(actual.operands[i].line, expected.operands[i].line);
        for (std::size_t at = 0; at < expected.operands[i].values.size(); ++at) {
          EXPECT_NEAR(actual.operands[i].values.at(at), expected.operands[i].values[at], 1e-5) << stage.id;
        }
      }
      EXPECT_EQ(is_dropped(computed, cell), is_dropped(kept, cell)) << stage.id;
      EXPECT_EQ(is_masked(computed, cell), is_masked(kept, cell)) << stage.id;
    }
  }
}

}  // namespace
}  // namespace attnscope::test

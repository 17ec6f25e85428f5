// Cells that are computed when they are read agree with the tensors that hold them all.

#include "core/cells.h"
#include "core/cell_reader.h"
#include "core/matrix.h"
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
  config.bias = noise({150, 150}, 8);
  const CellRect rect = {5, 2, 20, 30};
  const CellStep step = {7, 4};
  for (const Way way : both_ways) {
    const Result result = evaluate_by(way, config, serial());
    for (const Stage stage : {Stage::mask, Stage::scores, Stage::biased_scores, Stage::masked_scores,
                              Stage::dropout_factors, Stage::dropped_weights}) {
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
TEST(CellReader, ReadsTogetherWhatIsReadAlone) {
  const StageSet together = {Stage::scores, Stage::mask, Stage::weights, Stage::dropout_factors,
                             Stage::dropped_weights};
  for (const Index tokens : {1, 15, 17, 33, 48, 49, 60, 65, 97, 145}) {
    AttentionConfig config = config_of(Mechanism::multi_head_attention);
    config.inputs = RandnInputs{.tokens = tokens, .features = 8};
    config.d_out = 16;
    config.dropout = 0.5;
    SCOPED_TRACE(describe(config));
    const Result computed = evaluate_by_engine(config, serial(), nullptr);
    const CellReader reader(computed, 1, together, serial());
    for (const Index first : {Index{0}, tokens / 3}) {
      const CellRect rect{first, first, tokens - first, tokens - first};
      std::vector<float> expected(static_cast<std::size_t>(rect.rows * rect.cols));
      Index visits = 0;
      StageMap<std::vector<float>> seen;
      CellRows(reader, rect).read(first, rect.cols, together, [&](Stage stage, const CellBlock& block) {
        EXPECT_EQ(block.rect, rect);
        std::vector<float> actual;
        for (Index row = first; row < tokens; ++row) {
          actual.insert(actual.end(), block.at(row, first), block.at(row, first) + rect.cols);
        }
        seen[stage] = std::move(actual);
        ++visits;
      });
      EXPECT_EQ(visits, 5);
      for (const StageInfo& stage : stages()) {
        if (!together.contains(stage.stage)) continue;
        read_cells(expected, computed, stage.stage, 1, rect);
        EXPECT_EQ(seen[stage.stage], expected) << stage.id << " from " << first;
      }
    }
  }
}

// Cells that a step picks are visited under the numbers that they would have without it, in pieces that cover them all.
TEST(CellReader, VisitsEveryPickedCellOnce) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 2500, .features = 8};
  config.d_out = 16;
  const Result computed = evaluate_by_engine(config, serial(), nullptr);
  const CellRect rect{4, 3, 5, 1200};
  const CellStep step{400, 2};
  std::vector<float> expected(static_cast<std::size_t>(rect.rows * rect.cols));
  read_cells(expected, computed, Stage::weights, 1, rect, step);
  std::vector<float> actual(expected.size(), -1);
  const CellReader reader(computed, 1, {Stage::weights}, rect, step, serial());
  const auto copy = [&](Stage, const CellBlock& block) {
    for (Index row = rect.row; row < rect.row + rect.rows; ++row) {
      const Index at = (row - rect.row) * rect.cols + block.rect.col - rect.col;
      EXPECT_EQ(actual[static_cast<std::size_t>(at)], -1) << "read twice";
      std::copy_n(block.at(row, block.rect.col), block.rect.cols, actual.begin() + at);
    }
  };
  reader.read(rect, {Stage::weights}, copy);
  EXPECT_EQ(actual, expected);
  const Tensor whole = read_stage(computed, Stage::weights);
  EXPECT_EQ(actual.back(), std::as_const(whole).matrix(1)(4 + 4 * 400, 3 + 1199 * 2));
}

TEST(ReadCells, CopiesStagesThatAreAlwaysKept) {
  const Result result = evaluate_by_engine(config_of(Mechanism::multi_head_attention), serial(), nullptr);
  EXPECT_EQ(read_stage(result, Stage::queries), *result.find(Stage::queries));
  EXPECT_EQ(read_stage(result, Stage::output), *result.find(Stage::output));
}

}  // namespace
}  // namespace attnscope::test

// Cells that are computed when they are read agree with the tensors that hold them all.

#include "core/evaluate.h"
#include "core/heads.h"
#include "core/tensor.h"
#include "support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
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

// A score that overflowed is not one that a mask hides: as in PyTorch, a row with +∞, or of −∞ alone, is not a number,
// at every size and in both ways, and so are its context and output.
TEST(ReadCells, OfScoresThatOverflowedAreNotNumbers) {
  for (const Index tokens : {3, 9, 70, 200}) {
    for (const float key : {1.0F, -1.0F}) {
      for (const bool has_zero : {false, true}) {
        AttentionConfig config = config_of(Mechanism::self_attention_v1);
        Tensor inputs({tokens, 1});
        std::ranges::fill(inputs.values, 1e20F);
        if (has_zero) inputs.values[1] = 0;  // which has a score of 0 with every token
        config.inputs = inputs;
        config.d_out = 1;
        config.weight_overrides = {{"W_query", Tensor({1, 1}, {1.0F})}, {"W_key", Tensor({1, 1}, {key})}};
        for (const MaskRoute mask :
             {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
          config.mask = mask;
          expect_agreement(config);
          const Result result = evaluate_by_engine(config, serial());
          const Tensor weights = read_stage(result, Stage::weights);
          const bool is_infinite = key > 0 || !has_zero;
          EXPECT_EQ(std::isnan(weights.values.front()), is_infinite || mask == MaskRoute::causal);
          EXPECT_EQ(std::isnan(weights.values.back()), is_infinite);
        }
      }
    }
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

bool are_same(std::span<const float> left, std::span<const float> right) {
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size_bytes()) == 0;
}

// Whoever computes, in whichever pieces: rows by themselves, the whole matrix, several stages together, threads.
TEST(Heads, HaveTheSameBitsInBlocksAndWhole) {
  for (const AttentionConfig& varied : varied_configs()) {
    AttentionConfig config = varied;
    if (begins_with_heads(config)) continue;
    config.inputs = RandnInputs{.tokens = 150, .features = input_features(config)};
    config.dropout_edits.clear();
    SCOPED_TRACE(describe(config));
    const Result result = evaluate_by_engine(config, serial());
    const Index matrix = config.batch_size * head_count(config) - 1;
    StageSet all;
    for (const StageInfo& stage : stages()) {
      if (is_query_by_key(stage.axes) && has(result, stage.stage)) all.add(stage.stage);
    }
    const HeadMatrices whole = compute_head(result, matrix, all, {Backend::openmp, 3, {}});
    const HeadMatrices last = HeadRows(result, matrix, all, serial()).compute(128, 22, {});
    for (const StageInfo& stage : stages()) {
      ASSERT_EQ(whole[stage.stage] != nullptr, all.contains(stage.stage)) << stage.id;
      if (!all.contains(stage.stage)) continue;
      const Tensor alone = *HeadRows(result, matrix, {stage.stage}, serial()).compute(67, 5, {})[stage.stage];
      const std::span<const float> cells = whole[stage.stage]->values;
      EXPECT_TRUE(are_same(cells.subspan(67 * 150, 5 * 150), alone.values)) << stage.id;
      EXPECT_TRUE(are_same(cells.subspan(128 * 150), last[stage.stage]->values)) << stage.id;
    }
  }
}

TEST(HeadStore, KeepsWhatItComputedAndItsSummary) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 150, .features = 5};
  const Result result = evaluate_by_engine(config, serial());
  HeadStore& heads = *result.heads;
  EXPECT_EQ(heads.find(Stage::weights, 1, 150), nullptr);
  EXPECT_FALSE(heads.knows(Stage::weights, 1));
  heads.make(result, {Stage::weights, Stage::scores}, 1, serial());
  const TensorPtr weights = heads.find(Stage::weights, 1, 150);
  ASSERT_TRUE(weights);
  EXPECT_EQ(heads.whole(result, Stage::weights, 1, serial()).owner, weights);
  EXPECT_EQ(heads.around(result, Stage::weights, 1, 149).owner, weights);
  EXPECT_TRUE(heads.knows(Stage::scores, 1));
  EXPECT_FALSE(heads.knows(Stage::weights, 0));
  heads.summarize(result, {Stage::weights}, 0, serial());
  EXPECT_TRUE(heads.knows(Stage::weights, 0));
  EXPECT_EQ(heads.known_count(Stage::weights), 2U);
  EXPECT_EQ(heads.find(Stage::weights, 0, 150), nullptr) << "only summarized";
  EXPECT_NEAR(heads.summary(Stage::weights, 0)->row_sums[100], 1, 1e-6);
  const CellBlock block = heads.around(result, Stage::weights, 0, 70);
  EXPECT_EQ(block.rect, (CellRect{64, 0, 64, 150}));
  EXPECT_EQ(heads.around(result, Stage::weights, 0, 127).owner, block.owner);
  heads.make(result, {Stage::weights}, 0, serial());
  EXPECT_TRUE(heads.find(Stage::weights, 0, 150)) << "that its summary is known is not enough";
  heads.make(result, {Stage::queries}, 0, serial());
  heads.summarize(result, {Stage::queries}, 0, serial());
  EXPECT_FALSE(heads.knows(Stage::queries, 0)) << "no matrix of queries by keys";
}

TEST(HeadStore, ComputesNothingTwice) {
  Index reads = 0;
  auto attention = std::make_shared<ImportedAttention>();
  attention->queries = attention->keys = 10;
  attention->read = [&](std::span<float> cells, Index, const CellRect&) {
    ++reads;
    std::ranges::fill(cells, 0.5F);
  };
  const Result result = result_of(attention);
  result.heads->make(result, {Stage::weights}, 0, serial());
  const Index once = reads;
  result.heads->make(result, {Stage::weights}, 0, serial());
  result.heads->summarize(result, {Stage::weights}, 0, serial());
  EXPECT_EQ(reads, once);
}

TEST(HeadStore, HandsOutSomeRowsAsTheyStandInTheWholeAndKeepsNoSummaryOfThem) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 150, .features = 5};
  const Result result = evaluate_by_engine(config, serial());
  HeadStore& heads = *result.heads;
  std::vector<float> rows;
  heads.pass(result, {Stage::weights}, 1, 64, 64, serial(), [&](Index first, const HeadMatrices& part) {
    EXPECT_EQ(first, 64);
    rows.assign(part[Stage::weights]->values.begin(), part[Stage::weights]->values.end());
  });
  EXPECT_FALSE(heads.knows(Stage::weights, 1));
  heads.pass(result, {Stage::weights}, 1, 128, 22, serial(), {});
  EXPECT_FALSE(heads.knows(Stage::weights, 1)) << "the last rows are not all";
  const auto around = [&](Index row) { return heads.around(result, Stage::weights, 1, row); };
  EXPECT_EQ(around(3).rect.row, 0);
  EXPECT_TRUE(are_same(std::span(around(70).at(64, 0), rows.size()), rows));
  EXPECT_EQ(around(149).rect, (CellRect{128, 0, 22, 150}));
  const TensorPtr whole = compute_head(result, 1, {Stage::weights}, serial())[Stage::weights];
  EXPECT_TRUE(are_same(std::span<const float>(whole->values).subspan(64 * 150, 64 * 150), rows));
}

// The block of rows around a row is the whole of a small matrix.
TEST(HeadStore, SummarizesAMatrixOfWhichOneRowWasRead) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 12, .features = 5};
  const Result result = evaluate_by_engine(config, serial());
  std::vector<float> row(12);
  read_cells(row, result, Stage::weights, 1, {3, 0, 1, 12});
  EXPECT_NEAR(summarize_matrix(result, Stage::weights, 1, serial()).row_sums[3], 1, 1e-6);
}

Result of_six_heads() {
  auto attention = std::make_shared<ImportedAttention>();
  attention->queries = attention->keys = 10;
  attention->heads = 6;
  attention->read = [](std::span<float> cells, Index, const CellRect&) { std::ranges::fill(cells, 0.5F); };
  return result_of(attention);
}
constexpr std::size_t room_for_five = 5 * 10 * 10 * sizeof(float);  // of these heads

// Five matrices fit into the memory, and not six.
TEST(HeadStore, ForgetsTheLeastRecentlyUsedMatrixWhereThereIsNoRoom) {
  const Result result = of_six_heads();
  HeadStore heads(room_for_five);
  const auto has_kept = [&](Index matrix) { return heads.find(Stage::weights, matrix, 10) != nullptr; };
  for (Index matrix = 0; matrix < 5; ++matrix) heads.make(result, {Stage::weights}, matrix, serial());
  ASSERT_TRUE(has_kept(0)) << "which counts as a use";
  heads.make(result, {Stage::weights}, 5, serial());
  EXPECT_FALSE(has_kept(1));
  for (const Index matrix : {0, 2, 3, 4, 5}) EXPECT_TRUE(has_kept(matrix)) << matrix;
}

TEST(HeadStore, CountsItsMemoryAsMatricesComeAndGo) {
  const Result result = of_six_heads();
  HeadStore heads(room_for_five);
  for (int round = 0; round < 3; ++round) {
    for (Index matrix = 0; matrix < 6; ++matrix) heads.make(result, {Stage::weights}, matrix, serial());
  }
  EXPECT_EQ(heads.find(Stage::weights, 0, 10), nullptr);
  for (Index matrix = 1; matrix < 6; ++matrix) EXPECT_TRUE(heads.find(Stage::weights, matrix, 10)) << matrix;
  HeadStore small(1);
  EXPECT_TRUE(small.whole(result, Stage::weights, 0, serial()).owner) << "the newest one stays, however large it is";
}

TEST(HeadStore, HasOneOriginForAStageAndAnotherForOthers) {
  HeadStore heads;
  HeadStore later;
  EXPECT_EQ(heads.origin(Stage::weights), heads.origin(Stage::weights));
  EXPECT_NE(heads.origin(Stage::weights), heads.origin(Stage::scores));
  later.share(heads, {Stage::weights});
  EXPECT_EQ(later.origin(Stage::weights), heads.origin(Stage::weights));
  EXPECT_NE(later.origin(Stage::scores), heads.origin(Stage::scores));
}

TEST(HeadRows, OfAFileAreOfItsStageAlone) {
  auto attention = std::make_shared<ImportedAttention>();
  attention->queries = attention->keys = 10;
  attention->heads = 2;
  attention->read = [](std::span<float> cells, Index matrix, const CellRect& rect) {
    std::ranges::fill(cells, static_cast<float>(100 * matrix + rect.row));
  };
  const Result result = result_of(attention);
  const HeadMatrices rows = HeadRows(result, 1, {Stage::weights}, serial()).compute(3, 2, {});
  EXPECT_EQ(rows[Stage::weights]->values.front(), 103);
  EXPECT_EQ(rows[Stage::scores], nullptr);
  EXPECT_EQ(HeadRows(result, 1, {Stage::scores}, serial()).compute(3, 2, {})[Stage::weights], nullptr);
}

TEST(Heads, AreKeptWholeUpToAMillionCellsAndComputedAtOnceIfThatIsQuick) {
  Result result;
  const auto of_tokens = [&](Index tokens) {
    result.config = config_of(Mechanism::multi_head_attention);
    result.config.d_out = 4;
    result.config.num_heads = 2;
    result.config.inputs = RandnInputs{.tokens = tokens, .features = 5};
    return result;
  };
  EXPECT_TRUE(are_kept_whole(of_tokens(1024)));
  EXPECT_FALSE(are_kept_whole(of_tokens(1025)));
  EXPECT_TRUE(are_computed_at_once(of_tokens(100), 22)) << "100 * 100 * (2 + 16) * 22 multiplications";
  EXPECT_FALSE(are_computed_at_once(of_tokens(100), 23));
  auto attention = std::make_shared<ImportedAttention>();
  attention->queries = attention->keys = 2000;
  EXPECT_TRUE(are_kept_whole(result_of(attention)));
  attention->queries = attention->keys = 2;
  EXPECT_FALSE(are_computed_at_once(result_of(attention), 1)) << "a file may be slow";
}

TEST(HeadStore, IsTakenOverAsFarAsNumbersStayTheSame) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 150, .features = 5};
  config.dropout = 0.5;
  const Result before = evaluate_by_engine(config, serial());
  before.heads->make(before, {Stage::weights, Stage::dropped_weights}, 1, serial());
  config.dropout_seed = 9;
  const Result after = evaluate_by_engine(config, serial(), &before);
  EXPECT_EQ(after.heads->find(Stage::weights, 1, 150), before.heads->find(Stage::weights, 1, 150));
  EXPECT_TRUE(after.heads->knows(Stage::weights, 1));
  EXPECT_EQ(after.heads->find(Stage::dropped_weights, 1, 150), nullptr);
  EXPECT_FALSE(after.heads->knows(Stage::dropped_weights, 1));
}

TEST(ReadCells, CopiesStagesThatAreAlwaysKept) {
  const Result result = evaluate_by_engine(config_of(Mechanism::multi_head_attention), serial(), nullptr);
  EXPECT_EQ(read_stage(result, Stage::queries), *result.find(Stage::queries));
  EXPECT_EQ(read_stage(result, Stage::output), *result.find(Stage::output));
}

}  // namespace
}  // namespace attnscope::test

// A head that is computed first can be read while the others are computed, and changes no bit of any.

#include "core/dropout.h"
#include "core/engine.h"
#include "core/evaluate.h"
#include "support.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace attnscope::test {
namespace {

using Cells = std::map<Stage, std::vector<float>>;

std::vector<float> matrix_of(const Result& result, Stage stage, Index matrix) {
  const std::vector<Index> shape = stage_shape(result.config, stage);
  const CellRect all{0, 0, shape[shape.size() - 2], shape.back()};
  std::vector<float> cells(static_cast<std::size_t>(all.rows * all.cols));
  read_cells(cells, result, stage, matrix, all);
  return cells;
}

// Every stage from queries to the head's context.
Cells head_of(const Result& result, Index matrix) {
  Cells cells;
  for (const StageInfo& stage : stages()) {
    const bool is_of_head = stage.axes == StageAxes::head_query_key || stage.axes == StageAxes::head_token_feature;
    if (is_of_head && has(result, stage.stage)) cells[stage.stage] = matrix_of(result, stage.stage, matrix);
  }
  return cells;
}

Result evaluate_head_first(const AttentionConfig& config, Index matrix, const std::function<void(Result)>& publish,
                           const Result* previous = nullptr) {
  Engine engine;
  const HeadFirst first = {matrix, publish};
  return evaluate_by_engine(config, openmp(2), previous, &engine, &first);
}

// The head has its bits when it is published, and all heads have theirs in the end.
void expect_first(const AttentionConfig& config, Index matrix, const Result* previous = nullptr) {
  const Result expected = evaluate_by_engine(config, openmp(2));
  int count = 0;
  const auto publish = [&](const Result& published) {
    ++count;
    EXPECT_EQ(published.finished, FinishedHeads{matrix});
    EXPECT_EQ(published.instruction_set, expected.instruction_set);
    EXPECT_EQ(head_of(published, matrix), head_of(expected, matrix)) << "matrix " << matrix;
  };
  const Result whole = evaluate_head_first(config, matrix, publish, previous);
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(whole.finished.are_all());
  EXPECT_TRUE(same_result(whole, expected));
}

AttentionConfig four_heads() {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({40, 6}, 3);
  config.num_heads = 4;
  config.d_out = 8;
  return config;
}

TEST(HeadFirst, ChangesNoBit) {
  for (const Mechanism mechanism : {Mechanism::multi_head_attention, Mechanism::multi_head_attention_wrapper}) {
    for (const MaskRoute route :
         {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
      AttentionConfig config = config_of(mechanism);
      config.inputs = noise({131, 7}, 3);
      config.num_heads = 3;
      config.d_out = 15;
      config.batch_size = 2;
      config.qkv_bias = true;
      config.mask = route;
      config.dropout = 0.3;
      config.dropout_kernel = route == MaskRoute::none ? DropoutKernel::mkl : DropoutKernel::standard;
      SCOPED_TRACE(describe(config));
      for (const Index matrix : {0, 4, 5}) expect_first(config, matrix);
    }
  }
}

// Each of its own panels, or several to a panel, with panels enough for several blocks.
TEST(HeadFirst, ChangesNoBitOfWideHeads) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({200, 5}, 3);
  config.d_out = 1536;
  for (const Index heads : {4, 12, 96}) {
    config.num_heads = heads;
    for (const Index head : {Index{0}, heads / 2, heads - 1}) expect_first(config, head);
  }
}

TEST(HeadFirst, HasTheWeightsThatWereEdited) {
  AttentionConfig config = four_heads();
  config.weight_overrides["W_key.weight"] = noise({8, 6}, 9);
  expect_first(config, 2);
}

TEST(HeadFirst, ComesFirstWhereOnlyDropoutChanged) {
  AttentionConfig config = four_heads();
  config.dropout = 0.5;
  const Result before = evaluate_by_engine(config, openmp(2));
  config.dropout_seed = 9;
  expect_first(config, 1, &before);
}

TEST(HeadFirst, ComesFirstWhereOnlySomeTokensChanged) {
  AttentionConfig config = four_heads();
  config.inputs = noise({400, 6}, 3);
  const Result before = evaluate_by_engine(config, openmp(2));
  add(config, 300, 2, 0.5F);
  expect_first(config, 3, &before);
}

TEST(HeadFirst, IsAnEntryOfABatchWhereThereIsOneHead) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.batch_size = 3;
  expect_first(config, 1);
}

TEST(HeadFirst, BeyondTheLastIsTheLast) {
  std::optional<Index> published;
  evaluate_head_first(four_heads(), 99, [&](const Result& result) { published = result.finished.only; });
  EXPECT_EQ(published, 3);
}

TEST(HeadFirst, IsNotPublishedWhereItIsTheOnlyOne) {
  const auto fail = [](const Result&) { ADD_FAILURE(); };
  evaluate_head_first(config_of(Mechanism::causal_attention), 0, fail);
  AttentionConfig config = four_heads();
  config.num_heads = 1;
  evaluate_head_first(config, 0, fail);
}

TEST(HeadFirst, OtherHeadsAndWhatIsMadeOfAllWait) {
  evaluate_head_first(four_heads(), 2, [](const Result& published) {
    for (const Stage stage : {Stage::queries, Stage::scores, Stage::weights, Stage::head_context}) {
      EXPECT_TRUE(has(published, stage, 2)) << info(stage).id;
      EXPECT_FALSE(has(published, stage, 1)) << info(stage).id;
    }
    for (const Stage stage : {Stage::inputs, Stage::query_weight, Stage::mask}) {
      EXPECT_TRUE(has(published, stage, 0)) << info(stage).id;
    }
    EXPECT_FALSE(has(published, Stage::context));
    EXPECT_FALSE(has(published, Stage::output));
  });
}

// What stands in the place of the head's numbers stays, while the other heads follow.
TEST(HeadFirst, IsNeitherComputedNorWrittenAgain) {
  AttentionConfig config = four_heads();
  config.batch_size = 2;
  const Index matrix = 6;
  const Result expected = evaluate_by_engine(config, openmp(2));
  const float mark = 7;
  const Index head_size = 40 * 2;
  const auto cells_of = [&](const Result& result, Stage stage) {
    return const_cast<float*>(result.find(stage)->values.data()) + matrix * head_size;
  };
  const auto publish = [&](const Result& published) {
    std::fill_n(cells_of(published, Stage::queries), head_size, mark);
    std::fill_n(cells_of(published, Stage::keys), head_size, mark);
    std::fill_n(cells_of(published, Stage::values), head_size, mark);
    const auto context = held_block(published, Stage::head_context, matrix).value();
    for (Index row = 0; row < 40; ++row) std::fill_n(const_cast<float*>(context.at(row, 0)), 2, mark);
  };
  const Result whole = evaluate_head_first(config, matrix, publish);
  const std::vector<float> marks(head_size, mark);
  for (const Stage stage : {Stage::queries, Stage::keys, Stage::values, Stage::head_context}) {
    EXPECT_EQ(matrix_of(whole, stage, matrix), marks) << info(stage).id;
    for (const Index other : {0, 5, 7}) {
      EXPECT_EQ(matrix_of(whole, stage, other), matrix_of(expected, stage, other)) << info(stage).id;
    }
  }
}

}  // namespace
}  // namespace attnscope::test

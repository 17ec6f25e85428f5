// One head, computed before the others, has the bits that it has among them.

#include "core/head_alone.h"

#include "core/cells.h"
#include "core/dropout_mask.h"
#include "core/engine.h"
#include "support.h"

#include <cstring>
#include <optional>

namespace attnscope::test {
namespace {

// What an evaluation published first, and what came of it.
struct Published {
  std::optional<Result> alone;
  Result whole;
};

Published evaluate_head_first(const AttentionConfig& config, Index matrix, const Result* previous = nullptr) {
  Published published;
  Engine engine;
  const HeadFirst first = {matrix, &engine, [&](Result alone) { published.alone = std::move(alone); }};
  published.whole = evaluate_by_engine(config, openmp(2), previous, nullptr, &first);
  return published;
}

std::vector<float> matrix_of(const Result& result, Stage stage, Index matrix) {
  const std::vector<Index> shape = stage_shape(result.config, stage);
  const CellRect all{0, 0, shape[shape.size() - 2], shape.back()};
  std::vector<float> cells(static_cast<std::size_t>(all.rows * all.cols));
  read_cells(cells, result, stage, matrix, all);
  return cells;
}

bool same_numbers(const std::vector<float>& left, const std::vector<float>& right) {
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0;
}

// Every stage from queries to dropped weights.
void expect_head(const Published& published, Index matrix) {
  ASSERT_TRUE(published.alone);
  EXPECT_FALSE(has(*published.alone, Stage::context));
  for (const StageInfo& stage : stages()) {
    const bool has_heads = stage.axes == StageAxes::head_query_key || stage.axes == StageAxes::head_token_feature;
    if (!has_heads || stage.stage == Stage::head_context || !has(published.whole, stage.stage)) continue;
    ASSERT_TRUE(has(*published.alone, stage.stage)) << stage.id;
    EXPECT_TRUE(
        same_numbers(matrix_of(*published.alone, stage.stage, 0), matrix_of(published.whole, stage.stage, matrix)))
        << stage.id << " of matrix " << matrix;
  }
}

TEST(HeadAlone, HasTheBitsOfTheWhole) {
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
      for (const Index matrix : {0, 4, 5}) expect_head(evaluate_head_first(config, matrix), matrix);
    }
  }
}

AttentionConfig four_heads() {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({40, 6}, 3);
  config.num_heads = 4;
  config.d_out = 8;
  return config;
}

TEST(HeadAlone, WeightsThatWereEditedAreItsOwn) {
  AttentionConfig config = four_heads();
  config.weight_overrides["W_key.weight"] = noise({8, 6}, 9);
  expect_head(evaluate_head_first(config, 2), 2);
}

TEST(HeadAlone, IsPublishedWhereOnlyDropoutChanged) {
  AttentionConfig config = four_heads();
  config.dropout = 0.5;
  const Published before = evaluate_head_first(config, 1);
  config.dropout_seed = 9;
  expect_head(evaluate_head_first(config, 1, &before.whole), 1);
}

TEST(HeadAlone, AHeadBeyondTheLastIsTheLast) { expect_head(evaluate_head_first(four_heads(), 99), 3); }

TEST(HeadAlone, NothingIsPublishedOfASingleMatrix) {
  EXPECT_FALSE(evaluate_head_first(config_of(Mechanism::causal_attention), 0).alone);
  AttentionConfig config = four_heads();
  config.num_heads = 1;
  EXPECT_FALSE(evaluate_head_first(config, 0).alone);
}

TEST(HeadAlone, TheWholeHasTheBitsThatItHasWithoutIt) {
  const AttentionConfig config = four_heads();
  const Result plain = evaluate_by_engine(config, openmp(2), nullptr);
  const Published published = evaluate_head_first(config, 1);
  EXPECT_TRUE(same_bits(*published.whole.find(Stage::output), *plain.find(Stage::output)));
  EXPECT_EQ(published.whole.rows->sum, plain.rows->sum);
}

}  // namespace
}  // namespace attnscope::test

#include "core/source.h"

#include "core/stages/rule.h"

#include "support.h"

#include <cmath>

namespace attnscope::test {
namespace {

TEST(Explain, ProjectionNamesItsWeightAndHasATermForEachFeature) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention_wrapper);
  config.qkv_bias = true;
  const Result result = evaluate_readable(config);
  const Explanation explanation = explain(result, {Stage::keys, 0, 1, 2, 1});
  EXPECT_TRUE(explanation.operation->is_sum_of_products);
  ASSERT_EQ(explanation.operands.size(), 3U);
  const Operand& inputs = explanation.operands[0];
  EXPECT_EQ(inputs.line, (SourceLine{{Stage::inputs, 0, 1, 2, 0}, 3}));
  const Operand& weights = explanation.operands[1];
  EXPECT_EQ(weights.line, (SourceLine{{Stage::key_weight, 0, 1, 1, 0}, 3}));
  EXPECT_EQ(weights.values.at(2), find(*result.parameters, "heads.1.W_key.weight")->matrix()(1, 2));
  const Operand& bias = explanation.operands[2];
  EXPECT_EQ(bias.line.first.stage, Stage::key_bias);
  EXPECT_EQ(bias.values.front(), find(*result.parameters, "heads.1.W_key.bias")->values[1]);
}

TEST(Explain, OutputComesFromTheContextThroughOutProj) {
  const Result result = evaluate_readable(config_of(Mechanism::multi_head_attention));
  const Explanation output = explain(result, {Stage::output, 0, 0, 3, 1});
  ASSERT_EQ(output.operands.size(), 3U);
  EXPECT_EQ(output.operands[0].line.first.stage, Stage::context);
  EXPECT_EQ(output.operands[1].line.first, (Source{Stage::output_weight, 0, 0, 1, 0}));
  EXPECT_EQ(output.operands[2].line.first, (Source{Stage::output_bias, 0, 0, 0, 1}));
  const Explanation context = explain(result, {Stage::context, 0, 0, 3, 1});
  EXPECT_TRUE(context.operation->is_copy);
  EXPECT_EQ(context.operands.at(0).line.first, (Source{Stage::head_context, 0, 1, 3, 0}));
}

TEST(Explain, SaysWhereInputsComeFrom) {
  AttentionConfig config = config_of(Mechanism::simple_self_attention);
  EXPECT_EQ(explain(evaluate_readable(config), {Stage::inputs, 0, 0, 1, 1}).operation, &operations::typed);
  config.inputs = RandnInputs{};
  EXPECT_EQ(explain(evaluate_readable(config), {Stage::inputs, 0, 0, 1, 1}).operation, &operations::drawn);
  config.mechanism = Mechanism::self_attention_v2;
  EXPECT_EQ(explain(evaluate_readable(config), {Stage::query_weight, 0, 0, 1, 1}).operation, &operations::drawn);
  config.weight_overrides["W_query.weight"] = Tensor({2, 3});
  EXPECT_EQ(explain(evaluate_readable(config), {Stage::query_weight, 0, 0, 1, 1}).operation, &operations::typed);
}

TEST(Explain, MaskedScoreKeepsTheScoreThatItHides) {
  const Result result = evaluate_readable(config_of(Mechanism::causal_attention));
  const Explanation hidden = explain(result, {Stage::masked_scores, 0, 0, 1, 4});
  EXPECT_EQ(hidden.operation, &operations::masked);
  EXPECT_EQ(hidden.value, -infinity);
  EXPECT_EQ(hidden.operands.at(0).values.front(), result.find(Stage::scores)->matrix()(1, 4));
  EXPECT_TRUE(explain(result, {Stage::masked_scores, 0, 0, 4, 1}).operation->is_copy);
  EXPECT_EQ(explain(result, {Stage::mask, 0, 0, 4, 1}).operation, &operations::mask_rule);
}

TEST(IsMasked, BeginsWithTheStageThatMasks) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  const Result before = evaluate_readable(config);
  EXPECT_FALSE(is_masked(before, {Stage::scores, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(before, {Stage::mask, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(before, {Stage::weights, 0, 0, 1, 4}));
  EXPECT_FALSE(is_masked(before, {Stage::weights, 0, 0, 4, 1}));
  EXPECT_FALSE(is_masked(before, {Stage::weights, 0, 0, 1, 1}));
  EXPECT_FALSE(is_masked(before, {Stage::dropout_factors, 0, 0, 1, 4}));
  config.mask = MaskRoute::causal_after_softmax;
  const Result after = evaluate_readable(config);
  EXPECT_FALSE(is_masked(after, {Stage::weights, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(after, {Stage::masked_weights, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(after, {Stage::dropped_weights, 0, 0, 1, 4}));
  config.mask = MaskRoute::none;
  EXPECT_FALSE(is_masked(evaluate_readable(config), {Stage::weights, 0, 0, 1, 4}));
}

TEST(IsDropped, FollowsTheFactors) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.dropout = 0.5;
  const Result result = evaluate_readable(config);
  const auto factors = result.find(Stage::dropout_factors)->matrix();
  for (Index row = 0; row < 6; ++row) {
    for (Index col = 0; col < 6; ++col) {
      EXPECT_EQ(is_dropped(result, {Stage::dropped_weights, 0, 0, row, col}), factors(row, col) == 0);
      EXPECT_FALSE(is_dropped(result, {Stage::weights, 0, 0, row, col}));
    }
  }
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

#include "core/explain.h"

#include "support.h"

#include <cmath>
#include <functional>
#include <limits>

namespace attnscope::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

double number(float value) { return static_cast<double>(value); }

// Calls visit for every cell of every stage that a result has.
void for_each_cell(const Result& result, const std::function<void(const Cell&)>& visit) {
  for (const StageInfo& stage : stages()) {
    const Tensor* tensor = result.find(stage.stage);
    if (!tensor) continue;
    const bool has_heads = tensor->rank() == 4;
    for (Index m = 0; m < tensor->matrix_count(); ++m) {
      const Index heads = has_heads ? tensor->shape[1] : 1;
      for (Index row = 0; row < tensor->rows(); ++row) {
        for (Index col = 0; col < tensor->cols(); ++col) visit({stage.stage, m / heads, m % heads, row, col});
      }
    }
  }
}

// What the explanation's own arithmetic comes to; `magnitude` is the size of what was added up.
double arithmetic_of(const Explanation& explanation, double& magnitude) {
  double sum = explanation.bias ? number(*explanation.bias) : 0;
  magnitude = std::abs(sum);
  switch (explanation.operation) {
    case Operation::dot_product:
      for (const Explanation::Term& term : explanation.terms) {
        sum += number(term.left_value) * number(term.right_value);
        magnitude += std::abs(number(term.left_value) * number(term.right_value));
      }
      return sum;
    case Operation::masked:
      return number(-infinity);
    case Operation::copied:
      return number(explanation.terms.at(0).left_value);
    case Operation::scaled:
      return number(explanation.terms.at(0).left_value) / number(explanation.terms.at(0).right_value);
    case Operation::softmax:
      return std::exp(number(explanation.terms.at(0).left_value) - number(explanation.row_max)) /
             number(explanation.row_sum);
    case Operation::share_of_sum:
      return number(explanation.terms.at(0).left_value) / number(explanation.row_sum);
    case Operation::product:
      return number(explanation.terms.at(0).left_value) * number(explanation.terms.at(0).right_value);
    case Operation::given:
    case Operation::read:
    case Operation::drawn:
    case Operation::mask_rule:
    case Operation::kept_or_dropped:
      break;
  }
  return number(explanation.value);
}

TEST(Explain, ArithmeticReproducesEveryCell) {
  for (const AttentionConfig& config : varied_configs()) {
    const Result result = evaluate(config, serial());
    for_each_cell(result, [&](const Cell& cell) {
      const Explanation explanation = explain(result, cell);
      double magnitude = 0;
      const double recomputed = arithmetic_of(explanation, magnitude);
      const double value = number(explanation.value);
      ASSERT_EQ(explanation.value, value_at(result, cell));
      const double allowed = 1e-5 * std::max(std::abs(value), magnitude) + 1e-30;
      ASSERT_TRUE(recomputed == value || std::abs(recomputed - value) <= allowed)
          << info(cell.stage).id << " row " << cell.row << " col " << cell.col << ": " << recomputed << " for " << value
          << " in " << describe(config);
    });
  }
}

TEST(Explain, TermsStandWhereTheySayTheyDo) {
  for (const AttentionConfig& config : varied_configs()) {
    const Result result = evaluate(config, serial());
    for_each_cell(result, [&](const Cell& cell) {
      const Explanation explanation = explain(result, cell);
      for (const Explanation::Term& term : explanation.terms) {
        ASSERT_LT(term.left.stage, cell.stage);
        ASSERT_EQ(value_at(result, term.left), term.left_value) << info(cell.stage).id;
        const bool has_cell = explanation.operation == Operation::dot_product && explanation.weight_name.empty();
        if (has_cell) {
          ASSERT_EQ(value_at(result, term.right), term.right_value) << info(cell.stage).id;
        }
      }
    });
  }
}

TEST(Explain, ProjectionNamesItsWeightAndHasATermForEachFeature) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention_wrapper);
  config.qkv_bias = true;
  const Result result = evaluate(config);
  const Explanation explanation = explain(result, {Stage::keys, 0, 1, 2, 1});
  EXPECT_EQ(explanation.operation, Operation::dot_product);
  EXPECT_EQ(explanation.weight_name, "heads.1.W_key.weight");
  ASSERT_EQ(explanation.terms.size(), 3U);
  EXPECT_EQ(explanation.terms[2].left, (Cell{Stage::inputs, 0, 1, 2, 2}));
  EXPECT_EQ(explanation.terms[2].right_value, find(*result.parameters, "heads.1.W_key.weight")->matrix()(1, 2));
  EXPECT_EQ(explanation.bias, find(*result.parameters, "heads.1.W_key.bias")->values[1]);
}

TEST(Explain, OutputComesFromTheContextThroughOutProj) {
  const Result result = evaluate(config_of(Mechanism::multi_head_attention));
  const Explanation output = explain(result, {Stage::output, 0, 0, 3, 1});
  EXPECT_EQ(output.weight_name, "out_proj.weight");
  EXPECT_TRUE(output.bias.has_value());
  EXPECT_EQ(output.terms.at(0).left.stage, Stage::context);
  const Explanation context = explain(result, {Stage::context, 0, 0, 3, 1});
  EXPECT_EQ(context.operation, Operation::copied);
  EXPECT_EQ(context.terms.at(0).left, (Cell{Stage::head_context, 0, 1, 3, 0}));
}

TEST(Explain, SaysWhereInputsComeFrom) {
  AttentionConfig config = config_of(Mechanism::simple_self_attention);
  EXPECT_EQ(explain(evaluate(config), {Stage::inputs, 0, 0, 1, 1}).operation, Operation::given);
  config.inputs = RandnInputs{};
  EXPECT_EQ(explain(evaluate(config), {Stage::inputs, 0, 0, 1, 1}).operation, Operation::drawn);
}

TEST(Explain, MaskedScoreKeepsTheScoreThatItHides) {
  const Result result = evaluate(config_of(Mechanism::causal_attention));
  const Explanation hidden = explain(result, {Stage::masked_scores, 0, 0, 1, 4});
  EXPECT_EQ(hidden.operation, Operation::masked);
  EXPECT_EQ(hidden.value, -infinity);
  EXPECT_EQ(hidden.terms.at(0).left_value, result.find(Stage::scores)->matrix()(1, 4));
  EXPECT_EQ(explain(result, {Stage::masked_scores, 0, 0, 4, 1}).operation, Operation::copied);
  EXPECT_EQ(explain(result, {Stage::mask, 0, 0, 4, 1}).operation, Operation::mask_rule);
}

TEST(IsMasked, BeginsWithTheStageThatMasks) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  const Result before = evaluate(config);
  EXPECT_FALSE(is_masked(before, {Stage::scores, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(before, {Stage::mask, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(before, {Stage::weights, 0, 0, 1, 4}));
  EXPECT_FALSE(is_masked(before, {Stage::weights, 0, 0, 4, 1}));
  EXPECT_FALSE(is_masked(before, {Stage::weights, 0, 0, 1, 1}));
  EXPECT_FALSE(is_masked(before, {Stage::dropout_factors, 0, 0, 1, 4}));
  config.mask = MaskRoute::causal_after_softmax;
  const Result after = evaluate(config);
  EXPECT_FALSE(is_masked(after, {Stage::weights, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(after, {Stage::masked_weights, 0, 0, 1, 4}));
  EXPECT_TRUE(is_masked(after, {Stage::dropped_weights, 0, 0, 1, 4}));
  config.mask = MaskRoute::none;
  EXPECT_FALSE(is_masked(evaluate(config), {Stage::weights, 0, 0, 1, 4}));
}

TEST(IsDropped, FollowsTheFactors) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.dropout = 0.5;
  const Result result = evaluate(config);
  const auto factors = result.find(Stage::dropout_factors)->matrix();
  for (Index row = 0; row < 6; ++row) {
    for (Index col = 0; col < 6; ++col) {
      EXPECT_EQ(is_dropped(result, {Stage::dropped_weights, 0, 0, row, col}), factors(row, col) == 0);
      EXPECT_FALSE(is_dropped(result, {Stage::weights, 0, 0, row, col}));
    }
  }
}

}  // namespace
}  // namespace attnscope::test

// The longest sequence that a document may have, without a tensor of its squares.

#include "core/dropout.h"
#include "core/evaluate.h"
#include "core/source.h"
#include "core/tensor.h"
#include "support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace attnscope::test {
namespace {

constexpr Index heads = 12;
constexpr Index last = max_tokens - 1;

AttentionConfig long_config() {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = max_tokens, .features = 16};
  config.d_out = 2 * heads;
  config.num_heads = heads;
  return config;
}

// One head, as twelve of them would take their time.
const Result& dropping_result() {
  static const Result result = [] {
    AttentionConfig config = long_config();
    config.num_heads = 1;
    config.d_out = 2;
    config.dropout = 0.1;
    return evaluate(config);
  }();
  return result;
}

// What one row of attention comes to, by plain loops in double.
struct Row {
  Row(const Result& result, Index matrix, Index query);
  std::vector<double> scaled;
  std::vector<double> weights;
};

Row::Row(const Result& result, Index matrix, Index query) {
  const auto queries = result.find(Stage::queries)->matrix(matrix);
  const auto keys = result.find(Stage::keys)->matrix(matrix);
  double sum = 0;
  for (Index key = 0; key <= query; ++key) {
    double score = 0;
    for (Index f = 0; f < queries.cols(); ++f) {
      score += static_cast<double>(queries(query, f)) * static_cast<double>(keys(key, f));
    }
    scaled.push_back(score / std::sqrt(static_cast<double>(queries.cols())));
    weights.push_back(std::exp(scaled.back()));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
}

const Result& long_result() {
  static const Result result = evaluate(long_config());
  return result;
}

TEST(LongSequence, IsEvaluatedWithoutATensorOfItsWeights) {
  const Result& result = long_result();
  for (const StageInfo& stage : stages()) {
    EXPECT_TRUE(has(result, stage.stage) == has_stage(result.config, stage.stage)) << stage.id;
    const bool is_read_elsewhere = is_query_by_key(stage.axes) || stage.stage == Stage::head_context;
    EXPECT_EQ(result.find(stage.stage) != nullptr, has(result, stage.stage) && !is_read_elsewhere) << stage.id;
  }
  EXPECT_LT(required_bytes(long_config()), 100'000'000U);
}

TEST(LongSequence, CellsAreThoseOfPlainLoops) {
  const Result& result = long_result();
  for (const Index head : {Index{0}, heads - 1}) {
    for (const Index query : {Index{0}, Index{2500}, last}) {
      const Row expected(result, head, query);
      const double largest = *std::ranges::max_element(expected.weights);
      for (const Index key : {Index{0}, query / 3, query}) {
        const Source cell{Stage::weights, 0, head, query, key};
        const auto at = static_cast<std::size_t>(key);
        EXPECT_NEAR(static_cast<double>(value_at(result, cell)), expected.weights[at], 4e-6 * largest);
        const Source scaled{Stage::scaled_scores, 0, head, query, key};
        EXPECT_NEAR(static_cast<double>(value_at(result, scaled)), expected.scaled[at], 1e-5);
      }
      if (query < last) {
        EXPECT_EQ(value_at(result, {Stage::weights, 0, head, query, last}), 0);
        EXPECT_EQ(value_at(result, {Stage::masked_scores, 0, head, query, last}),
                  -std::numeric_limits<float>::infinity());
      }
    }
  }
}

TEST(LongSequence, HeadContextIsThatOfPlainLoops) {
  const Result& result = dropping_result();
  const Index head = 0;
  for (const Index query : {Index{63}, Index{64}, last}) {
    const Row row(result, head, query);
    const auto values = result.find(Stage::values)->matrix(head);
    for (Index f = 0; f < values.cols(); ++f) {
      double expected = 0;
      for (Index key = 0; key <= query; ++key) {
        const float factor = value_at(result, {Stage::dropout_factors, 0, head, query, key});
        expected += row.weights[static_cast<std::size_t>(key)] * static_cast<double>(factor * values(key, f));
      }
      EXPECT_NEAR(static_cast<double>(*held_block(result, Stage::head_context, head)->at(query, f)), expected, 4e-6);
    }
  }
}

TEST(LongSequence, RowsOfWeightsSumToOne) {
  const Result& result = long_result();
  std::vector<float> row(max_tokens);
  for (const Index query : {Index{1}, Index{2047}, last}) {
    read_cells(row, result, Stage::weights, 3, {query, 0, 1, max_tokens});
    double sum = 0;
    for (const float weight : row) sum += static_cast<double>(weight);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(LongSequence, ExplanationNamesEveryWeightAndValue) {
  const Result& result = long_result();
  const Explanation explanation = explain(result, {Stage::head_context, 0, 4, last, 1});
  const std::vector<float>& weights = explanation.operands.at(0).values;
  const std::vector<float>& values = explanation.operands.at(1).values;
  ASSERT_EQ(weights.size(), static_cast<std::size_t>(max_tokens));
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += static_cast<double>(weights[i]) * static_cast<double>(values.at(i));
  }
  EXPECT_NEAR(sum, static_cast<double>(explanation.value), 4e-6);
}

TEST(LongSequence, DropsAboutTheShareThatItShould) {
  const Result& result = dropping_result();
  std::vector<std::uint64_t> bits(max_tokens / 64);
  DropoutRows(*result.dropout).read(bits, 0, last, 0, max_tokens);
  int kept = 0;
  for (const std::uint64_t word : bits) kept += std::popcount(word);
  EXPECT_NEAR(kept / static_cast<double>(max_tokens), 0.9, 0.02);
}

// GPT-2's width.
const Result& wide_result() {
  static const Result result = [] {
    AttentionConfig config;
    config.inputs = RandnInputs{.tokens = 4096, .features = 768};
    config.d_out = 768;
    config.num_heads = heads;
    config.dropout = 0.1;
    config.dropout_kernel = DropoutKernel::standard;
    return evaluate(config);
  }();
  return result;
}

// One number of queries or keys, from inputs and weights, in double.
double projected(const Result& result, Projection projection, Index head, Index token, Index feature) {
  const Tensor& inputs = *result.find(Stage::inputs);
  const Tensor& weight = *find(*result.parameters, parameter_name(result.config, stages_of(projection).weight, head));
  const Index row = head * head_features(result.config) + feature;
  return eigen(inputs).row(token).cast<double>().dot(eigen(weight).row(row).cast<double>());
}

// Drawn from where the generator comes to this weight.
double dropout_factor(const Result& result, Index head, Index query, Index key) {
  const Index T = token_count(result.config);
  Generator generator = result.after_parameters;
  skip_words(generator, 2 * static_cast<std::uint64_t>((head * T + query) * T + key));
  const std::uint64_t mantissa = next_double_word(generator) & ((std::uint64_t{1} << 53) - 1);
  const double keep = 1 - result.config.dropout;
  return static_cast<double>(mantissa) * 0x1p-53 < keep ? 1 / keep : 0;
}

TEST(WideSequence, QueriesAndKeysAreThoseOfPlainLoops) {
  const Result& result = wide_result();
  for (const Index head : {Index{0}, Index{7}, heads - 1}) {
    for (const Index token : {Index{0}, Index{1777}, Index{4095}}) {
      for (const Index feature : {Index{0}, Index{63}}) {
        EXPECT_NEAR(static_cast<double>(result.find(Stage::queries)->matrix(head)(token, feature)),
                    projected(result, Projection::query, head, token, feature), 4e-6 * 4);
        EXPECT_NEAR(static_cast<double>(result.find(Stage::keys)->matrix(head)(token, feature)),
                    projected(result, Projection::key, head, token, feature), 4e-6 * 4);
      }
    }
  }
}

TEST(WideSequence, CellsAnywhereAreThoseOfPlainLoops) {
  const Result& result = wide_result();
  for (const Index head : {Index{0}, Index{7}, heads - 1}) {
    for (const Index query : {Index{1}, Index{127}, Index{2048}, Index{4095}}) {
      const Row expected(result, head, query);
      const double largest = *std::ranges::max_element(expected.weights);
      for (const Index key : {Index{0}, query / 2, query - 1, query}) {
        const auto at = static_cast<std::size_t>(key);
        const auto actual = [&](Stage stage) {
          return static_cast<double>(value_at(result, {stage, 0, head, query, key}));
        };
        EXPECT_NEAR(actual(Stage::scores), 8 * expected.scaled[at], 8e-5);
        EXPECT_NEAR(actual(Stage::masked_scores), 8 * expected.scaled[at], 8e-5);
        EXPECT_NEAR(actual(Stage::scaled_scores), expected.scaled[at], 1e-5);
        EXPECT_NEAR(actual(Stage::weights), expected.weights[at], 4e-6 * largest);
        if (key != query) continue;  // to come to a weight's draw takes a while
        const double factor = dropout_factor(result, head, query, key);
        EXPECT_NEAR(actual(Stage::dropout_factors), factor, 1e-6);
        EXPECT_NEAR(actual(Stage::dropped_weights), expected.weights[at] * factor, 5e-6 * largest);
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test

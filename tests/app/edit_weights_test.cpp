// Weights and biases changed by hand.

#include "document/edit.h"

#include <cmath>

#include "core/evaluate.h"
#include "core/source.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

Document two_heads() { return parse_document(R"({"d_out": 4, "num_heads": 2, "qkv_bias": true})"); }

float number_at(const Document& document, Stage stage, Index row, Index col, Index head = 0) {
  return value_at(evaluate(document.config), {.stage = stage, .head = head, .row = row, .col = col});
}

TEST(EditWeights, OneNumberIsSetAndTheOthersStayAsDrawn) {
  Document document = two_heads();
  const Tensor before = *evaluate(document.config).find(Stage::query_weight);
  set_weight(document, Stage::query_weight, 0, 2, 1, 7.5F);
  Tensor expected = before;
  expected.matrix()(2, 1) = 7.5F;
  const Result result = evaluate(document.config);
  EXPECT_EQ(*result.find(Stage::query_weight), expected);
  EXPECT_EQ(*result.find(Stage::key_weight), *evaluate(two_heads().config).find(Stage::key_weight));
  EXPECT_EQ(number_before_edit(result, {.stage = Stage::query_weight, .row = 2, .col = 1}), before.matrix()(2, 1));
  EXPECT_EQ(number_before_edit(result, {.stage = Stage::query_weight, .row = 2, .col = 2}), std::nullopt);
  EXPECT_EQ(number_before_edit(result, {.stage = Stage::key_weight}), std::nullopt);
}

TEST(EditWeights, TheSeedsNumberTakesTheOverrideAwayAgain) {
  Document document = two_heads();
  set_weight(document, Stage::key_bias, 0, 0, 3, 1);
  set_weight(document, Stage::key_bias, 0, 0, 2, 1);
  EXPECT_EQ(document.config.weight_overrides.at("W_key.bias").shape(), std::vector<Index>{4});
  restore_weights(document, {Stage::key_bias, 0, {0, 3, 1, 1}});
  EXPECT_EQ(document.config.weight_overrides.size(), 1U);
  restore_weights(document, {Stage::key_bias, 0, {0, 2, 1, 1}});
  EXPECT_EQ(document, two_heads());
  set_weight(document, Stage::output_bias, 0, 0, 3, 1);
  set_weight(document, Stage::value_weight, 0, 3, 2, 1);
  restore_all_weights(document);
  EXPECT_EQ(document, two_heads());
}

TEST(EditWeights, OfEveryMechanismAreSetByTheirOwnNamesAndLayout) {
  Document document = two_heads();
  set_mechanism(document, Mechanism::multi_head_attention_wrapper);
  set_weight(document, Stage::value_weight, 1, 3, 2, 5);
  EXPECT_EQ(document.config.weight_overrides.begin()->first, "heads.1.W_value.weight");
  EXPECT_EQ(number_at(document, Stage::value_weight, 3, 2, 1), 5);
  EXPECT_NE(number_at(document, Stage::value_weight, 3, 2, 0), 5);
  document = two_heads();
  set_mechanism(document, Mechanism::self_attention_v1);
  set_weight(document, Stage::query_weight, 0, 2, 3, 5);  // (d_in, d_out)
  EXPECT_EQ(document.config.weight_overrides.at("W_query").shape(), (std::vector<Index>{3, 4}));
  EXPECT_EQ(number_at(document, Stage::query_weight, 2, 3), 5);
  EXPECT_EQ(error_of([&] { set_weight(document, Stage::output_weight, 0, 0, 0, 1); }).field, "weights");
  EXPECT_EQ(error_of([&] { set_weight(document, Stage::query_weight, 0, 3, 0, 1); }).field, "weights");
  EXPECT_EQ(error_of([&] { set_weight(document, Stage::query_weight, 0, 0, 0, INFINITY); }).field, "weights");
}

TEST(EditWeights, AreFilled) {
  Document document = two_heads();
  fill_weights(document, {Stage::query_weight, 0, all_cells(document.config, Stage::query_weight)}, Filling::zeros);
  EXPECT_EQ(document.config.weight_overrides.at("W_query.weight"), Tensor({4, 3}));
  fill_weights(document, {Stage::query_weight, 0, cells_of_head(document.config, Stage::query_weight, 1)},
               Filling::identity);
  EXPECT_EQ(document.config.weight_overrides.at("W_query.weight"),
            Tensor({4, 3}, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}));
  make_one_hot(document, {Stage::query_weight, 0, {2, 0, 1, 3}}, 2, 1);
  EXPECT_EQ(number_at(document, Stage::query_weight, 2, 0), 0);
  EXPECT_EQ(number_at(document, Stage::query_weight, 2, 1), 1);
  scale_weights(document, {Stage::query_weight, 0, {2, 0, 2, 3}}, -0.5);
  EXPECT_EQ(number_at(document, Stage::query_weight, 2, 1), -0.5F);
  EXPECT_EQ(number_at(document, Stage::query_weight, 3, 1), -0.5F);
  EXPECT_EQ(error_of([&] { scale_weights(document, {Stage::query_weight, 0, {2, 0, 1, 3}}, 1e300); }).field, "weights");
}

TEST(EditWeights, RandomNumbersAreThoseOfTorchRandn) {
  Document document = two_heads();
  fill_weights(document, {Stage::key_weight, 0, {1, 0, 2, 3}}, Filling::randn, 7);
  std::vector<float> drawn(6);
  Generator generator(7);
  fill_randn(drawn, generator);
  for (Index i = 0; i < 6; ++i)
    EXPECT_EQ(number_at(document, Stage::key_weight, 1 + i / 3, i % 3), drawn[static_cast<std::size_t>(i)]);
  EXPECT_EQ(number_at(document, Stage::key_weight, 0, 0), number_at(two_heads(), Stage::key_weight, 0, 0));
}

TEST(EditWeights, OrthogonalRowsAreOfLengthOneAndAtRightAngles) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{2, 3}, {4, 3}, {1, 1}, {40, 40}}) {
    Document document;
    document.config.inputs = RandnInputs{6, cols};
    document.tokens = numbered_tokens(6);
    document.config.d_out = rows;
    document.config.num_heads = 1;
    fill_weights(document, {Stage::query_weight, 0, {0, 0, rows, cols}}, Filling::orthogonal, 3);
    const SharedTensor& weight = document.config.weight_overrides.at("W_query.weight");
    const bool by_rows = rows <= cols;
    const auto at = [&](Index line, Index i) {
      return static_cast<double>(by_rows ? weight.row(line)[static_cast<std::size_t>(i)]
                                         : weight.row(i)[static_cast<std::size_t>(line)]);
    };
    for (Index left = 0; left < std::min(rows, cols); ++left) {
      for (Index right = 0; right < std::min(rows, cols); ++right) {
        double product = 0;
        for (Index i = 0; i < std::max(rows, cols); ++i) product += at(left, i) * at(right, i);
        EXPECT_NEAR(product, left == right ? 1 : 0, 1e-5) << rows << " × " << cols;
      }
    }
  }
}

TEST(EditWeights, ABlockIsPastedWhereItFits) {
  Document document = two_heads();
  paste_weights(document, Stage::value_weight, 0, 2, 1, {{1, 2}, {3, 4}});
  EXPECT_EQ(number_at(document, Stage::value_weight, 3, 1), 3);
  EXPECT_EQ(number_at(document, Stage::value_weight, 2, 2), 2);
  const Error error = error_of([&] { paste_weights(document, Stage::value_weight, 0, 3, 1, {{1, 2}, {3, 4}}); });
  EXPECT_TRUE(says(error.what(), {"2 × 2", "room for 1 × 2"})) << error.what();
}

TEST(EditWeights, KeysTakeTheWeightsOfQueries) {
  for (const Mechanism mechanism : {Mechanism::self_attention_v1, Mechanism::self_attention_v2,
                                    Mechanism::multi_head_attention_wrapper, Mechanism::multi_head_attention}) {
    Document document = two_heads();
    set_mechanism(document, mechanism);
    set_weight(document, Stage::query_weight, 0, 0, 0, 7);
    const Tensor queries = read_stage(evaluate(document.config), Stage::queries);
    set_config(document, with_keys_of_queries(document.config));
    const Result result = evaluate(document.config);
    EXPECT_EQ(read_stage(result, Stage::queries), queries) << info(mechanism).id;
    EXPECT_EQ(read_stage(result, Stage::keys), queries) << info(mechanism).id;
  }
  Document shared = two_heads();
  shared.config.num_kv_heads = 1;
  EXPECT_TRUE(says(error_of([&] { with_keys_of_queries(shared.config); }).what(), {"empty the field key heads"}));
  set_mechanism(shared, Mechanism::simple_self_attention);
  EXPECT_EQ(error_of([&] { with_keys_of_queries(shared.config); }).field, "weights");
}

TEST(EditWeights, AHeadTakesTheNumbersOfAnother) {
  Document document = two_heads();
  copy_weights_of_head(document, Stage::query_weight, 0, 1);
  copy_weights_of_head(document, Stage::query_bias, 0, 1);
  copy_weights_of_head(document, Stage::output_weight, 1, 0);
  const Result result = evaluate(document.config);
  const auto heads = result.find(Stage::queries);
  for (Index row = 0; row < heads->rows(); ++row) {
    for (Index col = 0; col < 2; ++col) EXPECT_EQ(heads->matrix(0)(row, col), heads->matrix(1)(row, col));
  }
  EXPECT_EQ(number_at(document, Stage::output_weight, 3, 0), number_at(document, Stage::output_weight, 3, 2));
  EXPECT_EQ(error_of([&] { copy_weights_of_head(document, Stage::output_bias, 0, 1); }).field, "weights");
  set_mechanism(document, Mechanism::multi_head_attention_wrapper);
  restore_all_weights(document);
  copy_weights_of_head(document, Stage::key_weight, 1, 0);
  EXPECT_EQ(number_at(document, Stage::key_weight, 3, 1, 0), number_at(document, Stage::key_weight, 3, 1, 1));
}

}  // namespace
}  // namespace attnscope::test

#include "view/number_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "document/document.h"
#include "tests/support/hard_documents.h"

namespace attnscope::test {
namespace {

class ExplanationText : public testing::Test {
protected:
  ExplanationText() {
    document_.config.dropout = 0.5;
    labels_ = token_labels(document_.tokens);
  }

  std::vector<ExplanationLine> lines(Source cell, std::size_t max_terms = 16) {
    return explanation_lines(evaluate(document_.config), cell, labels_, max_terms);
  }
  std::string text(Source cell, std::size_t max_terms = 16) {
    std::string text;
    for (const ExplanationLine& line : lines(cell, max_terms)) text += line.text + "\n";
    return text;
  }
  void expect_in(const std::string& text, const std::vector<std::string>& fragments) {
    for (const std::string& fragment : fragments) {
      EXPECT_NE(text.find(fragment), std::string::npos) << fragment << " is not in\n" << text;
    }
  }

  Document document_ = default_document();
  std::vector<std::string> labels_;
};

TEST_F(ExplanationText, InputsAreTypedOrDrawn) {
  expect_in(text({.stage = Stage::inputs, .row = 1}), {"Typed"});
  document_.config.inputs = RandnInputs{6, 3};
  expect_in(text({.stage = Stage::inputs, .row = 1}), {"torch.randn"});
}

TEST_F(ExplanationText, WhatTheUserKeepsDropsAndSwitchesOffIsSaid) {
  const Source factor{.stage = Stage::dropout_factors, .row = 4, .col = 1};
  Source weight = factor;
  weight.stage = Stage::dropped_weights;
  const bool was_kept = value_at(evaluate(document_.config), factor) > 0;
  document_.config.dropout_edits = {{0, 0, 4, 1, !was_kept}};
  expect_in(text(factor), {was_kept ? "Dropped by you: its random number" : "Kept by you: its random number",
                           was_kept ? "would have kept it." : "would have dropped it."});
  document_.config.dropout_edits = {{0, 0, 4, 1, false}};
  expect_in(text(weight), {"Dropped by you: “journey” adds nothing to the context of “one”."});
  document_.config.dropout = 0;
  expect_in(text(factor), {"Dropped by you: nothing is drawn at a rate of 0."});
  expect_in(text({.stage = Stage::dropout_factors, .row = 4}), {"Kept: nothing is drawn at a rate of 0."});
  document_.config.heads_off = {1};
  expect_in(text({.stage = Stage::head_context, .head = 1}), {"Head 2 is switched off, so its context is zero."});
  expect_in(text({.stage = Stage::context, .col = 1}), {"0, because this head is switched off"});
}

TEST_F(ExplanationText, ContextSaysItsHeadWhereValuesAreWiderThanKeys) {
  document_.config = AttentionConfig{};
  document_.config.mechanism = Mechanism::scaled_dot_product_attention;
  document_.config.heads = {Tensor({1, 2, 2, 1}), Tensor({1, 2, 2, 1}), Tensor({1, 2, 2, 3}), ""};
  expect_in(text({.stage = Stage::context, .row = 1, .col = 4}), {"Dimension 2 of head 2, at position 5 of 6."});
}

TEST_F(ExplanationText, QueriesAreProductsOfTheInputsOfTheirToken) {
  expect_in(text({.stage = Stage::queries, .row = 1}),
            {"Sum of 3 products:", "token 2 journey", "W_query.weight", "0.5500 ×", "+ 0.8700 ×", "+ 0.6600 ×"});
}

// The largest terms of a long sum stand in the order of the sum, and the rest is told.
TEST_F(ExplanationText, ALongSumShowsItsLargestTermsInTheirOrder) {
  Tensor inputs({1, 5});
  inputs.values = {0.1F, 5, 0.2F, 0.3F, 4};
  document_.config.mechanism = Mechanism::simple_self_attention;
  document_.config.inputs = inputs;
  document_.tokens = numbered_tokens(1);
  labels_ = token_labels(document_.tokens);
  std::vector<std::string> terms;
  for (const ExplanationLine& line : lines({.stage = Stage::scores}, 3)) {
    if (!line.is_words) terms.push_back(line.text);
  }
  EXPECT_EQ(terms, (std::vector<std::string>{"  5.0000 × 5.0000 = 25.0000", "+ 0.3000 × 0.3000 = 0.0900",
                                             "+ 4.0000 × 4.0000 = 16.0000", "+ 0.0500 (the other 2)", "= 41.1400"}));
}

TEST_F(ExplanationText, BothFactorsAndTheBiasCanBeFollowed) {
  document_.config.qkv_bias = true;
  expect_in(text({.stage = Stage::queries, .row = 1}), {"(bias)"});
  bool leads_to_bias = false;
  int products = 0;
  for (const ExplanationLine& line : lines({.stage = Stage::queries, .head = 1, .row = 1})) {
    if (line.source && line.source->stage == Stage::query_bias) leads_to_bias = true;
    if (!line.second) continue;
    EXPECT_EQ(*line.source, (Source{.stage = Stage::inputs, .head = 1, .row = 1, .col = products}));
    EXPECT_EQ(*line.second, (Source{.stage = Stage::query_weight, .head = 1, .row = 1, .col = products}));
    EXPECT_EQ(line.text.substr(line.second_begin - 4, 4), " × ");
    ++products;
  }
  EXPECT_EQ(products, 3);
  EXPECT_TRUE(leads_to_bias);
}

TEST_F(ExplanationText, WeightsSayWhereTheyComeFrom) {
  expect_in(text({.stage = Stage::key_weight}), {"nn.Linear"});
  document_.config.weight_overrides["W_key.weight"] = Tensor({2, 3});
  expect_in(text({.stage = Stage::key_weight}), {"Set by hand: the seed drew"});
  for (const Stage stage : {Stage::output_weight, Stage::output_bias})
    expect_in(text({.stage = stage}), {"between −1/√2 and 1/√2"});  // of the context, which is narrower than the inputs
  document_.config.mechanism = Mechanism::self_attention_v1;
  document_.config.weight_overrides.clear();
  expect_in(text({.stage = Stage::key_weight}), {"torch.rand"});
}

TEST_F(ExplanationText, RotationsSayThePositionOfTheirToken) {
  document_.config.d_out = 4;
  document_.config.rope = Rope{.offset = 40};
  expect_in(text({.stage = Stage::rotated_queries, .row = 2}), {"Position 42 turns dimensions 1 and 2"});
}

TEST_F(ExplanationText, RotationsSubtractInTheFirstDimensionOfAPairAndAddInTheSecond) {
  document_.config.d_out = 4;
  document_.config.rope = Rope{.offset = 40};
  expect_in(text({.stage = Stage::rotated_queries, .row = 2, .col = 0}), {" (cos)\n− "});
  expect_in(text({.stage = Stage::rotated_queries, .row = 2, .col = 1}), {" (cos)\n+ "});
}

TEST_F(ExplanationText, BiasedScoresAddTheBiasOfTheirEntryAndHead) {
  document_.config.batch_size = 2;
  Tensor bias({2, 2, 6, 6});
  bias.matrix(2 + 1)(4, 1) = 0.75F;
  document_.config.bias = std::move(bias);
  expect_in(text({.stage = Stage::biased_scores, .batch = 1, .head = 1, .row = 4, .col = 1}), {" + 0.7500"});
  expect_in(text({.stage = Stage::biased_scores, .batch = 0, .head = 1, .row = 4, .col = 1}), {" + 0.0000"});
}

TEST_F(ExplanationText, ArithmeticBelowAPictureIsOneSumOrStepsAndNoWords) {
  const Result result = evaluate(document_.config);
  const auto steps = [&](const Source& cell) { return arithmetic_of(result, cell, labels_); };
  EXPECT_EQ(steps({.stage = Stage::weights, .row = 1}).size(), 4U) << "score, largest, exponential, share";
  const std::vector<std::string> sum = steps({.stage = Stage::queries, .row = 1});
  ASSERT_EQ(sum.size(), 3U) << "a factor for each embedding";
  EXPECT_EQ(sum[0].find('='), std::string::npos) << "a single product is not the sum: " << sum[0];
  EXPECT_NE(sum[2].find(" = "), std::string::npos) << sum[2];
  EXPECT_EQ(steps({.stage = Stage::context, .row = 1}), steps({.stage = Stage::head_context, .row = 1}))
      << "it is copied from there";
}

TEST_F(ExplanationText, NumbersOfARowLeadToItsCells) {
  const Source row{.stage = Stage::scaled_scores, .row = 2, .kind = SourceKind::row_maximum};
  expect_in(text(row), {"largest of the 6 numbers"});
  expect_in(text({.stage = Stage::scaled_scores, .row = 2, .kind = SourceKind::exponential_sum}),
            {"Sum of 6 exponentials:", "largest", "exp("});
  expect_in(text({.stage = Stage::scores, .row = 2, .kind = SourceKind::row_sum}), {"Sum of 6 numbers:"});
}

TEST_F(ExplanationText, TheSumOfARowSaysWhyItIsOrIsNotOne) {
  const auto sum_of = [](Stage stage) { return Source{.stage = stage, .row = 4, .kind = SourceKind::row_sum}; };
  document_.config.dropout_edits = {};
  for (Index key = 0; key < 6; ++key) document_.config.dropout_edits.push_back({0, 0, 4, key, key == 1 || key == 3});
  expect_in(text(sum_of(Stage::dropped_weights)),
            {"Dropout kept 2 of the 5 weights of “one”, and divided each by 1 − p = 0.50: the sum is 1 only on average",
             "(journey)", "(with)"});
  for (DropoutEdit& edit : document_.config.dropout_edits) edit.keeps = false;
  expect_in(text(sum_of(Stage::dropped_weights)),
            {"Dropout kept 0 of the 5 weights of “one”, so nothing is left to add up."});
  expect_in(text(sum_of(Stage::weights)), {"Softmax makes the weights of “one” shares: they sum to 1."});
  document_.config.mask = MaskRoute::causal_after_softmax;
  expect_in(text(sum_of(Stage::masked_weights)), {"The mask removed weights of “one” after softmax"});
  document_.config.normalization = Normalization::sum;
  document_.config.mask = MaskRoute::none;
  expect_in(text(sum_of(Stage::weights)), {"The row of “one” was divided by its sum, so it sums to 1."});
}

TEST_F(ExplanationText, LongSumsShowTheLargestAndCountTheRest) {
  document_.config.d_out = 64;
  const std::string shown = text({.stage = Stage::scores, .row = 3, .col = 1}, 4);
  expect_in(shown, {"Sum of 32 products, the 4 largest:", "(the other 28)"});
  EXPECT_EQ(lines({.stage = Stage::scores, .row = 3, .col = 1}, 4).size(), 9U) << shown;
}

TEST_F(ExplanationText, SoftmaxShowsItsRow) {
  expect_in(text({.stage = Stage::weights, .row = 2, .col = 1}), {"largest", "exp(", "Divided by the sum"});
}

TEST_F(ExplanationText, SoftmaxPutsANegativeLargestScoreInParentheses) {
  const auto softmax_of = [&](float first, float second) {
    document_.config = AttentionConfig{};
    document_.config.mechanism = Mechanism::scaled_dot_product_attention;
    document_.config.num_heads = 1;
    const Tensor ones({1, 1, 2, 1}, {1, 1});
    document_.config.heads = {ones, Tensor({1, 1, 2, 1}, {first, second}), ones, ""};
    return text({.stage = Stage::weights, .row = 1, .col = 1});
  };
  expect_in(softmax_of(-1, -2), {"exp(−2.0000 − (−1.0000))"});
  expect_in(softmax_of(2, 1), {"exp(1.0000 − 2.0000)"});
}

TEST_F(ExplanationText, SoftmaxSharesAmongTheKeysThatItSees) {
  const Source weight{.stage = Stage::weights, .row = 2, .col = 1};
  expect_in(text(weight), {"shares its attention out among 3 keys"});
  document_.config.mask = MaskRoute::causal_after_softmax;
  expect_in(text(weight), {"shares its attention out among 6 keys"});
}

TEST_F(ExplanationText, MaskedScoresSayWhy) {
  expect_in(text({.stage = Stage::masked_scores, .row = 0, .col = 3}), {"“with” comes after “Your”", "→ −∞"});
  expect_in(text({.stage = Stage::mask, .row = 0, .col = 3}), {"1: “with” comes after “Your”"});
  expect_in(text({.stage = Stage::mask, .row = 3, .col = 3}), {"0: “with” may look at itself"});
}

TEST_F(ExplanationText, MasksOfMoreKeysThanQueriesSayHowBothAreAligned) {
  document_ = hard_given(3, 5);
  const Source cell{.stage = Stage::mask, .row = 1, .col = 1};
  expect_in(text(cell), {"The last query stands beside the last key, as in FlashAttention"});
  document_.config.mask_alignment = MaskAlignment::upper_left;
  expect_in(text(cell), {"The first query stands beside the first key, as with PyTorch's is_causal"});
}

TEST_F(ExplanationText, ScaledScoresNameTheRoot) {
  expect_in(text({.stage = Stage::scaled_scores, .row = 3, .col = 1}), {"√head_dim", "/ 1.0000"});
}

TEST_F(ExplanationText, DropoutFactorsTellTheirFate) {
  const Result result = evaluate(document_.config);
  for (Index col = 0; col < 6; ++col) {
    const Source cell{.stage = Stage::dropout_factors, .row = 5, .col = col};
    expect_in(text(cell), {value_at(result, cell) == 0 ? "Dropped:" : "1 / (1 − p) = 2.0000"});
  }
  document_.config.training = false;
  EXPECT_EQ(text({.stage = Stage::dropout_factors, .row = 5}).find("1 / (1 − p)"), std::string::npos);
}

TEST_F(ExplanationText, LinesLeadToCellsThatExist) {
  const Result result = evaluate(document_.config);
  for (const StageInfo& stage : stages()) {
    if (!result.find(stage.stage)) continue;
    const Index row = std::min<Index>(4, result.find(stage.stage)->rows() - 1);
    for (const ExplanationLine& line : lines({.stage = stage.stage, .head = 0, .row = row, .col = 0})) {
      EXPECT_FALSE(line.text.empty()) << stage.id;
      for (const std::optional<Source>& source : {line.source, line.second}) {
        if (!source) continue;
        const Tensor* const tensor = result.find(source->stage);
        ASSERT_NE(tensor, nullptr) << stage.id;
        EXPECT_LT(source->row, tensor->rows()) << stage.id;
        EXPECT_LT(source->col, tensor->cols()) << stage.id;
      }
    }
  }
}

TEST_F(ExplanationText, EveryStageOfEveryMechanismHasOne) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const MaskRoute mask : {MaskRoute::none, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
      document_.config.mechanism = mechanism.mechanism;
      document_.config.mask = mask;
      const Result result = evaluate(document_.config);
      for (const StageInfo& stage : stages()) {
        if (!result.find(stage.stage)) continue;
        const Index row = result.find(stage.stage)->rows() - 1;
        EXPECT_FALSE(lines({.stage = stage.stage, .row = row, .col = 0}).empty()) << mechanism.id << " " << stage.id;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test

// What must hold of attention whatever the numbers are.

#include "core/attention.h"
#include "core/tensor.h"
#include "support.h"

#include <cmath>

namespace attnscope::test {
namespace {

TEST(Weights, RowsSumToOneOnEveryRoute) {
  for (AttentionConfig config : varied_configs()) {
    config.normalization = Normalization::softmax;
    const Result result = evaluate_readable(config, serial());
    const bool is_cut = config.mask == MaskRoute::causal_after_softmax;  // what the mask took is missing
    const Tensor& weights = *result.find(is_cut ? Stage::weights : normalized_weights_stage(config));
    for (Index m = 0; m < weights.matrix_count(); ++m) {
      for (Index q = 0; q < weights.rows(); ++q) {
        EXPECT_NEAR(static_cast<double>(eigen(weights, m).row(q).sum()), 1.0, 1e-5) << describe(config);
      }
    }
  }
}

TEST(Weights, OfLaterTokensAreExactlyZeroUnderAMask) {
  for (const AttentionConfig& config : varied_configs()) {
    if (config.mask == MaskRoute::none) continue;
    const Result result = evaluate_readable(config, serial());
    const Tensor& weights = *result.find(final_weights_stage(config));
    for (Index m = 0; m < weights.matrix_count(); ++m) {
      for (Index q = 0; q < weights.rows(); ++q) {
        for (Index k = q + 1; k < weights.cols(); ++k) EXPECT_EQ(weights.matrix(m)(q, k), 0.0F) << describe(config);
      }
    }
  }
}

TEST(Weights, MaskingBeforeSoftmaxEqualsRenormalizingAfterIt) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const Result before = evaluate_readable(config, serial());
  config.mask = MaskRoute::causal_renormalized;
  const Result after = evaluate_readable(config, serial());
  EXPECT_TRUE(close(*after.find(Stage::renormalized_weights), *before.find(Stage::weights), 1e-6));
  EXPECT_TRUE(close(*after.find(Stage::output), *before.find(Stage::output), 1e-6));
}

bool is_first_row(Index, Index query) { return query == 0; }

TEST(Softmax, IgnoresAConstantAddedToARow) {
  const Tensor scores = noise({1, 1, 9, 9}, 1);
  Tensor shifted = scores;
  for (float& score : shifted.values) score += 50.0F;
  Tensor weights(scores.shape);
  Tensor shifted_weights(scores.shape);
  softmax_rows(weights, scores, nullptr, serial());
  softmax_rows(shifted_weights, shifted, nullptr, serial());
  EXPECT_TRUE(close(shifted_weights, weights, 1e-5));
}

TEST(Softmax, GivesZerosToARowWhoseKeysAreAllHidden) {
  const Tensor scores({1, 1, 2, 2}, {-infinity, -infinity, 0.0F, -infinity});
  Tensor weights(scores.shape);
  softmax_rows(weights, scores, is_first_row, serial());
  EXPECT_TRUE(same_bits(weights, Tensor({1, 1, 2, 2}, {0.0F, 0.0F, 1.0F, 0.0F})));
}

TEST(Softmax, OfScoresThatOverflowedIsNotANumber) {
  const Tensor scores({1, 1, 2, 2}, {-infinity, -infinity, -infinity, -infinity});
  Tensor weights(scores.shape);
  softmax_rows(weights, scores, nullptr, serial());
  for (const float weight : weights.values) EXPECT_TRUE(std::isnan(weight));
}

TEST(Weights, RenormalizedAreZerosWhereNoKeyIsSeen) {
  const Tensor masked({1, 1, 2, 2}, {0.0F, 0.0F, 0.0F, 0.0F});
  Tensor weights(masked.shape);
  normalize_rows(weights, masked, is_first_row, serial());
  EXPECT_EQ(weights.values[0], 0.0F);
  EXPECT_TRUE(std::isnan(weights.values[2])) << "a visible weight that underflowed";
}

TEST(Softmax, SurvivesLargeScoresAndPassesNaNOn) {
  const Tensor scores({1, 1, 3, 2}, {3e38F, -3e38F, NAN, 1.0F, -infinity, NAN});
  Tensor weights({1, 1, 3, 2});
  softmax_rows(weights, scores, nullptr, serial());
  EXPECT_EQ(weights.values[0], 1.0F);
  EXPECT_EQ(weights.values[1], 0.0F);
  for (std::size_t i = 2; i < 6; ++i) EXPECT_TRUE(std::isnan(weights.values[i])) << i;
}

TEST(Mechanisms, V2WithTransposedWeightsIsV1) {
  AttentionConfig v1 = config_of(Mechanism::self_attention_v1);
  AttentionConfig v2 = config_of(Mechanism::self_attention_v2);
  const Result first = evaluate_readable(v1, serial());
  for (const Parameter& parameter : *first.parameters) {
    Tensor transposed({parameter.tensor.cols(), parameter.tensor.rows()});
    eigen(transposed) = eigen(parameter.tensor).transpose();
    v2.weight_overrides[parameter.name + ".weight"] = transposed;
  }
  const Result second = evaluate_readable(v2, serial());
  for (const Stage stage : {Stage::queries, Stage::scores, Stage::weights, Stage::context}) {
    EXPECT_TRUE(close(*second.find(stage), *first.find(stage), 1e-6)) << info(stage).id;
  }
}

// The wrapper is nothing but causal attentions side by side, whose weights are drawn one after the other.
TEST(Mechanisms, WrapperIsCausalHeadsStacked) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention_wrapper);
  config.num_heads = 3;
  config.d_out = 4;
  config.batch_size = 2;
  config.qkv_bias = true;
  const Result wrapper = evaluate_readable(config, serial());
  for (Index head = 0; head < 3; ++head) {
    AttentionConfig single = config_of(Mechanism::causal_attention);
    single.d_out = 4;
    single.batch_size = 2;
    single.qkv_bias = true;
    single.skip_draws = static_cast<std::uint64_t>(head * 3 * (3 * 4 + 4));
    const Tensor context = *evaluate_readable(single, serial()).find(Stage::context);
    for (Index b = 0; b < 2; ++b) {
      EXPECT_EQ(eigen(*wrapper.find(Stage::context), b).middleCols(head * 4, 4), eigen(context, b)) << head;
    }
  }
}

TEST(Mechanisms, CopiesInABatchGetTheSameBits) {
  for (AttentionConfig config : varied_configs()) {
    config.batch_size = 3;
    config.dropout = 0;
    config.dropout_edits.clear();
    const Result result = evaluate_readable(config, serial());
    for (const StageInfo& stage : stages()) {
      const Tensor* tensor = result.find(stage.stage);
      if (!tensor || !is_per_batch(stage.stage)) continue;
      const auto entry = tensor->size() / 3;
      const auto first = tensor->values.begin();
      EXPECT_TRUE(std::equal(first, first + entry, first + 2 * entry)) << stage.id << " " << describe(config);
    }
  }
}

TEST(Mechanisms, OneTokenAttendsToItselfOnly) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    AttentionConfig config = config_of(mechanism.mechanism);
    config.inputs = Tensor({1, 3}, {0.1F, -0.2F, 0.3F});
    const Result result = evaluate_readable(config, serial());
    for (const float weight : result.find(Stage::weights)->values) EXPECT_EQ(weight, 1.0F) << mechanism.id;
  }
}

}  // namespace
}  // namespace attnscope::test

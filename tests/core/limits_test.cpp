// Every refusal: which field it names, and that its sentence says the value and what is allowed.

#include "support.h"

#include <cmath>
#include <functional>
#include <limits>

namespace attnscope::test {
namespace {

using Change = std::function<void(AttentionConfig&)>;

Error refusal_of(Mechanism mechanism, const Change& change) {
  AttentionConfig config = config_of(mechanism);
  change(config);
  return error_of([&] { check(config); });
}

void expect_refusal(const Change& change, const std::string& field, const std::string& sentence) {
  const Error error = refusal_of(Mechanism::multi_head_attention, change);
  EXPECT_EQ(error.field, field);
  EXPECT_EQ(std::string(error.what()), sentence);
}

TEST(Limits, NumHeadsMustDivideDOut) {
  expect_refusal(
      [](AttentionConfig& config) {
        config.d_out = 12;
        config.num_heads = 5;
      },
      "num_heads", "num_heads is 5, but it must divide d_out, which is 12: use 1, 2, 3, 4, 6 or 12.");
  expect_refusal(
      [](AttentionConfig& config) {
        config.d_out = 1;
        config.num_heads = 2;
      },
      "num_heads", "num_heads is 2, but it must divide d_out, which is 1: use 1.");
}

TEST(Limits, CountsAreBounded) {
  expect_refusal([](AttentionConfig& config) { config.num_heads = 0; }, "num_heads",
                 "num_heads is 0, but it must be a whole number from 1 to 128.");
  expect_refusal([](AttentionConfig& config) { config.num_heads = 129; }, "num_heads",
                 "num_heads is 129, but it must be a whole number from 1 to 128.");
  expect_refusal([](AttentionConfig& config) { config.d_out = -4; }, "d_out",
                 "d_out is -4, but it must be a whole number from 1 to 12288.");
  expect_refusal([](AttentionConfig& config) { config.d_out = 12289; }, "d_out",
                 "d_out is 12289, but it must be a whole number from 1 to 12288.");
  expect_refusal([](AttentionConfig& config) { config.batch_size = 0; }, "batch_size",
                 "batch_size is 0, but it must be a whole number from 1 to 64.");
  expect_refusal([](AttentionConfig& config) { config.batch_size = 65; }, "batch_size",
                 "batch_size is 65, but it must be a whole number from 1 to 64.");
  expect_refusal([](AttentionConfig& config) { config.skip_draws = max_skip_draws + 1; }, "skip_draws",
                 "skip_draws is 1000000001, but it must be a whole number from 0 to 1000000000.");
}

TEST(Limits, InputsAreBounded) {
  const auto drawn = [](Index tokens, Index features) {
    return [=](AttentionConfig& config) { config.inputs = RandnInputs{.tokens = tokens, .features = features}; };
  };
  expect_refusal(drawn(0, 3), "inputs", "The number of tokens is 0, but it must be a whole number from 1 to 4096.");
  expect_refusal(drawn(4097, 3), "inputs",
                 "The number of tokens is 4097, but it must be a whole number from 1 to 4096.");
  expect_refusal(drawn(6, 12289), "inputs",
                 "The number of dimensions per token is 12289, but it must be a whole number from 1 to 12288.");
  expect_refusal(drawn(std::numeric_limits<Index>::min(), 3), "inputs",
                 "The number of tokens is -9223372036854775808, but it must be a whole number from 1 to 4096.");
  expect_refusal(
      [](AttentionConfig& config) {
        config.inputs = Tensor({2, 3, 1});
      },
      "inputs",
      "inputs have the shape (2, 3, 1), but they must be a table of T rows, one per token, with d_in "
      "numbers each.");
  expect_refusal([](AttentionConfig& config) { config.inputs = Tensor(); }, "inputs",
                 "inputs have the shape (), but they must be a table of T rows, one per token, with d_in numbers "
                 "each.");
}

TEST(Limits, LargestValuesAreAllowed) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = max_tokens, .features = max_features};
  config.d_out = max_features;
  config.num_heads = max_heads;
  config.batch_size = max_batch;
  config.skip_draws = max_skip_draws;
  config.seed = std::numeric_limits<std::uint64_t>::max();
  EXPECT_NO_THROW(check(config));
}

TEST(Limits, DropoutIsARate) {
  expect_refusal([](AttentionConfig& config) { config.dropout = 1.5; }, "dropout",
                 "dropout is 1.5, but it is the share of weights to drop: use a number from 0 to 1.");
  expect_refusal([](AttentionConfig& config) { config.dropout = -0.1; }, "dropout",
                 "dropout is -0.1, but it is the share of weights to drop: use a number from 0 to 1.");
  expect_refusal([](AttentionConfig& config) { config.dropout = NAN; }, "dropout",
                 "dropout is nan, but it is the share of weights to drop: use a number from 0 to 1.");
}

TEST(Limits, InputsMustBeFinite) {
  expect_refusal([](AttentionConfig& config) { std::get<SharedTensor>(config.inputs).set(3, 1, NAN); }, "inputs[3][1]",
                 "inputs[3][1] is not a number, but every number must be finite: type an ordinary number there.");
  expect_refusal([](AttentionConfig& config) { std::get<SharedTensor>(config.inputs).set(5, 2, -INFINITY); },
                 "inputs[5][2]",
                 "inputs[5][2] is minus infinity, but every number must be finite: type an ordinary number there.");
}

TEST(Limits, WeightOrderNamesEachProjectionOnce) {
  expect_refusal(
      [](AttentionConfig& config) {
        config.weight_order = {Projection::key, Projection::key, Projection::value};
      },
      "weight_order",
      "weight_order names a projection twice, but it must hold query, key and value once each, in any order.");
}

TEST(Limits, ASumCannotContainMinusInfinity) {
  const Error error = refusal_of(Mechanism::simple_self_attention, [](AttentionConfig& config) {
    config.normalization = Normalization::sum;
    config.mask = MaskRoute::causal;
  });
  EXPECT_EQ(error.field, "mask");
  EXPECT_EQ(std::string(error.what()),
            "mask is causal, which puts minus infinity among the scores, but normalization is sum, and a sum that "
            "contains minus infinity shares nothing out: use the mask causal_after_softmax or causal_renormalized, or "
            "the normalization softmax.");
}

TEST(Limits, OverridesNameExistingWeights) {
  expect_refusal(
      [](AttentionConfig& config) {
        config.weight_overrides["W_query"] = Tensor({2, 3});
      },
      "weights.W_query",
      "W_query is not a weight of multi_head_attention: it has W_query.weight, W_key.weight, "
      "W_value.weight, out_proj.weight and out_proj.bias.");
  const Change add = [](AttentionConfig& config) { config.weight_overrides["W_query.weight"] = Tensor({2, 3}); };
  EXPECT_STREQ(refusal_of(Mechanism::simple_self_attention, add).what(),
               "W_query.weight is not a weight of simple_self_attention: it has no weights.");
  EXPECT_STREQ(refusal_of(Mechanism::self_attention_v1, add).what(),
               "W_query.weight is not a weight of self_attention_v1: it has W_query, W_key and W_value.");
  const Error many = refusal_of(Mechanism::multi_head_attention_wrapper, [&](AttentionConfig& config) {
    config.num_heads = 100;
    add(config);
  });
  EXPECT_LT(std::string(many.what()).size(), 400U) << many.what();
  EXPECT_NE(std::string(many.what()).find("heads.99.W_value.weight"), std::string::npos) << many.what();
}

TEST(Limits, OverridesHaveTheShapeOfTheirWeight) {
  expect_refusal(
      [](AttentionConfig& config) {
        config.weight_overrides["W_key.weight"] = Tensor({3, 2});
      },
      "weights.W_key.weight", "W_key.weight has the shape (3, 2), but here it must have the shape (2, 3).");
  expect_refusal(
      [](AttentionConfig& config) {
        config.weight_overrides["out_proj.bias"] = Tensor({1, 2});
      },
      "weights.out_proj.bias", "out_proj.bias has the shape (1, 2), but here it must have the shape (2).");
}

TEST(Limits, OverridesMustBeFinite) {
  const Error error = refusal_of(Mechanism::multi_head_attention, [](AttentionConfig& config) {
    config.weight_overrides["out_proj.bias"] = Tensor({2}, {0.0F, INFINITY});
  });
  EXPECT_EQ(error.field, "weights.out_proj.bias[1]");
  const Error weight = refusal_of(Mechanism::multi_head_attention, [](AttentionConfig& config) {
    config.weight_overrides["W_key.weight"] = Tensor({2, 3}, {0, 0, 0, 0, NAN, 0});
  });
  EXPECT_EQ(weight.field, "weights.W_key.weight[1][1]");
}

TEST(Limits, AreCheckedBeforeAnythingIsComputed) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.num_heads = 5;
  EXPECT_THROW(evaluate_readable(config, serial()), Error);
}

TEST(Limits, HoldForSettingsThatTheMechanismHasNoUseFor) {
  const Change too_many = [](AttentionConfig& config) { config.num_heads = 1000; };
  EXPECT_EQ(refusal_of(Mechanism::simple_self_attention, too_many).field, "num_heads");
}

}  // namespace
}  // namespace attnscope::test

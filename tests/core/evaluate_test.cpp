// Which stages there are, what shapes they have and how they follow from each other.

#include "core/evaluate.h"
#include "core/tensor.h"

#include "support.h"

#include <set>

namespace attnscope::test {
namespace {

std::set<std::string> stages_of(const AttentionConfig& config) {
  std::set<std::string> names;
  for (const StageInfo& stage : stages()) {
    if (has_stage(config, stage.stage)) names.emplace(stage.id);
  }
  return names;
}

using Names = std::set<std::string>;

TEST(HasStage, SimpleSelfAttentionHasNoProjections) {
  AttentionConfig config = config_of(Mechanism::simple_self_attention);
  EXPECT_EQ(stages_of(config), (Names{"inputs", "scores", "weights", "head_context", "context"}));
  config.scale = true;
  config.mask = MaskRoute::causal;
  EXPECT_EQ(stages_of(config), (Names{"inputs", "scores", "mask", "masked_scores", "scaled_scores", "weights",
                                      "head_context", "context"}));
}

TEST(HasStage, MultiHeadAttentionHasAllButTheOtherRoute) {
  EXPECT_EQ(stages_of(config_of(Mechanism::multi_head_attention)),
            (Names{"inputs", "W_query", "W_key", "W_value", "queries", "keys", "values", "scores", "mask",
                   "masked_scores", "scaled_scores", "weights", "dropout_factors", "dropped_weights", "head_context",
                   "context", "out_proj", "out_proj_bias", "output"}));
}

TEST(HasStage, MaskRoutesBringTheirOwnStages) {
  AttentionConfig config = config_of(Mechanism::self_attention_v2);
  const Names plain = {"inputs", "W_query", "W_key",         "W_value", "queries",      "keys",
                       "values", "scores",  "scaled_scores", "weights", "head_context", "context"};
  EXPECT_EQ(stages_of(config), plain);
  Names expected = plain;
  expected.insert({"mask", "masked_weights"});
  config.mask = MaskRoute::causal_after_softmax;
  EXPECT_EQ(stages_of(config), expected);
  expected.insert("renormalized_weights");
  config.mask = MaskRoute::causal_renormalized;
  EXPECT_EQ(stages_of(config), expected);
}

TEST(Evaluate, YieldsExactlyTheStagesThatAConfigurationHas) {
  for (const AttentionConfig& config : varied_configs()) {
    const Result result = evaluate_readable(config);
    for (const StageInfo& stage : stages()) {
      const Tensor* tensor = result.find(stage.stage);
      ASSERT_EQ(tensor != nullptr, has_stage(config, stage.stage)) << stage.id << " " << describe(config);
      if (tensor) {
        EXPECT_EQ(tensor->shape, stage_shape(config, stage.stage)) << stage.id;
      }
    }
  }
}

TEST(Evaluate, NamesTheWeightsThatMultiplyTheValues) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  EXPECT_EQ(final_weights_stage(config), Stage::dropped_weights);
  EXPECT_EQ(normalized_weights_stage(config), Stage::weights);
  EXPECT_EQ(normalized_from_stage(config), Stage::scaled_scores);
  config.mechanism = Mechanism::self_attention_v1;
  config.mask = MaskRoute::causal_renormalized;
  EXPECT_EQ(final_weights_stage(config), Stage::renormalized_weights);
  config.mechanism = Mechanism::simple_self_attention;
  config.scale = false;
  config.mask = MaskRoute::causal;
  EXPECT_EQ(normalized_from_stage(config), Stage::masked_scores);
  config.mask = MaskRoute::causal_after_softmax;
  EXPECT_EQ(normalized_from_stage(config), Stage::scores);
  EXPECT_EQ(final_weights_stage(config), Stage::masked_weights);
}

TEST(Evaluate, SharesTheTensorOfAStageThatChangesNothing) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.scale = false;
  Result result = evaluate_readable(config);
  EXPECT_EQ(result.share(Stage::scaled_scores), result.share(Stage::masked_scores));
  EXPECT_EQ(result.share(Stage::dropped_weights), result.share(Stage::weights));
  config.mask = MaskRoute::none;
  result = evaluate_readable(config);
  EXPECT_EQ(result.share(Stage::scaled_scores), result.share(Stage::scores));
}

TEST(Evaluate, OfSimpleSelfAttentionComparesTheInputsThemselves) {
  const Result result = evaluate_readable(config_of(Mechanism::simple_self_attention));
  const Tensor inputs = journey_inputs();
  EXPECT_TRUE(eigen(*result.find(Stage::scores)).isApprox(eigen(inputs) * eigen(inputs).transpose(), 1e-6F));
  EXPECT_EQ(result.find(Stage::context)->values, result.find(Stage::head_context)->values);
}

TEST(Evaluate, RemembersTheGeneratorWhereDropoutBegins) {
  const AttentionConfig config = config_of(Mechanism::causal_attention);
  const Result result = evaluate_readable(config);
  Generator generator(config.seed);
  skip_words(generator, 3 * 2 * 3);
  EXPECT_EQ(result.after_parameters, generator);
}

TEST(Evaluate, DrawsInputsBeforeWeights) {
  AttentionConfig config = config_of(Mechanism::self_attention_v1);
  config.inputs = RandnInputs{.tokens = 4, .features = 5};
  config.skip_draws = 3;
  config.batch_size = 2;
  const Result result = evaluate_readable(config);
  Generator generator(config.seed);
  skip_words(generator, 3);
  AlignedFloats inputs(20);
  fill_randn(inputs, generator);
  AlignedFloats query(10);
  fill_uniform(query, generator, 0.0F, 1.0F);
  EXPECT_EQ(find(*result.parameters, "W_query")->values, query);
  inputs.insert(inputs.end(), inputs.begin(), inputs.begin() + 20);
  EXPECT_EQ(result.find(Stage::inputs)->values, inputs);
}

TEST(Evaluate, ReportsWhoRanItAndHowLong) {
  const Result result = evaluate_readable(config_of(Mechanism::multi_head_attention), serial());
  EXPECT_EQ(result.threads, 1);
  EXPECT_EQ(result.backend, Backend::serial);
  EXPECT_GT(result.seconds, 0);
}

TEST(HeadsOff, OnlyTheirContextsAreZero) {
  for (const Mechanism mechanism : {Mechanism::multi_head_attention_wrapper, Mechanism::multi_head_attention}) {
    AttentionConfig config = config_of(mechanism);
    config.d_out = 6;
    config.num_heads = 3;
    config.batch_size = 2;
    for (const Way way : both_ways) {
      config.heads_off = {};
      const Result on = evaluate_by(way, config, serial());
      config.heads_off = {0, 2};
      const Result off = evaluate_by(way, config, serial());
      EXPECT_TRUE(same_bits(read_stage(off, Stage::weights), read_stage(on, Stage::weights)));
      const Tensor before = read_stage(on, Stage::head_context);
      const Tensor after = read_stage(off, Stage::head_context);
      for (Index m = 0; m < after.matrix_count(); ++m) {
        for (Index row = 0; row < after.rows(); ++row) {
          for (Index col = 0; col < after.cols(); ++col)
            EXPECT_EQ(after.matrix(m)(row, col), m % 3 == 1 ? before.matrix(m)(row, col) : 0);
        }
      }
      EXPECT_EQ(off.find(Stage::context)->values.front(), 0);
    }
  }
}

TEST(HeadsOff, AMechanismWithoutHeadsIgnoresThem) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  const Result on = evaluate(config);
  config.heads_off = {0};
  EXPECT_TRUE(same_bits(*evaluate(config).find(Stage::context), *on.find(Stage::context)));
}

}  // namespace
}  // namespace attnscope::test

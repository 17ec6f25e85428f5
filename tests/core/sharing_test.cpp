// An evaluation that starts from a previous one gives the bits of a fresh one, and computes only what can differ.

#include "support.h"

namespace attnscope::test {
namespace {

// Every kind of change that an evaluation may take a shortcut for, and some that it may not.
std::vector<AttentionConfig> related_configs(Mechanism mechanism) {
  AttentionConfig base = config_of(mechanism);
  base.dropout = 0.5;
  base.batch_size = 2;
  std::vector<AttentionConfig> configs = {base};
  const auto add = [&](auto change) { change(configs.emplace_back(base)); };
  add([](AttentionConfig& config) { config.dropout = 0; });
  add([](AttentionConfig& config) { config.dropout = 0.1; });
  add([](AttentionConfig& config) { config.dropout_seed = 9; });
  add([](AttentionConfig& config) { config.dropout_kernel = DropoutKernel::standard; });
  add([](AttentionConfig& config) { config.training = false; });
  for (const MaskRoute route : {MaskRoute::none, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
    add([&](AttentionConfig& config) { config.mask = route; });
  }
  add([](AttentionConfig& config) { config.scale = !config.scale; });
  add([](AttentionConfig& config) {
    config.normalization = Normalization::sum;
    config.mask = MaskRoute::none;
  });
  add([](AttentionConfig& config) { config.seed = 124; });
  add([](AttentionConfig& config) { config.d_out = 4; });
  add([](AttentionConfig& config) { config.inputs = RandnInputs{.tokens = 6, .features = 3}; });
  add([](AttentionConfig& config) { config.batch_size = 1; });
  return configs;
}

TEST(Sharing, GivesTheBitsOfAFreshEvaluationForAllPairs) {
  std::vector<AttentionConfig> configs;
  for (const MechanismInfo& mechanism : mechanisms()) {
    const std::vector<AttentionConfig> related = related_configs(mechanism.mechanism);
    configs.insert(configs.end(), related.begin(), related.end());
  }
  std::vector<Result> fresh;
  for (const AttentionConfig& config : configs) fresh.push_back(evaluate(config, serial()));
  for (const Result& before : fresh) {
    for (const Result& after : fresh) {
      const Result result = evaluate(after.config, serial(), &before);
      ASSERT_TRUE(same_result(result, after)) << describe(before.config) << " then " << describe(after.config);
    }
  }
}

void expect_shared(const Result& before, const Result& after, Stage first_computed) {
  for (const StageInfo& stage : stages()) {
    if (!before.find(stage.stage) || !after.find(stage.stage)) continue;
    EXPECT_EQ(before.share(stage.stage) == after.share(stage.stage), stage.stage < first_computed) << stage.id;
  }
  EXPECT_EQ(before.parameters == after.parameters, Stage::inputs < first_computed);
}

TEST(Sharing, NothingIsComputedForAnEqualConfiguration) {
  const Result before = evaluate(config_of(Mechanism::multi_head_attention));
  const Result after = evaluate(before.config, {}, &before);
  EXPECT_EQ(before.tensors, after.tensors);
  EXPECT_EQ(before.parameters, after.parameters);
}

TEST(Sharing, DropoutKeepsEverythingUpToTheWeights) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const Result before = evaluate(config);
  config.dropout = 0.5;
  expect_shared(before, evaluate(config, {}, &before), Stage::dropout_factors);
}

TEST(Sharing, MaskAndScaleKeepTheScores) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const Result before = evaluate(config);
  config.mask = MaskRoute::causal_renormalized;
  config.dropout = 0.5;
  expect_shared(before, evaluate(config, {}, &before), Stage::mask);
}

TEST(Sharing, AnythingElseKeepsNothing) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.dropout = 0.5;
  const Result before = evaluate(config);
  config.seed = 7;
  expect_shared(before, evaluate(config, {}, &before), Stage::inputs);
}

TEST(Sharing, SurvivesThePreviousResult) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  auto before = std::make_unique<Result>(evaluate(config));
  config.dropout = 0.5;
  const Result after = evaluate(config, {}, before.get());
  before.reset();
  EXPECT_TRUE(same_result(after, evaluate(config)));
}

}  // namespace
}  // namespace attnscope::test

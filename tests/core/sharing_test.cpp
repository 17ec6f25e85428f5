// An evaluation that starts from a previous one gives the bits of a fresh one, and computes only what can differ.

#include "core/heads.h"
#include "core/rope.h"
#include "support.h"

#include <algorithm>

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
  add([](AttentionConfig& config) { config.scale_factor = 0.5; });
  add([](AttentionConfig& config) { config.scale_factor = 2; });
  add([](AttentionConfig& config) { config.softcap = 0.25; });
  add([](AttentionConfig& config) { config.heads_off = {0}; });
  add([](AttentionConfig& config) { config.rope = Rope{}; });
  add([](AttentionConfig& config) { config.num_kv_heads = 1; });
  add([](AttentionConfig& config) { config.qk_norm = QkNorm::rms; });
  add([](AttentionConfig& config) {
    config.qk_norm = QkNorm::rms;
    if (has_qk_norm(config)) config.weight_overrides["q_norm.weight"] = Tensor({config.d_out / config.num_heads}, {2});
  });
  add([](AttentionConfig& config) { config.rope = Rope{.base = 10}; });
  add([](AttentionConfig& config) { config.dropout_edits = {{0, 0, 1, 0, false}, {1, 0, 3, 2, true}}; });
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
  for (const AttentionConfig& config : configs) fresh.push_back(evaluate_readable(config, serial()));
  for (const Result& before : fresh) {
    for (const Result& after : fresh) {
      const Result result = evaluate_readable(after.config, serial(), &before);
      ASSERT_TRUE(same_result(result, after)) << describe(before.config) << " then " << describe(after.config);
    }
  }
}

TEST(Sharing, GivesTheBitsOfAFreshEvaluationAfterEitherWayOfEvaluating) {
  for (const Mechanism mechanism : {Mechanism::simple_self_attention, Mechanism::multi_head_attention_wrapper}) {
    const std::vector<AttentionConfig> configs = related_configs(mechanism);
    for (const Way way_before : both_ways) {
      for (const AttentionConfig& config_before : configs) {
        const Result before = evaluate_by(way_before, config_before, serial());
        for (const AttentionConfig& config : configs) {
          for (const Way way : both_ways) {
            const Result fresh = evaluate_by(way, config, serial());
            const Result result = evaluate_by(way, config, serial(), &before);
            ASSERT_TRUE(same_result(result, fresh)) << describe(config_before) << " then " << describe(config);
            ASSERT_EQ(!result.dropout, !fresh.dropout);
          }
        }
      }
    }
  }
}

TEST(Sharing, WeightsOfHeadsStayWhereOnlyDropoutChanges) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.dropout = 0.5;
  const Result before = evaluate_by_engine(config, {}, nullptr);
  config.dropout = 0.25;
  const Result after = evaluate_by_engine(config, {}, &before);
  const auto origin = [](const Result& result, Stage stage) { return result.heads->origin(stage); };
  EXPECT_EQ(origin(after, Stage::weights), origin(before, Stage::weights));
  EXPECT_NE(origin(after, Stage::dropped_weights), origin(before, Stage::dropped_weights));
  EXPECT_NE(after.dropout, before.dropout);
  config.mask = MaskRoute::none;
  const Result unmasked = evaluate_by_engine(config, {}, &after);
  EXPECT_NE(origin(unmasked, Stage::weights), origin(after, Stage::weights));
  EXPECT_EQ(origin(unmasked, Stage::scores), origin(after, Stage::scores));
  EXPECT_EQ(unmasked.dropout, after.dropout);
}

// That what follows from one of these is new, and nothing else.
void expect_new(const Result& before, const Result& after, std::initializer_list<Stage> origins) {
  for (const StageInfo& stage : stages()) {
    if (!before.find(stage.stage) || !after.find(stage.stage)) continue;
    const bool is_new =
        std::ranges::any_of(origins, [&](Stage origin) { return depends_on(after.config, stage.stage, origin); });
    EXPECT_EQ(before.share(stage.stage) != after.share(stage.stage), is_new) << stage.id;
  }
}

TEST(Sharing, NothingIsComputedForAnEqualConfiguration) {
  const Result before = evaluate_readable(config_of(Mechanism::multi_head_attention));
  const Result after = evaluate_readable(before.config, {}, &before);
  for (const StageInfo& stage : stages()) EXPECT_EQ(before.share(stage.stage), after.share(stage.stage)) << stage.id;
  EXPECT_EQ(before.parameters, after.parameters);
}

TEST(Sharing, DropoutKeepsEverythingUpToTheWeights) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const Result before = evaluate_readable(config);
  config.dropout = 0.5;
  expect_new(before, evaluate_readable(config, {}, &before), {Stage::dropout_factors});
}

TEST(Sharing, MaskAndScaleKeepTheScores) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const Result before = evaluate_readable(config);
  config.mask = MaskRoute::causal_renormalized;
  config.dropout = 0.5;
  const Result after = evaluate_readable(config, {}, &before);
  expect_new(before, after, {Stage::mask, Stage::scaled_scores, Stage::dropout_factors});
  EXPECT_EQ(before.parameters, after.parameters);
}

TEST(Sharing, AnythingElseKeepsNothing) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.dropout = 0.5;
  const Result before = evaluate_readable(config);
  config.seed = 7;
  const Result after = evaluate_readable(config, {}, &before);
  for (const StageInfo& stage : stages()) {
    if (before.find(stage.stage) && stage.stage != Stage::mask && stage.stage != Stage::dropout_factors) {
      EXPECT_NE(before.share(stage.stage), after.share(stage.stage)) << stage.id;
    }
  }
}

TEST(Sharing, SurvivesThePreviousResult) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  auto before = std::make_unique<Result>(evaluate_readable(config));
  config.dropout = 0.5;
  const Result after = evaluate_readable(config, {}, before.get());
  before.reset();
  EXPECT_TRUE(same_result(after, evaluate_readable(config)));
}

// The mask, too, which reads nothing of the inputs but how many there are.
TEST(Sharing, NothingKeepsTheSizeOfOtherTokens) {
  for (const MaskRoute mask : {MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
    AttentionConfig config = config_of(Mechanism::multi_head_attention);
    config.mask = mask;
    config.inputs = noise({6, 3}, 1);
    const Result six = evaluate(config, serial());
    config.inputs = noise({7, 3}, 2);
    const Result after_six = evaluate(config, serial(), &six);
    const Result seven = evaluate(config, serial());
    for (const StageInfo& stage : stages()) {
      ASSERT_EQ(after_six.find(stage.stage) != nullptr, seven.find(stage.stage) != nullptr) << stage.id;
      if (seven.find(stage.stage)) {
        EXPECT_EQ(*after_six.find(stage.stage), *seven.find(stage.stage)) << stage.id;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test

// The engine against the readable stages, by every instruction set of this machine.

#include "core/engine.h"

#include "core/dropout.h"
#include "core/tensor.h"
#include "support.h"

#include <tuple>

namespace attnscope::test {
namespace {

constexpr double engine_tolerance = 4e-6;  // of a stage's largest magnitude

// What an engine is given: everything but what it computes.
Result prepared(const Result& reference) {
  Result result;
  result.config = reference.config;
  result.parameters = reference.parameters;
  result.tensors[Stage::inputs] = reference.share(Stage::inputs);
  const AttentionConfig& config = reference.config;
  if (dropout_is_active(config)) {
    const Generator generator = config.dropout_seed ? Generator(*config.dropout_seed) : reference.after_parameters;
    result.dropout = std::make_shared<const DropoutMask>(config, generator, serial());
  }
  return result;
}

Result run_engine(const Kernels& set, const Result& reference, const Execution& execution) {
  Result result = prepared(reference);
  Engine engine(set);
  engine.run(result, execution);
  return result;
}

constexpr Stage computed_stages[] = {Stage::queries, Stage::keys, Stage::values, Stage::context, Stage::output};

void expect_same(const Result& actual, const Result& expected) {
  for (const Stage stage : computed_stages) {
    if (!expected.find(stage)) continue;
    ASSERT_TRUE(actual.find(stage)) << info(stage).id;
    EXPECT_TRUE(same_bits(*actual.find(stage), *expected.find(stage))) << info(stage).id;
  }
}

void expect_close(const Result& actual, const Result& reference) {
  SCOPED_TRACE(describe(reference.config));
  for (const Stage stage : computed_stages) {
    ASSERT_EQ(static_cast<bool>(actual.find(stage)), static_cast<bool>(reference.find(stage))) << info(stage).id;
    if (reference.find(stage)) {
      EXPECT_TRUE(close(*actual.find(stage), *reference.find(stage), engine_tolerance)) << info(stage).id;
    }
  }
}

class EngineOfEverySet : public testing::TestWithParam<const Kernels*> {};

TEST_P(EngineOfEverySet, AgreesWithTheReadableStages) {
  for (const AttentionConfig& config : varied_configs()) {
    const Result reference = evaluate_readable(config, serial());
    expect_close(run_engine(*GetParam(), reference, serial()), reference);
  }
}

// Sizes that are no multiple of any tile, block or vector; heads that begin within a vector.
TEST_P(EngineOfEverySet, AgreesAtOddSizes) {
  for (const auto& [tokens, features, heads, head_dim] : {std::tuple<Index, Index, Index, Index>{1, 1, 1, 1},
                                                          {1, 5, 3, 2},
                                                          {61, 20, 7, 13},
                                                          {97, 33, 3, 7},
                                                          {193, 48, 5, 16},
                                                          {257, 70, 2, 24},
                                                          {200, 16, 1, 65}}) {
    for (const MaskRoute mask : {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_renormalized}) {
      for (const DropoutKernel kernel : {DropoutKernel::mkl, DropoutKernel::standard}) {
        AttentionConfig config = config_of(Mechanism::multi_head_attention);
        config.inputs = RandnInputs{.tokens = tokens, .features = features};
        config.num_heads = heads;
        config.d_out = heads * head_dim;
        config.batch_size = 2;
        config.qkv_bias = true;
        config.mask = mask;
        config.dropout = 0.3;
        config.dropout_kernel = kernel;
        const Result reference = evaluate_readable(config, serial());
        expect_close(run_engine(*GetParam(), reference, serial()), reference);
      }
    }
  }
}

// As an editor has it that looks at one result while the next is made.
TEST_P(EngineOfEverySet, LeavesEarlierResultsAlone) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 3, .features = 4};
  Engine engine(*GetParam());
  Result first = prepared(evaluate_readable(config, serial()));
  engine.run(first, serial());
  const Result kept = run_engine(*GetParam(), evaluate_readable(config, serial()), serial());
  config.seed = 9;
  Result second = prepared(evaluate_readable(config, serial()));
  engine.run(second, serial());
  expect_same(first, kept);
  EXPECT_FALSE(same_bits(*first.find(Stage::output), *second.find(Stage::output)));
}

AttentionConfig medium_config() {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({300, 40}, 5);
  config.num_heads = 4;
  config.d_out = 64;
  config.batch_size = 2;
  config.dropout = 0.2;
  return config;
}

// So few tokens that threads start together once; enough work that there is more than one.
AttentionConfig short_config() {
  AttentionConfig config = medium_config();
  config.inputs = noise({80, 64}, 5);
  return config;
}

TEST_P(EngineOfEverySet, AnyNumberOfThreadsGivesTheSameBits) {
  for (const AttentionConfig& config : {medium_config(), short_config()}) {
    const Result reference = evaluate_readable(config, serial());
    const Result alone = run_engine(*GetParam(), reference, serial());
    expect_close(alone, reference);
    for (const int threads : {1, 2, 3, 8}) expect_same(run_engine(*GetParam(), reference, openmp(threads)), alone);
  }
}

// Whether weights are packed before, for every token, or by each thread when it comes to them.
TEST_P(EngineOfEverySet, WeightsThatAreUsedOnceGiveTheSameBits) {
  Engine engine(*GetParam());
  const auto expect_the_same = [&](const AttentionConfig& config) {
    const Result reference = evaluate_readable(config, serial());
    Result once = prepared(reference);
    engine.run(once, serial(), {.has_weights_once = true});
    expect_same(once, run_engine(*GetParam(), reference, serial()));
  };
  for (const AttentionConfig& config : varied_configs()) expect_the_same(config);
  for (const Index tokens : {1, 61, 96, 97, 200}) {
    AttentionConfig config = config_of(Mechanism::multi_head_attention);
    config.qkv_bias = true;
    config.num_heads = 3;
    config.d_out = 39;
    config.inputs = RandnInputs{.tokens = tokens, .features = 70};
    config.batch_size = 1;
    expect_the_same(config);
  }
}

TEST_P(EngineOfEverySet, RunningAgainGivesTheSameBits) {
  const Result reference = evaluate_readable(medium_config(), serial());
  Engine engine(*GetParam());
  Result first = prepared(reference);
  engine.run(first, openmp(2));
  Result second = prepared(reference);
  engine.run(second, openmp(2));
  expect_same(second, first);
  EXPECT_NE(first.find(Stage::context), second.find(Stage::context)) << "the first may still be looked at";
}

INSTANTIATE_TEST_SUITE_P(Engine, EngineOfEverySet, testing::ValuesIn(available_kernels()),
                         [](const auto& set) { return std::string(set.param->name); });

// Evaluations that build on an earlier one, as an editor's do, end where a fresh one does.
void expect_same_as_fresh(const AttentionConfig& before, const AttentionConfig& after) {
  Engine engine;
  const Result earlier = evaluate_by_engine(before, openmp(2), nullptr, &engine);
  const Result built_on = evaluate_by_engine(after, openmp(2), &earlier, &engine);
  const Result fresh = evaluate_by_engine(after, serial(), nullptr);
  expect_same(built_on, fresh);
  const Result elsewhere = evaluate_by_engine(after, openmp(2), &earlier);  // an engine that knows nothing yet
  expect_same(elsewhere, fresh);
}

TEST(EngineAfterAChange, OfOneEmbeddingEndsWhereAFreshOneDoes) {
  const AttentionConfig before = medium_config();
  for (const Index token : {0, 95, 96, 150, 299}) {
    for (const MaskRoute mask : {MaskRoute::causal, MaskRoute::none}) {
      AttentionConfig masked = before;
      masked.mask = mask;
      AttentionConfig after = masked;
      add(after, token, 3, 0.5F);
      expect_same_as_fresh(masked, after);
    }
  }
}

TEST(EngineAfterAChange, OfOneOfFewEmbeddingsEndsWhereAFreshOneDoes) {
  const AttentionConfig before = short_config();
  for (const Index token : {0, 41, 79}) {
    AttentionConfig after = before;
    add(after, token, 3, 0.5F);
    expect_same_as_fresh(before, after);
  }
}

TEST(EngineAfterAChange, OfDropoutMaskOrScaleEndsWhereAFreshOneDoes) {
  for (const AttentionConfig& before : {medium_config(), short_config()}) {
    AttentionConfig after = before;
    after.dropout = 0.5;
    expect_same_as_fresh(before, after);
    after.dropout_seed = 7;
    expect_same_as_fresh(before, after);
    after = before;
    after.mask = MaskRoute::causal_after_softmax;
    expect_same_as_fresh(before, after);
    after.scale = false;
    expect_same_as_fresh(before, after);
  }
}

TEST(EngineAfterAChange, OfEverythingElseEndsWhereAFreshOneDoes) {
  const AttentionConfig before = medium_config();
  AttentionConfig after = before;
  after.seed = 9;
  expect_same_as_fresh(before, after);
  after.num_heads = 8;
  expect_same_as_fresh(before, after);
  after.inputs = noise({299, 40}, 6);
  expect_same_as_fresh(before, after);
}

TEST(EngineAfterAChange, ProjectsOnlyWhatChanged) {
  const AttentionConfig before = medium_config();
  Engine engine;
  const Result earlier = evaluate_by_engine(before, serial(), nullptr, &engine);
  AttentionConfig after = before;
  after.dropout = 0.5;
  const Result dropped = evaluate_by_engine(after, serial(), &earlier, &engine);
  EXPECT_EQ(dropped.find(Stage::queries), earlier.find(Stage::queries));
  EXPECT_EQ(dropped.parameters, earlier.parameters);
  after = before;
  add(after, 10, 0, 1);
  const Result moved = evaluate_by_engine(after, serial(), &earlier, &engine);
  EXPECT_EQ(moved.parameters, earlier.parameters);
  EXPECT_EQ(moved.dropout, earlier.dropout);
}

TEST(Engine, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  Execution execution = openmp(2);
  execution.stop = source.get_token();
  EXPECT_THROW(evaluate_by_engine(medium_config(), execution, nullptr), Cancelled);
}

TEST(OperationCount, IsThatOfTheCausalHalf) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 1024, .features = 768};
  config.d_out = 768;
  config.num_heads = 12;
  config.batch_size = 2;
  EXPECT_NEAR(operation_count(config), 12.89e9, 0.01e9);
  for (const Stage stage : {Stage::scores, Stage::head_context})
    EXPECT_EQ(stage_operations(config, stage), 2.0 * 2 * 12 * 1024 * 1024 * 64) << "of hidden keys, too";
  config.mask = MaskRoute::none;
  EXPECT_NEAR(operation_count(config), 16.11e9, 0.01e9);
}

}  // namespace
}  // namespace attnscope::test

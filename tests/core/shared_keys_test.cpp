// Multi-head attention whose heads share keys and values, against loops in double and against given heads.

#include "core/evaluate.h"
#include "core/visibility.h"
#include "support.h"

namespace attnscope::test {
namespace {

AttentionConfig shared_config(Index tokens, Index key_heads) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = noise({tokens, 5}, 4);
  config.d_out = 24;
  config.num_heads = 6;
  config.num_kv_heads = key_heads;
  config.batch_size = 2;
  config.qkv_bias = true;
  return config;
}

TEST(SharedKeys, HaveWeightsForFewerHeads) {
  const AttentionConfig config = shared_config(6, 2);
  EXPECT_EQ(stage_shape(config, Stage::key_weight), (std::vector<Index>{8, 5}));
  EXPECT_EQ(stage_shape(config, Stage::value_bias), (std::vector<Index>{1, 8}));
  EXPECT_EQ(stage_shape(config, Stage::query_weight), (std::vector<Index>{24, 5}));
  EXPECT_EQ(stage_shape(config, Stage::keys), (std::vector<Index>{2, 2, 6, 4}));
  EXPECT_EQ(stage_shape(config, Stage::scores), (std::vector<Index>{2, 6, 6, 6}));
  const Result result = evaluate(config);
  EXPECT_EQ(result.find(Stage::key_weight)->shape, (std::vector<Index>{8, 5}));
}

// Attention over the keys and values that its weights make is the attention of given heads.
TEST(SharedKeys, AreReadAsTheHeadsOfAGivenDocumentAre) {
  for (const Index key_heads : {1, 2, 3, 6}) {
    for (const Index tokens : {6, 70}) {
      for (const bool rotates : {false, true}) {
        AttentionConfig config = shared_config(tokens, key_heads);
        if (rotates) config.rope = Rope{.base = 10};
        const Result made = evaluate(config);
        AttentionConfig given = config_of(Mechanism::scaled_dot_product_attention);
        given.heads = {*made.find(queries_stage(config)), *made.find(keys_stage(config)), *made.find(Stage::values),
                       ""};
        given.batch_size = 2;
        given.num_heads = 6;
        given.mask = config.mask;
        const Result expected = evaluate(given);
        EXPECT_TRUE(close(*made.find(Stage::context), *expected.find(Stage::context), 4e-6))
            << key_heads << " heads of keys, " << tokens << " tokens";
      }
    }
  }
}

TEST(SharedKeys, EngineAgreesWithTheReadableStages) {
  for (const Index key_heads : {1, 3}) {
    const AttentionConfig config = shared_config(40, key_heads);
    const Result readable = evaluate_readable(config, serial());
    const Result engine = evaluate_by_engine(config, serial());
    for (const Stage stage : {Stage::queries, Stage::keys, Stage::values, Stage::context, Stage::output})
      EXPECT_TRUE(close(*engine.find(stage), *readable.find(stage), 4e-6)) << info(stage).id;
  }
}

// The numbers of a key by its own loop: head h reads rows of W_key from (h · H_kv / H) · head_dim on.
TEST(SharedKeys, FollowFromTheWeightsOfTheirOwnHead) {
  const AttentionConfig config = shared_config(6, 2);
  const Result result = evaluate(config);
  const auto inputs = result.find(Stage::inputs)->matrix();
  const auto weight = result.find(Stage::key_weight)->matrix();
  const auto bias = result.find(Stage::key_bias)->matrix();
  for (const Index head : {0, 2, 3, 5}) {
    const Source cell = {.stage = Stage::keys, .head = head, .row = 4, .col = 1};
    const Index unit = head / 3 * 4 + 1;
    double sum = static_cast<double>(bias(0, unit));
    for (Index i = 0; i < 5; ++i) sum += static_cast<double>(inputs(4, i)) * static_cast<double>(weight(unit, i));
    EXPECT_NEAR(static_cast<double>(value_at(result, cell)), sum, 1e-6) << head;
    EXPECT_EQ(operands(config, cell)[1].first.row, unit);
  }
}

TEST(SharedKeys, AreComputedFirstForTheHeadThatIsLookedAt) {
  AttentionConfig config = shared_config(80, 2);
  config.rope = Rope{};
  const Result whole = evaluate_by_engine(config, serial());
  for (const Index matrix : {0, 4, 11}) {
    std::optional<Result> first;
    const HeadFirst head_first{matrix, [&](Result published) { first = std::move(published); }};
    const Result last = evaluate_by_engine(config, serial(), nullptr, nullptr, &head_first);
    EXPECT_TRUE(same_bits(*last.find(Stage::output), *whole.find(Stage::output)));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->finished.only, matrix);
  }
}

TEST(SharedKeys, AreRefusedWhereTheyDoNotDivideTheHeads) {
  for (const Index key_heads : {0, 4, 7}) {
    AttentionConfig config = shared_config(6, 2);
    config.num_kv_heads = key_heads;
    EXPECT_THROW(check(config), Error) << key_heads;
    config.mechanism = Mechanism::causal_attention;  // which has no use for them
    if (key_heads == 0) {
      EXPECT_THROW(check(config), Error);
    } else {
      EXPECT_NO_THROW(check(config)) << key_heads;
    }
  }
}

}  // namespace
}  // namespace attnscope::test

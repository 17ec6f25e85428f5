#include "core/config.h"
#include "core/config_fields.h"

#include "support.h"

#include <set>
#include <string_view>

namespace attnscope::test {
namespace {

TEST(Config, ReadsSizesFromTypedAndDrawnInputs) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  EXPECT_EQ(token_count(config), 6);
  EXPECT_EQ(input_features(config), 3);
  config.inputs = RandnInputs{.tokens = 9, .features = 4};
  EXPECT_EQ(token_count(config), 9);
  EXPECT_EQ(input_features(config), 4);
}

TEST(Config, KnowsTheHeadsOfEachMechanism) {
  struct Expected {
    Mechanism mechanism;
    Index heads, head_dim, context;
  };
  for (const Expected& expected :
       {Expected{Mechanism::simple_self_attention, 1, 3, 3}, Expected{Mechanism::self_attention_v1, 1, 8, 8},
        Expected{Mechanism::self_attention_v2, 1, 8, 8}, Expected{Mechanism::causal_attention, 1, 8, 8},
        Expected{Mechanism::multi_head_attention_wrapper, 4, 8, 32},
        Expected{Mechanism::multi_head_attention, 4, 2, 8}}) {
    AttentionConfig config = config_of(expected.mechanism);
    config.d_out = 8;
    config.num_heads = 4;
    EXPECT_EQ(head_count(config), expected.heads);
    EXPECT_EQ(head_features(config), expected.head_dim);
    EXPECT_EQ(context_features(config), expected.context);
  }
}

TEST(Config, VariedOnesAreAllAcceptable) {
  for (const AttentionConfig& config : varied_configs()) EXPECT_NO_THROW(check(config)) << describe(config);
}

TEST(Config, MechanismsWithoutHeadsDoNotCareWhatDividesDOut) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    AttentionConfig config = config_of(mechanism.mechanism);
    config.d_out = 3;
    config.num_heads = 2;
    if (mechanism.splits_heads) {
      EXPECT_THROW(check(config), Error);
    } else {
      EXPECT_NO_THROW(check(config)) << mechanism.id;
    }
  }
}

TEST(Config, SettingsWithoutUseChangeNothing) {
  AttentionConfig plain = config_of(Mechanism::simple_self_attention);
  AttentionConfig busy = plain;
  busy.d_out = 7;
  busy.num_heads = 5;
  busy.qkv_bias = true;
  busy.dropout = 0.5;
  busy.weight_order = {Projection::value, Projection::key, Projection::query};
  const Result expected = evaluate_readable(plain, serial());
  const Result result = evaluate_readable(busy, serial());
  for (const StageInfo& stage : stages()) {
    ASSERT_EQ(!result.find(stage.stage), !expected.find(stage.stage)) << stage.id;
    if (expected.find(stage.stage)) {
      EXPECT_TRUE(same_bits(*result.find(stage.stage), *expected.find(stage.stage)));
    }
  }
}

TEST(Config, SumIsForSimpleSelfAttentionOnly) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  const Result expected = evaluate_readable(config, serial());
  config.normalization = Normalization::sum;
  EXPECT_TRUE(same_bits(*evaluate_readable(config, serial()).find(Stage::weights), *expected.find(Stage::weights)));
}

TEST(StageRows, NameTheFieldOfWhatADocumentCanDoWithout) {
  std::set<std::string_view> keys;
  visit_fields([&](const auto& field) { keys.insert(field.key); });
  for (const StageInfo& row : stages()) {
    EXPECT_TRUE(row.control.empty() || keys.contains(row.control)) << row.id << ": " << row.control;
    EXPECT_TRUE(row.omission.is_empty() || !row.control.empty()) << row.id << " is named where it is left out";
  }
}

TEST(StageRows, SayWhichMatricesBelongToKeysAndValues) {
  for (const Stage stage : {Stage::keys, Stage::values, Stage::normalized_keys, Stage::rotated_keys})
    EXPECT_TRUE(has_key_rows(stage)) << info(stage).id;
  for (const Stage stage : {Stage::queries, Stage::rotated_queries, Stage::key_weight, Stage::key_gain, Stage::weights})
    EXPECT_FALSE(has_key_rows(stage)) << info(stage).id;
  for (const Stage stage : {Stage::key_weight, Stage::key_bias, Stage::value_weight, Stage::value_bias})
    EXPECT_TRUE(makes_keys_or_values(stage)) << info(stage).id;
  for (const Stage stage : {Stage::query_weight, Stage::key_gain, Stage::output_weight, Stage::keys})
    EXPECT_FALSE(makes_keys_or_values(stage)) << info(stage).id;
}

}  // namespace
}  // namespace attnscope::test

#include "support.h"

#include <limits>
#include <set>

namespace attnscope::test {
namespace {

std::uint64_t bytes_of(const Tensor& tensor) { return static_cast<std::uint64_t>(tensor.size()) * sizeof(float); }

TEST(RequiredBytes, CoversEveryTensorOfAResultAndLittleMore) {
  for (const AttentionConfig& config : varied_configs()) {
    const Result result = evaluate(config, serial());
    std::set<const Tensor*> distinct;
    std::uint64_t held = 0;
    for (const StageInfo& stage : stages()) {
      const Tensor* tensor = result.find(stage.stage);
      if (tensor && distinct.insert(tensor).second) held += bytes_of(*tensor);
    }
    for (const Parameter& parameter : *result.parameters) {
      if (distinct.insert(&parameter.tensor).second) held += bytes_of(parameter.tensor);
    }
    EXPECT_GE(required_bytes(config), held) << describe(config);
    EXPECT_LE(required_bytes(config), 2 * held + 1000) << describe(config);
  }
}

TEST(RequiredBytes, SaturatesInsteadOfOverflowing) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention_wrapper);
  constexpr Index huge = std::numeric_limits<Index>::max();
  config.inputs = RandnInputs{.tokens = huge, .features = huge};
  config.num_heads = huge;
  config.qkv_bias = true;
  EXPECT_EQ(required_bytes(config), std::numeric_limits<std::uint64_t>::max());
  config.inputs = RandnInputs{.tokens = -1, .features = 0};
  config.num_heads = 0;
  EXPECT_LT(required_bytes(config), 1000U);
}

TEST(RequiredBytes, WithoutSquaresGrowsWithTheTokensOnly) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.d_out = config.num_heads = 12;
  config.inputs = RandnInputs{.tokens = 4096, .features = 12};
  const std::uint64_t half = required_bytes(config, Squares::on_demand);
  config.inputs = RandnInputs{.tokens = 8192, .features = 12};
  const std::uint64_t whole = required_bytes(config, Squares::on_demand);
  EXPECT_LE(whole, 2 * half);
  EXPECT_LT(whole, 12'000'000U);
  EXPECT_GT(required_bytes(config, Squares::kept), 12ULL * 8192 * 8192 * 4);
}

TEST(RequiredBytes, WithoutSquaresCountsABitForEachWeightThatMayBeDropped) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.inputs = RandnInputs{.tokens = 8192, .features = 1};
  config.dropout = 0.5;
  const std::uint64_t mkl = required_bytes(config, Squares::on_demand);
  config.dropout_kernel = DropoutKernel::standard;
  const std::uint64_t bits = 8192ULL * 8192 / 8;
  EXPECT_GE(required_bytes(config, Squares::on_demand), mkl + bits - 100);
  EXPECT_LE(required_bytes(config, Squares::on_demand), mkl + bits + 100);
}

TEST(KeepsSquares, OfWhatIsSmallOnly) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  EXPECT_TRUE(keeps_squares(config));
  config.d_out = config.num_heads = 12;
  config.inputs = RandnInputs{.tokens = 1024, .features = 12};
  EXPECT_FALSE(keeps_squares(config));
  EXPECT_TRUE(keeps_squares(config, Squares::kept));
  EXPECT_FALSE(keeps_squares(config_of(Mechanism::multi_head_attention), Squares::on_demand));
  config.inputs = RandnInputs{.tokens = 256, .features = 12};
  EXPECT_TRUE(keeps_squares(config));
  EXPECT_LE(evaluate(config).find(Stage::weights)->size() * 6 * 4, static_cast<Index>(kept_squares_bytes));
}

TEST(RequiredBytes, OfTheLargestDocumentIsExact) {
  AttentionConfig config = config_of(Mechanism::self_attention_v2);
  config.inputs = RandnInputs{.tokens = max_tokens, .features = 1};
  config.d_out = 1;
  config.batch_size = 64;
  // scores, scaled scores and weights; inputs, queries, keys, values, head context, context, one scratch projection;
  // three weights
  const std::uint64_t matrix = 64ULL * 16384 * 16384;
  EXPECT_EQ(required_bytes(config), 4 * (3 * matrix + 7 * 64ULL * 16384 + 3));
}

TEST(CheckMemory, NamesBytesNeededAndFree) {
  AttentionConfig config = config_of(Mechanism::self_attention_v2);
  config.inputs = RandnInputs{.tokens = max_tokens, .features = 1};
  config.d_out = 1;
  config.batch_size = 64;
  const Error error = error_of([&] { check_memory(config, 23ULL << 30); });
  EXPECT_TRUE(error.field.empty());
  EXPECT_STREQ(error.what(),
               "This document needs 192.0 GB of memory (206,187,790,348 bytes), but only 23.0 GB are free: use fewer "
               "tokens, heads or batch entries.");
}

TEST(CheckMemory, AcceptsWhatJustFits) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention);
  EXPECT_NO_THROW(check_memory(config, required_bytes(config)));
  const Error error = error_of([&] { check_memory(config, required_bytes(config) - 1); });
  EXPECT_NE(std::string(error.what()).find(" KB of memory ("), std::string::npos) << error.what();
}

}  // namespace
}  // namespace attnscope::test

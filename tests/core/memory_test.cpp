#include "core/dropout.h"
#include "core/engine.h"
#include "core/model/transformer.h"
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

TEST(RequiredBytes, SaturatesWithAnyNumberOfSharedHeads) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.d_out = config.num_heads = 4;
  config.num_kv_heads = std::numeric_limits<Index>::max();
  EXPECT_EQ(required_bytes(config), std::numeric_limits<std::uint64_t>::max());
}

TEST(RequiredBytes, CountsTheTableOfRotations) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 1000, .features = 24};
  config.d_out = 64;
  const std::uint64_t plain = required_bytes(config);
  config.rope = Rope{};
  const RopeTable table = rope_table(config, 1000);
  const std::size_t numbers = 2 * std::size_t{1000} * 64 + table.cosines.size() + table.sines.size();
  EXPECT_EQ(required_bytes(config), plain + numbers * sizeof(float));
}

TEST(RequiredBytes, GrowsWithTheTokensOnly) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.d_out = config.num_heads = 12;
  config.inputs = RandnInputs{.tokens = 4096, .features = 12};
  const std::uint64_t half = required_bytes(config);
  config.inputs = RandnInputs{.tokens = 8192, .features = 12};
  const std::uint64_t whole = required_bytes(config);
  EXPECT_LE(whole, 2 * half);
  EXPECT_LT(whole, 12'000'000U);
}

TEST(RequiredBytes, CountsABitForEachWeightThatMayBeDropped) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.inputs = RandnInputs{.tokens = 8192, .features = 1};
  config.dropout = 0.5;
  const std::uint64_t mkl = required_bytes(config);
  config.dropout_kernel = DropoutKernel::standard;
  const std::uint64_t bits = 8192ULL * 8192 / 8;
  EXPECT_GE(required_bytes(config), mkl + bits - 100);
  EXPECT_LE(required_bytes(config), mkl + bits + 100);
}

// A long document's share besides its tensors: the dropout mask, and what an engine works in.
TEST(RequiredBytes, OfALongDocumentCountsWhatTheEngineKeeps) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 1000, .features = 24};
  config.num_heads = 4;
  config.d_out = 32;
  config.dropout = 0.5;
  const Result result = evaluate(config, serial());
  std::uint64_t held = engine_bytes(config) + result.dropout->bytes();
  for (const StageInfo& stage : stages()) {
    const Tensor* const tensor = is_parameter(stage.axes) ? nullptr : result.find(stage.stage);
    if (tensor) held += bytes_of(*tensor);
  }
  for (const Parameter& parameter : *result.parameters) held += bytes_of(parameter.tensor);
  EXPECT_GE(required_bytes(config), held);
  EXPECT_LE(required_bytes(config), 2 * held);
}

TEST(CheckMemory, NamesBytesNeededAndFree) {
  AttentionConfig config = config_of(Mechanism::self_attention_v2);
  config.inputs = RandnInputs{.tokens = max_tokens, .features = 12288};
  config.d_out = 12288;
  config.batch_size = 64;
  const Error error = error_of([&] { check_memory(config, 23ULL << 30); });
  EXPECT_TRUE(error.field.empty());
  const std::string what = error.what();
  EXPECT_TRUE(what.starts_with("This document needs 75.4")) << what;
  EXPECT_NE(what.find(" GB of memory (8"), std::string::npos) << what;
  EXPECT_NE(what.find(" bytes), but only 23.0 GB are free: use fewer tokens, heads or batch entries."),
            std::string::npos)
      << what;
}

TEST(CheckMemory, OfAModelCountsItsWeights) {
  const TransformerShape shape{.layers = 2,
                               .heads = 2,
                               .key_value_heads = 1,
                               .head_dim = 4,
                               .features = 8,
                               .hidden = 16,
                               .vocabulary = 100,
                               .context_length = 10};
  const std::uint64_t layer = 8 * (8 + 4 + 4 + 8) + 2 * 8 * 16;
  const std::uint64_t bytes = sizeof(float) * (2 * layer + 8 * (100 + 10));
  EXPECT_EQ(required_bytes(shape, false), bytes);
  EXPECT_EQ(required_bytes(shape, true), bytes + sizeof(float) * 8 * 100);
  check_memory(shape, false, bytes);
  const Error error = error_of([&] { check_memory(shape, false, bytes - 1); });
  EXPECT_STREQ(error.what(),
               "This model needs 6.9 KB of memory (7,104 bytes), but only 6.9 KB are free: close other programs, or "
               "take a smaller model.");
}

TEST(CheckMemory, AcceptsWhatJustFits) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention);
  EXPECT_NO_THROW(check_memory(config, required_bytes(config)));
  const Error error = error_of([&] { check_memory(config, required_bytes(config) - 1); });
  EXPECT_NE(std::string(error.what()).find(" KB of memory ("), std::string::npos) << error.what();
}

}  // namespace
}  // namespace attnscope::test

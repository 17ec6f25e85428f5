// Which words of the generator became a number: found again by counting them from the seed.

#include "core/source.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/parameters.h"
#include "support.h"

namespace attnscope::test {
namespace {

std::vector<AttentionConfig> drawing_configs() {
  std::vector<AttentionConfig> configs;
  for (const Mechanism mechanism :
       {Mechanism::causal_attention, Mechanism::multi_head_attention_wrapper, Mechanism::multi_head_attention}) {
    for (const DropoutKernel kernel : {DropoutKernel::mkl, DropoutKernel::standard}) {
      AttentionConfig config = config_of(mechanism);
      config.dropout = 0.5;
      config.dropout_kernel = kernel;
      config.qkv_bias = true;
      config.num_heads = 2;
      config.d_out = 4;
      config.batch_size = 2;
      configs.push_back(config);
      config.skip_draws = 7;
      for (const Index tokens : {3, 5, 6, 16}) {  // 9 and 15 normal numbers one by one, 18 and 48 by blocks
        config.inputs = RandnInputs{tokens, 3};
        configs.push_back(config);
      }
      config.dropout_seed = 99;
      configs.push_back(config);
    }
  }
  return configs;
}

void expect_found_again(const AttentionConfig& config, const Source& source, const Draw& draw) {
  const bool is_reseeded = source.stage == Stage::dropout_factors && config.dropout_seed;
  Generator generator(is_reseeded ? *config.dropout_seed : config.seed);
  skip_words(generator, draw.number - 1);
  EXPECT_EQ(draw.words == 1 ? next_word(generator) : next_double_word(generator), draw.word);
}

TEST(Draw, WordsOfWeightsAreFoundAgain) {
  for (const AttentionConfig& config : drawing_configs()) {
    const Result result = evaluate_readable(config);
    for (const Source& source : {Source{.stage = Stage::query_weight, .head = 1, .row = 1, .col = 2},
                                 Source{.stage = Stage::value_bias, .head = 1, .row = 0, .col = 1},
                                 Source{.stage = Stage::key_weight, .row = 0, .col = 0}}) {
      const std::optional<Draw> draw = draw_for(result, source);
      ASSERT_TRUE(draw);
      expect_found_again(config, source, *draw);
      EXPECT_EQ(draw->uniform, static_cast<float>(draw->word & 0xFFFFFF) * 0x1p-24F);
    }
  }
}

TEST(Draw, WordsOfDropoutAreFoundAgain) {
  for (const AttentionConfig& config : drawing_configs()) {
    const Result result = evaluate_readable(config);
    const Source source{
        .stage = Stage::dropout_factors, .batch = 1, .head = head_count(config) - 1, .row = 2, .col = 1};
    const std::optional<Draw> draw = draw_for(result, source);
    ASSERT_TRUE(draw);
    expect_found_again(config, source, *draw);
    EXPECT_EQ(value_at(result, source) > 0, static_cast<double>(draw->uniform) < 1 - config.dropout);
  }
}

TEST(Draw, InputsHaveNoneOfTheirOwn) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.inputs = RandnInputs{6, 3};
  EXPECT_FALSE(draw_for(evaluate_readable(config), {.stage = Stage::inputs}));
}

}  // namespace
}  // namespace attnscope::test

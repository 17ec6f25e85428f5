#include "tile_support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attnscope::test {

AttentionConfig config_of(Index tokens) {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = tokens, .features = 8};
  config.d_out = 16;
  config.num_heads = 2;
  config.dropout = 0.25;
  return config;
}

ResultPtr computed(const AttentionConfig& config) {
  return std::make_shared<const Result>(evaluate_by_engine(config, {}, nullptr));
}

ResultPtr large_result() {
  const auto result = std::make_shared<Result>();
  result->config = config_of(16384);
  result->config.d_out = 128;
  result->config.dropout = 0;
  result->config.mask = MaskRoute::none;
  for (const Stage stage : {Stage::queries, Stage::keys}) {
    Tensor tensor(stage_shape(result->config, stage));
    Generator generator(static_cast<std::uint64_t>(stage));
    fill_uniform(tensor.values, generator, -1, 1);
    result->tensors[stage] = std::make_shared<const Tensor>(std::move(tensor));
  }
  const std::vector<float> ones(2 * 16384, 1.0F);
  result->rows = std::make_shared<const RowStatistics>(RowStatistics{ones, ones, {}});
  return result;
}

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isfinite(expected[i])) {
      ASSERT_NEAR(actual[i], expected[i], 1e-5) << "texel " << i;
    } else {
      ASSERT_EQ(actual[i], expected[i]) << "texel " << i;
    }
  }
}

}  // namespace attnscope::test

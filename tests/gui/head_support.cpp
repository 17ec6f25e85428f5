#include "head_support.h"

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
  AttentionConfig config = config_of(2000);
  config.d_out = 128;
  config.dropout = 0;
  config.mask = MaskRoute::none;
  return computed(config);
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

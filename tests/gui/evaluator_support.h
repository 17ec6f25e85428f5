#pragma once

#include <chrono>

#include "document/document.h"

namespace attnscope::test {

constexpr std::chrono::minutes long_enough{2};

inline AttentionConfig config_with_seed(std::uint64_t seed, Index tokens = 6) {
  AttentionConfig config = default_document().config;
  config.inputs = RandnInputs{tokens, 8};
  config.seed = seed;
  return config;
}

// As large as GPT-2's attention.
inline AttentionConfig gpt2_sized(std::uint64_t seed) {
  AttentionConfig config = config_with_seed(seed, 1024);
  config.inputs = RandnInputs{1024, 768};
  config.d_out = 768;
  config.num_heads = 12;
  config.batch_size = 2;
  return config;
}

}  // namespace attnscope::test

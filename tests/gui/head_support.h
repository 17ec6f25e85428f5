#pragma once

#include <memory>
#include <vector>

#include "compute/picture_cache.h"

namespace attnscope::test {

using ResultPtr = std::shared_ptr<const Result>;

AttentionConfig config_of(Index tokens);
ResultPtr computed(const AttentionConfig& config);  // without any T by T matrix
ResultPtr large_result();                           // that takes longer to compute than a frame

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected);

}  // namespace attnscope::test

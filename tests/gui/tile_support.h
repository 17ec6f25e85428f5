#pragma once

#include <memory>
#include <vector>

#include "compute/tile_store.h"

namespace attnscope::test {

using ResultPtr = std::shared_ptr<const Result>;

AttentionConfig config_of(Index tokens);
ResultPtr computed(const AttentionConfig& config);  // without any T by T matrix
// As an evaluation leaves it, but for the statistics, which take long: good enough to be drawn.
ResultPtr large_result();

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected);

constexpr Tile whole(const TexelGrid& grid) { return {0, 0, grid.rows, grid.cols}; }

}  // namespace attnscope::test

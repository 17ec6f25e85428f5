#include "compute/computation.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/heads.h"

namespace attnscope {
namespace {

// Four million scores, which are computed when they are read.
std::shared_ptr<const Result> large_result() {
  const auto result = std::make_shared<Result>();
  result->config.inputs = RandnInputs{.tokens = 2000, .features = 8};
  result->config.d_out = 128;
  result->config.num_heads = 2;
  for (const Stage stage : {Stage::queries, Stage::keys}) {
    result->tensors[stage] = std::make_shared<const Tensor>(stage_shape(result->config, stage));
  }
  result->heads = std::make_shared<HeadStore>();
  return result;
}

TEST(LargestFinder, BeginsNoSearchOnceItEnds) {
  const std::shared_ptr<const Result> result = large_result();
  std::atomic<int> calls = 0;
  for (int i = 0; i < 5; ++i) {
    LargestFinder finder(find_largest, [&] { ++calls; });
    finder.start({result, {.ticket = 1, .stage = Stage::scores, .matrix = 0}});
  }
  EXPECT_EQ(calls, 0) << "nobody was left to be told";
}

}  // namespace
}  // namespace attnscope

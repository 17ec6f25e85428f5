#include "core/execution.h"

#include "support.h"

#include <atomic>

namespace attnscope::test {
namespace {

// Many blocks of rows in every stage, and a last one that is not full.
AttentionConfig large_config(Mechanism mechanism) {
  AttentionConfig config = config_of(mechanism);
  config.inputs = RandnInputs{.tokens = 200, .features = 37};
  config.d_out = 24;
  config.num_heads = 3;
  config.batch_size = 2;
  config.dropout = 0.25;
  config.qkv_bias = true;
  return config;
}

TEST(Execution, SerialAndParallelGiveTheSameBits) {
  std::vector<AttentionConfig> configs = varied_configs();
  for (const MechanismInfo& mechanism : mechanisms()) configs.push_back(large_config(mechanism.mechanism));
  for (const AttentionConfig& config : configs) {
    const Result expected = evaluate(config, serial());
    for (const int threads : {1, 2, 3, 8}) {
      EXPECT_TRUE(same_result(evaluate(config, openmp(threads)), expected)) << threads << " " << describe(config);
    }
  }
}

TEST(Execution, RunsEveryBlockOnce) {
  for (const Execution& execution : {serial(), openmp(1), openmp(4), Execution{}}) {
    std::vector<std::atomic<int>> visits(101);
    for_each_block(execution, 101, [&](Index block) { ++visits[static_cast<std::size_t>(block)]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
    for_each_block(execution, 0, [](Index) { FAIL() << "there is no block"; });
  }
}

TEST(Execution, PassesOnWhatABlockThrows) {
  for (const Execution& execution : {serial(), openmp(4)}) {
    const auto fail = [&] {
      for_each_block(execution, 10, [](Index block) {
        if (block == 7) throw Error("seventh");
      });
    };
    EXPECT_STREQ(error_of(fail).what(), "seventh");
  }
}

TEST(Execution, CountsAtLeastOneThread) {
  EXPECT_EQ(thread_count(serial()), 1);
  EXPECT_GE(thread_count(Execution{}), 1);
  EXPECT_GE(thread_count(openmp(-3)), 1);
  EXPECT_EQ(thread_count(openmp(3)), has_openmp ? 3 : 1);
}

TEST(Cancellation, BeforeTheStartComputesNothing) {
  std::stop_source source;
  source.request_stop();
  for (Execution execution : {serial(), openmp(2)}) {
    execution.stop = source.get_token();
    EXPECT_THROW(evaluate(config_of(Mechanism::multi_head_attention), execution), Cancelled);
    EXPECT_THROW(for_each_block(execution, 3, [](Index) { FAIL(); }), Cancelled);
  }
}

TEST(Cancellation, StopsBetweenBlocks) {
  for (Execution execution : {serial(), openmp(2)}) {
    std::stop_source source;
    execution.stop = source.get_token();
    std::atomic<int> blocks = 0;
    const auto run = [&] {
      for_each_block(execution, 1000, [&](Index) {
        if (++blocks == 5) source.request_stop();
      });
    };
    EXPECT_THROW(run(), Cancelled);
    EXPECT_LT(blocks, 20);
  }
}

}  // namespace
}  // namespace attnscope::test

#include "core/dropout.h"
#include "core/engine.h"
#include "core/random.h"
#include "core/results.h"
#include "support.h"

#include <array>
#include <atomic>
#include <functional>

namespace attnscope::test {
namespace {

// Checks that a computation makes, and the one at which it is told to stop.
struct Watch {
  explicit Watch(const Execution& plain, int stop_at = -1) : execution(plain) {
    progress.on_check = [this, stop_at] {
      if (++checks == stop_at) source.request_stop();
    };
    execution.stop = source.get_token();
    execution.progress = &progress;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::stop_source source;
  std::atomic<int> checks = 0;
  Progress progress;
  Execution execution;
};

AttentionConfig small_config() {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.inputs = RandnInputs{.tokens = 150, .features = 20};
  config.d_out = 24;
  config.num_heads = 3;
  config.batch_size = 2;
  config.dropout = 0.5;
  config.dropout_kernel = DropoutKernel::standard;
  config.skip_draws = 5;
  return config;
}

// Whether it ran to its end.
bool evaluates_all(const Execution& execution, Way way, Engine& engine) {
  try {
    evaluate_by(way, small_config(), execution, nullptr, &engine);
    return true;
  } catch (const Cancelled&) {
    return false;
  }
}

TEST(Cancellation, EndsAnEvaluationAtEveryCheck) {
  const Result expected = evaluate_by_engine(small_config(), serial());
  for (const Way way : both_ways) {
    Engine engine;
    bool is_done = false;
    int check = 0;
    constexpr int more_than_there_are = 10'000;
    while (!is_done) {
      ASSERT_LT(check, more_than_there_are);
      Watch watch(serial(), ++check);
      is_done = evaluates_all(watch.execution, way, engine);
      EXPECT_EQ(watch.checks, is_done ? check - 1 : check) << "nothing goes on after a stop";
    }
    EXPECT_GT(check, 50);
    const Result after = evaluate_by_engine(small_config(), serial(), nullptr, &engine);
    EXPECT_TRUE(same_result(after, expected)) << "the engine has forgotten what was cut off";
  }
}

TEST(Cancellation, EndsAnEvaluationOnSeveralThreads) {
  for (int check = 1; check < 60; check += 7) {
    Engine engine;
    Watch watch(openmp(3), check);
    EXPECT_FALSE(evaluates_all(watch.execution, Way::engine, engine)) << check;
  }
}

// A computation that is not shared out by blocks alone, and the numbers that it may go through between two checks.
struct LongWork {
  const char* name;
  Index numbers;
  Index most_between;
  std::function<void(const Execution&)> run;
};

void PrintTo(const LongWork& work, std::ostream* out) { *out << work.name; }

class LongWorkTest : public testing::TestWithParam<LongWork> {};

TEST_P(LongWorkTest, AsksOftenWhetherToGoOn) {
  Watch watch(serial());
  GetParam().run(watch.execution);
  EXPECT_GE(watch.checks, GetParam().numbers / GetParam().most_between);
}

TEST_P(LongWorkTest, StopsHalfWay) {
  Watch whole(serial());
  GetParam().run(whole.execution);
  Watch watch(serial(), whole.checks / 2);
  EXPECT_THROW(GetParam().run(watch.execution), Cancelled);
  EXPECT_EQ(watch.checks, whole.checks / 2);
}

constexpr Index millions = Index{1} << 20;

std::vector<float> floats(Index count) { return std::vector<float>(static_cast<std::size_t>(count)); }

void drop(const Execution& execution, DropoutKernel kernel) {
  std::vector<float> factors = floats(millions);
  Generator generator(1);
  draw_dropout_factors(factors, generator, 0.5, kernel, execution);
}

const std::vector<LongWork> long_works = {
    {"skipped words", 64 * millions, 16 * millions,
     [](const Execution& execution) {
       Generator generator(1);
       skip_words(generator, static_cast<std::uint64_t>(64 * millions), execution);
     }},
    {"uniforms", 4 * millions, millions,
     [](const Execution& execution) {
       std::vector<float> values = floats(4 * millions);
       Generator generator(1);
       fill_uniform(values, generator, 0, 1, execution);
     }},
    {"normals", millions, millions / 8,
     [](const Execution& execution) {
       std::vector<float> values = floats(millions);
       Generator generator(1);
       fill_randn(values, generator, execution);
     }},
    {"parameters", 12 * millions, millions,
     [](const Execution& execution) {
       AttentionConfig config = config_of(Mechanism::self_attention_v2);
       config.inputs = RandnInputs{.tokens = 1, .features = 2048};
       config.d_out = 2048;
       Generator generator(1);
       draw_parameters(config, generator, execution);
     }},
    {"zeros", 16 * millions, 4 * millions,
     [](const Execution& execution) {
       zeros({16, millions}, execution);
     }},
    {"dropout factors of MKL", millions, millions / 4,
     [](const Execution& execution) { drop(execution, DropoutKernel::mkl); }},
    {"dropout factors elsewhere", millions, millions / 4,
     [](const Execution& execution) { drop(execution, DropoutKernel::standard); }},
    {"dropout bits", 4 * millions, millions / 64,
     [](const Execution& execution) {
       AttentionConfig config = config_of(Mechanism::causal_attention);
       config.inputs = RandnInputs{.tokens = 2048, .features = 2};
       config.dropout = 0.5;
       config.dropout_kernel = DropoutKernel::standard;
       DropoutMask(config, Generator(1), execution);
     }},
    {"summary of one matrix", 4 * millions, millions / 2,
     [](const Execution& execution) {
       Result result;
       result.tensors[Stage::inputs] = std::make_shared<const Tensor>(Tensor({2048, 2048}));
       summarize_matrix(result, Stage::inputs, 0, execution);
     }},
};

INSTANTIATE_TEST_SUITE_P(All, LongWorkTest, testing::ValuesIn(long_works));

TEST(DrawnInPieces, NormalsAreThoseOfOnePass) {
  // Two pieces and a last block that is not full: the tail is drawn once with the others and once more.
  const std::size_t count = (std::size_t{1} << 17) + 21;
  std::vector<float> whole(count);
  Generator generator(11);
  fill_randn(whole, generator);
  std::vector<float> uniforms(count);
  Generator other(11);
  fill_uniform(uniforms, other, 0, 1);
  std::vector<float> block(16);
  fill_uniform(block, other, 0, 1);
  EXPECT_EQ(generator, other) << "as many words";
  std::vector<float> first(32);
  Generator again(11);
  fill_randn(first, again);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), whole.begin()));
}

}  // namespace
}  // namespace attnscope::test

#include "core/dropout.h"

#include "core/matrix.h"
#include "support.h"

#include <cmath>

namespace attnscope::test {
namespace {

constexpr std::array kernels = {DropoutKernel::mkl, DropoutKernel::standard};

std::vector<float> factors_of(std::size_t count, Generator& generator, double rate, DropoutKernel kernel) {
  std::vector<float> factors(count, -1.0F);
  fill_dropout_factors(factors, generator, rate, kernel);
  return factors;
}

TEST(Dropout, RatesZeroAndOneDrawNothing) {
  for (const DropoutKernel kernel : kernels) {
    Generator generator(5);
    EXPECT_EQ(factors_of(20, generator, 0.0, kernel), std::vector<float>(20, 1.0F));
    EXPECT_EQ(factors_of(20, generator, 1.0, kernel), std::vector<float>(20, 0.0F));
    EXPECT_EQ(generator, Generator(5));
  }
}

TEST(Dropout, MklDrawsOneWordAndTheDefaultTwoForEachElement) {
  Generator mkl(5);
  Generator standard(5);
  Generator words(5);
  factors_of(20, mkl, 0.5, DropoutKernel::mkl);
  factors_of(20, standard, 0.5, DropoutKernel::standard);
  skip_words(words, 1);
  EXPECT_EQ(mkl, words);
  skip_words(words, 39);
  EXPECT_EQ(standard, words);
}

TEST(Dropout, KeepsTheExpectedShare) {
  for (const DropoutKernel kernel : kernels) {
    for (const double rate : {0.1, 0.5, 0.9}) {
      Generator generator(8);
      const std::vector<float> factors = factors_of(100000, generator, rate, kernel);
      const auto kept = static_cast<double>(std::ranges::count_if(factors, [](float factor) { return factor > 0; }));
      EXPECT_NEAR(kept / 100000, 1 - rate, 0.01);
      for (const float factor : factors) {
        ASSERT_TRUE(factor == 0 || factor == 1.0F / static_cast<float>(1 - rate));
      }
    }
  }
}

TEST(Dropout, KernelsDisagreeForTheSameSeed) {
  Generator mkl(123);
  Generator standard(123);
  EXPECT_NE(factors_of(36, mkl, 0.5, DropoutKernel::mkl), factors_of(36, standard, 0.5, DropoutKernel::standard));
}

TEST(Dropout, ActsInTrainingOnly) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.dropout = 0.5;
  EXPECT_TRUE(dropout_is_active(config));
  config.training = false;
  EXPECT_FALSE(dropout_is_active(config));
  const Result result = evaluate_readable(config, serial());
  for (const float factor : result.find(Stage::dropout_factors)->values) EXPECT_EQ(factor, 1.0F);
  EXPECT_EQ(result.share(Stage::dropped_weights), result.share(Stage::weights));
}

TEST(Dropout, ReseedingMakesItIndependentOfTheWeights) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.dropout = 0.5;
  config.dropout_seed = 7;
  const Result one = evaluate_readable(config, serial());
  config.seed = 1000;
  const Result other = evaluate_readable(config, serial());
  EXPECT_FALSE(*one.find(Stage::weights) == *other.find(Stage::weights));
  EXPECT_EQ(*one.find(Stage::dropout_factors), *other.find(Stage::dropout_factors));
}

TEST(Dropout, DiffersBetweenTheEntriesOfABatch) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  config.dropout = 0.5;
  config.batch_size = 2;
  const Tensor factors = *evaluate_readable(config, serial()).find(Stage::dropout_factors);
  EXPECT_FALSE(eigen(factors, 0) == eigen(factors, 1));
}

// The wrapper calls its heads one after the other: the first call drops every batch entry of head 0.
TEST(Dropout, OfTheWrapperGoesHeadByHead) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention_wrapper);
  config.dropout = 0.5;
  config.batch_size = 2;
  config.dropout_kernel = DropoutKernel::standard;
  const Result result = evaluate_readable(config, serial());
  Generator generator = result.after_parameters;
  for (Index h = 0; h < 2; ++h) {
    const std::vector<float> head = factors_of(72, generator, 0.5, DropoutKernel::standard);
    for (Index b = 0; b < 2; ++b) {
      for (Index cell = 0; cell < 36; ++cell) {
        EXPECT_EQ(result.find(Stage::dropout_factors)->matrix(b * 2 + h)(cell / 6, cell % 6),
                  head[static_cast<std::size_t>(b * 36 + cell)]);
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test

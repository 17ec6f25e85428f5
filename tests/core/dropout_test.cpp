#include "core/dropout.h"

#include "core/tensor.h"
#include "support.h"

#include <cmath>
#include <random>

namespace attnscope::test {
namespace {

constexpr std::array kernels = {DropoutKernel::mkl, DropoutKernel::standard};

std::vector<float> factors_of(std::size_t count, Generator& generator, double rate, DropoutKernel kernel) {
  std::vector<float> factors(count, -1.0F);
  draw_dropout_factors(factors, generator, rate, kernel);
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

using Bits = std::vector<std::uint64_t>;

constexpr std::array kernels_of_torch = {DropoutKernel::mkl, DropoutKernel::standard};
constexpr double modulus = 2147483647;

bool bit(const Bits& bits, std::size_t i) { return (bits.at(i / 64) >> (i % 64) & 1) != 0; }

Bits bits_of(Index count, Generator& generator, double rate, DropoutKernel kernel, const Execution& execution) {
  Bits bits(words_of_bits(count), 0x5555);
  draw_dropout_bits(bits, count, generator, rate, kernel, execution);
  return bits;
}

// Bits and factors from the same generator agree, and leave it in the same state.
void expect_bits_of_factors(Index count, const Generator& before, double rate, DropoutKernel kernel) {
  SCOPED_TRACE(testing::Message() << count << " elements, rate " << rate << ", kernel " << static_cast<int>(kernel));
  Generator of_factors = before;
  std::vector<float> factors(static_cast<std::size_t>(count));
  draw_dropout_factors(factors, of_factors, rate, kernel);
  Bits wanted(words_of_bits(count));
  for (std::size_t i = 0; i < factors.size(); ++i) wanted[i / 64] |= std::uint64_t{factors[i] > 0} << i % 64;
  for (const Execution& execution : {serial(), Execution{.backend = Backend::openmp, .threads = 3, .stop = {}}}) {
    Generator generator = before;
    ASSERT_EQ(bits_of(count, generator, rate, kernel, execution), wanted);
    ASSERT_EQ(generator, of_factors);
  }
}

TEST(DropoutBits, AreThoseOfTheFactors) {
  for (const DropoutKernel kernel : kernels_of_torch) {
    for (const Index count : {0, 1, 63, 64, 65, 8192, 1000003}) {
      for (const double rate : {0.0, 1e-20, 1e-9, 0.1, 0.5, 0.999999, 1.0}) {
        Generator generator(123);
        expect_bits_of_factors(count, generator, rate, kernel);
      }
    }
  }
}

TEST(DropoutBits, BeginAnywhereInTheGenerator) {
  for (const DropoutKernel kernel : kernels_of_torch) {
    for (const std::uint64_t skipped : {1, 2, 311, 622, 623, 624, 625, 1247}) {
      Generator generator(5);
      skip_words(generator, skipped);
      expect_bits_of_factors(1000, generator, 0.3, kernel);
    }
  }
}

// A first word that the modulus divides would start a stream of zeros: 1 takes its place.
TEST(DropoutBits, StartAtOneWhereTheWordIsZero) {
  Generator generator(47);
  skip_words(generator, 1610337);
  Generator copy = generator;
  EXPECT_EQ(next_word(copy), 2U * 2147483647U);
  copy = generator;
  EXPECT_EQ(mkl_start(copy), 1U);
  expect_bits_of_factors(1000, generator, 0.5, DropoutKernel::mkl);
}

TEST(DropoutBits, StopWhenAskedTo) {
  std::stop_source source;
  source.request_stop();
  for (const DropoutKernel kernel : kernels_of_torch) {
    Generator generator(1);
    EXPECT_THROW(
        bits_of(100000, generator, 0.5, kernel, {.backend = Backend::serial, .threads = 1, .stop = source.get_token()}),
        Cancelled);
  }
}

TEST(DropoutThreshold, SeparatesWhatIsKeptExactly) {
  std::mt19937_64 engine(1);
  std::vector<double> keeps = {1.0, 1 - 1e-9, 0.9, 0.5, 1e-6, 5e-324, 1 / modulus, 2 / modulus};
  for (int i = 0; i < 1000; ++i) keeps.push_back(static_cast<double>(engine() % 2147483647U) / modulus);
  for (int i = 0; i < 1000; ++i) keeps.push_back(static_cast<double>(engine() >> 11) * 0x1p-53);
  for (const double keep : keeps) {
    const std::uint32_t mkl = mkl_threshold(keep);
    EXPECT_TRUE(mkl == 1 || static_cast<double>(mkl - 1) / modulus < keep) << keep;
    EXPECT_FALSE(static_cast<double>(mkl) / modulus < keep && mkl < 2147483647U) << keep;
    const std::uint64_t standard = standard_threshold(keep);
    EXPECT_LT(static_cast<double>(standard - 1) * 0x1p-53, keep);
    EXPECT_GE(static_cast<double>(standard) * 0x1p-53, keep);
  }
}

TEST(MklElement, IsThatManyStepsAway) {
  std::uint64_t element = 77;
  for (std::uint64_t i = 0; i < 70000; ++i) {
    ASSERT_EQ(mkl_element(77, i), element);
    element = element * 1132489760 % 2147483647;
  }
  const std::uint64_t far = (std::uint64_t{1} << 41) + 12345;
  const std::uint64_t half = far / 2;
  EXPECT_EQ(mkl_element(mkl_element(77, half), far - half), mkl_element(77, far));
  EXPECT_EQ(mkl_element(77, 2147483646), 77U);
}

TEST(CopyBits, TakesAnyRange) {
  std::mt19937_64 engine(3);
  Bits from(8);
  for (std::uint64_t& word : from) word = engine();
  for (Index first = 0; first < 130; ++first) {
    for (const Index count : {0, 1, 5, 63, 64, 65, 127, 128, 129, 300}) {
      Bits to(words_of_bits(count) + 1, 42);
      copy_bits(to, from, first, count);
      for (Index k = 0; k < count; ++k) {
        ASSERT_EQ(bit(to, static_cast<std::size_t>(k)), bit(from, static_cast<std::size_t>(first + k)));
      }
      for (Index k = count; k % 64 != 0; ++k) ASSERT_FALSE(bit(to, static_cast<std::size_t>(k)));
      ASSERT_EQ(to.back(), 42U);
    }
  }
}

TEST(EqualBits, EndWithTheLastElement) {
  for (const Index count : {0, 1, 63, 64, 65}) {
    Bits bits(3, 42);
    fill_equal_bits(bits, count, true);
    for (Index k = 0; k < count; ++k) EXPECT_TRUE(bit(bits, static_cast<std::size_t>(k)));
    for (Index k = count; k % 64 != 0; ++k) EXPECT_FALSE(bit(bits, static_cast<std::size_t>(k)));
    EXPECT_EQ(bits.back(), 42U);
  }
}

AttentionConfig dropping(Mechanism mechanism, DropoutKernel kernel, double rate) {
  AttentionConfig config = config_of(mechanism);
  config.inputs = RandnInputs{.tokens = 71, .features = 2};
  config.num_heads = 3;
  config.d_out = 3;
  config.batch_size = 2;
  config.dropout = rate;
  config.dropout_kernel = kernel;
  return config;
}

bool bit(const std::vector<std::uint64_t>& bits, Index k) {
  return (bits.at(static_cast<std::size_t>(k / 64)) >> (k % 64) & 1) != 0;
}

void expect_factors(const DropoutMask& mask, const Tensor& factors) {
  DropoutRows rows(mask);
  std::vector<std::uint64_t> bits(2);
  for (Index m = 0; m < factors.matrix_count(); ++m) {
    for (Index query = 0; query < factors.rows(); ++query) {
      const Index first = query % 5;
      const Index count = factors.cols() - first - query % 3;
      rows.read(bits, m, query, first, count);
      for (Index k = 0; k < count; ++k) {
        ASSERT_EQ(bit(bits, k) ? mask.factor() : 0, factors.matrix(m)(query, first + k))
            << "matrix " << m << " query " << query << " key " << first + k << " in " << mask.bytes() << " bytes";
      }
    }
  }
}

TEST(DropoutMask, KeepsWhatTheFactorsKeep) {
  for (const Mechanism mechanism :
       {Mechanism::multi_head_attention, Mechanism::multi_head_attention_wrapper, Mechanism::causal_attention}) {
    for (const DropoutKernel kernel : {DropoutKernel::mkl, DropoutKernel::standard}) {
      for (const double rate : {0.25, 0.9, 1.0}) {
        const AttentionConfig config = dropping(mechanism, kernel, rate);
        SCOPED_TRACE(describe(config));
        const Result result = evaluate_readable(config, serial());
        for (const std::uint64_t bytes : {dropout_mask_bytes, std::uint64_t{20000}, std::uint64_t{0}}) {
          expect_factors(DropoutMask(config, result.after_parameters, serial(), bytes),
                         *result.find(Stage::dropout_factors));
        }
      }
    }
  }
}

TEST(DropoutMask, HoldsWhatTheUserKeepsAndDrops) {
  for (const Mechanism mechanism : {Mechanism::multi_head_attention, Mechanism::multi_head_attention_wrapper}) {
    for (const DropoutKernel kernel : {DropoutKernel::mkl, DropoutKernel::standard}) {
      for (const double rate : {0.0, 0.5}) {
        AttentionConfig config = dropping(mechanism, kernel, rate);
        const Result drawn = evaluate_readable(config, serial());
        config.dropout_edits = {{0, 0, 0, 0, true}, {0, 2, 70, 64, false}, {1, 1, 5, 3, false}, {1, 1, 5, 70, true}};
        const Result result = evaluate_readable(config, serial(), &drawn);
        Tensor expected = *drawn.find(Stage::dropout_factors);
        const auto factor = static_cast<float>(1 / (1 - rate));
        for (const DropoutEdit& edit : config.dropout_edits)
          expected.matrix(edit.batch * 3 + edit.head)(edit.query, edit.key) = edit.keeps ? factor : 0;
        EXPECT_TRUE(same_bits(*result.find(Stage::dropout_factors), expected)) << describe(config);
        for (const std::uint64_t bytes : {dropout_mask_bytes, std::uint64_t{0}}) {
          const DropoutMask mask(config, result.after_parameters, serial(), bytes);
          expect_factors(mask, expected);
          EXPECT_EQ(mask.bytes(), DropoutMask::bytes_for(config, bytes));
        }
      }
    }
  }
}

TEST(DropoutMask, NothingIsKeptAtARateOfOneAndNothingIsDroppedOutsideTraining) {
  AttentionConfig config = dropping(Mechanism::causal_attention, DropoutKernel::mkl, 1);
  config.dropout_edits = {{0, 0, 0, 0, true}};
  EXPECT_EQ(evaluate_readable(config, serial()).find(Stage::dropout_factors)->values.front(), 0);
  config.dropout = 0.5;
  config.training = false;
  config.dropout_edits = {{0, 0, 0, 0, false}};
  EXPECT_EQ(evaluate_readable(config, serial()).find(Stage::dropout_factors)->values.front(), 1);
}

// Weights far apart, backwards and twice: what is read before makes no difference.
TEST(DropoutMask, RowsAreTheSameInAnyOrder) {
  const AttentionConfig config = dropping(Mechanism::multi_head_attention, DropoutKernel::standard, 0.5);
  const DropoutMask bits(config, Generator(3), serial());
  const DropoutMask marks(config, Generator(3), serial(), 0);
  EXPECT_LT(marks.bytes(), 8 * sizeof(MersenneTwister));
  DropoutRows rows(marks);
  std::vector<std::uint64_t> expected(2);
  std::vector<std::uint64_t> actual(2);
  for (const Index row : {5, 6, 6, 300, 70, 2, 425, 64, 65, 0}) {
    DropoutRows(bits).read(expected, row / 71, row % 71, 3, 66);
    rows.read(actual, row / 71, row % 71, 3, 66);
    EXPECT_EQ(actual, expected) << "row " << row;
  }
}

TEST(DropoutMask, StaysWithinItsMemory) {
  AttentionConfig config = dropping(Mechanism::multi_head_attention, DropoutKernel::standard, 0.5);
  config.inputs = RandnInputs{.tokens = 1024, .features = 2};
  for (const std::uint64_t bytes : {std::uint64_t{2} << 20, std::uint64_t{700'000}, std::uint64_t{400'000}}) {
    const DropoutMask mask(config, Generator(1), serial(), bytes);
    EXPECT_LE(mask.bytes(), bytes);
    EXPECT_EQ(mask.bytes(), DropoutMask::bytes_for(config, bytes));
  }
}

TEST(DropoutMask, KeepsEverythingWhereNothingIsDropped) {
  AttentionConfig config = dropping(Mechanism::multi_head_attention, DropoutKernel::standard, 0.5);
  config.training = false;
  const DropoutMask mask(config, Generator(1), serial());
  std::vector<std::uint64_t> bits(1);
  DropoutRows(mask).read(bits, 0, 0, 0, 64);
  EXPECT_EQ(bits.front(), ~std::uint64_t{0});
  EXPECT_EQ(mask.factor(), 1);
}

TEST(DropoutMask, OfTheMklKernelTakesHardlyAnyMemory) {
  AttentionConfig config = dropping(Mechanism::multi_head_attention_wrapper, DropoutKernel::mkl, 0.5);
  config.inputs = RandnInputs{.tokens = max_tokens, .features = 2};
  const DropoutMask mask(config, Generator(1), serial());
  EXPECT_LT(mask.bytes(), 4096U);
  config.inputs = RandnInputs{.tokens = 128, .features = 2};
  config.dropout_kernel = DropoutKernel::standard;
  EXPECT_LT(DropoutMask(config, Generator(1), serial()).bytes(), 128U * 128 * 2 * 3 / 8 + 4096);
}

}  // namespace
}  // namespace attnscope::test

#include "core/dropout.h"

#include "support.h"

#include <random>

namespace attnscope::test {
namespace {

using Bits = std::vector<std::uint64_t>;

constexpr std::array kernels_of_torch = {DropoutKernel::mkl, DropoutKernel::standard};
constexpr double modulus = 2147483647;

bool bit(const Bits& bits, std::size_t i) { return (bits.at(i / 64) >> (i % 64) & 1) != 0; }

Bits bits_of(Index count, Generator& generator, double rate, DropoutKernel kernel, const Execution& execution) {
  Bits bits(words_of_bits(count), 0x5555);
  fill_dropout_bits(bits, count, generator, rate, kernel, execution);
  return bits;
}

// Bits and factors from the same generator agree, and leave it in the same state.
void expect_bits_of_factors(Index count, const Generator& before, double rate, DropoutKernel kernel) {
  SCOPED_TRACE(testing::Message() << count << " elements, rate " << rate << ", kernel " << static_cast<int>(kernel));
  Generator of_factors = before;
  std::vector<float> factors(static_cast<std::size_t>(count));
  fill_dropout_factors(factors, of_factors, rate, kernel);
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

}  // namespace
}  // namespace attnscope::test

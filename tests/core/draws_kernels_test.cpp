// The kernels that draw in bulk, against plain loops and the standard library.

#include "core/kernels/kernels.h"
#include "core/kernels/select.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace attnscope::test {
namespace {

using Bits = std::vector<std::uint64_t>;

constexpr std::ptrdiff_t sizes[] = {0, 1, 31, 63, 64, 65, 127, 128, 130, 1000, 100003};

std::uint32_t tempered(std::uint32_t y) {
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680U;
  y ^= y << 15 & 0xefc60000U;
  return y ^ y >> 18;
}

std::vector<std::uint32_t> random_words(std::ptrdiff_t count) {
  std::mt19937 engine(17);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(engine());
  return words;
}

void set_bit(Bits& bits, std::ptrdiff_t i) { bits[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << i % 64; }

// One word more than the mask has, which must stay as it is.
Bits blank(std::ptrdiff_t count) {
  Bits bits(static_cast<std::size_t>((count + 63) / 64) + 1);
  bits.back() = 42;
  return bits;
}

class DrawingInstructionSet : public testing::TestWithParam<const Kernels*> {};

TEST_P(DrawingInstructionSet, FollowsTheCongruentialStream) {
  for (const std::ptrdiff_t count : sizes) {
    for (const std::uint32_t state : {1U, 2U, 123456789U, congruential_modulus - 1}) {
      for (const std::uint32_t threshold : {0U, 1U, 2U, 1U << 20, 1U << 30, congruential_modulus}) {
        Bits wanted = blank(count);
        std::uint64_t x = state;
        for (std::ptrdiff_t i = 0; i < count; ++i, x = x * congruential_multiplier % congruential_modulus) {
          if (x < threshold) set_bit(wanted, i);
        }
        Bits bits(wanted.size(), ~std::uint64_t{0});
        bits.back() = 42;
        GetParam()->mkl_bits(bits.data(), count, state, threshold);
        ASSERT_EQ(bits, wanted) << count << " elements from " << state << " below " << threshold;
      }
    }
  }
}

TEST_P(DrawingInstructionSet, ComparesTheLow53BitsOfTwoWords) {
  for (const std::ptrdiff_t count : sizes) {
    const std::vector<std::uint32_t> raw = random_words(2 * count);
    const auto mantissa = [&](std::ptrdiff_t i) {
      const std::uint64_t high = tempered(raw[static_cast<std::size_t>(2 * i)]);
      return (high << 32 | tempered(raw[static_cast<std::size_t>(2 * i + 1)])) & ((std::uint64_t{1} << 53) - 1);
    };
    std::vector<std::uint64_t> thresholds = {0, 1, std::uint64_t{1} << 40, std::uint64_t{1} << 52,
                                             std::uint64_t{1} << 53};
    if (count > 0) thresholds.insert(thresholds.end(), {mantissa(count / 2), mantissa(count / 2) + 1});
    for (const std::uint64_t threshold : thresholds) {
      Bits wanted = blank(count);
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        if (mantissa(i) < threshold) set_bit(wanted, i);
      }
      Bits bits(wanted.size(), ~std::uint64_t{0});
      bits.back() = 42;
      GetParam()->standard_bits(bits.data(), count, raw.data(), threshold);
      ASSERT_EQ(bits, wanted) << count << " elements below " << threshold;
    }
  }
}

TEST_P(DrawingInstructionSet, TwistsAsTheStandardLibraryDoes) {
  std::mt19937 engine(99);
  std::vector<std::uint32_t> words(624, 99);
  for (std::uint32_t i = 1; i < 624; ++i) words[i] = 1812433253U * (words[i - 1] ^ words[i - 1] >> 30) + i;
  words.resize(624 * 17);
  GetParam()->twist(words.data(), 624);
  GetParam()->twist(words.data() + 624, 624 * 15);
  for (const std::uint32_t word : std::span(words).subspan(624)) ASSERT_EQ(tempered(word), engine());
}

TEST_P(DrawingInstructionSet, UniformsAreRoundedOnce) {
  for (const std::ptrdiff_t count : sizes) {
    const std::vector<std::uint32_t> raw = random_words(count);
    std::vector<float> values(raw.size() + 1, 7.0F);
    const float from = -1.0F / std::sqrt(768.0F);
    const float width = 2.0F / std::sqrt(768.0F);
    GetParam()->uniforms(values.data(), count, raw.data(), from, width);
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const float unit = static_cast<float>(tempered(raw[i]) & 0xffffffU) * 0x1p-24F;
      ASSERT_EQ(values[i], std::fma(unit, width, from));
    }
    ASSERT_EQ(values.back(), 7.0F);
  }
}

TEST_P(DrawingInstructionSet, NormalsAreTheSameBitsOnEveryProcessor) {
  for (const std::ptrdiff_t blocks : {0, 1, 2, 3, 64}) {
    std::vector<float> values(static_cast<std::size_t>(16 * blocks) + 1, 7.0F);
    const std::vector<std::uint32_t> raw = random_words(16 * blocks);
    kernels().uniforms(values.data(), 16 * blocks, raw.data(), 0.0F, 1.0F);
    if (blocks > 0) values[0] = values[8] = 0.0F;  // the logarithm of 1
    std::vector<float> expected = values;
    available_kernels().back()->normals(expected.data(), blocks);
    GetParam()->normals(values.data(), blocks);
    ASSERT_EQ(values, expected);
    ASSERT_EQ(values.back(), 7.0F);
    for (std::size_t i = 0; i + 1 < values.size(); ++i) ASSERT_LT(std::abs(values[i]), 6.0F);
    if (blocks > 0) {
      EXPECT_FALSE(std::signbit(values[0]));
      EXPECT_EQ(values[0], 0.0F);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, DrawingInstructionSet, testing::ValuesIn(available_kernels()),
                         [](const auto& set) { return std::string(set.param->name); });

}  // namespace
}  // namespace attnscope::test

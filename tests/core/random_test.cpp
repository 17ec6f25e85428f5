#include "core/random.h"

#include "support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace attnscope::test {
namespace {

TEST(Generator, YieldsThePublishedMersenneTwisterWords) {
  Generator generator(5489);
  EXPECT_EQ(next_word(generator), 3499211612U);
  skip_words(generator, 9998);
  EXPECT_EQ(next_word(generator), 4123659995U);  // the ten-thousandth, which the C++ standard names
}

TEST(Generator, UsesTheLow32BitsOfTheSeed) {
  Generator low(7);
  Generator high((std::uint64_t{1} << 32) + 7);
  EXPECT_EQ(low, high);
}

TEST(Generator, DrawsTheHighHalfOfADoubleWordFirst) {
  Generator words(3);
  Generator pairs(3);
  const std::uint64_t high = next_word(words);
  const std::uint64_t low = next_word(words);
  EXPECT_EQ(next_double_word(pairs), (high << 32) + low);
}

TEST(Generator, SkippingIsDrawingAndForgetting) {
  Generator drawn(9);
  Generator skipped(9);
  for (int i = 0; i < 1000; ++i) next_word(drawn);
  skip_words(skipped, 1000);
  EXPECT_EQ(drawn, skipped);
}

TEST(FillUniform, StaysInsideItsBounds) {
  Generator generator(1);
  std::vector<float> values(100000);
  fill_uniform(values, generator, -0.25F, 0.5F);
  EXPECT_GE(*std::ranges::min_element(values), -0.25F);
  EXPECT_LT(*std::ranges::max_element(values), 0.5F);
}

TEST(FillRandn, CachesTheSecondSampleForTheNextCall) {
  Generator at_once(4);
  Generator in_turn(4);
  std::vector<float> four(4);
  fill_randn(four, at_once);
  std::vector<float> one(1);
  std::vector<float> three(3);
  fill_randn(one, in_turn);
  EXPECT_TRUE(in_turn.cached_normal.has_value());
  fill_randn(three, in_turn);
  EXPECT_FALSE(in_turn.cached_normal.has_value());
  EXPECT_EQ(four, (std::vector<float>{one[0], three[0], three[1], three[2]}));
}

TEST(FillRandn, IsStandardNormal) {
  Generator generator(2);
  std::vector<float> values(100001);
  fill_randn(values, generator);
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    ASSERT_TRUE(std::isfinite(value));
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0.0, 0.02);
  EXPECT_NEAR(squares / count, 1.0, 0.02);
}

TEST(FillRandn, OfNothingDrawsNothing) {
  Generator generator(2);
  fill_randn({}, generator);
  EXPECT_EQ(generator, Generator(2));
}

constexpr std::uint64_t counts[] = {0, 1, 2, 622, 623, 624, 625, 1247, 1248, 1249, 5000, 624 * 20, 100000};

TEST(MersenneTwister, YieldsTheWordsOfTheStandardLibrary) {
  for (const std::uint32_t seed : {0U, 1U, 123U, 5489U, 0x80000000U, 0xffffffffU}) {
    MersenneTwister ours(seed);
    std::mt19937 theirs(seed);
    for (int i = 0; i < 10000; ++i) ASSERT_EQ(ours(), theirs()) << "word " << i << " of seed " << seed;
  }
}

TEST(MersenneTwister, DiscardsAsIfDrawn) {
  for (const std::uint64_t first : {0, 1, 623, 624, 700}) {
    for (const std::uint64_t count : counts) {
      MersenneTwister drawn(3);
      std::mt19937 theirs(3);
      for (std::uint64_t i = 0; i < first; ++i) drawn();
      MersenneTwister discarded = drawn;
      for (std::uint64_t i = 0; i < count; ++i) drawn();
      discarded.discard(count);
      theirs.discard(first + count);
      ASSERT_EQ(drawn, discarded) << count << " after " << first;
      ASSERT_EQ(discarded(), theirs());
    }
  }
}

TEST(MersenneTwister, DiscardsManyWords) {
  MersenneTwister ours(11);
  std::mt19937 theirs(11);
  ours.discard(10'000'019);
  theirs.discard(10'000'019);
  EXPECT_EQ(ours(), theirs());
}

TEST(MersenneTwister, DrawsRawWordsInPiecesAsOneByOne) {
  for (const std::uint64_t first : {0, 1, 623, 624, 700}) {
    for (const std::uint64_t count : counts) {
      MersenneTwister drawn(4);
      drawn.discard(first);
      MersenneTwister raw = drawn;
      std::vector<std::uint32_t> words(count);
      raw.draw_raw(words);
      for (std::uint32_t y : words) {
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680U;
        y ^= y << 15 & 0xefc60000U;
        ASSERT_EQ(y ^ y >> 18, drawn()) << count << " after " << first;
      }
      ASSERT_EQ(raw, drawn);
    }
  }
}

TEST(MersenneTwister, OfAnotherSeedOrPlaceIsAnother) {
  MersenneTwister one(4);
  EXPECT_NE(one, MersenneTwister(5));
  one();
  EXPECT_NE(one, MersenneTwister(4));
}

}  // namespace
}  // namespace attnscope::test

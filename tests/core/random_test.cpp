#include "core/random.h"

#include "support.h"

#include <cmath>

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

}  // namespace
}  // namespace attnscope::test

#include "view/number_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace attnscope::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

TEST(FormatFixed, HasTheDecimalsAskedFor) {
  EXPECT_EQ(format_fixed(0.43, 2), "0.43");
  EXPECT_EQ(format_fixed(0.430049, 4), "0.4300");
  EXPECT_EQ(format_fixed(1, 2), "1.00");
}

TEST(FormatFixed, HasFewerForLargeNumbers) {
  EXPECT_EQ(format_fixed(99.996, 2), "100.00");
  EXPECT_EQ(format_fixed(99.5, 2), "99.50");
  EXPECT_EQ(format_fixed(100, 2), "100.0");
  EXPECT_EQ(format_fixed(123.456, 2), "123.5");
  EXPECT_EQ(format_fixed(1234.56, 2), "1235");
  EXPECT_EQ(format_fixed(1234567, 4), "1234567");
}

TEST(FormatFixed, HasARealMinusAndNoNegativeZero) {
  EXPECT_EQ(format_fixed(-0.25, 2), "−0.25");
  EXPECT_EQ(format_fixed(-0.001, 2), "0.00");
  EXPECT_EQ(format_fixed(-0.0, 2), "0.00");
}

TEST(FormatFixed, SaysInfinityAndNan) {
  EXPECT_EQ(format_fixed(-infinity, 2), "−∞");
  EXPECT_EQ(format_fixed(infinity, 2), "∞");
  EXPECT_EQ(format_fixed(not_a_number, 2), "NaN");
}

TEST(FormatFixed, NeverHasABareExponent) {
  for (const double value : {1e-30, 1e7, 3.5e12, 1e38, -1e38}) {
    EXPECT_EQ(format_fixed(value, 2).find('e'), std::string::npos) << format_fixed(value, 2);
  }
  EXPECT_EQ(format_fixed(1e7, 2), "1 × 10⁷");
}

TEST(FormatFull, HasTheShortestDigitsThatReadBack) {
  EXPECT_EQ(format_full(0.1f), "0.1");
  EXPECT_EQ(format_full(0.43f), "0.43");
  EXPECT_EQ(format_full(1.0f / 3), "0.33333334");
  EXPECT_EQ(format_full(-2), "−2");
  EXPECT_EQ(format_full(0), "0");
  EXPECT_EQ(format_full(-0.0F), "0");
}

TEST(FormatFull, ReadsBackAsTheSameBitsWhereItIsPlain) {
  for (float value = 1.1e-4f; value < 9e6f; value *= 1.37f) EXPECT_EQ(std::stof(format_full(value)), value);
}

TEST(FormatFull, WritesPowersOfTenOut) {
  EXPECT_EQ(format_full(1.5e-7f), "1.5 × 10⁻⁷");
  EXPECT_EQ(format_full(-1.5e-7f), "−1.5 × 10⁻⁷");
  EXPECT_EQ(format_full(2e12f), "2 × 10¹²");
  EXPECT_EQ(format_full(5e-5f), "5 × 10⁻⁵");
}

TEST(FormatFull, PutsPowersOfTenThatReadBackAsTheSameBits) {
  for (const float value : {1.1754944e-38f, 1e-45f, 3.4028235e38f, 12345678.0f, 16777216.0f, 9.999999e-5f, 1e10f}) {
    const std::string text = format_full(value);
    const std::size_t times = text.find(" × 10");
    ASSERT_NE(times, std::string::npos) << text;
    const int exponent = static_cast<int>(std::floor(std::log10(static_cast<double>(value)) + 1e-9));
    const std::string plain = text.substr(0, times) + "e" + std::to_string(exponent);
    EXPECT_EQ(std::strtof(plain.c_str(), nullptr), value) << text;
  }
}

TEST(FormatFull, SaysInfinityAndNan) {
  EXPECT_EQ(format_full(-infinity), "−∞");
  EXPECT_EQ(format_full(not_a_number), "NaN");
}

TEST(FormatShape, IsPythons) {
  EXPECT_EQ(format_shape({2, 6, 3}), "(2, 6, 3)");
  EXPECT_EQ(format_shape({}), "()");
}

TEST(FormatPosition, CountsFromOneAndNamesTheToken) {
  const std::vector<std::string> names = {"Your", "journey"};
  EXPECT_EQ(format_position("key", 0, names), "key 1 Your");
  EXPECT_EQ(format_position("key", 5, names), "key 6");
}

TEST(FormatDuration, ChoosesItsUnit) {
  EXPECT_EQ(format_duration(14e-6), "14 µs");
  EXPECT_EQ(format_duration(0.00234), "2.34 ms");
  EXPECT_EQ(format_duration(0.234), "234 ms");
  EXPECT_EQ(format_duration(1.239), "1.24 s");
}

TEST(FormatInteger, SetsThousandsApart) {
  EXPECT_EQ(format_integer(0), "0");
  EXPECT_EQ(format_integer(999), "999");
  EXPECT_EQ(format_integer(1000), "1,000");
  EXPECT_EQ(format_integer(1048576), "1,048,576");
}

}  // namespace
}  // namespace attnscope::test

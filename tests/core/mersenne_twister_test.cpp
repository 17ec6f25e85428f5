#include "core/random.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace attnscope::test {
namespace {

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

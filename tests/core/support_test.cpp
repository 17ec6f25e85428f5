// The comparators must be able to fail, or the tests that use them say nothing.

#include "support.h"

#include <cmath>

namespace attnscope::test {
namespace {

TEST(Comparator, SeesOneBit) {
  const Tensor one({2}, {1.0F, 2.0F});
  const Tensor other({2}, {1.0F, std::nextafter(2.0F, 3.0F)});
  EXPECT_TRUE(same_bits(one, one));
  EXPECT_FALSE(same_bits(one, other));
}

TEST(Comparator, TellsZeroFromMinusZero) { EXPECT_FALSE(same_bits(Tensor({1}, {0.0F}), Tensor({1}, {-0.0F}))); }

TEST(Comparator, SeesADifferenceBeyondTheTolerance) {
  const Tensor expected({2}, {100.0F, 0.0F});
  EXPECT_TRUE(close(Tensor({2}, {100.0F, 0.0003F}), expected, 4e-6));
  EXPECT_FALSE(close(Tensor({2}, {100.0F, 0.0005F}), expected, 4e-6));
}

TEST(Comparator, SeesShapes) { EXPECT_FALSE(close(Tensor({1, 2}), Tensor({2, 1}), 1.0)); }

TEST(Comparator, WantsInfinitiesAndNaNInTheirPlaces) {
  const Tensor expected({2}, {-infinity, NAN});
  EXPECT_TRUE(close(Tensor({2}, {-infinity, NAN}), expected, 1e-6));
  EXPECT_FALSE(close(Tensor({2}, {infinity, NAN}), expected, 1e-6));
  EXPECT_FALSE(close(Tensor({2}, {-infinity, 0.0F}), expected, 1e-6));
  EXPECT_FALSE(close(Tensor({1}, {NAN}), Tensor({1}, {0.0F}), 1e-6));
}

TEST(Comparator, SeesAnotherSeedInAResult) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  const Result one = evaluate_readable(config, serial());
  Result other = one;
  EXPECT_TRUE(same_result(one, other));
  config.seed = 124;
  other = evaluate_readable(config, serial());
  other.config = one.config;
  EXPECT_FALSE(same_result(one, other));
}

}  // namespace
}  // namespace attnscope::test

#include "view/colours.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "tests/support/special_numbers.h"

namespace attnscope {
namespace {

// CIE lightness, 0 to 100.
double lightness(Rgb colour) {
  const auto linear = [](int channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b);
  return luminance > 0.008856 ? 116 * std::cbrt(luminance) - 16 : 903.3 * luminance;
}

TEST(Colormap, ViridisHasItsPublishedEnds) {
  EXPECT_EQ(entries(Colormap::viridis).front(), (Rgb{68, 1, 84}));
  EXPECT_EQ(entries(Colormap::viridis)[128], (Rgb{33, 145, 140}));
  EXPECT_EQ(entries(Colormap::viridis).back(), (Rgb{253, 231, 37}));
}

TEST(Colormap, SequentialMapGrowsLighter) {
  const auto& map = entries(Colormap::viridis);
  for (std::size_t i = 1; i < map.size(); ++i) EXPECT_GT(lightness(map[i]), lightness(map[i - 1]) - 0.5) << i;
  EXPECT_GT(lightness(map.back()) - lightness(map.front()), 70);
}

TEST(Colormap, DivergingMapsAreNeutralAtZeroAndEquallyLightOnBothSides) {
  for (const Colormap map : {Colormap::diverging, Colormap::diverging_dark}) {
    EXPECT_EQ(colour_of(map, 0, -2, 2), entries(map)[127]);
    EXPECT_EQ(entries(map)[127], entries(map)[128]);
    for (std::size_t i = 0; i < 128; ++i) {
      EXPECT_NEAR(lightness(entries(map)[i]), lightness(entries(map)[255 - i]), 4.0) << i;
    }
  }
  EXPECT_GT(lightness(entries(Colormap::diverging)[128]), 95);
  EXPECT_LT(lightness(entries(Colormap::diverging_dark)[128]), 12);
}

TEST(Colormap, DivergingMapsAreBlueBelowZeroAndWarmAbove) {
  for (const Colormap map : {Colormap::diverging, Colormap::diverging_dark}) {
    const Rgb negative = colour_of(map, -1, -2, 2);
    const Rgb positive = colour_of(map, 1, -2, 2);
    EXPECT_GT(negative.b, negative.r);
    EXPECT_GT(positive.r, positive.b);
  }
}

TEST(Colormap, NeighbouringEntriesDifferByLittle) {
  for (int map = 0; map < colormap_count; ++map) {
    const auto& row = entries(static_cast<Colormap>(map));
    for (std::size_t i = 1; i < row.size(); ++i) {
      EXPECT_LE(std::abs(row[i].r - row[i - 1].r), 6) << map << " " << i;
      EXPECT_LE(std::abs(row[i].g - row[i - 1].g), 6) << map << " " << i;
      EXPECT_LE(std::abs(row[i].b - row[i - 1].b), 6) << map << " " << i;
    }
  }
}

TEST(EntryIndex, CutsTheRangeInto256EqualParts) {
  EXPECT_EQ(entry_index(0.0F, 0, 1), 0);
  EXPECT_EQ(entry_index(std::nextafter(1.0F / 256, 0.0F), 0, 1), 0);
  EXPECT_EQ(entry_index(1.0F / 256, 0, 1), 1);
  EXPECT_EQ(entry_index(0.5F, 0, 1), 128);
  EXPECT_EQ(entry_index(1.0F, 0, 1), 255);
}

TEST(EntryIndex, ClampsWhatIsOutside) {
  EXPECT_EQ(entry_index(-5, 0, 1), 0);
  EXPECT_EQ(entry_index(5, 0, 1), 255);
  EXPECT_EQ(entry_index(-infinity, 0, 1), 0);
  EXPECT_EQ(entry_index(infinity, 0, 1), 255);
}

TEST(EntryIndex, RangeOfNoWidthGivesTheMiddle) {
  EXPECT_EQ(entry_index(3, 3, 3), 128);
  EXPECT_EQ(entry_index(-7, 3, 3), 128);
  EXPECT_EQ(entry_index(1, 2, 0), 128);
  EXPECT_EQ(entry_index(1, std::nanf(""), 2), 128);
}

TEST(EntryIndex, SurvivesTheWidestAndTheNarrowestRange) {
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(entry_index(0, -largest, largest), 128);
  EXPECT_EQ(entry_index(-largest, -largest, largest), 0);
  EXPECT_EQ(entry_index(largest, -largest, largest), 255);
  constexpr float smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(entry_index(0, 0, smallest), 0);
  EXPECT_EQ(entry_index(smallest, 0, smallest), 255);
}

TEST(Ink, IsTheOneWithMoreContrast) {
  EXPECT_TRUE(prefers_dark_ink({255, 255, 255}));
  EXPECT_FALSE(prefers_dark_ink({0, 0, 0}));
  EXPECT_FALSE(prefers_dark_ink(entries(Colormap::viridis).front()));
  EXPECT_TRUE(prefers_dark_ink(entries(Colormap::viridis).back()));
  EXPECT_TRUE(prefers_dark_ink({118, 118, 118}));  // contrast 4.62 with black, 4.54 with white
  EXPECT_FALSE(prefers_dark_ink({116, 116, 116}));
}

}  // namespace
}  // namespace attnscope

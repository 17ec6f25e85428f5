#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <tuple>

#include "easel.h"
#include "tests/support/held_matrix.h"
#include "tests/support/special_numbers.h"

namespace attnscope {
namespace {

struct Area {
  int x, y, width, height;
};

using Colours = std::set<std::tuple<int, int, int>>;

Colours colours_in(const Image& image, const Area& area) {
  Colours colours;
  for (int y = area.y; y < area.y + area.height; ++y) {
    for (int x = area.x; x < area.x + area.width; ++x) {
      const Rgb colour = pixel(image, x, y);
      colours.insert({colour.r, colour.g, colour.b});
    }
  }
  return colours;
}

bool is_grey(const std::tuple<int, int, int>& colour) {
  return std::get<0>(colour) == std::get<1>(colour) && std::get<1>(colour) == std::get<2>(colour);
}

bool is_in_a_map(const std::tuple<int, int, int>& colour) {
  for (int map = 0; map < colormap_count; ++map) {
    for (const Rgb entry : entries(static_cast<Colormap>(map))) {
      if (std::tuple<int, int, int>{entry.r, entry.g, entry.b} == colour) return true;
    }
  }
  return false;
}

class HeatmapMarks : public testing::TestWithParam<std::tuple<float, bool>> {
protected:
  float scale() const { return std::get<0>(GetParam()); }
  bool dark() const { return std::get<1>(GetParam()); }
  int pixels(float units) const { return static_cast<int>(units * scale()); }
  Area area(float x, float y, float side) const { return {pixels(x), pixels(y), pixels(side), pixels(side)}; }

  Image draw(TensorPtr values, float side, bool causal = false, TensorPtr factors = nullptr) {
    HeatmapQuad quad = make_quad(std::move(values), 10, 10, side, side);
    if (causal) quad.source.seen = {.last = 1};
    if (factors) quad.source = test::with_factors(quad.source, std::move(factors));
    quad.greys = colours_of(dark() ? ThemeId::dark : ThemeId::light).greys;
    return easel_.draw({quad});
  }

private:
  Easel easel_{scale()};
};

TEST_P(HeatmapMarks, MaskedCellsAreHatchedInTwoGreysOfNoMap) {
  for (const float side : {20.0F, 60.0F, 90.0F}) {
    const Image causal = draw(make_matrix(2, 2, {1, 1, 1, 1}), side, true);
    const Colours greys = colours_in(causal, area(10 + side / 2, 10, side / 2));
    EXPECT_EQ(greys.size(), 2U);
    for (const auto& grey : greys) {
      EXPECT_TRUE(is_grey(grey));
      EXPECT_FALSE(is_in_a_map(grey));
    }
    EXPECT_EQ(pixel(causal, pixels(10 + side / 4), pixels(10 + side / 4)), entries(Colormap::viridis).back());
    const Image infinite = draw(make_matrix(2, 2, {1, -infinity, 1, 1}), side);
    EXPECT_EQ(colours_in(infinite, area(10 + side / 2, 10, side / 2)), greys);
  }
}

TEST_P(HeatmapMarks, HatchRunsOnAcrossCells) {
  const Image cells = draw(make_matrix(4, 4, AlignedFloats(16, -infinity)), 100);
  const Image whole = draw(make_matrix(1, 1, {-infinity}), 100);
  EXPECT_EQ(cells.pixels, whole.pixels);
}

TEST_P(HeatmapMarks, DroppedCellIsBlankUnderACentredCross) {
  for (const float weight : {0.0F, 1.0F}) {
    const Image image = draw(make_matrix(1, 1, {weight}), 50, false, make_matrix(1, 1, {0}));
    const std::uint8_t gap = colours_of(dark() ? ThemeId::dark : ThemeId::light).greys.gap;
    const Rgb ground{gap, gap, gap};
    const int first = pixels(10);
    const int last = pixels(60) - 1;
    const Rgb mark = pixel(image, (first + last) / 2, (first + last) / 2);
    EXPECT_EQ(pixel(image, first, first), ground);
    EXPECT_EQ(pixel(image, (first + last) / 2, first + 2), ground);
    EXPECT_GT(std::abs(int{mark.g} - int{ground.g}), 150);
    EXPECT_EQ(mark.g < ground.g, prefers_dark_ink(ground));
    for (int y = first; y <= last; ++y) {
      for (int x = first; x <= last; ++x) {
        EXPECT_EQ(pixel(image, x, y), pixel(image, first + last - x, y));
        EXPECT_EQ(pixel(image, x, y), pixel(image, x, first + last - y));
      }
    }
  }
}

TEST_P(HeatmapMarks, KeptCellsCarryNoCross) {
  const Image kept = draw(make_matrix(1, 1, {0}), 50, false, make_matrix(1, 1, {2}));
  EXPECT_EQ(colours_in(kept, area(10, 10, 50)).size(), 1U);
}

TEST_P(HeatmapMarks, SmallDroppedCellIsTintedInAColourOfNoMap) {
  const Image image =
      draw(make_matrix(10, 10, AlignedFloats(100, 0.0F)), 30, false, make_matrix(10, 10, AlignedFloats(100, 0.0F)));
  const Colours colours = colours_in(image, area(10, 10, 30));
  EXPECT_EQ(colours.size(), 1U);
  EXPECT_FALSE(is_in_a_map(*colours.begin()));
}

TEST_P(HeatmapMarks, MaskedWinsOverDropped) {
  const TensorPtr ones = make_matrix(2, 2, {1, 1, 1, 1});
  EXPECT_EQ(draw(ones, 60, true, make_matrix(2, 2, {1, 0, 1, 1})).pixels, draw(ones, 60, true).pixels);
}

TEST_P(HeatmapMarks, NotANumberAndInfinityHaveMarksOfTheirOwn) {
  for (const float side : {50.0F, 12.0F, 5.0F, 3.0F}) {
    const Colours first = colours_in(draw(make_matrix(1, 1, {not_a_number}), side), area(10, 10, side));
    const Colours second = colours_in(draw(make_matrix(1, 1, {infinity}), side), area(10, 10, side));
    EXPECT_GE(first.size(), 2U) << side;
    EXPECT_GE(second.size(), 2U) << side;
    for (const auto& colour : first) EXPECT_TRUE(is_grey(colour));
    for (const auto& colour : second) EXPECT_TRUE(is_grey(colour));
    EXPECT_NE(draw(make_matrix(1, 1, {not_a_number}), side).pixels, draw(make_matrix(1, 1, {infinity}), side).pixels)
        << side;
  }
}

TEST_P(HeatmapMarks, NegativeNotANumberIsMarkedToo) {
  EXPECT_EQ(draw(make_matrix(1, 1, {-not_a_number}), 50).pixels, draw(make_matrix(1, 1, {not_a_number}), 50).pixels);
}

TEST_P(HeatmapMarks, PooledPixelIsHatchedOnlyWhereAllItsCellsAreMasked) {
  const Index side = 128;
  const Image image =
      draw(make_matrix(side, side, AlignedFloats(static_cast<std::size_t>(side * side), 1.0F)), 64 / scale(), true);
  const int origin = pixels(10);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const bool is_value = pixel(image, origin + x, origin + y) == entries(Colormap::viridis).back();
      EXPECT_EQ(is_value, 2 * x <= 2 * y + 1) << x << ", " << y;
    }
  }
}

TEST_P(HeatmapMarks, LinesPartCellsOnlyWhereTheyAreLarge) {
  const TensorPtr zeros = make_matrix(2, 2, {0, 0, 0, 0});
  EXPECT_EQ(colours_in(draw(zeros, 40), area(10, 10, 40)).size(), 2U);
  EXPECT_EQ(colours_in(draw(zeros, 26), area(10, 10, 26)).size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(ScalesAndThemes, HeatmapMarks, testing::Combine(testing::Values(1.0F, 2.0F), testing::Bool()));

}  // namespace
}  // namespace attnscope

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "easel.h"

namespace attnscope {
namespace {

// The pixel that holds the middle of a cell of a matrix drawn from (min_x, min_y) over width x height pixels.
Rgb centre_of(const Image& image, const HeatmapQuad& quad, Index row, Index col, float scale) {
  const float width = (quad.max_screen.x - quad.min_screen.x) * scale / static_cast<float>(quad.source.cols());
  const float height = (quad.max_screen.y - quad.min_screen.y) * scale / static_cast<float>(quad.source.rows());
  return pixel(image, static_cast<int>(quad.min_screen.x * scale + (static_cast<float>(col) + 0.5F) * width),
               static_cast<int>(quad.min_screen.y * scale + (static_cast<float>(row) + 0.5F) * height));
}

void expect_centres(const Image& image, const HeatmapQuad& quad, float scale) {
  const MatrixView<const float> cells = quad.source.tensor()->matrix(quad.source.matrix);
  for (Index row = 0; row < cells.rows(); ++row) {
    for (Index col = 0; col < cells.cols(); ++col) {
      EXPECT_EQ(centre_of(image, quad, row, col, scale),
                colour_of(quad.range.map, cells(row, col), quad.range.low, quad.range.high))
          << "cell " << row << ", " << col << " = " << cells(row, col) << " at scale " << scale;
    }
  }
}

struct Shape {
  Index rows, cols;
  float width, height;
};

class HeatmapColours : public testing::TestWithParam<float> {};

TEST_P(HeatmapColours, EveryCellHasTheColourOfItsValueAtItsCentre) {
  Easel easel(GetParam());
  const Shape shapes[] = {{6, 6, 198, 198},  {6, 3, 60, 200},    {1, 1, 50, 50},   {3, 6, 31, 17},
                          {20, 20, 100, 60}, {64, 64, 192, 192}, {7, 13, 200, 101}};
  for (const Shape& shape : shapes) {
    for (int map = 0; map < colormap_count; ++map) {
      HeatmapQuad quad = make_quad(random_matrix(shape.rows, shape.cols, 1), 10, 20, shape.width, shape.height);
      quad.range.map = static_cast<Colormap>(map);
      quad.range.low = -2.7F;
      quad.range.high = 2.9F;
      expect_centres(easel.draw({quad}), quad, GetParam());
    }
  }
}

// Large cells, cells of about a pixel, and several to a pixel.
TEST_P(HeatmapColours, AMatrixThatIsShownTurnedIsThePictureOfTheTurnedMatrix) {
  Easel easel(GetParam());
  for (const Shape& shape : {Shape{6, 3, 60, 200}, Shape{70, 30, 70, 70}, Shape{900, 700, 110, 90}}) {
    const TensorPtr stored = random_matrix(shape.cols, shape.rows, 5);
    AlignedFloats values(static_cast<std::size_t>(shape.rows * shape.cols));
    for (Index row = 0; row < shape.rows; ++row) {
      for (Index col = 0; col < shape.cols; ++col)
        values[static_cast<std::size_t>(row * shape.cols + col)] = stored->matrix(0)(col, row);
    }
    HeatmapQuad turned = make_quad(stored, 10, 20, shape.width, shape.height);
    turned.is_transposed = true;
    const HeatmapQuad plain =
        make_quad(make_matrix(shape.rows, shape.cols, std::move(values)), 10, 20, shape.width, shape.height);
    EXPECT_EQ(easel.draw({turned}).pixels, easel.draw({plain}).pixels) << shape.rows << " x " << shape.cols;
  }
}

TEST_P(HeatmapColours, CellsOfOnePixelAreExact) {
  Easel easel(GetParam());
  const float side = 100 / GetParam();
  HeatmapQuad quad = make_quad(random_matrix(100, 100, 2), 8, 4, side, side);
  quad.range.low = -3;
  quad.range.high = 3;
  expect_centres(easel.draw({quad}), quad, GetParam());
}

TEST_P(HeatmapColours, SmallMatrixKeepsItsCellsCrisp) {
  Easel easel(GetParam());
  HeatmapQuad quad = make_quad(make_matrix(1, 2, {0, 1}), 10, 10, 20, 10);
  const Image image = easel.draw({quad});
  const int middle = static_cast<int>(20 * GetParam());
  const int line = static_cast<int>(15 * GetParam());
  EXPECT_EQ(pixel(image, middle - 1, line), entries(Colormap::viridis).front());
  EXPECT_EQ(pixel(image, middle, line), entries(Colormap::viridis).back());
}

TEST_P(HeatmapColours, NothingIsDrawnOutsideTheQuad) {
  Easel easel(GetParam());
  const auto at = [&](float units) { return static_cast<int>(units * GetParam()); };
  const Image image = easel.draw({make_quad(make_matrix(1, 1, {0.5F}), 30, 40, 100, 50)});
  constexpr Rgb white = {255, 255, 255};
  EXPECT_EQ(pixel(image, at(30) - 1, at(60)), white);
  EXPECT_NE(pixel(image, at(30), at(60)), white);
  EXPECT_NE(pixel(image, at(130) - 1, at(60)), white);
  EXPECT_EQ(pixel(image, at(130), at(60)), white);
  EXPECT_EQ(pixel(image, at(60), at(40) - 1), white);
  EXPECT_EQ(pixel(image, at(60), at(90)), white);
}

INSTANTIATE_TEST_SUITE_P(Scales, HeatmapColours, testing::Values(1.0F, 2.0F));

TEST(Heatmap, IndexAgreesWithTheProgramAtTheBordersOfEveryEntry) {
  Easel easel;
  for (const auto& [low, high] :
       {std::pair{0.0F, 1.0F}, {0.0F, 1 / 0.7F}, {-0.3F, 0.1F}, {1e-20F, 3e-20F}, {-3e38F, 3e38F}}) {
    AlignedFloats values;
    for (int entry = 0; entry <= 256; ++entry) {
      const float part = static_cast<float>(entry) / 256;
      const float border = low * (1 - part) + high * part;
      for (const float value : {std::nextafter(border, low), border, std::nextafter(border, high)}) {
        values.push_back(value);
      }
    }
    values.resize(780, low);
    HeatmapQuad quad = make_quad(make_matrix(10, 78, values), 0, 0, 312, 40);
    quad.range.low = low;
    quad.range.high = high;
    expect_centres(easel.draw({quad}), quad, 1);
  }
}

TEST(Heatmap, RangeOfNoWidthShowsTheMiddleColour) {
  Easel easel;
  HeatmapQuad quad = make_quad(make_matrix(1, 1, {4}), 0, 0, 50, 50);
  quad.range.low = quad.range.high = 4;
  EXPECT_EQ(pixel(easel.draw({quad}), 25, 25), entries(Colormap::viridis)[128]);
}

TEST(Heatmap, PoolsByTheLargestMagnitudeUnderEachPixel) {
  Easel easel;
  const TensorPtr matrix = random_matrix(250, 330, 3);
  HeatmapQuad quad = make_quad(matrix, 5, 5, 97, 61);
  quad.range.map = Colormap::diverging;
  quad.range.low = -3;
  quad.range.high = 3;
  const Image image = easel.draw({quad});
  for (int y = 0; y < 61; ++y) {
    for (int x = 0; x < 97; ++x) {
      float best = 0;
      for (int row = y * 250 / 61; row * 61 < (y + 1) * 250; ++row) {
        for (int col = x * 330 / 97; col * 97 < (x + 1) * 330; ++col) {
          const float value = matrix->matrix()(row, col);
          if (std::abs(value) > std::abs(best) || (value > 0 && value == -best)) best = value;
        }
      }
      EXPECT_EQ(pixel(image, x + 5, y + 5), colour_of(quad.range.map, best, -3, 3)) << x << ", " << y;
    }
  }
}

TEST(Heatmap, WideMatrixIsPooledAlongOneAxisOnly) {
  Easel easel;
  AlignedFloats values(3 * 3000, 0.0F);
  values[3000 + 1500] = 1;
  const Image image = easel.draw({make_quad(make_matrix(3, 3000, values), 0, 0, 300, 90)});
  EXPECT_EQ(pixel(image, 150, 45), entries(Colormap::viridis).back());
  EXPECT_EQ(pixel(image, 149, 45), entries(Colormap::viridis).front());
  EXPECT_EQ(pixel(image, 150, 15), entries(Colormap::viridis).front());
}

TEST(Heatmap, MatrixLargerThanATileShowsThePartInView) {
  Easel easel;
  const TensorPtr matrix = random_matrix(1100, 1100, 4);
  HeatmapQuad quad = make_quad(matrix, -1000, -1000, 1100, 1100);
  quad.range.low = -3;
  quad.range.high = 3;
  const Image image = easel.draw({quad});
  for (int i = 0; i < 100; ++i) {
    const float value = matrix->matrix()(1000 + i, 1000 + i);
    EXPECT_EQ(pixel(image, i, i), colour_of(quad.range.map, value, -3, 3)) << i;
  }
}

TEST(Heatmap, RespectsTheClipRectangle) {
  for (const float scale : {1.0F, 2.0F}) {
    Easel easel(scale);
    HeatmapRenderer heatmaps;
    const HeatmapQuad quad = make_quad(make_matrix(1, 1, {0}), 10, 10, 200, 200);
    const Image image = easel.draw({}, [&](ImDrawList& list) {
      heatmaps.begin_frame(scale);
      list.PushClipRect({50, 60}, {90, 120});
      heatmaps.draw(list, quad);
      list.PopClipRect();
    });
    constexpr Rgb white = {255, 255, 255};
    const int s = static_cast<int>(scale);
    const Rgb inside = entries(Colormap::viridis).front();
    EXPECT_EQ(pixel(image, 50 * s, 60 * s), inside);
    EXPECT_EQ(pixel(image, 90 * s - 1, 120 * s - 1), inside);
    EXPECT_EQ(pixel(image, 50 * s - 1, 80 * s), white);
    EXPECT_EQ(pixel(image, 90 * s, 80 * s), white);
    EXPECT_EQ(pixel(image, 70 * s, 60 * s - 1), white);
    EXPECT_EQ(pixel(image, 70 * s, 120 * s), white);
  }
}

TEST(Heatmap, WhatIsDrawnAfterwardsLiesOnTop) {
  Easel easel;
  const Image image = easel.draw({make_quad(make_matrix(1, 1, {0}), 0, 0, 100, 100)}, [](ImDrawList& list) {
    list.AddRectFilled({20, 20}, {60, 60}, IM_COL32(255, 128, 0, 255));
  });
  EXPECT_EQ(pixel(image, 40, 40), (Rgb{255, 128, 0}));
  EXPECT_EQ(pixel(image, 80, 80), entries(Colormap::viridis).front());
}

TEST(Heatmap, StalePictureShowsWhatIsBehindIt) {
  Easel easel;
  HeatmapQuad quad = make_quad(make_matrix(1, 1, {0}), 0, 0, 100, 100);
  quad.opacity = 0.5F;
  const Rgb seen = pixel(easel.draw({quad}), 50, 50);
  const Rgb full = entries(Colormap::viridis).front();
  EXPECT_NEAR(seen.r, (full.r + 255) / 2.0, 1);
  EXPECT_NEAR(seen.g, (full.g + 255) / 2.0, 1);
  EXPECT_NEAR(seen.b, (full.b + 255) / 2.0, 1);
}

TEST(Heatmap, EmptyOrInvisibleQuadsAreHarmless) {
  Easel easel;
  const TensorPtr one = make_matrix(1, 1, {1});
  const Image image = easel.draw({make_quad(nullptr, 0, 0, 50, 50), make_quad(make_matrix(0, 3, {}), 0, 0, 50, 50),
                                  make_quad(one, 10, 10, 0, 20), make_quad(one, 10, 10, -5, 20),
                                  make_quad(one, -500, 0, 100, 100), make_quad(one, 5000, 5000, 10, 10)});
  EXPECT_TRUE(std::ranges::all_of(image.pixels, [](std::uint8_t byte) { return byte == 255; }));
  EXPECT_EQ(easel.upload_count(), 0);
}

}  // namespace
}  // namespace attnscope

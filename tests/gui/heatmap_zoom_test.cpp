#include <gtest/gtest.h>

#include "easel.h"
#include "tests/support/held_matrix.h"

namespace attnscope {
namespace {

constexpr float plot_side = 200;

// A window of a matrix in a plot at (20, 10).
HeatmapQuad zoomed_quad(TensorPtr values, const CellWindow& window) {
  HeatmapQuad quad = make_quad(std::move(values), 20, 10, plot_side, plot_side);
  quad.window = window;
  quad.range.map = Colormap::diverging;
  quad.range.low = -3;
  quad.range.high = 3;
  return quad;
}

// The pixel in the middle of a cell.
Rgb cell_pixel(const Image& image, const CellWindow& window, Index row, Index col, double offset = 0) {
  const double x = 20 + (static_cast<double>(col) + 0.5 - window.col) / window.cols * static_cast<double>(plot_side);
  const double y = 10 + (static_cast<double>(row) + 0.5 - window.row) / window.rows * static_cast<double>(plot_side);
  return pixel(image, static_cast<int>(x + offset), static_cast<int>(y));
}

TEST(ZoomedHeatmap, CellsHaveTheColoursOfTheirValuesWhereverTheWindowIs) {
  Easel easel;
  const TensorPtr matrix = random_matrix(2500, 2500, 1);
  for (const CellWindow& window : {CellWindow{0, 0, 10, 10}, CellWindow{1020.3, 1019.6, 8.5, 8.5},
                                   CellWindow{2490, 2490, 10, 10}, CellWindow{7.25, 2040.1, 20, 20}}) {
    const Image image = easel.draw({zoomed_quad(matrix, window)});
    const auto end_row = static_cast<Index>(window.row + window.rows - 1);
    const auto end_col = static_cast<Index>(window.col + window.cols - 1);
    for (auto row = static_cast<Index>(window.row) + 1; row < end_row; ++row) {
      for (auto col = static_cast<Index>(window.col) + 1; col < end_col; ++col) {
        EXPECT_EQ(cell_pixel(image, window, row, col),
                  colour_of(Colormap::diverging, matrix->matrix()(row, col), -3, 3))
            << row << ", " << col;
      }
    }
  }
}

TEST(ZoomedHeatmap, StaysInItsPlot) {
  Easel easel;
  const Image image = easel.draw({zoomed_quad(random_matrix(300, 300, 1), {100.5, 100.5, 7, 7})});
  for (const int at : {12, 60, 150, 209}) {
    EXPECT_EQ(pixel(image, 19, at), (Rgb{255, 255, 255}));
    EXPECT_EQ(pixel(image, 220, at), (Rgb{255, 255, 255}));
  }
  EXPECT_EQ(pixel(image, 100, 9), (Rgb{255, 255, 255}));
  EXPECT_EQ(pixel(image, 100, 210), (Rgb{255, 255, 255}));
  EXPECT_NE(pixel(image, 20, 60), (Rgb{255, 255, 255}));
}

TEST(ZoomedHeatmap, MaskedCellsAreHatchedAndDroppedOnesCrossed) {
  Easel easel;
  HeatmapQuad quad = zoomed_quad(random_matrix(1500, 1500, 1), {1100, 1100, 5, 5});
  quad.source.seen = {.last = 1};
  auto factors = std::make_shared<Tensor>(std::vector<Index>{1500, 1500}, AlignedFloats(1500 * 1500, 1.0F));
  factors->matrix()(1103, 1101) = 0;
  quad.source = test::with_factors(quad.source, factors);
  const Image image = easel.draw({quad});
  int line_pixels = 0;
  for (int offset = -9; offset < 9; ++offset) {
    const Rgb grey = cell_pixel(image, quad.window, 1101, 1103, offset);
    EXPECT_EQ(grey.r, grey.g);
    EXPECT_EQ(grey.g, grey.b);
    line_pixels += grey.r == quad.greys.hatch ? 1 : 0;
  }
  EXPECT_EQ(line_pixels, 3);
  const Rgb ground{quad.greys.gap, quad.greys.gap, quad.greys.gap};
  EXPECT_NE(cell_pixel(image, quad.window, 1103, 1101), ground);
  EXPECT_EQ(cell_pixel(image, quad.window, 1103, 1101, 17), ground);
}

// By fewer cells than a pixel stands for.
TEST(ZoomedHeatmap, PanningALittleUploadsNothing) {
  Easel easel;
  const TensorPtr matrix = random_matrix(1024, 1024, 1);
  for (double step = 0; step < 4; ++step) easel.draw({zoomed_quad(matrix, {101 + step / 8, 98 - step / 8, 500, 500})});
  EXPECT_EQ(easel.upload_count(), 1);
}

TEST(ZoomedHeatmap, OnlyThePartInTheWindowIsUploaded) {
  Easel easel;
  const TensorPtr matrix = random_matrix(3000, 3000, 1);
  easel.draw({zoomed_quad(matrix, {1200, 1200, 50, 50})});
  EXPECT_EQ(easel.upload_count(), 1);
}

TEST(PixelCount, IsOneACellThenOneAPixelOfTheWholeAndStepsOfAPart) {
  EXPECT_EQ(pixel_count(1000, 1000, 2000), 1000);
  EXPECT_EQ(pixel_count(1000, 1000, 600), 600);
  EXPECT_EQ(pixel_count(1000, 500, 500), 1000);
  EXPECT_EQ(pixel_count(1000, 500, 400), 500);
  EXPECT_EQ(pixel_count(1000, 900, 400), 334);
  EXPECT_EQ(pixel_count(1000, 990, 100), 84);  // twelve cells each
}

}  // namespace
}  // namespace attnscope

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>

#include "easel.h"
#include "platform/system/file.h"
#include "tests/support/held_matrix.h"
#include "tests/support/places.h"
#include "tests/support/png.h"

namespace attnscope {
namespace {

// Mean difference of two pictures of the same size in grey levels, 0 to 255.
double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(int{a.pixels[i]} - int{b.pixels[i]});
  return sum / static_cast<double>(a.pixels.size());
}

// Anti-aliased marks may differ a little between drivers; what must be exact is checked pixel by pixel elsewhere.
constexpr double tolerance = 0.3;

std::vector<HeatmapQuad> make_scene(bool dark) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const TensorPtr factors = make_matrix(4, 4, {2, 2, 2, 2, 0, 2, 2, 2, 2, 0, 2, 2, 0, 2, 2, 0});
  HeatmapQuad weights =
      make_quad(make_matrix(4, 4, {1, 0, 0, 0, 0, .4F, 0, 0, .2F, 0, .5F, 0, 0, .3F, .7F, 0}), 10, 10, 120, 120);
  weights.source.seen = {.last = 1};
  weights.source = test::with_factors(weights.source, factors);
  HeatmapQuad scores = make_quad(random_matrix(5, 5, 7), 150, 10, 120, 120);
  auto special = *scores.source.tensor();
  special.values[6] = std::numeric_limits<float>::quiet_NaN();
  special.values[12] = infinity;
  special.values[18] = -infinity;
  scores.source = test::source_holding(std::make_shared<Tensor>(special));
  scores.range.map = dark ? Colormap::diverging_dark : Colormap::diverging;
  scores.range.low = -3;
  scores.range.high = 3;
  HeatmapQuad pooled = make_quad(random_matrix(200, 200, 8), 10, 150, 80, 80);
  pooled.range.low = -3;
  pooled.range.high = 3;
  pooled.source.seen = {.last = 1};
  std::vector<HeatmapQuad> scene = {weights, scores, pooled};
  for (HeatmapQuad& quad : scene) quad.greys = colours_of(dark ? ThemeId::dark : ThemeId::light).greys;
  return scene;
}

class HeatmapGolden : public testing::TestWithParam<bool> {};

// ATTNSCOPE_UPDATE_GOLDEN=1 rewrites the pictures; look at them before they are committed.
TEST_P(HeatmapGolden, LooksAsItDid) {
  const std::filesystem::path path =
      test::data_folder() / "golden" / (GetParam() ? "heatmaps_dark.png" : "heatmaps_light.png");
  Easel easel(2);
  const Image drawn = easel.draw(make_scene(GetParam()));
  if (std::getenv("ATTNSCOPE_UPDATE_GOLDEN") != nullptr) write_file(path, encode_png(drawn));
  const Image expected = test::read_png(path);
  ASSERT_EQ(drawn.width, expected.width);
  ASSERT_EQ(drawn.height, expected.height);
  EXPECT_LT(mean_difference(drawn, expected), tolerance);
}

INSTANTIATE_TEST_SUITE_P(Themes, HeatmapGolden, testing::Bool());

TEST(HeatmapGoldenComparator, SeesAMissingMark) {
  Easel easel(2);
  std::vector<HeatmapQuad> scene = make_scene(false);
  const Image drawn = easel.draw(scene);
  scene[0].source.drops = false;
  EXPECT_GT(mean_difference(drawn, easel.draw(scene)), tolerance);
  scene = make_scene(false);
  scene[2].source.seen = {};
  EXPECT_GT(mean_difference(drawn, easel.draw(scene)), tolerance);
}

}  // namespace
}  // namespace attnscope

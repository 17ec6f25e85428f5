#include <glad/gl.h>
#include <gtest/gtest.h>

#include <utility>

#include "easel.h"

namespace attnscope {
namespace {

TEST(HeatmapTextures, UnchangedMatrixIsUploadedOnce) {
  Easel easel;
  const HeatmapQuad quad = make_quad(random_matrix(6, 6, 1), 0, 0, 60, 60);
  for (int frame = 0; frame < 5; ++frame) easel.draw({quad});
  EXPECT_EQ(easel.upload_count(), 1);
}

// A driver without memory for the next so many textures.
int refusals = 0;
PFNGLTEXIMAGE2DPROC real_teximage = nullptr;
PFNGLGETERRORPROC real_geterror = nullptr;
bool has_refused = false;

class WithoutMemory {
public:
  WithoutMemory() {
    real_teximage =
        std::exchange(glad_glTexImage2D, [](GLenum target, GLint level, GLint kept_as, GLsizei width, GLsizei height,
                                            GLint border, GLenum format, GLenum type, const void* pixels) {
          has_refused = refusals > 0;
          if (has_refused) {
            --refusals;
          } else {
            real_teximage(target, level, kept_as, width, height, border, format, type, pixels);
          }
        });
    real_geterror = std::exchange(glad_glGetError, []() -> GLenum {
      return std::exchange(has_refused, false) ? GL_OUT_OF_MEMORY : real_geterror();
    });
  }
  ~WithoutMemory() {
    glad_glTexImage2D = real_teximage;
    glad_glGetError = real_geterror;
  }
};

TEST(HeatmapTextures, WhatIsNotLookedAtMakesRoom) {
  const HeatmapQuad first = make_quad(random_matrix(6, 6, 1), 0, 0, 60, 60);
  const HeatmapQuad second = make_quad(random_matrix(6, 6, 2), 0, 0, 60, 60);
  const Image wanted = Easel().draw({second});
  Easel easel;
  const WithoutMemory driver;
  easel.draw({first});
  refusals = 1;
  EXPECT_EQ(easel.draw({second}).pixels, wanted.pixels);
  EXPECT_EQ(easel.failure(), "");
  easel.draw({first});
  EXPECT_EQ(easel.upload_count(), 3) << "it was not there any more";
}

TEST(HeatmapTextures, WhatThereIsNoRoomForIsLeftOutAndSaidAndTriedAgain) {
  Easel easel;
  const WithoutMemory driver;
  const HeatmapQuad quad = make_quad(random_matrix(6, 6, 1), 0, 0, 60, 60);
  const Image empty = easel.draw({});
  refusals = 1000;
  EXPECT_EQ(easel.draw({quad}).pixels, empty.pixels);
  EXPECT_EQ(easel.failure(), "The graphics driver has no room for a texture of 6 x 6 pixels.");
  refusals = 0;
  EXPECT_NE(easel.draw({quad}).pixels, empty.pixels);
  EXPECT_EQ(easel.failure(), "");
}

// Drivers need not have textures of more than 1024 pixels a side.
TEST(HeatmapTextures, PicturesOfAnySizeAreDrawnPixelByPixel) {
  constexpr int width = 1500;
  constexpr int height = 1100;
  Easel easel(1, {width, height});
  HeatmapRenderer renderer;
  renderer.begin_frame(1);
  const auto pixels = std::make_shared<std::vector<std::uint8_t>>(4UL * width * height);
  for (std::size_t at = 0; at < pixels->size(); ++at)
    (*pixels)[at] = at % 4 == 3 ? std::uint8_t{255} : static_cast<std::uint8_t>(at * 2654435761U >> 24U);
  const Image image = easel.draw({}, [&](ImDrawList& list) {
    renderer.draw_image(list, {width, height, pixels->data(), pixels}, {0, 0}, {width, height});
    for (const ImDrawCmd& command : list.CmdBuffer) EXPECT_LE(command.ElemCount, 4U * 6U);
    EXPECT_GE(list.VtxBuffer.Size, 4 * 4) << "of four pieces";
  });
  EXPECT_EQ(renderer.failure(), "");
  EXPECT_EQ(image.pixels, *pixels);
}

TEST(HeatmapTextures, RangeMapPlaceThemeAndOpacityUploadNothing) {
  Easel easel;
  HeatmapQuad quad = make_quad(random_matrix(6, 6, 1), 0, 0, 60, 60);
  easel.draw({quad});
  quad.range.low = -1;
  quad.range.high = 3;
  quad.range.map = Colormap::diverging;
  quad.greys = colours_of(ThemeId::dark).greys;
  quad.opacity = 0.5F;
  quad.min_screen = {20.3F, 30.7F};
  quad.max_screen = {140.3F, 150.7F};
  easel.draw({quad});
  EXPECT_EQ(easel.upload_count(), 1);
}

TEST(HeatmapTextures, ScrollingAPooledMatrixUploadsNothing) {
  Easel easel;
  const TensorPtr matrix = random_matrix(300, 300, 1);
  for (int frame = 0; frame < 10; ++frame) {
    easel.draw({make_quad(matrix, 10, 10 + 0.37F * static_cast<float>(frame), 100.25F, 100.25F)});
  }
  EXPECT_EQ(easel.upload_count(), 1);
}

TEST(HeatmapTextures, EachHeadHasItsOwn) {
  Easel easel;
  const auto heads = std::make_shared<Tensor>(std::vector<Index>{1, 2, 1, 1}, AlignedFloats{0, 1});
  HeatmapQuad first = make_quad(heads, 0, 0, 40, 40);
  HeatmapQuad second = make_quad(heads, 50, 0, 40, 40);
  second.source.matrix = 1;
  const Image image = easel.draw({first, second});
  EXPECT_EQ(easel.upload_count(), 2);
  EXPECT_EQ(pixel(image, 20, 20), entries(Colormap::viridis).front());
  EXPECT_EQ(pixel(image, 70, 20), entries(Colormap::viridis).back());
}

TEST(HeatmapTextures, SameMatrixTwiceInAFrameIsUploadedOnce) {
  Easel easel;
  const TensorPtr matrix = random_matrix(6, 6, 1);
  easel.draw({make_quad(matrix, 0, 0, 60, 60), make_quad(matrix, 100, 0, 120, 120)});
  EXPECT_EQ(easel.upload_count(), 1);
}

TEST(HeatmapTextures, NewTensorAtAnOldAddressIsNotMistaken) {
  Easel easel;
  alignas(Tensor) static unsigned char place[sizeof(Tensor)];
  const auto make = [&](float value) {
    auto* const tensor = new (place) Tensor({1, 1}, {value});
    return TensorPtr(tensor, [](const Tensor* gone) { gone->~Tensor(); });
  };
  HeatmapRenderer heatmaps;
  heatmaps.begin_frame(1);
  const Image image = easel.draw({}, [&](ImDrawList& list) {
    heatmaps.draw(list, make_quad(make(0), 0, 0, 50, 50));
    heatmaps.draw(list, make_quad(make(1), 100, 0, 50, 50));
  });
  EXPECT_EQ(heatmaps.upload_count(), 2);
  EXPECT_EQ(pixel(image, 125, 25), entries(Colormap::viridis).back());
}

TEST(HeatmapTextures, TensorsAreNotKeptAliveByTheirPictures) {
  Easel easel;
  HeatmapQuad quad = make_quad(random_matrix(6, 6, 1), 0, 0, 60, 60);
  const std::weak_ptr<const Tensor> watched = quad.source.result->share(quad.source.stage);
  easel.draw({quad});
  quad = {};
  EXPECT_TRUE(watched.expired());
}

TEST(HeatmapTextures, UnusedOnesAreForgottenAfterAWhile) {
  Easel easel;
  const HeatmapQuad quad = make_quad(random_matrix(6, 6, 1), 0, 0, 60, 60);
  easel.draw({quad});
  for (int frame = 0; frame < 60; ++frame) easel.draw({});
  easel.draw({quad});
  EXPECT_EQ(easel.upload_count(), 1);
  for (int frame = 0; frame < 130; ++frame) easel.draw({});
  easel.draw({quad});
  EXPECT_EQ(easel.upload_count(), 2);
}

TEST(HeatmapTextures, ComeFromTheCacheWhenTheyAreReady) {
  const HeatmapQuad quad = make_quad(random_matrix(900, 900, 1), 0, 0, 100, 100);
  const Image at_once = Easel().draw({quad});
  Easel easel;
  PictureCache cache;
  easel.use(&cache);
  easel.draw({quad});
  while (cache.wait()) easel.draw({quad});
  EXPECT_EQ(easel.draw({quad}).pixels, at_once.pixels);
  EXPECT_EQ(easel.upload_count(), 1);
}

TEST(HeatmapTextures, TheLastPictureStaysUntilTheNextIsReady) {
  Easel easel;
  PictureCache cache;
  easel.use(&cache);
  const auto shown = std::make_shared<const Tensor>(std::vector<Index>{900, 900}, AlignedFloats(810000, 1.0F));
  const auto next = std::make_shared<const Tensor>(std::vector<Index>{900, 900});
  const HeatmapQuad first = make_quad(shown, 0, 0, 100, 100);
  easel.draw({first});
  while (cache.wait()) easel.draw({first});
  easel.draw({first});
  const HeatmapQuad second = make_quad(next, 0, 0, 100, 100);
  Image image = easel.draw({second});
  EXPECT_EQ(pixel(image, 50, 50), entries(Colormap::viridis).back());
  while (cache.wait()) image = easel.draw({second});
  image = easel.draw({second});
  EXPECT_EQ(pixel(image, 50, 50), entries(Colormap::viridis).front());
}

// The upper half of the matrix is high, the lower one low.
TEST(HeatmapTextures, AWindowShowsTheWholeStretchedUntilItsOwnPictureIsThere) {
  constexpr Index side = 4096;
  auto values = std::make_shared<Tensor>(std::vector<Index>{side, side});
  std::fill_n(values->values.begin(), side * side / 2, 1.0F);
  Easel easel;
  PictureCache cache;
  easel.use(&cache);
  HeatmapQuad quad = make_quad(values, 0, 0, 100, 100);
  easel.draw({quad});
  while (cache.wait()) easel.draw({quad});
  easel.draw({quad});
  quad.window = {1024, 1024, 1500, 1500};  // too many cells for the frame that first asks
  const long uploads = easel.upload_count();
  Image image = easel.draw({quad});
  EXPECT_EQ(easel.upload_count(), uploads);
  const int border = 100 * 1024 / 1500;
  EXPECT_EQ(pixel(image, 50, border - 3), entries(Colormap::viridis).back());
  EXPECT_EQ(pixel(image, 50, border + 3), entries(Colormap::viridis).front());
  while (cache.wait()) image = easel.draw({quad});
  image = easel.draw({quad});
  EXPECT_GT(easel.upload_count(), uploads);
  EXPECT_EQ(pixel(image, 50, border - 3), entries(Colormap::viridis).back());
  EXPECT_EQ(pixel(image, 50, border + 3), entries(Colormap::viridis).front());
}

TEST(HeatmapTextures, OfAComputedMatrixAreThoseOfTheKeptOne) {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = 60, .features = 8};
  config.d_out = 16;
  config.dropout = 0.5;
  const auto kept = std::make_shared<const Result>(evaluate_readable(config));
  const auto computed = std::make_shared<const Result>(evaluate_by_engine(config, {}, nullptr));
  HeatmapQuad quad = make_quad({}, 0, 0, 240, 240);
  quad.source = shown_matrix(kept, Stage::dropped_weights, 1);
  Easel easel;
  const Image expected = easel.draw({quad});
  quad.source = shown_matrix(computed, Stage::dropped_weights, 1);
  const Image actual = easel.draw({quad});
  int different = 0;
  for (std::size_t i = 0; i < expected.pixels.size(); ++i) {
    if (std::abs(expected.pixels[i] - actual.pixels[i]) > 3) ++different;
  }
  EXPECT_EQ(different, 0);
}

TEST(HeatmapTextures, OnlyWhatIsInViewIsUploaded) {
  Easel easel;
  const TensorPtr matrix = random_matrix(3000, 3000, 1);
  easel.draw({make_quad(matrix, -100, -100, 6000, 6000)});
  EXPECT_EQ(easel.upload_count(), 1);
  easel.draw({make_quad(matrix, -2000, -100, 6000, 6000)});
  EXPECT_EQ(easel.upload_count(), 2);
}

TEST(HeatmapTextures, MatrixWiderThanAnyTextureIsDrawn) {
  Easel easel;
  AlignedFloats values(40000, 0.0F);
  values[39999] = 1;
  const HeatmapQuad quad = make_quad(make_matrix(1, 40000, values), -79700, 0, 80000, 20);
  EXPECT_EQ(pixel(easel.draw({quad}), 299, 10), entries(Colormap::viridis).back());
  const HeatmapQuad pooled = make_quad(quad.source.result->share(quad.source.stage), 0, 0, 300, 20);
  EXPECT_EQ(pixel(easel.draw({pooled}), 299, 10), entries(Colormap::viridis).back());
}

}  // namespace
}  // namespace attnscope

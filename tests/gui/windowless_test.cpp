#include <glad/gl.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "easel.h"
#include "paint/window/gl_objects.h"

namespace attnscope {
namespace {

TEST(Windowless, GivesOpenGl33WithoutADisplay) {
  const WindowlessContext context;
  EXPECT_NE(GLAD_GL_VERSION_3_3, 0);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST(Windowless, SaysNothingOnStandardError) {
  testing::internal::CaptureStderr();
  { Easel().draw({make_quad(make_matrix(1, 1, {1}), 0, 0, 9, 9)}); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Windowless, ContextsFollowOneAnother) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Easel().draw({}).width, 320);
}

TEST(Screenshot, IsOpaqueAndAsLargeAsItsScaleSays) {
  Easel easel(2);
  HeatmapQuad quad = make_quad(make_matrix(1, 1, {1}), 0, 0, 99, 99);
  quad.opacity = 0.3F;
  const Image image = easel.draw({quad}, {}, {0, 0, 0, 0});
  EXPECT_EQ(image.width, 640);
  EXPECT_EQ(image.height, 480);
  ASSERT_EQ(image.pixels.size(), 640U * 480U * 4U);
  for (std::size_t i = 3; i < image.pixels.size(); i += 4) ASSERT_EQ(image.pixels[i], 255);
}

TEST(Screenshot, HasItsFirstRowAtTheTop) {
  Easel easel;
  const Image image = easel.draw({make_quad(make_matrix(1, 1, {0}), 0, 0, 320, 10)});
  EXPECT_EQ(pixel(image, 100, 5), entries(Colormap::viridis).front());
  EXPECT_EQ(pixel(image, 100, 235), (Rgb{255, 255, 255}));
}

TEST(Screenshot, ImpossibleSizeIsRefusedInASentence) {
  EXPECT_THROW(Easel(1, {0, 10}).draw({}), Error);
  EXPECT_THROW(Easel(1, {1 << 20, 10}).draw({}), Error);
}

TEST(Shaders, DriversComplaintReachesTheReader) {
  const WindowlessContext context;
  try {
    make_program("#version 330 core\nvoid main() { gl_Position = nonsense; }", "#version 330 core\nvoid main() {}");
    FAIL() << "a broken shader was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace attnscope

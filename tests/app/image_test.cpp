#include "interchange/image.h"

#include <random>

#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

Image noise(int width, int height) {
  std::mt19937 engine(2);
  Image image{width, height, {}};
  image.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  for (auto& byte : image.pixels) byte = static_cast<std::uint8_t>(engine());
  return image;
}

TEST(Png, ComesBackToThePixel) {
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {640, 480}}) {
    const Image image = noise(width, height);
    const Image back = decode_png(encode_png(image));
    EXPECT_EQ(back.width, width);
    EXPECT_EQ(back.height, height);
    EXPECT_EQ(back.pixels, image.pixels);
  }
}

}  // namespace
}  // namespace attnscope::test

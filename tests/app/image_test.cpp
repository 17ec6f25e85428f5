#include "files/image.h"

#include <random>

#include "assets/assets.h"
#include "core/error.h"
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

TEST(Png, OfTheIconIsSharpWhereItIsSmallest) {
  for (const int size : {16, 32, 64}) {
    const Image icon = decode_png(asset("icons/" + std::to_string(size) + ".png"));
    ASSERT_EQ(icon.width, size);
    ASSERT_EQ(icon.height, size);
    // The middle of the yellow cell in the last row.
    const auto middle = static_cast<std::size_t>((size * 13 / 16 * size + size / 2) * 4);
    const std::vector<std::uint8_t> pixel(icon.pixels.begin() + static_cast<std::ptrdiff_t>(middle),
                                          icon.pixels.begin() + static_cast<std::ptrdiff_t>(middle + 4));
    EXPECT_EQ(pixel, (std::vector<std::uint8_t>{0xfd, 0xe7, 0x25, 0xff})) << size;
  }
}

TEST(Png, OfGreysIsReadWithFourChannels) {
  std::string png = encode_png(noise(1, 1)).substr(0, png_signature_bytes);
  append_png_chunk(png, "IHDR", std::string("\0\0\0\2\0\0\0\1\10\0\0\0\0", 13));  // 2 x 1, 8 bits
  append_png_chunk(png, "IDAT", deflate_text(std::string("\0\0\xFF", 3)));
  append_png_chunk(png, "IEND", "");
  EXPECT_EQ(decode_png(png).pixels, (std::vector<std::uint8_t>{0, 0, 0, 255, 255, 255, 255, 255}));
}

TEST(Png, ThatIsNoneIsAnError) {
  const std::string whole = encode_png(noise(8, 8));
  EXPECT_THROW(decode_png("no picture"), Error);
  EXPECT_THROW(decode_png(""), Error);
  EXPECT_THROW(decode_png(std::string_view(whole).substr(0, whole.size() / 2)), Error);
}

}  // namespace
}  // namespace attnscope::test

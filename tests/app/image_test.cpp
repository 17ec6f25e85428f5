#include "interchange/image.h"

#include <random>

#include "platform/system/file.h"
#include "support.h"

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

TEST(Png, FilesComeBackToo) {
  const TemporaryFolder folder;
  const Image image = noise(5, 6);
  write_png(image, folder / "a.png");
  EXPECT_EQ(read_png(folder / "a.png").pixels, image.pixels);
}

TEST(Png, BrokenBytesAreRefused) {
  const std::string good = encode_png(noise(20, 20));
  EXPECT_TRUE(says(error_of([] { decode_png(""); }).what(), {"not a PNG"}));
  EXPECT_TRUE(says(error_of([] { decode_png("GIF89a, not a PNG"); }).what(), {"not a PNG"}));
  for (std::size_t length = 0; length < good.size() - 20; length += 7) {
    EXPECT_THROW(decode_png(good.substr(0, length)), Error) << length;
  }
}

TEST(Png, NoiseNeverCrashesTheReader) {
  std::mt19937 engine(4);
  const std::string good = encode_png(noise(9, 9));
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) bytes[engine() % bytes.size()] = static_cast<char>(engine());
    try {
      const Image image = decode_png(bytes);
      ASSERT_EQ(image.pixels.size(),
                static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
    } catch (const Error&) {
    }
  }
}

TEST(Png, AFileThatIsNoneIsNamed) {
  const TemporaryFolder folder;
  put_text(folder / "a.png", "text");
  EXPECT_TRUE(says(error_of([&] { read_png(folder / "a.png"); }).what(), {(folder / "a.png").string(), "not a PNG"}));
}

}  // namespace
}  // namespace attnscope::test

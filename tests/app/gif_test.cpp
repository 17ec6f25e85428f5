// Animated GIFs: what giflib reads of them.

#include "files/image.h"

#include <gif_lib.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "document/json.h"
#include "files/picture_document.h"
#include "pictures.h"
#include "support.h"

namespace attnscope::test {
namespace {

struct GifFrame {
  Image image;  // as it is shown
  int delay = 0;
  int width = 0;  // of what the file holds of it
};

struct ReadBytes {
  const std::string& bytes;
  std::size_t at = 0;
};

int read_bytes(GifFileType* gif, GifByteType* to, int count) {
  ReadBytes& from = *static_cast<ReadBytes*>(gif->UserData);
  const std::size_t size = std::min(static_cast<std::size_t>(count), from.bytes.size() - from.at);
  std::memcpy(to, from.bytes.data() + from.at, size);
  from.at += size;
  return static_cast<int>(size);
}

// Each frame over the ones before it.
std::vector<GifFrame> gif_frames(const std::string& bytes) {
  ReadBytes source{bytes};
  int problem = 0;
  GifFileType* const gif = DGifOpen(&source, read_bytes, &problem);
  if (!gif || DGifSlurp(gif) != GIF_OK) throw Error("no GIF");
  Image shown{gif->SWidth, gif->SHeight, {}};
  shown.pixels.assign(static_cast<std::size_t>(shown.width) * static_cast<std::size_t>(shown.height) * 4, 255);
  std::vector<GifFrame> frames;
  for (int number = 0; number < gif->ImageCount; ++number) {
    const SavedImage& saved = gif->SavedImages[number];
    const GifImageDesc& place = saved.ImageDesc;
    GraphicsControlBlock control{};
    EXPECT_EQ(DGifSavedExtensionToGCB(gif, number, &control), GIF_OK);
    for (int i = 0; i < place.Width * place.Height; ++i) {
      if (saved.RasterBits[i] == control.TransparentColor) continue;
      const GifColorType colour = place.ColorMap->Colors[saved.RasterBits[i]];
      const int at = (place.Top + i / place.Width) * shown.width + place.Left + i % place.Width;
      const std::uint8_t rgb[] = {colour.Red, colour.Green, colour.Blue};
      std::copy_n(rgb, 3, shown.pixels.begin() + std::ptrdiff_t{at} * 4);
    }
    frames.push_back({shown, control.DelayTime, place.Width});
  }
  DGifCloseFile(gif, &problem);
  return frames;
}

// Opaque, with a few colours; a square goes from left to right.
Image square(int number) {
  Image image{40, 20, {}};
  for (int i = 0; i < 40 * 20; ++i) {
    const int col = i % 40;
    const bool is_in_square = col >= 5 * number && col < 5 * number + 5;
    const auto level = static_cast<std::uint8_t>(is_in_square ? 40 * number : 255);
    for (const std::uint8_t byte : {level, level, std::uint8_t{200}, std::uint8_t{255}}) image.pixels.push_back(byte);
  }
  return image;
}

std::string gif_of(int frames, const Playback& playback = {}) {
  AnimatedGif gif(playback);
  for (int frame = 0; frame < frames; ++frame) gif.add_frame(square(frame));
  return gif.finish();
}

TEST(AnimatedGif, HoldsEveryFrameOfFewColoursToTheBit) {
  const std::vector<GifFrame> frames = gif_frames(gif_of(4));
  ASSERT_EQ(frames.size(), 4U);
  for (int number = 0; number < 4; ++number) {
    const GifFrame& frame = frames[static_cast<std::size_t>(number)];
    EXPECT_EQ(frame.image.pixels, square(number).pixels) << number;
    EXPECT_EQ(frame.width, number == 0 ? 40 : 10);  // later ones hold what changed
    EXPECT_EQ(frame.delay, 25);
  }
}

TEST(AnimatedGif, ShowsAFrameForLongerIfTheNextOnesAreTheSame) {
  AnimatedGif gif({});
  for (const int number : {1, 1, 1, 2}) gif.add_frame(square(number));
  const std::vector<GifFrame> frames = gif_frames(gif.finish());
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].image.pixels, square(1).pixels);
  EXPECT_EQ(frames[0].delay, 75);
  EXPECT_EQ(frames[1].image.pixels, square(2).pixels);
  EXPECT_EQ(frames[1].delay, 25);
}

// Two bytes hold the time of a frame.
TEST(AnimatedGif, DividesATimeThatIsTooLong) {
  AnimatedGif gif({.frames_per_second = 0.1});
  for (int frame = 0; frame < 70; ++frame) gif.add_frame(square(1));
  int sum = 0;
  const std::vector<GifFrame> frames = gif_frames(gif.finish());
  for (const GifFrame& frame : frames) sum += frame.delay;
  EXPECT_EQ(sum, 70000);
  for (const GifFrame& frame : frames) EXPECT_EQ(frame.image.pixels, square(1).pixels);
}

// A gradient of far more than 256 colours on a white page.
TEST(AnimatedGif, KeepsThePageAndComesCloseToOtherColours) {
  Image image{200, 100, {}};
  for (int i = 0; i < 200 * 100; ++i) {
    const int col = i % 200;
    const bool is_page = i / 200 < 50;
    const auto red = static_cast<std::uint8_t>(is_page ? 255 : col);
    const auto green = static_cast<std::uint8_t>(is_page ? 255 : 2 * (i / 200));
    for (const std::uint8_t byte : {red, green, std::uint8_t{255}, std::uint8_t{255}}) image.pixels.push_back(byte);
  }
  AnimatedGif gif({});
  gif.add_frame(image);
  const std::vector<GifFrame> frames = gif_frames(gif.finish());
  ASSERT_EQ(frames.size(), 1U);
  int furthest = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const int distance = std::abs(int{frames[0].image.pixels[i]} - int{image.pixels[i]});
    if (i < image.pixels.size() / 2) {
      ASSERT_EQ(distance, 0) << i;
    }
    furthest = std::max(furthest, distance);
  }
  EXPECT_GT(furthest, 0);
  EXPECT_LT(furthest, 40);
}

TEST(AnimatedGif, TakesAsLongAsItShould) {
  const auto delays = [](double rate, int frames) {
    int sum = 0;
    for (const GifFrame& frame : gif_frames(gif_of(frames, {.frames_per_second = rate}))) sum += frame.delay;
    return sum;
  };
  EXPECT_EQ(delays(0.1, 2), 2000);
  EXPECT_EQ(delays(50, 3), 6);
  EXPECT_EQ(delays(30, 6), 20);  // of which no frame has a whole number of hundredths
}

TEST(AnimatedGif, RepeatsAsOftenAsItIsAsked) {
  const auto repetition = [](std::uint32_t times) {
    const std::string gif = gif_of(2, {.times = times});
    const std::size_t at = gif.find("NETSCAPE2.0");
    return at == std::string::npos ? std::string("none") : gif.substr(at + 11, 5);
  };
  EXPECT_EQ(repetition(0), std::string("\3\1\0\0\0", 5));
  EXPECT_EQ(repetition(1), "none");
  EXPECT_EQ(repetition(3), std::string("\3\1\2\0\0", 5));
  EXPECT_EQ(repetition(65535), std::string("\3\1\xFE\xFF\0", 5));
}

TEST(AnimatedGif, IsTheSameBytesOfTheSamePictures) { EXPECT_TRUE(gif_of(4) == gif_of(4)); }

TEST(AnimatedGif, CarriesADocumentAndStaysAnAnimation) {
  const std::string plain = gif_of(3);
  const std::string gif = with_document(plain, PictureKind::gif, difficult_document());
  EXPECT_EQ(parse_document(document_in(gif).value_or("")), difficult_document());
  const std::vector<GifFrame> frames = gif_frames(gif);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[2].image.pixels, square(2).pixels);
  EXPECT_TRUE(with_document(gif, PictureKind::gif, difficult_document()) == gif);
  EXPECT_EQ(document_in(plain), std::nullopt);
}

}  // namespace
}  // namespace attnscope::test

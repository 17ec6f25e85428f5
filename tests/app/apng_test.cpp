// Animated PNGs: chunks in their order, and frames that come back as the pictures that went in.

#include "files/image.h"

#include <zlib.h>

#include <algorithm>

#include "document/json.h"
#include "files/picture_document.h"
#include "pictures.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

struct Chunk {
  std::string type;
  std::string data;
};

std::uint32_t number_at(const std::string& bytes, std::size_t position) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<std::uint8_t>(bytes[position + i]);
  return number;
}

const Chunk& first_of(const std::vector<Chunk>& chunks, const std::string& type) {
  return *std::ranges::find(chunks, type, &Chunk::type);
}

// Every chunk, whose checksum must be right.
std::vector<Chunk> chunks_of(const std::string& png) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = number_at(png, at);
    chunks.push_back({png.substr(at + 4, 4), png.substr(at + 8, length)});
    const auto* const bytes = reinterpret_cast<const Bytef*>(png.data()) + at + 4;
    EXPECT_EQ(crc32(0, bytes, static_cast<uInt>(length + 4)), number_at(png, at + 8 + length)) << chunks.back().type;
    at += 12 + length;
  }
  return chunks;
}

// A chunk whose content is its type and its data.
void put(std::string& png, const std::string& content) {
  const auto put_number = [&](std::size_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) png += static_cast<char>(number >> shift & 0xFF);
  };
  put_number(content.size() - 4);
  png += content;
  put_number(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
}

std::string types_of(const std::vector<Chunk>& chunks) {
  std::string types;
  for (const Chunk& chunk : chunks) {
    if (chunk.type != "sRGB") types += (types.empty() ? "" : " ") + chunk.type;  // of libpng
  }
  return types;
}

Image picture(int number, int width = 5) {
  Image image{width, 3, {}};
  for (int i = 0; i < width * 3 * 4; ++i) image.pixels.push_back(static_cast<std::uint8_t>(i * 31 + number * 57));
  return image;
}

std::string animation(std::size_t frames, const Playback& playback = {}) {
  AnimatedPng png(frames, playback);
  for (std::size_t frame = 0; frame < frames; ++frame) png.add_frame(encode_png(picture(static_cast<int>(frame))));
  return png.finish();
}

TEST(AnimatedPng, HasItsChunksInOrder) {
  const std::vector<Chunk> chunks = chunks_of(animation(3, {.frames_per_second = 4, .times = 7}));
  EXPECT_EQ(types_of(chunks), "IHDR acTL fcTL IDAT fcTL fdAT fcTL fdAT IEND");
  EXPECT_EQ(number_at(first_of(chunks, "acTL").data, 0), 3U);
  EXPECT_EQ(number_at(first_of(chunks, "acTL").data, 4), 7U);
  std::uint32_t sequence = 0;
  for (const Chunk& chunk : chunks) {
    if (chunk.type != "fcTL" && chunk.type != "fdAT") continue;
    EXPECT_EQ(number_at(chunk.data, 0), sequence++);
    if (chunk.type != "fcTL") continue;
    ASSERT_EQ(chunk.data.size(), 26U);
    EXPECT_EQ(number_at(chunk.data, 4), 5U);
    EXPECT_EQ(number_at(chunk.data, 8), 3U);
    EXPECT_EQ(chunk.data.substr(12, 8), std::string(8, '\0'));
    EXPECT_EQ(number_at(chunk.data, 20), 250U << 16 | 1000U);
    EXPECT_EQ(chunk.data.substr(24), std::string(2, '\0'));
  }
  EXPECT_EQ(sequence, 5U);
}

TEST(AnimatedPng, ShowsItsFirstFrameToReadersThatKnowNoAnimations) {
  EXPECT_EQ(decode_png(animation(3)).pixels, picture(0).pixels);
  EXPECT_EQ(decode_png(animation(1)).pixels, picture(0).pixels);
}

// A frame on its own: the header, and its data as if they were the picture's.
TEST(AnimatedPng, HoldsEveryFrameToTheBit) {
  const std::string png = animation(4);
  for (int frame = 0; frame < 4; ++frame) {
    std::string alone = "\x89PNG\r\n\x1a\n";
    int number = -1;
    for (const Chunk& chunk : chunks_of(png)) {
      if (chunk.type == "fcTL") ++number;
      if (chunk.type == "IHDR" || chunk.type == "IEND") put(alone, chunk.type + chunk.data);
      if (number != frame) continue;
      if (chunk.type == "IDAT") put(alone, "IDAT" + chunk.data);
      if (chunk.type == "fdAT") put(alone, "IDAT" + chunk.data.substr(4));
    }
    EXPECT_EQ(decode_png(alone).pixels, picture(frame).pixels) << frame;
  }
}

TEST(AnimatedPng, CarriesADocumentAndStaysAnAnimation) {
  const std::string png = with_document(animation(3), PictureKind::png, difficult_document());
  EXPECT_EQ(parse_document(document_in(png).value_or("")), difficult_document());
  EXPECT_EQ(types_of(chunks_of(png)), "IHDR acTL fcTL iTXt IDAT fcTL fdAT fcTL fdAT IEND");
  EXPECT_EQ(with_document(png, PictureKind::png, difficult_document()), png);
}

TEST(AnimatedPng, PlaysAsFastAsItIsAsked) {
  for (const auto& [fps, delay] : {std::pair(0.1, 10000U), std::pair(1.0, 1000U), std::pair(50.0, 20U)}) {
    const std::vector<Chunk> chunks = chunks_of(animation(2, {.frames_per_second = fps, .times = 0}));
    EXPECT_EQ(number_at(first_of(chunks, "fcTL").data, 20), delay << 16 | 1000U);
  }
}

TEST(AnimatedPng, RefusesFramesOfAnotherSizeAndBrokenOnes) {
  AnimatedPng png(3, {});
  png.add_frame(encode_png(picture(0)));
  EXPECT_TRUE(says(error_of([&] { png.add_frame(encode_png(picture(1, 6))); }).what(), {"one size"}));
  EXPECT_TRUE(says(error_of([&] { png.add_frame(encode_png(picture(1)).substr(0, 50)); }).what(), {"cut off"}));
}

}  // namespace
}  // namespace attnscope::test

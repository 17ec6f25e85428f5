#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "interchange/image.h"

// The colours of a GIF's frame. Private to this folder.
namespace attnscope {

constexpr std::size_t gif_colours = 256;

struct PixelBox {  // of an image, in pixels
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const PixelBox&) const = default;
};

// A part of a picture by the numbers of its colours.
struct IndexedPicture {
  PixelBox box;
  std::vector<std::array<std::uint8_t, 3>> colours;  // at most gif_colours
  std::vector<std::uint8_t> pixels;                  // box.width * box.height
};

// Pictures of up to 256 colours keep them. Of more, those that fill most of it are kept as they are, which pages, inks
// and cells are; the rest, mostly edges of letters, share colours that giflib's median cut finds for them. Throws
// Error.
IndexedPicture index_colours(const Image& image, const PixelBox& box);

}  // namespace attnscope

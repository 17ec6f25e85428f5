#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// 8-bit RGBA, rows from top to bottom.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  // width * height * 4
};

std::string encode_png(const Image& image);
// Asks for one row of RGBA after the other, from the top; what `row_of` throws ends it.
std::string encode_png(int width, int height, const std::function<const std::uint8_t*(int row)>& row_of);
Image decode_png(std::string_view bytes);  // of a picture that the program carries; Error where it is none

}  // namespace attnscope

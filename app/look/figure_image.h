#pragma once

#include <cstdint>
#include <vector>

namespace attnscope {

// A drawn figure as straight RGBA, rows from top to bottom.
struct FigureImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  // width * height * 4
};

}  // namespace attnscope

#include "paint_window/sampling.h"

#include <algorithm>

namespace attnscope {

Index texel_count(Index cells, double shown, double pixels) {
  const double cells_per_pixel = shown / std::max(pixels, 1.0);
  if (cells_per_pixel <= 1) return cells;
  if (shown >= static_cast<double>(cells)) return std::clamp<Index>(static_cast<Index>(pixels), 1, cells);
  Index step = 2;  // then 3, 4, 6, 8, 12, ...
  while (static_cast<double>(step) < cells_per_pixel) step += (step & (step - 1)) == 0 ? step / 2 : step / 3;
  return (cells + step - 1) / step;
}

}  // namespace attnscope

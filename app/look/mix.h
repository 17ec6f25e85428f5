#pragma once

#include <cmath>

#include "look/colormap.h"

namespace attnscope {

// `share` of the way from the one to the other.
inline Rgb mix(Rgb from, Rgb to, double share) {
  const auto channel = [&](int a, int b) { return static_cast<std::uint8_t>(std::lround(a + (b - a) * share)); };
  return {channel(from.r, to.r), channel(from.g, to.g), channel(from.b, to.b)};
}

}  // namespace attnscope

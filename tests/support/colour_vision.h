#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "view/colours.h"

namespace attnscope::test {

// How colours look to people, for tests of what the program draws.

using Linear = std::array<double, 3>;

inline Linear linear(Rgb colour) {
  const auto channel = [](int of) {
    const double c = of / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return {channel(colour.r), channel(colour.g), channel(colour.b)};
}

// WCAG 2: from 1 to 21.
inline double contrast(Rgb one, Rgb other) {
  const auto luminance = [](const Linear& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
  const auto [darker, lighter] = std::minmax({luminance(linear(one)), luminance(linear(other))});
  return (lighter + 0.05) / (darker + 0.05);
}

struct Vision {
  std::string_view name;
  std::array<Linear, 3> matrix;  // of linear RGB
};

// Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
// severity 1.
inline constexpr std::array<Vision, 4> visions = {
    {{"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
     {"protanopia",
      {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
     {"deuteranopia",
      {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
     {"tritanopia",
      {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}}};

inline Linear product(const std::array<Linear, 3>& matrix, const Linear& by) {
  Linear result = {};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t col = 0; col < 3; ++col) result[row] += matrix[row][col] * by[col];
  }
  return result;
}

// Lightness, green to red, blue to yellow: OKLab (Ottosson 2020) of a colour as somebody sees it. Distances are even:
// about 0.02 is just noticeable side by side, white and black are 1 apart.
inline Linear seen_by(const Vision& vision, Rgb colour) {
  constexpr std::array<Linear, 3> cones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                                            {0.2119034982, 0.6806995451, 0.1073969566},
                                            {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr std::array<Linear, 3> opponents = {{{0.2104542553, 0.7936177850, -0.0040720468},
                                                {1.9779984951, -2.4285922050, 0.4505937099},
                                                {0.0259040371, 0.7827717662, -0.8086757660}}};
  Linear light = product(vision.matrix, linear(colour));
  for (double& channel : light) channel = std::clamp(channel, 0.0, 1.0);
  Linear response = product(cones, light);
  for (double& cone : response) cone = std::cbrt(cone);
  return product(opponents, response);
}

inline double distance(const Vision& vision, Rgb one, Rgb other) {
  const Linear a = seen_by(vision, one);
  const Linear b = seen_by(vision, other);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace attnscope::test

#pragma once

#include <array>
#include <cstdint>

namespace attnscope {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  bool operator==(const Rgb&) const = default;
};
constexpr Rgb hex(unsigned colour) {
  return {static_cast<std::uint8_t>(colour >> 16 & 255), static_cast<std::uint8_t>(colour >> 8 & 255),
          static_cast<std::uint8_t>(colour & 255)};
}

// Colour-blind-safe maps only.
enum class Colormap {
  viridis,         // sequential: weights, factors
  diverging,       // blue, near-white, red: signed values centred on 0, on a light background
  diverging_dark,  // blue, near-black, orange: the same on a dark background
  kept,            // white to pale green: dropout's factors, which say kept or dropped and little more
  kept_dark,       // near-black to dark green
};
constexpr int colormap_count = 5;
constexpr int colormap_entries = 256;

const std::array<Rgb, colormap_entries>& entries(Colormap map);

// Entry of the map that `value` has in [low, high], clamped: floor((value - low) * (256 / (high - low))), in float32,
// as the shader computes it. A range of no width gives the middle entry. NaN has no colour; callers mark it.
int entry_index(float value, float low, float high);

// The constants of that rule for the shader, floor((value * shrink - low) * factor): both get the same bits without a
// division on the graphics processor. Factor 0 stands for the middle entry; shrink is 1, or a half where the
// range's width would overflow.
struct IndexScale {
  float low = 0;
  float factor = 0;
  float shrink = 1;
};
IndexScale index_scale(float low, float high);

Rgb colour_of(Colormap map, float value, float low, float high);

// `share` of the way from the one to the other.
Rgb mix(Rgb from, Rgb to, double share);

// Black or white ink, whichever reads better on `background` (WCAG relative luminance). Nothing between them reaches a
// contrast of 4.5 on every ground.
bool prefers_dark_ink(Rgb background);
Rgb ink_on(Rgb background);

}  // namespace attnscope

#include "look/colormap.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <string_view>

#include "assets/assets.h"

namespace attnscope {
namespace {

using Entries = std::array<Rgb, colormap_entries>;

// Rows "r,g,b", one per entry. The files are our own, embedded at build time, so anything else is a programmer's error.
Entries parse(std::string_view csv) {
  Entries result;
  const char* at = csv.data();
  const char* const end = at + csv.size();
  const auto next_number = [&] {
    std::uint8_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    assert(error == std::errc() && "a colormap holds numbers from 0 to 255");
    at = after == end ? after : after + 1;
    return number;
  };
  for (Rgb& entry : result) {
    entry.r = next_number();
    entry.g = next_number();
    entry.b = next_number();
  }
  assert(at == end && "a colormap has 256 rows of three numbers");
  return result;
}

Entries ramp(Rgb from, Rgb to) {
  Entries result;
  for (int i = 0; i < colormap_entries; ++i)
    result[static_cast<std::size_t>(i)] = mix(from, to, static_cast<double>(i) / (colormap_entries - 1));
  return result;
}

float linear(std::uint8_t channel) {
  const float c = static_cast<float>(channel) / 255.0F;
  return c <= 0.04045F ? c / 12.92F : std::pow((c + 0.055F) / 1.055F, 2.4F);
}

}  // namespace

const Entries& entries(Colormap map) {
  static const std::array<Entries, colormap_count> maps = {
      parse(asset("colormaps/viridis.csv")), parse(asset("colormaps/diverging.csv")),
      parse(asset("colormaps/diverging_dark.csv")), ramp({255, 255, 255}, {203, 232, 196}),
      ramp({23, 23, 23}, {38, 78, 48})};
  return maps[static_cast<std::size_t>(map)];
}

int entry_index(float value, float low, float high) {
  const IndexScale scale = index_scale(low, high);
  const float position = (value * scale.shrink - scale.low) * scale.factor;
  if (scale.factor == 0) return colormap_entries / 2;
  if (!(position > 0)) return 0;
  return position < colormap_entries - 1 ? static_cast<int>(position) : colormap_entries - 1;
}

IndexScale index_scale(float low, float high) {
  if (!(high > low)) return {.low = 0, .factor = 0, .shrink = 1};
  const float shrink = std::isfinite(high - low) ? 1.0F : 0.5F;
  return {.low = low * shrink, .factor = colormap_entries / (high * shrink - low * shrink), .shrink = shrink};
}

Rgb colour_of(Colormap map, float value, float low, float high) {
  return entries(map)[static_cast<std::size_t>(entry_index(value, low, high))];
}

bool prefers_dark_ink(Rgb background) {
  const float luminance =
      0.2126F * linear(background.r) + 0.7152F * linear(background.g) + 0.0722F * linear(background.b);
  // Contrast with black is (luminance + 0.05) / 0.05, with white 1.05 / (luminance + 0.05).
  return (luminance + 0.05F) * (luminance + 0.05F) > 0.05F * 1.05F;
}

Rgb ink_on(Rgb background) { return prefers_dark_ink(background) ? Rgb{0, 0, 0} : Rgb{255, 255, 255}; }

Rgb mix(Rgb from, Rgb to, double share) {
  const auto channel = [&](int a, int b) { return static_cast<std::uint8_t>(std::lround(a + (b - a) * share)); };
  return {channel(from.r, to.r), channel(from.g, to.g), channel(from.b, to.b)};
}

}  // namespace attnscope

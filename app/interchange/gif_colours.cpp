#include "interchange/gif_colours.h"

#include <gif_lib.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/error.h"

namespace attnscope {
namespace {

constexpr std::size_t kept_colours = 176;  // exactly as they are, where there are more than 256

using Colour = std::uint32_t;  // 0xRRGGBB

constexpr int channel(Colour colour, int index) { return static_cast<int>(colour >> (16 - 8 * index) & 0xFF); }

Colour colour_of(const std::uint8_t* rgba) { return Colour{rgba[0]} << 16 | Colour{rgba[1]} << 8 | Colour{rgba[2]}; }

template <typename Visit>
void for_each_colour(const Image& image, const PixelBox& box, const Visit& visit) {
  for (int row = box.top; row < box.top + box.height; ++row) {
    const std::size_t first =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(box.left);
    const std::uint8_t* pixel = image.pixels.data() + first * 4;
    for (int col = 0; col < box.width; ++col, pixel += 4) visit(colour_of(pixel));
  }
}

struct CountedColour {
  Colour colour = 0;
  std::size_t count = 0;
};

// The most frequent first.
std::vector<CountedColour> counted_colours(const Image& image, const PixelBox& box) {
  std::unordered_map<Colour, std::size_t> counts;
  Colour before = 0;
  std::size_t* count = nullptr;  // of `before`: neighbours are mostly alike
  for_each_colour(image, box, [&](Colour colour) {
    if (!count || colour != before) count = &counts[colour];
    before = colour;
    ++*count;
  });
  std::vector<CountedColour> colours;
  for (const auto& [colour, times] : counts) colours.push_back({colour, times});
  std::ranges::sort(colours, [](const CountedColour& left, const CountedColour& right) {
    return left.count != right.count ? left.count > right.count : left.colour < right.colour;
  });
  return colours;
}

// Adds colours that stand for the rare ones, each as often as it is there.
void add_shared(std::vector<Colour>& palette, const std::vector<CountedColour>& colours) {
  constexpr std::size_t most_of_one = 1000;  // pixels that count: one rare colour must not crowd out all others
  std::array<std::vector<GifByteType>, 3> channels;
  for (std::size_t i = kept_colours; i < colours.size(); ++i) {
    const std::size_t times = std::min(colours[i].count, most_of_one);
    for (int each = 0; each < 3; ++each) {
      const auto value = static_cast<GifByteType>(channel(colours[i].colour, each));
      std::vector<GifByteType>& values = channels[static_cast<std::size_t>(each)];
      values.insert(values.end(), times, value);
    }
  }
  const auto width = static_cast<unsigned int>(channels[0].size());
  std::vector<GifByteType> unused(width);
  std::array<GifColorType, gif_colours> found{};
  int count = static_cast<int>(gif_colours - kept_colours);
  if (GifQuantizeBuffer(width, 1, &count, channels[0].data(), channels[1].data(), channels[2].data(), unused.data(),
                        found.data()) != GIF_OK) {
    throw Error("The colours of the GIF cannot be chosen: there is not enough memory. Make the picture smaller.");
  }
  for (int i = 0; i < count; ++i) {
    const GifColorType& colour = found[static_cast<std::size_t>(i)];
    palette.push_back(Colour{colour.Red} << 16 | Colour{colour.Green} << 8 | Colour{colour.Blue});
  }
}

std::uint8_t nearest(const std::vector<Colour>& palette, Colour colour) {
  std::size_t found = 0;
  int least = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < palette.size(); ++i) {
    int distance = 0;
    for (int each = 0; each < 3; ++each) {
      const int difference = channel(palette[i], each) - channel(colour, each);
      distance += (each == 1 ? 4 : each == 0 ? 3 : 2) * difference * difference;  // eyes see green best
    }
    if (distance >= least) continue;
    least = distance;
    found = i;
  }
  return static_cast<std::uint8_t>(found);
}

}  // namespace

IndexedPicture index_colours(const Image& image, const PixelBox& box) {
  const std::vector<CountedColour> colours = counted_colours(image, box);
  const bool keeps_all = colours.size() <= gif_colours;
  std::vector<Colour> palette;
  for (const CountedColour& each : colours) {
    if (!keeps_all && palette.size() == kept_colours) break;
    palette.push_back(each.colour);
  }
  if (!keeps_all) add_shared(palette, colours);
  std::unordered_map<Colour, std::uint8_t> numbers;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const bool is_kept = keeps_all || i < kept_colours;
    numbers[colours[i].colour] = is_kept ? static_cast<std::uint8_t>(i) : nearest(palette, colours[i].colour);
  }
  IndexedPicture picture{box, {}, {}};
  picture.pixels.reserve(static_cast<std::size_t>(box.width) * static_cast<std::size_t>(box.height));
  for_each_colour(image, box, [&](Colour colour) { picture.pixels.push_back(numbers.find(colour)->second); });
  for (const Colour colour : palette) {
    picture.colours.push_back({static_cast<std::uint8_t>(channel(colour, 0)),
                               static_cast<std::uint8_t>(channel(colour, 1)),
                               static_cast<std::uint8_t>(channel(colour, 2))});
  }
  return picture;
}

}  // namespace attnscope

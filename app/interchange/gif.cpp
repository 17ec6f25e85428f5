#include "interchange/gif.h"

#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <new>
#include <utility>

#include "core/error.h"
#include "interchange/gif_colours.h"

namespace attnscope {
namespace {

constexpr double hundredths = 100;  // of a second: what a GIF counts in
constexpr std::uint32_t most_repetitions = 65535;

void require(int outcome, const GifFileType* gif) {
  if (outcome == GIF_OK) return;
  const char* const reason = gif ? GifErrorString(gif->Error) : nullptr;
  throw Error(fmt::format("The GIF cannot be encoded: {}.", reason ? reason : "there is not enough memory"));
}

// How many bytes it took: exceptions must not pass through a C library.
int append(GifFileType* gif, const GifByteType* data, int size) {
  try {
    std::string& bytes = *static_cast<std::string*>(gif->UserData);
    bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    return size;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

bool same_pixels(const Image& image, const Image& other, int row, int left, int right) {
  const std::size_t begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width);
  const auto first = static_cast<std::ptrdiff_t>((begin + static_cast<std::size_t>(left)) * 4);
  const auto last = static_cast<std::ptrdiff_t>((begin + static_cast<std::size_t>(right)) * 4);
  return std::equal(image.pixels.begin() + first, image.pixels.begin() + last, other.pixels.begin() + first);
}

bool same_column(const Image& image, const Image& other, int col, int top, int bottom) {
  for (int row = top; row < bottom; ++row) {
    if (!same_pixels(image, other, row, col, col + 1)) return false;
  }
  return true;
}

// The smallest box outside of which two pictures are the same; of a pixel where they are the same everywhere.
PixelBox difference(const Image& image, const Image& before) {
  int top = 0;
  int bottom = image.height;
  int left = 0;
  int right = image.width;
  while (top + 1 < bottom && same_pixels(image, before, top, 0, image.width)) ++top;
  while (bottom - 1 > top && same_pixels(image, before, bottom - 1, 0, image.width)) --bottom;
  while (left + 1 < right && same_column(image, before, left, top, bottom)) ++left;
  while (right - 1 > left && same_column(image, before, right - 1, top, bottom)) --right;
  return {left, top, right - left, bottom - top};
}

struct FreeColours {
  void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};

}  // namespace

struct AnimatedGif::Encoder {
  Playback playback;
  std::string bytes;
  GifFileType* gif = nullptr;
  Image before;
  std::size_t added = 0;

  ~Encoder() { close(); }

  int close() {
    int ignored = 0;
    return gif ? EGifCloseFile(std::exchange(gif, nullptr), &ignored) : GIF_OK;
  }

  void begin(const Image& image) {
    int problem = 0;
    gif = EGifOpen(&bytes, append, &problem);
    require(gif ? GIF_OK : GIF_ERROR, gif);
    EGifSetGifVersion(gif, true);
    require(EGifPutScreenDesc(gif, image.width, image.height, 8, 0, nullptr), gif);
    if (playback.times != 1) put_repetition();
  }

  // Without it a GIF plays once; its number is how often it begins again.
  void put_repetition() {
    const std::uint32_t again = playback.times == 0 ? 0 : std::min(playback.times - 1, most_repetitions);
    const GifByteType block[] = {1, static_cast<GifByteType>(again & 0xFF), static_cast<GifByteType>(again >> 8)};
    require(EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE), gif);
    require(EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0"), gif);
    require(EGifPutExtensionBlock(gif, sizeof(block), block), gif);
    require(EGifPutExtensionTrailer(gif), gif);
  }

  // Rounded so that all frames together take as long as they should.
  int delay() const {
    const double rate = playback.frames_per_second;
    const auto end_of = [&](std::size_t count) { return std::lround(hundredths * static_cast<double>(count) / rate); };
    return static_cast<int>(end_of(added + 1) - end_of(added));
  }

  void put(const IndexedPicture& picture) {
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = delay();
    control.TransparentColor = NO_TRANSPARENT_COLOR;
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    require(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof(extension), extension), gif);
    const std::unique_ptr<ColorMapObject, FreeColours> map(GifMakeMapObject(gif_colours, nullptr));
    require(map ? GIF_OK : GIF_ERROR, nullptr);
    for (std::size_t i = 0; i < picture.colours.size(); ++i) {
      const auto& [red, green, blue] = picture.colours[i];
      map->Colors[i] = {red, green, blue};
    }
    const PixelBox& box = picture.box;
    require(EGifPutImageDesc(gif, box.left, box.top, box.width, box.height, false, map.get()), gif);
    std::vector<GifPixelType> row(static_cast<std::size_t>(box.width));
    for (std::size_t begin = 0; begin < picture.pixels.size(); begin += row.size()) {
      std::copy_n(picture.pixels.begin() + static_cast<std::ptrdiff_t>(begin), row.size(), row.begin());
      require(EGifPutLine(gif, row.data(), box.width), gif);
    }
  }
};

AnimatedGif::AnimatedGif(const Playback& playback) : encoder_(std::make_unique<Encoder>()) {
  assert(playback.frames_per_second >= slowest_playback && playback.frames_per_second <= fastest_playback);
  encoder_->playback = playback;
}

AnimatedGif::~AnimatedGif() = default;

void AnimatedGif::add_frame(const Image& image) {
  Encoder& encoder = *encoder_;
  const bool is_first = encoder.added == 0;
  assert(is_first || (image.width == encoder.before.width && image.height == encoder.before.height));
  if (is_first) encoder.begin(image);
  const PixelBox all = {0, 0, image.width, image.height};
  encoder.put(index_colours(image, is_first ? all : difference(image, encoder.before)));
  encoder.before = image;
  ++encoder.added;
}

std::size_t AnimatedGif::size() const { return encoder_->bytes.size(); }

std::string AnimatedGif::finish() {
  assert(encoder_->added > 0);
  require(encoder_->close(), nullptr);
  return std::exchange(encoder_->bytes, {});
}

}  // namespace attnscope

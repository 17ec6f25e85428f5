#include "interchange/image.h"

#include <fmt/format.h>
#include <png.h>

#include <cassert>

#include "core/error.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr png_uint_32 max_side = 32768;
constexpr std::size_t max_pixels = std::size_t{1} << 28;
constexpr std::size_t max_png_bytes = std::size_t{1} << 30;

// libpng's description of a picture, freed whatever happens.
struct PngImage : png_image {
  PngImage() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
};

}  // namespace

std::string encode_png(const Image& image) {
  assert(image.pixels.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  PngImage png;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr) == 0) {
    throw Error(fmt::format("The picture cannot be encoded as PNG: {}.", png.message));
  }
  bytes.resize(size);
  return bytes;
}

Image decode_png(const std::string& bytes) {
  PngImage png;
  const auto fail = [&] { throw Error(fmt::format("This is not a PNG picture that can be read: {}.", png.message)); };
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) fail();
  if (png.width > max_side || png.height > max_side || std::size_t{png.width} * png.height > max_pixels) {
    throw Error(fmt::format("The picture has {} by {} pixels, but at most {} on a side and {} in all are read.",
                            png.width, png.height, max_side, max_pixels));
  }
  png.format = PNG_FORMAT_RGBA;
  Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0) fail();
  return image;
}

void write_png(const Image& image, const std::filesystem::path& path) { write_file(path, encode_png(image)); }

Image read_png(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, max_png_bytes);
  try {
    return decode_png(bytes);
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

}  // namespace attnscope

#include "interchange/image.h"

#include <fmt/format.h>
#include <png.h>

#include <cassert>

#include "core/error.h"

namespace attnscope {
namespace {

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

Image decode_png(std::string_view bytes) {
  PngImage png;
  png_image_begin_read_from_memory(&png, bytes.data(), bytes.size());
  png.format = PNG_FORMAT_RGBA;
  Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr);
  if (PNG_IMAGE_FAILED(png)) throw Error(fmt::format("The picture cannot be read as PNG: {}.", png.message));
  return image;
}

}  // namespace attnscope

#include "tests/support/png.h"

#include <png.h>

#include <stdexcept>

#include "platform/system/file.h"

namespace attnscope::test {

Image decode_png(const std::string& bytes) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png_image_begin_read_from_memory(&png, bytes.data(), bytes.size());
  png.format = PNG_FORMAT_RGBA;
  Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr);
  if (PNG_IMAGE_FAILED(png)) throw std::runtime_error(png.message);
  return image;
}

Image read_png(const std::filesystem::path& path) { return decode_png(read_file(path, std::size_t{1} << 30)); }

}  // namespace attnscope::test

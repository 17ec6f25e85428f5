#include "files/image.h"

#include <fmt/format.h>
#include <png.h>

#include <cassert>
#include <csetjmp>
#include <new>

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

// Exceptions must not pass through a C library.
void append_rows(png_structp png, png_bytep data, std::size_t size) {
  bool is_appended = false;
  try {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
    is_appended = true;
  } catch (const std::bad_alloc&) {
  }
  if (!is_appended) png_error(png, "memory");
}

class PngWriter {
public:
  explicit PngWriter(std::string& bytes)
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, [](png_structp, png_const_charp) {})),
        info_(png_ ? png_create_info_struct(png_) : nullptr) {
    if (!info_) {
      png_destroy_write_struct(&png_, nullptr);
      fail();
    }
    png_set_write_fn(png_, &bytes, append_rows, nullptr);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  // Libpng jumps back here when something fails; `step` must leave nothing to be destroyed.
  template <typename Step>
  void require(const Step& step) {
    if (setjmp(png_jmpbuf(png_)) != 0) fail();
    step(png_, info_);
  }

private:
  [[noreturn]] static void fail() { throw Error("The picture cannot be encoded as PNG. Make it smaller."); }

  png_structp png_;
  png_infop info_;
};

}  // namespace

std::string encode_png(int width, int height, const std::function<const std::uint8_t*(int row)>& row_of) {
  constexpr int bits = 8;
  std::string bytes;
  PngWriter writer(bytes);
  writer.require([=](png_structp png, png_infop info) {
    png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), bits,
                 PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
  });
  for (int row = 0; row < height; ++row) {
    const std::uint8_t* const rgba = row_of(row);
    writer.require([=](png_structp png, png_infop) { png_write_row(png, rgba); });
  }
  writer.require([](png_structp png, png_infop) { png_write_end(png, nullptr); });
  return bytes;
}

std::string encode_png(const Image& image) {
  assert(image.pixels.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  return encode_png(image.width, image.height,
                    [&](int row) { return image.pixels.data() + static_cast<std::ptrdiff_t>(row) * image.width * 4; });
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

#include "paint_file/png_rows.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <new>
#include <vector>

#include "core/error.h"

namespace attnscope {
namespace {

// Exceptions must not pass through a C library.
void append(png_structp png, png_bytep data, std::size_t size) {
  bool is_appended = false;
  try {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
    is_appended = true;
  } catch (const std::bad_alloc&) {
  }
  if (!is_appended) png_error(png, "memory");
}

void be_silent(png_structp, png_const_charp) {}

class PngWriter {
public:
  PngWriter() : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, be_silent)) {
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (info_) return;
    png_destroy_write_struct(&png_, nullptr);
    fail();
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  void begin(std::string& bytes, int width, int height) {
    constexpr int bits = 8;
    png_set_write_fn(png_, &bytes, append, nullptr);
    require([&] {
      png_set_IHDR(png_, info_, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), bits,
                   PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
      png_write_info(png_, info_);
    });
  }
  void add_row(const std::uint8_t* rgba) {
    require([&] { png_write_row(png_, rgba); });
  }
  void end() {
    require([&] { png_write_end(png_, nullptr); });
  }

private:
  [[noreturn]] static void fail() { throw Error("The figure cannot be encoded as PNG. Make it smaller."); }

  // Libpng jumps back here when something fails; `step` must leave nothing to be destroyed.
  template <typename Step>
  void require(const Step& step) {
    if (setjmp(png_jmpbuf(png_)) != 0) fail();
    step();
  }

  png_structp png_;
  png_infop info_ = nullptr;
};

}  // namespace

void straight_row(std::uint8_t* rgba, const unsigned char* row, int width) {
  const auto* const pixels = reinterpret_cast<const std::uint32_t*>(row);
  for (int col = 0; col < width; ++col) {
    const std::uint32_t alpha = pixels[col] >> 24;
    for (const int shift : {16, 8, 0}) {
      const std::uint32_t channel = pixels[col] >> shift & 255U;
      *rgba++ = static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255U, (channel * 255 + alpha / 2) / alpha));
    }
    *rgba++ = static_cast<std::uint8_t>(alpha);
  }
}

std::string encode_surface(cairo_surface_t* surface, const std::stop_token& stop, const RowWatch& watch) {
  const int width = cairo_image_surface_get_width(surface);
  const int height = cairo_image_surface_get_height(surface);
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface);
  const unsigned char* const first = cairo_image_surface_get_data(surface);
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(width) * 4);
  std::string bytes;
  PngWriter writer;
  writer.begin(bytes, width, height);
  for (int row = 0; row < height; ++row) {
    if (stop.stop_requested()) throw Cancelled{};
    if (watch) watch(static_cast<float>(row) / static_cast<float>(height));
    straight_row(rgba.data(), first + row * stride, width);
    writer.add_row(rgba.data());
  }
  writer.end();
  if (watch) watch(1);
  return bytes;
}

}  // namespace attnscope

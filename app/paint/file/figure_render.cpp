#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.h"
#include "files/image.h"
#include "paint/file/figure_page.h"

namespace attnscope {
namespace {

constexpr double most_pixels = 150e6;   // a PNG of so many takes 600 MB while it is drawn
constexpr double longest_side = 32767;  // Cairo's own limit

using SurfacePtr = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using ContextPtr = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

SurfacePtr draw_image(const Figure& figure, double scale, const DrawWatch& watch) {
  const double width = std::round(figure.width * scale);
  const double height = std::round(figure.height * scale);
  if (width > longest_side || height > longest_side || width * height > most_pixels) {
    throw Error(
        fmt::format("The figure would be {:.0f} by {:.0f} pixels, but a PNG may have {:.0f} on a side and {:.0f} "
                    "million in all: choose a smaller width or scale.",
                    width, height, longest_side, most_pixels / 1e6));
  }
  SurfacePtr surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height)),
                     cairo_surface_destroy);
  require_drawn(cairo_surface_status(surface.get()));
  const ContextPtr cairo(cairo_create(surface.get()), cairo_destroy);
  cairo_scale(cairo.get(), scale, scale);
  draw_figure(cairo.get(), figure, {.watch = watch, .pixels = scale});
  require_drawn(cairo_status(cairo.get()));
  cairo_surface_flush(surface.get());
  return surface;
}

// Writes one row of a surface as straight RGBA, 4 bytes for each pixel.
void straight_row(std::uint8_t* rgba, cairo_surface_t* surface, int row) {
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface);
  const auto* const pixels =
      reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface) + row * stride);
  for (int col = 0; col < cairo_image_surface_get_width(surface); ++col) {
    const std::uint32_t alpha = pixels[col] >> 24;
    for (const int shift : {16, 8, 0}) {
      const std::uint32_t channel = pixels[col] >> shift & 255U;
      *rgba++ = static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255U, (channel * 255 + alpha / 2) / alpha));
    }
    *rgba++ = static_cast<std::uint8_t>(alpha);
  }
}

}  // namespace

FigureImage render_image(const Figure& figure, double scale, const std::stop_token& stop) {
  const SurfacePtr surface = draw_image(figure, scale, {stop});
  FigureImage image{cairo_image_surface_get_width(surface.get()), cairo_image_surface_get_height(surface.get()), {}};
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * 4;
  image.pixels.resize(row_bytes * static_cast<std::size_t>(image.height));
  for (int row = 0; row < image.height; ++row)
    straight_row(image.pixels.data() + static_cast<std::size_t>(row) * row_bytes, surface.get(), row);
  return image;
}

std::string render_png(const Figure& figure, const DrawWatch& watch) {
  const SurfacePtr surface = draw_image(figure, figure.options.scale, watch);
  const int width = cairo_image_surface_get_width(surface.get());
  const int height = cairo_image_surface_get_height(surface.get());
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(width) * 4);
  std::string bytes = encode_png(width, height, [&](int row) {
    if (watch.stop.stop_requested()) throw Cancelled{};
    if (watch.encoded) watch.encoded(static_cast<float>(row) / static_cast<float>(height));
    straight_row(rgba.data(), surface.get(), row);
    return rgba.data();
  });
  if (watch.encoded) watch.encoded(1);
  return bytes;
}

}  // namespace attnscope

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "core/error.h"
#include "files/png.h"
#include "paint/file/figure_page.h"

namespace attnscope {
namespace {

constexpr double most_pixels = 150e6;   // a PNG of so many takes 600 MB while it is drawn
constexpr double longest_side = 32767;  // Cairo's own limit
constexpr double points_per_pixel = 0.75;

using SurfacePtr = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using ContextPtr = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

// Receives what Cairo writes, until a stop is requested.
struct Bytes {
  std::string bytes;
  std::stop_token stop;
};

// Exceptions must not pass through a C library.
cairo_status_t append(void* to, const unsigned char* data, unsigned int size) noexcept {
  Bytes& all = *static_cast<Bytes*>(to);
  if (all.stop.stop_requested()) return CAIRO_STATUS_WRITE_ERROR;
  try {
    all.bytes.append(reinterpret_cast<const char*>(data), size);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

void require(cairo_status_t status, const std::stop_token& stop = {}) {
  if (stop.stop_requested()) throw Cancelled{};
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(fmt::format("The figure cannot be drawn: {}. Make it smaller.", cairo_status_to_string(status)));
}

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
  require(cairo_surface_status(surface.get()));
  const ContextPtr cairo(cairo_create(surface.get()), cairo_destroy);
  cairo_scale(cairo.get(), scale, scale);
  draw_figure(cairo.get(), figure, {.watch = watch, .pixels = scale});
  require(cairo_status(cairo.get()));
  cairo_surface_flush(surface.get());
  return surface;
}

// Draws pages on a surface that writes vectors, and ends it.
void draw_vectors(cairo_surface_t* surface, std::span<const Figure> pages, double scale, const DrawTarget& target) {
  require(cairo_surface_status(surface));
  {
    const ContextPtr cairo(cairo_create(surface), cairo_destroy);
    cairo_scale(cairo.get(), scale, scale);
    for (const Figure& page : pages) {
      draw_figure(cairo.get(), page, target);
      cairo_show_page(cairo.get());
      require(cairo_status(cairo.get()), target.watch.stop);
    }
  }
  cairo_surface_finish(surface);
  require(cairo_surface_status(surface), target.watch.stop);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string escaped(std::string text) {
  replace_all(text, "&", "&amp;");
  replace_all(text, "<", "&lt;");
  replace_all(text, ">", "&gt;");
  return text;
}

// Writes a word with the length that our font gives it, so that no other font makes a label longer than its place.
std::string text_element(const picture::Word& word, const TextShaper& shaper) {
  const char* const anchor = word.is_turned || word.anchor == 0 ? ""
                             : word.anchor == 1                 ? " text-anchor=\"end\""
                                                                : " text-anchor=\"middle\"";
  const std::string place = fmt::format(
      fmt::runtime(word.is_turned ? "transform=\"translate({:.3f} {:.3f}) rotate(-90)\"" : "x=\"{:.3f}\" y=\"{:.3f}\""),
      word.x, word.y);
  const Rgb ink = word.ink.colour;
  return fmt::format(
      "<text {} font-size=\"{:.3f}\"{}{} fill=\"#{:02x}{:02x}{:02x}\"{} textLength=\"{:.3f}\" "
      "lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
      place, word.size, anchor, word.face == picture::Face::bold ? " font-weight=\"600\"" : "", ink.r, ink.g, ink.b,
      word.ink.alpha < 1 ? fmt::format(" fill-opacity=\"{:.2f}\"", word.ink.alpha) : "",
      shaper.width(word.text, style_of(word)), escaped(word.text));
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

std::string render_svg(const Figure& figure, const DrawWatch& watch) {
  Bytes bytes{{}, watch.stop};
  const SurfacePtr surface(cairo_svg_surface_create_for_stream(append, &bytes, figure.width, figure.height),
                           cairo_surface_destroy);
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  draw_vectors(surface.get(), {&figure, 1}, 1, {.watch = watch, .has_letters = false});
  std::string svg = std::move(bytes.bytes);
  // Cairo would write the outlines of letters: texts are added as such. Viewers are told not to smooth cells.
  replace_all(svg, "<image ", "<image style=\"image-rendering:pixelated\" ");
  // Cairo counts the surfaces of the process: the same figure is to give the same bytes.
  const std::size_t number = svg.find("surface", svg.find("<g id="));
  if (number != std::string::npos) svg.replace(number, svg.find('"', number) - number, "figure");
  std::string texts =
      "<g font-family=\"Inter, 'Noto Sans', 'DejaVu Sans', sans-serif\" "
      "xml:space=\"preserve\">\n";
  const TextShaper shaper;
  for (const picture::Word* const word : figure.picture.all<picture::Word>()) {
    if (!word->text.empty() && shaper.has_every_letter(word->text)) texts += text_element(*word, shaper);
  }
  svg.insert(svg.rfind("</svg>"), texts + "</g>\n");
  svg.insert(svg.find('>', svg.find("<svg")) + 1, "\n<title>" + escaped(figure.name) + "</title>");
  return svg;
}

std::string render_pdf(std::span<const Figure> pages, const std::string& title, const DrawWatch& watch) {
  Bytes bytes{{}, watch.stop};
  const SurfacePtr surface(cairo_pdf_surface_create_for_stream(append, &bytes, pages.front().width * points_per_pixel,
                                                               pages.front().height * points_per_pixel),
                           cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "attnscope");
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");  // gives the same bytes every time
  draw_vectors(surface.get(), pages, points_per_pixel, {.watch = watch});
  return std::move(bytes.bytes);
}

std::string render_pdf(const Figure& figure, const DrawWatch& watch) {
  return render_pdf({&figure, 1}, figure.name, watch);
}

}  // namespace attnscope

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "core/error.h"
#include "paint/file/figure_page.h"

namespace attnscope {
namespace {

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

// Draws pages on a surface that writes vectors, and ends it.
void draw_vectors(cairo_surface_t* surface, std::span<const Figure> pages, double scale, const DrawTarget& target) {
  require_drawn(cairo_surface_status(surface));
  {
    const ContextPtr cairo(cairo_create(surface), cairo_destroy);
    cairo_scale(cairo.get(), scale, scale);
    for (const Figure& page : pages) {
      draw_figure(cairo.get(), page, target);
      cairo_show_page(cairo.get());
      require_drawn(cairo_status(cairo.get()), target.watch.stop);
    }
  }
  cairo_surface_finish(surface);
  require_drawn(cairo_surface_status(surface), target.watch.stop);
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
      "<text {} font-size=\"{:.3f}\"{}{}{} fill=\"#{:02x}{:02x}{:02x}\"{} textLength=\"{:.3f}\" "
      "lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
      place, word.size, anchor, word.face == picture::Face::bold ? " font-weight=\"600\"" : "",
      word.is_slanted ? " font-style=\"italic\"" : "", ink.r, ink.g, ink.b,
      word.ink.alpha < 1 ? fmt::format(" fill-opacity=\"{:.2f}\"", word.ink.alpha) : "",
      shaper.width(word.text, style_of(word)), escaped(word.text));
}

}  // namespace

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

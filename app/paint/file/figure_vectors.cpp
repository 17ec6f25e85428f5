#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "core/error.h"
#include "paint/file/figure_page.h"

// Vectors by Cairo and texts by Pango: a page draws both by functions of its own.
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

namespace {

constexpr double unbounded = -1;

struct Release {
  void operator()(void* object) const { g_object_unref(object); }
};
using LayoutPtr = std::unique_ptr<PangoLayout, Release>;

double from_pango(int units) { return static_cast<double>(units) / PANGO_SCALE; }

void set_style(PangoLayout* layout, const TextStyle& style) {
  const std::unique_ptr<PangoFontDescription, decltype(&pango_font_description_free)> font(pango_font_description_new(),
                                                                                           pango_font_description_free);
  pango_font_description_set_family(font.get(), std::string(font_families()).c_str());
  pango_font_description_set_weight(font.get(), style.is_bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
  pango_font_description_set_absolute_size(font.get(), style.size * PANGO_SCALE);
  pango_layout_set_font_description(layout, font.get());
}

LayoutPtr make_layout(PangoContext* context, std::string_view text, const TextStyle& style, double width) {
  LayoutPtr layout(pango_layout_new(context));
  set_style(layout.get(), style);
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_auto_dir(layout.get(), TRUE);
  pango_layout_set_wrap(layout.get(), PANGO_WRAP_WORD_CHAR);
  if (width >= 0) pango_layout_set_width(layout.get(), static_cast<int>(width * PANGO_SCALE));
  pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  return layout;
}

}  // namespace

TextShaper::TextShaper() {
  context_.reset(pango_font_map_create_context(pango_cairo_font_map_get_default()), Release());
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(context_.get(), options);
  cairo_font_options_destroy(options);
  pango_context_set_round_glyph_positions(context_.get(), FALSE);
  pango_context_set_base_dir(context_.get(), PANGO_DIRECTION_LTR);
}

TextSize TextShaper::measure(std::string_view text, const TextStyle& style) const {
  const auto [at, is_new] = measured_.try_emplace({std::string(text), style.size, style.is_bold});
  if (!is_new) return at->second;
  const LayoutPtr layout = make_layout(context_.get(), text, style, unbounded);
  PangoRectangle ink;
  PangoRectangle logical;
  pango_layout_line_get_extents(pango_layout_get_line_readonly(layout.get(), 0), &ink, &logical);
  at->second = {from_pango(std::max(logical.width, ink.x + ink.width)), from_pango(-ink.y),
                from_pango(ink.y + ink.height)};
  return at->second;
}

std::string TextShaper::shorten(std::string_view text, const TextStyle& style, double width) const {
  if (this->width(text, style) <= width) return std::string(text);
  constexpr std::string_view ellipsis = "…";
  const LayoutPtr layout = make_layout(context_.get(), text, style, unbounded);
  int count = 0;
  const PangoLogAttr* const attributes = pango_layout_get_log_attrs_readonly(layout.get(), &count);
  std::vector<std::size_t> ends;  // ends of beginnings that may be kept: none splits a letter and its accents
  const char* at = text.data();
  for (int i = 0; i + 1 < count; ++i, at = g_utf8_next_char(at)) {
    if (attributes[i].is_cursor_position) ends.push_back(static_cast<std::size_t>(at - text.data()));
  }
  const auto shortened = [&](std::size_t end) { return std::string(text.substr(0, end)) + std::string(ellipsis); };
  const auto too_long =
      std::ranges::partition_point(ends, [&](std::size_t end) { return this->width(shortened(end), style) <= width; });
  return too_long == ends.begin() ? std::string(ellipsis) : shortened(*(too_long - 1));
}

std::vector<std::string> TextShaper::wrap(std::string_view text, const TextStyle& style, double width) const {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view paragraph = text.substr(0, end);
    const LayoutPtr layout = make_layout(context_.get(), paragraph, style, width);
    for (GSList* line = pango_layout_get_lines_readonly(layout.get()); line; line = line->next) {
      const auto* const part = static_cast<const PangoLayoutLine*>(line->data);
      const std::string_view words =
          paragraph.substr(static_cast<std::size_t>(part->start_index), static_cast<std::size_t>(part->length));
      lines.emplace_back(words.substr(0, words.find_last_not_of(' ') + 1));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool TextShaper::has_every_letter(std::string_view text) const {
  return pango_layout_get_unknown_glyphs_count(make_layout(context_.get(), text, {}, unbounded).get()) == 0;
}

void TextShaper::draw(cairo_t* cairo, std::string_view text, const TextStyle& style, double x, double y) const {
  const LayoutPtr layout = make_layout(context_.get(), text, style, unbounded);
  cairo_move_to(cairo, x, y);
  pango_cairo_show_layout_line(cairo, pango_layout_get_line_readonly(layout.get(), 0));
}

}  // namespace attnscope

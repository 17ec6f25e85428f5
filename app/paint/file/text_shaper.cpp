#include "paint/file/figure.h"

#include <pango/pangocairo.h>

#include <algorithm>

namespace attnscope {
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

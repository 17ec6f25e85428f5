#include "paint_file/figure.h"

#include <algorithm>

#include "core/error.h"
#include "paint_file/board_figure.h"
#include "paint_file/figure_cells.h"
#include "paint_file/figure_marks.h"

namespace attnscope {
namespace {

void draw_chip(cairo_t* cairo, const PlacedChip& chip) {
  set_colour(cairo, chip.colour);
  cairo_rectangle(cairo, chip.box.x, chip.box.y, chip.box.width, chip.box.height);
  cairo_fill(cairo);
}

// The hatch pauses behind a number.
void draw_grounds(cairo_t* cairo, const std::vector<PlacedText>& texts, bool is_dark) {
  set_colour(cairo, grey(greys_of(is_dark).hidden));
  for (const PlacedText& text : texts) {
    if (!text.is_on_hatch) continue;
    const double around = 0.15 * text.style.size;
    cairo_rectangle(cairo, text.box.x - around, text.box.y + around, text.box.width + 2 * around,
                    text.box.height - 2 * around);
    cairo_fill(cairo);
  }
}

void draw_text(cairo_t* cairo, const PlacedText& text, const TextShaper& shaper) {
  set_colour(cairo, text.colour);
  if (!text.is_vertical) {
    shaper.draw(cairo, text.text, text.style, text.box.x, text.box.y + baseline * text.style.size);
    return;
  }
  cairo_save(cairo);
  cairo_translate(cairo, text.box.x + baseline * text.style.size, text.box.bottom());
  cairo_rotate(cairo, -1.5707963267948966);
  shaper.draw(cairo, text.text, text.style, 0, 0);
  cairo_restore(cairo);
}

void check_stop(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled{};
}

}  // namespace

Figure make_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                   const FigureOptions& options, const Execution& execution) {
  if (!options.study.id.empty()) return make_board_figure(result, visible_texts(labels), options, execution);
  const auto content =
      std::make_shared<const FigureContent>(describe_figure(result, visible_texts(labels), options, execution));
  return {content, lay_out(*content, TextShaper())};
}

std::vector<PlacedText> texts_of(const Figure& figure) {
  const TextShaper shaper;
  std::vector<PlacedText> texts = figure.layout.texts;
  for (const PlacedPanel& panel : figure.layout.panels) add_numbers(texts, panel, figure.content->options, shaper);
  return texts;
}

Rgb page_colour(FigureTheme theme) { return figure_inks(theme).page; }

void draw_figure(cairo_t* cairo, const Figure& figure, const DrawTarget& target) {
  const FigureOptions& options = figure.content->options;
  const FigureLayout& layout = figure.layout;
  const FigureInks inks = figure_inks(options.theme);
  const bool is_dark = options.theme == FigureTheme::dark;
  if (options.theme != FigureTheme::transparent) {
    set_colour(cairo, inks.page);
    cairo_rectangle(cairo, 0, 0, layout.width, layout.height);
    cairo_fill(cairo);
  }
  draw_picture(cairo, figure, target, image_dots(layout));
  if (target.watch) target.watch(layout.panels.size(), layout.panels.size());
  for (const PlacedChip& chip : layout.chips) draw_chip(cairo, chip);
  const std::vector<PlacedText> texts = texts_of(figure);
  draw_grounds(cairo, texts, is_dark);
  const TextShaper shaper;
  for (const PlacedText& text : texts) {
    check_stop(target.stop);
    if (target.has_letters || text.is_outline) draw_text(cairo, text, shaper);
  }
}

}  // namespace attnscope

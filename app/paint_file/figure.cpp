#include "paint_file/figure.h"

#include <algorithm>

#include "core/error.h"
#include "paint_file/board_figure.h"
#include "paint_file/figure_cells.h"
#include "paint_file/figure_marks.h"

namespace attnscope {
namespace {

void draw_bar(cairo_t* cairo, const PlacedBar& bar, Rgb frame) {
  const bool is_point = !(bar.range.high > bar.range.low);
  const double length = bar.is_vertical ? bar.box.height : bar.box.width;
  const double step = length / colormap_entries;
  for (int entry = 0; entry < colormap_entries; ++entry) {  // the map's own steps
    set_colour(cairo, entries(bar.range.map)[static_cast<std::size_t>(is_point ? colormap_entries / 2 : entry)]);
    const double begin = step * entry;
    const double end = std::min(length, begin + 1.8 * step);  // no seams
    if (bar.is_vertical) {
      cairo_rectangle(cairo, bar.box.x, bar.box.bottom() - end, bar.box.width, end - begin);
    } else {
      cairo_rectangle(cairo, bar.box.x + begin, bar.box.y, end - begin, bar.box.height);
    }
    cairo_fill(cairo);
  }
  set_colour(cairo, frame);
  cairo_set_line_width(cairo, 0.75);
  cairo_rectangle(cairo, bar.box.x, bar.box.y, bar.box.width, bar.box.height);
  cairo_stroke(cairo);
}

void draw_chip(cairo_t* cairo, const PlacedChip& chip) {
  set_colour(cairo, chip.colour);
  cairo_rectangle(cairo, chip.box.x, chip.box.y, chip.box.width, chip.box.height);
  cairo_fill(cairo);
}

void draw_ticks(cairo_t* cairo, const std::vector<Tick>& ticks, Rgb colour) {
  set_colour(cairo, colour);
  cairo_set_line_width(cairo, 0.75);
  for (const Tick& tick : ticks) {
    cairo_move_to(cairo, tick.x1, tick.y1);
    cairo_line_to(cairo, tick.x2, tick.y2);
  }
  cairo_stroke(cairo);
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
  const FigureOptions& options = figure.content->options;
  std::vector<PlacedText> texts = figure.layout.texts;
  for (const PlacedPanel& panel : figure.layout.panels) {
    add_numbers(texts, panel, shaper, options.decimals.value_or(0), options.theme == FigureTheme::dark);
  }
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
  const auto tell = [&](std::size_t drawn) {
    if (target.watch) target.watch(drawn, layout.panels.size());
  };
  const double dots = image_dots(layout);
  draw_picture(cairo, figure, target, dots);
  for (std::size_t panel = 0; panel < layout.panels.size(); ++panel) {
    check_stop(target.stop);
    tell(panel);
    draw_cells(cairo, layout.panels[panel], options, target, dots);
  }
  tell(layout.panels.size());
  for (const PlacedBar& bar : layout.bars) draw_bar(cairo, bar, inks.line);
  for (const PlacedChip& chip : layout.chips) draw_chip(cairo, chip);
  for (const PlacedMark& mark : layout.marks) draw_mark(cairo, mark, is_dark);
  draw_ticks(cairo, layout.ticks, inks.line);
  draw_frames(cairo, layout.frames);
  const std::vector<PlacedText> texts = texts_of(figure);
  draw_grounds(cairo, texts, is_dark);
  const TextShaper shaper;
  for (const PlacedText& text : texts) {
    check_stop(target.stop);
    if (target.has_letters || text.is_outline) draw_text(cairo, text, shaper);
  }
}

}  // namespace attnscope

#include "paint_file/figure_marks.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
const CellGreys& greys_of(bool is_dark) { return colours_of(is_dark ? ThemeId::dark : ThemeId::light).greys; }

void set_colour(cairo_t* cairo, Rgb colour) {
  cairo_set_source_rgb(cairo, colour.r / 255.0, colour.g / 255.0, colour.b / 255.0);
}

void add_rectangle(cairo_t* cairo, const Box& box) { cairo_rectangle(cairo, box.x, box.y, box.width, box.height); }

void hatch(cairo_t* cairo, const Box& box, bool is_dark) {
  constexpr double period = 6;
  const CellGreys& greys = greys_of(is_dark);
  set_colour(cairo, grey(greys.hidden));
  cairo_paint(cairo);
  set_colour(cairo, grey(greys.hatch));
  cairo_set_line_width(cairo, 0.9);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_BUTT);
  for (double sum = std::floor((box.x + box.y) / period) * period; sum <= box.right() + box.bottom(); sum += period) {
    cairo_move_to(cairo, sum - box.y, box.y);
    cairo_line_to(cairo, sum - box.bottom(), box.bottom());
  }
  cairo_stroke(cairo);
}

void draw_cross(cairo_t* cairo, const Box& box, Rgb ink) {
  const double side = std::min(box.width, box.height);
  const double reach = std::clamp(0.25 * side, 1.0, 11.0);
  set_colour(cairo, ink);
  cairo_set_line_width(cairo, std::clamp(0.07 * side, 0.6, 2.2));
  for (const double direction : {-1.0, 1.0}) {
    cairo_move_to(cairo, box.middle_x() - reach, box.middle_y() - direction * reach);
    cairo_line_to(cairo, box.middle_x() + reach, box.middle_y() + direction * reach);
  }
  cairo_stroke(cairo);
}

void draw_not_finite(cairo_t* cairo, const Box& box, bool is_number, bool is_dark) {
  set_colour(cairo, grey(greys_of(is_dark).paper));
  add_rectangle(cairo, box);
  cairo_fill(cairo);
  const double reach = std::clamp(0.28 * std::min(box.width, box.height), 1.0, 12.0);
  set_colour(cairo, grey(ink_on_paper(greys_of(is_dark))));
  cairo_move_to(cairo, box.middle_x(), box.middle_y() - reach);
  cairo_line_to(cairo, box.middle_x() + reach, box.middle_y() + (is_number ? 0.8 * reach : 0));
  if (!is_number) cairo_line_to(cairo, box.middle_x(), box.middle_y() + reach);
  cairo_line_to(cairo, box.middle_x() - reach, box.middle_y() + (is_number ? 0.8 * reach : 0));
  cairo_close_path(cairo);
  cairo_set_line_width(cairo, std::clamp(0.25 * reach, 0.6, 2.0));
  if (is_number) {
    cairo_fill(cairo);
  } else {
    cairo_stroke(cairo);
  }
}

}  // namespace attnscope

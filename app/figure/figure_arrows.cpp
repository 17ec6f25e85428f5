#include <algorithm>
#include <cmath>

#include "figure/figure_cells.h"
#include "figure/figure_marks.h"

namespace attnscope {
namespace {

struct Point {
  double x = 0;
  double y = 0;
};

Point at(const PlacedArrow& arrow, std::size_t index) {
  return {static_cast<double>(arrow.points[index].x), static_cast<double>(arrow.points[index].y)};
}

// From a point towards another one, but no further than half the way.
Point toward(Point from, Point to, double length) {
  const double distance = std::hypot(to.x - from.x, to.y - from.y);
  const double share = distance > 0 ? std::min(0.5, length / distance) : 0;
  return {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
}

void draw_head(cairo_t* cairo, Point tip, Point along, double gap) {
  const double length = static_cast<double>(arrow_head_length) * gap;
  const double width = static_cast<double>(arrow_head_width) * gap;
  const Point foot{tip.x - along.x * length, tip.y - along.y * length};
  cairo_move_to(cairo, tip.x, tip.y);
  cairo_line_to(cairo, foot.x - along.y * width, foot.y + along.x * width);
  cairo_line_to(cairo, foot.x + along.y * width, foot.y - along.x * width);
  cairo_close_path(cairo);
  cairo_fill(cairo);
}

void draw_arrow(cairo_t* cairo, const PlacedArrow& arrow) {
  const std::size_t last = arrow.points.size() - 1;
  const Point tip = at(arrow, last);
  const Point before = at(arrow, last - 1);
  const double length = std::hypot(tip.x - before.x, tip.y - before.y);
  const double head = std::min(static_cast<double>(arrow_head_length) * arrow.gap, length);
  if (length == 0 || (last == 1 && length < static_cast<double>(arrow_head_length) * arrow.gap)) return;
  const double corner = static_cast<double>(arrow_corner) * arrow.gap;
  cairo_move_to(cairo, at(arrow, 0).x, at(arrow, 0).y);
  for (std::size_t i = 1; i < last; ++i) {
    const Point turn = at(arrow, i);
    const Point begin = toward(turn, at(arrow, i - 1), corner);
    const Point end = toward(turn, at(arrow, i + 1), corner);
    cairo_line_to(cairo, begin.x, begin.y);
    cairo_curve_to(cairo, (begin.x + 2 * turn.x) / 3, (begin.y + 2 * turn.y) / 3, (end.x + 2 * turn.x) / 3,
                   (end.y + 2 * turn.y) / 3, end.x, end.y);
  }
  const Point along{(tip.x - before.x) / length, (tip.y - before.y) / length};
  cairo_line_to(cairo, tip.x - along.x * head, tip.y - along.y * head);
  cairo_stroke(cairo);
  draw_head(cairo, tip, along, arrow.gap);
}

}  // namespace

void draw_arrows(cairo_t* cairo, const FigureLayout& layout, Rgb colour) {
  if (layout.arrows.empty()) return;
  cairo_save(cairo);
  cairo_rectangle(cairo, 0, 0, layout.width, layout.height);  // all of the page but for the texts
  for (const Box& ground : layout.grounds) cairo_rectangle(cairo, ground.x, ground.y, ground.width, ground.height);
  cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip(cairo);
  set_colour(cairo, colour);
  for (const PlacedArrow& arrow : layout.arrows) {
    cairo_set_line_width(cairo, std::max(0.5, 0.2 * arrow.gap));
    draw_arrow(cairo, arrow);
  }
  cairo_restore(cairo);
}

void draw_frames(cairo_t* cairo, const std::vector<PlacedFrame>& frames) {
  for (const PlacedFrame& frame : frames) {
    set_colour(cairo, frame.colour);
    cairo_set_line_width(cairo, frame.thickness);
    cairo_rectangle(cairo, frame.box.x, frame.box.y, frame.box.width, frame.box.height);
    cairo_stroke(cairo);
  }
}

}  // namespace attnscope

#include "paint_file/figure_painter.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "paint_file/figure_page.h"

namespace attnscope {
namespace {

using picture::Point;

class ItemPainter {
public:
  explicit ItemPainter(const Brush& brush) : brush_(brush), cairo_(brush.cairo) {}

  void operator()(const picture::Fill& fill) const {
    brush_.set(fill.ink);
    add_rounded(fill.box, fill.radius);
    cairo_fill(cairo_);
  }

  void operator()(const picture::Outline& outline) const {
    brush_.set(outline.ink);
    cairo_set_line_width(cairo_, outline.thickness);
    add_rounded(outline.radius > 0 ? outline.box : brush_.snapped(outline.box), outline.radius);
    cairo_stroke(cairo_);
  }

  void operator()(const picture::Stroke& stroke) const {
    if (stroke.points.size() < 2) return;
    if (stroke.halo > 0) {
      brush_.set(stroke.halo_ink);
      cairo_set_line_width(cairo_, stroke.halo);
      for (const Point& point : stroke.points) cairo_line_to(cairo_, point.x, point.y);
      cairo_stroke(cairo_);
    }
    const picture::StrokePath path = path_of(stroke);
    brush_.set(stroke.ink);
    cairo_set_line_width(cairo_, stroke.thickness);
    cairo_move_to(cairo_, stroke.points[0].x, stroke.points[0].y);
    for (const auto& [begin, turn, end] : path.corners) {
      cairo_line_to(cairo_, begin.x, begin.y);
      if (begin == end) continue;
      cairo_curve_to(cairo_, (begin.x + 2 * turn.x) / 3, (begin.y + 2 * turn.y) / 3, (end.x + 2 * turn.x) / 3,
                     (end.y + 2 * turn.y) / 3, end.x, end.y);
    }
    cairo_line_to(cairo_, path.end.x, path.end.y);
    cairo_stroke(cairo_);
    if (!path.head.empty()) (*this)(picture::Polygon{path.head, stroke.ink});
  }

  void operator()(const picture::Word& word) const {
    if (word.text.empty()) return;
    const double width = brush_.shaper.width(word.text, style_of(word));
    cairo_save(cairo_);
    cairo_translate(cairo_, word.x, word.y);
    if (word.is_turned) cairo_rotate(cairo_, -std::numbers::pi / 2);
    const double left = word.is_turned ? 0 : -word.anchor * width;
    if (word.is_on_hatch) {  // which pauses behind the word
      const double around = 0.15 * word.size;
      const double top = around - picture::baseline * word.size;
      brush_.set({grey(brush_.theme.greys.hidden)});
      brush_.add_rectangle({left - around, top, width + 2 * around, picture::line_height * word.size - 2 * around});
      cairo_fill(cairo_);
    }
    if (brush_.target.has_letters || !brush_.shaper.has_every_letter(word.text)) {
      brush_.set(word.ink);
      brush_.shaper.draw(cairo_, word.text, style_of(word), left, 0);
    }
    cairo_restore(cairo_);
  }

  void operator()(const picture::Heatmap& heatmap) const { brush_.paint_cells(heatmap); }

  void operator()(const picture::Gradient& gradient) const {
    const Box& box = gradient.box;
    const double length = gradient.is_vertical ? box.height : box.width;
    const double step = length / colormap_entries;
    for (int entry = 0; entry < colormap_entries; ++entry) {
      brush_.set({entries(gradient.map)[static_cast<std::size_t>(entry)], gradient.alpha});
      const double begin = step * entry;
      const double end = std::min(length, begin + 1.8 * step);  // no seams
      if (gradient.is_vertical) {
        brush_.add_rectangle({box.x, box.bottom() - end, box.width, end - begin});
      } else {
        brush_.add_rectangle({box.x + begin, box.y, end - begin, box.height});
      }
      cairo_fill(cairo_);
    }
  }

  void operator()(const picture::Hatch& area) const {
    cairo_save(cairo_);
    brush_.add_rectangle(area.box);
    cairo_clip(cairo_);
    brush_.hatch(area.box);
    cairo_restore(cairo_);
  }

  void operator()(const picture::Polygon& polygon) const {
    brush_.set(polygon.ink);
    for (const Point& point : polygon.points) cairo_line_to(cairo_, point.x, point.y);
    cairo_close_path(cairo_);
    cairo_fill(cairo_);
  }

private:
  void add_rounded(const Box& box, double radius) const {
    if (radius <= 0) return brush_.add_rectangle(box);
    constexpr double quarter = std::numbers::pi / 2;
    const double r = std::min({radius, box.width / 2, box.height / 2});
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, box.right() - r, box.y + r, r, -quarter, 0);
    cairo_arc(cairo_, box.right() - r, box.bottom() - r, r, 0, quarter);
    cairo_arc(cairo_, box.x + r, box.bottom() - r, r, quarter, 2 * quarter);
    cairo_arc(cairo_, box.x + r, box.y + r, r, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo_);
  }

  const Brush& brush_;
  cairo_t* cairo_;
};

// Resolution of images within a vector format: 600 dots an inch, fewer where so many matrices stand side by side that
// most programs could not read the file.
double image_dots(const std::vector<const picture::Heatmap*>& heatmaps) {
  constexpr double finest = 600.0 / 96;
  constexpr double most_dots = 3e6;  // of all images together: each may take 3 bytes of SVG, of 10 MB that are read
  double area = 0;
  for (const picture::Heatmap* const heatmap : heatmaps)
    if (!is_drawn_one_by_one(*heatmap)) area += heatmap->box.width * heatmap->box.height;
  return area > 0 ? std::min(finest, std::sqrt(most_dots / area)) : finest;
}

}  // namespace

void Brush::set(const picture::Ink& ink) const {
  cairo_set_source_rgba(cairo, ink.colour.r / 255.0, ink.colour.g / 255.0, ink.colour.b / 255.0, ink.alpha);
}

void Brush::add_rectangle(const Box& box) const { cairo_rectangle(cairo, box.x, box.y, box.width, box.height); }

Box Brush::snapped(const Box& box) const {
  if (target.pixels == 0) return box;
  const auto snap = [&](double at) { return std::round(at * target.pixels) / target.pixels; };
  const double x = snap(box.x);
  const double y = snap(box.y);
  return {x, y, snap(box.right()) - x, snap(box.bottom()) - y};
}

void Brush::hatch(const Box& box) const {
  constexpr double period = 6;
  set({grey(theme.greys.hidden)});
  cairo_paint(cairo);
  set({grey(theme.greys.hatch)});
  cairo_set_line_width(cairo, 0.9);
  for (double sum = std::floor((box.x + box.y) / period) * period; sum <= box.right() + box.bottom(); sum += period) {
    cairo_move_to(cairo, sum - box.y, box.y);
    cairo_line_to(cairo, sum - box.bottom(), box.bottom());
  }
  cairo_stroke(cairo);
}

void Brush::paint(const picture::Picture& picture) const {
  const ItemPainter painter(*this);
  for (const picture::Item& item : picture.items) std::visit(painter, item);
}

void draw_figure(cairo_t* cairo, const Figure& figure, const DrawTarget& target) {
  const std::vector<const picture::Heatmap*> heatmaps = figure.picture.all<picture::Heatmap>();
  const TextShaper shaper;
  const Brush brush{.cairo = cairo,
                    .theme = theme_of(figure.options.theme),
                    .paper = paper_colour(figure.options.theme),
                    .target = target,
                    .shaper = shaper,
                    .matrices = std::ssize(heatmaps),
                    .dots = image_dots(heatmaps)};
  if (figure.options.theme != FigureTheme::transparent) {
    brush.set({brush.paper});
    cairo_paint(cairo);
  }
  const ItemPainter painter(brush);
  std::size_t drawn = 0;
  for (const picture::Item& item : figure.picture.items) {
    if (target.stop.stop_requested()) throw Cancelled{};
    if (target.watch && std::holds_alternative<picture::Heatmap>(item)) target.watch(drawn++, heatmaps.size());
    std::visit(painter, item);
  }
  if (target.watch) target.watch(heatmaps.size(), heatmaps.size());
}

}  // namespace attnscope

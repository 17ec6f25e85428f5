#include <algorithm>
#include <cmath>
#include <numbers>

#include "paint_file/figure_cells.h"
#include "paint_file/figure_marks.h"

// Paints a picture's items but for its words, which the figure keeps as texts.

namespace attnscope {
namespace {

class Painter {
public:
  Painter(cairo_t* cairo, const Figure& figure, const DrawTarget& target, double dots)
      : cairo_(cairo), figure_(figure), target_(target), dots_(dots) {}

  void operator()(const picture::Fill& fill) const {
    set_ink(fill.ink);
    add_rounded(fill.box, fill.radius);
    cairo_fill(cairo_);
  }

  void operator()(const picture::Outline& outline) const {
    set_ink(outline.ink);
    cairo_set_line_width(cairo_, outline.thickness);
    add_rounded(outline.box, outline.radius);
    cairo_stroke(cairo_);
  }

  void operator()(const picture::Stroke& stroke) const {
    if (stroke.points.size() < 2) return;
    if (stroke.halo > 0) {
      set_ink(stroke.halo_ink);
      cairo_set_line_width(cairo_, stroke.halo);
      for (const picture::Point& point : stroke.points) cairo_line_to(cairo_, point.x, point.y);
      cairo_stroke(cairo_);
    }
    const std::size_t last = stroke.points.size() - 1;
    const picture::Point tip = stroke.points[last];
    const picture::Point before = stroke.points[last - 1];
    const double length = std::hypot(tip.x - before.x, tip.y - before.y);
    const double head = std::min(stroke.head, length);
    const picture::Point along =
        head > 0 ? picture::Point{(tip.x - before.x) / length, (tip.y - before.y) / length} : picture::Point{};
    set_ink(stroke.ink);
    cairo_set_line_width(cairo_, stroke.thickness);
    cairo_move_to(cairo_, stroke.points[0].x, stroke.points[0].y);
    for (std::size_t i = 1; i < last; ++i) add_corner(stroke, i);
    cairo_line_to(cairo_, tip.x - 0.7 * head * along.x, tip.y - 0.7 * head * along.y);
    cairo_stroke(cairo_);
    if (head > 0) draw_head(tip, along, head);
  }

  void operator()(const picture::Word&) const {}

  void operator()(const picture::Heatmap& heatmap) const {
    if (target_.stop.stop_requested()) throw Cancelled{};
    const std::vector<PlacedPanel>& sheet = figure_.layout.panels;
    if (!sheet.empty()) {
      if (target_.watch) target_.watch(static_cast<std::size_t>(heatmap.number), sheet.size());
      return draw_cells(cairo_, sheet[static_cast<std::size_t>(heatmap.number)], figure_.content->options, target_,
                        dots_);
    }
    const std::vector<FigurePanel>& panels = figure_.content->lines.front();
    const auto found = std::ranges::find_if(panels, [&](const FigurePanel& panel) {
      return panel.stage == heatmap.stage && panel.source.matrix == heatmap.matrix &&
             panel.is_transposed == heatmap.is_transposed;
    });
    if (found == panels.end() || heatmap.box.width <= 0) return;
    FigurePanel panel = *found;
    panel.opacity = heatmap.alpha;
    // The whole matrix at the width of these columns; what is not of them is clipped away.
    const double column = heatmap.box.width / static_cast<double>(heatmap.columns);
    PlacedPanel placed{.panel = &panel, .heat = heatmap.box, .room = {}, .frame = 0};
    placed.heat.x -= column * static_cast<double>(heatmap.first_column);
    placed.heat.width = column * static_cast<double>(panel.cols);
    placed.room = placed.heat;
    cairo_save(cairo_);
    add_rectangle(cairo_, heatmap.box);
    cairo_clip(cairo_);
    draw_cells(cairo_, placed, figure_.content->options, target_, dots_);
    cairo_restore(cairo_);
  }

  void operator()(const picture::Gradient& gradient) const {
    const Box& box = gradient.box;
    const double length = gradient.is_vertical ? box.height : box.width;
    const double step = length / colormap_entries;
    for (int entry = 0; entry < colormap_entries; ++entry) {
      set_ink({entries(gradient.map)[static_cast<std::size_t>(entry)], gradient.alpha});
      const double begin = step * entry;
      const double end = std::min(length, begin + 1.8 * step);  // no seams
      if (gradient.is_vertical) {
        cairo_rectangle(cairo_, box.x, box.bottom() - end, box.width, end - begin);
      } else {
        cairo_rectangle(cairo_, box.x + begin, box.y, end - begin, box.height);
      }
      cairo_fill(cairo_);
    }
  }

  void operator()(const picture::Hatch& area) const {
    cairo_save(cairo_);
    add_rectangle(cairo_, area.box);
    cairo_clip(cairo_);
    hatch(cairo_, area.box, figure_.content->options.theme == FigureTheme::dark);
    cairo_restore(cairo_);
  }

  void operator()(const picture::Polygon& polygon) const {
    set_ink(polygon.ink);
    for (const picture::Point& point : polygon.points) cairo_line_to(cairo_, point.x, point.y);
    cairo_close_path(cairo_);
    cairo_fill(cairo_);
  }

private:
  void set_ink(const picture::Ink& ink) const {
    cairo_set_source_rgba(cairo_, ink.colour.r / 255.0, ink.colour.g / 255.0, ink.colour.b / 255.0, ink.alpha);
  }

  void add_rounded(const Box& box, double radius) const {
    if (radius <= 0) return add_rectangle(cairo_, box);
    constexpr double quarter = std::numbers::pi / 2;
    const double r = std::min({radius, box.width / 2, box.height / 2});
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, box.right() - r, box.y + r, r, -quarter, 0);
    cairo_arc(cairo_, box.right() - r, box.bottom() - r, r, 0, quarter);
    cairo_arc(cairo_, box.x + r, box.bottom() - r, r, quarter, 2 * quarter);
    cairo_arc(cairo_, box.x + r, box.y + r, r, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo_);
  }

  // From a point towards another one, but no further than half the way.
  static picture::Point toward(picture::Point from, picture::Point to, double length) {
    const double distance = std::hypot(to.x - from.x, to.y - from.y);
    const double share = distance > 0 ? std::min(0.5, length / distance) : 0;
    return {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
  }

  void add_corner(const picture::Stroke& stroke, std::size_t number) const {
    const picture::Point turn = stroke.points[number];
    if (stroke.corner <= 0) return cairo_line_to(cairo_, turn.x, turn.y);
    const picture::Point begin = toward(turn, stroke.points[number - 1], stroke.corner);
    const picture::Point end = toward(turn, stroke.points[number + 1], stroke.corner);
    cairo_line_to(cairo_, begin.x, begin.y);
    cairo_curve_to(cairo_, (begin.x + 2 * turn.x) / 3, (begin.y + 2 * turn.y) / 3, (end.x + 2 * turn.x) / 3,
                   (end.y + 2 * turn.y) / 3, end.x, end.y);
  }

  void draw_head(picture::Point tip, picture::Point along, double head) const {
    const picture::Point foot{tip.x - along.x * head, tip.y - along.y * head};
    const double half = 0.45 * head;
    cairo_move_to(cairo_, tip.x, tip.y);
    cairo_line_to(cairo_, foot.x - along.y * half, foot.y + along.x * half);
    cairo_line_to(cairo_, foot.x + along.y * half, foot.y - along.x * half);
    cairo_close_path(cairo_);
    cairo_fill(cairo_);
  }

  cairo_t* cairo_;
  const Figure& figure_;
  const DrawTarget& target_;
  double dots_;
};

}  // namespace

void draw_picture(cairo_t* cairo, const Figure& figure, const DrawTarget& target, double dots) {
  const Painter painter(cairo, figure, target, dots);
  for (const picture::Item& item : figure.layout.picture.items) std::visit(painter, item);
}

}  // namespace attnscope

#include "scene/cell_marks.h"

#include <algorithm>

namespace attnscope::scene {
namespace {

using picture::Point;

// Lengths in ems.
constexpr double sample_side = 1.15;
constexpr double sample_gap = 0.45;  // between a sample and its name
constexpr double between_samples = 1.6;
constexpr double next_line = 1.5;

// Draws the cell of a mark.
class MarkWriter {
public:
  MarkWriter(picture::Picture& picture, const Box& box, const ThemeColours& theme)
      : picture_(picture),
        theme_(theme),
        box_(box),
        x_(box.middle_x()),
        y_(box.middle_y()),
        side_(std::min(box.width, box.height)) {}

  void put(CellMark mark, Rgb ground) const {
    switch (mark) {
      case CellMark::masked:
        picture_.items.emplace_back(picture::Hatch{box_});
        return;
      case CellMark::dropped:
        put_cross(grey(theme_.greys.gap));
        return;
      case CellMark::not_a_number:
      case CellMark::infinite:
        put_not_finite(mark == CellMark::infinite);
        return;
      case CellMark::edited:
        put_corner(ground);
        return;
    }
  }

private:
  void fill(Rgb ink) const { picture_.items.emplace_back(picture::Fill{box_, {ink}}); }
  void polygon(std::vector<Point> points, Rgb ink) const {
    picture_.items.emplace_back(picture::Polygon{std::move(points), {ink}});
  }
  void stroke(std::vector<Point> points, Rgb ink, double thickness) const {
    picture_.items.emplace_back(picture::Stroke{.points = std::move(points), .ink = {ink}, .thickness = thickness});
  }
  void put_cross(Rgb ground) const {
    fill(ground);
    const double r = std::clamp(0.25 * side_, 1.0, 11.0);
    const double thickness = std::clamp(0.07 * side_, 0.6, 2.2);
    stroke({{x_ - r, y_ - r}, {x_ + r, y_ + r}}, ink_on(ground), thickness);
    stroke({{x_ - r, y_ + r}, {x_ + r, y_ - r}}, ink_on(ground), thickness);
  }

  // Not a number: a hollow diamond. Infinity: a filled triangle. Their ground is a grey that no colour map has.
  void put_not_finite(bool is_infinite) const {
    const Rgb ink = grey(ink_on_paper(theme_.greys));
    const double r = std::clamp(0.28 * side_, 1.0, 12.0);
    fill(grey(theme_.greys.paper));
    if (is_infinite) return polygon({{x_, y_ - r}, {x_ + r, y_ + 0.8 * r}, {x_ - r, y_ + 0.8 * r}}, ink);
    const double thickness = std::clamp(0.25 * r, 0.6, 2.0);
    stroke({{x_, y_ - r}, {x_ + r, y_}, {x_, y_ + r}, {x_ - r, y_}, {x_, y_ - r}}, ink, thickness);
  }

  // With a white rim, so that it shows on every colour.
  void put_corner(Rgb ground) const {
    fill(ground);
    for (const auto& [reach, ink] : {std::pair{0.7 * side_, grey(255)}, {0.6 * side_, theme_.inks.edited}})
      polygon({{box_.right() - reach, box_.y}, {box_.right(), box_.y}, {box_.right(), box_.y + reach}}, ink);
  }

  picture::Picture& picture_;
  const ThemeColours& theme_;
  const Box& box_;
  double x_, y_;  // its middle
  double side_;
};

double text_size(const SheetPen& pen) { return pen.size(0.9); }

double entry_width(const SheetPen& pen, const CellMarkInfo& entry) {
  return (sample_side + sample_gap) * pen.em + pen.width(entry.text, text_size(pen));
}

}  // namespace

void put_mark(picture::Picture& picture, CellMark mark, const Box& cell, Rgb ground, const ThemeColours& theme) {
  MarkWriter(picture, cell, theme).put(mark, ground);
}

double legend_width(const SheetPen& pen, const std::set<CellMark>& marks) {
  double width = 0;
  for (const CellMarkInfo& entry : cell_marks) {
    if (!marks.contains(entry.mark)) continue;
    width += (width > 0 ? between_samples * pen.em : 0) + entry_width(pen, entry);
  }
  return width;
}

double put_legend(const SheetPen& pen, const std::set<CellMark>& marks, Rgb ink, double left, double right,
                  double top) {
  if (marks.empty()) return top;
  const double side = sample_side * pen.em;
  const double size = text_size(pen);
  double x = (left + right - legend_width(pen, marks)) / 2;
  bool is_first = true;
  for (const CellMarkInfo& entry : cell_marks) {
    if (!marks.contains(entry.mark)) continue;
    const double width = entry_width(pen, entry);
    constexpr double touching = 0.01;
    if (x < left - touching || x + width > right + touching) {  // a narrow page: below each other
      x = left;
      if (!is_first) top += next_line * pen.em;
    }
    is_first = false;
    const Box sample{x, top, side, side};
    put_mark(pen.picture, entry.mark, sample, pen.theme.inks.card, pen.theme);
    pen.frame(sample, pen.line, pen.thin);
    pen.put(std::string(entry.text), size, ink, x + side + sample_gap * pen.em,
            top + (side - picture::line_height * size) / 2, 0);
    x += width + between_samples * pen.em;
  }
  return top + side;
}

}  // namespace attnscope::scene

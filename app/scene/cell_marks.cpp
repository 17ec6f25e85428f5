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

class MarkWriter {
public:
  MarkWriter(picture::Picture& picture, const Box& box, const ThemeColours& theme)
      : picture_(picture), box_(box), theme_(theme), side_(std::min(box.width, box.height)) {}

  void put(CellMark mark, Rgb ground) const {
    switch (mark) {
      case CellMark::masked:
        picture_.items.emplace_back(picture::Hatch{box_});
        return;
      case CellMark::dropped:
        put_cross(grey(theme_.greys.gap));
        return;
      case CellMark::not_a_number:
        put_diamond();
        return;
      case CellMark::infinite:
        put_triangle();
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
  // Of what is not finite, on a ground that no colour map has.
  Rgb ink_on_paper() const { return grey(attnscope::ink_on_paper(theme_.greys)); }
  double reach() const { return std::clamp(0.28 * side_, 1.0, 12.0); }

  void put_cross(Rgb ground) const {
    fill(ground);
    const double reach = std::clamp(0.25 * side_, 1.0, 11.0);
    const double thickness = std::clamp(0.07 * side_, 0.6, 2.2);
    const double x = box_.middle_x();
    const double y = box_.middle_y();
    stroke({{x - reach, y - reach}, {x + reach, y + reach}}, ink_on(ground), thickness);
    stroke({{x - reach, y + reach}, {x + reach, y - reach}}, ink_on(ground), thickness);
  }

  void put_diamond() const {
    fill(grey(theme_.greys.paper));
    const double r = reach();
    const double x = box_.middle_x();
    const double y = box_.middle_y();
    stroke({{x, y - r}, {x + r, y}, {x, y + r}, {x - r, y}, {x, y - r}}, ink_on_paper(),
           std::clamp(0.25 * r, 0.6, 2.0));
  }

  void put_triangle() const {
    fill(grey(theme_.greys.paper));
    const double r = reach();
    const double x = box_.middle_x();
    const double y = box_.middle_y();
    polygon({{x, y - r}, {x + r, y + 0.8 * r}, {x - r, y + 0.8 * r}}, ink_on_paper());
  }

  // With a white rim, so that it shows on every colour.
  void put_corner(Rgb ground) const {
    fill(ground);
    for (const auto& [reach, ink] : {std::pair{0.7 * side_, grey(255)}, {0.6 * side_, theme_.inks.edited}})
      polygon({{box_.right() - reach, box_.y}, {box_.right(), box_.y}, {box_.right(), box_.y + reach}}, ink);
  }

  picture::Picture& picture_;
  const Box& box_;
  const ThemeColours& theme_;
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

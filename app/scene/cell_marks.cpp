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

double text_size(const SheetPen& pen) { return pen.size(0.9); }

double entry_width(const SheetPen& pen, const CellMarkInfo& entry) {
  return (sample_side + sample_gap) * pen.em + pen.width(entry.text, text_size(pen));
}

}  // namespace

void put_mark(picture::Picture& picture, CellMark mark, const Box& box, Rgb ground, const ThemeColours& theme) {
  const double x = box.middle_x();
  const double y = box.middle_y();
  const double side = std::min(box.width, box.height);
  const auto fill = [&](Rgb ink) { picture.add(picture::Fill{box, {ink}}); };
  const auto polygon = [&](std::vector<Point> points, Rgb ink) {
    picture.add(picture::Polygon{std::move(points), {ink}});
  };
  const auto stroke = [&](std::vector<Point> points, Rgb ink, double thickness) {
    picture.add(picture::Stroke{.points = std::move(points), .ink = {ink}, .thickness = thickness});
  };
  const double r = std::clamp(0.28 * side, 1.0, 12.0);
  const Rgb ink = grey(ink_on_paper(theme.greys));
  switch (mark) {
    case CellMark::masked:
      picture.add(picture::Hatch{box});
      return;
    case CellMark::dropped: {
      const Rgb gap = grey(theme.greys.gap);
      const double reach = std::clamp(0.25 * side, 1.0, 11.0);
      const double thickness = std::clamp(0.07 * side, 0.6, 2.2);
      fill(gap);
      stroke({{x - reach, y - reach}, {x + reach, y + reach}}, ink_on(gap), thickness);
      stroke({{x - reach, y + reach}, {x + reach, y - reach}}, ink_on(gap), thickness);
      return;
    }
    // A hollow diamond, and a filled triangle. Their ground is a grey that no colour map has.
    case CellMark::not_a_number:
      fill(grey(theme.greys.paper));
      stroke({{x, y - r}, {x + r, y}, {x, y + r}, {x - r, y}, {x, y - r}}, ink, std::clamp(0.25 * r, 0.6, 2.0));
      return;
    case CellMark::infinite:
      fill(grey(theme.greys.paper));
      polygon({{x, y - r}, {x + r, y + 0.8 * r}, {x - r, y + 0.8 * r}}, ink);
      return;
    case CellMark::edited:
      fill(ground);
      // A corner with a white rim, so that it shows on every colour.
      for (const auto& [reach, colour] : {std::pair{0.7 * side, grey(255)}, {0.6 * side, theme.inks.edited}})
        polygon({{box.right() - reach, box.y}, {box.right(), box.y}, {box.right(), box.y + reach}}, colour);
      return;
  }
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

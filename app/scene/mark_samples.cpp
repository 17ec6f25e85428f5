#include "scene/mark_samples.h"

#include <algorithm>

namespace attnscope::scene {
namespace {

using picture::Point;

// Lengths in ems.
constexpr double sample_side = 1.15;
constexpr double sample_gap = 0.45;  // between a sample and its name
constexpr double between_samples = 1.6;
constexpr double next_line = 1.5;

void put_polygon(const SheetPen& pen, std::vector<Point> points, Rgb ink) {
  pen.picture.items.emplace_back(picture::Polygon{std::move(points), {ink}});
}

void put_cross(const SheetPen& pen, const Box& box, Rgb ink) {
  const double reach = std::clamp(0.25 * box.width, 1.0, 11.0);
  const double thickness = std::clamp(0.07 * box.width, 0.6, 2.2);
  const double x = box.middle_x();
  const double y = box.middle_y();
  pen.stroke({{x - reach, y - reach}, {x + reach, y + reach}}, ink, thickness);
  pen.stroke({{x - reach, y + reach}, {x + reach, y - reach}}, ink, thickness);
}

// Not a number: a hollow diamond. Infinity: a filled triangle.
void put_not_finite(const SheetPen& pen, const Box& box, bool is_number) {
  const CellGreys& greys = pen.theme.greys;
  pen.fill(box, grey(greys.paper));
  const Rgb ink = grey(ink_on_paper(greys));
  const double reach = std::clamp(0.28 * box.width, 1.0, 12.0);
  const double x = box.middle_x();
  const double y = box.middle_y();
  if (is_number) {
    put_polygon(pen, {{x, y - reach}, {x + reach, y + 0.8 * reach}, {x - reach, y + 0.8 * reach}}, ink);
  } else {
    pen.stroke({{x, y - reach}, {x + reach, y}, {x, y + reach}, {x - reach, y}, {x, y - reach}}, ink,
               std::clamp(0.25 * reach, 0.6, 2.0));
  }
}

// The corner of a cell that a person changed, with a white rim.
void put_edited(const SheetPen& pen, const Box& box) {
  pen.fill(box, pen.theme.inks.card);
  const double side = 0.6 * box.width;
  for (const auto& [reach, ink] : {std::pair{side + 0.1 * box.width, grey(255)}, {side, pen.theme.inks.edited}})
    put_polygon(pen, {{box.right() - reach, box.y}, {box.right(), box.y}, {box.right(), box.y + reach}}, ink);
}

void put_sample(const SheetPen& pen, CellMark mark, const Box& box) {
  if (mark == CellMark::masked) {
    pen.picture.items.emplace_back(picture::Hatch{box});
  } else if (mark == CellMark::dropped) {
    const Rgb ground = grey(pen.theme.greys.gap);
    pen.fill(box, ground);
    put_cross(pen, box, ink_on(ground));
  } else if (mark == CellMark::edited) {
    put_edited(pen, box);
  } else {
    put_not_finite(pen, box, mark == CellMark::infinite);
  }
  pen.frame(box, pen.line, pen.thin);
}

double text_size(const SheetPen& pen) { return pen.size(0.9); }

double entry_width(const SheetPen& pen, const CellMarkName& entry) {
  return (sample_side + sample_gap) * pen.em + pen.width(entry.text, text_size(pen));
}

}  // namespace

double legend_width(const SheetPen& pen, const std::set<CellMark>& marks) {
  double width = 0;
  for (const CellMarkName& entry : cell_marks) {
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
  for (const CellMarkName& entry : cell_marks) {
    if (!marks.contains(entry.mark)) continue;
    const double width = entry_width(pen, entry);
    constexpr double touching = 0.01;
    if (x < left - touching || x + width > right + touching) {  // a narrow page: below each other
      x = left;
      if (!is_first) top += next_line * pen.em;
    }
    is_first = false;
    put_sample(pen, entry.mark, {x, top, side, side});
    pen.put(std::string(entry.text), size, ink, x + side + sample_gap * pen.em,
            top + (side - picture::line_height * size) / 2, 0);
    x += width + between_samples * pen.em;
  }
  return top + side;
}

}  // namespace attnscope::scene

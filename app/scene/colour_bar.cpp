#include "scene/colour_bar.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace attnscope::scene {
namespace {

constexpr double bar_gap = 1.3;  // ems before the bar
constexpr double bar_thickness = 0.95;
constexpr double bar_number_gap = 0.45;
constexpr double small_bar = 0.5;
constexpr double bar_number_ems = 0.85;

// Returns the decimals that tell neighbouring numbers of a bar apart; none where all of them are whole.
int decimals_for(const ColourRange& range, int intervals) {
  const double step = (static_cast<double>(range.high) - range.low) / intervals;
  if (step == std::round(step) && range.low == std::round(range.low)) return 0;
  if (!(step > 0) || !std::isfinite(step)) return 2;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 2, 6);
}

std::string number_at(const ColourBar& bar, int tick, int intervals) {
  if (!bar.has_numbers) return {};
  const ColourRange& range = bar.range;
  const double share = intervals == 0 ? 0.5 : static_cast<double>(tick) / intervals;
  return bar_number(range, range.low * (1 - share) + range.high * share, decimals_for(range, std::max(1, intervals)));
}

bool is_point(const ColourRange& range) { return !(range.high > range.low); }

int intervals_for(const SheetPen& pen, const ColourRange& range, double height) {
  if (is_point(range)) return 0;
  if (range.measure.kind == MeasureKind::logarithm) return std::min(4, static_cast<int>(range.high - range.low));
  if (height >= 9 * pen.em) return 4;
  return height >= 4 * pen.em ? 2 : 1;
}

void put_colours(const SheetPen& pen, const ColourRange& range, const Box& box, bool is_vertical) {
  if (is_point(range)) {
    pen.fill(box, entries(range.map)[colormap_entries / 2]);
  } else {
    pen.picture.add(picture::Gradient{box, range.map, 1, is_vertical});
  }
  pen.frame(box, pen.line, pen.thin);
}

}  // namespace

double vertical_bar_width(const SheetPen& pen, const ColourBar& bar) {
  double widest = 0;
  for (const int intervals : {1, 2, 4}) {
    for (int tick = 0; tick <= intervals; ++tick)
      widest = std::max(widest, pen.width(number_at(bar, tick, intervals), pen.size(bar_number_ems)));
  }
  return (bar_gap + bar_thickness + bar_number_gap + (bar.name.empty() ? 0 : 1.2)) * pen.em + widest;
}

void put_vertical_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double height) {
  const double size = pen.size(bar_number_ems);
  const Box box = {x + bar_gap * pen.em, top, bar_thickness * pen.em, height};
  put_colours(pen, bar.range, box, true);
  const int intervals = intervals_for(pen, bar.range, height);
  const double left = box.right() + bar_number_gap * pen.em;
  double right = left;
  for (int tick = 0; bar.has_numbers && tick <= intervals; ++tick) {
    const double share = intervals == 0 ? 0.5 : static_cast<double>(tick) / intervals;
    const double middle = box.bottom() - share * height;
    pen.stroke({{box.right(), middle}, {box.right() + 0.2 * pen.em, middle}}, pen.line, pen.thin);
    const std::string number = number_at(bar, tick, intervals);
    right = std::max(right, left + pen.width(number, size));
    pen.put(number, size, pen.theme.inks.text, left, middle - picture::line_height * size / 2, 0);
  }
  const double length = pen.width(bar.name, size);
  if (!bar.name.empty() && length <= height)
    pen.put_turned(std::string(bar.name), size, pen.theme.inks.dim_text, right + 0.7 * pen.em,
                   box.middle_y() + length / 2);
}

double small_bar_height(const SheetPen& pen) {
  return (0.55 + small_bar + 0.15) * pen.em + picture::line_height * pen.size(0.8);
}

void put_small_bar(const SheetPen& pen, const ColourBar& bar, double x, double top, double width) {
  const Box box = {x, top + 0.55 * pen.em, width, small_bar * pen.em};
  put_colours(pen, bar.range, box, false);
  const bool is_one = is_point(bar.range);
  const std::string low = number_at(bar, 0, is_one ? 0 : 1);
  const std::string high = is_one ? "" : number_at(bar, 1, 1);
  double size = pen.size(0.8);
  const double needed = pen.width(low, size) + pen.width(high, size) + 0.5 * pen.em;
  if (needed > width) size = std::max(size * width / needed, pen.least_text);
  const double number_top = box.bottom() + 0.15 * pen.em;
  const Rgb ink = pen.theme.inks.dim_text;
  pen.put(low, size, ink, is_one ? box.middle_x() : box.x, number_top, is_one ? 0.5 : 0);
  if (!is_one) pen.put(high, size, ink, box.right(), number_top, 1);
}

double put_inline_bar(const SheetPen& pen, const ColourBar& bar, double right, double top) {
  const double size = pen.size(1);
  const bool is_centred = bar.range.low == -bar.range.high && bar.has_numbers;
  const std::string low = is_centred ? "±" + number_at(bar, 1, 1) : number_at(bar, 0, 1);
  const std::string high = is_centred ? "" : number_at(bar, 1, 1);
  const double gap = 0.3 * pen.em;
  const double length = 3 * pen.em;
  const double after = high.empty() ? 0 : gap + pen.width(high, size);
  const double bar_right = right - after;
  const double height = 0.6 * pen.em;
  put_colours(pen, bar.range, {bar_right - length, top + (picture::line_height * size - height) / 2, length, height},
              false);
  pen.put(high, size, pen.theme.inks.dim_text, right, top, 1);
  pen.put(low, size, pen.theme.inks.dim_text, bar_right - length - gap, top, 1);
  return after + length + gap + pen.width(low, size);
}

}  // namespace attnscope::scene

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "view/board_items.h"

// Charts: numbers as bars, and curves.

namespace attnscope::scene {
namespace {

constexpr double plot_height = 4.6;  // in cells
constexpr double plot_width = 250;
constexpr double bars_height = 4.2;  // in cells
constexpr double narrow_bar = 0.4;
constexpr double widest_bar_label = 36;  // a wider label does not make bars wider; at the usual size

std::size_t bar_count(const BoardBars& bars) { return bars.parts.empty() ? 0 : bars.parts.front().values.size(); }

struct ChartAxis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool is_log = false;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double share(double value) const {
    if (is_log) return std::log(std::max(value, low) / low) / std::log(high / low);
    return (value - low) / (high - low);
  }
  bool is_in_powers_of_two() const { return is_log && low == 1 && high == 1024; }
  std::vector<double> ticks() const {
    std::vector<double> all;
    if (is_log) {
      const double step = is_in_powers_of_two() ? 4 : std::log10(high / low) > 6 ? 100 : 10;
      for (double at = low; at <= high * 1.001; at *= step) all.push_back(at);
      return all;
    }
    const double raw = (high - low) / 4;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double step = raw / power >= 5 ? 5 * power : raw / power >= 2 ? 2 * power : power;
    for (double at = std::ceil(low / step) * step; at <= high + 1e-9 * step; at += step) all.push_back(at);
    return all;
  }
};

ChartAxis axis_of(const BoardBars& bars) {
  ChartAxis axis{.low = 0, .high = 0};
  for (const BoardBars::Part& part : bars.parts)
    for (const float each : part.values) axis.add(std::isfinite(each) ? static_cast<double>(each) : 0);
  if (bars.high) axis.high = static_cast<double>(*bars.high);
  if (axis.high == axis.low) axis.high = axis.low + 1;
  return axis;
}

// Returns the share of a bar's slot that stays free at either side.
double pad_of(const BoardBars& bars) {
  if (bars.is_narrow) return 0;
  return bars.parts.size() > 1 ? 0.06 : 0.14;
}

double slot_width(const BoardBars& bars, const BoardPen& pen) {
  if (bars.is_narrow) return std::max(narrow_bar * pen.cell_width(), 3.0);
  double width = pen.cell_width() * std::max<double>(1, static_cast<double>(bars.parts.size()) * 0.7);
  for (const std::string& label : bars.labels)
    width = std::max(width, std::min(pen.width(BoardFont::small, label), widest_bar_label * pen.growth()) + 4);
  for (const BoardBars::Part& part : bars.parts) {
    for (const float value : part.values)
      width = std::max(width,
                       static_cast<double>(bars.parts.size()) *
                           (pen.width(BoardFont::number, format_fixed(static_cast<double>(value), bars.decimals)) + 3));
  }
  return width;
}

Rgb colour_of_part(const BoardBars::Part& part, const BoardPen& pen) {
  if (part.tint == neutral_tint) return mix(pen.canvas.paper, pen.theme.inks.dim_text, 0.4);
  return part.tint < 0 ? pen.theme.inks.accent : pen.tint(part.tint);
}

// Returns where a number of the axis lies, in pixels.
double y_of(const ChartAxis& axis, const Box& field, double value) {
  return field.y + field.height * (axis.high - std::clamp(value, axis.low, axis.high)) / (axis.high - axis.low);
}

void put_bar(const BoardBars& bars, BoardPen& pen, const Box& field, const ChartAxis& axis, std::size_t bar, double x,
             double slot) {
  const double pad = pad_of(bars) * slot;
  const bool is_hidden = !bars.marks.empty() && bars.marks[bar].is_hidden;
  const double zero = y_of(axis, field, 0);
  const double width = (slot - 2 * pad) / static_cast<double>(bars.parts.size());
  double left = x + pad - width;
  for (const BoardBars::Part& part : bars.parts) {
    left += width;
    const auto value = static_cast<double>(part.values[bar]);
    if (is_hidden || !std::isfinite(value)) continue;
    const double top = y_of(axis, field, std::max(0.0, value));
    const double bottom = y_of(axis, field, std::min(0.0, value));
    pen.fill({left, top, std::max(width, 1.0), std::max(bottom - top, 0.0)}, colour_of_part(part, pen));
    if (bars.is_narrow) continue;
    const double line = pen.line_of(BoardFont::number);
    const double text_top = value < 0 ? bottom + 1 : top - line;
    pen.word(format_fixed(value, bars.decimals), BoardFont::number, pen.theme.inks.text, left + width / 2, text_top,
             centred);
  }
  if (is_hidden)
    pen.word("−∞", BoardFont::number, pen.theme.inks.dim_text, x + slot / 2, zero - pen.line_of(BoardFont::number),
             centred);
}

std::string tick_text(double value) {
  if (std::abs(value) < 1e-12) return "0";
  std::string text = fmt::format("{:.6f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Returns the axis of all curves, which ends at a power of ten; one without logarithms begins at 0.
ChartAxis axis_of(const BoardPlot& plot, std::vector<double> BoardCurve::*values, bool is_log) {
  ChartAxis axis{.is_log = is_log};
  for (const BoardCurve& curve : plot.curves) {
    for (const double value : curve.*values) {
      if (std::isfinite(value) && (!is_log || value > 0)) axis.add(value);
    }
  }
  if (axis.is_in_powers_of_two()) return axis;
  if (axis.low > axis.high) axis.low = axis.high = 1;
  if (is_log) {
    axis.low = std::pow(10, std::floor(std::log10(axis.low) + 1e-9));
    axis.high = std::pow(10, std::ceil(std::log10(axis.high) - 1e-9));
    if (axis.low == axis.high) axis.high *= 10;
  } else {
    axis.low = std::min(axis.low, 0.0);
    if (axis.low == axis.high) axis.high = axis.low + 1;
    axis.high += 0.05 * (axis.high - axis.low);
  }
  return axis;
}

double label_width(const BoardPen& pen, const ChartAxis& axis) {
  double width = 0;
  for (const double tick : axis.ticks()) width = std::max(width, pen.width(BoardFont::small, tick_text(tick)));
  return width + 6;
}

Rgb colour_of_curve(const BoardCurve& curve, const BoardPen& pen) {
  return curve.tint < 0 ? pen.theme.inks.dim_text : pen.tint(curve.tint);
}

void put_ticks(BoardPen& pen, const Box& field, const ChartAxis& x, const ChartAxis& y) {
  const double line = pen.line_of(BoardFont::small);
  for (const double tick : y.ticks()) {
    const double at = field.bottom() - y.share(tick) * field.height;
    pen.stroke({{field.x, at}, {field.right(), at}}, pen.line, 0.6);
    pen.word(tick_text(tick), BoardFont::small, pen.theme.inks.dim_text, field.x - 4, at - line / 2, ends);
  }
  for (const double tick : x.ticks()) {
    const double at = field.x + x.share(tick) * field.width;
    pen.stroke({{at, field.bottom()}, {at, field.bottom() + 4}}, pen.line);
    pen.word(tick_text(tick), BoardFont::small, pen.theme.inks.dim_text, at, field.bottom() + 4, centred);
  }
}

void put_curve(const BoardCurve& curve, BoardPen& pen, const Box& field, const ChartAxis& x, const ChartAxis& y) {
  const Rgb colour = colour_of_curve(curve, pen);
  const auto place = [&](std::size_t i) {
    return picture::Point{field.x + x.share(curve.x[i]) * field.width,
                          field.bottom() - y.share(curve.y[i]) * field.height};
  };
  std::vector<picture::Point> points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) points.push_back(place(i));
  if (curve.is_point) {
    for (const picture::Point& at : points) {
      const double reach = 4;
      pen.fill({at.x - reach, at.y - reach, 2 * reach, 2 * reach}, colour);
      pen.frame({at.x - reach, at.y - reach, 2 * reach, 2 * reach}, pen.theme.inks.text);
    }
    return;
  }
  if (!curve.is_dashed) return pen.stroke(std::move(points), colour, 2);
  constexpr int dashes = 6;  // dashes of each piece
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const picture::Point a = points[i];
    const picture::Point b = points[i + 1];
    const int count = std::max(1, static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / dashes));
    for (int dash = 0; dash < count; ++dash) {
      const double from = static_cast<double>(dash) / count;
      const double to = from + 0.55 / count;
      pen.stroke(
          {{a.x + from * (b.x - a.x), a.y + from * (b.y - a.y)}, {a.x + to * (b.x - a.x), a.y + to * (b.y - a.y)}},
          colour, 1.5);
    }
  }
}

}  // namespace

BoardSize set_item(const BoardBars& bars, BoardPen& pen, const Box& box) {
  std::vector<BoardKey> keys;
  if (bars.parts.size() > 1)
    for (const BoardBars::Part& part : bars.parts) keys.push_back({part.name, colour_of_part(part, pen)});
  const double slot = slot_width(bars, pen);
  const double width = slot * static_cast<double>(bar_count(bars));
  const double whole = std::max({width, widest_key(pen, keys), pen.width(BoardFont::heading, bars.title)});
  double top = pen.title(bars.title, bars.caption, box.x, box.y, whole);
  top = put_keys(pen, keys, box.x, top, whole) + (keys.empty() ? 0 : 4);
  const double number = bars.is_narrow ? 0 : pen.line_of(BoardFont::number);
  const Box field{box.x, top + number, width, bars_height * pen.cell};
  const BoardSize size{whole, field.bottom() + number + pen.line_of(BoardFont::small) + 2 - box.y};
  if (pen.is_measuring) return size;
  const ChartAxis axis = axis_of(bars);
  for (std::size_t bar = 0; bar < bar_count(bars); ++bar)
    put_bar(bars, pen, field, axis, bar, field.x + slot * static_cast<double>(bar), slot);
  const double zero = y_of(axis, field, 0);
  pen.stroke({{field.x, zero}, {field.right(), zero}}, pen.line);
  const double below = field.bottom() + (axis.low < 0 ? number : 0) + 2;
  for (std::size_t bar = 0; bar < bars.labels.size(); ++bar) {
    pen.word(bars.labels[bar], BoardFont::small, pen.theme.inks.text, field.x + slot * (static_cast<double>(bar) + 0.5),
             below, centred, bars.is_narrow ? 0 : slot - 2);
  }
  return size;
}

BoardSize set_item(const BoardPlot& plot, BoardPen& pen, const Box& box) {
  std::vector<BoardKey> keys;
  for (const BoardCurve& curve : plot.curves) {
    const BoardKey::Kind line = curve.is_dashed ? BoardKey::Kind::dashes : BoardKey::Kind::line;
    keys.push_back({curve.name, colour_of_curve(curve, pen), curve.is_point ? BoardKey::Kind::square : line});
  }
  const double least = std::max({plot_width, pen.width(BoardFont::heading, plot.title), widest_key(pen, keys)});
  if (!plot.has_legend) keys.clear();
  const double width = pen.is_measuring ? least : box.width;
  const double top = put_keys(pen, keys, box.x, pen.title(plot.title, {}, box.x, box.y, width), width) + 6;
  const double below = 2 * pen.line_of(BoardFont::small) + 6;
  const BoardSize size{least, top + std::max(plot_height * pen.cell, 90.0) + below - box.y, 0, 1e6};
  if (pen.is_measuring) return size;
  const ChartAxis x = axis_of(plot, &BoardCurve::x, true);
  const ChartAxis y = axis_of(plot, &BoardCurve::y, plot.is_log_y);
  const double left = label_width(pen, y);
  const double right = 12;
  const Box field{box.x + left, top, box.width - left - right,
                  box.bottom() - below - top};  // aligned with the field beside it
  put_ticks(pen, field, x, y);
  for (const BoardCurve& curve : plot.curves) put_curve(curve, pen, field, x, y);
  pen.word(plot.x_title, BoardFont::small, pen.theme.inks.dim_text, field.middle_x(),
           field.bottom() + 4 + pen.line_of(BoardFont::small), centred);
  return size;
}

}  // namespace attnscope::scene

#include <algorithm>
#include <cmath>

#include "look/number_text.h"
#include "scene/board_items.h"

namespace attnscope::scene {
namespace {

constexpr double bars_height = 4.2;  // in cells
constexpr double narrow_bar = 0.4;
constexpr double widest_bar_label = 36;  // that makes bars wider, at the usual size

std::size_t bar_count(const BoardBars& bars) { return bars.parts.empty() ? 0 : bars.parts.front().values.size(); }

struct BarScale {
  double low = 0;
  double high = 0;
};

BarScale scale_of(const BoardBars& bars) {
  BarScale scale;
  for (const BoardBars::Part& part : bars.parts) {
    for (const float each : part.values) {
      const double value = std::isfinite(each) ? static_cast<double>(each) : 0;
      scale.high = std::max(scale.high, value);
      scale.low = std::min(scale.low, value);
    }
  }
  if (bars.high) scale.high = static_cast<double>(*bars.high);
  if (scale.high == scale.low) scale.high = scale.low + 1;
  return scale;
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
double y_of(const BarScale& scale, const Box& field, double value) {
  return field.y + field.height * (scale.high - std::clamp(value, scale.low, scale.high)) / (scale.high - scale.low);
}

void put_bar(const BoardBars& bars, BoardPen& pen, const Box& field, const BarScale& scale, std::size_t bar, double x,
             double slot) {
  const double pad = pad_of(bars) * slot;
  const bool is_hidden = !bars.marks.empty() && bars.marks[bar].is_hidden;
  const double zero = y_of(scale, field, 0);
  const double width = (slot - 2 * pad) / static_cast<double>(bars.parts.size());
  double left = x + pad;
  for (const BoardBars::Part& part : bars.parts) {
    const auto value = static_cast<double>(part.values[bar]);
    if (is_hidden || !std::isfinite(value)) continue;
    const double top = y_of(scale, field, std::max(0.0, value));
    const double bottom = y_of(scale, field, std::min(0.0, value));
    pen.fill({left, top, std::max(width, 1.0), std::max(bottom - top, 0.0)}, colour_of_part(part, pen));
    left += width;
    if (bars.is_narrow) continue;
    const double line = pen.line_of(BoardFont::number);
    const double text_top = value < 0 ? bottom + 1 : top - line;
    pen.word(format_fixed(value, bars.decimals), BoardFont::number, pen.theme.inks.text, left - width / 2, text_top,
             centred);
  }
  if (is_hidden)
    pen.word("−∞", BoardFont::number, pen.theme.inks.dim_text, x + slot / 2, zero - pen.line_of(BoardFont::number),
             centred);
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
  const BarScale scale = scale_of(bars);
  for (std::size_t bar = 0; bar < bar_count(bars); ++bar)
    put_bar(bars, pen, field, scale, bar, field.x + slot * static_cast<double>(bar), slot);
  const double zero = y_of(scale, field, 0);
  pen.stroke({{field.x, zero}, {field.right(), zero}}, pen.line);
  const double below = field.bottom() + (scale.low < 0 ? number : 0) + 2;
  for (std::size_t bar = 0; bar < bars.labels.size(); ++bar) {
    pen.word(bars.labels[bar], BoardFont::small, pen.theme.inks.text, field.x + slot * (static_cast<double>(bar) + 0.5),
             below, centred, bars.is_narrow ? 0 : slot - 2);
  }
  return size;
}

}  // namespace attnscope::scene

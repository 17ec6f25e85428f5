#include <algorithm>
#include <cmath>

#include "look/number_text.h"
#include "paint_file/figure_page.h"

namespace attnscope {
namespace {

constexpr double bar_gap = 1.3;  // ems before the bar
constexpr double bar_thickness = 0.95;
constexpr double number_gap = 0.45;
constexpr double small_bar = 0.5;
constexpr double number_ems = 0.85;

// So many that neighbouring numbers of a bar differ; none where both ends and all between them are whole.
int decimals_for(const ColourRange& range, int intervals) {
  const double step = (static_cast<double>(range.high) - range.low) / intervals;
  if (step == std::round(step) && range.low == std::round(range.low)) return 0;
  if (!(step > 0) || !std::isfinite(step)) return 2;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 2, 6);
}

std::string number_at(const ColourRange& range, int tick, int intervals) {
  const double share = intervals == 0 ? 0.5 : static_cast<double>(tick) / intervals;
  return bar_number(range, range.low * (1 - share) + range.high * share, decimals_for(range, std::max(1, intervals)));
}

int intervals_for(const Page& page, const ColourRange& range, double height) {
  if (!(range.high > range.low)) return 0;
  if (range.measure.kind == MeasureKind::logarithm) return std::min(4, static_cast<int>(range.high - range.low));
  if (height >= 9 * page.em) return 4;
  return height >= 4 * page.em ? 2 : 1;
}

std::string_view range_name(const FigureContent& content, const ColourRange& range) {
  const FigureOptions& options = content.options;
  const bool follows_numbers = options.range == RangeMode::own || options.range == RangeMode::shared;
  if (options.fixed_range) return "fixed range";
  if (range.measure.kind != MeasureKind::value) return measure_name(range);
  if (content.is_of_series && follows_numbers) return "range of all frames";
  if (options.range == RangeMode::own) return "own range";
  return options.range == RangeMode::shared ? "range of all heads" : "";
}

}  // namespace

double vertical_bar_width(const Page& page, const FigurePanel& panel) {
  if (!panel.has_bar) return 0;
  double widest = 0;
  for (int intervals : {1, 2, 4}) {
    for (int tick = 0; tick <= intervals; ++tick) {
      const std::string number = number_at(panel.range, tick, intervals);
      widest = std::max(widest, page.shaper.width(number, page.style(number_ems)));
    }
  }
  const double name = range_name(page.content, panel.range).empty() ? 0 : 1.2;
  return (bar_gap + bar_thickness + number_gap + name) * page.em + widest;
}

void put_vertical_bar(Page& page, const ColourRange& range, double x, double top, double height) {
  const TextStyle style = page.style(number_ems);
  const Box box = {x + bar_gap * page.em, top, bar_thickness * page.em, height};
  page.layout.bars.push_back({box, range, true});
  const int intervals = intervals_for(page, range, height);
  const double left = box.right() + number_gap * page.em;
  double right = left;
  for (int tick = 0; tick <= intervals; ++tick) {
    const double share = intervals == 0 ? 0.5 : static_cast<double>(tick) / intervals;
    const double middle = box.bottom() - share * height;
    page.layout.ticks.push_back({box.right(), middle, box.right() + 0.2 * page.em, middle});
    const Box& text = page.put(number_at(range, tick, intervals), style, page.inks.text, left,
                               middle - line_height * style.size / 2, Align::left);
    right = std::max(right, text.right());
  }
  const std::string_view name = range_name(page.content, range);
  if (!name.empty() && page.shaper.width(name, style) <= height)
    page.put_vertical_centred(name, style, page.inks.dim, right + 0.7 * page.em, box.middle_y());
}

void put_header_bar(Page& page, const ColourRange& range, double right, double top, double room) {
  const TextStyle style = page.style(1);
  const bool is_centred = range.low == -range.high;
  const std::string low = is_centred ? "±" + number_at(range, 1, 1) : number_at(range, 0, 1);
  const std::string high = is_centred ? "" : number_at(range, 1, 1);
  const double gap = 0.3 * page.em;
  const double length = 1.9 * page.em;
  const double after = high.empty() ? 0 : gap + page.shaper.width(high, style);
  if (page.shaper.width(low, style) + gap + length + after > room) return;
  const double bar_right = right - after;
  const double height = 0.6 * page.em;
  page.layout.bars.push_back(
      {{bar_right - length, top + (line_height * style.size - height) / 2, length, height}, range, false});
  if (!high.empty()) page.put(high, style, page.inks.dim, right, top, Align::right);
  page.put(low, style, page.inks.dim, bar_right - length - gap, top, Align::right);
}

double small_bar_height(const Page& page) { return (0.55 + small_bar + 0.15 + line_height * 0.8) * page.em; }

void put_small_bar(Page& page, const ColourRange& range, double x, double top, double width) {
  const Box box = {x, top + 0.55 * page.em, width, small_bar * page.em};
  page.layout.bars.push_back({box, range, false});
  const bool is_point = !(range.high > range.low);
  const std::string low = number_at(range, 0, is_point ? 0 : 1);
  const std::string high = is_point ? "" : number_at(range, 1, 1);
  TextStyle style = page.style(0.8);
  const double needed = page.shaper.width(low, style) + page.shaper.width(high, style) + 0.5 * page.em;
  if (needed > width) style.size *= width / needed;
  const double number_top = box.bottom() + 0.15 * page.em;
  page.put(low, style, page.inks.dim, is_point ? box.middle_x() : box.x, number_top,
           is_point ? Align::centre : Align::left);
  if (!is_point) page.put(high, style, page.inks.dim, box.right(), number_top, Align::right);
}

}  // namespace attnscope

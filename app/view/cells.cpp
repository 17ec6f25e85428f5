#include "view/cells.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluate.h"
#include "core/results.h"
#include "core/text.h"
#include "core/visibility.h"

namespace attnscope::scene {
namespace {

using picture::Face;
using picture::Point;

constexpr double middle_of_digits = 0.36;  // height above their feet, in sizes
constexpr double quiet_size = 1.1;         // size of a hidden cell's −∞, in least sizes

// Returns the text of a hidden cell: minus infinity among scores, 1 in the mask, 0 among weights.
std::string hidden_text(const CellNumbers& numbers) {
  const StageRange range = info(numbers.cells.stage).range;
  if (numbers.cells.result->difference) return {};
  if (range == StageRange::boolean) return "1";
  if (range == StageRange::signed_value) return "\u2212∞";
  return numbers.names_hidden ? "0" : "";
}

bool is_zero(std::string_view number) { return number.find_first_of("123456789") == std::string_view::npos; }

// Returns the text of a cell; empty if it shows no number.
std::string text_of(const CellNumbers& numbers, int decimals, Index row, Index col, float value, bool is_hidden,
                    bool is_dropped) {
  const picture::Heatmap& cells = numbers.cells;
  if (numbers.is_covered && numbers.is_covered(row, col)) return {};
  if (is_hidden) return hidden_text(numbers);
  const std::optional<CellMark> mark = mark_of(value, is_dropped);
  if (mark && replaces_number(*mark)) return {};
  const bool is_whole = info(cells.stage).range == StageRange::boolean;
  std::string text = format_fixed(static_cast<double>(value), is_whole ? 0 : decimals);
  // An unchanged number stays blank, and no change is written as 0.
  if (cells.result->difference && std::isfinite(value) && is_zero(text)) return {};
  const std::size_t zero = text.find("0.");
  const bool is_below_one = zero == 0 || (zero != std::string::npos && text.starts_with("−") && zero == 3);
  if (numbers.omits_zero && is_below_one) text.erase(zero, 1);
  return text;
}

// Leaves out a number that the plot's edge would cut: half a number is another number.
bool is_inside(const Box& plot, const Box& cell, double width, double size) {
  const double x = cell.middle_x();
  const double y = cell.middle_y();
  return x - width / 2 >= plot.x - 1 && x + width / 2 <= plot.right() + 1 && y - 0.4 * size >= plot.y - 1 &&
         y + 0.4 * size <= plot.bottom() + 1;
}

// Lengths in ems.
constexpr double sample_side = 1.15;
constexpr double sample_gap = 0.45;  // gap between a sample and its name
constexpr double between_samples = 1.6;
constexpr double next_line = 1.5;

double text_size(const SheetPen& pen) { return pen.size(0.9); }

double entry_width(const SheetPen& pen, const CellMarkInfo& entry) {
  return (sample_side + sample_gap) * pen.em + pen.width(entry.text, text_size(pen));
}

constexpr double bar_gap = 1.3;  // ems of space before the bar
constexpr double bar_thickness = 0.95;
constexpr double bar_number_gap = 0.45;
constexpr double small_bar = 0.5;
constexpr double bar_number_ems = 0.85;

// Returns the decimals that tell neighbouring numbers of a bar apart; 0 if all of them are whole.
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
    pen.fill(box, entry_of(range.map, range.ends, colormap_entries / 2));
  } else {
    pen.picture.add(picture::Gradient{box, range.map, is_vertical, range.ends});
  }
  pen.frame(box, pen.line, pen.thin);
}

}  // namespace

void put_numbers(picture::Picture& picture, const CellNumbers& numbers, const ThemeColours& theme,
                 const picture::TextMeasure& measure) {
  const picture::Heatmap& cells = numbers.cells;
  const CellPlot plot = plot_of(cells);
  const CellRect shown = plot.shown();
  if (!cells.result || numbers.size <= 0 || shown.rows * shown.cols > most_numbers) return;
  const Visibility seen = visibility(*cells.result, cells.stage);
  const std::vector<float> values = read_shown(cells, cells.stage, shown);
  std::vector<float> factors;  // dropout's factors; empty if nothing is dropped
  if (shows_dropped(*cells.result, cells.stage)) factors = read_shown(cells, Stage::dropout_factors, shown);
  struct Number {
    std::string text;
    Index row, col;
    float value;
    bool is_hidden;
  };
  std::vector<Number> all;
  double fitting = 0;
  const double room = plot.cell_width() - 0.5;
  constexpr double touching = 0.01;
  // Numbers that are wider than expected are rounded before they are left out.
  for (int decimals = numbers.decimals; decimals >= std::min(1, numbers.decimals); --decimals) {
    all.clear();
    double widest = 0;
    for (std::size_t at = 0; at < values.size(); ++at) {
      const Index row = shown.row + static_cast<Index>(at) / shown.cols;
      const Index col = shown.col + static_cast<Index>(at) % shown.cols;
      const bool is_hidden = !cells.is_transposed && seen.hides(row, col);
      const bool is_dropped = !factors.empty() && factors[at] == 0;
      std::string text = text_of(numbers, decimals, row, col, values[at], is_hidden, is_dropped);
      if (text.empty()) continue;
      widest = std::max(widest, measure(text, numbers.size, Face::number));
      all.push_back({std::move(text), row, col, values[at], is_hidden});
    }
    fitting = widest > room ? numbers.size * (room / widest) : numbers.size;
    if (fitting >= numbers.least - touching || cells.result->difference) break;
  }
  if (fitting < numbers.least - touching) return;
  for (Number& number : all) {
    const Box cell = plot.cell(number.row, number.col);
    const bool is_hatched = number.is_hidden || (std::isinf(number.value) && number.value < 0);
    const bool is_quiet = is_hatched && !numbers.names_hidden;
    const double size = is_quiet ? std::min(fitting, std::max(numbers.least, 1.0) * quiet_size) : fitting;
    if (!is_inside(plot.box, cell, measure(number.text, size, Face::number), size)) continue;
    const Rgb colour = is_hatched
                           ? grey(theme.greys.hidden)
                           : cell_colour(cells.range, number.value, cells.is_transposed ? number.col : number.row);
    const Rgb ink = is_quiet ? theme.inks.dim_text : ink_on(mix(numbers.ground, colour, cells.opacity));
    picture.add(picture::Word{.text = std::move(number.text),
                              .x = cell.middle_x(),
                              .y = cell.middle_y() + size * middle_of_digits,
                              .size = size,
                              .face = Face::number,
                              .ink = {ink, numbers.alpha},
                              .anchor = 0.5,
                              .is_on_hatch = is_hatched});
  }
}

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
    // Draw a hollow diamond and a filled triangle, on a grey that no colour map has.
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
      // Draws a corner with a white rim, so that it shows on every colour.
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
    if (x < left - touching || x + width > right + touching) {  // a narrow page has the marks below each other
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
  const bool is_one = is_centred(bar.range) && bar.has_numbers;
  const std::string low = is_one ? "±" + number_at(bar, 1, 1) : number_at(bar, 0, 1);
  const std::string high = is_one ? "" : number_at(bar, 1, 1);
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

#include "scene/cell_numbers.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/cells.h"
#include "core/difference.h"
#include "core/visibility.h"
#include "look/cell_mark.h"
#include "look/number_text.h"

namespace attnscope::scene {
namespace {

using picture::Face;

constexpr double middle_of_digits = 0.36;  // above their feet, in sizes
constexpr double quiet_size = 1.1;         // of a hidden cell's −∞, in the least sizes

// Returns the text of a hidden cell: minus infinity among scores, 1 in the mask, 0 among weights.
std::string hidden_text(const CellNumbers& numbers) {
  const StageRange range = info(numbers.cells.stage).range;
  if (numbers.cells.result->difference) return {};
  if (range == StageRange::boolean) return "1";
  if (range == StageRange::signed_value) return "\u2212∞";
  return numbers.names_hidden ? "0" : "";
}

// Returns the text of a cell; empty where it shows no number.
std::string text_of(const CellNumbers& numbers, Index row, Index col, float value, bool is_hidden, bool is_dropped) {
  const picture::Heatmap& cells = numbers.cells;
  if (numbers.is_covered && numbers.is_covered(row, col)) return {};
  if (is_hidden) return hidden_text(numbers);
  const std::optional<CellMark> mark = mark_of(value, is_dropped);
  if (mark && replaces_number(*mark)) return {};
  if (value == 0 && cells.result->difference) return {};  // what has not changed stays blank
  const bool is_whole = info(cells.stage).range == StageRange::boolean;
  return format_fixed(static_cast<double>(value), is_whole ? 0 : numbers.decimals);
}

// A number that the plot's edge would cut is left out: half a number is another number.
bool is_inside(const Box& plot, const Box& cell, double width, double size) {
  const double x = cell.middle_x();
  const double y = cell.middle_y();
  return x - width / 2 >= plot.x - 1 && x + width / 2 <= plot.right() + 1 && y - 0.4 * size >= plot.y - 1 &&
         y + 0.4 * size <= plot.bottom() + 1;
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
  std::vector<float> factors;  // of dropout; empty where nothing is dropped
  if (shows_dropped(*cells.result, cells.stage)) factors = read_shown(cells, Stage::dropout_factors, shown);
  struct Number {
    std::string text;
    Index row, col;
    float value;
    bool is_hidden;
  };
  std::vector<Number> all;
  double widest = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    const Index row = shown.row + static_cast<Index>(at) / shown.cols;
    const Index col = shown.col + static_cast<Index>(at) % shown.cols;
    const bool is_hidden = !cells.is_transposed && seen.hides(row, col);
    std::string text = text_of(numbers, row, col, values[at], is_hidden, !factors.empty() && factors[at] == 0);
    if (text.empty()) continue;
    widest = std::max(widest, measure(text, numbers.size, Face::number));
    all.push_back({std::move(text), row, col, values[at], is_hidden});
  }
  const double room = plot.cell_width() - 0.5;
  const double fitting = widest > room ? numbers.size * (room / widest) : numbers.size;
  constexpr double touching = 0.01;
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

}  // namespace attnscope::scene

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

class NumberWriter {
public:
  NumberWriter(picture::Picture& picture, const CellNumbers& numbers, const ThemeColours& theme,
               const picture::TextMeasure& measure)
      : picture_(picture),
        n_(numbers),
        theme_(theme),
        measure_(measure),
        seen_(visibility(*numbers.cells.result, numbers.cells.stage)),
        plot_(plot_of(numbers.cells)),
        shown_(plot_.shown()),
        values_(read_shown(numbers.cells, numbers.cells.stage, shown_)) {
    if (shows_dropped(*n_.cells.result, n_.cells.stage))
      factors_ = read_shown(n_.cells, Stage::dropout_factors, shown_);
  }

  void write() {
    double widest = 0;
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < values_.size(); ++at) {
      texts.push_back(text_of(at));
      if (!texts.back().empty()) widest = std::max(widest, measure_(texts.back(), n_.size, Face::number));
    }
    double size = n_.size;
    const double room = plot_.cell_width() - 0.5;
    if (widest > room) size *= room / widest;
    constexpr double touching = 0.01;
    if (size < n_.least - touching) return;
    for (std::size_t at = 0; at < values_.size(); ++at) put(std::move(texts[at]), at, size);
  }

private:
  Index row_of(std::size_t at) const { return shown_.row + static_cast<Index>(at) / shown_.cols; }
  Index col_of(std::size_t at) const { return shown_.col + static_cast<Index>(at) % shown_.cols; }
  bool hides(Index row, Index col) const { return !n_.cells.is_transposed && seen_.hides(row, col); }

  std::string text_of(std::size_t at) const {
    const Index row = row_of(at);
    const Index col = col_of(at);
    if (n_.is_covered && n_.is_covered(row, col)) return {};
    if (hides(row, col)) return hidden_text(n_);
    const float value = values_[at];
    const std::optional<CellMark> mark = mark_of(value, !factors_.empty() && factors_[at] == 0);
    if (mark && replaces_number(*mark)) return {};
    if (value == 0 && n_.cells.result->difference) return {};  // what has not changed stays blank
    const bool is_whole = info(n_.cells.stage).range == StageRange::boolean;
    return format_fixed(static_cast<double>(value), is_whole ? 0 : n_.decimals);
  }

  // A number that the plot's edge would cut is left out: half a number is another number.
  bool is_inside(const Box& cell, double width, double size) const {
    const Box& box = plot_.box;
    const double x = cell.middle_x();
    const double y = cell.middle_y();
    return x - width / 2 >= box.x - 1 && x + width / 2 <= box.right() + 1 && y - 0.4 * size >= box.y - 1 &&
           y + 0.4 * size <= box.bottom() + 1;
  }

  void put(std::string text, std::size_t at, double size) {
    if (text.empty()) return;
    const Index row = row_of(at);
    const Index col = col_of(at);
    const Box cell = plot_.cell(row, col);
    const float value = values_[at];
    const bool is_hatched = hides(row, col) || (std::isinf(value) && value < 0);
    const bool is_quiet = is_hatched && !n_.names_hidden;
    if (is_quiet) size = std::min(size, std::max(n_.least, 1.0) * quiet_size);
    if (!is_inside(cell, measure_(text, size, Face::number), size)) return;
    const Rgb colour =
        is_hatched ? grey(theme_.greys.hidden) : cell_colour(n_.cells.range, value, n_.cells.is_transposed ? col : row);
    const Rgb ink = is_quiet ? theme_.inks.dim_text : ink_on(mix(n_.ground, colour, n_.cells.opacity));
    picture_.items.emplace_back(picture::Word{.text = std::move(text),
                                              .x = cell.middle_x(),
                                              .y = cell.middle_y() + size * middle_of_digits,
                                              .size = size,
                                              .face = Face::number,
                                              .ink = {ink, n_.alpha},
                                              .anchor = 0.5,
                                              .is_on_hatch = is_hatched});
  }

  picture::Picture& picture_;
  const CellNumbers& n_;
  const ThemeColours& theme_;
  const picture::TextMeasure& measure_;
  Visibility seen_;
  CellPlot plot_;
  CellRect shown_;
  std::vector<float> values_;
  std::vector<float> factors_;  // of dropout; empty where nothing is dropped
};

}  // namespace

void put_numbers(picture::Picture& picture, const CellNumbers& numbers, const ThemeColours& theme,
                 const picture::TextMeasure& measure) {
  const CellRect shown = plot_of(numbers.cells).shown();
  if (!numbers.cells.result || numbers.size <= 0 || shown.rows * shown.cols > most_numbers) return;
  NumberWriter(picture, numbers, theme, measure).write();
}

}  // namespace attnscope::scene

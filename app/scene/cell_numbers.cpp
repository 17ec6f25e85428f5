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
#include "look/stage_look.h"

namespace attnscope::scene {
namespace {

using picture::Face;

constexpr double middle_of_digits = 0.36;  // above their feet, in sizes
constexpr double quiet_size = 1.1;         // of a hidden cell's −∞, in the least sizes

// The cells that show, read all at once: one by one they would take their time where they are computed.
class ShownCells {
public:
  explicit ShownCells(const picture::Heatmap& cells) : is_transposed_(cells.is_transposed) {
    const CellAxis down = plot_of(cells).down();
    const CellAxis across = plot_of(cells).across();
    rect_ = {down.begin_index(), across.begin_index(), down.end_index() - down.begin_index(),
             across.end_index() - across.begin_index()};
    if (is_transposed_) rect_ = {rect_.col, rect_.row, rect_.cols, rect_.rows};
    values_.resize(static_cast<std::size_t>(rect_.rows * rect_.cols));
    read_cells(values_, *cells.result, cells.stage, cells.matrix, rect_);
    if (!shows_dropped(*cells.result, cells.stage)) return;
    factors_.resize(values_.size());
    read_cells(factors_, *cells.result, Stage::dropout_factors, cells.matrix, rect_);
  }
  float value(Index row, Index col) const { return values_[at(row, col)]; }
  bool is_dropped(Index row, Index col) const { return !factors_.empty() && factors_[at(row, col)] == 0; }

private:
  std::size_t at(Index row, Index col) const {
    if (is_transposed_) std::swap(row, col);
    return static_cast<std::size_t>((row - rect_.row) * rect_.cols + col - rect_.col);
  }
  bool is_transposed_;
  CellRect rect_;  // as stored
  std::vector<float> values_, factors_;
};

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
        cells_(numbers.cells) {}

  void write() {
    const CellAxis down = plot_.down();
    const CellAxis across = plot_.across();
    double widest = 0;
    std::vector<std::string> texts;
    for (Index row = down.begin_index(); row < down.end_index(); ++row) {
      for (Index col = across.begin_index(); col < across.end_index(); ++col) {
        texts.push_back(text_of(row, col));
        if (!texts.back().empty()) widest = std::max(widest, measure_(texts.back(), n_.size, Face::number));
      }
    }
    double size = n_.size;
    const double room = plot_.cell_width() - 0.5;
    if (widest > room) size *= room / widest;
    constexpr double touching = 0.01;
    if (size < n_.least - touching) return;
    std::size_t at = 0;
    for (Index row = down.begin_index(); row < down.end_index(); ++row) {
      for (Index col = across.begin_index(); col < across.end_index(); ++col)
        put(std::move(texts[at++]), row, col, size);
    }
  }

private:
  bool hides(Index row, Index col) const { return !n_.cells.is_transposed && seen_.hides(row, col); }

  std::string text_of(Index row, Index col) const {
    if (n_.is_covered && n_.is_covered(row, col)) return {};
    if (hides(row, col)) return hidden_text(n_);
    const float value = cells_.value(row, col);
    const std::optional<CellMark> mark = mark_of(value, cells_.is_dropped(row, col));
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

  void put(std::string text, Index row, Index col, double size) {
    if (text.empty()) return;
    const Box cell = plot_.cell(row, col);
    const float value = cells_.value(row, col);
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
  ShownCells cells_;
};

}  // namespace

void put_numbers(picture::Picture& picture, const CellNumbers& numbers, const ThemeColours& theme,
                 const picture::TextMeasure& measure) {
  const CellAxis down = plot_of(numbers.cells).down();
  const CellAxis across = plot_of(numbers.cells).across();
  const Index shown = (down.end_index() - down.begin_index()) * (across.end_index() - across.begin_index());
  if (!numbers.cells.result || numbers.size <= 0 || shown > most_numbers) return;
  NumberWriter(picture, numbers, theme, measure).write();
}

}  // namespace attnscope::scene

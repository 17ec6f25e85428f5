#include "scene/axis_names.h"

#include <algorithm>
#include <cmath>

#include "look/number_text.h"

namespace attnscope::scene {

using picture::Face;
using picture::line_height;

std::optional<double> CellAxis::middle_of_name(Index index, double line, bool is_thinned) const {
  const double low = at(index);
  const double high = at(index + 1);
  const double end = begin + length;
  constexpr double touching = 0.5;
  if (low >= begin - touching && high <= end + touching) return (low + high) / 2;
  const double from = std::max(low, begin);
  const double to = std::min(high, end);
  if (to - from < (is_thinned ? 0.5 * cell() : std::min(0.78 * line, 0.6 * cell()))) return {};
  return std::clamp((from + to) / 2, begin + line / 2 - 1, std::max(begin + line / 2 - 1, end - line / 2 + 1));
}

namespace {

constexpr double name_gap = 0.45;    // ems between names and cells
constexpr double tick_length = 0.3;  // ems
constexpr double name_slack = 0.1;   // of its size: letters of a window come in a few sizes
constexpr double least_cell = 0.1;   // units, where there is no room at all

// Names of so many cells along an axis are set smaller before they are thinned.
double size_beside(const SheetWriter& writer, const NameFit& names, double cell) {
  const double shrink = std::clamp(cell / names.line, writer.style.lowest_name, 1.0);
  return std::max(names.size * shrink, std::min(names.size, writer.pen.least_text));
}

Index step_of(const SheetWriter& writer, const NameFit& names, double cell) {
  return thinned_step(std::max(cell, least_cell), names.line * size_beside(writer, names, cell) / names.size);
}

std::string name_at(std::span<const std::string> names, Index index) {
  return index < std::ssize(names) ? names[static_cast<std::size_t>(index)] : std::to_string(index + 1);
}

Index first_named(const CellAxis& axis, Index step) { return (axis.begin_index() + step - 1) / step * step; }

double sum_size(const SheetWriter& writer, double name_size) {
  return std::max(std::min(writer.pen.size(0.9), name_size), writer.pen.least_text);
}

}  // namespace

NameFit fit_names(const SheetWriter& writer) {
  const SheetPen& pen = writer.pen;
  const SheetStyle& style = writer.style;
  const double full = pen.size(1);
  const double longest = pen.width(writer.texts.widest_name, full);
  const double shrink = longest > style.most_names ? std::max(style.most_names / longest, style.smallest_name) : 1.0;
  const double size = full * shrink;
  return {size, std::min(pen.width(writer.texts.widest_name, size), style.longest_names), style.name_line * shrink};
}

ColumnFit fit_columns(const SheetWriter& writer, const SheetMatrix& matrix, double cell_width, const NameFit& names) {
  const SheetPen& pen = writer.pen;
  cell_width = std::max(cell_width, least_cell);
  ColumnFit fit;
  if (!matrix.has_key_columns) {
    fit.size = pen.size(0.85);
    fit.step = thinned_step(cell_width, pen.width(std::to_string(matrix.laid_cols()), fit.size) + 0.5 * pen.em);
    fit.height = line_height * fit.size;
    return fit;
  }
  fit.size = names.size;
  fit.is_turned = names.width + 0.5 * pen.em > cell_width;
  fit.height = line_height * fit.size;
  if (!fit.is_turned) return fit;
  fit.size = size_beside(writer, names, cell_width);
  fit.step = step_of(writer, names, cell_width);
  fit.height = names.width * fit.size / names.size;
  return fit;
}

double strip_height(const SheetPen& pen, const SheetMatrix& matrix) { return matrix.head_cols > 0 ? 0.4 * pen.em : 0; }

double row_sums_width(const SheetWriter& writer, const SheetMatrix& matrix) {
  if (matrix.widest_sums.empty()) return 0;
  const SheetPen& pen = writer.pen;
  double widest = pen.width("sum", pen.size(0.85));
  for (const std::string& sum : matrix.widest_sums) widest = std::max(widest, pen.width(sum, pen.size(0.9)));
  return widest + 0.6 * pen.em;
}

void put_row_names(const SheetWriter& writer, const PlacedSheetMatrix& placed, const NameFit& names) {
  const SheetPen& pen = writer.pen;
  const CellAxis axis = placed.plot.down();
  const double size = size_beside(writer, names, axis.cell());
  const Index step = step_of(writer, names, axis.cell());
  const Box& box = placed.plot.box;
  for (Index row = first_named(axis, step); row < axis.end_index(); row += step) {
    const std::optional<double> middle = axis.middle_of_name(row, line_height * size, step > 1);
    if (!middle) continue;
    const bool is_marked = writer.style.is_marking_names && placed.matrix->marks.has_row(row);
    const ThemeInks& inks = pen.theme.inks;
    pen.put(pen.shorten(name_at(writer.texts.row_names, row), size, names.width + name_slack * size), size,
            is_marked ? inks.cross_hair : inks.text, box.x - name_gap * pen.em, *middle - line_height * size / 2, 1);
    if (step > 1) pen.stroke({{box.x - tick_length * pen.em, *middle}, {box.x, *middle}}, pen.line, pen.thin);
  }
}

void put_column_names(const SheetWriter& writer, const PlacedSheetMatrix& placed, const ColumnFit& columns) {
  const SheetPen& pen = writer.pen;
  const SheetMatrix& matrix = *placed.matrix;
  const CellAxis axis = placed.plot.across();
  const Box& box = placed.plot.box;
  const double strip = strip_height(pen, matrix);
  const double bottom = box.y - name_gap * pen.em - strip;
  for (Index col = first_named(axis, columns.step); col < axis.end_index(); col += columns.step) {
    const std::string name = matrix.has_key_columns ? name_at(writer.texts.column_names, col) : std::to_string(col + 1);
    const double needed = columns.is_turned ? line_height * columns.size : 1.3 * pen.width(name, columns.size);
    const std::optional<double> middle = axis.middle_of_name(col, needed, columns.step > 1);
    if (!middle) continue;
    if (columns.step > 1 && strip == 0)
      pen.stroke({{*middle, box.y - tick_length * pen.em}, {*middle, box.y}}, pen.line, pen.thin);
    const bool is_marked = writer.style.is_marking_names && matrix.has_key_columns && matrix.marks.col == col;
    const ThemeInks& inks = pen.theme.inks;
    const Rgb ink = is_marked ? inks.cross_hair : matrix.has_key_columns ? inks.text : inks.dim_text;
    if (columns.is_turned) {
      pen.put_turned(pen.shorten(name, columns.size, columns.height + name_slack * columns.size), columns.size, ink,
                     *middle, bottom);
    } else {
      pen.put(name, columns.size, ink, *middle, bottom - columns.height, 0.5);
    }
  }
}

void put_head_strip(const SheetWriter& writer, const PlacedSheetMatrix& placed) {
  const SheetPen& pen = writer.pen;
  const SheetMatrix& matrix = *placed.matrix;
  if (matrix.head_cols == 0) return;
  const double thickness = 0.28 * pen.em;
  const Box& box = placed.plot.box;
  for (Index first = 0; first < matrix.cols; first += matrix.head_cols) {
    const double left = std::max(placed.plot.across().at(first), box.x);
    const double right = std::min(placed.plot.across().at(first + matrix.head_cols), box.right());
    if (right <= left) continue;
    const double inset = std::min(0.06 * pen.em, 0.2 * (right - left));
    pen.fill({left + inset, box.y - thickness - 0.2 * pen.em, right - left - 2 * inset, thickness},
             head_rgb(first / matrix.head_cols, pen.theme.is_dark));
  }
}

void put_row_sums(const SheetWriter& writer, const PlacedSheetMatrix& placed, const NameFit& names,
                  std::size_t number) {
  const SheetMatrix& matrix = *placed.matrix;
  if (matrix.widest_sums.empty()) return;
  const SheetPen& pen = writer.pen;
  const ThemeInks& inks = pen.theme.inks;
  const double title = pen.size(0.85);
  pen.put("sum", title, inks.dim_text, placed.sums_right, placed.plot.box.y - name_gap * pen.em - line_height * title,
          1);
  const CellAxis axis = placed.plot.down();
  const double size = sum_size(writer, size_beside(writer, names, axis.cell()));
  const Index step = step_of(writer, names, axis.cell());
  for (Index row = first_named(axis, step); row < axis.end_index(); row += step) {
    const std::optional<double> middle = axis.middle_of_name(row, line_height * size, step > 1);
    const std::optional<float> sum = middle ? writer.texts.row_sum(number, row) : std::nullopt;
    if (!sum) continue;
    const bool is_off = matrix.sums_to_one && is_off_one(*sum);
    pen.put(format_fixed(static_cast<double>(*sum), writer.style.sum_decimals), size,
            is_off ? inks.warning : inks.dim_text, placed.sums_right, *middle - line_height * size / 2, 1);
  }
}

}  // namespace attnscope::scene

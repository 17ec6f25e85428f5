#include "view/matrix_sheet.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace attnscope::scene {

using picture::Face;
using picture::line_height;

namespace {

// Lengths in ems.
constexpr double matrix_gap = 1.5;    // gap between matrices side by side
constexpr double matrices_gap = 1.3;  // gap between lines of matrices
constexpr double axis_title = 1.35;   // room of an axis title
constexpr double edge_gap = 0.45;     // gap between names and cells
constexpr double tick_length = 0.3;
constexpr double heading_line = 1.35;
constexpr double feature_cell = 2;      // widest cell, in usual heights of its row, if no matrix has keys for columns
constexpr double narrowest_matrix = 1;  // a narrower matrix shows nothing
constexpr double longest_bar = 24;
constexpr double least_bar = 4.5;
constexpr double name_slack = 0.1;        // slack of a name in its sizes: letters of a window come in a few sizes
constexpr double tallest_features = 1.1;  // height of all their lines, in widths of the page
constexpr double square_share = 2.0 / 3;  // square cells keep at least this share of their area
constexpr double widest_cell = 2;         // limits cells that are not square, in their heights
constexpr double widest_feature = 2.35;
constexpr double least_cell = 0.1;  // units, if there is no room at all

// The way in which the names above a matrix are set.
struct ColumnFit {
  double size = 0;
  bool is_turned = false;
  bool has_dimensions = false;  // columns have the names of the inputs' dimensions
  Index step = 1;
  double height = 0;
};

std::string name_at(std::span<const std::string> names, Index index) {
  return index < std::ssize(names) ? names[static_cast<std::size_t>(index)] : std::to_string(index + 1);
}

// Returns the middle of a name that needs `line`; nothing if the end of the axis leaves too little of the row or
// column. If names are thinned out, the middle of the row must show.
std::optional<double> middle_of_name(const CellAxis& axis, Index index, double line, bool is_thinned) {
  const double low = axis.at(index);
  const double high = axis.at(index + 1);
  const double end = axis.begin + axis.length;
  constexpr double touching = 0.5;
  if (low >= axis.begin - touching && high <= end + touching) return (low + high) / 2;
  const double from = std::max(low, axis.begin);
  const double to = std::min(high, end);
  if (to - from < (is_thinned ? 0.5 * axis.cell() : std::min(0.78 * line, 0.6 * axis.cell()))) return {};
  const double lowest = axis.begin + line / 2 - 1;
  return std::clamp((from + to) / 2, lowest, std::max(lowest, end - line / 2 + 1));
}

class SheetMaker {
public:
  // Measures names, sums and bars for `columns` matrices side by side.
  SheetMaker(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts, const SheetLines& lines,
             std::size_t columns)
      : pen_(pen), style_(style), texts_(texts), lines_(lines), columns_(columns), small_(pen.size(0.85)) {
    const double longest = pen.width(texts.widest_name, pen.size(1));
    const double shrink = longest > style.most_names ? std::max(style.most_names / longest, style.smallest_name) : 1.0;
    name_size_ = pen.size(1) * shrink;
    name_width_ = std::min(pen.width(texts.widest_name, name_size_), style.longest_names);
    name_line_ = style.name_line * shrink;
    before_ = (axis_title + edge_gap) * pen.em + name_width_;
    for_each_place([&](const SheetMatrix& matrix, std::size_t) {
      sums_ = std::max(sums_, sums_width(matrix));
      if (style.shares_bar && matrix.has_bar) bar_ = std::max(bar_, vertical_bar_width(pen, bar_of(matrix)));
    });
    const auto count = static_cast<double>(columns);
    available_ = (style.width - before_ - bar_ - (count - 1) * matrix_gap * pen.em) / count - sums_;
  }

  CellSize fit_in_height(Index lines) const {
    const SheetMatrix& like = first();
    const double most = available_ / static_cast<double>(like.laid_cols());
    CellSize cell{most, most};
    for (int turn = 0; turn < 2; ++turn) {  // the height of names depends on the width of a cell
      const double below = style_.shares_bar || !like.has_bar ? 0 : small_bar_height(pen_);
      const double named = top_of({&like}, true, cell.width) + below;
      const double unnamed = top_of({&like}, !style_.repeats_columns, cell.width) + below;
      const auto others = static_cast<double>(lines - 1);
      const double room = style_.height - named - others * (unnamed + matrices_gap * pen_.em);
      const double high = room / static_cast<double>(lines) / static_cast<double>(like.laid_rows());
      cell = shaped(like, {most, std::max(high, 0.0)});
    }
    return cell;
  }

  std::optional<Sheet> put(std::optional<CellSize> cell) {
    if (available_ < narrowest_matrix * pen_.em) return {};
    cell_ = cell ? *cell : followed();
    has_given_cells_ = cell.has_value();
    place_columns();
    double top = style_.top;
    for (const auto& line : lines_) {
      const bool is_first = &line == &lines_.front();
      if (!is_first) top += matrices_gap * pen_.em;
      put_line(line, is_first || !style_.repeats_columns, top);
    }
    put_bar(top);
    for (std::size_t i = 0; i < sheet_.matrices.size(); ++i) put_cells(i);
    sheet_.box = {left_, style_.top, std::max(0.0, end_ - left_), top - style_.top};
    return std::move(sheet_);
  }

private:
  const SheetMatrix& first() const { return *lines_.front().front(); }
  double before_of(std::size_t column) const { return column == 0 ? before_ : 0; }
  ColourBar bar_of(const SheetMatrix& matrix) const {
    return {matrix.range, style_.range_name, style_.has_bar_numbers};
  }

  template <typename Visit>
  void for_each_place(const Visit& visit) const {
    for (const auto& line : lines_) {
      for (std::size_t column = 0; column < line.size(); ++column) visit(*line[column], column);
    }
  }

  double widest_feature_cell() const { return feature_cell * style_.feature_row * pen_.em; }

  // Returns the size of cells if the height follows from them.
  CellSize followed() const {
    bool has_keys = false;
    Index longest = first().laid_rows();
    for_each_place([&](const SheetMatrix& matrix, std::size_t) {
      has_keys |= matrix.has_key_columns;
      if (matrix.has_key_columns)
        longest = std::max(longest, matrix.laid_cols());  // there may be more keys than queries
    });
    const auto rows = static_cast<double>(first().laid_rows());
    const auto lines = static_cast<double>(lines_.size());
    const bool is_alone = lines_.size() == 1 && lines_.front().size() == 1;
    const double largest = is_alone ? style_.largest_cell : style_.large_cell;
    const double height = has_keys
                              ? std::min(available_ / static_cast<double>(longest), largest)
                              : std::min(style_.feature_row * pen_.em, tallest_features * style_.width / rows / lines);
    return {height, height};
  }

  // Returns the largest cell that fits and is square, or nearly square.
  CellSize shaped(const SheetMatrix& matrix, const CellSize& room) const {
    const double side = std::min(room.width, room.height);
    CellSize cell{side, side};
    if (!matrix.has_key_columns) {
      cell.width = std::min(room.width, std::max(widest_feature * room.height, widest_feature_cell()));
      cell.height = std::min(room.height, widest_feature * cell.width);
    } else if (matrix.laid_rows() == matrix.laid_cols() && side * side < square_share * room.width * room.height) {
      cell = {std::min(room.width, widest_cell * room.height), std::min(room.height, widest_cell * room.width)};
    }
    const NumberFit& numbers = style_.numbers;
    const double wanted = number_width(matrix, numbers.least);
    const double pixel = style_.pixel;
    if (cell.width < wanted && wanted <= room.width && numbers.least <= numbers.height_share * cell.height)
      cell.width = std::min(wanted + pixel, room.width);
    constexpr double least_snapped = 6;
    for (double* const length : {&cell.width, &cell.height})
      if (pixel > 0 && *length >= least_snapped) *length = std::floor(*length / pixel) * pixel;
    return cell;
  }

  // Returns the width of the cells of the largest matrix of a series.
  double heat_width(const SheetMatrix& matrix) const {
    const auto cols = static_cast<double>(matrix.laid_cols());
    if (has_given_cells_ || matrix.has_key_columns) return cell_.width * cols;
    return cols * std::min(available_ / cols, std::max(cell_.height, widest_feature_cell()));
  }

  double heading_width(const SheetMatrix& matrix, const std::string& heading) const {
    if (heading.empty()) return 0;
    return (matrix.has_head_colour ? 1.1 * pen_.em : 0) + pen_.width(heading, pen_.size(1), Face::bold);
  }

  void place_columns() {
    widths_.assign(columns_, 0);
    for_each_place([&](const SheetMatrix& matrix, std::size_t column) {
      const double wanted = std::max(heat_width(matrix), heading_width(matrix, matrix.heading));
      widths_[column] = std::max(widths_[column], std::min(wanted, available_) + sums_);
    });
    double used = bar_ + static_cast<double>(columns_ - 1) * matrix_gap * pen_.em;
    for (std::size_t column = 0; column < columns_; ++column) used += before_of(column) + widths_[column];
    left_ = style_.left + (style_.width - used) / 2;
  }

  // Returns the room above the cells of a line; the cells are `cell_width` wide, if it is given.
  double top_of(const std::vector<const SheetMatrix*>& line, bool has_columns, double cell_width = 0) const {
    double names = 0;
    bool has_headings = false;
    for (const SheetMatrix* const matrix : line) {
      has_headings |= !matrix->heading.empty();
      const double width = cell_width > 0 ? cell_width : heat_width(*matrix) / static_cast<double>(matrix->laid_cols());
      names = std::max(names, fit_columns(*matrix, width).height + strip_height(*matrix));
    }
    double height = has_headings ? heading_line * pen_.em : 0;
    if (has_columns) {
      height += line_height * small_ + names + edge_gap * pen_.em;
    } else if (sums_ > 0) {
      height += line_height * small_ + edge_gap * pen_.em;
    }
    return height;
  }

  // Returns the size of names beside cells of this size: they shrink first, and are thinned out only then.
  double size_beside(double cell) const {
    const double shrink = std::clamp(cell / name_line_, style_.lowest_name, 1.0);
    return std::max(name_size_ * shrink, std::min(name_size_, pen_.least_text));
  }

  Index step_of(double cell) const {
    return thinned_step(std::max(cell, least_cell), name_line_ * size_beside(cell) / name_size_);
  }

  ColumnFit fit_columns(const SheetMatrix& matrix, double cell_width) const {
    cell_width = std::max(cell_width, least_cell);
    ColumnFit fit{.size = name_size_};
    if (!matrix.has_key_columns) {
      fit.size = small_;
      fit.has_dimensions = widest_dimension(matrix) > 0 && widest_dimension(matrix) + 0.4 * pen_.em <= cell_width;
      if (!fit.has_dimensions)
        fit.step = thinned_step(cell_width, pen_.width(std::to_string(matrix.laid_cols()), fit.size) + 0.5 * pen_.em);
    }
    fit.is_turned = matrix.has_key_columns && name_width_ + 0.5 * pen_.em > cell_width;
    fit.height = line_height * fit.size;
    if (!fit.is_turned) return fit;
    fit.size = size_beside(cell_width);
    fit.step = step_of(cell_width);
    fit.height = name_width_ * fit.size / name_size_;
    return fit;
  }

  // Returns the name of a column that stands for a dimension of the inputs, or its number.
  static std::string dimension_at(const SheetMatrix& matrix, Index col) {
    const AttentionConfig& config = matrix.result->config;
    const std::string name =
        matrix.is_transposed ? row_dimension(config, matrix.stage, col) : column_dimension(config, matrix.stage, col);
    return name.empty() ? std::to_string(col + 1) : name;
  }

  // Returns the width of the widest of these names; 0 where the columns stand for other things, or have no names.
  double widest_dimension(const SheetMatrix& matrix) const {
    constexpr Index most_named = 64;
    if (!matrix.result || matrix.result->config.dimensions.empty() || matrix.cols > most_named) return 0;
    double widest = 0;
    bool has_name = false;
    for (Index col = 0; col < matrix.cols; ++col) {
      const std::string name = dimension_at(matrix, col);
      has_name |= name != std::to_string(col + 1);
      widest = std::max(widest, pen_.width(name, small_));
    }
    return has_name ? widest : 0;
  }

  double strip_height(const SheetMatrix& matrix) const { return matrix.head_cols > 0 ? 0.4 * pen_.em : 0; }

  double sums_width(const SheetMatrix& matrix) const {
    if (matrix.widest_sums.empty()) return 0;
    double widest = pen_.width("sum", small_);
    for (const std::string& sum : matrix.widest_sums) widest = std::max(widest, pen_.width(sum, pen_.size(0.9)));
    return widest + 0.6 * pen_.em;
  }

  // Visits the middles of every `step` rows or columns, which are named. A name needs `room` along the axis.
  template <typename Room, typename Put>
  static void for_each_named(const CellAxis& axis, Index step, const Room& room, const Put& put) {
    for (Index at = (axis.begin_index() + step - 1) / step * step; at < axis.end_index(); at += step)
      if (const auto middle = middle_of_name(axis, at, room(at), step > 1)) put(at, *middle);
  }

  void put_row_names(const PlacedSheetMatrix& placed) const {
    const CellAxis axis = placed.plot.down();
    const double size = size_beside(axis.cell());
    const Index step = step_of(axis.cell());
    const double x = placed.plot.box.x;
    const auto room = [&](Index) { return line_height * size; };
    for_each_named(axis, step, room, [&](Index row, double middle) {
      const bool is_marked = style_.is_marking_names && placed.matrix->marks.has_row(row);
      const ThemeInks& inks = pen_.theme.inks;
      pen_.put(pen_.shortened(name_at(texts_.row_names, row), size, name_width_ + name_slack * size), size,
               is_marked ? inks.cross_hair : inks.text, x - edge_gap * pen_.em, middle - line_height * size / 2, 1);
      if (step > 1) pen_.stroke({{x - tick_length * pen_.em, middle}, {x, middle}}, pen_.line, pen_.thin);
    });
  }

  void put_column_names(const PlacedSheetMatrix& placed, const ColumnFit& columns) const {
    const SheetMatrix& matrix = *placed.matrix;
    const double y = placed.plot.box.y;
    const double strip = strip_height(matrix);
    const double bottom = y - edge_gap * pen_.em - strip;
    const double size = columns.size;
    const auto name_of = [&](Index col) {
      if (matrix.has_key_columns) return name_at(texts_.column_names, col);
      return columns.has_dimensions ? dimension_at(matrix, col) : std::to_string(col + 1);
    };
    const auto room = [&](Index col) {
      return columns.is_turned ? line_height * size : 1.3 * pen_.width(name_of(col), size);
    };
    for_each_named(placed.plot.across(), columns.step, room, [&](Index col, double middle) {
      if (columns.step > 1 && strip == 0)
        pen_.stroke({{middle, y - tick_length * pen_.em}, {middle, y}}, pen_.line, pen_.thin);
      const bool is_marked = style_.is_marking_names && matrix.has_key_columns && matrix.marks.col == col;
      const ThemeInks& inks = pen_.theme.inks;
      const Rgb ink = is_marked ? inks.cross_hair : matrix.has_key_columns ? inks.text : inks.dim_text;
      if (columns.is_turned) {
        pen_.put_turned(pen_.shortened(name_of(col), size, columns.height + name_slack * size), size, ink, middle,
                        bottom);
      } else {
        pen_.put(name_of(col), size, ink, middle, bottom - columns.height, 0.5);
      }
    });
  }

  // Puts the heads' colours above their columns.
  void put_head_strip(const PlacedSheetMatrix& placed) const {
    const SheetMatrix& matrix = *placed.matrix;
    const double thickness = 0.28 * pen_.em;
    const Box& box = placed.plot.box;
    for (Index first = 0; matrix.head_cols > 0 && first < matrix.cols; first += matrix.head_cols) {
      const double left = std::max(placed.plot.across().at(first), box.x);
      const double right = std::min(placed.plot.across().at(first + matrix.head_cols), box.right());
      if (right <= left) continue;
      const double inset = std::min(0.06 * pen_.em, 0.2 * (right - left));
      pen_.fill({left + inset, box.y - thickness - 0.2 * pen_.em, right - left - 2 * inset, thickness},
                head_rgb(first / matrix.head_cols, pen_.theme.is_dark));
    }
  }

  void put_row_sums(const PlacedSheetMatrix& placed) const {
    const SheetMatrix& matrix = *placed.matrix;
    if (matrix.widest_sums.empty()) return;
    const ThemeInks& inks = pen_.theme.inks;
    const double right = placed.sums_right;
    pen_.put("sum", small_, inks.dim_text, right, placed.plot.box.y - edge_gap * pen_.em - line_height * small_, 1);
    const CellAxis axis = placed.plot.down();
    const double size = std::max(std::min(pen_.size(0.9), size_beside(axis.cell())), pen_.least_text);
    const auto room = [&](Index) { return line_height * size; };
    for_each_named(axis, step_of(axis.cell()), room, [&](Index row, double middle) {
      const std::optional<float> sum = texts_.row_sum(sheet_.matrices.size(), row);
      if (!sum) return;
      const bool is_off = matrix.sums_to_one && is_off_one(*sum);
      pen_.put(format_fixed(static_cast<double>(*sum), style_.sum_decimals), size,
               is_off ? inks.warning : inks.dim_text, right, middle - line_height * size / 2, 1);
    });
  }

  void put_heading(const SheetMatrix& matrix, double x, double top, double width) const {
    if (matrix.heading.empty()) return;
    const double full = pen_.size(1);
    double size = full;
    // Lets the heading use most of the gap to the next matrix.
    const double allowed = width + (matrix_gap - 0.6) * pen_.em;
    const bool is_short = !matrix.short_heading.empty() && heading_width(matrix, matrix.heading) > allowed;
    std::string text = is_short ? matrix.short_heading : matrix.heading;
    const double needed = heading_width(matrix, text);
    if (needed > allowed) size = std::max(size * std::max(allowed / needed, 0.6), pen_.least_text);
    const double lowered = full - size;
    double text_x = x;
    if (matrix.has_head_colour) {
      const double side = 0.75 * size;
      pen_.fill({x, top + lowered + (line_height * size - side) / 2, side, side},
                head_rgb(matrix.head, pen_.theme.is_dark));
      text_x += side + 0.35 * size;
    }
    if (needed > allowed) text = pen_.shortened(text, size, allowed - (text_x - x));
    pen_.put(std::move(text), size, pen_.theme.inks.text, text_x, top + lowered, 0, Face::bold);
  }

  void put_axis_titles(const PlacedSheetMatrix& placed, double left, double names_top) const {
    const double size = small_;
    const AxisTitles& titles = placed.matrix->titles;
    const Rgb ink = pen_.theme.inks.dim_text;
    if (left >= 0 && !titles.rows.empty())
      pen_.put_turned(std::string(titles.rows), size, ink, left + line_height * size / 2,
                      placed.room.middle_y() + pen_.width(titles.rows, size) / 2);
    if (names_top < 0) return;
    const std::string_view title = titles.columns == "dim" ? "dimension" : titles.columns;
    const bool fits = pen_.width(title, size) <= placed.room.width + matrix_gap * pen_.em;
    pen_.put(std::string(fits ? title : titles.columns), size, ink, placed.room.middle_x(),
             names_top - line_height * size, 0.5);
  }

  // Returns the cell width that numbers of a size need. Letters of a window come in a few sizes, so that drawn numbers
  // may be a little wider than their share.
  double number_width(const SheetMatrix& matrix, double size) const {
    const std::string& widest = matrix.widest_number;
    constexpr double widest_drawn = 0.94;
    const double width_of_one = pen_.width(widest, pen_.em, Face::number) / pen_.em;
    return std::max(size * width_of_one / style_.numbers.width_share,
                    pen_.width(widest, size, Face::number) / widest_drawn);
  }

  double number_size(const PlacedSheetMatrix& placed) const {
    if (placed.matrix->widest_number.empty()) return 0;
    const NumberFit& fit = style_.numbers;
    const double cell = placed.plot.cell_width();
    const double share = cell / number_width(*placed.matrix, pen_.em);
    double size = std::min({fit.most, share * pen_.em, fit.height_share * placed.plot.cell_height()});
    while (size > fit.least && number_width(*placed.matrix, size) > cell * 1.0001) size = std::max(fit.least, size - 1);
    return size < fit.least || number_width(*placed.matrix, size) > cell * 1.0001 ? 0 : size;
  }

  PlacedSheetMatrix place(const SheetMatrix& matrix, double x, double top) const {
    PlacedSheetMatrix placed;
    placed.matrix = &matrix;
    placed.room = {x, top, heat_width(matrix), cell_.height * static_cast<double>(matrix.laid_rows())};
    Box heat = placed.room;
    heat.width *= static_cast<double>(matrix.cols) / static_cast<double>(matrix.laid_cols());
    heat.height *= static_cast<double>(matrix.rows) / static_cast<double>(matrix.laid_rows());
    placed.plot = whole_plot(heat, matrix.rows, matrix.cols);
    if (texts_.show_part) texts_.show_part(sheet_.matrices.size(), placed.plot);
    placed.number_size = number_size(placed);
    placed.sums_right = placed.room.right() + sums_width(matrix);
    return placed;
  }

  // Puts one line of matrices from `top` on, and moves `top` below it.
  void put_line(const std::vector<const SheetMatrix*>& line, bool has_columns, double& top) {
    const double line_top = top;
    top += top_of(line, has_columns);
    double below = 0;
    double x = left_;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const SheetMatrix& matrix = *line[i];
      const double left = x;
      const double before = before_of(i);
      x += before;
      PlacedSheetMatrix placed = place(matrix, x, top);
      const bool has_bar = !style_.shares_bar && matrix.has_bar;
      if (has_bar) below = small_bar_height(pen_);
      put_heading(matrix, x, line_top, widths_[i]);
      if (before > 0) put_row_names(placed);
      const ColumnFit columns = fit_columns(matrix, placed.plot.cell_width());
      if (has_columns) put_column_names(placed, columns);
      const double names_top = top - edge_gap * pen_.em - strip_height(matrix) - columns.height;
      put_axis_titles(placed, before > 0 ? left : -1, has_columns ? names_top : -1);
      put_head_strip(placed);
      put_row_sums(placed);
      if (has_bar) {
        const double width = std::max(placed.room.width, std::min(widths_[i] - sums_, least_bar * pen_.em));
        put_small_bar(pen_, bar_of(matrix), x, placed.room.bottom(), width);
      }
      placed.card = {left, line_top, before + widths_[i],
                     placed.room.bottom() + (has_bar ? small_bar_height(pen_) : 0) - line_top};
      end_ = std::max(end_, placed.card.right());
      sheet_.matrices.push_back(placed);
      x += widths_[i] + matrix_gap * pen_.em;
    }
    top += cell_.height * static_cast<double>(line.front()->laid_rows()) + below;
  }

  void put_bar(double bottom) {
    if (bar_ == 0) return;
    const Box& room = sheet_.matrices.front().room;
    const double height = std::min(bottom - room.y, std::max(room.height, longest_bar * pen_.em));
    put_vertical_bar(pen_, bar_of(first()), end_, room.y, height);
    end_ += bar_;
  }

  void put_cells(std::size_t number) const {
    const PlacedSheetMatrix& placed = sheet_.matrices[number];
    const Box& box = placed.plot.box;
    if (placed.room != box)  // another figure of the series has a larger matrix in this place
      pen_.picture.add(picture::Outline{placed.room, {pen_.line, 0.4}, pen_.thin});
    const picture::Heatmap cells{*placed.matrix, box, placed.plot.window};
    pen_.picture.add(cells);
    CellNumbers numbers{style_.cells, cells, placed.number_size};
    if (texts_.is_covered)
      numbers.is_covered = [&](Index row, Index col) { return texts_.is_covered(number, row, col); };
    put_numbers(pen_.picture, numbers, pen_.theme, pen_.measure);
    pen_.frame(box, pen_.line, pen_.thin);
    put_marks(placed);
    if (is_crossed(*placed.matrix)) {
      const double thickness = 2 * pen_.thin;
      pen_.stroke({{box.x, box.y}, {box.right(), box.bottom()}}, pen_.theme.inks.warning, thickness);
      pen_.stroke({{box.x, box.bottom()}, {box.right(), box.y}}, pen_.theme.inks.warning, thickness);
    }
  }

  // Returns whether it is the matrix of a head that is off, among those of other heads.
  static bool is_crossed(const SheetMatrix& matrix) {
    return !matrix.heading.empty() && matrix.result && is_per_head(matrix.result->config, matrix.stage) &&
           is_off(matrix.result->config, matrix.head);
  }

  // Outlines the marked rows and columns, and the marked cell.
  void put_marks(const PlacedSheetMatrix& placed) const {
    const SheetMatrix& matrix = *placed.matrix;
    const CellPlot& plot = placed.plot;
    const double thin = std::min(std::max(0.1 * plot.cell_height(), style_.least_mark), style_.most_mark);
    const auto put_frame = [&](Index row, Index col, Index rows, Index cols, double thickness) {
      if (row < 0 || col < 0 || row >= matrix.rows || col >= matrix.cols) return;
      const double left = std::max(plot.across().at(col), plot.box.x);
      const double right = std::min(plot.across().at(col + cols), plot.box.right());
      const double top = std::max(plot.down().at(row), plot.box.y);
      const double bottom = std::min(plot.down().at(row + rows), plot.box.bottom());
      if (right > left && bottom > top)
        pen_.frame({left, top, right - left, bottom - top}, pen_.theme.inks.cross_hair, thickness);
    };
    for (const Index row : {matrix.marks.row, matrix.marks.second_row}) put_frame(row, 0, 1, matrix.cols, thin);
    put_frame(0, matrix.marks.col, matrix.rows, 1, thin);
    put_frame(matrix.marked_cell.row, matrix.marked_cell.col, 1, 1, 2 * thin);
  }

  const SheetPen& pen_;
  const SheetStyle& style_;
  const SheetTexts& texts_;
  const SheetLines& lines_;
  std::size_t columns_;
  double small_;                                           // size of texts beside names
  double name_size_ = 0, name_width_ = 0, name_line_ = 0;  // names of rows, smaller if they are long
  double before_ = 0;                                      // room of the first matrix's names
  double sums_ = 0;                                        // room for row sums beside each matrix
  double available_ = 0;                                   // room for the cells of a matrix
  CellSize cell_;
  bool has_given_cells_ = false;
  double bar_ = 0;   // room for the colour bar beside all matrices
  double left_ = 0;  // left end of the sheet
  double end_ = 0;
  std::vector<double> widths_;  // widths of the columns of matrices, row sums included
  Sheet sheet_;
};

}  // namespace

SheetMatrix sheet_matrix(const picture::Matrix& shown, const std::optional<Source>& marked) {
  const AttentionConfig& config = shown.result->config;
  const StageAxes axes = info(shown.stage).axes;
  SheetMatrix matrix{shown};
  matrix.has_key_columns = is_query_by_key(axes) || (shown.is_transposed && !is_parameter(axes));
  matrix.titles = axis_titles(config, shown.stage);
  const Index heads = head_count(config);
  if (shown.stage == Stage::context && heads > 1) matrix.head_cols = shown.cols / heads;
  matrix.has_bar = info(shown.stage).range != StageRange::boolean;
  matrix.sums_to_one = sums_to_one(shown.stage) && !shown.result->difference;
  if (!marked) return matrix;
  matrix.marks = marked_lines(shown, *marked);
  matrix.marked_cell = marked_cell(shown, *marked);
  return matrix;
}

CellSize fit_cells(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts, const SheetMatrix& like,
                   Index columns, Index lines) {
  const SheetLines one{{&like}};
  return SheetMaker(pen, style, texts, one, static_cast<std::size_t>(columns)).fit_in_height(lines);
}

std::optional<Sheet> put_sheet(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts,
                               const SheetLines& lines, std::optional<CellSize> cell) {
  const std::size_t columns = std::ranges::max(lines, {}, &SheetLines::value_type::size).size();
  return SheetMaker(pen, style, texts, lines, columns).put(cell);
}

}  // namespace attnscope::scene

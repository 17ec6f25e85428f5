#include "scene/matrix_sheet.h"

#include <algorithm>
#include <cmath>

#include "scene/axis_names.h"

namespace attnscope::scene {
namespace {

using picture::line_height;

// Lengths in ems.
constexpr double panel_gap = 1.5;    // between matrices side by side
constexpr double line_gap = 1.3;     // between lines of matrices
constexpr double axis_title = 1.35;  // what an axis title takes
constexpr double edge_gap = 0.45;    // between names and cells
constexpr double heading_line = 1.35;
constexpr double feature_cell = 2;  // of its row's usual height: the widest cell where no matrix has keys for columns
constexpr double narrowest_panel = 1;  // less is nothing to look at
constexpr double longest_bar = 24;
constexpr double least_bar = 4.5;
constexpr double tallest_features = 1.1;  // of the page's width, all lines of them together
constexpr double square_share = 2.0 / 3;  // of their area that square cells keep at least
constexpr double widest_cell = 2;         // of its height, where cells are not square
constexpr double widest_feature = 2.35;

// The measures that all lines of matrices share.
struct SheetGrid {
  std::size_t columns = 1;
  NameFit names;
  double before = 0;     // from the edge of the first matrix's names to its cells
  double sums = 0;       // beside each matrix
  double available = 0;  // for the cells of a matrix
  CellSize cell;
  double bar = 0;              // beside all matrices
  double left = 0;             // where the sheet begins
  std::vector<double> widths;  // of the columns of matrices, row sums included
};

class SheetMaker {
public:
  SheetMaker(const SheetWriter& writer, const SheetLines& lines) : w_(writer), pen_(writer.pen), lines_(lines) {}

  CellSize fit_in_height(Index columns, Index lines) {
    const SheetMatrix& like = first();
    SheetGrid grid = grid_of(static_cast<std::size_t>(columns));
    const auto cols = static_cast<double>(like.laid_cols());
    const double most = grid.available / cols;
    CellSize cell{most, most};
    for (int turn = 0; turn < 2; ++turn) {  // how high names are depends on the width of a cell
      const double below = style().shares_bar || !like.has_bar ? 0 : small_bar_height(pen_);
      const double named = top_of(grid, cell.width, {&like}, true) + below;
      const double unnamed = top_of(grid, cell.width, {&like}, !style().repeats_columns) + below;
      const auto others = static_cast<double>(lines - 1);
      const double room = style().height - named - others * (unnamed + line_gap * pen_.em);
      const double high = room / static_cast<double>(lines) / static_cast<double>(like.laid_rows());
      cell = shaped(like, {most, std::max(high, 0.0)});
    }
    return cell;
  }

  std::optional<Sheet> put(std::optional<CellSize> cell) {
    std::size_t columns = 1;
    for (const auto& line : lines_) columns = std::max(columns, line.size());
    SheetGrid grid = grid_of(columns);
    if (grid.available < narrowest_panel * pen_.em) return {};
    grid.cell = cell ? *cell : followed(grid.available);
    has_given_cells_ = cell.has_value();
    place_columns(grid);
    double top = style().top;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (line > 0) top += line_gap * pen_.em;
      put_line(grid, lines_[line], line == 0 || !style().repeats_columns, top);
    }
    put_bar(grid, top);
    for (std::size_t i = 0; i < sheet_.matrices.size(); ++i) put_cells(i);
    const double width = std::max(0.0, end_ - grid.left);
    sheet_.box = {grid.left, style().top, width, top - style().top};
    return std::move(sheet_);
  }

private:
  const SheetStyle& style() const { return w_.style; }
  const SheetMatrix& first() const { return *lines_.front().front(); }
  bool is_alone() const { return lines_.size() == 1 && lines_.front().size() == 1; }
  double before_of(const SheetGrid& grid, std::size_t column) const {
    return column == 0 || style().has_own_names ? grid.before : 0;
  }
  ColourBar bar_of(const SheetMatrix& matrix) const {
    return {matrix.range, style().range_name, style().has_bar_numbers};
  }

  template <typename Visit>
  void for_each_place(const Visit& visit) const {
    for (const auto& line : lines_) {
      for (std::size_t column = 0; column < line.size(); ++column) visit(*line[column], column);
    }
  }

  SheetGrid grid_of(std::size_t columns) const {
    SheetGrid grid;
    grid.columns = columns;
    grid.names = fit_names(w_);
    grid.before = (axis_title + edge_gap) * pen_.em + grid.names.width;
    for_each_place([&](const SheetMatrix& matrix, std::size_t) {
      grid.sums = std::max(grid.sums, row_sums_width(w_, matrix));
      if (style().shares_bar && matrix.has_bar) grid.bar = std::max(grid.bar, vertical_bar_width(pen_, bar_of(matrix)));
    });
    const auto count = static_cast<double>(columns);
    const double names = style().has_own_names ? count * grid.before : grid.before;
    grid.available = (style().width - names - grid.bar - (count - 1) * panel_gap * pen_.em) / count - grid.sums;
    return grid;
  }

  double widest_feature_cell() const { return feature_cell * style().feature_row * pen_.em; }

  // Cells where the height follows from them.
  CellSize followed(double available) const {
    bool has_keys = false;
    Index longest = first().laid_rows();
    for_each_place([&](const SheetMatrix& matrix, std::size_t) {
      has_keys |= matrix.has_key_columns;
      if (matrix.has_key_columns)
        longest = std::max(longest, matrix.laid_cols());  // there may be more keys than queries
    });
    const auto rows = static_cast<double>(first().laid_rows());
    const auto lines = static_cast<double>(lines_.size());
    const double largest = is_alone() ? style().largest_cell : style().large_cell;
    const double height =
        has_keys ? std::min(available / static_cast<double>(longest), largest)
                 : std::min(style().feature_row * pen_.em, tallest_features * style().width / rows / lines);
    return {height, height};
  }

  // Returns the largest cell that fits and is square, or not too far from it.
  CellSize shaped(const SheetMatrix& matrix, const CellSize& room) const {
    const double side = std::min(room.width, room.height);
    CellSize cell{side, side};
    if (!matrix.has_key_columns) {
      cell.width = std::min(room.width, std::max(widest_feature * room.height, widest_feature_cell()));
      cell.height = std::min(room.height, widest_feature * cell.width);
    } else if (side * side < square_share * room.width * room.height) {
      cell = {std::min(room.width, widest_cell * room.height), std::min(room.height, widest_cell * room.width)};
    }
    const NumberFit& numbers = style().numbers;
    const double wanted = number_width(matrix, numbers.least);
    if (cell.width < wanted && wanted <= room.width && numbers.least <= numbers.height_share * cell.height)
      cell.width = std::min(wanted + style().pixel, room.width);
    const double pixel = style().pixel;
    if (pixel > 0) {
      constexpr double least_snapped = 6;
      if (cell.width >= least_snapped) cell.width = std::floor(cell.width / pixel) * pixel;
      if (cell.height >= least_snapped) cell.height = std::floor(cell.height / pixel) * pixel;
    }
    return cell;
  }

  // Returns the width of the cells of the largest matrix of a series.
  double heat_width(const SheetGrid& grid, const SheetMatrix& matrix) const {
    const auto cols = static_cast<double>(matrix.laid_cols());
    if (has_given_cells_ || matrix.has_key_columns) return grid.cell.width * cols;
    return cols * std::min(grid.available / cols, std::max(grid.cell.height, widest_feature_cell()));
  }

  double heading_width(const SheetMatrix& matrix) const {
    if (matrix.heading.empty()) return 0;
    return (matrix.has_head_colour ? 1.1 * pen_.em : 0) + pen_.width(matrix.heading, pen_.size(1), picture::Face::bold);
  }

  void place_columns(SheetGrid& grid) const {
    grid.widths.assign(grid.columns, 0);
    for_each_place([&](const SheetMatrix& matrix, std::size_t column) {
      const double wanted = std::max(heat_width(grid, matrix), heading_width(matrix));
      grid.widths[column] = std::max(grid.widths[column], std::min(wanted, grid.available) + grid.sums);
    });
    double used = grid.bar + static_cast<double>(grid.columns - 1) * panel_gap * pen_.em;
    for (std::size_t column = 0; column < grid.columns; ++column) used += before_of(grid, column) + grid.widths[column];
    grid.left = style().left + (style().width - used) / 2;
  }

  // From the top of a line to its cells.
  double top_of(const SheetGrid& grid, double cell_width, const std::vector<const SheetMatrix*>& line,
                bool has_columns) const {
    double names = 0;
    bool has_headings = false;
    for (const SheetMatrix* const matrix : line) {
      has_headings |= !matrix->heading.empty();
      const double width = cell_width > 0 ? cell_width : cell_width_of(grid, *matrix);
      names = std::max(names, fit_columns(w_, *matrix, width, grid.names).height + strip_height(pen_, *matrix));
    }
    double height = has_headings ? heading_line * pen_.em : 0;
    if (has_columns) {
      height += line_height * pen_.size(0.85) + names + edge_gap * pen_.em;
    } else if (grid.sums > 0) {
      height += line_height * pen_.size(0.85) + edge_gap * pen_.em;
    }
    return height;
  }

  double cell_width_of(const SheetGrid& grid, const SheetMatrix& matrix) const {
    return heat_width(grid, matrix) / static_cast<double>(matrix.laid_cols());
  }

  void put_heading(const SheetMatrix& matrix, double x, double top, double width) const {
    if (matrix.heading.empty()) return;
    const double full = pen_.size(1);
    double size = full;
    const double needed = heading_width(matrix);
    // The heading may use the gap to the next matrix, but for a little.
    const double allowed = width + (panel_gap - 0.6) * pen_.em;
    if (needed > allowed) size = std::max(size * std::max(allowed / needed, 0.6), pen_.least_text);
    const double lowered = full - size;
    double text_x = x;
    if (matrix.has_head_colour) {
      const double side = 0.75 * size;
      pen_.fill({x, top + lowered + (line_height * size - side) / 2, side, side},
                head_rgb(matrix.head, pen_.theme.is_dark));
      text_x += side + 0.35 * size;
    }
    std::string text = matrix.heading;
    if (needed > allowed) text = pen_.shorten(text, size, allowed - (text_x - x));
    pen_.put(std::move(text), size, pen_.theme.inks.text, text_x, top + lowered, 0, picture::Face::bold);
  }

  void put_axis_titles(const PlacedSheetMatrix& placed, double left, double names_top) const {
    const double size = pen_.size(0.85);
    const AxisTitles& titles = placed.matrix->titles;
    const Rgb ink = pen_.theme.inks.dim_text;
    if (left >= 0 && !titles.rows.empty())
      pen_.put_turned(std::string(titles.rows), size, ink, left + line_height * size / 2,
                      placed.room.middle_y() + pen_.width(titles.rows, size) / 2);
    if (names_top < 0) return;
    const std::string_view title = titles.columns == "dim" ? "dimension" : titles.columns;
    const bool fits = pen_.width(title, size) <= placed.room.width + panel_gap * pen_.em;
    pen_.put(std::string(fits ? title : titles.columns), size, ink, placed.room.middle_x(),
             names_top - line_height * size, 0.5);
  }

  // Returns the cell width that numbers of a size need. Letters of a window come in a few sizes: what is drawn may be a
  // little wider than its share.
  double number_width(const SheetMatrix& matrix, double size) const {
    const std::string& widest = matrix.widest_number;
    constexpr double widest_drawn = 0.94;
    const double width_of_one = pen_.width(widest, pen_.em, picture::Face::number) / pen_.em;
    return std::max(size * width_of_one / style().numbers.width_share,
                    pen_.width(widest, size, picture::Face::number) / widest_drawn);
  }

  double number_size(const PlacedSheetMatrix& placed) const {
    if (placed.matrix->widest_number.empty()) return 0;
    const NumberFit& fit = style().numbers;
    const double cell = placed.plot.cell_width();
    const double share = cell / number_width(*placed.matrix, pen_.em);
    double size = std::min({fit.most, share * pen_.em, fit.height_share * placed.plot.cell_height()});
    while (size > fit.least && number_width(*placed.matrix, size) > cell * 1.0001) size = std::max(fit.least, size - 1);
    return size < fit.least || number_width(*placed.matrix, size) > cell * 1.0001 ? 0 : size;
  }

  PlacedSheetMatrix place(const SheetGrid& grid, const SheetMatrix& matrix, double x, double top) const {
    PlacedSheetMatrix placed;
    placed.matrix = &matrix;
    placed.room = {x, top, heat_width(grid, matrix), grid.cell.height * static_cast<double>(matrix.laid_rows())};
    Box heat = placed.room;
    heat.width *= static_cast<double>(matrix.cols) / static_cast<double>(matrix.laid_cols());
    heat.height *= static_cast<double>(matrix.rows) / static_cast<double>(matrix.laid_rows());
    placed.plot = whole_plot(heat, matrix.rows, matrix.cols);
    if (w_.texts.show_part) w_.texts.show_part(sheet_.matrices.size(), placed.plot);
    placed.number_size = number_size(placed);
    placed.sums_right = placed.room.right() + row_sums_width(w_, matrix);
    return placed;
  }

  // One line of matrices, from `top` on, which moves below it.
  void put_line(const SheetGrid& grid, const std::vector<const SheetMatrix*>& line, bool has_columns, double& top) {
    const double line_top = top;
    top += top_of(grid, 0, line, has_columns);
    double below = 0;
    double x = grid.left;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const SheetMatrix& matrix = *line[i];
      const double left = x;
      const double before = before_of(grid, i);
      x += before;
      PlacedSheetMatrix placed = place(grid, matrix, x, top);
      const bool has_bar = !style().shares_bar && matrix.has_bar;
      if (has_bar) below = small_bar_height(pen_);
      put_heading(matrix, x, line_top, grid.widths[i]);
      if (before > 0) put_row_names(w_, placed, grid.names);
      const ColumnFit columns = fit_columns(w_, matrix, placed.plot.cell_width(), grid.names);
      if (has_columns) put_column_names(w_, placed, columns);
      const double names_top = top - edge_gap * pen_.em - strip_height(pen_, matrix) - columns.height;
      put_axis_titles(placed, before > 0 ? left : -1, has_columns ? names_top : -1);
      put_head_strip(w_, placed);
      put_row_sums(w_, placed, grid.names, sheet_.matrices.size());
      if (has_bar) {
        const double width = std::max(placed.room.width, std::min(grid.widths[i] - grid.sums, least_bar * pen_.em));
        put_small_bar(pen_, bar_of(matrix), x, placed.room.bottom(), width);
      }
      placed.card = {left, line_top, before + grid.widths[i],
                     placed.room.bottom() + (has_bar ? small_bar_height(pen_) : 0) - line_top};
      end_ = std::max(end_, placed.card.right());
      sheet_.matrices.push_back(placed);
      x += grid.widths[i] + panel_gap * pen_.em;
    }
    top += grid.cell.height * static_cast<double>(line.front()->laid_rows()) + below;
  }

  void put_bar(const SheetGrid& grid, double bottom) {
    if (grid.bar == 0) return;
    const Box& room = sheet_.matrices.front().room;
    const double height = std::min(bottom - room.y, std::max(room.height, longest_bar * pen_.em));
    double right = grid.left + static_cast<double>(grid.columns - 1) * panel_gap * pen_.em;
    for (std::size_t column = 0; column < grid.columns; ++column)
      right += before_of(grid, column) + grid.widths[column];
    put_vertical_bar(pen_, bar_of(first()), right, room.y, height);
    end_ = right + grid.bar;
  }

  void put_cells(std::size_t number) const {
    const PlacedSheetMatrix& placed = sheet_.matrices[number];
    const Box& box = placed.plot.box;
    if (placed.room != box)  // another figure of the series has a larger matrix in this place
      pen_.picture.items.emplace_back(picture::Outline{placed.room, {pen_.line, 0.4}, pen_.thin});
    const picture::Heatmap cells{*placed.matrix, box, placed.plot.window};
    pen_.picture.items.emplace_back(cells);
    CellNumbers numbers{style().cells, cells, placed.number_size};
    if (w_.texts.is_covered)
      numbers.is_covered = [&](Index row, Index col) { return w_.texts.is_covered(number, row, col); };
    put_numbers(pen_.picture, numbers, pen_.theme, pen_.measure);
    pen_.frame(box, pen_.line, pen_.thin);
    put_marks(placed);
  }

  // Outlines of the marked rows and columns, and of the marked cell.
  void put_marks(const PlacedSheetMatrix& placed) const {
    const SheetMatrix& matrix = *placed.matrix;
    const CellPlot& plot = placed.plot;
    const double thin = std::min(std::max(0.1 * plot.cell_height(), style().least_mark), style().most_mark);
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

  const SheetWriter& w_;
  const SheetPen& pen_;
  const SheetLines& lines_;
  bool has_given_cells_ = false;
  double end_ = 0;
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
  const SheetWriter writer{pen, style, texts};
  const SheetLines one{{&like}};
  return SheetMaker(writer, one).fit_in_height(columns, lines);
}

std::optional<Sheet> put_sheet(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts,
                               const SheetLines& lines, std::optional<CellSize> cell) {
  const SheetWriter writer{pen, style, texts};
  return SheetMaker(writer, lines).put(cell);
}

}  // namespace attnscope::scene

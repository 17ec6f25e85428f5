#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "view/cells.h"
#include "view/stage_look.h"

namespace attnscope::scene {

// Matrices in lines below each other, with the names of their rows and columns, row sums and colour bars: one stage, or
// one of all heads. Laid out once for the window and for figures.

// One matrix of a sheet. Without a result its cells are not drawn: their place is kept.
struct SheetMatrix : picture::Matrix {
  std::string heading = {};      // empty where the sheet's heading says it already
  bool has_head_colour = false;  // a chip in the head's colour stands before the heading
  Index room_rows = 0;           // rows of the largest matrix that a series shows in this place; 0: no series
  Index room_cols = 0;
  bool has_key_columns = false;  // the columns are tokens, too
  AxisTitles titles = {};
  Index head_cols = 0;                        // columns of each head where heads lie side by side, else 0
  bool has_bar = true;                        // a colour bar
  std::vector<std::string> widest_sums = {};  // those that take the most room; empty where row sums are not shown
  bool sums_to_one = false;                   // sums that do not are marked
  MarkedLines marks = {};                     // rows and a column that go with the marked cell
  picture::CellPlace marked_cell = {};        // the cell itself, or that of the same query and key
  std::string widest_number = {};             // among its cells; empty where cells show no numbers

  Index laid_rows() const { return std::max(rows, room_rows); }
  Index laid_cols() const { return std::max(cols, room_cols); }
};
// Fills in what follows from the matrix and the marked number. The caller adds headings, sums and the widest number.
SheetMatrix sheet_matrix(const picture::Matrix& matrix, const std::optional<Source>& marked);

// How large numbers in cells are: shares of a cell, and sizes that they do not leave.
struct NumberFit {
  double width_share = 0.86;
  double height_share = 0.72;
  double least = 0;
  double most = 0;
};

// Sizes and gaps of a sheet, in units.
struct SheetStyle {
  double left = 0;  // of the room for it
  double width = 0;
  double top = 0;
  double height = 0;              // 0: as the matrices need it
  double most_names = 0;          // that names of rows take before they get smaller, or are cut
  double longest_names = 0;       // that they take at the smallest size
  double smallest_name = 0.62;    // of the size of the text, for long names
  double lowest_name = 0.78;      // for low rows
  double name_line = 0;           // height that a name needs at the size of the text
  double largest_cell = 0;        // of the only matrix, where the height follows
  double large_cell = 0;          // of one of several
  double feature_row = 2.3;       // height in ems of rows where no matrix has keys for columns
  double pixel = 0;               // cells are whole multiples of it; 0: of any size
  bool repeats_columns = false;   // every matrix has the same columns as the one above it, which alone names them
  bool shares_bar = true;         // one colour bar for all matrices
  bool has_own_names = false;     // each matrix names its rows and columns
  bool is_marking_names = false;  // names of the marked rows and columns are written in the mark's colour
  bool has_bar_numbers = true;
  int sum_decimals = 2;
  std::string_view range_name = {};  // beside the bar
  NumberFit numbers;
  NumberStyle cells;        // how the numbers are written
  double least_mark = 0.4;  // width of a line around what is marked
  double most_mark = 1;
};

// The texts beside the cells.
struct SheetTexts {
  std::span<const std::string> row_names;  // rows beyond them are counted
  std::span<const std::string> column_names;
  std::string widest_name;
  // The sum of a row; nothing where it is not known, or to be predicted.
  std::function<std::optional<float>(std::size_t matrix, Index row)> row_sum;
  // Sets the part of a matrix that shows; null: all of it.
  std::function<void(std::size_t matrix, CellPlot& plot)> show_part = {};
  // Whether a cell is to be predicted; null: none is.
  std::function<bool(std::size_t matrix, Index row, Index col)> is_covered = {};
};

using SheetLines = std::vector<std::vector<const SheetMatrix*>>;

struct PlacedSheetMatrix {
  const SheetMatrix* matrix = nullptr;
  CellPlot plot;
  Box room;                // of the plot, or in a series the place that the largest matrix takes
  Box card;                // with its names, sums and heading
  double number_size = 0;  // of the numbers in its cells; 0: no room for numbers
  double sums_right = 0;   // where row sums end
};

struct Sheet {
  std::vector<PlacedSheetMatrix> matrices;
  Box box;
};

// Width and height of a cell.
struct CellSize {
  double width = 0;
  double height = 0;
};

// The cells of so many matrices alike in columns and lines, where the height is given: square, unless that costs more
// than a third of their area.
CellSize fit_cells(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts, const SheetMatrix& like,
                   Index columns, Index lines);

// Draws everything; `cell` is the size of a cell, or nothing where it follows from the room. Returns where the matrices
// are; nothing where there is no room for cells beside their names.
std::optional<Sheet> put_sheet(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts,
                               const SheetLines& lines, std::optional<CellSize> cell = {});

}  // namespace attnscope::scene

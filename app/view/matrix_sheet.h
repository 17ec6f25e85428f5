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

// Matrices in lines below each other, with the names of their rows and columns, row sums and colour bars: one stage of
// one head or of all heads. Window and figures share this layout.

// One matrix of a sheet. Without a result the sheet keeps its place and draws no cells.
struct SheetMatrix : picture::Matrix {
  std::string heading = {};        // empty if the sheet's heading says it already
  std::string short_heading = {};  // takes its place where that has too little room; empty: the heading is made smaller
  bool has_head_colour = false;    // a chip, the head's mark, stands before the heading
  Index room_rows = 0;             // rows of the largest matrix that a series shows in this place; 0: no series
  Index room_cols = 0;
  bool has_key_columns = false;  // the columns are tokens, too
  AxisTitles titles = {};
  Index head_cols = 0;                        // columns of each head if heads lie side by side, else 0
  bool has_bar = true;                        // a colour bar explains its colours
  std::vector<std::string> widest_sums = {};  // row sums that take the most room; empty: shows no row sums
  bool sums_to_one = false;                   // rows should sum to 1: other sums are marked
  MarkedLines marks = {};                     // rows and a column that the marked number marks
  picture::CellPlace marked_cell = {};        // the marked cell, or the cell of the same query and key
  std::string widest_number = {};             // the widest number of its cells; empty: cells show no numbers

  Index laid_rows() const { return std::max(rows, room_rows); }
  Index laid_cols() const { return std::max(cols, room_cols); }
};
// Fills in what follows from the matrix and the marked number. The caller adds headings, sums and the widest number.
SheetMatrix sheet_matrix(const picture::Matrix& matrix, const std::optional<Source>& marked);

// Limits the size of numbers in cells: shares of a cell, the least and the largest size.
struct NumberFit {
  double width_share = 0.86;
  double height_share = 0.72;
  double least = 0;
  double most = 0;
};

// Sizes and gaps of a sheet, in units.
struct SheetStyle {
  double left = 0;  // left end of the room for the sheet
  double width = 0;
  double top = 0;
  double height = 0;              // 0: the matrices decide
  double most_names = 0;          // names of rows take so much before they get smaller or are cut
  double longest_names = 0;       // names of rows take at most so much at the smallest size
  double smallest_name = 0.62;    // smallest size of long names, in sizes of the text
  double lowest_name = 0.78;      // smallest size of names in low rows, in sizes of the text
  double name_line = 0;           // a name at the size of the text needs this height
  double largest_cell = 0;        // limit for a matrix alone on a sheet without a height
  double large_cell = 0;          // limit for one of several matrices on such a sheet
  double feature_row = 2.3;       // height in ems of rows if no matrix has keys for columns
  double pixel = 0;               // cells are whole multiples of this; 0: they have any size
  bool repeats_columns = false;   // columns repeat those above: only the top line names them
  bool shares_bar = true;         // one colour bar for all matrices
  bool is_marking_names = false;  // marked rows and columns have names in the mark's colour
  bool has_bar_numbers = true;
  int sum_decimals = 2;
  std::string_view range_name = {};  // stands beside the bar
  NumberFit numbers;
  NumberStyle cells;        // style of the numbers
  double least_mark = 0.4;  // least width of a line around marked cells
  double most_mark = 1;
};

// The texts beside the cells.
struct SheetTexts {
  std::span<const std::string> row_names;  // rows beyond these are numbered
  std::span<const std::string> column_names;
  std::string widest_name;
  // Returns the sum of a row; nothing if it is unknown or to be predicted.
  std::function<std::optional<float>(std::size_t matrix, Index row)> row_sum;
  // Sets the part of a matrix that shows; null: all of it.
  std::function<void(std::size_t matrix, CellPlot& plot)> show_part = {};
  // Returns whether a cell is to be predicted; null: none is.
  std::function<bool(std::size_t matrix, Index row, Index col)> is_covered = {};
};

using SheetLines = std::vector<std::vector<const SheetMatrix*>>;

struct PlacedSheetMatrix {
  const SheetMatrix* matrix = nullptr;
  CellPlot plot;
  Box room;                // the box of the plot; in a series the place of the largest matrix
  Box card;                // encloses the plot, its names, sums and heading
  double number_size = 0;  // size of the numbers in its cells; 0: they have no room
  double sums_right = 0;   // right end of the row sums
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

// Returns the size of cells for so many matrices like this one in columns and lines, if the style has a height. Cells
// are square, unless that costs a square matrix more than a third of their area.
CellSize fit_cells(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts, const SheetMatrix& like,
                   Index columns, Index lines);

// Draws everything; `cell` is the size of a cell; without it the room decides. Returns the places of the matrices;
// nothing if there is no room for cells beside their names.
std::optional<Sheet> put_sheet(const SheetPen& pen, const SheetStyle& style, const SheetTexts& texts,
                               const SheetLines& lines, std::optional<CellSize> cell = {});

}  // namespace attnscope::scene

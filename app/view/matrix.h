#pragma once

#include <memory>
#include <vector>

#include "core/evaluate.h"
#include "core/source.h"
#include "core/tensor.h"
#include "view/colours.h"

namespace attnscope {

// A rectangle of a matrix, in cells and parts of cells: what a heatmap shows of it. Without rows it stands for all.
struct CellWindow {
  double row = 0;
  double col = 0;
  double rows = 0;
  double cols = 0;
  bool operator==(const CellWindow&) const = default;
};

// How far a window of a matrix may go.
struct WindowLimits {
  Index rows = 0;  // of the matrix
  Index cols = 0;
  double min_rows = 1;  // fewest cells that a window may have
  double min_cols = 1;
};

inline CellWindow transposed(const CellWindow& window) { return {window.col, window.row, window.cols, window.rows}; }
CellWindow whole_window(Index rows, Index cols);
bool is_whole(const CellWindow& window, Index rows, Index cols);

// The window moved, and where it must be shrunk, so that it lies inside the matrix.
CellWindow clamped(CellWindow window, Index rows, Index cols);
// `factor` times as large, the point (row, col) staying where it is as far as the edges allow.
CellWindow zoomed(const CellWindow& window, const WindowLimits& limits, double factor, double row, double col);
CellWindow panned(const CellWindow& window, Index rows, Index cols, double by_rows, double by_cols);
// Moved no farther than it takes to have a cell inside.
CellWindow moved_to_show(const CellWindow& window, Index rows, Index cols, Index row, Index col);
// With the cell in its middle, as far as the edges allow, and no larger than `most` cells a side.
CellWindow centred_on(const CellWindow& window, Index rows, Index cols, Index row, Index col, double most);

// The rows and the column of a stage that a number is marked in; -1 for none.
struct MarkedLines {
  Index row = -1;
  Index second_row = -1;  // in inputs: the key's row beside the query's
  Index col = -1;

  bool has_row(Index index) const { return index >= 0 && (index == row || index == second_row); }
  bool operator==(const MarkedLines&) const = default;
};

// A number stands for a query, a key or both: marked are their rows and columns in the stages that it follows from and
// in those that follow from it, and the value that a weight is multiplied with. Of weight matrices and biases, which
// have no tokens, those lines that a number is computed from.
MarkedLines marked_lines(const AttentionConfig& config, const Source& of, Stage in);

}  // namespace attnscope

namespace attnscope::picture {

// One matrix of a result as it is shown, and the meaning of its colours.
struct Matrix {
  std::shared_ptr<const Result> result;
  Stage stage = Stage::inputs;
  Index head = 0;
  Index matrix = 0;  // of the stage
  Index rows = 1;    // as shown
  Index cols = 1;
  bool is_transposed = false;  // shown with its columns as rows: row and col of its cells are meant as shown
  double opacity = 1;          // less for what stands beside what is looked at
  ColourRange range = {};
};

Matrix matrix_of(std::shared_ptr<const Result> result, Stage stage, Index batch, Index head);
void transpose(Matrix& matrix);

// The cells of a part of the matrix, or those of another stage in their places: row by row, as they are shown. They are
// read at once, because one by one they would take their time where they are computed.
std::vector<float> read_shown(const Matrix& matrix, Stage stage, const CellRect& shown);

// The cell that is shown at (row, col), and where a cell is shown.
Source source_at(const Matrix& matrix, Index row, Index col);
struct CellPlace {
  Index row = -1;
  Index col = -1;
};
CellPlace place_of(const Matrix& matrix, const Source& source);

// The lines that a pinned number marks in a matrix, and the cell: its own, or that of the same query and key; -1 for
// none.
MarkedLines marked_lines(const Matrix& matrix, const Source& of);
CellPlace marked_cell(const Matrix& matrix, const Source& of);

}  // namespace attnscope::picture

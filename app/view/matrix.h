#pragma once

#include <memory>
#include <vector>

#include "core/evaluate.h"
#include "core/source.h"
#include "core/tensor.h"
#include "view/colours.h"

namespace attnscope {

// The rectangle of a matrix that a heatmap shows, in cells and parts of cells. Without rows it stands for all.
struct CellWindow {
  double row = 0;
  double col = 0;
  double rows = 0;
  double cols = 0;
  bool operator==(const CellWindow&) const = default;
};

// How far a window of a matrix may go.
struct WindowLimits {
  Index rows = 0;  // rows of the matrix
  Index cols = 0;
  double min_rows = 1;  // fewest rows that a window may have
  double min_cols = 1;
};

inline CellWindow transposed(const CellWindow& window) { return {window.col, window.row, window.cols, window.rows}; }
CellWindow whole_window(Index rows, Index cols);
bool is_whole(const CellWindow& window, Index rows, Index cols);

// Moves the window into the matrix, and shrinks it if it is larger.
CellWindow clamped(CellWindow window, Index rows, Index cols);
// Makes the window `factor` times as large; the point (row, col) stays in its place as far as the edges allow.
CellWindow zoomed(const CellWindow& window, const WindowLimits& limits, double factor, double row, double col);
CellWindow panned(const CellWindow& window, Index rows, Index cols, double by_rows, double by_cols);
// Moves the window no farther than it takes to have a cell inside.
CellWindow moved_to_show(const CellWindow& window, Index rows, Index cols, Index row, Index col);
// Centres the window on a cell, as far as the edges allow; it gets no larger than `most` cells a side.
CellWindow centred_on(const CellWindow& window, Index rows, Index cols, Index row, Index col, double most);

// The rows and the column of a stage that a pinned number marks; -1: none.
struct MarkedLines {
  Index row = -1;
  Index second_row = -1;  // of the inputs: the key's row beside the query's
  Index col = -1;

  bool has_row(Index index) const { return index >= 0 && (index == row || index == second_row); }
  bool operator==(const MarkedLines&) const = default;
};

// Returns the lines that a number marks in a stage. A number stands for a query, a key or both: it marks their rows and
// columns in the stages before and after its own, and the value that a weight is multiplied with. In weight matrices
// and biases, which have no tokens, it marks the lines that it is computed from.
MarkedLines marked_lines(const AttentionConfig& config, const Source& of, Stage in);

}  // namespace attnscope

namespace attnscope::picture {

// One matrix of a result as it is shown, and the meaning of its colours.
struct Matrix {
  std::shared_ptr<const Result> result;
  Stage stage = Stage::inputs;
  Index head = 0;
  Index matrix = 0;  // index of the matrix in its stage
  Index rows = 1;    // counted as shown, like the columns
  Index cols = 1;
  bool is_transposed = false;  // columns are shown as rows: row and col of a cell count as shown
  double opacity = 1;          // less for matrices beside the one that is looked at
  ColourRange range = {};
};

Matrix matrix_of(std::shared_ptr<const Result> result, Stage stage, Index batch, Index head);
void transpose(Matrix& matrix);

// Reads a part of the matrix, or the same cells of another stage: row by row, as they are shown. Reads all of them at
// once, because computing them one by one takes longer.
std::vector<float> read_shown(const Matrix& matrix, Stage stage, const CellRect& shown);

// Return the cell that is shown at (row, col), and the place where a cell is shown.
Source source_at(const Matrix& matrix, Index row, Index col);
struct CellPlace {
  Index row = -1;
  Index col = -1;
};
CellPlace place_of(const Matrix& matrix, const Source& source);

// Return the lines that a pinned number marks in a matrix, and the cell: its own, or the cell of the same query and
// key; -1: none.
MarkedLines marked_lines(const Matrix& matrix, const Source& of);
CellPlace marked_cell(const Matrix& matrix, const Source& of);

}  // namespace attnscope::picture

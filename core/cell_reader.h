#pragma once

#include "core/cells.h"
#include "core/packed_weights.h"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace attnscope {

// The computed stages of one matrix, for reading much of them: the keys are packed once. The result must stay.
class CellReader {
public:
  CellReader(const Result& result, Index matrix, const Execution& execution);

private:
  friend class CellRows;
  void score(float* cells, Index first_row, Index rows, Index first_panel, Index panels) const;

  const Result* result_;
  Index matrix_;
  PackedWeights keys_;
};

// Some rows, some columns at a time: the same cells as read_cells() gives, of several stages for one computation of
// their scores.
class CellRows {
public:
  // `rect`: what is going to be read.
  CellRows(const CellReader& reader, const CellRect& rect);

  // Calls visit for each of the stages, which must not be kept ones, with these columns and perhaps some beside them;
  // the block holds until visit returns.
  using Visit = std::function<void(Stage, const CellBlock&)>;
  void read(Index first_col, Index cols, const StageSet& stages, const Visit& visit);

private:
  void read_kept();

  const CellReader* reader_;
  CellRect rect_;
  std::vector<std::uint64_t> kept_;  // bits of dropout, once a stage is asked for that has to do with it
  Index kept_first_col_ = 0;
  std::size_t kept_words_ = 0;  // of a row
};
constexpr Index read_rows_at_once = 128;   // so many that packed keys are worth fetching
constexpr Index read_cols_at_once = 1008;  // and so few that a stage's cells are still near when the next one follows

// The rows and columns that CellRows is best read with: calls work(first, count) for strips of rows and, inside of one,
// for so many columns at a time.
template <typename Work>
void for_each_strip(Index rows, const Execution& execution, const Work& work) {
  const Index strips = (rows + read_rows_at_once - 1) / read_rows_at_once;
  for_each_block(execution, strips, [&](Index strip) {
    const Index first = strip * read_rows_at_once;
    work(first, std::min(read_rows_at_once, rows - first));
  });
}

template <typename Work>
void for_each_chunk(Index cols, const Work& work) {
  for (Index first = 0; first < cols; first += read_cols_at_once)
    work(first, std::min(read_cols_at_once, cols - first));
}

// What the steps from scores to a stage make of cells that no mask hides; row i of `cells` is row i of the matrix.
void advance_scores(std::span<float> cells, const Result& result, Stage stage, Index matrix);

}  // namespace attnscope

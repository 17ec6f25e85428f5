#pragma once

#include "core/cells.h"
#include "core/packed_weights.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace attnscope {

struct CellArea;

// Reads cells that are computed: of one matrix (b * H + h), those that a rectangle and a step pick. Keys are packed
// once, for all that is read. A picked cell is named as if none were left out: cells (rect.row + i, rect.col + k).
class CellReader {
public:
  // `stages`: all that are going to be read; the result holds none of them, and must stay.
  CellReader(const Result& result, Index matrix, const StageSet& stages, const CellRect& rect, CellStep step,
             const Execution& execution);
  // Reads the whole matrix.
  CellReader(const Result& result, Index matrix, const StageSet& stages, const Execution& execution);

  // Called with the cells of a stage, which stay until it returns; it must not read cells itself.
  using Visit = std::function<void(Stage, const CellBlock&)>;
  // Some of the picked cells, several columns at a time: of several stages for one computation of their scores.
  void read(const CellRect& rect, const StageSet& stages, const Visit& visit) const;

private:
  friend class CellRows;
  CellArea area(const CellRect& picked, float* cells, Index stride) const;
  void score(const CellArea& area, Index first_panel) const;

  const Result* result_;
  Index matrix_;
  CellRect rect_;
  CellStep step_;
  PackedWeights keys_;
  std::vector<CellReader> sides_;  // of a difference: now, and before
};

// The cells that dropout keeps, as a bit for each column of the matrix between the first and the last, row by row in
// whole words; one word more to read beyond them. Empty where nothing is dropped.
struct KeptBits {
  std::vector<std::uint64_t> bits;
  Index first_col = 0;
  std::size_t words = 0;  // of a row
};

// Some of the rows that a reader picks, for whoever chooses the columns that are read at a time.
class CellRows {
public:
  // `rect`: what is going to be read.
  CellRows(const CellReader& reader, const CellRect& rect) : reader_(&reader), rect_(rect) {
    for (const CellReader& side : reader.sides_) sides_.emplace_back(side, rect);
  }

  void read(Index first_col, Index cols, const StageSet& stages, const CellReader::Visit& visit);

private:
  void read_kept();
  void subtract(Index first_col, Index cols, const StageSet& stages, const CellReader::Visit& visit);

  const CellReader* reader_;
  CellRect rect_;
  KeptBits kept_;  // once a stage is asked for that has to do with dropout
  std::vector<CellRows> sides_;
  StageMap<std::vector<float>> differences_;
};
constexpr Index read_rows_at_once = 128;   // so many that packed keys are worth fetching
constexpr Index read_cols_at_once = 1008;  // and so few that a stage's cells are still near when the next one follows

// Calls work(first, count) for strips of as many rows as are best read at a time.
template <typename Work>
void for_each_strip(Index rows, const Execution& execution, const Work& work) {
  const Index strips = (rows + read_rows_at_once - 1) / read_rows_at_once;
  for_each_block(execution, strips, [&](Index strip) {
    const Index first = strip * read_rows_at_once;
    work(first, std::min(read_rows_at_once, rows - first));
  });
}

// Takes cells that no mask hides through the steps from scores to a stage; row i of `cells` is row i of the matrix.
void advance_scores(std::span<float> cells, const Result& result, Stage stage, Index matrix);

}  // namespace attnscope

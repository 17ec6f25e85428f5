#pragma once

#include "core/cell_reader.h"
#include "core/visibility.h"

#include <algorithm>
#include <span>
#include <vector>

namespace attnscope {

// A rectangle of a stage that is computed, and where it comes from.
struct CellArea {
  const Result& result;
  Index matrix;
  CellRect rect;
  CellStep step;
  float* cells;
  Index stride;  // floats between rows

  Index query(Index row) const { return rect.row + row * step.rows; }

  std::span<float> row(Index row) const { return {cells + row * stride, static_cast<std::size_t>(rect.cols)}; }
  std::size_t row_index(Index row) const {  // among the row statistics
    return static_cast<std::size_t>(matrix * query_count(result.config) + query(row));
  }
  Index span() const { return (rect.cols - 1) * step.cols + 1; }  // columns of the matrix, first to last
  // Cells of a row whose keys come before this one.
  std::size_t cells_before(Index key) const {
    return static_cast<std::size_t>(std::clamp<Index>((key - rect.col + step.cols - 1) / step.cols, 0, rect.cols));
  }
};

// Calls work(cells, row) for each row of an area.
template <typename Work>
void for_each_row(const CellArea& area, const Work& work) {
  for (Index row = 0; row < area.rect.rows; ++row) work(area.row(row), row);
}

void fill_mask(const CellArea& area);  // 1 where the query may not look, else 0

KeptBits kept_bits(const CellArea& area);
// Multiplies by the dropout factors; `kept` has bits for every row of the area, and for its columns.
void drop(const CellArea& area, const KeptBits& kept);

// The steps that rules take (core/cell_rules.h): each makes the cells of the stage before on the route those of a
// stage.
namespace cell_steps {
void mask_scores(const CellArea& area, Stage stage);
void apply_score_step(const CellArea& area, Stage stage);
void add_bias(const CellArea& area, Stage stage);
void normalize(const CellArea& area, Stage stage);
void mask_weights(const CellArea& area, Stage stage);
void renormalize(const CellArea& area, Stage stage);
}  // namespace cell_steps

// Takes the step to a stage; none to scores and to dropped weights.
void take_step(const CellArea& area, Stage stage);

// Calls reached(stage) at the scores that the area holds, and after each of the steps from there up to the last stage.
template <typename Reached>
void for_each_step(const CellArea& area, Stage last, const Reached& reached) {
  for (const Stage stage : score_route(area.result.config)) {
    if (stage == Stage::dropped_weights) return;
    take_step(area, stage);
    reached(stage);
    if (stage == last) return;
  }
}

}  // namespace attnscope

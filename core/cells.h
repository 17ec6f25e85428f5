#pragma once

#include "core/cell_rect.h"
#include "core/evaluate.h"

#include <functional>
#include <span>

namespace attnscope {

// The cells of one rectangle of trailing matrix number `matrix` of a stage that the result has, row-major: copied where
// the stage is kept, read where it is given, else computed from queries, keys and row statistics. The mask and dropout
// factors are exact; other stages agree with the kept ones to 4e-6 of their largest magnitude. Working memory is that
// of a matrix product. With a step, rect.rows and rect.cols count what is read.
void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect,
                CellStep step = {});

// The same of several stages that are not kept, for one computation of their scores: calls visit(stage) when `cells`
// has those of a stage, in any order.
void visit_cells(std::span<float> cells, const Result& result, std::span<const Stage> stages, Index matrix,
                 const CellRect& rect, CellStep step, const std::function<void(Stage)>& visit);

// A rectangle of the cells of a matrix, at hand.
struct CellBlock {
  const float* cells = nullptr;  // row-major
  CellRect rect;
  Index stride = 0;  // floats between rows
  Index rows = 0;    // of the whole matrix
  Index cols = 0;

  const float* at(Index row, Index col) const { return cells + (row - rect.row) * stride + (col - rect.col); }
};

}  // namespace attnscope

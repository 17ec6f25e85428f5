#include "core/cells.h"

#include "core/heads.h"

#include <algorithm>
#include <cassert>

namespace attnscope {

std::optional<CellBlock> held_block(const Result& result, Stage stage, Index matrix) {
  if (const Tensor* const tensor = result.find(stage)) {
    const auto cells = tensor->matrix(matrix);
    return CellBlock{cells.data(), {0, 0, cells.rows(), cells.cols()}, cells.cols(), cells.rows(), cells.cols()};
  }
  const Tensor* const context = result.find(Stage::context);
  if (stage != Stage::head_context || !context) return std::nullopt;
  const Index heads = head_count(result.config);
  const Index width = value_features(result.config);
  const auto of_all = context->matrix(matrix / heads);
  return CellBlock{
      of_all.data() + matrix % heads * width, {0, 0, of_all.rows(), width}, of_all.cols(), of_all.rows(), width};
}

CellBlock whole_matrix(const Result& result, Stage stage, Index matrix, const Execution& execution) {
  if (std::optional<CellBlock> held = held_block(result, stage, matrix)) return *std::move(held);
  return result.heads->whole(result, stage, matrix, execution);
}

void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect) {
  assert(has(result, stage, matrix) && "this mechanism has no such stage, or this head is not computed yet");
  assert(static_cast<Index>(cells.size()) == rect.rows * rect.cols && "room for every cell");
  if (rect.rows == 0 || rect.cols == 0) return;
  std::optional<CellBlock> block = held_block(result, stage, matrix);
  for (Index row = 0; row < rect.rows; ++row) {
    const Index at = rect.row + row;
    if (!block || !block->holds_row(at)) block = result.heads->around(result, stage, matrix, at);
    std::copy_n(block->at(at, rect.col), rect.cols, cells.begin() + row * rect.cols);
  }
}

Tensor read_stage(const Result& result, Stage stage) {
  if (const Tensor* const tensor = result.find(stage)) return *tensor;
  Tensor whole(stage_shape(result.config, stage));
  const auto size = static_cast<std::size_t>(whole.rows() * whole.cols());
  for (Index matrix = 0; matrix < whole.matrix_count(); ++matrix) {
    read_cells(std::span(whole.values).subspan(static_cast<std::size_t>(matrix) * size, size), result, stage, matrix,
               {0, 0, whole.rows(), whole.cols()});
  }
  return whole;
}

}  // namespace attnscope

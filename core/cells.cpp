#include "core/cells.h"

#include "core/cell_reader.h"
#include "core/external_attention.h"

#include <cassert>

namespace attnscope {

namespace {

// The cells that a rectangle and a step pick of a block, to rows that are `stride` floats apart.
void copy_cells(float* to, Index stride, const CellBlock& from, const CellRect& rect, CellStep step) {
  for (Index row = 0; row < rect.rows; ++row, to += stride) {
    const float* const cells = from.at(rect.row + row * step.rows, rect.col);
    for (Index col = 0; col < rect.cols; ++col) to[col] = cells[col * step.cols];
  }
}

}  // namespace

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

void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect,
                CellStep step) {
  assert(has(result, stage, matrix) && "this mechanism has no such stage, or this head is not computed yet");
  assert(static_cast<Index>(cells.size()) == rect.rows * rect.cols && "room for every cell");
  if (rect.rows == 0 || rect.cols == 0) return;
  if (result.external) return result.external->read(cells, matrix, rect, step);
  if (const std::optional<CellBlock> held = held_block(result, stage, matrix)) {
    return copy_cells(cells.data(), rect.cols, *held, rect, step);
  }
  const Execution alone{Backend::serial, 1, {}};
  const CellReader reader(result, matrix, {stage}, rect, step, alone);
  for_each_strip(rect.rows, alone, [&](Index first, Index count) {
    reader.read({rect.row + first, rect.col, count, rect.cols}, {stage}, [&](Stage, const CellBlock& block) {
      float* const to = cells.data() + first * rect.cols + (block.rect.col - rect.col);
      copy_cells(to, rect.cols, block, block.rect, {});
    });
  });
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

#include "core/cells.h"

#include "core/cell_steps.h"
#include "core/dropout_bits.h"
#include "core/external_attention.h"
#include "core/kernels/select.h"
#include "core/projection.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <vector>

namespace attnscope {

namespace {

// Every step-th query of a rectangle, one after the other.
std::vector<float> picked_queries(const CellArea& area, const Tensor& queries) {
  const MatrixView<const float> all = queries.matrix(area.matrix);
  std::vector<float> picked;
  picked.reserve(static_cast<std::size_t>(area.rect.rows * all.cols()));
  for (Index row = 0; row < area.rect.rows; ++row) {
    const float* const query = &all(area.query(row), 0);
    picked.insert(picked.end(), query, query + all.cols());
  }
  return picked;
}

// By the engine's own kernel, so that a score is the number, to the last bit, of which the row statistics speak.
void score(const CellArea& area) {
  const Tensor& queries = *area.result.find(queries_stage(area.result.config));
  const Tensor& keys = *area.result.find(keys_stage(area.result.config));
  const Index head_dim = keys.cols();
  const std::array columns = {WeightColumns{&keys.matrix(area.matrix)(area.rect.col, 0), area.rect.cols,
                                            head_dim * area.step.cols, 1, nullptr}};
  PackedWeights packed;
  packed.pack(kernels(), columns, head_dim, {Backend::serial, 1, {}});
  std::vector<float> picked;
  if (area.step.rows != 1) picked = picked_queries(area, queries);
  ProjectionTask task;
  task.weights = &packed;
  task.inputs = picked.empty() ? &queries.matrix(area.matrix)(area.rect.row, 0) : picked.data();
  task.tokens = task.last = area.rect.rows;
  task.head_dim = area.rect.cols;
  task.heads = area.cells;
  const ProjectionBlocks blocks = blocks_of(task, kernels());
  for (Index block = 0; block < blocks.count; ++block) project_block(task, blocks, kernels(), block);
}

// Multiplies by the dropout factors.
void drop(const CellArea& area) {
  const std::vector<std::uint64_t> kept = kept_bits(area);
  const Index span = (area.rect.cols - 1) * area.step.cols + 1;
  drop(area, {kept, area.rect.col, words_of_bits(span)});
}

void copy_cells(const CellArea& area, const CellBlock& held) {
  for_each_row(area, [&](std::span<float> cells, Index row) {
    const float* const from = held.at(area.query(row), area.rect.col);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = from[static_cast<Index>(i) * area.step.cols];
  });
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
  const Index width = head_features(result.config);
  const auto of_all = context->matrix(matrix / heads);
  return CellBlock{
      of_all.data() + matrix % heads * width, {0, 0, of_all.rows(), width}, of_all.cols(), of_all.rows(), width};
}

void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect,
                CellStep step) {
  assert(has(result, stage) && "this mechanism has no such stage");
  assert(static_cast<Index>(cells.size()) == rect.rows * rect.cols && "room for every cell");
  if (rect.rows == 0 || rect.cols == 0) return;
  if (result.external) return result.external->read(cells, matrix, rect, step);
  if (const std::optional<CellBlock> held = held_block(result, stage, matrix)) {
    return copy_cells({result, matrix, rect, step, cells.data(), rect.cols}, *held);
  }
  visit_cells(cells, result, {&stage, 1}, matrix, rect, step, [](Stage) {});
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

void visit_cells(std::span<float> cells, const Result& result, std::span<const Stage> stages, Index matrix,
                 const CellRect& rect, CellStep step, const std::function<void(Stage)>& visit) {
  const CellArea area{result, matrix, rect, step, cells.data(), rect.cols};
  const auto wants = [&](Stage stage) { return std::ranges::find(stages, stage) != stages.end(); };
  if (wants(Stage::mask)) {
    fill_mask(area);
    visit(Stage::mask);
  }
  if (wants(Stage::dropout_factors)) {
    std::ranges::fill(cells, 1.0F);
    drop(area);
    visit(Stage::dropout_factors);
  }
  std::optional<Stage> last;  // that is made of scores
  for (const Stage stage : score_route(result.config)) {
    if (wants(stage)) last = stage;
  }
  if (!last) return;
  score(area);
  for_each_step(area, *last, [&](Stage stage) {
    if (wants(stage)) visit(stage);
  });
  if (*last != Stage::dropped_weights) return;
  drop(area);
  visit(Stage::dropped_weights);
}

}  // namespace attnscope

#include "core/cells.h"

#include "core/dropout_mask.h"
#include "core/kernels/select.h"
#include "core/projection.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

namespace attnscope {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// A rectangle of a stage that is computed, and where it comes from.
struct Area {
  const Result& result;
  Index matrix;
  const CellRect& rect;
  CellStep step;
  std::span<float> cells;

  Index query(Index row) const { return rect.row + row * step.rows; }

  std::span<float> row(Index row) const {
    return cells.subspan(static_cast<std::size_t>(row * rect.cols), static_cast<std::size_t>(rect.cols));
  }
  std::size_t row_index(Index row) const {  // among the row statistics
    return static_cast<std::size_t>(matrix * token_count(result.config) + query(row));
  }
  // Cells of a row that the mask leaves: those up to the diagonal.
  std::size_t visible(Index row) const {
    const Index reach = query(row) - rect.col;
    return reach < 0 ? 0 : static_cast<std::size_t>(std::min(reach / step.cols + 1, rect.cols));
  }
};

template <typename Work>
void for_each_row(const Area& area, const Work& work) {
  for (Index row = 0; row < area.rect.rows; ++row) work(area.row(row), row);
}

// Every step-th query of a rectangle, one after the other.
std::vector<float> picked_queries(const Area& area, const Tensor& queries) {
  const ConstMatrixMap all = queries.matrix(area.matrix);
  std::vector<float> picked;
  picked.reserve(static_cast<std::size_t>(area.rect.rows * all.cols()));
  for (Index row = 0; row < area.rect.rows; ++row) {
    const float* const query = &all.coeffRef(area.query(row), 0);
    picked.insert(picked.end(), query, query + all.cols());
  }
  return picked;
}

// By the engine's own kernel, so that a score is the number, to the last bit, of which the row statistics speak.
void score(const Area& area) {
  const Tensor& queries = *area.result.find(queries_stage(area.result.config));
  const Tensor& keys = *area.result.find(keys_stage(area.result.config));
  const Index head_dim = keys.cols();
  const std::array columns = {WeightColumns{&keys.matrix(area.matrix).coeffRef(area.rect.col, 0), area.rect.cols,
                                            head_dim * area.step.cols, 1, nullptr}};
  PackedWeights packed;
  packed.pack(kernels(), columns, head_dim, {Backend::serial, 1, {}});
  std::vector<float> picked;
  if (area.step.rows != 1) picked = picked_queries(area, queries);
  ProjectionTask task;
  task.weights = &packed;
  task.inputs = picked.empty() ? &queries.matrix(area.matrix).coeffRef(area.rect.row, 0) : picked.data();
  task.tokens = task.last = area.rect.rows;
  task.head_dim = area.rect.cols;
  task.heads = area.cells.data();
  for (Index block = 0; block < project_block_count(task); ++block) project_block(task, kernels(), block);
}

// 1 above the diagonal, where the query may not look.
void fill_mask(const Area& area) {
  for_each_row(area, [&](std::span<float> cells, Index row) {
    std::ranges::fill(cells.first(area.visible(row)), 0.0F);
    std::ranges::fill(cells.subspan(area.visible(row)), 1.0F);
  });
}

void mask_scores(const Area& area) {
  for_each_row(area, [&](std::span<float> cells, Index row) {
    std::ranges::fill(cells.subspan(area.visible(row)), minus_infinity);
  });
}

void scale(const Area& area) {
  const float factor = score_scale(area.result.config);
  for (float& cell : area.cells) cell *= factor;
}

void normalize(const Area& area) {
  const bool by_sum = normalizes_by_sum(area.result.config);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    const float max = area.result.rows->max[area.row_index(row)];
    const float sum = area.result.rows->sum[area.row_index(row)];
    if (by_sum) {
      for (float& cell : cells) cell /= sum;
    } else if (max == minus_infinity) {
      std::ranges::fill(cells, 0.0F);
    } else {
      for (float& cell : cells) cell = cell == minus_infinity ? 0.0F / sum : std::exp(cell - max) / sum;
    }
  });
}

void mask_weights(const Area& area) {
  for_each_row(area, [&](std::span<float> cells, Index row) {
    for (float& cell : cells.subspan(area.visible(row))) cell *= 0.0F;
  });
}

void renormalize(const Area& area) {
  for_each_row(area, [&](std::span<float> cells, Index row) {
    const float sum = area.result.rows->masked_sum[area.row_index(row)];
    for (float& cell : cells) cell /= sum;
  });
}

// Multiplies by the dropout factors.
void drop(const Area& area) {
  if (!area.result.dropout) return;
  const DropoutMask& mask = *area.result.dropout;
  DropoutRows rows(mask);
  const Index span = (area.rect.cols - 1) * area.step.cols + 1;
  const auto step = static_cast<std::size_t>(area.step.cols);
  std::vector<std::uint64_t> kept(static_cast<std::size_t>((span + 63) / 64));
  for_each_row(area, [&](std::span<float> cells, Index row) {
    rows.read(kept, area.matrix, area.query(row), area.rect.col, span);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t k = i * step;
      cells[i] *= (kept[k / 64] >> (k % 64) & 1) != 0 ? mask.factor() : 0.0F;
    }
  });
}

// Every step from scores to the stage, in the order of the stages.
void compute(const Area& area, Stage stage) {
  const AttentionConfig& config = area.result.config;
  const auto passes = [&](Stage step) { return step <= stage && has_stage(config, step); };
  score(area);
  if (passes(Stage::masked_scores)) mask_scores(area);
  if (passes(Stage::scaled_scores) && config.scale) scale(area);
  if (passes(Stage::weights)) normalize(area);
  if (passes(Stage::masked_weights)) mask_weights(area);
  if (passes(Stage::renormalized_weights)) renormalize(area);
  if (passes(Stage::dropped_weights)) drop(area);
}

void copy_cells(const Area& area, const Tensor& tensor) {
  const ConstMatrixMap kept = tensor.matrix(area.matrix);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = kept(area.query(row), area.rect.col + static_cast<Index>(i) * area.step.cols);
    }
  });
}

}  // namespace

void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect,
                CellStep step) {
  assert(has(result, stage) && "this mechanism has no such stage");
  assert(static_cast<Index>(cells.size()) == rect.rows * rect.cols && "room for every cell");
  if (rect.rows == 0 || rect.cols == 0) return;
  const Area area{result, matrix, rect, step, cells};
  if (const Tensor* tensor = result.find(stage)) {
    copy_cells(area, *tensor);
  } else if (stage == Stage::mask) {
    fill_mask(area);
  } else if (stage == Stage::dropout_factors) {
    std::ranges::fill(cells, 1.0F);
    drop(area);
  } else {
    compute(area, stage);
  }
}

}  // namespace attnscope

#include "core/summary.h"

#include "core/expected_work.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnscope {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index block_cells = Index{1} << 18;  // read in one go: less than a millisecond

void widen(StageSummary::Extremes& extremes, float low, float high) {
  extremes.low = std::min(extremes.low, low);
  extremes.high = std::max(extremes.high, high);
}

// Rows of one matrix: their extremes, and their sums into sums[first, first + count).
template <typename Matrix>
StageSummary::Extremes summarize_rows(float* sums, const Matrix& matrix, Index first, Index count) {
  StageSummary::Extremes extremes{infinity, -infinity};
  for (Index row = first; row < first + count; ++row) {
    double sum = 0;
    for (Index col = 0; col < matrix.cols(); ++col) {
      const float value = matrix(row, col);
      if (!std::isfinite(value)) continue;
      sum += value;
      widen(extremes, value, value);
    }
    sums[row] = static_cast<float>(sum);
  }
  return extremes;
}

// Extremes of all matrices from those of each.
void unite(StageSummary& summary) {
  summary.overall = {infinity, -infinity};
  for (StageSummary::Extremes& extremes : summary.matrices) {
    widen(summary.overall, extremes.low, extremes.high);
    if (extremes.low > extremes.high) extremes = {};
  }
  if (summary.overall.low > summary.overall.high) summary.overall = {};
}

StageSummary estimate(const Result& result, Stage stage, const Execution& execution) {
  const std::vector<Index> shape = stage_shape(result.config, stage);
  const Index T = shape.back();
  const Index count = element_count(shape) / (T * T);
  std::vector<MatrixSummary> parts(static_cast<std::size_t>(count));
  for_each_block(execution, count, [&](Index matrix) {
    parts[static_cast<std::size_t>(matrix)] = estimate_matrix(result, stage, matrix);
  });
  StageSummary summary;
  for (const MatrixSummary& part : parts) {
    summary.matrices.push_back(part.extremes);
    summary.row_sums.insert(summary.row_sums.end(), part.row_sums.begin(), part.row_sums.end());
  }
  summary.is_exact = T <= estimate_reads_all;
  unite(summary);
  return summary;
}

}  // namespace

StageSummary summarize(const Tensor& tensor, const Execution& execution) {
  StageSummary summary;
  const Index count = tensor.matrix_count();
  summary.matrices.assign(static_cast<std::size_t>(count), {infinity, -infinity});
  summary.row_sums.resize(static_cast<std::size_t>(count * tensor.rows()));
  if (count == 0) return summary;
  const Index rows = std::max<Index>(1, block_cells / tensor.cols());
  const Index blocks = (tensor.rows() + rows - 1) / rows;  // of each matrix
  std::vector<StageSummary::Extremes> extremes(static_cast<std::size_t>(count * blocks));
  for_each_block(execution, count * blocks, [&](Index block) {
    const Index matrix = block / blocks;
    const Index first = block % blocks * rows;
    extremes[static_cast<std::size_t>(block)] =
        summarize_rows(summary.row_sums.data() + matrix * tensor.rows(), tensor.matrix(matrix), first,
                       std::min(rows, tensor.rows() - first));
  });
  for (std::size_t block = 0; block < extremes.size(); ++block) {
    widen(summary.matrices[block / static_cast<std::size_t>(blocks)], extremes[block].low, extremes[block].high);
  }
  unite(summary);
  return summary;
}

void replace(StageSummary& summary, Index matrix, const MatrixSummary& part) {
  summary.matrices[static_cast<std::size_t>(matrix)] = part.extremes;
  const auto first = summary.row_sums.begin() + matrix * static_cast<Index>(part.row_sums.size());
  std::ranges::copy(part.row_sums, first);
  unite(summary);
}

Summaries summarize(const Result& result, const Execution& execution, const Result* previous,
                    const Summaries* previous_summaries) {
  Summaries summaries;
  for (std::size_t index = 0; index < summaries.size(); ++index) {
    const TensorPtr& tensor = result.tensors[index];
    const auto stage = static_cast<Stage>(index);
    begin_pass(execution, expected_summary_work(result.config, stage, tensor != nullptr));
    if (!tensor && has(result, stage)) {
      summaries[index] = std::make_shared<const StageSummary>(estimate(result, stage, execution));
    }
    if (!tensor) continue;
    const bool same = previous && previous_summaries && previous->tensors[index] == tensor;
    summaries[index] =
        same ? (*previous_summaries)[index] : std::make_shared<const StageSummary>(summarize(*tensor, execution));
  }
  return summaries;
}

}  // namespace attnscope

#include "core/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnscope {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

void widen(StageSummary::Extremes& extremes, float low, float high) {
  extremes.low = std::min(extremes.low, low);
  extremes.high = std::max(extremes.high, high);
}

// One matrix: its extremes, and its row sums into sums[0, rows).
StageSummary::Extremes summarize_matrix(float* sums, const ConstMatrixMap& matrix) {
  StageSummary::Extremes extremes{infinity, -infinity};
  for (Index row = 0; row < matrix.rows(); ++row) {
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
  summary.matrices.resize(static_cast<std::size_t>(count));
  summary.row_sums.resize(static_cast<std::size_t>(count * tensor.rows()));
  for_each_block(execution, count, [&](Index index) {
    float* sums = summary.row_sums.data() + index * tensor.rows();
    summary.matrices[static_cast<std::size_t>(index)] = summarize_matrix(sums, tensor.matrix(index));
  });
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

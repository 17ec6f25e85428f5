#pragma once

#include <cmath>

#include "core/results.h"

namespace attnscope::test {

// The summary of a stage, by looking at one cell after the other.
inline StageSummary exact_summary(const Tensor& tensor) {
  StageSummary summary;
  summary.overall = no_extremes;
  for (Index index = 0; index < tensor.matrix_count(); ++index) {
    StageSummary::Extremes& extremes = summary.matrices.emplace_back(no_extremes);
    const auto matrix = tensor.matrix(index);
    for (Index row = 0; row < tensor.rows(); ++row) {
      double sum = 0;
      for (Index col = 0; col < tensor.cols(); ++col) {
        const float cell = matrix(row, col);
        if (!std::isfinite(cell)) continue;
        widen(extremes, {cell, cell});
        sum += static_cast<double>(cell);
      }
      summary.row_sums.push_back(static_cast<float>(sum));
    }
    widen(summary.overall, extremes);
  }
  return summary;
}

}  // namespace attnscope::test

#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/evaluate.h"

namespace attnscope {

// What views show of a stage without reading all of it again: extremes and row sums of every trailing matrix.
struct StageSummary {
  struct Extremes {
    float low = 0;  // smallest and largest finite value; both 0 when there is none
    float high = 0;
  };
  std::vector<Extremes> matrices;  // by matrix index, b * H + h
  Extremes overall;
  std::vector<float> row_sums;  // by matrix and row, infinities left out; summed in double. NaN: not known yet
  bool is_exact = true;         // else of some rows only
};

// Extremes of no number yet, and what they are with further numbers.
constexpr StageSummary::Extremes no_extremes{std::numeric_limits<float>::infinity(),
                                             -std::numeric_limits<float>::infinity()};
inline void widen(StageSummary::Extremes& extremes, const StageSummary::Extremes& other) {
  extremes.low = std::min(extremes.low, other.low);
  extremes.high = std::max(extremes.high, other.high);
}

using SummaryPtr = std::shared_ptr<const StageSummary>;
using Summaries = StageMap<SummaryPtr>;  // by Stage; null where the result has no such stage

StageSummary summarize(const Tensor& tensor, const Execution& execution);

// The same of one matrix whose cells are computed when read; of several stages, whose scores are computed once.
struct MatrixSummary {
  StageSummary::Extremes extremes;  // low above high where there is no finite value
  std::vector<float> row_sums;
};
std::vector<MatrixSummary> summarize_matrix(const Result& result, std::span<const Stage> stages, Index matrix,
                                            const Execution& execution);
// The same from some of its cells. Row sums are those that follow from the row statistics, NaN where none do.
std::vector<MatrixSummary> estimate_matrix(const Result& result, std::span<const Stage> stages, Index matrix,
                                           const Execution& execution);
constexpr Index estimate_reads_all = 16;  // rows and columns of a matrix that is not worth an estimate
// Puts the summary of one matrix in its place.
void replace(StageSummary& summary, Index matrix, const MatrixSummary& part);

// Summaries of every stage of a result, estimates where squares are not kept. Those of `previous` are shared where
// the tensors are.
Summaries summarize(const Result& result, const Execution& execution, const Result* previous,
                    const Summaries* previous_summaries);

}  // namespace attnscope

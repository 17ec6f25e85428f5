#pragma once

#include <array>
#include <memory>
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
  std::vector<float> row_sums;  // by matrix and row, infinities left out; summed in double
};

using SummaryPtr = std::shared_ptr<const StageSummary>;
using Summaries = std::array<SummaryPtr, stage_count>;  // by Stage; null where the result has no such stage

StageSummary summarize(const Tensor& tensor, const Execution& execution);

// Summaries of every stage of a result. Those of `previous` are shared where the tensors are.
Summaries summarize(const Result& result, const Execution& execution, const Result* previous,
                    const Summaries* previous_summaries);

}  // namespace attnscope

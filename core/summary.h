#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/cells.h"
#include "core/kernels/kernels.h"
#include "core/weight_spread.h"

namespace attnscope {

// Extremes and row sums of every trailing matrix of a stage, as far as they are known: of a matrix that nobody has
// looked at they are not.
struct StageSummary {
  struct Extremes {
    float low = 0;  // smallest and largest finite value; both 0 when there is none
    float high = 0;
  };
  std::vector<Extremes> matrices;  // by matrix index, b * H + h
  Extremes overall;
  std::vector<float> row_sums;         // by matrix and row, infinities left out; summed in double. NaN: not known yet
  bool is_exact = true;                // else some matrix is not known yet
  std::optional<WeightSpread> spread;  // of stages of weights
};

// Extremes of no number yet, and what they are with further numbers.
constexpr StageSummary::Extremes no_extremes{std::numeric_limits<float>::infinity(),
                                             -std::numeric_limits<float>::infinity()};
inline void widen(StageSummary::Extremes& extremes, const StageSummary::Extremes& other) {
  extremes.low = std::min(extremes.low, other.low);
  extremes.high = std::max(extremes.high, other.high);
}

using SummaryPtr = std::shared_ptr<const StageSummary>;

struct MatrixSummary {
  StageSummary::Extremes extremes = no_extremes;
  std::vector<float> row_sums;
};
// The summary of a matrix from the numbers of its rows.
MatrixSummary summary_of(std::span<const RowNumbers> rows);
// The same from its cells. Throws Cancelled.
MatrixSummary summary_of(const CellBlock& whole, const Execution& execution);
// Of a matrix of a result, which is computed or read, and kept, where its summary is not known.
MatrixSummary summarize_matrix(const Result& result, Stage stage, Index matrix, const Execution& execution);
// Puts the summary of one matrix in its place.
void replace(StageSummary& summary, Index matrix, const MatrixSummary& part);

// Summaries of the stages of a result. What is held, or takes less than a millisecond to compute, is summarized when it
// is first asked for; of other matrices there is what HeadStore knows.
class Summaries {
public:
  // Takes over the summaries of `previous` whose tensors its result shares.
  explicit Summaries(std::shared_ptr<const Result> result, const Summaries* previous = nullptr);
  // `summary`: of the stage, as long as no matrix of it is known.
  Summaries(std::shared_ptr<const Result> result, Stage stage, SummaryPtr summary);

  SummaryPtr of(Stage stage) const;  // null where the result has no such stage. By any thread

private:
  struct Made {
    SummaryPtr summary;
    std::size_t known = 0;  // matrices that HeadStore knew
  };
  void make(Stage stage) const;
  void make_of_heads(Stage stage) const;

  std::shared_ptr<const Result> result_;
  mutable std::mutex mutex_;
  mutable StageMap<Made> made_;
};

}  // namespace attnscope

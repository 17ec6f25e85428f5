#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/evaluate.h"
#include "core/weight_spread.h"

namespace attnscope {

struct CellBlock;

// Extremes and row sums of every trailing matrix of a stage, for views, which need not read all of it again.
struct StageSummary {
  struct Extremes {
    float low = 0;  // smallest and largest finite value; both 0 when there is none
    float high = 0;
  };
  std::vector<Extremes> matrices;  // by matrix index, b * H + h
  Extremes overall;
  std::vector<float> row_sums;         // by matrix and row, infinities left out; summed in double. NaN: not known yet
  bool is_exact = true;                // else of some rows only
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

// The summary of one matrix from all of its cells, or from a share of its rows where they are read from a file, and
// sums of the others are NaN; of several stages, whose scores are computed once. Throws Cancelled.
struct MatrixSummary {
  StageSummary::Extremes extremes;  // low above high where there is no finite value
  std::vector<float> row_sums;
};
std::vector<MatrixSummary> summarize_matrix(const Result& result, std::span<const Stage> stages, Index matrix,
                                            const Execution& execution, double share = 1);
// Collects such a summary from blocks of a matrix. Several threads may add blocks if each has rows of its own.
class MatrixCollector {
public:
  explicit MatrixCollector(Index rows) : rows_(static_cast<std::size_t>(rows)) {}
  void add(const CellBlock& block);
  MatrixSummary summary(float sum_of_unread = std::numeric_limits<float>::quiet_NaN()) const;

private:
  struct Row {
    StageSummary::Extremes extremes = no_extremes;
    std::optional<double> sum;  // of the finite numbers; nothing until a block has the row
  };
  std::vector<Row> rows_;
};
// The depth of a summary that does not read every cell; its row sums follow from row statistics, NaN where none do.
struct EstimateDepth {
  bool reads_cells = true;  // some of them, for the extremes; else these are left as those of no number
  bool sums_scores = true;  // which takes a pass over the keys
};
std::vector<MatrixSummary> estimate_matrix(const Result& result, std::span<const Stage> stages, Index matrix,
                                           const EstimateDepth& depth);
// Puts the summary of one matrix in its place.
void replace(StageSummary& summary, Index matrix, const MatrixSummary& part);

// Summaries of the stages of a result, each made when it is first asked for: in less than a millisecond, and so of a
// large stage from some of its rows only.
class Summaries {
public:
  // Takes over the summaries of `previous` whose tensors and rows its result shares.
  explicit Summaries(std::shared_ptr<const Result> result, const Summaries* previous = nullptr);
  Summaries(Stage stage, SummaryPtr summary);  // of the only stage that there is

  SummaryPtr of(Stage stage) const;  // null where the result has no such stage. By any thread

private:
  void make(Stage stage) const;

  std::shared_ptr<const Result> result_;
  mutable std::mutex mutex_;
  mutable StageMap<SummaryPtr> made_;
};

}  // namespace attnscope

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/evaluate.h"
#include "core/kernels/kernels.h"
#include "core/visibility.h"

namespace attnscope {

// The measure by which weights are compared and coloured: the number itself, or one in which small numbers differ.
enum class MeasureKind {
  value,
  relative,   // times the keys that its query may see: 1 where all of them would have the same weight
  logarithm,  // to the base 10
};

struct Measure {
  MeasureKind kind = MeasureKind::value;
  Visibility counted = {};  // `relative` counts the keys that queries may see

  float factor(Index query) const {
    return kind == MeasureKind::relative ? static_cast<float>(counted.count(query)) : 1.0F;
  }
  // Returns the measure of a number that has its factor. Computed in double, so that every machine rounds to the same
  // float.
  float finish(float value) const {
    if (kind != MeasureKind::logarithm || !std::isfinite(value)) return value;
    return static_cast<float>(std::log10(std::max(static_cast<double>(value), 1e-38)));
  }
  float of(float value, Index query) const { return finish(value * factor(query)); }
  auto operator<=>(const Measure&) const = default;
};

// How the weights of a stage lie around 1 / (number of keys that the query may see). From some rows of some matrices,
// evenly spread: always the same ones of a result, so that what follows from it does not depend on what was read
// before.
struct WeightSpread {
  Visibility counted;  // the keys that queries may see
  float low = 1;       // only a fiftieth of weight × keys lies below
  float high = 1;      // only a thousandth lies above: pixels over many cells show the largest
  float smallest = 1;  // only a fiftieth of the weights above 0 lies below
  float largest = 1;   // no weight lies above
  bool operator==(const WeightSpread&) const = default;
};

// Returns the spread of a stage of (B,H,T_query,T_key). Takes less than a millisecond.
WeightSpread weight_spread(const Result& result, Stage stage);

// Rows of weights that somebody has read.
struct WeightRow {
  Index query = 0;
  std::vector<float> weights;  // one for every key
};
WeightSpread weight_spread(std::span<const WeightRow> rows, const Visibility& counted);

// Guesses the mask of imported weights: causal if everything right of the diagonal is 0 in these rows, else none.
Visibility keys_seen(std::span<const WeightRow> rows, Index keys);

// Extremes and row sums of the trailing matrices of a stage. Those of a matrix that nobody has looked at are not known.
struct StageSummary {
  struct Extremes {
    float low = 0;  // smallest and largest finite value; both 0 when there is none
    float high = 0;
  };
  std::vector<Extremes> matrices;  // one for each matrix, b * H + h
  Extremes overall;
  std::vector<float> row_sums;         // by matrix and row, infinities left out; summed in double. NaN: not known yet
  bool is_exact = true;                // false: some matrix is not known yet
  std::optional<WeightSpread> spread;  // only for stages of weights
};

// Return extremes of no number yet, and extremes that include further numbers.
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
// Returns the summary of a matrix from the numbers of its rows.
MatrixSummary summary_of(std::span<const RowNumbers> rows);
// Returns the summary of a matrix from its cells. Throws Cancelled.
MatrixSummary summary_of(const CellBlock& whole, const Execution& execution);
// Returns the summary of a matrix of a result. If it is not known, the matrix is computed or read, and kept.
MatrixSummary summarize_matrix(const Result& result, Stage stage, Index matrix, const Execution& execution);
// Puts the summary of one matrix in its place.
void replace(StageSummary& summary, Index matrix, const MatrixSummary& part);

// Summaries of the stages of a result. A matrix that is held, or takes less than a millisecond to compute, is
// summarized when somebody first asks; for other matrices the summaries are those that HeadStore knows.
class Summaries {
public:
  // Takes over the summaries of `previous` whose tensors its result shares.
  explicit Summaries(std::shared_ptr<const Result> result, const Summaries* previous = nullptr);
  // `summary` stands for the stage until one of its matrices is known.
  Summaries(std::shared_ptr<const Result> result, Stage stage, SummaryPtr summary);

  SummaryPtr of(Stage stage) const;  // null if the result has no such stage; any thread may call it

private:
  struct Made {
    SummaryPtr summary;
    std::size_t known = 0;  // matrices whose summaries HeadStore knew
  };
  void make(Stage stage) const;
  void make_of_heads(Stage stage) const;

  std::shared_ptr<const Result> result_;
  mutable std::mutex mutex_;
  mutable StageMap<Made> made_;
};

}  // namespace attnscope

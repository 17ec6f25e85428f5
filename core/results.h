#pragma once

// Summaries of results, and results that are not evaluated: the difference of two, and attention that another program
// computed.

#include "core/evaluate.h"
#include "core/kernels/kernels.h"
#include "core/tensor.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// Two evaluations whose numbers are subtracted, cell by cell.
struct Difference {
  std::shared_ptr<const Result> now;
  std::shared_ptr<const Result> baseline;
};

// Returns whether a stage's numbers can be subtracted: both have it in one shape, and neither stores its weights
// transposed.
bool is_comparable(const Result& now, const Result& baseline, Stage stage);

// Returns whether both are finished and hold a stage with the same numbers.
bool is_equal(const Result& now, const Result& baseline, Stage stage);

// Returns `now` minus `baseline` as a result like any other. Stages that both hold are subtracted here; other stages
// are subtracted when they are read. Two equal infinities give 0. Both must be finished. Throws Cancelled.
std::shared_ptr<const Result> difference_of(std::shared_ptr<const Result> now, std::shared_ptr<const Result> baseline,
                                            const Execution& execution = {});

// Returns 0 if both differ by less than a millionth of the larger one, because they are equal up to rounding.
float difference_of(float now, float baseline);

// Returns the keys that are hidden in the rows of a stage; in a difference, those that both hide.
Visibility visibility(const Result& result, Stage stage);

// Returns whether cells of a stage can be dropped, so that its picture needs the dropout factors; never in a
// difference.
bool shows_dropped(const Result& result, Stage stage);

// Attention that another program computed: one stage of (B,H,T_query,T_key) whose cells are read, not computed. Its
// queries, keys and values are unknown.
struct ImportedAttention {
  Stage stage = Stage::weights;  // weights or scores
  Index batch_size = 1;
  Index heads = 1;
  Index queries = 1;
  Index keys = 1;
  // Fills `cells` as read_cells() does. Several threads call it at once, and it must not throw: cells that can no
  // longer be read become NaN.
  std::function<void(std::span<float> cells, Index matrix, const CellRect& rect)> read;
  Index read_for_a_cell = 1;  // numbers of the file that are read for one cell
  bool is_causal = false;     // hides_later_keys(): its zeros above the diagonal are shown as masked
  std::string origin;         // "attention.npy"
  std::string number_type;    // in the file: "float16"
  std::function<std::string(Index matrix, Index row, Index col)> place;  // in the file: "[2, 0, 4, 17, 3]"
};

// Returns a result that has this stage and no other.
Result result_of(std::shared_ptr<const ImportedAttention> attention);

// Returns whether the weights look causal: every number right of the diagonal is exactly 0. The diagonal ends in the
// last query's last key; where there are more keys than queries, as in steps of generation, no number on it may be 0.
// Reads about a million cells: all rows of small matrices, else at least 16 rows of each, evenly spread.
bool hides_later_keys(const ImportedAttention& attention);

// Returns a summary from a few rows of a few matrices, without row sums: enough to choose colours.
SummaryPtr sample_imported(const ImportedAttention& attention);

// Picks `count` of `total` places, evenly spread, the first and the last among them.
std::vector<Index> spread(Index count, Index total);

}  // namespace attnscope

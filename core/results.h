#pragma once

// Results that are not evaluated: the difference of two, and attention that another program computed.

#include "core/evaluate.h"
#include "core/summary.h"
#include "core/tensor.h"
#include "core/visibility.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace attnscope {

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

// Attention that another program computed: one stage of (B,H,T,T) whose cells are read, not computed. Its inputs and
// weight matrices are unknown.
struct ImportedAttention {
  Stage stage = Stage::weights;  // weights or scores
  Index batch_size = 1;
  Index heads = 1;
  Index tokens = 1;
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

// Returns whether the weights look causal: every number above the diagonal is exactly 0. Reads about a million cells:
// all rows of small matrices, else at least 16 rows of each, evenly spread.
bool hides_later_keys(const ImportedAttention& attention);

// Returns a summary from a few rows of a few matrices, without row sums: enough to choose colours.
SummaryPtr sample_imported(const ImportedAttention& attention);

// Picks `count` of `total` places, evenly spread, the first and the last among them.
std::vector<Index> spread(Index count, Index total);

}  // namespace attnscope

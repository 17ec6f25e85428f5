#pragma once

#include "core/evaluate.h"
#include "core/summary.h"
#include "core/tensor.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>

namespace attnscope {

// Attention that was computed elsewhere: one stage of (B,H,T,T) whose cells are read, not computed. Nothing else is
// known of it, neither inputs nor weight matrices.
struct ImportedAttention {
  Stage stage = Stage::weights;  // or scores
  Index batch_size = 1;
  Index heads = 1;
  Index tokens = 1;
  // Fills `cells` as read_cells() does. Called by several threads at once; must not throw. What cannot be read any more
  // is NaN.
  std::function<void(std::span<float> cells, Index matrix, const CellRect& rect)> read;
  Index read_for_a_cell = 1;  // numbers of the file
  bool is_causal = false;     // hides_later_keys(): its zeros above the diagonal are shown as masked
  std::string origin;         // "attention.npy"
  std::string number_type;    // of the numbers there: "float16"
  std::function<std::string(Index matrix, Index row, Index col)> place;  // of a cell there: "[2, 0, 4, 17, 3]"
};

// A result that has this stage and no other.
Result result_of(std::shared_ptr<const ImportedAttention> attention);

// Whether the weights look like those of a causal mask: every number above the diagonal of every matrix is exactly 0.
// Reads about a million cells: all rows of small matrices, else at least 16 rows of each, evenly spread.
bool hides_later_keys(const ImportedAttention& attention);

// A summary from a few rows of a few matrices, without a single row sum: enough to choose colours by.
SummaryPtr sample_imported(const ImportedAttention& attention);

// Picks `count` of `total` places, evenly spread, the first and the last among them.
std::vector<Index> spread(Index count, Index total);

}  // namespace attnscope

#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "compute/background.h"
#include "core/evaluate.h"

namespace attnscope {

struct LargeCell {
  Index row = 0;
  Index col = 0;
  float value = 0;
  bool operator==(const LargeCell&) const = default;
};

// The `count` finite cells of largest magnitude of one matrix of a stage, largest first, ties in reading order; fewer
// where the matrix has fewer that are not 0. Throws Cancelled.
std::vector<LargeCell> largest_cells(const Result& result, Stage stage, Index matrix, std::size_t count,
                                     const std::stop_token& stop);

// The matrix that is searched, in the result with this ticket.
struct LargestQuery {
  std::uint64_t ticket = 0;
  Stage stage = Stage::weights;
  Index matrix = 0;
  bool operator==(const LargestQuery&) const = default;
};

struct LargestJob {
  std::shared_ptr<const Result> result;
  LargestQuery query;
};
struct LargestFound {
  LargestQuery query;
  std::vector<LargeCell> cells;
};

// Searches in the background; the newest query wins.
using LargestFinder = Background<LargestJob, std::shared_ptr<const LargestFound>>;
std::shared_ptr<const LargestFound> find_largest(const LargestJob& job, const std::stop_token& stop);

}  // namespace attnscope

#include "compute/largest_cells.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cells.h"

namespace attnscope {
namespace {

constexpr std::size_t wanted_cells = 20;

bool is_larger(const LargeCell& left, const LargeCell& right) {
  const float left_size = std::abs(left.value);
  const float right_size = std::abs(right.value);
  if (left_size != right_size) return left_size > right_size;
  return std::pair(left.row, left.col) < std::pair(right.row, right.col);
}

// Takes in what is among the `count` largest, which stand in their order. Cells come in reading order, so of equal ones
// the first stays.
void offer_row(std::vector<LargeCell>& best, std::size_t count, const float* cells, Index row, Index cols) {
  const auto least_size = [&] { return best.size() < count ? 0 : std::abs(best.back().value); };
  float least = least_size();
  for (Index col = 0; col < cols; ++col) {
    const float size = std::abs(cells[col]);
    if (!(size > least) || !std::isfinite(size)) continue;
    if (best.size() == count) best.pop_back();
    const LargeCell cell{row, col, cells[col]};
    best.insert(std::ranges::upper_bound(best, cell, is_larger), cell);
    least = least_size();
  }
}

}  // namespace

std::vector<LargeCell> largest_cells(const Result& result, Stage stage, Index matrix, std::size_t count,
                                     const std::stop_token& stop) {
  const CellBlock cells = whole_matrix(result, stage, matrix, {Backend::serial, 1, stop});
  std::vector<LargeCell> best;
  for (Index row = 0; row < cells.rows; ++row) {
    if (stop.stop_requested()) throw Cancelled{};
    offer_row(best, count, cells.at(row, 0), row, cells.cols);
  }
  return best;
}

std::shared_ptr<const LargestFound> find_largest(const LargestJob& job, const std::stop_token& stop) {
  const auto& [result, query] = job;
  return std::make_shared<const LargestFound>(
      LargestFound{query, largest_cells(*result, query.stage, query.matrix, wanted_cells, stop)});
}

}  // namespace attnscope

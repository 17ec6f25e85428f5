#include "compute/largest_cells.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/cells.h"

namespace attnscope {
namespace {

constexpr std::size_t wanted_cells = 20;
constexpr Index block_cells = 1 << 20;  // read at a time, between looks at whether the search is still wanted

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
  const std::vector<Index> shape = stage_shape(result.config, stage);
  const Index rows = shape[shape.size() - 2];
  const Index cols = shape.back();
  const Index block_rows = std::clamp<Index>(block_cells / cols, 1, rows);
  std::vector<float> block(static_cast<std::size_t>(block_rows * cols));
  std::vector<LargeCell> best;
  for (Index first = 0; first < rows; first += block_rows) {
    if (stop.stop_requested()) throw Cancelled{};
    const Index read = std::min(block_rows, rows - first);
    const std::span<float> cells = std::span(block).first(static_cast<std::size_t>(read * cols));
    read_cells(cells, result, stage, matrix, {.row = first, .col = 0, .rows = read, .cols = cols});
    for (Index row = 0; row < read; ++row) offer_row(best, count, cells.data() + row * cols, first + row, cols);
  }
  return best;
}

std::shared_ptr<const LargestFound> find_largest(const LargestJob& job, const std::stop_token& stop) {
  const auto& [result, query] = job;
  return std::make_shared<const LargestFound>(
      LargestFound{query, largest_cells(*result, query.stage, query.matrix, wanted_cells, stop)});
}

}  // namespace attnscope

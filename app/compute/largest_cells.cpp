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

// The largest so far, as a heap with the least of them on top.
class Best {
public:
  explicit Best(std::size_t count) : count_(count) {}

  // Cells come in reading order, so of equal ones the first stays.
  void offer(const LargeCell& cell) {
    if (cells_.size() == count_) {
      std::pop_heap(cells_.begin(), cells_.end(), is_larger);
      cells_.pop_back();
    }
    cells_.push_back(cell);
    std::push_heap(cells_.begin(), cells_.end(), is_larger);
    if (cells_.size() == count_) least_ = std::abs(cells_.front().value);
  }
  float least() const { return least_; }  // what does not exceed it is not among the largest
  std::vector<LargeCell> sorted() && {
    std::sort(cells_.begin(), cells_.end(), is_larger);
    return std::move(cells_);
  }

private:
  std::size_t count_;
  std::vector<LargeCell> cells_;
  float least_ = 0;
};

void offer_row(Best& best, const float* cells, Index row, Index cols) {
  for (Index col = 0; col < cols; ++col) {
    const float size = std::abs(cells[col]);
    if (size > best.least() && std::isfinite(size)) best.offer({row, col, cells[col]});
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
  Best best(count);
  for (Index first = 0; first < rows; first += block_rows) {
    if (stop.stop_requested()) throw Cancelled{};
    const Index read = std::min(block_rows, rows - first);
    const std::span<float> cells = std::span(block).first(static_cast<std::size_t>(read * cols));
    read_cells(cells, result, stage, matrix, {.row = first, .col = 0, .rows = read, .cols = cols});
    for (Index row = 0; row < read; ++row) offer_row(best, cells.data() + row * cols, first + row, cols);
  }
  return std::move(best).sorted();
}

std::shared_ptr<const LargestFound> find_largest(const LargestJob& job, const std::stop_token& stop) {
  const auto& [result, query] = job;
  return std::make_shared<const LargestFound>(
      LargestFound{query, largest_cells(*result, query.stage, query.matrix, wanted_cells, stop)});
}

}  // namespace attnscope

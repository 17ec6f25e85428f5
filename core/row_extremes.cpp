#include "core/row_extremes.h"

#include "core/cell_reader.h"

#include <Eigen/Core>

#include <algorithm>
#include <limits>

namespace attnscope {

namespace {

std::vector<float> empty_pairs(Index rows) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> pairs(static_cast<std::size_t>(2 * rows));
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = i % 2 == 0 ? infinity : -infinity;
  return pairs;
}

// `pair` widened by some cells, several at a time.
void widen_pair(float* pair, const float* cells, Index count) {
  using Lanes = Eigen::Array<float, 16, 1>;
  Lanes low = Lanes::Constant(pair[0]);
  Lanes high = Lanes::Constant(pair[1]);
  Index i = 0;
  for (; i + Lanes::SizeAtCompileTime <= count; i += Lanes::SizeAtCompileTime) {
    const Eigen::Map<const Lanes> next(cells + i);
    low = low.min(next);  // as std::min does: NaN changes nothing
    high = high.max(next);
  }
  for (; i < count; ++i) {
    low[0] = std::min(low[0], cells[i]);
    high[0] = std::max(high[0], cells[i]);
  }
  pair[0] = low.minCoeff();
  pair[1] = high.maxCoeff();
}

void widen_rows(RowExtremes& extremes, const CellBlock& block, Index first_col, Index cols) {
  for (Index row = block.rect.row; row < block.rect.row + block.rect.rows; ++row) {
    const Index visible = std::clamp<Index>(row + 1 - first_col, 0, cols);
    const float* const cells = block.at(row, first_col);
    widen_pair(&extremes.visible[static_cast<std::size_t>(2 * row)], cells, visible);
    widen_pair(&extremes.hidden[static_cast<std::size_t>(2 * row)], cells + visible, cols - visible);
  }
}

}  // namespace

RowExtremes row_extremes(const Result& result, Index matrix, bool of_all, const Execution& execution) {
  const Index T = token_count(result.config);
  const CellReader reader(result, matrix, execution);
  RowExtremes extremes{empty_pairs(T), empty_pairs(T)};
  for_each_strip(T, execution, [&](Index first, Index count) {
    const Index cols = of_all ? T : first + count;
    CellRows rows(reader, {first, 0, count, cols});
    for_each_chunk(cols, [&](Index col, Index chunk) {
      rows.read(col, chunk, {Stage::scores},
                [&](Stage, const CellBlock& block) { widen_rows(extremes, block, col, chunk); });
    });
  });
  return extremes;
}

}  // namespace attnscope

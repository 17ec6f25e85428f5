#include "core/row_extremes.h"

#include "core/cell_reader.h"
#include "core/visibility.h"

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

void widen_rows(RowExtremes& extremes, const CellBlock& block, const Visibility& seen) {
  const Index end = block.rect.col + block.rect.cols;
  for (Index row = block.rect.row; row < block.rect.row + block.rect.rows; ++row) {
    const auto widen_into = [&](std::vector<float>& pairs) {
      float* const pair = &pairs[static_cast<std::size_t>(2 * row)];
      return [&block, pair, row](const KeyRange& keys) { widen_pair(pair, block.at(row, keys.first), keys.count()); };
    };
    for_each_seen(seen, row, block.rect.col, end, widen_into(extremes.visible));
    for_each_hidden(seen, row, block.rect.col, end, widen_into(extremes.hidden));
  }
}

}  // namespace

RowExtremes row_extremes(const Result& result, Index matrix, bool of_all, const Execution& execution) {
  const Index queries = query_count(result.config);
  const Visibility seen = visibility(result.config);
  const CellReader reader(result, matrix, {Stage::scores}, execution);
  RowExtremes extremes{empty_pairs(queries), empty_pairs(queries)};
  for_each_strip(queries, execution, [&](Index first, Index count) {
    const KeyRange keys = of_all ? KeyRange{0, key_count(result.config)} : seen.of_any(first, count);
    reader.read({first, keys.first, count, keys.count()}, {Stage::scores},
                [&](Stage, const CellBlock& block) { widen_rows(extremes, block, seen); });
  });
  return extremes;
}

}  // namespace attnscope

#include "compute/tile.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace attnscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Orders floats by magnitude as unsigned integers: the sign moves to the lowest bit. 0 is left to masked cells. An
// object rather than a function, so that the loops that call it are inlined and vectorized.
struct MagnitudeKey {
  std::uint32_t operator()(float value) const {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t key = std::rotl(bits, 1) ^ 1U;
    const std::uint32_t unmasked_key = key == 0U ? 1U : key;
    return bits == std::bit_cast<std::uint32_t>(minus_infinity) ? 0U : unmasked_key;
  }
};

float value_of(std::uint32_t key) { return key == 0 ? minus_infinity : std::bit_cast<float>(std::rotr(key ^ 1U, 1)); }

struct KeptKey {
  std::uint32_t operator()(float factor) const { return factor == 0 ? 1U : 2U; }
};

// cells_under() each of the tile's columns, counted from its first cell: computed once, because divisions in the loop
// over texels would be slow.
std::vector<CellSpan> column_spans(const TexelGrid& grid, const Tile& tile, Index cells) {
  std::vector<CellSpan> spans;
  const Index first = cells_under(tile.col, grid.cols, cells).first;
  for (Index col = tile.col; col < tile.col + tile.cols; ++col) {
    const CellSpan span = cells_under(col, grid.cols, cells);
    spans.push_back({span.first - first, span.last - first});
  }
  return spans;
}

// The cells of a row, with the factor that they have in a measure.
class MeasuredRow {
public:
  MeasuredRow(const Measure& measure, Index width) : measure_(measure) {
    if (measure.kind == MeasureKind::relative) cells_.resize(static_cast<std::size_t>(width));
  }
  const float* of(const float* cells, Index count, Index row) {
    const float factor = measure_.factor(row);
    if (cells_.empty() || factor == 1) return cells;
    for (Index i = 0; i < count; ++i) cells_[static_cast<std::size_t>(i)] = cells[i] * factor;
    return cells_.data();
  }

private:
  const Measure& measure_;
  std::vector<float> cells_;
};

// Calls add(first, cells, count) for each run of cells that is seen under a row of texels, in the measure and with its
// place among the tile's columns; and end_row() after each row of texels.
template <typename Add, typename EndRow>
void for_each_run(const CellBlock& matrix, const Visibility& seen, const TexelGrid& grid, const Tile& tile,
                  const Measure& measure, const Add& add, const EndRow& end_row) {
  const CellRect under = cells_under(grid, tile, matrix.rows, matrix.cols);
  MeasuredRow measured(measure, under.cols);
  for (Index texel_row = tile.row; texel_row < tile.row + tile.rows; ++texel_row) {
    const CellSpan rows = cells_under(texel_row, grid.rows, matrix.rows);
    for (Index row = rows.first; row < rows.last; ++row) {
      for_each_seen(seen, row, under.col, under.col + under.cols, [&](const KeyRange& keys) {
        const float* const cells = measured.of(matrix.at(row, keys.first), keys.count(), row);
        add(keys.first - under.col, cells, keys.count());
      });
    }
    end_row();
  }
}

// Largest key under each texel of a tile; 0 where every cell under it is masked. Rows are folded first, over their full
// width, as that is the loop that the compiler can vectorize.
template <typename Key>
std::vector<std::uint32_t> pool(const CellBlock& matrix, const Visibility& seen, const TexelGrid& grid,
                                const Tile& tile, Key key, const Measure& measure = {}) {
  std::vector<std::uint32_t> texels;
  texels.reserve(static_cast<std::size_t>(tile.rows * tile.cols));
  const std::vector<CellSpan> columns = column_spans(grid, tile, matrix.cols);
  std::vector<std::uint32_t> folded(static_cast<std::size_t>(columns.back().last));
  const auto fold = [&](Index first, const float* cells, Index count) {
    std::uint32_t* const best = folded.data() + first;
    for (Index i = 0; i < count; ++i) best[i] = std::max(best[i], key(cells[i]));
  };
  const auto end_row = [&] {
    for (const CellSpan& column : columns) {
      std::uint32_t best = 0;
      for (Index i = column.first; i < column.last; ++i) best = std::max(best, folded[static_cast<std::size_t>(i)]);
      texels.push_back(best);
    }
    std::ranges::fill(folded, 0U);
  };
  for_each_run(matrix, seen, grid, tile, measure, fold, end_row);
  return texels;
}

// Sums down the columns of a row of texels, and how many cells went into each; separate, as the compiler vectorizes
// loops over plain arrays.
struct ColumnSums {
  std::vector<double> sums;
  std::vector<double> counts;

  void clear() {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::fill(counts.begin(), counts.end(), 0.0);
  }
  void add_row(const float* cells, Index first, Index count) {
    double* const sum = sums.data() + first;
    double* const number = counts.data() + first;
    for (Index i = 0; i < count; ++i) {
      const bool is_masked = std::bit_cast<std::uint32_t>(cells[i]) == std::bit_cast<std::uint32_t>(minus_infinity);
      sum[i] += is_masked ? 0.0 : static_cast<double>(cells[i]);
      number[i] += is_masked ? 0.0 : 1.0;
    }
  }
  float mean(const CellSpan& span) const {
    double sum = 0;
    double count = 0;
    for (auto i = static_cast<std::size_t>(span.first); i < static_cast<std::size_t>(span.last); ++i) {
      sum += sums[i];
      count += counts[i];
    }
    return count == 0 ? minus_infinity : static_cast<float>(sum / count);
  }
};

std::vector<float> pool_means(const CellBlock& matrix, const Visibility& seen, const TexelGrid& grid, const Tile& tile,
                              const Measure& measure) {
  std::vector<float> means;
  means.reserve(static_cast<std::size_t>(tile.rows * tile.cols));
  const std::vector<CellSpan> columns = column_spans(grid, tile, matrix.cols);
  const std::vector<double> zeros(static_cast<std::size_t>(columns.back().last));
  ColumnSums folded{zeros, zeros};
  const auto add = [&](Index first, const float* cells, Index count) { folded.add_row(cells, first, count); };
  const auto end_row = [&] {
    for (const CellSpan& column : columns) means.push_back(folded.mean(column));
    folded.clear();
  };
  for_each_run(matrix, seen, grid, tile, measure, add, end_row);
  return means;
}

// tile_values() of a grid with a texel for each cell.
std::vector<float> copy_cells(const CellBlock& matrix, const Visibility& seen, const TexelGrid& grid, const Tile& tile,
                              const Measure& measure) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(tile.rows * tile.cols));
  std::size_t row = 0;  // where it begins
  const auto add = [&](Index first, const float* cells, Index count) {
    values.resize(row + static_cast<std::size_t>(first), minus_infinity);
    values.insert(values.end(), cells, cells + count);
  };
  const auto end_row = [&] {
    row += static_cast<std::size_t>(tile.cols);
    values.resize(row, minus_infinity);
  };
  for_each_run(matrix, seen, grid, tile, measure, add, end_row);
  return values;
}

std::vector<float> pooled(const CellBlock& matrix, const Visibility& seen, const TexelGrid& grid, const Tile& tile,
                          const Measure& measure) {
  if (grid.rows == matrix.rows && grid.cols == matrix.cols) return copy_cells(matrix, seen, grid, tile, measure);
  if (grid.pooling == Pooling::mean) return pool_means(matrix, seen, grid, tile, measure);
  const std::vector<std::uint32_t> keys = pool(matrix, seen, grid, tile, MagnitudeKey{}, measure);
  std::vector<float> values(keys.size());
  std::transform(keys.begin(), keys.end(), values.begin(), value_of);
  return values;
}

}  // namespace

CellSpan cells_under(Index texel, Index texels, Index cells) {
  return {texel * cells / texels, ((texel + 1) * cells + texels - 1) / texels};
}

CellRect cells_under(const TexelGrid& grid, const Tile& tile, Index rows, Index cols) {
  const Index first_row = cells_under(tile.row, grid.rows, rows).first;
  const Index first_col = cells_under(tile.col, grid.cols, cols).first;
  return {first_row, first_col, cells_under(tile.row + tile.rows - 1, grid.rows, rows).last - first_row,
          cells_under(tile.col + tile.cols - 1, grid.cols, cols).last - first_col};
}

std::vector<float> tile_values(const CellBlock& matrix, const Visibility& seen, const TexelGrid& grid, const Tile& tile,
                               const Measure& measure) {
  std::vector<float> values = pooled(matrix, seen, grid, tile, measure);
  if (measure.kind == MeasureKind::logarithm) {
    for (float& value : values) value = measure.finish(value);
  }
  return values;
}

std::vector<float> tile_drops(const CellBlock& factors, const Visibility& seen, const TexelGrid& grid,
                              const Tile& tile) {
  const std::vector<std::uint32_t> keys = pool(factors, seen, grid, tile, KeptKey{});
  std::vector<float> drops(keys.size());
  std::transform(keys.begin(), keys.end(), drops.begin(), [](std::uint32_t key) { return key == 1U ? 1.0F : 0.0F; });
  return drops;
}

}  // namespace attnscope

#include "compute/pixels.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/difference.h"
#include "core/heads.h"

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

struct CellSpan {  // along an axis
  Index first = 0;
  Index last = 0;  // one past
};

// The cells that a pixel touches, of so many that so many pixels cover.
CellSpan cells_under(Index pixel, Index pixels, Index cells) {
  return {pixel * cells / pixels, ((pixel + 1) * cells + pixels - 1) / pixels};
}

// Some rows of pixels of a picture.
struct Strip {
  const CellBlock& matrix;
  const Visibility& seen;
  const PixelGrid& grid;
  Index first = 0;
  Index rows = 0;

  std::size_t pixels() const { return static_cast<std::size_t>(rows * grid.cols); }
  // Computed once, because divisions in the loop over pixels would be slow.
  std::vector<CellSpan> columns() const {
    std::vector<CellSpan> spans;
    for (Index col = 0; col < grid.cols; ++col) spans.push_back(cells_under(col, grid.cols, grid.cells.cols));
    return spans;
  }
};

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

// Calls add(first, cells, count) for each run of cells that is seen under a row of pixels, in the measure and with its
// place among the cells of the picture; and end_row() after each row of pixels.
template <typename Add, typename EndRow>
void for_each_run(const Strip& strip, const Measure& measure, const Add& add, const EndRow& end_row) {
  const CellRect& under = strip.grid.cells;
  MeasuredRow measured(measure, under.cols);
  for (Index pixel = strip.first; pixel < strip.first + strip.rows; ++pixel) {
    const CellSpan rows = cells_under(pixel, strip.grid.rows, under.rows);
    for (Index row = under.row + rows.first; row < under.row + rows.last; ++row) {
      for_each_seen(strip.seen, row, under.col, under.col + under.cols, [&](const KeyRange& keys) {
        const float* const cells = measured.of(strip.matrix.at(row, keys.first), keys.count(), row);
        add(keys.first - under.col, cells, keys.count());
      });
    }
    end_row();
  }
}

// Largest key under each pixel; 0 where every cell under it is masked. Rows are folded first, over their full
// width, as that is the loop that the compiler can vectorize.
template <typename Key>
std::vector<std::uint32_t> pool(const Strip& strip, Key key, const Measure& measure = {}) {
  std::vector<std::uint32_t> pixels;
  pixels.reserve(strip.pixels());
  const std::vector<CellSpan> columns = strip.columns();
  std::vector<std::uint32_t> folded(static_cast<std::size_t>(columns.back().last));
  const auto fold = [&](Index first, const float* cells, Index count) {
    std::uint32_t* const best = folded.data() + first;
    for (Index i = 0; i < count; ++i) best[i] = std::max(best[i], key(cells[i]));
  };
  const auto end_row = [&] {
    for (const CellSpan& column : columns) {
      std::uint32_t best = 0;
      for (Index i = column.first; i < column.last; ++i) best = std::max(best, folded[static_cast<std::size_t>(i)]);
      pixels.push_back(best);
    }
    std::ranges::fill(folded, 0U);
  };
  for_each_run(strip, measure, fold, end_row);
  return pixels;
}

// Sums down the columns of a row of pixels, and how many cells went into each; separate, as the compiler vectorizes
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

std::vector<float> pool_means(const Strip& strip, const Measure& measure) {
  std::vector<float> means;
  means.reserve(strip.pixels());
  const std::vector<CellSpan> columns = strip.columns();
  const std::vector<double> zeros(static_cast<std::size_t>(columns.back().last));
  ColumnSums folded{zeros, zeros};
  const auto add = [&](Index first, const float* cells, Index count) { folded.add_row(cells, first, count); };
  const auto end_row = [&] {
    for (const CellSpan& column : columns) means.push_back(folded.mean(column));
    folded.clear();
  };
  for_each_run(strip, measure, add, end_row);
  return means;
}

// A pixel for each cell.
std::vector<float> copy_cells(const Strip& strip, const Measure& measure) {
  std::vector<float> values;
  values.reserve(strip.pixels());
  std::size_t row = 0;  // where it begins
  const auto add = [&](Index first, const float* cells, Index count) {
    values.resize(row + static_cast<std::size_t>(first), minus_infinity);
    values.insert(values.end(), cells, cells + count);
  };
  const auto end_row = [&] {
    row += static_cast<std::size_t>(strip.grid.cols);
    values.resize(row, minus_infinity);
  };
  for_each_run(strip, measure, add, end_row);
  return values;
}

std::vector<float> pooled(const Strip& strip, const Measure& measure) {
  const PixelGrid& grid = strip.grid;
  if (grid.rows == grid.cells.rows && grid.cols == grid.cells.cols) return copy_cells(strip, measure);
  if (grid.pooling == Pooling::mean) return pool_means(strip, measure);
  const std::vector<std::uint32_t> keys = pool(strip, MagnitudeKey{}, measure);
  std::vector<float> values(keys.size());
  std::transform(keys.begin(), keys.end(), values.begin(), value_of);
  return values;
}

std::vector<float> values_of(const Strip& strip, const Measure& measure) {
  std::vector<float> values = pooled(strip, measure);
  if (measure.kind == MeasureKind::logarithm) {
    for (float& value : values) value = measure.finish(value);
  }
  return values;
}

std::vector<float> drops_of(const Strip& strip) {
  const std::vector<std::uint32_t> keys = pool(strip, KeptKey{});
  std::vector<float> drops(keys.size());
  std::transform(keys.begin(), keys.end(), drops.begin(), [](std::uint32_t key) { return key == 1U ? 1.0F : 0.0F; });
  return drops;
}

constexpr Index cells_of_a_strip = 1 << 17;  // pooled by a thread, between looks at whether to go on

// The stage whose cells are those of this one, where a configuration leaves a step out: what is shared by kept stages.
Stage same_cells_as(const AttentionConfig& config, Stage stage) {
  const bool is_unchanged = has_stage(config, stage) && !acts_in(config, stage);
  return is_unchanged ? before_on_route(config, stage) : stage;
}

std::shared_ptr<const void> origin_of(const Result& result, Stage stage) {
  if (const TensorPtr tensor = result.share(stage)) return tensor;
  if (stage == Stage::head_context) return result.share(Stage::context);
  return result.heads->origin(stage);
}

}  // namespace

ShownMatrix shown_matrix(const std::shared_ptr<const Result>& result, Stage stage, Index matrix) {
  return {.result = result,
          .stage = result->difference ? stage : same_cells_as(result->config, stage),
          .matrix = matrix,
          .seen = visibility(*result, stage),
          .measure = {},
          .drops = shows_dropped(*result, stage)};
}

Origin origin_of(const ShownMatrix& source) {
  const Result& result = *source.result;
  return {origin_of(result, source.stage), source.drops ? origin_of(result, Stage::dropout_factors) : nullptr};
}

PictureKey key_of(const ShownMatrix& source, const PixelGrid& grid) {
  const Origin origin = origin_of(source);
  return {.first = origin.first.get(),
          .second = origin.second.get(),
          .stage = source.stage,
          .matrix = source.matrix,
          .seen = source.seen,
          .measure = source.measure,
          .row = grid.cells.row,
          .col = grid.cells.col,
          .cell_rows = grid.cells.rows,
          .cell_cols = grid.cells.cols,
          .rows = grid.rows,
          .cols = grid.cols,
          .pooling = grid.pooling};
}

StageSet computed_stages(const ShownMatrix& source) {
  StageSet stages;
  const auto add = [&](Stage stage) {
    if (!held_block(*source.result, stage, 0)) stages.add(stage);
  };
  add(source.stage);
  if (source.drops) add(Stage::dropout_factors);
  return stages;
}

PixelGrid whole_grid(const ShownMatrix& source, Index rows, Index cols, Pooling pooling) {
  return {{0, 0, source.rows(), source.cols()}, rows, cols, pooling};
}

Pixels pixels_of(const ShownMatrix& source, const PixelGrid& grid, const Execution& execution) {
  const CellBlock cells = whole_matrix(*source.result, source.stage, source.matrix, execution);
  std::optional<CellBlock> factors;
  if (source.drops) factors = whole_matrix(*source.result, Stage::dropout_factors, source.matrix, execution);
  const auto size = static_cast<std::size_t>(grid.rows * grid.cols);
  Pixels pixels{std::vector<float>(size), std::vector<float>(factors ? size : 0)};
  const Index rows = std::max<Index>(1, cells_of_a_strip * grid.rows / (grid.cells.rows * grid.cells.cols));
  for_each_block(execution, blocks_of(grid.rows, rows), [&](Index block) {
    const Index first = block * rows;
    const Index count = std::min(rows, grid.rows - first);
    const auto put = [&](std::vector<float>& to, const std::vector<float>& from) {
      std::ranges::copy(from, to.begin() + first * grid.cols);
    };
    put(pixels.values, values_of({cells, source.seen, grid, first, count}, source.measure));
    if (factors) put(pixels.drops, drops_of({*factors, source.seen, grid, first, count}));
  });
  return pixels;
}

}  // namespace attnscope

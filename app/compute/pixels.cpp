#include "compute/pixels.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/heads.h"
#include "core/results.h"

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

struct CellSpan {  // cells along an axis
  Index first = 0;
  Index last = 0;  // one past
};

// Returns the cells that a pixel touches if `pixels` pixels cover `cells` cells.
CellSpan cells_under(Index pixel, Index pixels, Index cells) {
  return {pixel * cells / pixels, ((pixel + 1) * cells + pixels - 1) / pixels};
}

// Some rows of pixels of a picture, as far as some rows of its matrix lie under them.
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
    const Index begin = std::max(under.row + rows.first, strip.matrix.rect.row);
    const Index end = std::min(under.row + rows.last, strip.matrix.rect.row + strip.matrix.rect.rows);
    for (Index row = begin; row < end; ++row) {
      for_each_seen(strip.seen, row, under.col, under.col + under.cols, [&](const KeyRange& keys) {
        const float* const cells = measured.of(strip.matrix.at(row, keys.first), keys.count(), row);
        add(keys.first - under.col, cells, keys.count());
      });
    }
    end_row();
  }
}

// The largest key under each pixel; 0 if every cell under it is masked. Rows are folded over their full width first,
// because the compiler can vectorize that loop.
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

// A pixel for each cell.
std::vector<float> copy_cells(const Strip& strip, const Measure& measure) {
  std::vector<float> values;
  values.reserve(strip.pixels());
  std::size_t row = 0;  // index of its first pixel
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

template <typename Value>
std::vector<float> values_of(const std::vector<std::uint32_t>& keys, const Value& value) {
  std::vector<float> values(keys.size());
  std::ranges::transform(keys, values.begin(), value);
  return values;
}
std::vector<float> values_of(const std::vector<std::uint32_t>& keys) { return values_of(keys, value_of); }
std::vector<float> drops_of(const std::vector<std::uint32_t>& keys) {
  return values_of(keys, [](std::uint32_t key) { return key == 1U ? 1.0F : 0.0F; });
}

std::vector<float> pooled(const Strip& strip, const Measure& measure) {
  const PixelGrid& grid = strip.grid;
  if (grid.rows == grid.cells.rows && grid.cols == grid.cells.cols) return copy_cells(strip, measure);
  return values_of(pool(strip, MagnitudeKey{}, measure));
}

// Finishes pixels in the measure.
void finish(std::vector<float>& values, const Measure& measure) {
  if (measure.kind != MeasureKind::logarithm) return;
  for (float& value : values) value = measure.finish(value);
}

// A picture of a matrix of which a few rows come at a time. What blocks have of a row of pixels that several of them
// touch is put together at the end, in the order of the rows, so that no bit depends on the threads.
class PictureOfRows {
public:
  explicit PictureOfRows(const MatrixPicture& picture) : picture_(picture) {}

  // By any thread.
  void add(const CellBlock& cells, const CellBlock* factors) {
    const PixelGrid& grid = picture_.grid;
    Part part{.first = first_pixel_over(cells.rect.row - grid.cells.row)};
    const Index last_cell = cells.rect.row + cells.rect.rows - grid.cells.row;
    Index last = part.first;
    while (last < grid.rows && cells_under(last, grid.rows, grid.cells.rows).first < last_cell) ++last;
    if (last == part.first) return;
    const auto strip = [&](const CellBlock& of) {
      return Strip{of, picture_.source.seen, grid, part.first, last - part.first};
    };
    const Measure& measure = picture_.source.measure;
    part.keys = pool(strip(cells), MagnitudeKey{}, measure);
    if (factors) part.drops = pool(strip(*factors), KeptKey{});
    const std::lock_guard lock(mutex_);
    parts_.emplace(cells.rect.row, std::move(part));
  }

  Pixels finish() {
    Pixels pixels{values_of(together(&Part::keys)), {}};
    attnscope::finish(pixels.values, picture_.source.measure);
    if (picture_.source.drops) pixels.drops = drops_of(together(&Part::drops));
    return pixels;
  }

private:
  struct Part {
    Index first = 0;  // row of pixels
    std::vector<std::uint32_t> keys = {};
    std::vector<std::uint32_t> drops = {};
  };

  Index first_pixel_over(Index cell) const {
    const PixelGrid& grid = picture_.grid;
    Index pixel = std::max<Index>(0, std::max<Index>(cell, 0) * grid.rows / grid.cells.rows - 1);
    while (cells_under(pixel, grid.rows, grid.cells.rows).last <= cell) ++pixel;
    return pixel;
  }

  std::vector<std::uint32_t> together(std::vector<std::uint32_t> Part::*of) const {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(picture_.grid.rows * picture_.grid.cols));
    for (const auto& [row, part] : parts_) {
      const auto to = all.begin() + part.first * picture_.grid.cols;
      const std::vector<std::uint32_t>& from = part.*of;
      for (std::ptrdiff_t i = 0; i < std::ssize(from); ++i) to[i] = std::max(to[i], from[static_cast<std::size_t>(i)]);
    }
    return all;
  }

  const MatrixPicture& picture_;
  std::mutex mutex_;
  std::map<Index, Part> parts_;  // keyed by their first row in the matrix
};

constexpr Index cells_of_a_strip = 1 << 17;  // pooled by a thread, between looks at whether to go on

// Returns the stage whose tensor a kept stage shares if a configuration leaves a step out.
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
          .cols = grid.cols};
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

PixelGrid whole_grid(const ShownMatrix& source, Index rows, Index cols) {
  return {{0, 0, source.rows(), source.cols()}, rows, cols};
}

namespace {

// All cells are at hand.
Pixels pixels_of_whole(const MatrixPicture& picture, const Execution& execution) {
  const ShownMatrix& source = picture.source;
  const PixelGrid& grid = picture.grid;
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
    std::vector<float> values = pooled({cells, source.seen, grid, first, count}, source.measure);
    finish(values, source.measure);
    put(pixels.values, values);
    if (factors) put(pixels.drops, drops_of(pool(Strip{*factors, source.seen, grid, first, count}, KeptKey{})));
  });
  return pixels;
}

// The rows of a matrix that pictures show, in whole blocks.
CellSpan rows_of(std::span<const MatrixPicture* const> pictures) {
  CellSpan rows{pictures[0]->grid.cells.row, 0};
  for (const MatrixPicture* const picture : pictures) {
    const CellRect& cells = picture->grid.cells;
    rows.first = std::min(rows.first, cells.row);
    rows.last = std::max(rows.last, cells.row + cells.rows);
  }
  return {rows.first / head_block_rows * head_block_rows,
          std::min(rounded_up(rows.last, head_block_rows), query_count(pictures[0]->source.result->config))};
}

// Returns the cells of some rows of a stage.
CellBlock block_of_rows(const HeadMatrices& rows, Stage stage, Index first) {
  const TensorPtr& tensor = rows[stage];
  return {tensor->values.data(), {first, 0, tensor->rows(), tensor->cols()}, tensor->cols(), 0, tensor->cols(), tensor};
}

std::vector<Pixels> pixels_of_rows(std::span<const MatrixPicture* const> pictures, const Execution& execution) {
  const ShownMatrix& any = pictures[0]->source;
  StageSet stages;
  std::deque<PictureOfRows> growing;
  for (const MatrixPicture* const picture : pictures) {
    stages = stages | computed_stages(picture->source);
    growing.emplace_back(*picture);
  }
  const CellSpan all = rows_of(pictures);
  const auto take = [&](Index first, const HeadMatrices& rows) {
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const ShownMatrix& source = pictures[i]->source;
      const CellBlock cells = block_of_rows(rows, source.stage, first);
      std::optional<CellBlock> factors;
      if (source.drops) factors = block_of_rows(rows, Stage::dropout_factors, first);
      growing[i].add(cells, factors ? &*factors : nullptr);
    }
  };
  any.result->heads->pass(*any.result, stages, any.matrix, all.first, all.last - all.first, execution, take);
  std::vector<Pixels> pixels;
  for (PictureOfRows& picture : growing) pixels.push_back(picture.finish());
  return pixels;
}

}  // namespace

std::vector<Pixels> pixels_of(std::span<const MatrixPicture> pictures, const Execution& execution) {
  std::vector<const MatrixPicture*> large;
  StageSet kept;
  for (const MatrixPicture& picture : pictures) {
    const StageSet computed = computed_stages(picture.source);
    if (computed.is_empty() || are_kept_whole(*picture.source.result)) {
      kept = kept | computed;
    } else {
      large.push_back(&picture);
    }
  }
  const ShownMatrix& any = pictures[0].source;
  if (!kept.is_empty()) any.result->heads->make(*any.result, kept, any.matrix, execution);
  std::vector<Pixels> of_large;
  if (!large.empty()) of_large = pixels_of_rows(large, execution);
  std::vector<Pixels> all;
  auto next = of_large.begin();
  for (const MatrixPicture& picture : pictures) {
    const bool is_large = std::ranges::find(large, &picture) != large.end();
    all.push_back(is_large ? std::move(*next++) : pixels_of_whole(picture, execution));
  }
  return all;
}

Pixels pixels_of(const ShownMatrix& source, const PixelGrid& grid, const Execution& execution) {
  const MatrixPicture picture{source, grid};
  return std::move(pixels_of(std::span(&picture, 1), execution).front());
}

}  // namespace attnscope

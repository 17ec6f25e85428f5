#include "core/cell_reader.h"

#include "core/bias.h"
#include "core/difference.h"
#include "core/dropout_bits.h"
#include "core/dropout_mask.h"
#include "core/kernels/select.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace attnscope {

// A rectangle of a stage that is computed, and where it comes from.
struct CellArea {
  const Result& result;
  Index matrix;
  CellRect rect;
  CellStep step;
  float* cells;
  Index stride;  // floats between rows

  Index query(Index row) const { return rect.row + row * step.rows; }

  std::span<float> row(Index row) const { return {cells + row * stride, static_cast<std::size_t>(rect.cols)}; }
  std::size_t row_index(Index row) const {  // among the row statistics
    return static_cast<std::size_t>(matrix * query_count(result.config) + query(row));
  }
  Index span() const { return (rect.cols - 1) * step.cols + 1; }  // columns of the matrix, first to last
  // Cells of a row whose keys come before this one.
  std::size_t cells_before(Index key) const {
    return static_cast<std::size_t>(std::clamp<Index>((key - rect.col + step.cols - 1) / step.cols, 0, rect.cols));
  }
};

namespace {

constexpr std::size_t most_panel_vectors = 8;  // in any instruction set

// The last of the stages that are made of scores; nothing where there is none.
std::optional<Stage> last_computed(const AttentionConfig& config, const StageSet& stages) {
  std::optional<Stage> last;
  for (const Stage stage : score_route(config)) {
    if (stages.contains(stage)) last = stage;
  }
  return last;
}

// Calls work(cells, row) for each row of an area.
template <typename Work>
void for_each_row(const CellArea& area, const Work& work) {
  for (Index row = 0; row < area.rect.rows; ++row) work(area.row(row), row);
}

constexpr float score_of_hidden = -std::numeric_limits<float>::infinity();

// Factors of four neighbours, by their bits.
using FactorTable = std::array<std::array<float, 4>, 16>;

FactorTable factor_table(float factor) {
  FactorTable table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    for (std::size_t i = 0; i < 4; ++i) table[bits][i] = (bits >> i & 1) != 0 ? factor : 0.0F;
  }
  return table;
}

// A row whose bits are at hand, from bit 0 on.
void drop_row(std::span<float> cells, const std::uint64_t* kept, const FactorTable& table) {
  const std::size_t fours = cells.size() / 4;
  float* cell = cells.data();
  for (std::size_t four = 0; four < fours; ++four, cell += 4) {
    const std::array<float, 4>& factors = table[kept[four / 16] >> (four % 16 * 4) & 15];
    for (std::size_t i = 0; i < 4; ++i) cell[i] *= factors[i];
  }
  for (std::size_t i = fours * 4; i < cells.size(); ++i) cells[i] *= table[kept[i / 64] >> (i % 64) & 1][0];
}

// One of which columns are left out.
void drop_picked(std::span<float> cells, const std::uint64_t* kept, Index step, float factor) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t k = i * static_cast<std::size_t>(step);
    cells[i] *= (kept[k / 64] >> (k % 64) & 1) != 0 ? factor : 0.0F;
  }
}

// Calls work(cells) for the cells of each row that the mask hides.
template <typename Work>
void for_each_hidden(const CellArea& area, const Work& work) {
  const Visibility seen = visibility(area.result.config);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    for_each_hidden(seen, area.query(row), area.rect.col, area.rect.col + area.span(), [&](const KeyRange& keys) {
      const std::size_t first = area.cells_before(keys.first);
      work(cells.subspan(first, area.cells_before(keys.last) - first));
    });
  });
}

void add_bias(const CellArea& area) {
  const Bias bias(area.result.config);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    Index key = area.rect.col;
    for (float& cell : cells) {
      cell += bias.at(area.matrix, area.query(row), key);
      key += area.step.cols;
    }
  });
}

void mask_scores(const CellArea& area) {
  for_each_hidden(area, [](std::span<float> cells) { std::ranges::fill(cells, score_of_hidden); });
}

void normalize(const CellArea& area) {
  const bool by_sum = normalizes_by_sum(area.result.config);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    const float max = area.result.rows->max[area.row_index(row)];
    const float sum = area.result.rows->sum[area.row_index(row)];
    if (by_sum) {
      for (float& cell : cells) cell /= sum;
    } else if (sum == 0) {  // the query sees no key
      std::ranges::fill(cells, 0.0F);
    } else {
      for (float& cell : cells) cell = cell == score_of_hidden ? 0.0F / sum : std::exp(cell - max) / sum;
    }
  });
}

void mask_weights(const CellArea& area) {
  for_each_hidden(area, [](std::span<float> cells) {
    for (float& cell : cells) cell *= 0.0F;
  });
}

void renormalize(const CellArea& area) {
  for_each_row(area, [&](std::span<float> cells, Index row) {
    const float sum = area.result.rows->masked_sum[area.row_index(row)];
    if (sees_nothing(area.result.config, Stage::renormalized_weights, area.matrix, area.query(row))) {
      std::ranges::fill(cells, 0.0F);
      return;
    }
    for (float& cell : cells) cell /= sum;
  });
}

// Writes 1 where the query may not look, else 0.
void fill_mask(const CellArea& area) {
  for_each_row(area, [](std::span<float> cells, Index) { std::ranges::fill(cells, 0.0F); });
  for_each_hidden(area, [](std::span<float> cells) { std::ranges::fill(cells, 1.0F); });
}

// Takes one step: makes the cells of the stage before it on the route those of this stage. Not the step to dropped
// weights.
void take_step(const CellArea& area, Stage stage) {
  const AttentionConfig& config = area.result.config;
  switch (info(stage).rule) {
    case CellRule::hide:
      return mask_scores(area);
    case CellRule::step:
      return for_each_row(area, [&](std::span<float> cells, Index) { info(stage).step(config)->apply(cells, config); });
    case CellRule::add_bias:
      return add_bias(area);
    case CellRule::normalize:
      return normalize(area);
    case CellRule::keep_seen:
      return mask_weights(area);
    case CellRule::share_of_row:
      return renormalize(area);
    default:
      return;  // scores are there already
  }
}

// Calls reached(stage) at the scores that the area holds, and after each of the steps from there up to the last stage.
template <typename Reached>
void for_each_step(const CellArea& area, Stage last, const Reached& reached) {
  for (const Stage stage : score_route(area.result.config)) {
    if (stage == Stage::dropped_weights) return;
    take_step(area, stage);
    reached(stage);
    if (stage == last) return;
  }
}

KeptBits kept_bits(const CellArea& area) {
  if (!area.result.dropout) return {};
  const std::size_t words = words_of_bits(area.span());
  KeptBits kept{std::vector<std::uint64_t>(static_cast<std::size_t>(area.rect.rows) * words + 1), area.rect.col, words};
  DropoutRows rows(*area.result.dropout);
  for (Index row = 0; row < area.rect.rows; ++row) {
    rows.read(std::span(kept.bits).subspan(static_cast<std::size_t>(row) * words, words), area.matrix, area.query(row),
              area.rect.col, area.span());
  }
  return kept;
}

// Multiplies by the dropout factors; `kept` has bits for every row of the area, and for its columns.
void drop(const CellArea& area, const KeptBits& kept) {
  if (!area.result.dropout) return;
  const float factor = area.result.dropout->factor();
  const FactorTable table = factor_table(factor);
  std::vector<std::uint64_t> bits(words_of_bits(area.span()));
  for_each_row(area, [&](std::span<float> cells, Index row) {
    copy_bits(bits, std::span(kept.bits).subspan(static_cast<std::size_t>(row) * kept.words),
              area.rect.col - kept.first_col, area.span());
    if (area.step.cols == 1) return drop_row(cells, bits.data(), table);
    drop_picked(cells, bits.data(), area.step.cols, factor);
  });
}

}  // namespace

CellReader::CellReader(const Result& result, Index matrix, const StageSet& stages, const CellRect& rect, CellStep step,
                       const Execution& execution)
    : result_(&result), matrix_(matrix), rect_(rect), step_(step) {
  if (const Difference* const of = result.difference.get()) {
    for (const Result* const side : {of->now.get(), of->before.get()})
      sides_.emplace_back(*side, matrix, stages, rect, step, execution);
    return;
  }
  if (!last_computed(result.config, stages)) return;
  const Tensor& keys = *result.find(keys_stage(result.config));
  const float* const first = &keys.matrix(key_value_matrix(result.config, matrix))(rect.col, 0);
  const std::array columns = {WeightColumns{first, rect.cols, keys.cols() * step.cols, 1, nullptr}};
  keys_.pack(kernels(), columns, keys.cols(), execution);
}

CellReader::CellReader(const Result& result, Index matrix, const StageSet& stages, const Execution& execution)
    : CellReader(result, matrix, stages, {0, 0, query_count(result.config), key_count(result.config)}, {}, execution) {}

void CellReader::read(const CellRect& rect, const StageSet& stages, const Visit& visit) const {
  CellRows rows(*this, rect);
  for (Index first = 0; first < rect.cols; first += read_cols_at_once) {
    rows.read(rect.col + first, std::min(read_cols_at_once, rect.cols - first), stages, visit);
  }
}

CellArea CellReader::area(const CellRect& picked, float* cells, Index stride) const {
  const CellRect rect = {rect_.row + (picked.row - rect_.row) * step_.rows,
                         rect_.col + (picked.col - rect_.col) * step_.cols, picked.rows, picked.cols};
  return {*result_, matrix_, rect, step_, cells, stride};
}

// Whole panels of keys: what they hold beyond the last key comes out as 0. By the engine's own kernel, so that a score
// is the number, to the last bit, of which the row statistics speak.
void CellReader::score(const CellArea& area, Index first_panel) const {
  const Tensor& queries = *result_->find(queries_stage(result_->config));
  const Kernels& set = kernels();
  std::array<float*, most_panel_vectors> groups{};
  const Index width = keys_.panel_columns;
  const Index group_count = width / set.lanes;
  for (Index panel = 0; panel < area.stride / width; ++panel) {
    for (Index g = 0; g < group_count; ++g) {
      groups.at(static_cast<std::size_t>(g)) = area.cells + panel * width + g * set.lanes;
    }
    set.multiply_panel({.a = &queries.matrix(matrix_)(area.rect.row, 0),
                        .a_stride = queries.cols() * step_.rows,
                        .rows = area.rect.rows,
                        .depth = queries.cols(),
                        .panel = keys_.panel(first_panel + panel),
                        .groups = groups.data(),
                        .group_count = static_cast<int>(group_count),
                        .c_stride = area.stride});
  }
}

// Reads the bits of whole panels of keys, as the keys are read.
void CellRows::read_kept() {
  const CellRect& all = reader_->rect_;
  const Index width = reader_->keys_.panel_columns;
  const Index first = (rect_.col - all.col) / width * width;
  const Index last = std::min(rounded_up(rect_.col - all.col + rect_.cols, width), all.cols);
  kept_ = kept_bits(reader_->area({rect_.row, all.col + first, rect_.rows, last - first}, nullptr, 0));
}

// Keeps the cells of the first side until the other side gives the same stage.
void CellRows::subtract(Index first_col, Index cols, const StageSet& stages, const CellReader::Visit& visit) {
  sides_.front().read(first_col, cols, stages, [&](Stage stage, const CellBlock& block) {
    std::vector<float>& cells = differences_[stage];
    cells.resize(static_cast<std::size_t>(rect_.rows * cols));
    for (Index row = 0; row < rect_.rows; ++row)
      std::copy_n(block.at(rect_.row + row, first_col), cols, cells.begin() + row * cols);
  });
  sides_.back().read(first_col, cols, stages, [&](Stage stage, const CellBlock& block) {
    std::vector<float>& cells = differences_[stage];
    for (Index row = 0; row < rect_.rows; ++row) {
      const float* const before = block.at(rect_.row + row, first_col);
      float* const now = cells.data() + row * cols;
      for (Index col = 0; col < cols; ++col) now[col] = difference_of(now[col], before[col]);
    }
    visit(stage, {cells.data(), {rect_.row, first_col, rect_.rows, cols}, cols, block.rows, block.cols});
  });
}

void CellRows::read(Index first_col, Index cols, const StageSet& stages, const CellReader::Visit& visit) {
  if (!sides_.empty()) return subtract(first_col, cols, stages, visit);
  const AttentionConfig& config = reader_->result_->config;
  const CellRect& all = reader_->rect_;
  const Index width = reader_->keys_.panel_columns;
  const Index first_panel = (first_col - all.col) / width;
  const Index panel_col = all.col + first_panel * width;
  const Index stride = rounded_up(first_col + cols - panel_col, width);
  thread_local Workspace memory;
  const CellArea area =
      reader_->area({rect_.row, panel_col, rect_.rows, std::min(stride, all.col + all.cols - panel_col)},
                    memory.reserve(static_cast<std::size_t>(rect_.rows * stride)), stride);
  const CellBlock block = {area.cells + (first_col - panel_col),
                           {rect_.row, first_col, rect_.rows, cols},
                           stride,
                           query_count(config),
                           key_count(config)};
  const auto show = [&](Stage stage) {
    if (stages.contains(stage)) visit(stage, block);
  };
  const bool shows_factors = stages.contains(Stage::dropout_factors);
  if ((shows_factors || stages.contains(Stage::dropped_weights)) && kept_.bits.empty()) read_kept();
  if (shows_factors) {
    std::fill_n(area.cells, rect_.rows * stride, 1.0F);
    drop(area, kept_);
    show(Stage::dropout_factors);
  }
  if (stages.contains(Stage::mask)) {
    fill_mask(area);
    show(Stage::mask);
  }
  const std::optional<Stage> last = last_computed(config, stages);
  if (!last) return;
  reader_->score(area, first_panel);
  for_each_step(area, *last, show);
  if (*last != Stage::dropped_weights) return;
  drop(area, kept_);
  show(Stage::dropped_weights);
}

void advance_scores(std::span<float> cells, const Result& result, Stage stage, Index matrix) {
  const Index rows = query_count(result.config);
  const Index cols = static_cast<Index>(cells.size()) / rows;
  const CellArea area{result, matrix, {0, 0, rows, cols}, {}, cells.data(), cols};
  for (const Stage step : score_route(result.config)) {
    const bool hides = info(step).rule == CellRule::hide || info(step).rule == CellRule::keep_seen;
    if (!hides) take_step(area, step);
    if (step == stage) return;
  }
}

}  // namespace attnscope

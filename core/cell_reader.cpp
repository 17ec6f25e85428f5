#include "core/cell_reader.h"

#include "core/cell_steps.h"
#include "core/difference.h"
#include "core/kernels/select.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace attnscope {

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

}  // namespace attnscope

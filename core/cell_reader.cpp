#include "core/cell_reader.h"

#include "core/cell_steps.h"
#include "core/dropout_bits.h"
#include "core/kernels/select.h"
#include "core/workspace.h"

#include <algorithm>
#include <array>
#include <optional>

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

CellReader::CellReader(const Result& result, Index matrix, const Execution& execution)
    : result_(&result), matrix_(matrix) {
  const Tensor& keys = *result.find(keys_stage(result.config));
  const std::array columns = {WeightColumns{&keys.matrix(matrix)(0, 0), keys.rows(), keys.cols(), 1, nullptr}};
  keys_.pack(kernels(), columns, keys.cols(), execution);
}

// Whole panels of keys, row-major without gaps: what they hold beyond the last key comes out as 0.
void CellReader::score(float* cells, Index first_row, Index rows, Index first_panel, Index panels) const {
  const Tensor& queries = *result_->find(queries_stage(result_->config));
  const Kernels& set = kernels();
  std::array<float*, most_panel_vectors> groups{};
  const Index width = keys_.panel_columns;
  const Index group_count = width / set.lanes;
  for (Index panel = 0; panel < panels; ++panel) {
    for (Index g = 0; g < group_count; ++g) {
      groups.at(static_cast<std::size_t>(g)) = cells + panel * width + g * set.lanes;
    }
    set.multiply_panel({.a = &queries.matrix(matrix_)(first_row, 0),
                        .a_stride = queries.cols(),
                        .rows = rows,
                        .depth = queries.cols(),
                        .panel = keys_.panel(first_panel + panel),
                        .groups = groups.data(),
                        .group_count = static_cast<int>(group_count),
                        .c_stride = panels * width});
  }
}

CellRows::CellRows(const CellReader& reader, const CellRect& rect) : reader_(&reader), rect_(rect) {}

void CellRows::read_kept() {
  const Index width = reader_->keys_.panel_columns;
  const Index T = token_count(reader_->result_->config);
  kept_first_col_ = rect_.col / width * width;
  const Index end = std::min((rect_.col + rect_.cols + width - 1) / width * width, T);
  const CellRect widened = {rect_.row, kept_first_col_, rect_.rows, end - kept_first_col_};
  kept_ = kept_bits({*reader_->result_, reader_->matrix_, widened, {}, nullptr, 0});
  kept_words_ = words_of_bits(widened.cols);
}

void CellRows::read(Index first_col, Index cols, const StageSet& stages, const Visit& visit) {
  const Result& result = *reader_->result_;
  const Index T = token_count(result.config);
  const Index width = reader_->keys_.panel_columns;
  const Index first_panel = first_col / width;
  const Index panels = (first_col + cols - 1) / width + 1 - first_panel;
  const CellRect rect = {rect_.row, first_panel * width, rect_.rows, std::min(panels * width, T - first_panel * width)};
  thread_local Workspace memory;
  CellArea area{result, reader_->matrix_, rect, {}, nullptr, panels * width};
  area.cells = memory.reserve(static_cast<std::size_t>(rect.rows * area.stride));
  const auto wants = [&](Stage stage) { return stages.contains(stage); };
  const auto show = [&](Stage stage) {
    if (wants(stage)) visit(stage, {area.cells, rect, area.stride, T, T});
  };
  const bool drops = wants(Stage::dropout_factors) || wants(Stage::dropped_weights);
  if (drops && kept_.empty()) read_kept();
  const KeptBits kept = {kept_, kept_first_col_, kept_words_};
  if (wants(Stage::dropout_factors)) {
    std::fill_n(area.cells, rect.rows * area.stride, 1.0F);
    drop(area, kept);
    show(Stage::dropout_factors);
  }
  if (wants(Stage::mask)) {
    fill_mask(area);
    show(Stage::mask);
  }
  const std::optional<Stage> last = last_computed(result.config, stages);
  if (!last) return;
  reader_->score(area.cells, rect.row, rect.rows, first_panel, panels);
  for_each_step(area, *last, show);
  if (*last != Stage::dropped_weights) return;
  drop(area, kept);
  show(Stage::dropped_weights);
}

}  // namespace attnscope

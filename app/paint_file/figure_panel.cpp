#include "paint_file/figure_content.h"
#include "paint_file/figure_painter.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/cells.h"
#include "core/difference.h"
#include "core/explain.h"
#include "core/external_attention.h"
#include "core/kernels/select.h"
#include "core/summary.h"
#include "document/words.h"
#include "look/number_text.h"

namespace attnscope {
namespace {

bool shows_sums(const Drawn& source, Stage stage) {
  if (!is_query_by_key(info(stage).axes)) return false;
  const FigureOptions& options = source.options;
  const bool is_alone = options.stage && (options.head || !is_per_head(source.config(), stage));
  if (!options.stage) return sums_to_one(stage) && options.row_sums.value_or(true);
  return options.row_sums.value_or(is_alone && sums_to_one(stage));
}

// Whether colours follow from the numbers.
bool needs_extremes(const Drawn& source, Stage stage) {
  return source.needs_all(stage) || (source.options.range == RangeMode::own && !source.options.fixed_range);
}

// Row sums that tell how wide their column is; those that are drawn are read when their rows are known.
constexpr double measured_sums = 256;

// The share of its rows that is read of each matrix of a file.
double share_of(const Drawn& source, Stage stage, std::size_t matrices) {
  const ExternalAttention* const external = source.result->external.get();
  if (!external) return 1;
  const double most = share_read(*external, static_cast<double>(matrices));
  const bool is_of_sums = !needs_extremes(source, stage);
  return is_of_sums ? std::min(most, measured_sums / static_cast<double>(external->tokens)) : most;
}

// What relative and logarithmic colours follow from; nothing for others.
std::optional<WeightSpread> spread_of(const Drawn& source, Stage stage) {
  const RangeMode range = effective_range(source.config(), stage, source.options.range);
  if (source.result->difference || source.options.fixed_range ||
      (range != RangeMode::relative && range != RangeMode::logarithmic))
    return {};
  const auto& external = source.result->external;
  return external ? sample_external(*external)->spread : weight_spread(*source.result, stage);
}

ColourRange range_of(const Drawn& source, Stage stage, const StageSummary& summary, Index matrix) {
  const bool is_dark = source.options.theme == FigureTheme::dark;
  const RangeMode mode = source.options.fixed_range ? RangeMode::fixed : source.options.range;
  ColourRange range = colour_range(*source.result, stage, summary, matrix, mode, is_dark);
  if (info(stage).range == StageRange::boolean) return range;
  if (source.options.fixed_range) {
    range.low = source.options.fixed_range->low;
    range.high = source.options.fixed_range->high;
  }
  if (source.options.colormap) range.map = *source.options.colormap;
  if (range.map == Colormap::diverging && is_dark) range.map = Colormap::diverging_dark;
  return range;
}

// Looks at the cells of a matrix that is drawn cell by cell: which marks they have, and the number that takes the most
// room, on which all fonts agree well enough.
void look_at_cells(FigurePanel& panel, const Drawn& source) {
  const MatrixSource cells = source_of(panel.result, panel.stage, panel.matrix);
  const TexelGrid grid{cells.rows(), cells.cols()};
  const TilePixels pixels = compute_tile(cells, grid, {0, 0, grid.rows, grid.cols}, source.execution);
  const int decimals = panel.has_bar ? source.options.decimals.value_or(0) : 0;
  for (std::size_t i = 0; i < pixels.values.size(); ++i) {
    const bool is_dropped = !pixels.drops.empty() && pixels.drops[i] > 0;
    if (const auto mark = mark_of(pixels.values[i], is_dropped)) panel.cell_marks.insert(*mark);
    if (!source.options.decimals) continue;
    const std::string text = format_fixed(pixels.values[i], decimals);
    if (character_count(text) > character_count(panel.widest_number)) panel.widest_number = text;
  }
}

// The smallest and the largest of those that are known: no other takes more room.
std::vector<std::string> widest_sums(const FigurePanel& panel, int decimals) {
  StageSummary::Extremes bounds = no_extremes;
  for (const float sum : panel.row_sums) {
    if (!std::isnan(sum)) widen(bounds, {sum, sum});
  }
  return {format_fixed(bounds.low, decimals), format_fixed(bounds.high, decimals)};
}

}  // namespace

Index Drawn::matrix_of(Stage stage, Index head) const {
  return attnscope::matrix_of(config(), stage, options.batch, head);
}

bool Drawn::needs_all(Stage stage) const {
  if (options.fixed_range || options.range == RangeMode::own) return false;
  const bool is_signed = result->difference || info(stage).range == StageRange::signed_value;
  return is_signed || options.range == RangeMode::shared;
}

StageSummary summary_of(const Drawn& source, Stage stage, const std::vector<Index>& shown) {
  const std::vector<Index> shape = stage_shape(source.config(), stage);
  const Index rows = shape[shape.size() - 2];
  const Index count = element_count(shape) / (rows * shape.back());
  StageSummary summary;
  summary.matrices.assign(static_cast<std::size_t>(count), no_extremes);
  summary.row_sums.assign(static_cast<std::size_t>(count * rows), std::numeric_limits<float>::quiet_NaN());
  summary.spread = spread_of(source, stage);
  const bool of_all = source.needs_all(stage);
  if (!needs_extremes(source, stage) && !shows_sums(source, stage)) return summary;
  const double share = share_of(source, stage, of_all ? static_cast<std::size_t>(count) : shown.size());
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (!of_all && std::ranges::find(shown, matrix) == shown.end()) continue;
    const bool is_read = source.result->external != nullptr;
    replace(summary, matrix,
            is_read ? summarize_external(*source.result->external, matrix, share, source.execution)
                    : summarize_matrix(*source.result, {&stage, 1}, matrix, source.execution).front());
  }
  return summary;
}

namespace {

// As the window marks it.
void mark(FigurePanel& panel, const AttentionConfig& config, const Source& cell) {
  panel.marks = marked_lines(config, cell, panel.stage);
  const bool is_of_head = !is_per_head(config, cell.stage) || cell.head == panel.head;
  const bool is_here = cell.stage == panel.stage && is_of_head;
  if (is_here || (is_query_by_key(info(cell.stage).axes) && panel.has_key_columns)) {
    panel.marked_row = cell.row;
    panel.marked_col = cell.col;
  }
  if (!panel.is_transposed) return;
  panel.marks = {.row = panel.marks.col, .col = panel.marks.row};
  std::swap(panel.marked_row, panel.marked_col);
}

}  // namespace

FigurePanel make_panel(const Drawn& source, Stage stage, Index head, const StageSummary& summary, bool is_transposed) {
  const Index matrix = source.matrix_of(stage, head);
  const std::vector<Index> shape = stage_shape(source.config(), stage);
  FigurePanel panel;
  panel.stage = stage;
  panel.head = head;
  panel.rows = shape[shape.size() - 2];
  panel.cols = shape.back();
  panel.is_transposed = is_transposed;
  if (is_transposed) std::swap(panel.rows, panel.cols);
  panel.has_key_columns = is_query_by_key(info(stage).axes);
  panel.titles = axis_titles(source.config(), stage);
  if (source.options.marked) mark(panel, source.config(), *source.options.marked);
  const Index heads = head_count(source.config());
  if (stage == Stage::context && heads > 1) panel.head_cols = panel.cols / heads;
  panel.has_bar = info(stage).range != StageRange::boolean;
  panel.range = range_of(source, stage, summary, matrix);
  panel.result = source.result;
  panel.matrix = matrix;
  if (shows_sums(source, stage)) {
    const auto first = summary.row_sums.begin() + matrix * panel.rows;
    panel.row_sums.assign(first, first + panel.rows);
    panel.sums_to_one = sums_to_one(stage) && !panel.result->difference;
    for (Index row = 0; row < panel.rows; ++row) {
      if (!holds_minus_infinity(source.config(), stage, row)) continue;
      panel.row_sums[static_cast<std::size_t>(row)] = -std::numeric_limits<float>::infinity();
    }
    panel.widest_sums = widest_sums(panel, panel.has_bar ? source.options.decimals.value_or(2) : 0);
  }
  if (panel.rows * panel.cols <= drawn_one_by_one) {
    look_at_cells(panel, source);
  } else {
    if (visibility(*panel.result, stage).hides_any(panel.rows)) panel.cell_marks.insert(CellMark::masked);
    if (shows_dropped(*panel.result, stage)) panel.cell_marks.insert(CellMark::dropped);
  }
  return panel;
}

float row_sum(const FigurePanel& panel, Index row) {
  const float known = panel.row_sums[static_cast<std::size_t>(row)];
  if (!std::isnan(known) || !panel.result || !panel.result->external) return known;
  std::vector<float> cells(static_cast<std::size_t>(panel.cols));
  read_cells(cells, *panel.result, panel.stage, panel.matrix, {row, 0, 1, panel.cols});
  return static_cast<float>(kernels().row_numbers(cells.data(), panel.cols).sum);
}

std::set<CellMark> marks_of(const FigureContent& content) {
  std::set<CellMark> marks = content.series_marks;
  for (const auto& line : content.lines) {
    for (const FigurePanel& panel : line) marks.insert(panel.cell_marks.begin(), panel.cell_marks.end());
  }
  return marks;
}

}  // namespace attnscope

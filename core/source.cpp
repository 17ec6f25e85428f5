#include "core/source.h"

#include "core/cells.h"
#include "core/draw.h"
#include "core/visibility.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

namespace {

Source cell_of(Source source, Stage stage, Index row, Index col) {
  source.stage = stage;
  source.row = row;
  source.col = col;
  source.kind = SourceKind::cell;
  return source;
}

SourceLine row_of(const AttentionConfig& config, const Source& source, Stage stage, Index row) {
  return {cell_of(source, stage, row, 0), stage_shape(config, stage).back()};
}

SourceLine of_row(const Source& source, Stage stage, SourceKind kind) {
  Source number = cell_of(source, stage, source.row, 0);
  number.kind = kind;
  return {number};
}

SourceLine draw_of(const Source& source) {
  Source draw = source;
  draw.kind = SourceKind::draw;
  return {draw};
}

bool is_drawn(const AttentionConfig& config, const Source& source) {
  if (!is_parameter(info(source.stage).axes) && source.stage != Stage::inputs) return false;
  if (source.stage == Stage::inputs) return std::holds_alternative<RandnInputs>(config.inputs);
  return !config.weight_overrides.contains(parameter_name(config, source.stage, source.head));
}

bool draws_factor(const AttentionConfig& config, const Source& source) {
  if (!dropout_is_active(config) || config.dropout <= 0 || config.dropout >= 1) return false;
  return !kept_by_user(config, source.batch, source.head, source.row, source.col);
}

// The weights of the output feature that the cell stands for, and its bias.
std::vector<SourceLine> of_projection(const AttentionConfig& config, const Source& source, const StageList& from) {
  const bool is_split = info(config.mechanism).splits_heads && is_per_head(config, source.stage);
  const Index unit = is_split ? source.head * head_features(config) + source.col : source.col;
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  const SourceLine left = row_of(config, source, from[0], source.row);
  SourceLine weights{cell_of(source, from[1], is_linear ? unit : 0, is_linear ? 0 : unit), left.count, !is_linear};
  std::vector<SourceLine> lines = {left, weights};
  if (from.size() > 2) lines.push_back({cell_of(source, from[2], 0, unit)});
  return lines;
}

std::vector<SourceLine> of_normalization(const AttentionConfig& config, const Source& source, Stage from) {
  const SourceLine cell{cell_of(source, from, source.row, source.col)};
  if (normalizes_by_sum(config)) return {cell, of_row(source, from, SourceKind::row_sum)};
  return {cell, of_row(source, from, SourceKind::row_maximum), of_row(source, from, SourceKind::exponential_sum)};
}

Source of_head(const AttentionConfig& config, const Source& source, Stage from) {
  const Index head_dim = value_features(config);
  Source cell = cell_of(source, from, source.row, source.col % head_dim);
  cell.head = source.col / head_dim;
  return cell;
}

bool row_sees_nothing(const AttentionConfig& config, const Source& source) {
  return sees_nothing(config, source.stage, source.batch * head_count(config) + source.head, source.row);
}

std::vector<SourceLine> of_cell(const AttentionConfig& config, const Source& source) {
  const StageList from = predecessors(config, source.stage);
  const auto same_place = [&](Stage stage) { return SourceLine{cell_of(source, stage, source.row, source.col)}; };
  switch (rule_of(config, source.stage)) {
    case CellRule::start:
      return is_drawn(config, source) ? std::vector{draw_of(source)} : std::vector<SourceLine>();
    case CellRule::projection:
      return of_projection(config, source, from);
    case CellRule::query_times_key:
      return {row_of(config, source, from[0], source.row),
              {cell_of(source, from[1], source.col, 0), stage_shape(config, from[1]).back()}};
    case CellRule::hide_or_not:
      return {};
    case CellRule::step:
    case CellRule::add_bias:
      return {same_place(from[0])};
    case CellRule::normalize:
      return row_sees_nothing(config, source) ? std::vector<SourceLine>() : of_normalization(config, source, from[0]);
    case CellRule::share_of_row:
      if (row_sees_nothing(config, source)) return {};
      return {same_place(from[0]), of_row(source, from[0], SourceKind::row_sum)};
    case CellRule::keep_or_drop:
      return draws_factor(config, source) ? std::vector{draw_of(source)} : std::vector<SourceLine>();
    case CellRule::hide:
    case CellRule::keep_seen:
    case CellRule::product:
      return {same_place(from[0]), same_place(from[1])};
    case CellRule::weighted_sum:
      if (is_off(config, source.head)) return {};
      return {row_of(config, source, from[0], source.row),
              {cell_of(source, from[1], 0, source.col), stage_shape(config, from[0]).back(), true}};
    case CellRule::side_by_side:
      break;
  }
  return {{of_head(config, source, from[0])}};
}

std::vector<float> cells_at(const Result& result, const SourceLine& line) {
  const Source& first = line.first;
  const CellRect rect{first.row, first.col, line.is_column ? line.count : 1, line.is_column ? 1 : line.count};
  std::vector<float> cells(static_cast<std::size_t>(line.count));
  read_cells(cells, result, first.stage, matrix_of(result.config, first.stage, first.batch, first.head), rect);
  return cells;
}

float number_of_row(const std::vector<float>& row, SourceKind kind) {
  const float largest = *std::ranges::max_element(row);
  if (kind == SourceKind::row_maximum) return largest;
  double sum = 0;
  for (const float cell : row) {
    sum += static_cast<double>(kind == SourceKind::row_sum ? cell : std::exp(cell - largest));
  }
  return static_cast<float>(sum);
}

}  // namespace

std::vector<SourceLine> operands(const AttentionConfig& config, const Source& source) {
  switch (source.kind) {
    case SourceKind::cell:
      return of_cell(config, source);
    case SourceKind::draw:
      return {};
    case SourceKind::row_maximum:
    case SourceKind::row_sum:
      return {row_of(config, source, source.stage, source.row)};
    case SourceKind::exponential_sum:
      break;
  }
  return {row_of(config, source, source.stage, source.row), of_row(source, source.stage, SourceKind::row_maximum)};
}

std::vector<float> values_at(const Result& result, const SourceLine& line) {
  if (line.first.kind == SourceKind::cell) return cells_at(result, line);
  std::vector<float> values;
  for (Index i = 0; i < line.count; ++i) values.push_back(value_at(result, line[i]));
  return values;
}

Source with_batch_and_head_of(const AttentionConfig& config, Source source) {
  source.batch = std::clamp<Index>(source.batch, 0, config.batch_size - 1);
  source.head = std::clamp<Index>(source.head, 0, head_count(config) - 1);
  return source;
}

bool has_cell(const Result& result, const Source& cell) {
  if (!has(result, cell.stage) || std::min({cell.batch, cell.head, cell.row, cell.col}) < 0) return false;
  const std::vector<Index> shape = stage_shape(result.config, cell.stage);
  return (!is_per_batch(cell.stage) || cell.batch < result.config.batch_size) &&
         (!is_per_head(result.config, cell.stage) || cell.head < head_count(result.config)) &&
         cell.row < shape[shape.size() - 2] && cell.col < shape.back() &&
         has(result, cell.stage, matrix_of(result.config, cell.stage, cell.batch, cell.head));
}

float value_at(const Result& result, const Source& source) {
  if (source.kind == SourceKind::cell) return cells_at(result, {source}).front();
  if (source.kind == SourceKind::draw) return drawn_number(result, source);
  if (source.kind == SourceKind::exponential_sum && row_sees_nothing(result.config, source)) return 0;
  return number_of_row(cells_at(result, row_of(result.config, source, source.stage, source.row)), source.kind);
}

}  // namespace attnscope

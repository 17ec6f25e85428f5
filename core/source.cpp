#include "core/source.h"

#include "core/cells.h"
#include "core/draw.h"
#include "core/rms_norm.h"
#include "core/visibility.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

namespace {

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
  if (kind == SourceKind::row_rms) return static_cast<float>(root_mean_square(row, qk_norm_epsilon));
  double sum = 0;
  for (const float cell : row) {
    sum += static_cast<double>(kind == SourceKind::row_sum ? cell : std::exp(cell - largest));
  }
  return static_cast<float>(sum);
}

}  // namespace

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
  const Index matrix = source.batch * head_count(result.config) + source.head;
  const bool is_exponential_sum = source.kind == SourceKind::exponential_sum;
  if (is_exponential_sum && sees_nothing(result.config, source.stage, matrix, source.row)) return 0;
  return number_of_row(cells_at(result, operands(result.config, source).front()), source.kind);
}

}  // namespace attnscope

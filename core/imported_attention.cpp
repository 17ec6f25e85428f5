#include "core/imported_attention.h"

#include "core/heads.h"
#include "core/kernels/select.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

constexpr Index matrices_of_a_sample = 16;
constexpr Index rows_of_a_sample = 4;  // rows that are read of each matrix

void sample(std::vector<WeightRow>& rows, const ImportedAttention& attention, Index matrix) {
  for (const Index place : spread(rows_of_a_sample, attention.tokens)) {
    rows.push_back({place, std::vector<float>(static_cast<std::size_t>(attention.tokens))});
    attention.read(rows.back().weights, matrix, {place, 0, 1, attention.tokens});
  }
}

}  // namespace

std::vector<Index> spread(Index count, Index total) {
  if (total <= count) count = total;
  std::vector<Index> places;
  for (Index i = 0; i < count; ++i) places.push_back(count == 1 ? total - 1 : i * (total - 1) / (count - 1));
  return places;
}

Result result_of(std::shared_ptr<const ImportedAttention> attention) {
  Result result;
  result.config.inputs = RandnInputs{attention->tokens, 1};
  result.config.batch_size = attention->batch_size;
  result.config.num_heads = attention->heads;
  result.config.d_out = attention->heads;
  result.config.mask = attention->is_causal ? MaskRoute::causal : MaskRoute::none;
  result.heads = std::make_shared<HeadStore>();
  result.imported = std::move(attention);
  return result;
}

bool hides_later_keys(const ImportedAttention& attention) {
  constexpr Index most_cells = 1 << 20;
  constexpr Index least_rows = 16;  // rows that are read of a large matrix
  const Index T = attention.tokens;
  if (attention.stage != Stage::weights || T < 2) return false;
  const Index matrices = attention.batch_size * attention.heads;
  const Index rows = most_cells / (matrices * T * attention.read_for_a_cell);
  std::vector<float> cells;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (const Index row : spread(std::max(least_rows, rows), T)) {
      const Index later = T - row - 1;
      if (later == 0) continue;
      cells.resize(static_cast<std::size_t>(later));
      attention.read(cells, matrix, {row, row + 1, 1, later});
      if (std::ranges::any_of(cells, [](float cell) { return cell != 0; })) return false;
    }
  }
  return true;
}

SummaryPtr sample_imported(const ImportedAttention& attention) {
  const Index count = attention.batch_size * attention.heads;
  StageSummary summary;
  summary.is_exact = false;
  summary.overall = no_extremes;
  summary.row_sums.assign(static_cast<std::size_t>(count * attention.tokens), std::numeric_limits<float>::quiet_NaN());
  const Index matrices = attention.read_for_a_cell > 1 ? matrices_of_a_sample / 4 : matrices_of_a_sample;
  std::vector<WeightRow> rows;
  for (const Index matrix : spread(matrices, count)) sample(rows, attention, matrix);
  for (const WeightRow& row : rows) {
    const RowNumbers numbers = kernels().row_numbers(row.weights.data(), attention.tokens);
    widen(summary.overall, {numbers.low, numbers.high});
  }
  if (info(attention.stage).range == StageRange::probability)
    summary.spread = weight_spread(rows, keys_seen(rows, attention.tokens));
  if (summary.overall.low > summary.overall.high) summary.overall = {};
  summary.matrices.assign(static_cast<std::size_t>(count), summary.overall);
  return std::make_shared<const StageSummary>(std::move(summary));
}

}  // namespace attnscope

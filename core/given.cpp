#include "core/given.h"

#include "core/kernels/select.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

constexpr Index sampled_matrices = 16;
constexpr Index sampled_rows_given = 4;   // of each
constexpr Index cells_at_once = 1 << 18;  // between looks at whether to go on
constexpr float sum_not_known = std::numeric_limits<float>::quiet_NaN();

// So many of `total`, the first and the last among them.
std::vector<Index> spread(Index count, Index total) {
  if (total <= count) count = total;
  std::vector<Index> places;
  for (Index i = 0; i < count; ++i) places.push_back(count == 1 ? total - 1 : i * (total - 1) / (count - 1));
  return places;
}

StageSummary::Extremes sample(const GivenSquares& given, Index matrix, std::vector<float>& row) {
  StageSummary::Extremes extremes = no_extremes;
  for (const Index place : spread(sampled_rows_given, given.tokens)) {
    given.read(row, matrix, {place, 0, 1, given.tokens}, {});
    const RowNumbers numbers = kernels().row_numbers(row.data(), given.tokens);
    widen(extremes, {numbers.low, numbers.high});
  }
  return extremes;
}

}  // namespace

Result result_of(std::shared_ptr<const GivenSquares> given) {
  Result result;
  result.config.inputs = RandnInputs{given->tokens, 1};
  result.config.batch_size = given->batch_size;
  result.config.num_heads = given->heads;
  result.config.d_out = given->heads;
  result.config.mask = MaskRoute::none;
  result.given = std::move(given);
  return result;
}

SummaryPtr sample_given(const GivenSquares& given) {
  const Index count = given.batch_size * given.heads;
  StageSummary summary;
  summary.is_exact = false;
  summary.overall = no_extremes;
  summary.row_sums.assign(static_cast<std::size_t>(count * given.tokens), sum_not_known);
  std::vector<float> row(static_cast<std::size_t>(given.tokens));
  for (const Index matrix : spread(sampled_matrices, count)) widen(summary.overall, sample(given, matrix, row));
  if (summary.overall.low > summary.overall.high) summary.overall = {};
  summary.matrices.assign(static_cast<std::size_t>(count), summary.overall);
  return std::make_shared<const StageSummary>(std::move(summary));
}

MatrixSummary summarize_given(const GivenSquares& given, Index matrix, const Execution& execution) {
  const Index T = given.tokens;
  const Index rows_at_once = std::clamp<Index>(cells_at_once / T, 1, T);
  const Index strips = (T + rows_at_once - 1) / rows_at_once;
  MatrixSummary summary{no_extremes, std::vector<float>(static_cast<std::size_t>(T))};
  std::vector<StageSummary::Extremes> extremes(static_cast<std::size_t>(strips), summary.extremes);
  for_each_block(execution, strips, [&](Index strip) {
    const Index first = strip * rows_at_once;
    const Index count = std::min(rows_at_once, T - first);
    std::vector<float> cells(static_cast<std::size_t>(count * T));
    given.read(cells, matrix, {first, 0, count, T}, {});
    for (Index row = 0; row < count; ++row) {
      const RowNumbers numbers = kernels().row_numbers(cells.data() + row * T, T);
      widen(extremes[static_cast<std::size_t>(strip)], {numbers.low, numbers.high});
      summary.row_sums[static_cast<std::size_t>(first + row)] = static_cast<float>(numbers.sum);
    }
  });
  for (const StageSummary::Extremes& strip : extremes) widen(summary.extremes, strip);
  return summary;
}

}  // namespace attnscope

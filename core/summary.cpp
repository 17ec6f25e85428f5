#include "core/summary.h"

#include "core/expected_work.h"
#include "core/kernels/select.h"

#include <algorithm>
#include <limits>

namespace attnscope {
namespace {

constexpr Index block_cells = Index{1} << 18;  // read in one go: less than a millisecond

// Rows of one matrix: their extremes, and their sums into sums[first, first + count).
StageSummary::Extremes summarize_rows(float* sums, const MatrixView<const float>& matrix, Index first, Index count) {
  StageSummary::Extremes extremes = no_extremes;
  for (Index row = first; row < first + count; ++row) {
    const RowNumbers numbers = kernels().row_numbers(&matrix(row, 0), matrix.cols());
    widen(extremes, {numbers.low, numbers.high});
    sums[row] = static_cast<float>(numbers.sum);
  }
  return extremes;
}

// Extremes of all matrices from those of each.
void unite(StageSummary& summary) {
  summary.overall = no_extremes;
  for (StageSummary::Extremes& extremes : summary.matrices) {
    widen(summary.overall, extremes);
    if (extremes.low > extremes.high) extremes = {};
  }
  if (summary.overall.low > summary.overall.high) summary.overall = {};
}

// Of stages that are not kept and have as many matrices each.
void estimate(Summaries& summaries, const Result& result, std::span<const Stage> stages, const Execution& execution) {
  if (stages.empty()) return;
  const Index T = token_count(result.config);
  const Index count = element_count(stage_shape(result.config, stages.front())) / (T * T);
  std::vector<std::vector<MatrixSummary>> parts(static_cast<std::size_t>(count));  // by matrix and stage
  for_each_block(execution, count, [&](Index matrix) {
    parts[static_cast<std::size_t>(matrix)] = estimate_matrix(result, stages, matrix, execution);
  });
  for (std::size_t i = 0; i < stages.size(); ++i) {
    StageSummary summary;
    for (const std::vector<MatrixSummary>& part : parts) {
      summary.matrices.push_back(part[i].extremes);
      summary.row_sums.insert(summary.row_sums.end(), part[i].row_sums.begin(), part[i].row_sums.end());
    }
    summary.is_exact = T <= estimate_reads_all;
    unite(summary);
    summaries[stages[i]] = std::make_shared<const StageSummary>(std::move(summary));
  }
}

// Whether the cells of a stage that is not kept are those of an earlier result: row statistics are shared where all
// that comes before dropout is.
bool is_shared(const Result& result, const Result& previous, Stage stage) {
  const bool comes_before_dropout = !depends_on(result.config, stage, Stage::dropout_factors);
  return comes_before_dropout && result.rows && result.rows == previous.rows;
}

}  // namespace

StageSummary summarize(const Tensor& tensor, const Execution& execution) {
  StageSummary summary;
  const Index count = tensor.matrix_count();
  summary.matrices.assign(static_cast<std::size_t>(count), no_extremes);
  summary.row_sums.resize(static_cast<std::size_t>(count * tensor.rows()));
  if (count == 0) return summary;
  const Index rows = std::max<Index>(1, block_cells / tensor.cols());
  const Index blocks = (tensor.rows() + rows - 1) / rows;  // of each matrix
  std::vector<StageSummary::Extremes> extremes(static_cast<std::size_t>(count * blocks));
  for_each_block(execution, count * blocks, [&](Index block) {
    const Index matrix = block / blocks;
    const Index first = block % blocks * rows;
    extremes[static_cast<std::size_t>(block)] =
        summarize_rows(summary.row_sums.data() + matrix * tensor.rows(), tensor.matrix(matrix), first,
                       std::min(rows, tensor.rows() - first));
  });
  for (std::size_t block = 0; block < extremes.size(); ++block) {
    widen(summary.matrices[block / static_cast<std::size_t>(blocks)], extremes[block]);
  }
  unite(summary);
  return summary;
}

void replace(StageSummary& summary, Index matrix, const MatrixSummary& part) {
  summary.matrices[static_cast<std::size_t>(matrix)] = part.extremes;
  const auto first = summary.row_sums.begin() + matrix * static_cast<Index>(part.row_sums.size());
  std::ranges::copy(part.row_sums, first);
  unite(summary);
}

Summaries summarize(const Result& result, const Execution& execution, const Result* previous,
                    const Summaries* previous_summaries) {
  Summaries summaries;
  std::vector<Stage> squares;  // to be estimated
  double square_work = 0;
  for (const StageInfo& info : stages()) {
    if (result.find(info.stage) || !has(result, info.stage)) continue;
    square_work += expected_summary_work(result.config, info.stage, false);
    if (previous && previous_summaries && is_shared(result, *previous, info.stage)) {
      summaries[info.stage] = (*previous_summaries)[info.stage];
    } else {
      squares.push_back(info.stage);
    }
  }
  begin_pass(execution, square_work);
  const auto rest = std::partition(squares.begin(), squares.end(), [](Stage stage) { return stage == Stage::mask; });
  estimate(summaries, result, {squares.begin(), rest}, execution);  // one matrix for all heads
  estimate(summaries, result, {rest, squares.end()}, execution);
  for (const StageInfo& info : stages()) {
    const Stage stage = info.stage;
    const TensorPtr& tensor = result.tensors[stage];
    if (!tensor) continue;
    begin_pass(execution, expected_summary_work(result.config, stage, true));
    const bool same = previous && previous_summaries && previous->tensors[stage] == tensor;
    summaries[stage] =
        same ? (*previous_summaries)[stage] : std::make_shared<const StageSummary>(summarize(*tensor, execution));
  }
  return summaries;
}

}  // namespace attnscope

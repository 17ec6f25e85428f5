#include "core/summary.h"

#include "core/cells.h"
#include "core/kernels/select.h"
#include "core/visibility.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace attnscope {
namespace {

// Extremes of all matrices from those of each.
void unite(StageSummary& summary) {
  summary.overall = no_extremes;
  for (StageSummary::Extremes& extremes : summary.matrices) {
    widen(summary.overall, extremes);
    if (extremes.low > extremes.high) extremes = {};
  }
  if (summary.overall.low > summary.overall.high) summary.overall = {};
}

// The work of less than a millisecond, which may be done at once.
constexpr Index read_at_once = Index{1} << 18;  // cells
constexpr double computed_at_once = 4e6;        // multiplications
constexpr double summed_at_once = 5e5;          // numbers of keys
constexpr double per_cell = 16;                 // steps from a score to a weight, in multiplications
constexpr Index read_of_an_estimate = Index{1} << 15;
constexpr Index computed_matrices = 4;  // of an estimate

Index matrix_count(const AttentionConfig& config, Stage stage) {
  const std::vector<Index> shape = stage_shape(config, stage);
  return element_count(std::span(shape).first(shape.size() - 2));
}

// Whether `index` is one of `count` picked of `total`, the first and the last among them.
bool is_picked(Index index, Index count, Index total) {
  if (total <= count) return true;
  return index * (count - 1) / (total - 1) != (index - 1) * (count - 1) / (total - 1) || index == 0;
}

StageSummary unknown_summary(Index matrices, Index rows) {
  StageSummary summary;
  summary.matrices.assign(static_cast<std::size_t>(matrices), no_extremes);
  summary.row_sums.assign(static_cast<std::size_t>(matrices * rows), std::numeric_limits<float>::quiet_NaN());
  return summary;
}

void put(StageSummary& summary, Index matrix, const MatrixSummary& part) {
  summary.matrices[static_cast<std::size_t>(matrix)] = part.extremes;
  std::ranges::copy(part.row_sums, summary.row_sums.begin() + matrix * std::ssize(part.row_sums));
}

// Summarizes a stage that is held, from every row or from some.
StageSummary summarize_held(const Result& result, Stage stage, Index count) {
  const CellBlock first = *held_block(result, stage, 0);
  StageSummary summary = unknown_summary(count, first.rows);
  const Index rows = count * first.rows;
  summary.is_exact = rows * first.cols <= read_at_once;
  const Index step =
      summary.is_exact ? 1 : std::max<Index>(1, rows / std::max<Index>(16, read_of_an_estimate / first.cols));
  for (Index row = rows - 1; row >= 0; row -= step) {
    const Index matrix = row / first.rows;
    if (!has(result, stage, matrix)) continue;
    const CellBlock block = *held_block(result, stage, matrix);
    const RowNumbers numbers = kernels().row_numbers(block.at(row % first.rows, 0), block.cols);
    widen(summary.matrices[static_cast<std::size_t>(matrix)], {numbers.low, numbers.high});
    summary.row_sums[static_cast<std::size_t>(row)] = static_cast<float>(numbers.sum);
  }
  unite(summary);
  if (!summary.is_exact) std::ranges::fill(summary.matrices, summary.overall);
  return summary;
}

// Summarizes stages whose cells are computed when read, with as many matrices each: from all cells where that takes
// little time, else from some cells of some matrices, whose extremes then stand for those of all.
std::vector<StageSummary> summarize_computed(const Result& result, std::span<const Stage> stages, Index count) {
  const auto queries = static_cast<double>(query_count(result.config));
  const auto keys = static_cast<double>(key_count(result.config));
  const double work =
      queries * keys * static_cast<double>(count) * (static_cast<double>(head_features(result.config)) + per_cell);
  const bool is_exact = work <= computed_at_once;
  // A mask that was edited may hide other keys from each query, which takes a pass over the keys for each.
  const bool sums_scores =
      result.config.mask != MaskRoute::custom &&
      std::max(queries, keys) * static_cast<double>(count * head_features(result.config)) <= summed_at_once;
  const auto parts_of = [&](Index matrix) {
    if (is_exact) return summarize_matrix(result, stages, matrix, {Backend::serial, 1, {}});
    const bool reads_cells = !result.finished.are_all() || is_picked(matrix, computed_matrices, count);
    return estimate_matrix(result, stages, matrix, {reads_cells, sums_scores});
  };
  std::vector<StageSummary> summaries(stages.size(), unknown_summary(count, query_count(result.config)));
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (!has(result, stages.front(), matrix)) continue;
    const std::vector<MatrixSummary> parts = parts_of(matrix);
    for (std::size_t i = 0; i < stages.size(); ++i) put(summaries[i], matrix, parts[i]);
  }
  for (StageSummary& summary : summaries) {
    summary.is_exact = is_exact;
    unite(summary);
    if (!is_exact) std::ranges::fill(summary.matrices, summary.overall);
  }
  return summaries;
}

// Whether the cells of a stage that is computed when read are those of an earlier result: row statistics are shared
// where all that comes before dropout is.
bool is_shared(const Result& result, const Result& previous, Stage stage) {
  const bool comes_before_dropout = !depends_on(result.config, stage, Stage::dropout_factors);
  return comes_before_dropout && result.rows && result.rows == previous.rows;
}

}  // namespace

void replace(StageSummary& summary, Index matrix, const MatrixSummary& part) {
  put(summary, matrix, part);
  unite(summary);
}

Summaries::Summaries(std::shared_ptr<const Result> result, const Summaries* previous) : result_(std::move(result)) {
  if (!previous || !previous->result_ || previous->result_->finished != result_->finished) return;
  const std::lock_guard lock(previous->mutex_);
  for (const StageInfo& info : stages()) {
    const TensorPtr tensor = result_->share(info.stage);
    const bool same = tensor ? tensor == previous->result_->share(info.stage)
                             : is_query_by_key(info.axes) && is_shared(*result_, *previous->result_, info.stage);
    if (same) made_[info.stage] = previous->made_[info.stage];
  }
}

Summaries::Summaries(Stage stage, SummaryPtr summary) { made_[stage] = std::move(summary); }

SummaryPtr Summaries::of(Stage stage) const {
  const std::lock_guard lock(mutex_);
  const SummaryPtr& made = made_[stage];
  if (!made && result_ && has(*result_, stage)) make(stage);
  return made;
}

// With a stage that is computed when read come those that take the same scores.
void Summaries::make(Stage stage) const {
  const Index count = matrix_count(result_->config, stage);
  const auto put = [&](Stage of, StageSummary summary) {
    if (info(of).range == StageRange::probability && !result_->difference) summary.spread = weight_spread(*result_, of);
    made_[of] = std::make_shared<const StageSummary>(std::move(summary));
  };
  if (held_block(*result_, stage, 0)) return put(stage, summarize_held(*result_, stage, count));
  std::vector<Stage> together;
  for (const StageInfo& other : stages()) {
    const bool is_alike = other.axes == info(stage).axes && has(*result_, other.stage);
    if (is_alike && !made_[other.stage]) together.push_back(other.stage);
  }
  std::vector<StageSummary> summaries = summarize_computed(*result_, together, count);
  for (std::size_t i = 0; i < together.size(); ++i) put(together[i], std::move(summaries[i]));
}

}  // namespace attnscope

#include "core/summary.h"

#include "core/heads.h"
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

Index matrix_count(const AttentionConfig& config, Stage stage) {
  const std::vector<Index> shape = stage_shape(config, stage);
  return element_count(std::span(shape).first(shape.size() - 2));
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

// The stages of a result whose matrices are computed together.
StageSet alike(const Result& result, Stage stage) {
  StageSet together;
  for (const StageInfo& other : stages())
    if (other.axes == info(stage).axes && has(result, other.stage)) together.add(other.stage);
  return together;
}

bool has_spread(const Result& result, Stage stage) {
  return info(stage).range == StageRange::probability && !result.difference;
}

const Execution serial{Backend::serial, 1, {}};

}  // namespace

MatrixSummary summary_of(const CellBlock& whole, const Execution& execution) {
  constexpr Index rows_at_once = 64;
  std::vector<RowNumbers> rows(static_cast<std::size_t>(whole.rows));
  for_each_block(execution, blocks_of(whole.rows, rows_at_once), [&](Index block) {
    for (Index row = block * rows_at_once; row < std::min(whole.rows, (block + 1) * rows_at_once); ++row)
      rows[static_cast<std::size_t>(row)] = kernels().row_numbers(whole.at(row, 0), whole.cols);
  });
  return summary_of(rows);
}

MatrixSummary summary_of(std::span<const RowNumbers> rows) {
  MatrixSummary summary;
  for (const RowNumbers& row : rows) {
    widen(summary.extremes, {row.low, row.high});
    summary.row_sums.push_back(static_cast<float>(row.sum));
  }
  return summary;
}

MatrixSummary summarize_matrix(const Result& result, Stage stage, Index matrix, const Execution& execution) {
  if (const std::optional<CellBlock> held = held_block(result, stage, matrix)) return summary_of(*held, execution);
  if (!result.heads->knows(stage, matrix)) result.heads->make(result, {stage}, matrix, execution);
  return *result.heads->summary(stage, matrix);
}

void replace(StageSummary& summary, Index matrix, const MatrixSummary& part) {
  put(summary, matrix, part);
  unite(summary);
}

Summaries::Summaries(std::shared_ptr<const Result> result, const Summaries* previous) : result_(std::move(result)) {
  if (!previous || !previous->result_ || previous->result_->finished != result_->finished) return;
  const std::lock_guard lock(previous->mutex_);
  for (const StageInfo& info : stages()) {
    const TensorPtr tensor = result_->share(info.stage);
    if (tensor && tensor == previous->result_->share(info.stage)) made_[info.stage] = previous->made_[info.stage];
  }
}

Summaries::Summaries(std::shared_ptr<const Result> result, Stage stage, SummaryPtr summary)
    : result_(std::move(result)) {
  made_[stage].summary = std::move(summary);
}

SummaryPtr Summaries::of(Stage stage) const {
  const std::lock_guard lock(mutex_);
  if (result_ && has(*result_, stage)) {
    if (!held_block(*result_, stage, 0)) {
      make_of_heads(stage);
    } else if (!made_[stage].summary) {
      make(stage);
    }
  }
  return made_[stage].summary;
}

void Summaries::make(Stage stage) const {
  const Index count = matrix_count(result_->config, stage);
  StageSummary summary = unknown_summary(count, held_block(*result_, stage, 0)->rows);
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (has(*result_, stage, matrix)) put(summary, matrix, summary_of(*held_block(*result_, stage, matrix), serial));
  }
  unite(summary);
  if (has_spread(*result_, stage)) summary.spread = weight_spread(*result_, stage);
  made_[stage].summary = std::make_shared<const StageSummary>(std::move(summary));
}

void Summaries::make_of_heads(Stage stage) const {
  HeadStore& heads = *result_->heads;
  const Index count = matrix_count(result_->config, stage);
  if (are_computed_at_once(*result_, count)) {
    for (Index matrix = 0; matrix < count; ++matrix)
      if (has(*result_, stage, matrix) && !heads.knows(stage, matrix))
        heads.make(*result_, alike(*result_, stage), matrix, serial);
  }
  Made& made = made_[stage];
  const std::size_t known = heads.known_count(stage);
  if (made.summary && made.known == known) return;
  StageSummary summary = unknown_summary(count, query_count(result_->config));
  std::vector<Index> unknown;
  for (Index matrix = 0; matrix < count; ++matrix) {
    const std::optional<MatrixSummary> of_one = heads.summary(stage, matrix);
    if (of_one) put(summary, matrix, *of_one);
    if (!of_one && has(*result_, stage, matrix)) unknown.push_back(matrix);
  }
  unite(summary);
  summary.is_exact = unknown.empty();
  for (const Index matrix : unknown) summary.matrices[static_cast<std::size_t>(matrix)] = summary.overall;
  if (made.summary) {
    summary.spread = made.summary->spread;
  } else if (has_spread(*result_, stage)) {
    summary.spread = weight_spread(*result_, stage);
  }
  made = {std::make_shared<const StageSummary>(std::move(summary)), known};
}

}  // namespace attnscope

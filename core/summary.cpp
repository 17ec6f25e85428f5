#include "core/summary.h"

#include "core/heads.h"
#include "core/kernels/select.h"
#include "core/visibility.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace attnscope {

namespace {

// Returns the extremes of all matrices from those of each.
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

constexpr Index most_matrices = 16;
constexpr Index fewest_matrices = 2;
constexpr Index numbers_read = Index{1} << 18;  // numbers of the keys that are read: a matrix takes all of a head's
constexpr Index cells_read = Index{1} << 14;

Index matrices_read(const AttentionConfig& config) {
  const Index affordable = numbers_read / (key_count(config) * head_features(config));
  return std::min(config.batch_size * head_count(config), std::clamp(affordable, fewest_matrices, most_matrices));
}

float quantile(std::vector<float>& numbers, double share) {
  if (numbers.empty()) return 1;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers.size() - 1));
  std::nth_element(numbers.begin(), numbers.begin() + at, numbers.end());
  return numbers[static_cast<std::size_t>(at)];
}

void read_rows(std::vector<WeightRow>& rows, const Result& result, Stage stage, Index matrix, Index count) {
  const Index queries = query_count(result.config);
  const Index step = queries / count;
  const Index first = queries - 1 - (count - 1) * step;  // the last query sees the most keys
  const std::optional<CellBlock> held = held_block(result, stage, matrix);
  std::optional<HeadRows> computed;
  if (!held) computed.emplace(result, matrix, StageSet{stage}, Execution{Backend::serial, 1, {}});
  for (Index i = 0; i < count; ++i) {
    const Index query = first + i * step;
    if (held) rows.push_back({query, std::vector<float>(held->at(query, 0), held->at(query, 0) + held->cols)});
    if (!computed) continue;
    const TensorPtr row = computed->compute(query, 1, {})[stage];
    rows.push_back({query, std::vector<float>(row->values.begin(), row->values.end())});
  }
}

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

WeightSpread weight_spread(const Result& result, Stage stage) {
  const Index count = result.config.batch_size * head_count(result.config);
  const Index matrices = matrices_read(result.config);
  const Index most = cells_read / (matrices * key_count(result.config));
  std::vector<WeightRow> rows;
  for (Index i = 0; i < matrices; ++i) {
    const Index matrix = i * count / matrices;
    if (has(result, stage, matrix))
      read_rows(rows, result, stage, matrix, std::clamp<Index>(most, 1, query_count(result.config)));
  }
  return weight_spread(rows, visibility(result.config, stage));
}

WeightSpread weight_spread(std::span<const WeightRow> rows, const Visibility& counted) {
  std::vector<float> relative;
  std::vector<float> present;
  for (const WeightRow& row : rows) {
    const auto keys_seen = static_cast<float>(counted.count(row.query));
    for_each_seen(counted, row.query, 0, std::ssize(row.weights), [&](const KeyRange& seen) {
      for (Index key = seen.first; key < seen.last; ++key) {
        const float weight = row.weights[static_cast<std::size_t>(key)];
        if (!std::isfinite(weight)) continue;
        relative.push_back(weight * keys_seen);
        if (weight > 0) present.push_back(weight);
      }
    });
  }
  WeightSpread spread{.counted = counted};
  spread.low = quantile(relative, 0.02);
  spread.high = quantile(relative, 0.999);
  spread.smallest = quantile(present, 0.02);
  spread.largest = quantile(present, 1);
  return spread;
}

Visibility keys_seen(std::span<const WeightRow> rows, Index keys) {
  const Visibility causal{.keys = keys, .last = 1};
  const auto is_nothing = [](float weight) { return weight == 0 || (std::isinf(weight) && weight < 0); };
  const bool is_causal = std::ranges::all_of(rows, [&](const WeightRow& row) {
    return std::ranges::all_of(row.weights.begin() + causal.of(row.query).last, row.weights.end(), is_nothing);
  });
  const bool says_something = std::ranges::any_of(rows, [&](const WeightRow& row) { return row.query + 1 < keys; });
  return is_causal && says_something ? causal : Visibility{.keys = keys};
}

}  // namespace attnscope

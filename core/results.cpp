#include "core/results.h"

#include "core/evaluate.h"
#include "core/heads.h"
#include "core/kernels/select.h"
#include "core/visibility.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

constexpr float rounding_share = 1e-6F;  // numbers that differ by a smaller share of the larger one are equal

TensorPtr subtract(const Result& now, const Result& baseline, Stage stage) {
  Tensor tensor = read_stage(now, stage);
  const Tensor other = read_stage(baseline, stage);
  std::ranges::transform(tensor.values, other.values, tensor.values.begin(),
                         [](float left, float right) { return difference_of(left, right); });
  return std::make_shared<const Tensor>(std::move(tensor));
}

}  // namespace

float difference_of(float now, float baseline) {
  if (now == baseline) return 0;
  const float difference = now - baseline;
  return std::abs(difference) < rounding_share * std::max(std::abs(now), std::abs(baseline)) ? 0 : difference;
}

bool is_comparable(const Result& now, const Result& baseline, Stage stage) {
  if (!has(now, stage) || !has(baseline, stage)) return false;
  if (stage_shape(now.config, stage) != stage_shape(baseline.config, stage)) return false;
  const bool is_weight = info(stage).axes == StageAxes::weight;
  return !is_weight || info(now.config.mechanism).weight_style == info(baseline.config.mechanism).weight_style;
}

bool is_equal(const Result& now, const Result& baseline, Stage stage) {
  if (!now.finished.are_all() || !baseline.finished.are_all()) return false;
  const Tensor* const left = now.find(stage);
  const Tensor* const right = baseline.find(stage);
  return left && right && (left == right || *left == *right);
}

std::shared_ptr<const Result> difference_of(std::shared_ptr<const Result> now, std::shared_ptr<const Result> baseline,
                                            const Execution& execution) {
  auto result = std::make_shared<Result>();
  result->config = now->config;
  for (const StageInfo& stage : stages()) {
    check_stop(execution);
    const bool is_held = now->find(stage.stage) || baseline->find(stage.stage);
    if (is_held && is_comparable(*now, *baseline, stage.stage))
      result->tensors[stage.stage] = subtract(*now, *baseline, stage.stage);
  }
  result->heads = std::make_shared<HeadStore>();
  result->difference = std::make_shared<const Difference>(Difference{std::move(now), std::move(baseline)});
  return result;
}

Visibility visibility(const Result& result, Stage stage) {
  if (!result.difference) return visibility(result.config, stage);
  const Visibility now = visibility(result.difference->now->config, stage);
  const bool is_same = stage != Stage::mask && now == visibility(result.difference->baseline->config, stage);
  return is_same ? now : Visibility{};
}

bool shows_dropped(const Result& result, Stage stage) {
  return !result.difference && is_query_by_key(info(stage).axes) &&
         depends_on(result.config, stage, Stage::dropout_factors) && dropout_is_active(result.config) &&
         has(result, Stage::dropout_factors);
}

namespace {

constexpr Index matrices_of_a_sample = 16;
constexpr Index rows_of_a_sample = 4;  // rows that are read of each matrix

// Returns a configuration that has the attention's shape, and queries, keys and values without a number.
AttentionConfig config_of(const ImportedAttention& attention) {
  AttentionConfig config;
  config.mechanism = Mechanism::scaled_dot_product_attention;
  config.batch_size = attention.batch_size;
  config.num_heads = attention.heads;
  config.heads.queries = Tensor({attention.batch_size, attention.heads, attention.queries, 0});
  config.heads.keys = Tensor({attention.batch_size, attention.heads, attention.keys, 0});
  config.heads.values = config.heads.keys;
  config.mask = attention.is_causal ? MaskRoute::causal : MaskRoute::none;
  return config;
}

void sample(std::vector<WeightRow>& rows, const ImportedAttention& attention, Index matrix) {
  for (const Index place : spread(rows_of_a_sample, attention.queries)) {
    rows.push_back({place, std::vector<float>(static_cast<std::size_t>(attention.keys))});
    attention.read(rows.back().weights, matrix, {place, 0, 1, attention.keys});
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
  result.config = config_of(*attention);
  result.heads = std::make_shared<HeadStore>();
  result.imported = std::move(attention);
  return result;
}

bool hides_later_keys(const ImportedAttention& attention) {
  constexpr Index most_cells = 1 << 20;
  constexpr Index least_rows = 16;                          // rows that are read of a large matrix
  const Index before = attention.keys - attention.queries;  // keys before the first query's own
  if (attention.stage != Stage::weights || attention.queries < 2 || before < 0) return false;
  const Index matrices = attention.batch_size * attention.heads;
  const Index rows = most_cells / (matrices * attention.keys * attention.read_for_a_cell);
  std::vector<float> cells;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (const Index row : spread(std::max(least_rows, rows), attention.queries)) {
      const Index own = before + row;
      cells.resize(static_cast<std::size_t>(attention.keys - own));
      attention.read(cells, matrix, {row, own, 1, attention.keys - own});
      if (before > 0 && cells.front() == 0) return false;
      if (std::any_of(cells.begin() + 1, cells.end(), [](float cell) { return cell != 0; })) return false;
    }
  }
  return true;
}

SummaryPtr sample_imported(const ImportedAttention& attention) {
  const Index count = attention.batch_size * attention.heads;
  StageSummary summary;
  summary.is_exact = false;
  summary.overall = no_extremes;
  summary.row_sums.assign(static_cast<std::size_t>(count * attention.queries), std::numeric_limits<float>::quiet_NaN());
  const Index matrices = attention.read_for_a_cell > 1 ? matrices_of_a_sample / 4 : matrices_of_a_sample;
  std::vector<WeightRow> rows;
  for (const Index matrix : spread(matrices, count)) sample(rows, attention, matrix);
  for (const WeightRow& row : rows) {
    const RowNumbers numbers = kernels().row_numbers(row.weights.data(), attention.keys);
    widen(summary.overall, {numbers.low, numbers.high});
  }
  if (info(attention.stage).range == StageRange::probability)
    summary.spread = weight_spread(rows, visibility(config_of(attention)));
  if (summary.overall.low > summary.overall.high) summary.overall = {};
  summary.matrices.assign(static_cast<std::size_t>(count), summary.overall);
  return std::make_shared<const StageSummary>(std::move(summary));
}

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
  const Index affordable = numbers_read / (key_count(config) * std::max<Index>(1, head_features(config)));
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

}  // namespace attnscope

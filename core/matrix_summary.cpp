// Extremes and row sums of matrices whose cells are computed or read from a file when somebody asks.

#include "core/cell_reader.h"
#include "core/difference.h"
#include "core/dropout_bits.h"
#include "core/dropout_mask.h"
#include "core/external_attention.h"
#include "core/kernels/select.h"
#include "core/matrix.h"
#include "core/summary.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace attnscope {
namespace {

constexpr Index sampled_rows = 16;  // of an estimate
constexpr Index sampled_cols = 1024;
constexpr Index cells_at_once = 1 << 18;  // of a file, between looks at whether to go on
constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

// A matrix of a result.
struct MatrixPlace {
  const Result& result;
  Stage stage;
  Index matrix;

  Index rows() const { return query_count(result.config); }
  Index cols() const { return key_count(result.config); }
  std::size_t row_index(Index row) const { return static_cast<std::size_t>(matrix * rows() + row); }
  Visibility seen() const { return visibility(result, stage); }
  bool hides_any() const { return seen().hides_any(rows()); }
};

// The sum of a row of scores is the query times the sum of the keys: all of them, or those that it sees. Each is made
// when it is asked for.
class ScoreSums {
public:
  explicit ScoreSums(Execution execution) : execution_(std::move(execution)) {}

  const std::vector<double>& of(const MatrixPlace& source) {
    std::vector<double>& sums = sums_.at(source.hides_any() ? 1 : 0);
    if (sums.empty()) add(sums, source);
    return sums;
  }

private:
  void add(std::vector<double>& sums, const MatrixPlace& source) const {
    const AttentionConfig& config = source.result.config;
    const auto queries = eigen(*source.result.find(queries_stage(config)), source.matrix);
    const auto keys = eigen(*source.result.find(keys_stage(config)), key_value_matrix(config, source.matrix));
    const Visibility visible = source.seen();
    Eigen::RowVectorXd key_sum = Eigen::RowVectorXd::Zero(keys.cols());
    const auto add_keys = [&](const KeyRange& range, double sign) {
      for (Index key = range.first; key < range.last; ++key) key_sum += sign * keys.row(key).cast<double>();
    };
    for (Index row = 0; row < queries.rows(); ++row) {
      check_stop(execution_);
      for_each_seen_only_by(row, row - 1, visible, [&](const KeyRange& range) { add_keys(range, 1); });
      for_each_seen_only_by(row - 1, row, visible, [&](const KeyRange& range) { add_keys(range, -1); });
      sums.push_back(queries.row(row).cast<double>().dot(key_sum));
    }
  }

  // Neighbours see almost the same. Query -1, before the first, sees no key.
  template <typename Work>
  static void for_each_seen_only_by(Index query, Index other, const Visibility& visible, const Work& work) {
    if (query < 0) return;
    for_each_seen(visible, query, 0, visible.keys, [&](const KeyRange& seen) {
      other < 0 ? work(seen) : for_each_hidden(visible, other, seen.first, seen.last, work);
    });
  }

  Execution execution_;
  std::array<std::vector<double>, 2> sums_;  // of all keys; of those that are seen
};

// Returns the factor of scores up to a stage; nothing where one of them does something else.
std::optional<double> factor_of_steps(const AttentionConfig& config, Stage stage) {
  double factor = 1;
  for (const Stage passed : score_route(config)) {
    const ScoreStep* const step = info(passed).step ? info(passed).step(config) : nullptr;
    if (info(passed).rule == CellRule::add_bias || (step && !step->factor)) return std::nullopt;
    if (step) factor *= static_cast<double>(step->factor(config));
    if (passed == stage) break;
  }
  return factor;
}

void sum_score_rows(std::vector<float>& sums, const MatrixPlace& source, ScoreSums& of_scores) {
  const AttentionConfig& config = source.result.config;
  const std::optional<double> factor = factor_of_steps(config, source.stage);
  if (!factor) return;
  const std::vector<double>& unscaled = of_scores.of(source);
  std::ranges::transform(unscaled, sums.begin(), [&](double sum) { return static_cast<float>(sum * *factor); });
}

// A row of weights sums to 1, or to 0 if every key is hidden, so no weight has to be computed here.
void sum_weight_rows(std::vector<float>& sums, const MatrixPlace& source) {
  const RowStatistics& rows = *source.result.rows;
  for (Index row = 0; row < source.rows(); ++row) {
    const std::size_t at = source.row_index(row);
    float sum = rows.max[at] == -std::numeric_limits<float>::infinity() ? 0.0F : 1.0F;
    float divisor = rows.sum[at];
    if (source.stage == Stage::masked_weights) sum = rows.masked_sum[at];
    if (source.stage == Stage::renormalized_weights) divisor = rows.masked_sum[at];
    sums[static_cast<std::size_t>(row)] = std::isfinite(divisor) && divisor != 0 ? sum : 0.0F;
  }
}

// Row sums that need no look at the cells; NaN where there are none. Those of scores take a while: null leaves them
// out.
std::vector<float> known_row_sums(const MatrixPlace& source, ScoreSums* of_scores) {
  const bool drops = source.result.dropout != nullptr;
  std::vector<float> sums(static_cast<std::size_t>(source.rows()), unknown);
  if (source.result.difference) return sums;
  switch (info(source.stage).rule) {
    case CellRule::query_times_key:
    case CellRule::hide:
    case CellRule::step:
    case CellRule::add_bias:
      if (of_scores) sum_score_rows(sums, source, *of_scores);
      break;
    case CellRule::normalize:
    case CellRule::keep_seen:
    case CellRule::share_of_row:
      sum_weight_rows(sums, source);
      break;
    case CellRule::hide_or_not:
      for (Index row = 0; row < source.rows(); ++row) {
        sums[static_cast<std::size_t>(row)] = static_cast<float>(source.cols() - source.seen().count(row));
      }
      break;
    case CellRule::keep_or_drop:
      if (!drops) std::ranges::fill(sums, static_cast<float>(source.cols()));
      break;
    case CellRule::product:
      if (!drops) {
        return known_row_sums({source.result, normalized_weights_stage(source.result.config), source.matrix},
                              of_scores);
      }
      break;
    default:
      break;
  }
  return sums;
}

// Smallest and largest of each row of scores before any mask, low and high by turns; NaN is passed over.
struct RowExtremes {
  std::vector<float> visible;  // of keys that the query sees
  std::vector<float> hidden;   // of the others; low above high where none was read
};

std::vector<float> empty_pairs(Index rows) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> pairs(static_cast<std::size_t>(2 * rows));
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = i % 2 == 0 ? infinity : -infinity;
  return pairs;
}

// `pair` widened by some cells, several at a time.
void widen_pair(float* pair, const float* cells, Index count) {
  using Lanes = Eigen::Array<float, 16, 1>;
  Lanes low = Lanes::Constant(pair[0]);
  Lanes high = Lanes::Constant(pair[1]);
  Index i = 0;
  for (; i + Lanes::SizeAtCompileTime <= count; i += Lanes::SizeAtCompileTime) {
    const Eigen::Map<const Lanes> next(cells + i);
    low = low.min(next);  // as std::min does: NaN changes nothing
    high = high.max(next);
  }
  for (; i < count; ++i) {
    low[0] = std::min(low[0], cells[i]);
    high[0] = std::max(high[0], cells[i]);
  }
  pair[0] = low.minCoeff();
  pair[1] = high.maxCoeff();
}

void widen_rows(RowExtremes& extremes, const CellBlock& block, const Visibility& seen) {
  const Index end = block.rect.col + block.rect.cols;
  for (Index row = block.rect.row; row < block.rect.row + block.rect.rows; ++row) {
    const auto widen_into = [&](std::vector<float>& pairs) {
      float* const pair = &pairs[static_cast<std::size_t>(2 * row)];
      return [&block, pair, row](const KeyRange& keys) { widen_pair(pair, block.at(row, keys.first), keys.count()); };
    };
    for_each_seen(seen, row, block.rect.col, end, widen_into(extremes.visible));
    for_each_hidden(seen, row, block.rect.col, end, widen_into(extremes.hidden));
  }
}

// Returns the extremes of the scores of one matrix; `of_all`: of every hidden key, else of some.
RowExtremes row_extremes(const Result& result, Index matrix, bool of_all, const Execution& execution) {
  const Index queries = query_count(result.config);
  const Visibility seen = visibility(result.config);
  const CellReader reader(result, matrix, {Stage::scores}, execution);
  RowExtremes extremes{empty_pairs(queries), empty_pairs(queries)};
  for_each_strip(queries, execution, [&](Index first, Index count) {
    const KeyRange keys = of_all ? KeyRange{0, key_count(result.config)} : seen.of_any(first, count);
    reader.read({first, keys.first, count, keys.count()}, {Stage::scores},
                [&](Stage, const CellBlock& block) { widen_rows(extremes, block, seen); });
  });
  return extremes;
}

StageSummary::Extremes extremes_of(std::span<const float> cells) {
  const RowNumbers numbers = kernels().row_numbers(cells.data(), std::ssize(cells));
  return {numbers.low, numbers.high};
}

// Every step from scores to weights keeps the order of a row's numbers, or turns it round: what it makes of the
// extremes are its extremes. Nothing where an infinity, NaN or a bias upsets that.
std::optional<StageSummary::Extremes> follow(const RowExtremes& of_scores, const MatrixPlace& source) {
  if (depends_on(source.result.config, source.stage, Stage::biased_scores)) return std::nullopt;
  std::vector<float> ends = of_scores.visible;
  if (!source.hides_any()) {
    for (std::size_t row = 0; row < ends.size(); row += 2) {
      ends[row] = std::min(ends[row], of_scores.hidden[row]);
      ends[row + 1] = std::max(ends[row + 1], of_scores.hidden[row + 1]);
    }
  }
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(ends, is_finite)) return std::nullopt;
  advance_scores(ends, source.result, source.stage, source.matrix);
  if (!std::ranges::all_of(ends, is_finite)) return std::nullopt;
  return extremes_of(ends);
}

bool follows_from_scores(Stage stage) {
  return info(stage).axes == StageAxes::head_query_key && stage != Stage::dropout_factors &&
         stage != Stage::dropped_weights;
}

// Summarizes the dropout factors from their bits.
void summarize_factors(MatrixSummary& summary, const MatrixPlace& source, const Execution& execution) {
  const DropoutMask& mask = *source.result.dropout;
  const Index T = source.cols();
  for_each_strip(source.rows(), execution, [&](Index first, Index count) {
    DropoutRows rows(mask);
    std::vector<std::uint64_t> bits(words_of_bits(T));
    for (Index row = first; row < first + count; ++row) {
      rows.read(bits, source.matrix, row, 0, T);
      Index kept = 0;
      for (const std::uint64_t word : bits) kept += std::popcount(word);
      summary.row_sums[static_cast<std::size_t>(row)] =
          static_cast<float>(static_cast<double>(kept) * static_cast<double>(mask.factor()));
    }
  });
  for (const float sum : summary.row_sums) {
    if (sum > 0) widen(summary.extremes, {mask.factor(), mask.factor()});
    if (sum < static_cast<float>(T) * mask.factor() || mask.factor() == 0) widen(summary.extremes, {0, 0});
  }
}

void collect_held(MatrixCollector& cells, const CellBlock& held, const Execution& execution) {
  for_each_strip(held.rows, execution, [&](Index first, Index count) {
    cells.add({held.at(first, 0), {first, 0, count, held.cols}, held.stride, held.rows, held.cols});
  });
}

// Reads `share` of the rows, evenly spread.
void collect_external(MatrixCollector& cells, const ExternalAttention& attention, Index matrix, double share,
                      const Execution& execution) {
  const Index T = attention.tokens;
  const std::vector<Index> picked = spread(rows_read(T, share), T);
  const bool is_whole = std::ssize(picked) == T;
  const Index rows_at_once = is_whole ? std::clamp<Index>(cells_at_once / T, 1, T) : 1;
  for_each_block(execution, blocks_of(std::ssize(picked), rows_at_once), [&](Index strip) {
    const Index first = picked[static_cast<std::size_t>(strip * rows_at_once)];
    const CellRect rect = {first, 0, std::min(rows_at_once, T - first), T};
    std::vector<float> numbers(static_cast<std::size_t>(rect.rows * T));
    attention.read(numbers, matrix, rect, {});
    cells.add({numbers.data(), rect, T, T, T});
  });
}

// Reads stages whose cells are computed, which takes their scores once. Of each strip of rows it reads the keys from
// the first to the last that is seen.
void collect_computed(StageMap<std::optional<MatrixCollector>>& cells, const Result& result, const StageSet& stages,
                      Index matrix, const Visibility& seen, const Execution& execution) {
  const CellReader reader(result, matrix, stages, execution);
  for_each_strip(query_count(result.config), execution, [&](Index first, Index count) {
    const KeyRange keys = seen.of_any(first, count);
    reader.read({first, keys.first, count, keys.count()}, stages,
                [&](Stage stage, const CellBlock& block) { cells[stage]->add(block); });
  });
}

// Reads the extremes of a stage that is computed, and the row sums that are not known.
void summarize_cells(MatrixSummary& summary, const MatrixPlace& source, const Execution& execution) {
  StageMap<std::optional<MatrixCollector>> cells;
  cells[source.stage].emplace(source.rows());
  collect_computed(cells, source.result, {source.stage}, source.matrix, source.seen(), execution);
  const MatrixSummary read = cells[source.stage]->summary(0);
  summary.extremes = read.extremes;
  for (std::size_t row = 0; row < summary.row_sums.size(); ++row)
    if (std::isnan(summary.row_sums[row])) summary.row_sums[row] = read.row_sums[row];
}

// Summarizes what hides or drops other cells now than before: all cells are read, and no sum follows from others.
std::vector<MatrixSummary> summarize_difference(const Result& difference, std::span<const Stage> stages, Index matrix,
                                                const Execution& execution) {
  StageMap<std::optional<MatrixCollector>> cells;
  StageSet computed;
  for (const Stage stage : stages) {
    const std::vector<Index> shape = stage_shape(difference.config, stage);
    cells[stage].emplace(shape[shape.size() - 2]);
    if (const std::optional<CellBlock> held = held_block(difference, stage, matrix)) {
      collect_held(*cells[stage], *held, execution);
    } else {
      computed.add(stage);
    }
  }
  const Visibility all{.keys = key_count(difference.config)};
  if (!computed.is_empty()) collect_computed(cells, difference, computed, matrix, all, execution);
  std::vector<MatrixSummary> summaries;
  for (const Stage stage : stages) summaries.push_back(cells[stage]->summary());
  return summaries;
}

// Adds the value of hidden cells to the extremes where it is a number.
void widen_by_hidden(StageSummary::Extremes& extremes, const MatrixPlace& source) {
  if (!source.hides_any()) return;
  if (source.stage == Stage::mask) widen(extremes, {1, 1});
  if (info(source.stage).range == StageRange::probability) widen(extremes, {0, 0});
}

}  // namespace

void MatrixCollector::add(const CellBlock& block) {
  for (Index row = block.rect.row; row < block.rect.row + block.rect.rows; ++row) {
    Row& place = rows_[static_cast<std::size_t>(row)];
    const RowNumbers numbers = kernels().row_numbers(block.at(row, block.rect.col), block.rect.cols);
    widen(place.extremes, {numbers.low, numbers.high});
    place.sum = place.sum.value_or(0) + numbers.sum;
  }
}

MatrixSummary MatrixCollector::summary(float sum_of_unread) const {
  MatrixSummary summary{no_extremes, {}};
  for (const Row& row : rows_) {
    widen(summary.extremes, row.extremes);
    summary.row_sums.push_back(row.sum ? static_cast<float>(*row.sum) : sum_of_unread);
  }
  return summary;
}

std::vector<MatrixSummary> summarize_matrix(const Result& result, std::span<const Stage> stages, Index matrix,
                                            const Execution& execution, double share) {
  if (result.difference) return summarize_difference(result, stages, matrix, execution);
  std::vector<MatrixSummary> summaries;
  std::optional<RowExtremes> scores;
  ScoreSums of_scores(execution);
  const bool of_all = std::ranges::any_of(stages, [&](Stage stage) {
    return follows_from_scores(stage) && !MatrixPlace{result, stage, matrix}.hides_any();
  });
  for (const Stage wanted : stages) {
    if (result.external) {
      MatrixCollector cells(result.external->tokens);
      collect_external(cells, *result.external, matrix, share, execution);
      summaries.push_back(cells.summary());
      continue;
    }
    if (const std::optional<CellBlock> held = held_block(result, wanted, matrix)) {
      MatrixCollector cells(held->rows);
      collect_held(cells, *held, execution);
      summaries.push_back(cells.summary());
      continue;
    }
    const bool is_undropped = wanted == Stage::dropped_weights && !result.dropout;
    const Stage stage = is_undropped ? normalized_weights_stage(result.config) : wanted;
    const MatrixPlace source{result, stage, matrix};
    MatrixSummary& summary = summaries.emplace_back(MatrixSummary{no_extremes, known_row_sums(source, &of_scores)});
    if (follows_from_scores(stage) && !scores) scores = row_extremes(result, matrix, of_all, execution);
    const auto followed = follows_from_scores(stage) ? follow(*scores, source) : std::nullopt;
    if (followed) {
      summary.extremes = *followed;
    } else if (stage == Stage::dropout_factors && result.dropout) {
      summarize_factors(summary, source, execution);
    } else {
      summarize_cells(summary, source, execution);
    }
    widen_by_hidden(summary.extremes, source);
  }
  return summaries;
}

std::vector<MatrixSummary> estimate_matrix(const Result& result, std::span<const Stage> stages, Index matrix,
                                           const EstimateDepth& depth) {
  std::vector<MatrixSummary> summaries;
  StageSet wanted;
  ScoreSums of_scores({Backend::serial, 1, {}});
  for (const Stage stage : stages) {
    wanted.add(stage);
    summaries.push_back(
        {no_extremes, known_row_sums({result, stage, matrix}, depth.sums_scores ? &of_scores : nullptr)});
  }
  if (!depth.reads_cells) return summaries;
  const Index queries = query_count(result.config);
  const Index keys = key_count(result.config);
  const CellStep step = {std::max<Index>(1, queries / sampled_rows), std::max<Index>(1, keys / sampled_cols)};
  const Index rows = std::min(sampled_rows, queries);
  const CellRect rect = {queries - 1 - (rows - 1) * step.rows, 0, rows, (keys - 1) / step.cols + 1};
  const CellReader reader(result, matrix, wanted, rect, step, {Backend::serial, 1, {}});
  reader.read(rect, wanted, [&](Stage stage, const CellBlock& block) {
    MatrixSummary& summary = summaries[static_cast<std::size_t>(std::ranges::find(stages, stage) - stages.begin())];
    for (Index row = rect.row; row < rect.row + rect.rows; ++row) {
      widen(summary.extremes, extremes_of({block.at(row, block.rect.col), static_cast<std::size_t>(block.rect.cols)}));
    }
    widen_by_hidden(summary.extremes, {result, stage, matrix});
  });
  return summaries;
}

}  // namespace attnscope

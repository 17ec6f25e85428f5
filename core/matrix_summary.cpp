// Extremes and row sums of matrices whose cells are computed when they are read.

#include "core/cell_reader.h"
#include "core/difference.h"
#include "core/dropout_bits.h"
#include "core/dropout_mask.h"
#include "core/external_attention.h"
#include "core/kernels/select.h"
#include "core/row_extremes.h"
#include "core/score_sums.h"
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
constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

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

// Weights sum to what they were divided to.
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

// Cell by cell: of each strip those from the first to the last that is seen.
void summarize_cells(MatrixSummary& summary, const MatrixPlace& source, const Execution& execution) {
  const CellReader reader(source.result, source.matrix, {source.stage}, execution);
  std::vector<StageSummary::Extremes> extremes(static_cast<std::size_t>(source.rows()), no_extremes);
  for_each_strip(source.rows(), execution, [&](Index first, Index count) {
    const KeyRange keys = source.seen().of_any(first, count);
    std::vector<double> sums(static_cast<std::size_t>(count));
    reader.read({first, keys.first, count, keys.count()}, {source.stage}, [&](Stage, const CellBlock& block) {
      for (Index row = 0; row < count; ++row) {
        const RowNumbers numbers = kernels().row_numbers(block.at(first + row, block.rect.col), block.rect.cols);
        widen(extremes[static_cast<std::size_t>(first + row)], {numbers.low, numbers.high});
        sums[static_cast<std::size_t>(row)] += numbers.sum;
      }
    });
    for (Index row = 0; row < count; ++row) {
      float& known = summary.row_sums[static_cast<std::size_t>(first + row)];
      if (std::isnan(known)) known = static_cast<float>(sums[static_cast<std::size_t>(row)]);
    }
  });
  for (const StageSummary::Extremes& row : extremes) widen(summary.extremes, row);
}

// Row by row, of cells in memory.
MatrixSummary summarize_held(const CellBlock& block, const Execution& execution) {
  MatrixSummary summary{no_extremes, std::vector<float>(static_cast<std::size_t>(block.rows))};
  std::vector<StageSummary::Extremes> extremes(static_cast<std::size_t>(block.rows));
  for_each_strip(block.rows, execution, [&](Index first, Index count) {
    for (Index row = first; row < first + count; ++row) {
      const RowNumbers numbers = kernels().row_numbers(block.at(row, 0), block.cols);
      extremes[static_cast<std::size_t>(row)] = {numbers.low, numbers.high};
      summary.row_sums[static_cast<std::size_t>(row)] = static_cast<float>(numbers.sum);
    }
  });
  for (const StageSummary::Extremes& row : extremes) widen(summary.extremes, row);
  return summary;
}

// Adds the value of hidden cells to the extremes where it is a number.
void widen_by_hidden(StageSummary::Extremes& extremes, const MatrixPlace& source) {
  if (!source.hides_any()) return;
  if (source.stage == Stage::mask) widen(extremes, {1, 1});
  if (info(source.stage).range == StageRange::probability) widen(extremes, {0, 0});
}

}  // namespace

std::vector<MatrixSummary> summarize_matrix(const Result& result, std::span<const Stage> stages, Index matrix,
                                            const Execution& execution) {
  if (result.external) return {summarize_external(*result.external, matrix, 1, execution)};
  if (result.difference) return summarize_difference(result, stages, matrix, execution);
  std::vector<MatrixSummary> summaries;
  std::optional<RowExtremes> scores;
  ScoreSums of_scores(execution);
  const bool of_all = std::ranges::any_of(stages, [&](Stage stage) {
    return follows_from_scores(stage) && !MatrixPlace{result, stage, matrix}.hides_any();
  });
  for (const Stage wanted : stages) {
    if (const std::optional<CellBlock> held = held_block(result, wanted, matrix)) {
      summaries.push_back(summarize_held(*held, execution));
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

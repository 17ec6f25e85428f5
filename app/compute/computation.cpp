#include "compute/computation.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "core/difference.h"
#include "core/evaluate.h"
#include "platform/system/process.h"

namespace attnscope {

namespace {

constexpr std::uint64_t always_free = 32ULL << 20;  // bytes: to ask the system takes longer than to use so few

// Returns the document with typed embeddings: its own numbers, or all of them changed.
AttentionConfig with_typed_inputs(const Result& result, bool are_changed) {
  AttentionConfig config = result.config;
  if (begins_with_heads(config)) return config;
  const Tensor& drawn = *result.find(Stage::inputs);
  Tensor typed({drawn.rows(), drawn.cols()});
  for (std::size_t i = 0; i < typed.values.size(); ++i) {
    const float value = drawn.values[i];  // from the first batch entry; the others are copies
    typed.values[i] = are_changed ? (value == 0 ? 1.0F : -value) : value;
  }
  config.inputs = std::move(typed);
  return config;
}

constexpr std::size_t wanted_cells = 20;

bool is_larger(const LargeCell& left, const LargeCell& right) {
  const float left_size = std::abs(left.value);
  const float right_size = std::abs(right.value);
  if (left_size != right_size) return left_size > right_size;
  return std::pair(left.row, left.col) < std::pair(right.row, right.col);
}

// Inserts a cell if it is among the `count` largest, which are sorted. Cells come in reading order, so of equal ones
// the first stays.
void offer_row(std::vector<LargeCell>& best, std::size_t count, const float* cells, Index row, Index cols) {
  const auto least_size = [&] { return best.size() < count ? 0 : std::abs(best.back().value); };
  float least = least_size();
  for (Index col = 0; col < cols; ++col) {
    const float size = std::abs(cells[col]);
    if (!(size > least) || !std::isfinite(size)) continue;
    if (best.size() == count) best.pop_back();
    const LargeCell cell{row, col, cells[col]};
    best.insert(std::ranges::upper_bound(best, cell, is_larger), cell);
    least = least_size();
  }
}

// Returns the largest change over all heads and batch entries; of equal ones the first.
std::optional<LargestChange> largest_change(const Result& difference, Stage stage, const std::stop_token& stop) {
  if (!has(difference, stage)) return std::nullopt;
  const std::vector<Index> shape = stage_shape(difference.config, stage);
  const Index matrices = element_count(std::span(shape).first(shape.size() - 2));
  LargestChange largest{.stage = stage};
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    const std::vector<LargeCell> cells = largest_cells(difference, stage, matrix, 1, stop);
    if (cells.empty() || std::abs(cells.front().value) <= std::abs(largest.cell.value)) continue;
    largest.matrix = matrix;
    largest.cell = cells.front();
  }
  if (largest.cell.value == 0) return std::nullopt;
  const CellRect rect = {largest.cell.row, largest.cell.col, 1, 1};
  read_cells({&largest.before, 1}, *difference.difference->baseline, stage, largest.matrix, rect);
  read_cells({&largest.now, 1}, *difference.difference->now, stage, largest.matrix, rect);
  return largest;
}

std::vector<LargestChange> largest_changes(const Result& difference, const std::stop_token& stop) {
  std::vector<LargestChange> changes;
  const Stage last = final_weights_stage(difference.config);
  const bool drops_before = acts_in(difference.difference->baseline->config, last);
  const Stage weights = drops_before ? last : acting_weights_stage(difference.config);
  for (const Stage stage : {weights, computed_stages(difference.config).back()}) {
    if (const std::optional<LargestChange> change = largest_change(difference, stage, stop)) changes.push_back(*change);
  }
  return changes;
}

}  // namespace

void check_free_memory(const AttentionConfig& config) {
  if (required_bytes(config) > always_free) check_memory(config, available_memory());
}

Computed compute(const AttentionConfig& config, const Execution& execution, const Computed& before, Engine* engine,
                 const HeadFirst* head_first) {
  check_free_memory(config);
  Computed computed;
  computed.result =
      std::make_shared<const Result>(evaluate(config, execution, before.result.get(), engine, head_first));
  computed.summaries = std::make_shared<const Summaries>(computed.result, before.summaries.get());
  return computed;
}

Repetition::Repetition(const AttentionConfig& config, const Execution& execution) : execution_(execution) {
  const Computed drawn = compute(config, execution);
  versions_ = {with_typed_inputs(*drawn.result, false), with_typed_inputs(*drawn.result, true)};
  run();
}

void Repetition::run() {
  latest_ = compute(versions_.at(next_), execution_, latest_, &engine_);
  next_ = 1 - next_;
}

std::vector<LargeCell> largest_cells(const Result& result, Stage stage, Index matrix, std::size_t count,
                                     const std::stop_token& stop) {
  const CellBlock cells = whole_matrix(result, stage, matrix, {Backend::serial, 1, stop});
  std::vector<LargeCell> best;
  for (Index row = 0; row < cells.rows; ++row) {
    if (stop.stop_requested()) throw Cancelled{};
    offer_row(best, count, cells.at(row, 0), row, cells.cols);
  }
  return best;
}

std::shared_ptr<const LargestFound> find_largest(const LargestJob& job, const std::stop_token& stop) {
  const auto& [result, query] = job;
  return std::make_shared<const LargestFound>(
      LargestFound{query, largest_cells(*result, query.stage, query.matrix, wanted_cells, stop)});
}

std::shared_ptr<const Comparison> compare(const ComparisonJob& job, const std::stop_token& stop) {
  const Execution execution{job.backend, job.threads, stop};
  auto comparison = std::make_shared<Comparison>();
  comparison->now = job.now;
  const Computed none;
  const Computed& last = job.last ? job.last->before : none;
  try {
    const bool is_known = last.result && last.result->config == job.before;
    comparison->before = is_known ? last : compute(job.before, execution, last, job.engine.get());
    comparison->difference.result = difference_of(job.now, comparison->before.result, execution);
    comparison->difference.summaries = std::make_shared<const Summaries>(comparison->difference.result);
    for (const StageInfo& stage : stages()) {
      check_stop(execution);
      comparison->difference.summaries->of(stage.stage);  // made here, not by the window
    }
    comparison->changes = largest_changes(*comparison->difference.result, stop);
  } catch (const Error& problem) {
    comparison->error = problem.what();
  } catch (const std::bad_alloc&) {
    comparison->error = "There is not enough memory to compare: use fewer tokens, heads or batch entries.";
  }
  return comparison;
}

}  // namespace attnscope

#include "compute/comparison.h"

#include <cmath>
#include <new>

#include "core/cells.h"
#include "core/difference.h"

namespace attnscope {
namespace {

// By all heads and batch entries; of equal ones the first.
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

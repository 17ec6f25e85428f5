#include "core/heads.h"

#include "core/attention.h"
#include "core/difference.h"
#include "core/external_attention.h"
#include "core/matrix.h"
#include "core/run.h"
#include "core/stages/rule.h"
#include "core/tensor_pool.h"
#include "core/visibility.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <list>
#include <utility>

namespace attnscope {

namespace {

TensorPtr rows_of(const Tensor& tensor, Index matrix, Index first, Index count) {
  auto rows = std::make_shared<Tensor>(std::vector<Index>{1, 1, count, tensor.cols()});
  eigen(*rows) = eigen(tensor, matrix).middleRows(first, count);
  return rows;
}

// These stages and all that they are made of, as far as these are matrices of queries by keys.
StageSet with_predecessors(const AttentionConfig& config, const StageSet& stages) {
  StageSet all = stages;
  const std::vector<Stage> computed = computed_stages(config);
  for (auto stage = computed.rbegin(); stage != computed.rend(); ++stage) {
    if (!all.contains(*stage)) continue;
    for (const Stage from : predecessors(config, *stage)) {
      if (is_query_by_key(info(from).axes)) all.add(from);
    }
  }
  return all;
}

HeadMatrices read_external(const Result& result, Index matrix, const StageSet& stages, Index first, Index count,
                           const Execution& execution) {
  const ExternalAttention& attention = *result.external;
  HeadMatrices matrices;
  if (!stages.contains(attention.stage)) return matrices;
  const Index T = attention.tokens;
  auto rows = std::make_shared<Tensor>(std::vector<Index>{count, T});
  for_each_block(execution, blocks_of(count, head_block_rows), [&](Index block) {
    const Index row = block * head_block_rows;
    const Index at_once = std::min(head_block_rows, count - row);
    const auto cells = std::span(rows->values).subspan(static_cast<std::size_t>(row * T));
    attention.read(cells.first(static_cast<std::size_t>(at_once * T)), matrix, {first + row, 0, at_once, T});
  });
  matrices[attention.stage] = std::move(rows);
  return matrices;
}

// Rows of a side of a difference, which may hold the stage.
TensorPtr rows_of_side(const Result& side, Stage stage, Index matrix, Index first, Index count,
                       const Execution& execution) {
  if (const Tensor* const held = side.find(stage)) return rows_of(*held, matrix, first, count);
  return compute_head(side, matrix, {stage}, first, count, execution)[stage];
}

HeadMatrices subtract(const Result& result, Index matrix, const StageSet& stages, Index first, Index count,
                      const Execution& execution) {
  HeadMatrices matrices;
  for (const StageInfo& stage : attnscope::stages()) {
    if (!stages.contains(stage.stage) || !is_query_by_key(stage.axes)) continue;
    const auto side = [&](const Result& of) { return rows_of_side(of, stage.stage, matrix, first, count, execution); };
    const TensorPtr now = side(*result.difference->now);
    const TensorPtr before = side(*result.difference->before);
    auto rows = std::make_shared<Tensor>(std::vector<Index>{count, now->cols()});
    std::ranges::transform(now->values, before->values, rows->values.begin(),
                           [](float left, float right) { return difference_of(left, right); });
    matrices[stage.stage] = std::move(rows);
  }
  return matrices;
}

// Makes a stage of some queries of a head. Scores read these queries, but every key.
void make(Tensor& rows, const Result& result, const Run& run, Stage stage) {
  const StageList from = predecessors(run.config, stage);
  if (stage != Stage::scores) return rule_of(run.config, stage).make(rows, run, stage, from);
  const MatrixView<const float> queries = result.find(from[0])->matrix(run.part.matrix);
  const MatrixView<const float> keys = result.find(from[1])->matrix(key_value_matrix(run.config, run.part.matrix));
  attention_scores(rows, {&queries(run.part.query, 0), rows.rows(), queries.cols()}, keys, run.execution);
}

CellBlock block_of(TensorPtr tensor, Index first, Index rows) {
  const Index cols = tensor->cols();
  const float* const cells = tensor->values.data();
  return {cells, {first, 0, tensor->rows(), cols}, cols, rows, cols, std::move(tensor)};
}

// The memory that a matrix takes.
std::uint64_t bytes_of(const Tensor& tensor) { return tensor.values.size() * sizeof(float); }

}  // namespace

// What is kept of all results: one limit for all of them, however many a comparison or a film has.
class HeadMemory {
public:
  // Rows of a matrix of a result.
  struct Part {
    const HeadStore* store = nullptr;  // of the result
    Stage stage = Stage::weights;
    Index matrix = 0;
    Index first = 0;
    Index rows = 0;
    auto operator<=>(const Part&) const = default;
  };

  TensorPtr find(const Part& part) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(part);
    if (found == places_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found->second);
    return found->second->tensor;
  }

  void keep(const Part& part, TensorPtr tensor) {
    std::list<Kept> evicted;  // freed after the lock
    const std::lock_guard lock(mutex_);
    add(part, std::move(tensor));
    while (bytes_ > head_memory_bytes && kept_.size() > 1) take_out(std::prev(kept_.end()), evicted);
  }

  // A matrix with any contents, in the memory of one that nobody reads any more: to get so much from the system takes
  // as long as to compute it.
  std::shared_ptr<Tensor> make(std::vector<Index> shape, const Execution& execution) {
    const std::lock_guard lock(making_);
    return pool_.make(std::move(shape), execution);
  }

  void share(const HeadStore* from, const HeadStore* with, const StageSet& stages) {
    const std::lock_guard lock(mutex_);
    std::vector<Kept> shared;
    for_each_of(from, [&](Place place) {
      if (stages.contains(place->part.stage)) shared.push_back(*place);
    });
    for (Kept& kept : shared) {
      kept.part.store = with;
      add(kept.part, std::move(kept.tensor));
    }
  }

  void forget(const HeadStore* store) {
    std::list<Kept> forgotten;  // freed after the lock
    const std::lock_guard lock(mutex_);
    for_each_of(store, [&](Place place) { take_out(place, forgotten); });
  }

private:
  struct Kept {
    Part part;
    TensorPtr tensor;
  };
  using Place = std::list<Kept>::iterator;

  template <typename Work>
  void for_each_of(const HeadStore* store, const Work& work) {
    auto at = places_.lower_bound({store, Stage{}, 0, 0, 0});
    while (at != places_.end() && at->first.store == store) work((at++)->second);
  }

  void add(const Part& part, TensorPtr tensor) {
    if (places_.contains(part)) return;
    bytes_ += bytes_of(*tensor);
    kept_.push_front({part, std::move(tensor)});
    places_[part] = kept_.begin();
  }

  void take_out(Place place, std::list<Kept>& to) {
    bytes_ -= bytes_of(*place->tensor);
    places_.erase(place->part);
    to.splice(to.begin(), kept_, place);
  }

  std::mutex making_;
  TensorPool pool_;
  std::mutex mutex_;
  std::list<Kept> kept_;  // what was used last comes first
  std::map<Part, Place> places_;
  std::uint64_t bytes_ = 0;
};

namespace {

std::shared_ptr<HeadMemory> memory_of_all() {
  static const auto of_all = std::make_shared<HeadMemory>();
  return of_all;
}

// Takes a few rows of a head through all stages, so that they stay near the processor from one to the next.
HeadMatrices compute_rows(const Result& result, Index matrix, const StageSet& stages, Index first, Index count,
                          const std::stop_token& stop) {
  const AttentionConfig& config = result.config;
  const StageSet needed = with_predecessors(config, stages);
  const Execution alone{Backend::serial, 1, stop};
  Result head;
  head.dropout = result.dropout;
  const Run run{.config = config,
                .execution = alone,
                .previous = nullptr,
                .stale = {},
                .only_inputs_differ = false,
                .result = head,
                .part = {matrix, first}};
  HeadMatrices matrices;
  for (const Stage stage : computed_stages(config)) {
    if (!needed.contains(stage)) continue;
    if (acts_in(config, stage)) {
      const auto made = std::make_shared<Tensor>(std::vector<Index>{1, 1, count, key_count(config)});
      make(*made, result, run, stage);
      head.tensors[stage] = made;
    } else {
      head.tensors[stage] = head.tensors[predecessors(config, stage)[0]];
    }
    if (stages.contains(stage)) matrices[stage] = head.tensors[stage];
  }
  return matrices;
}

// A matrix for each of these stages; one for two of which one does nothing.
StageMap<std::shared_ptr<Tensor>> new_matrices(const Result& result, const StageSet& stages, Index rows,
                                               const Execution& execution) {
  StageMap<std::shared_ptr<Tensor>> matrices;
  for (const Stage stage : computed_stages(result.config)) {
    if (!stages.contains(stage)) continue;
    if (!acts_in(result.config, stage)) matrices[stage] = matrices[predecessors(result.config, stage)[0]];
    if (!matrices[stage]) matrices[stage] = memory_of_all()->make({1, 1, rows, key_count(result.config)}, execution);
  }
  return matrices;
}

}  // namespace

HeadMatrices compute_head(const Result& result, Index matrix, const StageSet& stages, Index first, Index count,
                          const Execution& execution) {
  if (result.external) return read_external(result, matrix, stages, first, count, execution);
  if (result.difference) return subtract(result, matrix, stages, first, count, execution);
  if (count <= head_block_rows) return compute_rows(result, matrix, stages, first, count, execution.stop);
  const StageMap<std::shared_ptr<Tensor>> whole = new_matrices(result, stages, count, execution);
  for_each_block(execution, blocks_of(count, head_block_rows), [&](Index block) {
    const Index row = block * head_block_rows;
    const Index rows = std::min(head_block_rows, count - row);
    const HeadMatrices part = compute_rows(result, matrix, stages, first + row, rows, execution.stop);
    for (const StageInfo& stage : attnscope::stages()) {
      if (!part[stage.stage]) continue;
      const Tensor& from = *part[stage.stage];
      std::ranges::copy(from.values, whole[stage.stage]->values.begin() + row * from.cols());
    }
  });
  HeadMatrices matrices;
  for (const StageInfo& stage : attnscope::stages()) matrices[stage.stage] = whole[stage.stage];
  return matrices;
}

bool are_computed_at_once(const Result& result, Index heads) {
  constexpr double most_work = 4e6;  // multiplications
  constexpr double per_cell = 16;    // steps from a score to a weight, in multiplications
  if (result.external) return false;
  const auto cells = static_cast<double>(query_count(result.config)) * static_cast<double>(key_count(result.config));
  const double work_of_a_cell = static_cast<double>(head_features(result.config)) + per_cell;
  return cells * static_cast<double>(heads) * work_of_a_cell <= most_work;
}

HeadStore::HeadStore() : memory_(memory_of_all()) {}

HeadStore::~HeadStore() { memory_->forget(this); }

TensorPtr HeadStore::find(Stage stage, Index matrix, Index rows) const {
  return memory_->find({this, stage, matrix, 0, rows});
}

// Computes whole matrices, and remembers their summaries.
HeadMatrices HeadStore::compute(const Result& result, const StageSet& stages, Index matrix,
                                const Execution& execution) {
  const Index rows = query_count(result.config);
  HeadMatrices made = compute_head(result, matrix, stages, 0, rows, execution);
  for (const StageInfo& stage : attnscope::stages()) {
    if (!made[stage.stage] || knows(stage.stage, matrix)) continue;
    MatrixSummary summary = summary_of(block_of(made[stage.stage], 0, rows), execution);
    const std::lock_guard lock(mutex_);
    summaries_.insert_or_assign({stage.stage, matrix}, std::move(summary));
  }
  return made;
}

void HeadStore::make(const Result& result, const StageSet& stages, Index matrix, const Execution& execution) {
  const std::lock_guard computing(computing_);
  StageSet missing;
  for (const StageInfo& stage : attnscope::stages()) {
    const bool is_wanted = stages.contains(stage.stage) && is_query_by_key(stage.axes);
    const bool is_there = find(stage.stage, matrix, query_count(result.config)) && knows(stage.stage, matrix);
    if (is_wanted && !is_there) missing.add(stage.stage);
  }
  if (missing.is_empty()) return;
  HeadMatrices made = compute(result, missing, matrix, execution);
  for (const StageInfo& stage : attnscope::stages()) {
    const Index rows = query_count(result.config);
    if (made[stage.stage]) memory_->keep({this, stage.stage, matrix, 0, rows}, std::move(made[stage.stage]));
  }
}

void HeadStore::summarize(const Result& result, const StageSet& stages, Index matrix, const Execution& execution) {
  const std::lock_guard computing(computing_);
  StageSet missing;
  for (const StageInfo& stage : attnscope::stages()) {
    const bool is_wanted = stages.contains(stage.stage) && is_query_by_key(stage.axes);
    if (is_wanted && !knows(stage.stage, matrix)) missing.add(stage.stage);
  }
  if (!missing.is_empty()) compute(result, missing, matrix, execution);
}

std::optional<MatrixSummary> HeadStore::summary(Stage stage, Index matrix) const {
  const std::lock_guard lock(mutex_);
  const auto found = summaries_.find({stage, matrix});
  if (found == summaries_.end()) return std::nullopt;
  return found->second;
}

bool HeadStore::knows(Stage stage, Index matrix) const {
  const std::lock_guard lock(mutex_);
  return summaries_.contains({stage, matrix});
}

std::size_t HeadStore::known_count(Stage stage) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(summaries_, [&](const auto& known) { return known.first.first == stage; }));
}

std::shared_ptr<const void> HeadStore::origin(Stage stage) const {
  const std::lock_guard lock(mutex_);
  if (!origins_[stage]) origins_[stage] = std::make_shared<const Stage>(stage);
  return origins_[stage];
}

void HeadStore::share(const HeadStore& earlier, const StageSet& stages) {
  memory_->share(&earlier, this, stages);
  for (const StageInfo& stage : attnscope::stages())
    if (stages.contains(stage.stage)) origins_[stage.stage] = earlier.origin(stage.stage);
  const std::scoped_lock lock(mutex_, earlier.mutex_);
  for (const auto& [place, summary] : earlier.summaries_) {
    if (stages.contains(place.first)) summaries_.insert_or_assign(place, summary);
  }
}

CellBlock HeadStore::whole(const Result& result, Stage stage, Index matrix, const Execution& execution) {
  const Index rows = query_count(result.config);
  while (true) {
    if (TensorPtr tensor = find(stage, matrix, rows)) return block_of(std::move(tensor), 0, rows);
    make(result, {stage}, matrix, execution);
  }
}

CellBlock HeadStore::around(const Result& result, Stage stage, Index matrix, Index row) {
  const Index rows = query_count(result.config);
  const Index first = row / head_block_rows * head_block_rows;
  const Index count = std::min(head_block_rows, rows - first);
  if (TensorPtr whole = find(stage, matrix, rows)) return block_of(std::move(whole), 0, rows);
  const HeadMemory::Part part{this, stage, matrix, first, count};
  TensorPtr block = memory_->find(part);
  if (!block) {
    block = compute_head(result, matrix, {stage}, first, count, {Backend::serial, 1, {}})[stage];
    memory_->keep(part, block);
  }
  return block_of(std::move(block), first, rows);
}

}  // namespace attnscope

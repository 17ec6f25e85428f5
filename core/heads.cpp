#include "core/heads.h"

#include "core/attention.h"
#include "core/blocks.h"
#include "core/kernels/select.h"
#include "core/results.h"
#include "core/run.h"
#include "core/stages/rule.h"
#include "core/visibility.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <list>
#include <utility>

namespace attnscope {

namespace {

constexpr Index cells_at_once = Index{1} << 16;  // so many cells of every stage stay in the second-level cache

// Returns these stages and those matrices of queries by keys that they are made of.
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

// Returns whether one of these stages multiplies queries with keys.
bool needs_scores(const Result& result, const StageSet& needed) {
  return !result.imported && !result.difference && needed.contains(Stage::scores);
}

// The keys of a head, packed once for all of its queries.
PackedWeights packed_keys(const Result& result, Index matrix, const Execution& execution) {
  const StageList from = predecessors(result.config, Stage::scores);
  const MatrixView<const float> keys = result.find(from[1])->matrix(key_value_matrix(result.config, matrix));
  const WeightColumns columns{
      .first = keys.data(), .count = keys.rows(), .column_stride = keys.cols(), .depth_stride = 1};
  PackedWeights packed;
  packed.pack(kernels(), std::span(&columns, 1), keys.cols(), execution);
  return packed;
}

// scores (rows, T_key) = queries (rows, d) @ keys.T
void multiply_with_keys(Tensor& scores, const float* queries, const PackedWeights& keys) {
  const ProjectionTask task{.weights = &keys,
                            .inputs = queries,
                            .tokens = scores.rows(),
                            .last = scores.rows(),
                            .head_dim = scores.cols(),
                            .heads = scores.values.data()};
  const ProjectionBlocks blocks = blocks_of(task, kernels());
  for (Index block = 0; block < blocks.count; ++block) project_block(task, blocks, kernels(), block);
}

CellBlock block_of(TensorPtr tensor, Index first, Index rows) {
  const Index cols = tensor->cols();
  const float* const cells = tensor->values.data();
  return {cells, {first, 0, tensor->rows(), cols}, cols, rows, cols, std::move(tensor)};
}

// Returns the bytes of a matrix.
std::uint64_t bytes_of(const Tensor& tensor) { return tensor.values.size() * sizeof(float); }

}  // namespace

// Kept matrices under one limit, however many results a comparison or an animation has.
class HeadMemory {
public:
  explicit HeadMemory(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // Rows of a matrix of a result.
  struct Part {
    const HeadStore* store = nullptr;  // the result's store
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
    while (bytes_ > most_bytes_ && kept_.size() > 1) take_out(std::prev(kept_.end()), evicted);
  }

  // Returns a matrix with any contents, in the memory of one that nobody reads any more, because new memory from the
  // system takes as long as computing the matrix.
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
  std::list<Kept> kept_;  // the last used comes first
  std::map<Part, Place> places_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
};

namespace {

std::shared_ptr<HeadMemory> memory_of_all() {
  static const auto of_all = std::make_shared<HeadMemory>(head_memory_bytes);
  return of_all;
}

}  // namespace

struct HeadRows::Plan {
  const Result& result;
  Index matrix = 0;
  StageSet stages;
  StageSet needed = {};              // the stages, and those that they are made of
  PackedWeights keys = {};           // packed if scores are computed
  std::vector<HeadRows> sides = {};  // now and baseline, if the result is a difference

  HeadMatrices compute(Index first, Index count, const std::stop_token& stop) const;
  HeadMatrices read(Index first, Index count) const;
  HeadMatrices subtract(Index first, Index count, const std::stop_token& stop) const;
  void make(Tensor& rows, const Run& run, Stage stage) const;
};

HeadRows::HeadRows(const Result& result, Index matrix, const StageSet& stages, const Execution& execution) {
  Plan plan{.result = result, .matrix = matrix, .stages = stages};
  if (!result.imported) plan.needed = with_predecessors(result.config, stages);
  if (needs_scores(result, plan.needed)) plan.keys = packed_keys(result, matrix, execution);
  if (result.difference) {
    for (const Result* const side : {result.difference->now.get(), result.difference->baseline.get()})
      plan.sides.emplace_back(*side, matrix, stages, execution);
  }
  plan_ = std::make_unique<const Plan>(std::move(plan));
}

HeadRows::~HeadRows() = default;
HeadRows::HeadRows(HeadRows&&) noexcept = default;

Index HeadRows::cols() const { return key_count(plan_->result.config); }

HeadMatrices HeadRows::compute(Index first, Index count, const std::stop_token& stop) const {
  if (plan_->result.imported) return plan_->read(first, count);
  return plan_->sides.empty() ? plan_->compute(first, count, stop) : plan_->subtract(first, count, stop);
}

HeadMatrices HeadRows::Plan::read(Index first, Index count) const {
  const ImportedAttention& attention = *result.imported;
  HeadMatrices matrices;
  if (!stages.contains(attention.stage)) return matrices;
  auto rows = std::make_shared<Tensor>(std::vector<Index>{1, 1, count, attention.keys});
  attention.read(rows->values, matrix, {first, 0, count, attention.keys});
  matrices[attention.stage] = std::move(rows);
  return matrices;
}

// Stages that one of the sides holds are held by their difference, too: here both are computed.
HeadMatrices HeadRows::Plan::subtract(Index first, Index count, const std::stop_token& stop) const {
  const HeadMatrices of_now = sides[0].compute(first, count, stop);
  const HeadMatrices of_baseline = sides[1].compute(first, count, stop);
  HeadMatrices matrices;
  for (const StageInfo& info : attnscope::stages()) {
    const Stage stage = info.stage;
    if (!stages.contains(stage) || !is_query_by_key(info.axes)) continue;
    const TensorPtr& left = of_now[stage];
    const TensorPtr& right = of_baseline[stage];
    auto rows = std::make_shared<Tensor>(left->shape);
    std::ranges::transform(left->values, right->values, rows->values.begin(),
                           [](float of_left, float of_right) { return difference_of(of_left, of_right); });
    matrices[stage] = std::move(rows);
  }
  return matrices;
}

void HeadRows::Plan::make(Tensor& rows, const Run& run, Stage stage) const {
  const StageList from = predecessors(run.config, stage);
  if (stage != Stage::scores) return rule_of(run.config, stage).make(rows, run, stage, from);
  const MatrixView<const float> queries = result.find(from[0])->matrix(matrix);
  multiply_with_keys(rows, &queries(run.part.query, 0), keys);
}

// Takes a few rows of a head through all stages, so that they stay near the processor from one to the next.
HeadMatrices HeadRows::Plan::compute(Index first, Index count, const std::stop_token& stop) const {
  const AttentionConfig& config = result.config;
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
  thread_local TensorPool spare;
  HeadMatrices matrices;
  for (const Stage stage : computed_stages(config)) {
    if (!needed.contains(stage)) continue;
    if (acts_in(config, stage)) {
      const std::shared_ptr<Tensor> made = spare.make({1, 1, count, key_count(config)});
      make(*made, run, stage);
      head.tensors[stage] = made;
    } else {
      head.tensors[stage] = head.tensors[predecessors(config, stage)[0]];
    }
    if (stages.contains(stage)) matrices[stage] = head.tensors[stage];
  }
  return matrices;
}

namespace {

// Makes a matrix for each of these stages; a stage that changes nothing shares the matrix of the one before it.
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

void for_each_head_block(const HeadRows& rows, Index first, Index count, const Execution& execution,
                         const TakeRows& take) {
  const Index at_once = std::clamp<Index>(cells_at_once / rows.cols(), 1, head_block_rows);
  for_each_block(execution, blocks_of(count, at_once), [&](Index block) {
    const Index row = block * at_once;
    take(first + row, rows.compute(first + row, std::min(at_once, count - row), execution.stop));
  });
}

HeadMatrices compute_head(const Result& result, Index matrix, const StageSet& stages, const Execution& execution) {
  const Index count = query_count(result.config);
  const StageMap<std::shared_ptr<Tensor>> whole = new_matrices(result, stages, count, execution);
  const HeadRows rows(result, matrix, stages, execution);
  for_each_head_block(rows, 0, count, execution, [&](Index first, const HeadMatrices& part) {
    for (const StageInfo& stage : attnscope::stages()) {
      if (!part[stage.stage]) continue;
      const Tensor& from = *part[stage.stage];
      std::ranges::copy(from.values, whole[stage.stage]->values.begin() + first * from.cols());
    }
  });
  HeadMatrices matrices;
  for (const StageInfo& stage : attnscope::stages()) matrices[stage.stage] = whole[stage.stage];
  return matrices;
}

bool are_kept_whole(const Result& result) {
  constexpr Index most_cells = Index{1} << 20;
  return result.imported || query_count(result.config) * key_count(result.config) <= most_cells;
}

bool are_computed_at_once(const Result& result, Index heads) {
  constexpr double most_work = 4e6;  // multiplications
  constexpr double per_cell = 16;    // steps from a score to a weight, in multiplications
  if (result.imported) return false;
  const auto cells = static_cast<double>(query_count(result.config)) * static_cast<double>(key_count(result.config));
  const double work_of_a_cell = static_cast<double>(head_features(result.config)) + per_cell;
  return cells * static_cast<double>(heads) * work_of_a_cell <= most_work;
}

HeadStore::HeadStore() : memory_(memory_of_all()) {}

HeadStore::HeadStore(std::uint64_t bytes) : memory_(std::make_shared<HeadMemory>(bytes)) {}

HeadStore::~HeadStore() { memory_->forget(this); }

TensorPtr HeadStore::find(Stage stage, Index matrix, Index rows) const {
  return memory_->find({this, stage, matrix, 0, rows});
}

void HeadStore::remember(Stage stage, Index matrix, MatrixSummary summary) {
  const std::lock_guard lock(mutex_);
  summaries_.insert_or_assign({stage, matrix}, std::move(summary));
}

void HeadStore::make(const Result& result, const StageSet& stages, Index matrix, const Execution& execution) {
  const std::lock_guard computing(computing_);
  const Index rows = query_count(result.config);
  StageSet missing;
  for (const StageInfo& stage : attnscope::stages()) {
    const bool is_wanted = stages.contains(stage.stage) && is_query_by_key(stage.axes);
    const bool is_there = find(stage.stage, matrix, rows) && knows(stage.stage, matrix);
    if (is_wanted && !is_there) missing.add(stage.stage);
  }
  if (missing.is_empty()) return;
  const HeadMatrices made = compute_head(result, matrix, missing, execution);
  for (const StageInfo& info : attnscope::stages()) {
    const Stage stage = info.stage;
    if (!made[stage]) continue;
    if (!knows(stage, matrix)) remember(stage, matrix, summary_of(block_of(made[stage], 0, rows), execution));
    memory_->keep({this, stage, matrix, 0, rows}, made[stage]);
  }
}

void HeadStore::summarize(const Result& result, const StageSet& stages, Index matrix, const Execution& execution) {
  const std::lock_guard computing(computing_);
  StageSet missing;
  for (const StageInfo& stage : attnscope::stages()) {
    const bool is_wanted = stages.contains(stage.stage) && is_query_by_key(stage.axes);
    if (is_wanted && !knows(stage.stage, matrix)) missing.add(stage.stage);
  }
  if (!missing.is_empty()) pass(result, missing, matrix, 0, query_count(result.config), execution, {});
}

void HeadStore::pass(const Result& result, const StageSet& stages, Index matrix, Index first, Index count,
                     const Execution& execution, const TakeRows& take) {
  const Index all_rows = query_count(result.config);
  StageMap<std::vector<RowNumbers>> numbers;
  const HeadRows rows(result, matrix, stages, execution);
  for (const StageInfo& stage : attnscope::stages())
    if (stages.contains(stage.stage)) numbers[stage.stage].resize(static_cast<std::size_t>(count));
  for_each_head_block(rows, first, count, execution, [&](Index at, const HeadMatrices& part) {
    for (const StageInfo& stage : attnscope::stages()) {
      if (!part[stage.stage]) continue;
      for (Index row = 0; row < part[stage.stage]->rows(); ++row)
        numbers[stage.stage][static_cast<std::size_t>(at - first + row)] = kernels().row_numbers(
            part[stage.stage]->values.data() + row * part[stage.stage]->cols(), part[stage.stage]->cols());
    }
    if (take) take(at, part);
  });
  if (count < all_rows) return;
  for (const StageInfo& stage : attnscope::stages())
    if (!numbers[stage.stage].empty()) remember(stage.stage, matrix, summary_of(numbers[stage.stage]));
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
    const Execution alone{Backend::serial, 1, {}};
    block = HeadRows(result, matrix, {stage}, alone).compute(first, count, {})[stage];
    memory_->keep(part, block);
  }
  return block_of(std::move(block), first, rows);
}

}  // namespace attnscope

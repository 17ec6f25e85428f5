#include "compute/computation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <new>
#include <numeric>
#include <utility>

#include "core/evaluate.h"
#include "core/model/transformer.h"
#include "core/random.h"
#include "core/results.h"
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
    const float value = drawn.values[i];  // the first batch entry; the others are copies
    typed.values[i] = are_changed ? (value == 0 ? 1.0F : -value) : value;
  }
  config.inputs = std::move(typed);
  return config;
}

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
    const std::vector<LargeCell> cells = largest_cells(difference, stage, matrix, 1, {Backend::serial, 1, stop});
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
                                     const Execution& execution) {
  const CellBlock cells = whole_matrix(result, stage, matrix, execution);
  std::vector<LargeCell> best;
  for (Index row = 0; row < cells.rows; ++row) {
    check_stop(execution);
    offer_row(best, count, cells.at(row, 0), row, cells.cols);
  }
  return best;
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

namespace {

constexpr std::ptrdiff_t likeliest_count = 10;

NextWords next_words(const ForwardPass& pass, Index position, const Execution& execution) {
  NextWords next{.position = position};
  if (!says_words(*pass.model)) return next;
  const Tensor numbers = logits(pass, position, 1, execution);
  next.probabilities.assign(numbers.values.begin(), numbers.values.end());
  softmax(next.probabilities);
  next.likeliest.resize(next.probabilities.size());
  std::iota(next.likeliest.begin(), next.likeliest.end(), Index{0});
  const auto count = std::min<std::ptrdiff_t>(likeliest_count, std::ssize(next.likeliest));
  std::ranges::partial_sort(next.likeliest, next.likeliest.begin() + count, std::greater(),
                            [&](Index token) { return next.probabilities[static_cast<std::size_t>(token)]; });
  next.likeliest.resize(static_cast<std::size_t>(count));
  return next;
}

// Returns a tensor (1,T,d) as the inputs of a result without other stages, which pictures can show.
Computed as_inputs(const AttentionConfig& config, TensorPtr tensor) {
  Result result;
  result.config = config;
  result.tensors[Stage::inputs] = std::move(tensor);
  auto shared = std::make_shared<const Result>(std::move(result));
  return {shared, std::make_shared<const Summaries>(shared)};
}

// Keeps an earlier run's results of the same tensors, because their pictures are drawn already.
std::vector<Computed> pictures_of(const AttentionConfig& config, const std::vector<TensorPtr>& tensors,
                                  const std::vector<Computed>* previous) {
  std::vector<Computed> pictures;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool is_same = previous && (*previous)[i].result->share(Stage::inputs) == tensors[i];
    pictures.push_back(is_same ? (*previous)[i] : as_inputs(config, tensors[i]));
  }
  return pictures;
}

double log_probability(const ForwardPass& pass, Index position, Index token, const Execution& execution) {
  const Tensor numbers = logits(pass, position, 1, execution);
  const auto largest = static_cast<double>(*std::ranges::max_element(numbers.values));
  double sum = 0;
  for (const float number : numbers.values) sum += std::exp(static_cast<double>(number) - largest);
  return static_cast<double>(numbers.values[static_cast<std::size_t>(token)]) - largest - std::log(sum);
}

}  // namespace

std::shared_ptr<const ForwardPass> run_all_layers(const AttentionConfig& config, const ForwardPass* previous,
                                                  const Execution& execution) {
  const auto& inputs = std::get<ModelInputs>(config.inputs);
  check_free_memory(original_layer_config(inputs, inputs.model->shape.layers - 1));  // counts all layers below it, too
  return run_model(config, previous, execution);
}

std::shared_ptr<const ModelRun> run_whole_model(const AttentionConfig& config, std::optional<Index> position,
                                                const ModelRun* previous, const Execution& execution) {
  auto run = std::make_shared<ModelRun>();
  run->config = config;
  run->pass = run_all_layers(config, previous ? previous->pass.get() : nullptr, execution);
  const bool is_same_model = previous && previous->pass->model == run->pass->model;
  for (std::size_t layer = 0; layer < run->pass->layers.size(); ++layer) {
    const std::shared_ptr<const Result>& result = run->pass->layers[layer];
    const bool is_same = is_same_model && previous->layers[layer].result == result;
    run->layers.push_back(is_same ? previous->layers[layer]
                                  : Computed{result, std::make_shared<const Summaries>(result)});
  }
  const AttentionConfig plain = unchanged(config);
  run->fed = pictures_of(plain, run->pass->fed, is_same_model ? &previous->fed : nullptr);
  run->residual = pictures_of(plain, run->pass->residual, is_same_model ? &previous->residual : nullptr);
  const Index last = std::ssize(run->pass->tokens) - 1;
  const Index usual = usual_position(*run->pass->model, run->pass->tokens);
  const Index at = std::clamp<Index>(position.value_or(usual), 0, last);
  run->next = next_words(*run->pass, at, execution);
  run->original_pass =
      is_changed(config) ? run_model(plain, previous ? previous->original_pass.get() : nullptr, execution) : run->pass;
  run->original = run->original_pass == run->pass ? run->next : next_words(*run->original_pass, at, execution);
  return run;
}

HeadRanking rank_heads(const ModelRun& run, Index token, const Execution& execution) {
  const ForwardPass& pass = *run.pass;
  const Index heads = run.config.num_heads;
  HeadRanking ranking{.position = run.next.position, .token = token, .heads = heads, .falls = {}};
  const double with_all = log_probability(pass, ranking.position, token, execution);
  for (Index layer = 0; layer < pass.layer_count(); ++layer) {
    for (Index head = 0; head < heads; ++head) {
      AttentionConfig without = pass.configs[static_cast<std::size_t>(layer)];
      auto changed = std::make_shared<ChangedLayers>();
      for (Index other = 0; other < pass.layer_count(); ++other) {
        if (other != layer) changed->emplace(other, pass.configs[static_cast<std::size_t>(other)]);
      }
      std::get<ModelInputs>(without.inputs).changed = std::move(changed);
      const auto place = std::ranges::lower_bound(without.heads_off, head);
      if (place == without.heads_off.end() || *place != head) without.heads_off.insert(place, head);
      const double fall =
          with_all - log_probability(*run_model(without, &pass, execution), ranking.position, token, execution);
      ranking.falls.push_back(static_cast<float>(fall));
      if (execution.progress) {
        execution.progress->report(static_cast<float>(ranking.falls.size()) /
                                   static_cast<float>(pass.layer_count() * heads));
      }
    }
  }
  return ranking;
}

Index draw_token(const NextWords& next, double temperature, std::uint64_t seed) {
  std::vector<double> shares;
  for (const float probability : next.probabilities)
    shares.push_back(std::pow(static_cast<double>(probability), 1 / temperature));
  double left = std::accumulate(shares.begin(), shares.end(), 0.0);
  Generator generator(seed);
  std::array<float, 1> drawn{};
  skip_words(generator, static_cast<std::uint64_t>(next.position));
  fill_uniform(drawn, generator, 0, 1, {});
  left *= static_cast<double>(drawn[0]);
  for (std::size_t token = 0; token < shares.size(); ++token) {
    left -= shares[token];
    if (left < 0) return static_cast<Index>(token);
  }
  return next.likeliest.front();
}

}  // namespace attnscope

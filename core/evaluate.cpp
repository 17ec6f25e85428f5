#include "core/evaluate.h"

#include "core/dropout.h"
#include "core/engine.h"
#include "core/heads.h"
#include "core/model/forward.h"
#include "core/parameters.h"
#include "core/run.h"
#include "core/stages/rule.h"
#include "core/visibility.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <optional>
#include <utility>

namespace attnscope {
namespace {

// Returns whether two configurations differ at most by the numbers of typed embeddings, so that they draw the same
// weights.
bool differ_by_typed_inputs(const AttentionConfig& before, const AttentionConfig& after) {
  const auto* const old_inputs = std::get_if<SharedTensor>(&before.inputs);
  const auto* const new_inputs = std::get_if<SharedTensor>(&after.inputs);
  if (!old_inputs || !new_inputs || old_inputs->shape() != new_inputs->shape()) return false;
  AttentionConfig alike = before;
  alike.inputs = after.inputs;
  return alike == after;
}

// Returns whether both drop the same weights, if their draws before dropout are the same.
bool drop_alike(const AttentionConfig& left, const AttentionConfig& right) {
  return left.dropout == right.dropout && left.training == right.training && left.dropout_seed == right.dropout_seed &&
         left.dropout_kernel == right.dropout_kernel && left.dropout_edits == right.dropout_edits;
}

// Copies given queries, keys and values.
void take_heads(Run& run) {
  if (!begins_with_heads(run.config)) return;
  const HeadTensors& heads = run.config.heads;
  for (const auto& [stage, from] : {std::pair(Stage::queries, &heads.queries), std::pair(Stage::keys, &heads.keys),
                                    std::pair(Stage::values, &heads.values)}) {
    TensorPtr& place = run.result.tensors[stage];
    place = run.holds(stage) ? run.previous->share(stage) : std::make_shared<const Tensor>(from->copy());
  }
}

// Runs the layers of a trained model below this one, except those that the previous result has.
void run_layers_below(Run& run) {
  const auto* const inputs = std::get_if<ModelInputs>(&run.config.inputs);
  if (!inputs || begins_with_heads(run.config)) return;
  if (run.holds(Stage::inputs)) {
    run.result.below = run.previous->below;
    return;
  }
  Execution execution = run.execution;
  execution.progress = nullptr;  // it counts the work of this layer alone
  const ForwardPass* const before = run.previous ? run.previous->below.get() : nullptr;
  run.result.below = run_forward(*inputs, inputs->layer, nullptr, before, execution);
}

// The inputs, then every weight, all from one generator, in the notebook's order.
void draw(Run& run) {
  const AttentionConfig& config = run.config;
  Generator generator(config.seed);
  const bool is_fresh = !run.holds(Stage::inputs);
  if (is_fresh) skip_words(generator, config.skip_draws, run.execution);
  run_layers_below(run);
  fill(run, Stage::inputs,
       [&](Tensor& inputs) { fill_inputs(inputs, config, generator, run.execution, run.result.below.get()); });
  if (is_fresh && !run.only_inputs_differ) {
    run.result.parameters = std::make_shared<const Parameters>(draw_parameters(config, generator, run.execution));
    run.result.after_parameters = generator;
  } else {
    run.result.parameters = run.previous->parameters;
    run.result.after_parameters = run.previous->after_parameters;
  }
  take_heads(run);
  for (const StageInfo& stage : stages()) {
    if (!is_parameter(stage.axes) || !has_stage(config, stage.stage)) continue;
    const bool is_shared = run.previous && run.previous->parameters == run.result.parameters;
    run.result.tensors[stage.stage] =
        is_shared ? run.previous->share(stage.stage) : parameter_matrices(config, run.result.parameters, stage.stage);
  }
}

void draw_dropout_mask(Run& run) {
  begin_pass(run.execution, expected_work(run.config, Phase::dropout));
  if (!dropout_is_active(run.config)) return;
  const bool draws_alike = begins_with_heads(run.config) && run.holds(Stage::dropout_factors);
  const bool same_weights = draws_alike || run.holds(Stage::inputs) || run.only_inputs_differ;
  const bool same_draws = run.previous && same_weights && run.previous->dropout;
  if (same_draws && drop_alike(run.previous->config, run.config)) {
    run.result.dropout = run.previous->dropout;
  } else {
    run.result.dropout = std::make_shared<const DropoutMask>(
        run.config, dropout_generator(run.config, run.result.after_parameters), run.execution);
  }
}

// Tokens whose embeddings alone set this evaluation apart from the previous one.
TokenRange changed_tokens(const Run& run) {
  if (begins_with_heads(run.config) || run.holds(Stage::inputs)) return {0, 0};
  const Tensor& before = *run.previous->find(Stage::inputs);
  const Tensor& after = run[Stage::inputs];
  const Index T = token_count(run.config);
  const auto differs = [&](Index token) {
    return !std::ranges::equal(before.matrix().row(token), after.matrix().row(token));
  };
  TokenRange changed{0, T};
  while (changed.first < changed.last && !differs(changed.first)) ++changed.first;
  while (changed.last > changed.first && !differs(changed.last - 1)) --changed.last;
  return changed;
}

// Evaluates queries to output without tensors for T×T stages.
void run_engine(Run& run, Engine& engine, const HeadFirst* head_first) {
  draw_dropout_mask(run);
  const bool same_weights = run.holds(queries_stage(run.config)) || run.only_inputs_differ;
  const Result* const earlier = run.previous && run.previous->heads && same_weights ? run.previous : nullptr;
  run.result.heads = std::make_shared<HeadStore>();
  if (run.previous && run.previous->heads) {
    StageSet unchanged;
    for (const StageInfo& stage : stages())
      if (run.holds(stage.stage)) unchanged.add(stage.stage);
    run.result.heads->share(*run.previous->heads, unchanged);
  }
  run.result.instruction_set = engine.set().name;
  engine.run(run.result, run.execution,
             {.earlier = earlier,
              .changed = earlier ? changed_tokens(run) : TokenRange{},
              .head_first = run.config.batch_size * head_count(run.config) > 1 ? head_first : nullptr});
}

// Below about this many multiplications, waking threads takes longer than the work.
constexpr double worth_threads = 2e7;

// Chooses the number of threads if the caller does not: one for small work. The bits are the same.
Execution fit_to_work(const AttentionConfig& config, Execution execution) {
  const auto tokens = static_cast<double>(std::max(query_count(config), key_count(config)));
  const auto width = static_cast<double>(context_features(config));
  const double work = static_cast<double>(config.batch_size) * tokens * width *
                      (2 * tokens + 4 * static_cast<double>(input_features(config)));
  if (execution.threads == 0 && work < worth_threads) execution.threads = 1;
  return execution;
}

// Returns the stages to compute anew after `previous`: all but what is drawn where it was computed in the other way, by
// other code.
StageSet stale_stages(const Result& previous, const AttentionConfig& config, bool is_readable) {
  StageSet stale = stale_stages(previous.config, config);
  if (is_readable == !previous.heads) return stale;
  for (const StageInfo& stage : stages()) {
    if (stage.rule(config).make) stale.add(stage.stage);
  }
  return stale;
}

// Draws the inputs and weights of an evaluation, then calls `compute`. Without a pool the readable functions compute.
template <typename Compute>
Result evaluate_with(const AttentionConfig& config, const Execution& wanted, const Result* previous, TensorPool* pool,
                     const Compute& compute) {
  assert((!previous || previous->finished.are_all()) && "an earlier result is whole");
  const bool is_readable = !pool;
  const auto start = std::chrono::steady_clock::now();
  check(config);
  const Execution execution = fit_to_work(config, wanted);
  Result result;
  if (!previous || previous->config != config || is_readable != !previous->heads) {
    result.config = config;
    if (execution.progress) execution.progress->expect(expected_work(config, is_readable));
    const StageSet stale = previous ? stale_stages(*previous, config, is_readable) : StageSet();
    Run run{config, execution, previous, stale, previous && differ_by_typed_inputs(previous->config, config),
            result, pool};
    draw(run);
    compute(run);
  } else {
    result = *previous;
  }
  result.backend = has_openmp ? execution.backend : Backend::serial;
  result.threads = thread_count(execution);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// Up to so many tokens, and so many operations of matrix products, the readable functions take less time than the
// engine with what the window then reads of it.
constexpr Index readable_tokens = 8;
constexpr double readable_operations = 1e5;

// Returns whether anything differs that is not read by a single stage alone.
bool differ_in_basis(const AttentionConfig& before, const AttentionConfig& after) {
  AttentionConfig alike = before;
  for (const StageInfo& stage : stages()) {
    if (stage.reads) stage.reads->copy(alike, after);
  }
  return alike != after;
}

}  // namespace

bool is_evaluated_readably(const AttentionConfig& config) {
  return std::max(query_count(config), key_count(config)) <= readable_tokens &&
         operation_count(config) <= readable_operations;
}

Result evaluate(const AttentionConfig& config, const Execution& execution, const Result* previous, Engine* engine,
                const HeadFirst* head_first) {
  if (is_evaluated_readably(config)) return evaluate_readable(config, execution, previous);
  return evaluate_by_engine(config, execution, previous, engine, head_first);
}

Result evaluate_readable(const AttentionConfig& config, const Execution& execution, const Result* previous) {
  return evaluate_with(config, execution, previous, nullptr, [](Run& run) {
    run_readable_stages(run);
    run.result.instruction_set = readable_instruction_set();
  });
}

Result evaluate_by_engine(const AttentionConfig& config, const Execution& execution, const Result* previous,
                          Engine* engine, const HeadFirst* head_first) {
  std::optional<Engine> own;
  Engine& chosen = engine ? *engine : own.emplace();
  return evaluate_with(config, execution, previous, &chosen.pool(),
                       [&](Run& run) { run_engine(run, chosen, head_first); });
}

StageSet stale_stages(const AttentionConfig& before, const AttentionConfig& after) {
  const bool is_other_basis = differ_in_basis(before, after);
  StageSet changed;
  for (const StageInfo& stage : stages()) {
    const bool is_new = stage.exists(after) && !stage.exists(before);
    const bool is_drawn = stage.rule(after).is_drawn;
    const bool reads_change = (stage.reads && stage.reads->differs(before, after)) || (is_drawn && is_other_basis);
    if (is_new || reads_change || predecessors(before, stage.stage) != predecessors(after, stage.stage)) {
      changed.add(stage.stage);
    }
  }
  StageSet stale;
  for (const StageInfo& stage : stages()) {
    const bool is_reached = std::ranges::any_of(stages(), [&](const StageInfo& origin) {
      return changed.contains(origin.stage) && depends_on(after, stage.stage, origin.stage);
    });
    if (is_reached) stale.add(stage.stage);
  }
  return stale;
}

bool keeps_parameters(const AttentionConfig& before, const AttentionConfig& after) {
  return differ_by_typed_inputs(before, after) || !stale_stages(before, after).contains(Stage::inputs);
}

std::optional<CellBlock> held_block(const Result& result, Stage stage, Index matrix) {
  if (const Tensor* const tensor = result.find(stage)) {
    const auto cells = tensor->matrix(matrix);
    return CellBlock{cells.data(), {0, 0, cells.rows(), cells.cols()}, cells.cols(), cells.rows(), cells.cols()};
  }
  const Tensor* const context = result.find(Stage::context);
  if (stage != Stage::head_context || !context) return std::nullopt;
  const Index heads = head_count(result.config);
  const Index width = value_features(result.config);
  const auto of_all = context->matrix(matrix / heads);
  return CellBlock{
      of_all.data() + matrix % heads * width, {0, 0, of_all.rows(), width}, of_all.cols(), of_all.rows(), width};
}

CellBlock whole_matrix(const Result& result, Stage stage, Index matrix, const Execution& execution) {
  if (std::optional<CellBlock> held = held_block(result, stage, matrix)) return *std::move(held);
  return result.heads->whole(result, stage, matrix, execution);
}

void read_cells(std::span<float> cells, const Result& result, Stage stage, Index matrix, const CellRect& rect) {
  assert(has(result, stage, matrix) && "this mechanism has no such stage, or this head is not computed yet");
  assert(static_cast<Index>(cells.size()) == rect.rows * rect.cols && "room for every cell");
  if (rect.rows == 0 || rect.cols == 0) return;
  std::optional<CellBlock> block = held_block(result, stage, matrix);
  for (Index row = 0; row < rect.rows; ++row) {
    const Index at = rect.row + row;
    if (!block || !block->holds_row(at)) block = result.heads->around(result, stage, matrix, at);
    std::copy_n(block->at(at, rect.col), rect.cols, cells.begin() + row * rect.cols);
  }
}

Tensor read_stage(const Result& result, Stage stage) {
  if (const Tensor* const tensor = result.find(stage)) return *tensor;
  Tensor whole(stage_shape(result.config, stage));
  const auto size = static_cast<std::size_t>(whole.rows() * whole.cols());
  for (Index matrix = 0; matrix < whole.matrix_count(); ++matrix) {
    read_cells(std::span(whole.values).subspan(static_cast<std::size_t>(matrix) * size, size), result, stage, matrix,
               {0, 0, whole.rows(), whole.cols()});
  }
  return whole;
}

void run_readable_stages(Run& run) {
  for (const Stage stage : computed_stages(run.config)) {
    const auto make = rule_of(run.config, stage).make;
    if (!make) continue;
    const StageList from = predecessors(run.config, stage);
    fill_or_share(run, stage, acts_in(run.config, stage), from[0], [&](Tensor& out) { make(out, run, stage, from); });
  }
}

std::string_view readable_instruction_set() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#elif defined(__SSE2__)
  return "sse2";
#else
  return "portable";
#endif
}

std::shared_ptr<Tensor> TensorPool::make(std::vector<Index> shape, const Execution& execution) {
  const Index count = element_count(shape);
  std::shared_ptr<Tensor> tensor = spares_.take([&](const Tensor& spare) { return spare.size() == count; });
  if (!tensor) return spares_.keep(std::make_shared<Tensor>(zeros(std::move(shape), execution)));
  tensor->shape = std::move(shape);
  return tensor;
}

namespace {

constexpr Phase every_phase[] = {Phase::inputs,         Phase::parameters,  Phase::dropout,
                                 Phase::weight_packing, Phase::projections, Phase::key_packing,
                                 Phase::attention,      Phase::output,      Phase::copies};

// Two operations for each feature of each pair of a query and a key.
double pair_operations(const AttentionConfig& config, Pairs pairs, Index width) {
  const Visibility seen = pairs == Pairs::visible ? visibility(config) : Visibility{.keys = key_count(config)};
  const double count = seen.pairs(0, query_count(config));
  return 2 * static_cast<double>(config.batch_size * head_count(config) * width) * count;
}

// Operations of a matrix product that take the kernels as long, for each number.
constexpr double drawing_normal = 150;
constexpr double drawing_uniform = 80;
constexpr double drawing_bit = 60;
constexpr double copying = 60;
constexpr double readable_operation = 8;  // cost of an operation of a matrix product in a readable function

double cells(const AttentionConfig& config, Stage stage) {
  if (!has_stage(config, stage)) return 0;
  double count = 1;
  for (const Index dimension : stage_shape(config, stage)) count *= static_cast<double>(dimension);
  return count;
}

double inputs_work(const AttentionConfig& config) {
  const double all = cells(config, Stage::inputs);
  const double drawn = std::holds_alternative<RandnInputs>(config.inputs) ? drawing_normal : copying;
  return all * copying + all / static_cast<double>(config.batch_size) * drawn;
}

double parameters_work(const AttentionConfig& config) {
  double work = 0;
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    work += expected_drawing_work(element_count(parameter.shape));
  }
  return work;
}

// Returns the work of drawing a bit for each weight, unless bits follow from the number of the weight.
double dropout_work(const AttentionConfig& config) {
  if (!dropout_is_active(config) || config.dropout_kernel == DropoutKernel::mkl) return 0;
  return cells(config, Stage::dropout_factors) * drawing_bit;
}

}  // namespace

double projection_operations(const AttentionConfig& config) {
  if (!has_stage(config, Stage::query_weight)) return 0;
  const auto rows = static_cast<double>(config.batch_size * token_count(config));
  const auto of_queries = static_cast<double>(context_features(config));
  const double of_keys = has_shared_keys(config)
                             ? static_cast<double>(key_value_heads(config)) * static_cast<double>(head_features(config))
                             : of_queries;
  return 2 * rows * static_cast<double>(input_features(config)) * (of_queries + 2 * of_keys);
}

double score_operations(const AttentionConfig& config, Pairs pairs) {
  return pair_operations(config, has_stage(config, Stage::masked_scores) ? pairs : Pairs::all, head_features(config));
}

double value_operations(const AttentionConfig& config, Pairs pairs) {
  return pair_operations(config, pairs, value_features(config));
}

double output_operations(const AttentionConfig& config) {
  if (!has_stage(config, Stage::output)) return 0;
  const auto rows = static_cast<double>(config.batch_size * token_count(config));
  return 2 * rows * static_cast<double>(context_features(config)) * static_cast<double>(output_features(config));
}

double stage_operations(const AttentionConfig& config, Stage stage) {
  const auto count = rule_of(config, stage).operations;
  return count ? count(config, stage) : 0;
}

double operation_count(const AttentionConfig& config) {
  return projection_operations(config) + score_operations(config) + value_operations(config) +
         output_operations(config);
}

double expected_work(const AttentionConfig& config, Phase phase) {
  switch (phase) {
    case Phase::inputs:
      return inputs_work(config);
    case Phase::parameters:
    case Phase::weight_packing:
      return parameters_work(config);
    case Phase::dropout:
      return dropout_work(config);
    case Phase::projections:
      return projection_operations(config);
    case Phase::key_packing:
      return cells(config, Stage::head_context) * copying;
    case Phase::attention:
      return score_operations(config) + value_operations(config);
    case Phase::output:
      return output_operations(config);
    case Phase::copies:
      break;
  }
  double work = 0;
  for (const Stage stage :
       {Stage::normalized_queries, Stage::normalized_keys, Stage::rotated_queries, Stage::rotated_keys})
    work += cells(config, stage) * copying;
  return work;
}

double expected_work(const AttentionConfig& config, Stage stage) {
  if (stage == Stage::inputs) return inputs_work(config);
  const double numbers = cells(config, stage);
  return numbers * info(stage).work + stage_operations(config, stage) * readable_operation;
}

double expected_drawing_work(Index weights) { return static_cast<double>(weights) * drawing_uniform; }

double expected_work(const AttentionConfig& config, bool is_readable, bool keeps_parameters) {
  double work = 0;
  if (!is_readable) {
    for (const Phase phase : every_phase) {
      const bool is_of_parameters = phase == Phase::parameters || phase == Phase::weight_packing;
      if (!keeps_parameters || !is_of_parameters) work += expected_work(config, phase);
    }
    return work;
  }
  if (!keeps_parameters) work = parameters_work(config);
  for (const StageInfo& stage : stages()) {
    const bool is_made = has_stage(config, stage.stage) && !is_parameter(stage.axes);
    work += is_made ? expected_work(config, stage.stage) : 0;
  }
  return work;
}

}  // namespace attnscope

#include "core/evaluate.h"

#include "core/attention.h"
#include "core/dropout.h"
#include "core/dropout_mask.h"
#include "core/engine.h"
#include "core/expected_work.h"
#include "core/head_alone.h"
#include "core/inputs.h"
#include "core/reuse.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace attnscope {

namespace {

constexpr std::size_t at(Stage stage) { return static_cast<std::size_t>(stage); }

// One run of the driver: what it reads, and the result that it fills.
struct Run {
  const AttentionConfig& config;
  const Execution& execution;
  const Result* previous;   // null when nothing can be shared
  Stage first_stale;        // stages before this one are shared with `previous`
  bool only_inputs_differ;  // typed embeddings, so that `previous` drew the same weights
  Result& result;

  const Tensor& operator[](Stage stage) const { return *result.tensors[at(stage)]; }
};

// The instruction set that this file and the readable stages are compiled for.
constexpr std::string_view compiled_set =
#if defined(__AVX512F__)
    "avx512";
#elif defined(__AVX2__)
    "avx2";
#elif defined(__SSE2__)
    "sse2";
#else
    "portable";
#endif

// What there is to tell of making a stage.
struct Pass {
  Phase phase;
  double operations;  // of matrix products
  double expected;    // work, for the progress
};

// Of a stage made by its readable function.
Pass pass_of(const AttentionConfig& config, Stage stage) {
  Phase phase = Phase::attention;
  if (stage == Stage::inputs) phase = Phase::inputs;
  if (stage >= Stage::queries && stage <= Stage::values) phase = Phase::projections;
  if (stage == Stage::dropout_factors) phase = Phase::dropout;
  if (stage == Stage::context) phase = Phase::copies;
  if (stage == Stage::output) phase = Phase::output;
  return {phase, stage_operations(config, stage), expected_work(config, stage)};
}

// Fills a stage by compute(tensor) where the mechanism has it, or shares it with the previous result.
template <typename Compute>
void fill(Run& run, Stage stage, const Pass& pass, const Compute& compute) {
  if (!has_stage(run.config, stage)) return;
  begin_pass(run.execution, pass.expected);
  TensorPtr& place = run.result.tensors[at(stage)];
  if (run.previous && stage < run.first_stale) {
    place = run.previous->share(stage);
    return;
  }
  in_phase(run.result.phases, pass.phase, pass.operations, [&] {
    auto tensor = std::make_shared<Tensor>(zeros(stage_shape(run.config, stage), run.execution));
    compute(*tensor);
    place = std::move(tensor);
  });
}

template <typename Compute>
void fill(Run& run, Stage stage, const Compute& compute) {
  fill(run, stage, pass_of(run.config, stage), compute);
}

// The same where the stage may turn out equal to the one before it: then both share one tensor.
template <typename Compute>
void fill_or_share(Run& run, Stage stage, bool differs, Stage before, const Compute& compute) {
  if (differs) return fill(run, stage, compute);
  if (!has_stage(run.config, stage)) return;
  begin_pass(run.execution, pass_of(run.config, stage).expected);
  run.result.tensors[at(stage)] = run.result.share(before);
}

// The inputs, then every weight, all from one generator, in the notebook's order.
void draw(Run& run) {
  const AttentionConfig& config = run.config;
  Generator generator(config.seed);
  const bool is_fresh = !run.previous || run.first_stale == Stage::inputs;
  if (is_fresh) skip_words(generator, config.skip_draws, run.execution);
  fill(run, Stage::inputs, [&](Tensor& inputs) { fill_inputs(inputs, config, generator, run.execution); });
  if (is_fresh && !run.only_inputs_differ) {
    in_phase(run.result.phases, Phase::parameters, 0, [&] {
      run.result.parameters = std::make_shared<const Parameters>(draw_parameters(config, generator, run.execution));
    });
    run.result.after_parameters = generator;
  } else {
    run.result.parameters = run.previous->parameters;
    run.result.after_parameters = run.previous->after_parameters;
  }
}

// projected (B,T,n) through the projection's weights: those of one head in the wrapper, of all heads elsewhere.
void project(Tensor& projected, const Run& run, Projection projection, Index head) {
  const Parameters& parameters = *run.result.parameters;
  const Tensor& weight = *find(parameters, weight_name(run.config, projection, head));
  if (info(run.config.mechanism).weight_style == WeightStyle::parameter) {
    project_parameter(projected, run[Stage::inputs], weight, run.execution);
  } else {
    const Tensor* bias = find(parameters, bias_name(run.config, projection, head));
    project_linear(projected, run[Stage::inputs], weight, bias, run.execution);
  }
}

// Queries, keys or values (B,H,T,head_dim).
void project_heads(Run& run, Stage stage, Projection projection) {
  fill(run, stage, [&](Tensor& heads) {
    const AttentionConfig& config = run.config;
    const Index B = config.batch_size;
    const Index T = token_count(config);
    const Index H = head_count(config);
    Tensor projected({B, T, config.d_out});
    if (H == 1 || info(config.mechanism).splits_heads) {
      project(projected, run, projection, 0);
      split_heads(heads, projected, run.execution);
      return;
    }
    for (Index h = 0; h < H; ++h) {
      project(projected, run, projection, h);
      for (Index b = 0; b < B; ++b) heads.matrix(b * H + h) = projected.matrix(b);
    }
  });
}

void score(Run& run) {
  const Stage queries = queries_stage(run.config);
  const Stage keys = keys_stage(run.config);
  fill(run, Stage::scores, [&](Tensor& scores) { attention_scores(scores, run[queries], run[keys], run.execution); });
  fill(run, Stage::mask, [](Tensor& mask) { causal_mask(mask); });
  fill(run, Stage::masked_scores,
       [&](Tensor& masked) { mask_scores(masked, run[Stage::scores], run[Stage::mask], run.execution); });
  const Stage before = run.config.mask == MaskRoute::causal ? Stage::masked_scores : Stage::scores;
  fill_or_share(run, Stage::scaled_scores, run.config.scale, before,
                [&](Tensor& scaled) { scale_scores(scaled, run[before], head_features(run.config), run.execution); });
}

void normalize(Run& run) {
  const AttentionConfig& config = run.config;
  fill(run, Stage::weights, [&](Tensor& weights) {
    const Tensor& from = run[normalized_from_stage(config)];
    normalizes_by_sum(config) ? normalize_rows(weights, from, run.execution)
                              : softmax_rows(weights, from, run.execution);
  });
  fill(run, Stage::masked_weights,
       [&](Tensor& masked) { mask_weights(masked, run[Stage::weights], run[Stage::mask], run.execution); });
  fill(run, Stage::renormalized_weights,
       [&](Tensor& renormalized) { normalize_rows(renormalized, run[Stage::masked_weights], run.execution); });
}

// The generator as dropout finds it.
Generator dropout_generator(const Run& run) {
  return run.config.dropout_seed ? Generator(*run.config.dropout_seed) : run.result.after_parameters;
}

void drop(Run& run) {
  fill(run, Stage::dropout_factors,
       [&](Tensor& factors) { fill_dropout_factors(factors, run.config, dropout_generator(run), run.execution); });
  const Stage before = normalized_weights_stage(run.config);
  fill_or_share(run, Stage::dropped_weights, dropout_is_active(run.config), before, [&](Tensor& dropped) {
    drop_weights(dropped, run[before], run[Stage::dropout_factors], run.execution);
  });
}

// Head context by way of every T x T stage.
void attend(Run& run) {
  score(run);
  normalize(run);
  drop(run);
  fill(run, Stage::head_context, [&](Tensor& context) {
    weighted_values(context, run[final_weights_stage(run.config)], run[values_stage(run.config)], run.execution);
  });
}

void draw_dropout_mask(Run& run) {
  begin_pass(run.execution, expected_work(run.config, Phase::dropout));
  if (!dropout_is_active(run.config)) return;
  const bool same_weights = run.first_stale > Stage::inputs || run.only_inputs_differ;
  const bool same_draws = run.previous && same_weights && run.previous->dropout;
  if (same_draws && drop_alike(run.previous->config, run.config)) {
    run.result.dropout = run.previous->dropout;
  } else {
    in_phase(run.result.phases, Phase::dropout, 0, [&] {
      run.result.dropout = std::make_shared<const DropoutMask>(run.config, dropout_generator(run), run.execution);
    });
  }
}

// Tokens whose embeddings alone set this evaluation apart from the previous one.
TokenRange changed_tokens(const Run& run) {
  if (run.first_stale > Stage::inputs) return {0, 0};
  const Tensor& before = *run.previous->find(Stage::inputs);
  const Tensor& after = run[Stage::inputs];
  const Index T = token_count(run.config);
  const auto differs = [&](Index token) { return before.matrix().row(token) != after.matrix().row(token); };
  TokenRange changed{0, T};
  while (changed.first < changed.last && !differs(changed.first)) ++changed.first;
  while (changed.last > changed.first && !differs(changed.last - 1)) --changed.last;
  return changed;
}

void tell_head(const Run& run, const HeadFirst& first) {
  const Index last = run.config.batch_size * head_count(run.config) - 1;
  first.tell(head_alone(run.result, std::clamp<Index>(first.matrix, 0, last), run.execution, *first.engine));
}

// Queries to output without any of them.
void run_engine(Run& run, Engine& engine, const HeadFirst* head_first) {
  draw_dropout_mask(run);
  if (head_first && has_several_matrices(run.config)) tell_head(run, *head_first);
  const bool same_weights = run.first_stale > Stage::queries || run.only_inputs_differ;
  const Result* const earlier = run.previous && run.previous->rows && same_weights ? run.previous : nullptr;
  engine.run(run.result, run.execution, {.earlier = earlier, .changed = earlier ? changed_tokens(run) : TokenRange{}});
  if (earlier && run.first_stale == Stage::dropout_factors) run.result.rows = earlier->rows;  // the same numbers
  fill(run, Stage::head_context, Pass{Phase::copies, 0, expected_work(run.config, Phase::copies)},
       [&](Tensor& heads) { split_heads(heads, run[Stage::context], run.execution); });
}

void combine(Run& run) {
  fill(run, Stage::context,
       [&](Tensor& context) { concatenate_heads(context, run[Stage::head_context], run.execution); });
  fill(run, Stage::output, [&](Tensor& output) {
    const Parameters& parameters = *run.result.parameters;
    project_linear(output, run[Stage::context], *find(parameters, "out_proj.weight"), find(parameters, "out_proj.bias"),
                   run.execution);
  });
}

// Every stage as a tensor, by the readable functions.
void run_stages(Run& run) {
  project_heads(run, Stage::queries, Projection::query);
  project_heads(run, Stage::keys, Projection::key);
  project_heads(run, Stage::values, Projection::value);
  attend(run);
  combine(run);
}

// Below about this many multiplications, waking threads takes longer than the work.
constexpr double worth_threads = 2e7;

// Threads left to us to choose: one where the work is small. The bits are the same.
Execution fit_to_work(const AttentionConfig& config, Execution execution) {
  const auto tokens = static_cast<double>(token_count(config));
  const auto width = static_cast<double>(context_features(config));
  const double work = static_cast<double>(config.batch_size) * tokens * width *
                      (2 * tokens + 4 * static_cast<double>(input_features(config)));
  if (execution.threads == 0 && work < worth_threads) execution.threads = 1;
  return execution;
}

// The first stage to compute anew after `previous`; nothing when all of it holds.
std::optional<Stage> first_stale_stage(const Result* previous, const AttentionConfig& config, bool keeps) {
  if (!previous) return Stage::inputs;
  const std::optional<Stage> stale = first_stale_stage(previous->config, config);
  if (keeps != static_cast<bool>(previous->rows)) return stale;
  return std::min(stale.value_or(Stage::queries), Stage::queries);  // the other form was computed by other code
}

}  // namespace

Result evaluate(const AttentionConfig& config, const Execution& wanted, const Result* previous, Squares squares,
                Engine* engine, const HeadFirst* head_first) {
  const auto start = std::chrono::steady_clock::now();
  check(config);
  const Execution execution = fit_to_work(config, wanted);
  Result result;
  const bool keeps = keeps_squares(config, squares);
  const std::optional<Stage> stale = first_stale_stage(previous, config, keeps);
  if (stale) {
    result.config = config;
    if (execution.progress) execution.progress->expect(expected_work(config, keeps));
    Run run{config, execution, previous, *stale, previous && differ_by_typed_inputs(previous->config, config), result};
    draw(run);
    if (keeps) {
      run_stages(run);
      result.instruction_set = compiled_set;
    } else {
      Engine own;
      Engine& chosen = engine ? *engine : own;
      run_engine(run, chosen, head_first);
      result.instruction_set = chosen.set().name;
    }
  } else {
    result = *previous;
    result.phases = {};
  }
  result.backend = has_openmp ? execution.backend : Backend::serial;
  result.threads = thread_count(execution);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace attnscope

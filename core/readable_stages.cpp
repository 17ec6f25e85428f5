#include "core/run.h"

#include "core/attention.h"
#include "core/dropout.h"
#include "core/matrix.h"

namespace attnscope {

namespace {

// projected (B,T,n) through the projection's weights: those of one head in the wrapper, of all heads elsewhere.
void project(Tensor& projected, const Run& run, const ProjectionStages& stages, Index head) {
  const Parameters& parameters = *run.result.parameters;
  const Tensor& weight = *find(parameters, parameter_name(run.config, stages.weight, head));
  if (info(run.config.mechanism).weight_style == WeightStyle::parameter) {
    project_parameter(projected, run[Stage::inputs], weight, run.execution);
  } else {
    const Tensor* bias = find(parameters, parameter_name(run.config, stages.bias, head));
    project_linear(projected, run[Stage::inputs], weight, bias, run.execution);
  }
}

// Queries, keys or values (B,H,T,head_dim).
void project_heads(Run& run, Projection projection) {
  const ProjectionStages stages = stages_of(projection);
  fill(run, stages.result, [&](Tensor& heads) {
    const AttentionConfig& config = run.config;
    const Index B = config.batch_size;
    const Index T = token_count(config);
    const Index H = head_count(config);
    Tensor projected({B, T, config.d_out});
    if (!has_own_heads(config)) {
      project(projected, run, stages, 0);
      split_heads(heads, projected, run.execution);
      return;
    }
    for (Index h = 0; h < H; ++h) {
      project(projected, run, stages, h);
      for (Index b = 0; b < B; ++b) eigen(heads, b * H + h) = eigen(projected, b);
    }
  });
}

void score(Run& run) {
  const StageList from = predecessors(run.config, Stage::scores);
  fill(run, Stage::scores,
       [&](Tensor& scores) { attention_scores(scores, run[from[0]], run[from[1]], run.execution); });
  fill(run, Stage::mask, [&](Tensor& mask) { hide_keys(mask, visibility(run.config)); });
  for (const Stage stage : score_route(run.config)) {
    const Stage before = before_on_route(run.config, stage);
    if (info(stage).rule == CellRule::hide) {
      fill(run, stage, [&](Tensor& out) { mask_scores(out, run[before], run[Stage::mask], run.execution); });
    }
    if (info(stage).rule == CellRule::add_bias)
      fill(run, stage, [&](Tensor& out) { add_bias(out, run[before], Bias(run.config), run.execution); });
    if (info(stage).rule != CellRule::step) continue;
    const ScoreStep& step = *info(stage).step(run.config);
    fill_or_share(run, stage, step.acts(run.config), before,
                  [&](Tensor& out) { step.make(out, run[before], run.config, run.execution); });
  }
}

void normalize(Run& run) {
  const AttentionConfig& config = run.config;
  const auto hidden_rows_of = [&](Stage stage) -> HiddenRow {
    if (has_bias(config)) {
      return [&config, stage](Index matrix, Index query) { return sees_nothing(config, stage, matrix, query); };
    }
    return [seen = visibility(config, stage)](Index, Index query) { return seen.of(query).is_empty(); };
  };
  fill(run, Stage::weights, [&](Tensor& weights) {
    const Tensor& from = run[normalized_from_stage(config)];
    const HiddenRow is_hidden = hidden_rows_of(Stage::weights);
    normalizes_by_sum(config) ? normalize_rows(weights, from, is_hidden, run.execution)
                              : softmax_rows(weights, from, is_hidden, run.execution);
  });
  fill(run, Stage::masked_weights,
       [&](Tensor& masked) { mask_weights(masked, run[Stage::weights], run[Stage::mask], run.execution); });
  fill(run, Stage::renormalized_weights, [&](Tensor& renormalized) {
    normalize_rows(renormalized, run[Stage::masked_weights], hidden_rows_of(Stage::renormalized_weights),
                   run.execution);
  });
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
    if (info(run.config.mechanism).has_heads) switch_off_heads(context, run.config.heads_off);
  });
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

}  // namespace

Generator dropout_generator(const Run& run) {
  return run.config.dropout_seed ? Generator(*run.config.dropout_seed) : run.result.after_parameters;
}

void run_readable_stages(Run& run) {
  for (const Projection projection : {Projection::query, Projection::key, Projection::value})
    if (has_stage(run.config, Stage::query_weight)) project_heads(run, projection);
  attend(run);
  combine(run);
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

}  // namespace attnscope

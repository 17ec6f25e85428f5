#include "core/run.h"

#include "core/attention.h"
#include "core/dropout.h"
#include "core/expected_work.h"
#include "core/matrix.h"
#include "core/operations.h"

namespace attnscope {

namespace {

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
      for (Index b = 0; b < B; ++b) eigen(heads, b * H + h) = eigen(projected, b);
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

Pass pass_of(const AttentionConfig& config, Stage stage) {
  Phase phase = Phase::attention;
  if (stage == Stage::inputs) phase = Phase::inputs;
  if (stage >= Stage::queries && stage <= Stage::values) phase = Phase::projections;
  if (stage == Stage::dropout_factors) phase = Phase::dropout;
  if (stage == Stage::context) phase = Phase::copies;
  if (stage == Stage::output) phase = Phase::output;
  return {phase, stage_operations(config, stage), expected_work(config, stage)};
}

Generator dropout_generator(const Run& run) {
  return run.config.dropout_seed ? Generator(*run.config.dropout_seed) : run.result.after_parameters;
}

void run_readable_stages(Run& run) {
  project_heads(run, Stage::queries, Projection::query);
  project_heads(run, Stage::keys, Projection::key);
  project_heads(run, Stage::values, Projection::value);
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

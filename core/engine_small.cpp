// Evaluations so small that what surrounds the arithmetic would take longer than the arithmetic: one call of a kernel
// for each batch entry, timed as a whole.

#include "core/engine.h"
#include "core/expected_work.h"

namespace attnscope {

namespace {

constexpr std::array<Phase, 5> phases_in_one = {Phase::weight_packing, Phase::projections, Phase::key_packing,
                                                Phase::attention, Phase::output};
constexpr std::array<Stage, 3> projected_stages = {Stage::queries, Stage::keys, Stage::values};

SmallProjection small_projection(const PackedWeights& weights) { return {weights.panel(0), weights.panel_bias(0)}; }

// The next batch entry's task, from that of the one before it.
void advance(SmallTask& task) {
  const Index rows = Index{task.tokens} * task.heads;
  task.inputs += Index{task.tokens} * task.d_in;
  for (float*& heads : task.projected) heads += rows * task.head_dim;
  task.context += rows * task.head_dim;
  task.row_max += rows;
  task.row_sum += rows;
  if (task.output) task.output += Index{task.tokens} * task.d_out;
}

}  // namespace

bool Engine::is_small(const Result& result, const EngineRequest& request) const {
  const AttentionConfig& config = result.config;
  if (request.earlier || request.shown != Shown::none || result.dropout) return false;
  if (score_map(config) != ScoreMap{.scale = score_scale(config)}) return false;
  if (config.mask != MaskRoute::none && config.mask != MaskRoute::causal) return false;
  return info(config.mechanism).weight_style != WeightStyle::none && token_count(config) <= set_->most_small &&
         input_features(config) <= set_->most_small && context_features(config) <= set_->most_small &&
         config.d_out <= set_->most_small;
}

void Engine::run_small(Result& result, const Execution& execution) {
  const AttentionConfig& config = result.config;
  const Index B = config.batch_size;
  const Index T = token_count(config);
  const Index H = head_count(config);
  const Index head_dim = head_features(config);
  const auto make = [&](Stage stage, std::initializer_list<Index> shape) {
    std::shared_ptr<Tensor> tensor = pool_.make(shape);
    float* const values = tensor->values.data();
    result.tensors[stage] = std::move(tensor);
    return values;
  };
  pack_weights(result, execution);
  packed_keys_.reset();
  shown_.reset();
  SmallTask task{.inputs = result.find(Stage::inputs)->values.data(),
                 .tokens = static_cast<int>(T),
                 .d_in = static_cast<int>(input_features(config)),
                 .heads = static_cast<int>(H),
                 .head_dim = static_cast<int>(head_dim),
                 .d_out = static_cast<int>(config.d_out),
                 .is_causal = config.mask == MaskRoute::causal,
                 .scale = score_scale(config)};
  for (std::size_t p = 0; p < projected_stages.size(); ++p) {
    task.projections[p] = small_projection(heads_.at(p));
    task.projected[p] = make(projected_stages.at(p), {B, H, T, head_dim});
  }
  task.context = make(Stage::context, {B, T, H * head_dim});
  if (has_stage(config, Stage::output)) {
    task.output_projection = small_projection(output_);
    task.output = make(Stage::output, {B, T, config.d_out});
  }
  const std::shared_ptr<RowStatistics> rows = make_rows(static_cast<std::size_t>(B * H * T), 0);
  task.row_max = rows->max.data();
  task.row_sum = rows->sum.data();
  for (Index b = 0; b < B; ++b, advance(task)) set_->evaluate_small(task);
  result.rows = rows;
  if (!execution.progress) return;
  for (const Phase phase : phases_in_one) begin_pass(execution, expected_work(config, phase));
}

}  // namespace attnscope

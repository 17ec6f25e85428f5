#include "core/engine.h"

#include <vector>

namespace attnscope {

namespace {

WeightColumns columns_of(const AttentionConfig& config, const Parameters& parameters, Projection projection,
                         Index head) {
  const Tensor& weight = *find(parameters, parameter_name(config, stages_of(projection).weight, head));
  if (info(config.mechanism).weight_style == WeightStyle::parameter) {
    return {weight.values.data(), weight.cols(), 1, weight.cols(), nullptr};
  }
  const Tensor* const bias = find(parameters, parameter_name(config, stages_of(projection).bias, head));
  return {weight.values.data(), weight.rows(), weight.cols(), 1, bias ? bias->values.data() : nullptr};
}

}  // namespace

void Engine::pack_weights(const Result& result, const Execution& execution) {
  if (packed_parameters_ == result.parameters) return;
  packed_parameters_.reset();
  const AttentionConfig& config = result.config;
  const Parameters& parameters = *result.parameters;
  if (has_stage(config, Stage::query_weight)) {
    const Index modules = info(config.mechanism).splits_heads ? 1 : head_count(config);
    for (const Projection projection : {Projection::query, Projection::key, Projection::value}) {
      std::vector<WeightColumns> columns;
      for (Index head = 0; head < modules; ++head) {
        columns.push_back(columns_of(config, parameters, projection, head));
      }
      heads_.at(static_cast<std::size_t>(projection)).pack(*set_, columns, input_features(config), execution);
    }
  }
  if (has_stage(config, Stage::output)) {
    const Tensor& weight = *find(parameters, "out_proj.weight");
    const std::array columns = {WeightColumns{weight.values.data(), weight.rows(), weight.cols(), 1,
                                              find(parameters, "out_proj.bias")->values.data()}};
    output_.pack(*set_, columns, weight.cols(), execution);
  }
  packed_parameters_ = result.parameters;
}

}  // namespace attnscope

#include "core/head_alone.h"

#include "core/engine.h"

#include <algorithm>
#include <utility>

namespace attnscope {

namespace {

// Rows [first, first + count) of a weight (d_out, d_in) or a bias (d_out).
Tensor rows_of(const Tensor& tensor, Index first, Index count) {
  std::vector<Index> shape = tensor.shape;
  const Index width = tensor.size() / shape.front();
  shape.front() = count;
  Tensor rows(std::move(shape));
  std::copy_n(tensor.values.begin() + first * width, count * width, rows.values.begin());
  return rows;
}

// Sizes alone of the inputs: they are there already.
AttentionConfig config_of_head(const AttentionConfig& whole) {
  AttentionConfig alone = whole;
  alone.inputs = RandnInputs{token_count(whole), input_features(whole)};
  alone.mechanism = Mechanism::causal_attention;
  alone.batch_size = 1;
  alone.num_heads = 1;
  alone.d_out = head_features(whole);
  alone.weight_overrides.clear();
  return alone;
}

Parameters parameters_of_head(const Result& whole, const AttentionConfig& alone, Index head) {
  const AttentionConfig& config = whole.config;
  const Index first = info(config.mechanism).splits_heads ? head * alone.d_out : 0;
  Parameters parameters;
  const auto take = [&](const std::string& from, const std::string& name) {
    if (!from.empty()) parameters.push_back({name, rows_of(*find(*whole.parameters, from), first, alone.d_out)});
  };
  for (const Projection projection : config.weight_order) {
    const auto [weight, bias, result] = stages_of(projection);
    take(parameter_name(config, weight, head), parameter_name(alone, weight, 0));
    take(parameter_name(config, bias, head), parameter_name(alone, bias, 0));
  }
  return parameters;
}

}  // namespace

bool has_several_matrices(const AttentionConfig& config) {
  return info(config.mechanism).has_heads && config.batch_size * head_count(config) > 1;
}

Result head_alone(const Result& whole, Index matrix, const Execution& execution, Engine& engine) {
  Result alone;
  alone.config = config_of_head(whole.config);
  alone.parameters =
      std::make_shared<const Parameters>(parameters_of_head(whole, alone.config, matrix % head_count(whole.config)));
  // every batch entry is a copy of the first
  alone.tensors[Stage::inputs] = whole.share(Stage::inputs);
  alone.dropout = whole.dropout;
  alone.dropout_matrix = matrix;
  alone.instruction_set = engine.set().name;
  Execution unseen = execution;
  unseen.progress = nullptr;  // it is a small part of the whole
  engine.run(alone, unseen);
  alone.tensors[Stage::context].reset();  // it is put together from all heads
  return alone;
}

}  // namespace attnscope

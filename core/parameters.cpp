#include "core/parameters.h"

#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/rope.h"
#include "core/stage.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace attnscope {

namespace {

std::string layer_name(const AttentionConfig& config, std::string_view name, Index head) {
  return has_own_heads(config) ? "heads." + std::to_string(head) + "." + std::string(name) : std::string(name);
}

// The bounds between which the numbers of a parameter are drawn.
std::pair<float, float> bounds_of(const AttentionConfig& config, const ParameterShape& parameter) {
  if (info(config.mechanism).weight_style == WeightStyle::parameter) return {0.0F, 1.0F};
  const Index fan_in = parameter.name.starts_with("out_proj") ? config.d_out : input_features(config);
  const float bound = parameter.name.ends_with(".weight") ? linear_weight_bound(fan_in) : linear_bias_bound(fan_in);
  return {-bound, bound};
}

Parameter draw_parameter(const AttentionConfig& config, const ParameterShape& shape, Generator& generator,
                         const Execution& execution) {
  Parameter parameter{shape.name, zeros(shape.shape, execution)};
  if (words_of(shape) == 0) {
    std::ranges::fill(parameter.tensor.values, 1.0F);
    return parameter;
  }
  const auto [from, to] = bounds_of(config, shape);
  begin_pass(execution, expected_drawing_work(parameter.tensor.size()));
  fill_uniform(parameter.tensor.values, generator, from, to, execution);
  return parameter;
}

void copy(float* to, const SharedTensor& from, const Execution& execution) {
  for_each_block(execution, from.block_count(),
                 [&](Index block) { std::ranges::copy(from.block(block), to + from.block_start(block)); });
}

void copy(float* to, const float* from, Index count, const Execution& execution) {
  constexpr Index piece = Index{1} << 20;
  for_each_piece(execution, count, piece,
                 [&](Index first, Index size) { std::copy_n(from + first, size, to + first); });
}

// Returns null if inputs are typed, or if there are none.
const RandnInputs* drawn_inputs(const AttentionConfig& config) {
  return begins_with_heads(config) ? nullptr : std::get_if<RandnInputs>(&config.inputs);
}

}  // namespace

float linear_weight_bound(Index fan_in) {
  const double slope = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1.0 + slope * slope));
  return static_cast<float>(std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(fan_in))));
}

float linear_bias_bound(Index fan_in) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(fan_in))); }

std::vector<ParameterShape> parameter_shapes(const AttentionConfig& config) {
  const MechanismInfo& mechanism = info(config.mechanism);
  std::vector<ParameterShape> shapes;
  if (mechanism.weight_style == WeightStyle::none) return shapes;
  const auto add_layer = [&](const std::string& name, Index in, Index out, bool has_bias) {
    if (mechanism.weight_style == WeightStyle::parameter) {
      shapes.push_back({name, {in, out}});
      return;
    }
    shapes.push_back({name + ".weight", {out, in}});
    if (has_bias) shapes.push_back({name + ".bias", {out}});
  };
  const Index modules = mechanism.splits_heads ? 1 : head_count(config);
  for (Index head = 0; head < modules; ++head) {
    for (const Projection projection : config.weight_order)
      add_layer(layer_name(config, info(stages_of(projection).weight).id, head), input_features(config),
                projection == Projection::query ? config.d_out : key_features(config), config.qkv_bias);
  }
  if (has_qk_norm(config)) {
    for (const Stage gain : {Stage::query_gain, Stage::key_gain})
      shapes.push_back({std::string(info(gain).id) + ".weight", {head_features(config)}});
  }
  if (mechanism.has_output_projection) add_layer("out_proj", config.d_out, output_features(config), true);
  return shapes;
}

std::uint64_t words_of(const ParameterShape& parameter) {
  const bool is_of_norm = parameter.name.ends_with("_norm.weight");
  return is_of_norm ? 0 : static_cast<std::uint64_t>(element_count(parameter.shape));
}

std::uint64_t words_of_parameters(const AttentionConfig& config) {
  std::uint64_t words = 0;
  for (const ParameterShape& parameter : parameter_shapes(config))
    words += trained_parameter(config, parameter.name) ? 0 : words_of(parameter);
  return words;
}

Parameters draw_parameters(const AttentionConfig& config, Generator& generator, const Execution& execution) {
  Parameters parameters;
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (const Tensor* const trained = trained_parameter(config, parameter.name)) {
      parameters.push_back({parameter.name, *trained});
      continue;
    }
    parameters.push_back(draw_parameter(config, parameter, generator, execution));
  }
  for (Parameter& parameter : parameters) {
    const auto override = config.weight_overrides.find(parameter.name);
    if (override == config.weight_overrides.end()) continue;
    parameter.drawn = std::exchange(parameter.tensor, override->second.copy());
  }
  return parameters;
}

Tensor drawn_parameter(const AttentionConfig& config, std::string_view name) {
  if (const Tensor* const trained = trained_parameter(config, name)) return *trained;
  Generator generator = generator_before_parameters(config);
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (parameter.name == name) return draw_parameter(config, parameter, generator, {}).tensor;
    skip_words(generator, words_of(parameter));
  }
  return {};
}

const Tensor* find(const Parameters& parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &found->tensor;
}

ProjectionStages stages_of(Projection projection) {
  switch (projection) {
    case Projection::query:
      return {Stage::query_weight, Stage::query_bias, Stage::queries};
    case Projection::key:
      return {Stage::key_weight, Stage::key_bias, Stage::keys};
    case Projection::value:
      break;
  }
  return {Stage::value_weight, Stage::value_bias, Stage::values};
}

std::string parameter_name(const AttentionConfig& config, Stage parameter, Index head) {
  if (!has_stage(config, parameter)) return "";
  constexpr std::string_view bias_ending = "_bias";
  const bool is_bias = info(parameter).axes == StageAxes::bias && !is_gain(parameter);
  std::string_view layer = info(parameter).id;
  if (is_bias) layer.remove_suffix(bias_ending.size());
  const std::string name = layer_name(config, layer, head);
  if (info(config.mechanism).weight_style == WeightStyle::parameter) return name;
  return name + (is_bias ? ".bias" : ".weight");
}

const Parameter* parameter_of(const AttentionConfig& config, const Parameters& parameters, Stage stage, Index head) {
  const auto found = std::ranges::find(parameters, parameter_name(config, stage, head), &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

std::shared_ptr<const Tensor> parameter_matrices(const AttentionConfig& config,
                                                 const std::shared_ptr<const Parameters>& parameters, Stage parameter) {
  const Tensor* const first = find(*parameters, parameter_name(config, parameter, 0));
  if (!has_own_heads(config) && first->rank() == 2) return {parameters, first};
  Tensor all(stage_shape(config, parameter));
  auto place = all.values.begin();
  for (Index head = 0; place != all.values.end(); ++head) {
    place = std::ranges::copy(find(*parameters, parameter_name(config, parameter, head))->values, place).out;
  }
  return std::make_shared<const Tensor>(std::move(all));
}

void fill_inputs(Tensor& inputs, const AttentionConfig& config, Generator& generator, const Execution& execution,
                 const ForwardPass* below) {
  const Index entry_size = inputs.size() / config.batch_size;
  float* const entry = inputs.values.data();
  if (const auto* const typed = std::get_if<SharedTensor>(&config.inputs)) {
    copy(entry, *typed, execution);
  } else if (const auto* const model = std::get_if<ModelInputs>(&config.inputs)) {
    const auto run = below ? nullptr : run_forward(*model, model->layer, nullptr, nullptr, execution);
    const Tensor normalized = attention_inputs(below ? *below : *run, model->layer, execution);
    copy(entry, normalized.values.data(), entry_size, execution);
  } else {
    fill_randn({entry, static_cast<std::size_t>(entry_size)}, generator, execution);
  }
  for (Index b = 1; b < config.batch_size; ++b) copy(entry + b * entry_size, entry, entry_size, execution);
}

std::uint64_t words_before_parameters(const AttentionConfig& config) {
  const RandnInputs* const drawn = drawn_inputs(config);
  return config.skip_draws + (drawn ? words_of_randn(drawn->tokens * drawn->features) : 0);
}

Generator generator_before_parameters(const AttentionConfig& config) {
  Generator generator(config.seed);
  skip_words(generator, config.skip_draws);
  const RandnInputs* const drawn = drawn_inputs(config);
  if (!drawn) return generator;
  const Index count = drawn->tokens * drawn->features;
  if (count < randn_block) {  // drawing so few leaves a number in the generator
    std::vector<float> numbers(static_cast<std::size_t>(count));
    fill_randn(numbers, generator);
  } else {
    skip_words(generator, words_of_randn(count));
  }
  return generator;
}

}  // namespace attnscope

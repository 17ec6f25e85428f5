#include "core/parameters.h"

#include "core/expected_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attnscope {

namespace {

// A layer of a module, in the words of its constructor.
struct Layer {
  std::string name;  // "heads.0.W_query"
  Index in = 0;
  Index out = 0;
  bool has_bias = false;
};

std::string layer_name(const AttentionConfig& config, Projection projection, Index head) {
  static constexpr std::array<std::string_view, 3> names = {"W_query", "W_key", "W_value"};
  const std::string name(names.at(static_cast<std::size_t>(projection)));
  const bool has_own_heads = info(config.mechanism).has_heads && !info(config.mechanism).splits_heads;
  return has_own_heads ? "heads." + std::to_string(head) + "." + name : name;
}

// The layers in the order of their declaration, which is the order of their draws.
std::vector<Layer> declared_layers(const AttentionConfig& config) {
  const MechanismInfo& mechanism = info(config.mechanism);
  std::vector<Layer> layers;
  if (mechanism.weight_style == WeightStyle::none) return layers;
  const Index modules = mechanism.splits_heads ? 1 : head_count(config);
  const bool has_bias = config.qkv_bias && mechanism.weight_style == WeightStyle::linear;
  for (Index head = 0; head < modules; ++head) {
    for (const Projection projection : config.weight_order) {
      layers.push_back({layer_name(config, projection, head), input_features(config), config.d_out, has_bias});
    }
  }
  if (mechanism.has_output_projection) layers.push_back({"out_proj", config.d_out, config.d_out, true});
  return layers;
}

// nn.Linear.reset_parameters: kaiming_uniform_(weight, a=sqrt(5)), which is 1/sqrt(d_in) but for the last bits; they
// are kept by the same operations in the same order.
float weight_bound(Index fan_in) {
  const double slope = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1.0 + slope * slope));
  return static_cast<float>(std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(fan_in))));
}

float bias_bound(Index fan_in) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(fan_in))); }

Parameter draw_uniform(std::string name, std::vector<Index> shape, float from, float to, Generator& generator,
                       const Execution& execution) {
  Parameter parameter{std::move(name), zeros(std::move(shape), execution)};
  begin_pass(execution, expected_drawing_work(parameter.tensor.size()));
  fill_uniform(parameter.tensor.values, generator, from, to, execution);
  return parameter;
}

}  // namespace

std::vector<ParameterShape> parameter_shapes(const AttentionConfig& config) {
  std::vector<ParameterShape> shapes;
  for (const Layer& layer : declared_layers(config)) {
    if (info(config.mechanism).weight_style == WeightStyle::parameter) {
      shapes.push_back({layer.name, {layer.in, layer.out}});
      continue;
    }
    shapes.push_back({layer.name + ".weight", {layer.out, layer.in}});
    if (layer.has_bias) shapes.push_back({layer.name + ".bias", {layer.out}});
  }
  return shapes;
}

Parameters draw_parameters(const AttentionConfig& config, Generator& generator, const Execution& execution) {
  Parameters parameters;
  for (const Layer& layer : declared_layers(config)) {
    if (info(config.mechanism).weight_style == WeightStyle::parameter) {
      parameters.push_back(draw_uniform(layer.name, {layer.in, layer.out}, 0.0F, 1.0F, generator, execution));
      continue;
    }
    const float bound = weight_bound(layer.in);
    parameters.push_back(
        draw_uniform(layer.name + ".weight", {layer.out, layer.in}, -bound, bound, generator, execution));
    if (!layer.has_bias) continue;
    const float limit = bias_bound(layer.in);
    parameters.push_back(draw_uniform(layer.name + ".bias", {layer.out}, -limit, limit, generator, execution));
  }
  for (Parameter& parameter : parameters) {
    const auto override = config.weight_overrides.find(parameter.name);
    if (override != config.weight_overrides.end()) parameter.tensor = override->second;
  }
  return parameters;
}

const Tensor* find(const Parameters& parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &found->tensor;
}

std::string weight_name(const AttentionConfig& config, Projection projection, Index head) {
  switch (info(config.mechanism).weight_style) {
    case WeightStyle::none:
      return "";
    case WeightStyle::parameter:
      return layer_name(config, projection, head);
    case WeightStyle::linear:
      break;
  }
  return layer_name(config, projection, head) + ".weight";
}

std::string bias_name(const AttentionConfig& config, Projection projection, Index head) {
  const bool has_bias = config.qkv_bias && info(config.mechanism).weight_style == WeightStyle::linear;
  return has_bias ? layer_name(config, projection, head) + ".bias" : "";
}

}  // namespace attnscope

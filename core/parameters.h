#pragma once

#include "core/config.h"
#include "core/random.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// One trainable tensor under its state_dict name: "W_query" (v1), "W_query.weight", "heads.0.W_key.bias",
// "out_proj.weight".
struct Parameter {
  std::string name;
  Tensor tensor;  // PyTorch's layout: nn.Parameter (d_in, d_out), nn.Linear weight (d_out, d_in), bias (d_out)
  bool operator==(const Parameter&) const = default;
};

using Parameters = std::vector<Parameter>;  // in the order in which the module declares, and so draws, them

// Names and shapes that a configuration has, in declaration order; tensors are empty.
struct ParameterShape {
  std::string name;
  std::vector<Index> shape;
};
std::vector<ParameterShape> parameter_shapes(const AttentionConfig& config);

// Draws every parameter as the notebook's module does, then puts the overrides in their places: an override changes no
// other tensor, because the draws still happen. Throws Cancelled.
Parameters draw_parameters(const AttentionConfig& config, Generator& generator, const Execution& execution = {});

const Tensor* find(const Parameters& parameters, std::string_view name);  // null when there is none

// "W_query.weight" of one head: W_query for v1, heads.H.W_query.weight for the wrapper, the shared one elsewhere.
std::string weight_name(const AttentionConfig& config, Projection projection, Index head);
std::string bias_name(const AttentionConfig& config, Projection projection, Index head);  // empty without a bias

}  // namespace attnscope

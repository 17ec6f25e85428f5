#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/random.h"
#include "core/stage.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// One trainable tensor under its state_dict name: "W_query" (v1), "W_query.weight", "heads.0.W_key.bias",
// "out_proj.weight".
struct Parameter {
  std::string name;
  Tensor tensor;      // PyTorch's layout: nn.Parameter (d_in, d_out), nn.Linear weight (d_out, d_in), bias (d_out)
  Tensor drawn = {};  // what the seed gave, if the document overrides it; else empty
  bool operator==(const Parameter&) const = default;
};

using Parameters = std::vector<Parameter>;  // in the order in which the module declares, and so draws, them

// Returns the names and shapes of a configuration's parameters in declaration order; their tensors are empty.
struct ParameterShape {
  std::string name;
  std::vector<Index> shape;
};
std::vector<ParameterShape> parameter_shapes(const AttentionConfig& config);
// 32-bit words of the generator that a parameter is drawn from: one for each number; none for the gain of a norm, which
// begins as ones.
std::uint64_t words_of(const ParameterShape& parameter);
std::uint64_t words_of_parameters(const AttentionConfig& config);  // 0 for a trained model, which draws none

// nn.Linear.reset_parameters draws between -bound and bound: kaiming_uniform_(weight, a=sqrt(5)), which is 1/sqrt(d_in)
// but for the last bits; they are kept by the same operations in the same order.
float linear_weight_bound(Index fan_in);
float linear_bias_bound(Index fan_in);

// Draws every parameter as the notebook's module does, then puts the overrides in their places: an override changes no
// other tensor, because the draws still happen. Throws Cancelled.
Parameters draw_parameters(const AttentionConfig& config, Generator& generator, const Execution& execution = {});

// Returns one parameter as the seed gives it, without its override.
Tensor drawn_parameter(const AttentionConfig& config, std::string_view name);

const Tensor* find(const Parameters& parameters, std::string_view name);  // null when there is none

// The stages of a projection: its weight, its bias and its result.
struct ProjectionStages {
  Stage weight;
  Stage bias;
  Stage result;
};
ProjectionStages stages_of(Projection projection);

// Returns the state_dict name of a stage that is a weight matrix or a bias: "W_query" in v1, "W_query.weight",
// "heads.1.W_query.weight" in the wrapper; empty if the configuration does not have it.
std::string parameter_name(const AttentionConfig& config, Stage parameter, Index head);
// Returns the stage's parameter of one head; null if there is none.
const Parameter* parameter_of(const AttentionConfig& config, const Parameters& parameters, Stage stage, Index head);
// Returns the stage's tensor, without a copy if it is one matrix.
std::shared_ptr<const Tensor> parameter_matrices(const AttentionConfig& config,
                                                 const std::shared_ptr<const Parameters>& parameters, Stage parameter);

struct ForwardPass;

// inputs (B,T,d_in) = torch.stack((x,) * B), where x is torch.randn(T, d_in), what was typed, or what the layers below
// make of a text: `below`, or if it is null they are run for it. Throws Cancelled.
void fill_inputs(Tensor& inputs, const AttentionConfig& config, Generator& generator, const Execution& execution,
                 const ForwardPass* below = nullptr);

// Returns the generator of a configuration when the first weight is drawn: after the inputs, if these are drawn.
Generator generator_before_parameters(const AttentionConfig& config);
// Returns how many words the generator gave until then.
std::uint64_t words_before_parameters(const AttentionConfig& config);

}  // namespace attnscope

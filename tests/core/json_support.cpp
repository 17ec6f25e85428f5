#include "json_support.h"

#include "core/evaluate.h"
#include "core/tensor.h"
#include "tests/support/places.h"

#include <algorithm>
#include <fstream>
#include <map>

namespace attnscope::test {

using nlohmann::json;

namespace {

Mechanism mechanism_from(const std::string& id) {
  const auto found = std::ranges::find(mechanisms(), id, &MechanismInfo::id);
  if (found == mechanisms().end()) throw std::runtime_error("no mechanism is called " + id);
  return found->mechanism;
}

MaskRoute mask_from(const std::string& id) {
  static const std::map<std::string, MaskRoute> routes = {{"none", MaskRoute::none},
                                                          {"causal", MaskRoute::causal},
                                                          {"causal_after_softmax", MaskRoute::causal_after_softmax},
                                                          {"causal_renormalized", MaskRoute::causal_renormalized}};
  return routes.at(id);
}

Projection projection_from(const std::string& id) {
  return id == "query" ? Projection::query : id == "key" ? Projection::key : Projection::value;
}

Inputs inputs_from(const json& inputs) {
  if (inputs.is_object()) return RandnInputs{inputs.at("randn").at(0), inputs.at("randn").at(1)};
  Tensor typed({static_cast<Index>(inputs.size()), static_cast<Index>(inputs.at(0).size())});
  auto place = typed.values.begin();
  for (const json& row : inputs) {
    for (const json& value : row) *place++ = value.get<float>();
  }
  return typed;
}

template <typename Value>
void read(const json& document, const char* key, Value& value) {
  if (document.contains(key)) value = document.at(key).get<Value>();
}

void take_transposed_weights(AttentionConfig& config, const json& from) {
  AttentionConfig source = config;
  source.mechanism = mechanism_from(from.at("mechanism"));
  source.seed = from.at("seed");
  source.skip_draws = from.at("skip_draws");
  const Result result = evaluate(source);
  for (const Parameter& parameter : *result.parameters) {
    Tensor transposed({parameter.tensor.cols(), parameter.tensor.rows()});
    eigen(transposed) = eigen(parameter.tensor).transpose();
    config.weight_overrides[parameter.name + ".weight"] = transposed;
  }
}

}  // namespace

json read_data(const std::string& name) {
  std::ifstream file(data_folder() / name);
  if (!file) throw std::runtime_error("cannot read tests/data/" + name);
  return json::parse(file);
}

Tensor tensor_from(const json& array) {
  Tensor tensor(array.at("shape").get<std::vector<Index>>());
  std::ranges::transform(array.at("values"), tensor.values.begin(), [](const json& value) {
    return value.is_string() ? std::stof(value.get<std::string>()) : value.get<float>();
  });
  return tensor;
}

AttentionConfig config_from(const json& document) {
  AttentionConfig config;
  config.inputs = inputs_from(document.at("inputs"));
  config.mechanism = mechanism_from(document.at("mechanism"));
  config.mask = info(config.mechanism).has_mask_by_default ? MaskRoute::causal : MaskRoute::none;
  config.scale = info(config.mechanism).scales_by_default;
  read(document, "batch_size", config.batch_size);
  read(document, "d_out", config.d_out);
  read(document, "num_heads", config.num_heads);
  read(document, "qkv_bias", config.qkv_bias);
  read(document, "scale", config.scale);
  read(document, "dropout", config.dropout);
  read(document, "training", config.training);
  read(document, "seed", config.seed);
  read(document, "skip_draws", config.skip_draws);
  if (document.value("normalization", "softmax") == "sum") config.normalization = Normalization::sum;
  if (document.contains("mask")) config.mask = mask_from(document.at("mask"));
  if (document.value("dropout_kernel", "mkl") == "default") config.dropout_kernel = DropoutKernel::standard;
  if (document.contains("dropout_seed") && !document.at("dropout_seed").is_null()) {
    config.dropout_seed = document.at("dropout_seed").get<std::uint64_t>();
  }
  if (document.contains("weight_order")) {
    std::ranges::transform(document.at("weight_order"), config.weight_order.begin(),
                           [](const json& name) { return projection_from(name); });
  }
  if (document.contains("weights_from")) take_transposed_weights(config, document.at("weights_from"));
  return config;
}

}  // namespace attnscope::test

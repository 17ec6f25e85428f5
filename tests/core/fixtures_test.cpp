// Numbers that PyTorch itself computed, from tests/data/make_fixtures.py.

#include "core/dropout.h"
#include "json_support.h"
#include "support.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

const json& fixtures() {
  static const json file = read_data("torch_fixtures.json");
  return file;
}

AlignedFloats draw(const json& call, Generator& generator) {
  AlignedFloats values(call.at("size").get<std::size_t>());
  if (call.at("kind") == "randn") {
    fill_randn(values, generator);
  } else if (call.at("kind") == "uniform") {
    fill_uniform(values, generator, call.at("bounds").at(0).get<float>(), call.at("bounds").at(1).get<float>());
  } else {
    fill_uniform(values, generator, 0.0F, 1.0F);
  }
  return values;
}

TEST(TorchFixtures, DrawsAreThoseOfTorch) {
  for (const json& sequence : fixtures().at("draws")) {
    Generator generator(sequence.at("seed").get<std::uint64_t>());
    for (const json& call : sequence.at("draws")) {
      SCOPED_TRACE(call.dump().substr(0, 80) + " after seed " + sequence.at("seed").dump());
      const auto size = call.at("size").get<Index>();
      const Tensor expected({size}, call.at("values").get<AlignedFloats>());
      const Tensor drawn({size}, draw(call, generator));
      EXPECT_TRUE(same_bits(drawn, expected));
    }
  }
}

TEST(TorchFixtures, LinearLayersStartWithTheSameBits) {
  for (const json& layer : fixtures().at("linear")) {
    const Tensor weight = tensor_from(layer.at("weight"));
    AttentionConfig config = config_of(Mechanism::self_attention_v2);
    config.inputs = RandnInputs{.tokens = 1, .features = weight.cols()};
    config.d_out = weight.rows();
    config.qkv_bias = true;
    Generator generator(layer.at("d_in").get<std::uint64_t>());
    const Parameters parameters = draw_parameters(config, generator);
    EXPECT_TRUE(same_bits(parameters.at(0).tensor, weight)) << layer.at("d_in");
    EXPECT_TRUE(same_bits(parameters.at(1).tensor, tensor_from(layer.at("bias")))) << layer.at("d_in");
  }
}

TEST(TorchFixtures, DropoutKeepsTheSameElements) {
  for (const json& fixture : fixtures().at("dropout")) {
    SCOPED_TRACE(fixture.dump());
    const auto kept = fixture.at("kept").get<std::string>();
    std::vector<float> factors(kept.size());
    Generator generator(fixture.at("seed").get<std::uint64_t>());
    const auto kernel = fixture.at("kernel") == "mkl" ? DropoutKernel::mkl : DropoutKernel::standard;
    draw_dropout_factors(factors, generator, fixture.at("rate"), kernel);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(factors[i], kept[i] == '1' ? fixture.at("factor").get<float>() : 0.0F) << i;
    }
    std::vector<float> next(1);
    fill_uniform(next, generator, 0.0F, 1.0F);
    EXPECT_EQ(next[0], fixture.at("next_rand").get<float>()) << "as many words were drawn";
  }
}

bool is_exact(const std::string& stage) { return stage == "inputs" || stage == "mask" || stage == "dropout_factors"; }

void expect_stages(const Result& result, const json& expected) {
  for (const StageInfo& stage : stages()) {
    const std::string id(stage.id);
    if (is_parameter(stage.axes)) continue;  // other fixtures have them by their names in PyTorch
    ASSERT_EQ(result.find(stage.stage) != nullptr, expected.contains(id)) << id;
    if (!expected.contains(id)) continue;
    const Tensor want = tensor_from(expected.at(id));
    const Tensor& got = *result.find(stage.stage);
    EXPECT_TRUE(is_exact(id) ? same_bits(got, want) : close(got, want, 4e-6)) << id;
  }
}

TEST(TorchFixtures, WholeDocumentsAgreeInEveryStage) {
  for (const json& fixture : fixtures().at("documents")) {
    SCOPED_TRACE(fixture.at("document").dump());
    const Result result = evaluate_readable(config_from(fixture.at("document")));
    ASSERT_EQ(result.parameters->size(), fixture.at("parameters").size());
    for (const auto& [name, array] : fixture.at("parameters").items()) {
      const Tensor* parameter = find(*result.parameters, name);
      ASSERT_TRUE(parameter) << name;
      EXPECT_TRUE(same_bits(*parameter, tensor_from(array))) << name;
    }
    expect_stages(result, fixture.at("stages"));
  }
}

}  // namespace
}  // namespace attnscope::test

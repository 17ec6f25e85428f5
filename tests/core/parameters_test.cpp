#include "core/parameters.h"

#include "support.h"

namespace attnscope::test {
namespace {

std::vector<std::string> names_of(const AttentionConfig& config) {
  std::vector<std::string> names;
  for (const ParameterShape& parameter : parameter_shapes(config)) names.push_back(parameter.name);
  return names;
}

using NameList = std::vector<std::string>;

TEST(Parameters, AreNamedAsInAStateDict) {
  EXPECT_EQ(names_of(config_of(Mechanism::simple_self_attention)), NameList());
  EXPECT_EQ(names_of(config_of(Mechanism::self_attention_v1)), (NameList{"W_query", "W_key", "W_value"}));
  AttentionConfig config = config_of(Mechanism::multi_head_attention);
  config.qkv_bias = true;
  config.weight_order = {Projection::key, Projection::query, Projection::value};
  EXPECT_EQ(names_of(config), (NameList{"W_key.weight", "W_key.bias", "W_query.weight", "W_query.bias",
                                        "W_value.weight", "W_value.bias", "out_proj.weight", "out_proj.bias"}));
  EXPECT_EQ(names_of(config_of(Mechanism::multi_head_attention_wrapper)),
            (NameList{"heads.0.W_query.weight", "heads.0.W_key.weight", "heads.0.W_value.weight",
                      "heads.1.W_query.weight", "heads.1.W_key.weight", "heads.1.W_value.weight"}));
}

TEST(Parameters, HaveTheShapesThatTheirListAnnounces) {
  for (const AttentionConfig& config : varied_configs()) {
    Generator generator(config.seed);
    const Parameters parameters = draw_parameters(config, generator);
    const std::vector<ParameterShape> shapes = parameter_shapes(config);
    ASSERT_EQ(parameters.size(), shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      EXPECT_EQ(parameters[i].name, shapes[i].name);
      EXPECT_EQ(parameters[i].tensor.shape, shapes[i].shape);
    }
  }
}

TEST(Parameters, OfEveryHeadAreFoundByTheirNames) {
  for (const AttentionConfig& config : varied_configs()) {
    Generator generator(config.seed);
    const Parameters parameters = draw_parameters(config, generator);
    for (Index head = 0; head < head_count(config); ++head) {
      for (const Projection projection : config.weight_order) {
        const std::string weight = parameter_name(config, stages_of(projection).weight, head);
        const std::string bias = parameter_name(config, stages_of(projection).bias, head);
        EXPECT_EQ(find(parameters, weight) != nullptr, config.mechanism != Mechanism::simple_self_attention);
        EXPECT_EQ(find(parameters, bias) != nullptr, !bias.empty()) << bias;
      }
    }
  }
}

TEST(Parameters, AnotherOrderDrawsAnotherWeight) {
  AttentionConfig config = config_of(Mechanism::causal_attention);
  Generator first(123);
  const Parameters query_first = draw_parameters(config, first);
  config.weight_order = {Projection::key, Projection::query, Projection::value};
  Generator second(123);
  const Parameters key_first = draw_parameters(config, second);
  EXPECT_EQ(*find(query_first, "W_query.weight"), *find(key_first, "W_key.weight"));
  EXPECT_EQ(*find(query_first, "W_value.weight"), *find(key_first, "W_value.weight"));
  EXPECT_EQ(first, second);
}

TEST(Parameters, AnOverrideChangesNoOtherTensor) {
  for (const AttentionConfig& config : varied_configs()) {
    Generator plain(config.seed);
    const Parameters drawn = draw_parameters(config, plain);
    for (const Parameter& replaced : drawn) {
      AttentionConfig changed = config;
      const Tensor replacement = noise(replaced.tensor.shape, 77);
      changed.weight_overrides[replaced.name] = replacement;
      Generator generator(config.seed);
      for (const Parameter& parameter : draw_parameters(changed, generator)) {
        const bool is_replaced = parameter.name == replaced.name;
        const Tensor& expected = is_replaced ? replacement : *find(drawn, parameter.name);
        EXPECT_EQ(parameter.tensor, expected) << parameter.name << " after replacing " << replaced.name;
      }
      EXPECT_EQ(generator, plain) << "what is drawn afterwards stays the same";
    }
  }
}

TEST(Parameters, UnknownNameIsNotFound) { EXPECT_EQ(find(Parameters(), "W_query"), nullptr); }

}  // namespace
}  // namespace attnscope::test

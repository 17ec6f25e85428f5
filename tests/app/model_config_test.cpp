// Every key of a config.json that is read, what stands in for it where it is missing or null, and its limits.

#include "files/model_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace attnscope::test {
namespace {

using ConfigJson = nlohmann::json;

// Everything that a config.json says, or the sentence that refuses it.
std::string config_outcome(const ConfigJson& json) {
  try {
    const ModelConfig config = parse_model_config(json.dump());
    const TransformerShape& shape = config.shape;
    const char* const activation = shape.activation == Activation::gelu        ? "gelu"
                                   : shape.activation == Activation::gelu_tanh ? "gelu_tanh"
                                   : shape.activation == Activation::relu      ? "relu"
                                                                               : "silu";
    std::string text = fmt::format(
        "{} layers, {}/{} heads of {}, {} features, {} hidden, {} words, {} positions, {} norm {}, {}", shape.layers,
        shape.heads, shape.key_value_heads, shape.head_dim, shape.features, shape.hidden, shape.vocabulary,
        shape.context_length, shape.norm == NormKind::rms ? "rms" : "layer", shape.epsilon, activation);
    if (shape.is_gated) text += ", gated";
    if (shape.has_qk_norm) text += ", qk norm";
    if (shape.has_qkv_bias) text += ", bias";
    if (shape.rope) text += fmt::format(", rope {}", shape.rope->base);
    if (shape.rope && shape.rope->dims) text += fmt::format(" of {} dimensions", *shape.rope->dims);
    if (shape.rope && shape.rope->scaling) {
      const RopeScaling& scaling = *shape.rope->scaling;
      text += scaling.kind == RopeScalingKind::linear ? fmt::format(" / {}", scaling.factor)
                                                      : fmt::format(" llama3 {} {} {} {}", scaling.factor, scaling.low,
                                                                    scaling.high, scaling.original_length);
    }
    if (shape.sliding_window) text += fmt::format(", window {}", *shape.sliding_window);
    if (config.is_tied) text += ", tied";
    return text + fmt::format(", {}{}", config.names->prefix, config.names->layer);
  } catch (const Error& error) {
    return error.what();
  }
}

struct ConfigCase {
  ConfigJson changes;
  std::string outcome;
};

void expect_outcomes(const ConfigJson& base, std::span<const ConfigCase> cases) {
  for (const ConfigCase& each : cases) {
    ConfigJson config = base;
    config.update(each.changes);
    EXPECT_EQ(config_outcome(config), each.outcome) << each.changes;
  }
}

const std::string known_families =
    "; known are gpt2, gpt_neo, gpt_neox, opt, llama, mistral, qwen2, qwen3, gemma, gemma2, gemma3_text, phi, phi3, "
    "bert, roberta and distilbert, and the book's GPTModel with vocab_size, context_length, emb_dim, n_heads and "
    "n_layers.";

std::string not_known(const std::string& activation) {
  return "config.json: the activation \"" + activation +
         "\" is not known; known ones are gelu, gelu_new, silu and relu.";
}

TEST(ModelConfigForms, OfGpt2) {
  const ConfigJson base = {{"model_type", "gpt2"}, {"vocab_size", 10}, {"n_positions", 16},
                           {"n_embd", 8},          {"n_layer", 2},     {"n_head", 4}};
  const std::string sizes = "2 layers, 4/4 heads of 2, 8 features, 32 hidden, 10 words, 16 positions, ";
  const std::string whole = sizes + "layer norm 1e-05, gelu_tanh, tied, transformer.h.{}.";
  const std::string scaled =
      "config.json: scores that are scaled in another way than by the width of a head are not known.";
  const auto activated = [&](const std::string& by) {
    return sizes + "layer norm 1e-05, " + by + ", tied, transformer.h.{}.";
  };
  const ConfigCase cases[] = {
      {ConfigJson::object(), whole},
      {{{"n_ctx", 12}, {"architectures", {"GPT2LMHeadModel"}}, {"resid_pdrop", 0.1}}, whole},
      {{{"n_positions", nullptr}, {"n_ctx", 12}},
       "2 layers, 4/4 heads of 2, 8 features, 32 hidden, 10 words, 12 positions, layer norm 1e-05, gelu_tanh, tied, "
       "transformer.h.{}."},
      {{{"n_inner", nullptr}, {"activation_function", nullptr}, {"layer_norm_epsilon", nullptr}}, whole},
      {{{"tie_word_embeddings", nullptr}, {"scale_attn_weights", nullptr}}, whole},
      {{{"n_inner", 20}, {"layer_norm_epsilon", 0.5}, {"tie_word_embeddings", false}},
       "2 layers, 4/4 heads of 2, 8 features, 20 hidden, 10 words, 16 positions, layer norm 0.5, gelu_tanh, "
       "transformer.h.{}."},
      {{{"n_head", 2}},
       "2 layers, 2/2 heads of 4, 8 features, 32 hidden, 10 words, 16 positions, layer norm 1e-05, gelu_tanh, tied, "
       "transformer.h.{}."},
      {{{"activation_function", "gelu"}}, activated("gelu")},
      {{{"activation_function", "gelu_new"}}, activated("gelu_tanh")},
      {{{"activation_function", "gelu_pytorch_tanh"}}, activated("gelu_tanh")},
      {{{"activation_function", "gelu_fast"}}, activated("gelu_tanh")},
      {{{"activation_function", "silu"}}, activated("silu")},
      {{{"activation_function", "swish"}}, activated("silu")},
      {{{"activation_function", "tanh"}}, not_known("tanh")},
      {{{"activation_function", "relu"}}, activated("relu")},
      {{{"activation_function", "GELU"}}, not_known("GELU")},
      {{{"scale_attn_weights", true}, {"scale_attn_by_inverse_layer_idx", false}}, whole},
      {{{"scale_attn_weights", false}}, scaled},
      {{{"scale_attn_by_inverse_layer_idx", true}}, scaled},
      {{{"layer_norm_epsilon", 0}}, sizes + "layer norm 0, gelu_tanh, tied, transformer.h.{}."},
      {{{"layer_norm_epsilon", 1}}, "The epsilon of the norms must be a number from 0 to 1."},
      {{{"layer_norm_epsilon", -1e-9}}, "The epsilon of the norms must be a number from 0 to 1."},
      {{{"layer_norm_epsilon", "1e-5"}}, "layer_norm_epsilon is \"1e-5\", but it must be a number."},
      {{{"n_head", 3}}, "config.json: 3 heads cannot share 8 features evenly."},
      {{{"n_head", 0}}, "n_head is 0, but it must be a whole number from 1 to 16777216."},
      {{{"n_head", 2.0}}, "n_head is 2.0, but it must be a whole number from 1 to 16777216."},
      {{{"n_layer", nullptr}}, "n_layer is null, but it must be a whole number from 1 to 16777216."},
      {{{"model_type", "GPT2"}}, "config.json: the family of models \"GPT2\" is not known" + known_families},
      {{{"model_type", nullptr}},
       "config.json: it has no \"model_type\", which names the family of models" + known_families},
  };
  expect_outcomes(base, cases);
}

TEST(ModelConfigForms, OfTheFamilyOfLlama) {
  const ConfigJson base = {{"model_type", "llama"},   {"vocab_size", 10},       {"max_position_embeddings", 16},
                           {"hidden_size", 8},        {"num_hidden_layers", 2}, {"num_attention_heads", 4},
                           {"intermediate_size", 20}, {"sliding_window", 6}};
  const std::string sizes = "2 layers, 4/4 heads of 2, 8 features, 20 hidden, 10 words, 16 positions, ";
  const std::string before = sizes + "rms norm 1e-06, silu, gated, ";
  const std::string layers = ", model.layers.{}.";
  const std::string whole = before + "rope 10000" + layers;
  const auto unknown = [](const std::string& value, const std::string& what) {
    return "config.json: " + value + ", but models with " + what + " are not known.";
  };
  const std::string partial = "rotary positions for a part of each head";
  const auto rotary = [](const std::string& kind) {
    return "config.json: rotary positions of the kind \"" + kind +
           "\" are not known; known are default, linear and llama3.";
  };
  const ConfigCase cases[] = {
      {ConfigJson::object(), whole},
      {{{"use_sliding_window", false}}, whole},
      {{{"use_sliding_window", true}}, unknown("use_sliding_window is true", "a sliding window in this family")},
      {{{"model_type", "mistral"}}, before + "rope 10000, window 6" + layers},
      {{{"model_type", "mistral"}, {"sliding_window", nullptr}}, whole},
      {{{"model_type", "qwen2"}}, whole},
      {{{"model_type", "qwen3"}}, before + "qk norm, rope 10000" + layers},
      {{{"model_type", "qwen3"}, {"rms_norm_eps", 1e-6}}, before + "qk norm, rope 10000" + layers},
      {{{"model_type", "qwen3"}, {"rms_norm_eps", 1e-5}},
       "config.json: rms_norm_eps is 1e-05, but queries and keys can be normalized with 1e-06 alone."},
      {{{"rms_norm_eps", 1e-5}}, sizes + "rms norm 1e-05, silu, gated, rope 10000" + layers},
      {{{"hidden_act", "gelu"}}, sizes + "rms norm 1e-06, gelu, gated, rope 10000" + layers},
      {{{"hidden_act", nullptr}}, whole},
      {{{"hidden_act", "tanh"}}, not_known("tanh")},
      {{{"tie_word_embeddings", true}}, before + "rope 10000, tied" + layers},
      {{{"tie_word_embeddings", false}}, whole},
      {{{"num_key_value_heads", 2}, {"head_dim", 3}},
       "2 layers, 4/2 heads of 3, 8 features, 20 hidden, 10 words, 16 positions, rms norm 1e-06, silu, gated, rope "
       "10000" +
           layers},
      {{{"num_key_value_heads", nullptr}, {"head_dim", nullptr}}, whole},
      {{{"num_attention_heads", 3}},  // the width of a head need not be that of a share of the features
       "2 layers, 3/3 heads of 2, 8 features, 20 hidden, 10 words, 16 positions, rms norm 1e-06, silu, gated, rope "
       "10000" +
           layers},
      {{{"num_attention_heads", 9}},
       "2 layers, 9/9 heads of 1, 8 features, 20 hidden, 10 words, 16 positions, rms norm 1e-06, silu, gated, rope "
       "10000" +
           layers},
      {{{"num_key_value_heads", 3}},
       "The model has 4 heads of queries and 3 of keys and values, but the second must divide the first."},
      {{{"num_key_value_heads", 8}},
       "The model has 4 heads of queries and 8 of keys and values, but the second must divide the first."},
      {{{"rope_theta", 500000.0}}, before + "rope 500000" + layers},
      {{{"rope_theta", nullptr}}, whole},
      {{{"rope_theta", "500"}}, "rope_theta is \"500\", but it must be a number."},
      {{{"rope_theta", 500}, {"rope_scaling", nullptr}, {"rope_parameters", nullptr}}, before + "rope 500" + layers},
      {{{"rope_theta", 500}, {"rope_scaling", {{"rope_type", "default"}}}}, before + "rope 500" + layers},
      {{{"rope_scaling", {{"type", "default"}, {"factor", 2}}}}, whole},
      {{{"rope_scaling", ConfigJson::object()}}, whole},
      {{{"rope_scaling", {{"type", "linear"}, {"factor", 2}}}}, before + "rope 10000 / 2" + layers},
      {{{"rope_scaling", {{"rope_type", "llama3"}, {"type", "default"}}}},
       before + "rope 10000 llama3 8 1 4 8192" + layers},
      {{{"rope_parameters",
         {{"rope_type", "llama3"},
          {"rope_theta", 5e5},
          {"factor", 32},
          {"low_freq_factor", 2},
          {"high_freq_factor", 3},
          {"original_max_position_embeddings", 99}}}},
       before + "rope 500000 llama3 32 2 3 99" + layers},
      {{{"rope_scaling", {{"rope_type", "linear"}, {"beta_fast", 32}}}},
       "config.json: rope_scaling.beta_fast is 32, but what it does in this family is not known, so that the "
       "numbers could be wrong. Remove it if it changes nothing."},
      {{{"rope_parameters", {{"rope_type", "yarn"}, {"rope_theta", 700}}}}, rotary("yarn")},
      {{{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 700}}}, {"rope_theta", 500}},
       before + "rope 700" + layers},
      {{{"rope_parameters", {{"rope_theta", 700}}}}, before + "rope 700" + layers},
      {{{"rope_parameters", {{"rope_type", "default"}}}}, whole},
      {{{"rope_parameters", {{"rope_theta", 700}}}, {"rope_scaling", {{"type", "dynamic"}}}}, rotary("dynamic")},
      {{{"rope_parameters", {{"rope_type", "default"}}}, {"rope_theta", 500}}, before + "rope 500" + layers},
      {{{"rope_scaling", {{"type", "default"}, {"rope_theta", 700}}}, {"rope_theta", 500}},
       before + "rope 700" + layers},
      {{{"rope_scaling", "linear"}},
       "rope_scaling is \"linear\", but it must be an object of rotary positions, or null."},
      {{{"rope_parameters", {{"full_attention", {{"rope_theta", 700}}}}}},
       unknown("rope_parameters.full_attention is {\"rope_theta\":700}",
               "rotary positions that differ between layers")},
      {{{"rope_parameters", {{"rope_theta", 700}, {"partial_rotary_factor", 0.25}}}},
       unknown("rope_parameters.partial_rotary_factor is 0.25", partial)},
      {{{"partial_rotary_factor", 0.5}}, unknown("partial_rotary_factor is 0.5", partial)},
      {{{"partial_rotary_factor", 1.0}}, whole},
      {{{"partial_rotary_factor", nullptr}}, whole},
      {{{"model_type", "mistral"}}, before + "rope 10000, window 6" + layers},
  };
  expect_outcomes(base, cases);
}

// Each of these keys would change the numbers of a model, whatever its family.
TEST(ModelConfigForms, PartsThatAreNotComputedAreRefused) {
  const ConfigJson bases[] = {
      {{"model_type", "gpt2"}, {"vocab_size", 10}, {"n_positions", 16}, {"n_embd", 8}, {"n_layer", 2}, {"n_head", 4}},
      {{"vocab_size", 10}, {"context_length", 16}, {"emb_dim", 8}, {"n_heads", 4}, {"n_layers", 2}}};
  const ConfigCase cases[] = {
      {{{"attn_logit_softcapping", 50.0}}, "attn_logit_softcapping is 50.0, but models with capped scores"},
      {{{"final_logit_softcapping", 30}}, "final_logit_softcapping is 30, but models with capped logits"},
      {{{"query_pre_attn_scalar", 256}}, "query_pre_attn_scalar is 256, but models with scores that are scaled"},
      {{{"attention_multiplier", 0.1}}, "attention_multiplier is 0.1, but models with scores that are scaled"},
      {{{"logits_scaling", 8}}, "logits_scaling is 8, but models with scaled logits"},
      {{{"logit_scale", 0.1}}, "logit_scale is 0.1, but models with scaled logits"},
      {{{"embedding_multiplier", 12}}, "embedding_multiplier is 12, but models with scaled embeddings"},
      {{{"scale_emb", 12}}, "scale_emb is 12, but models with scaled embeddings"},
      {{{"residual_multiplier", 0.2}}, "residual_multiplier is 0.2, but models with a scaled residual stream"},
      {{{"scale_depth", 1.4}}, "scale_depth is 1.4, but models with a scaled residual stream"},
      {{{"rotary_pct", 0.25}}, "rotary_pct is 0.25, but models with rotary positions for a part of each head"},
      {{{"no_rope_layers", {1, 0}}}, "no_rope_layers is [1,0], but models with layers without rotary positions"},
      {{{"sliding_window_size", 4}}, "sliding_window_size is 4, but models with the sliding window of the book's"},
      {{{"attention_chunk_size", 4}}, "attention_chunk_size is 4, but models with attention within chunks"},
      {{{"use_qk_norm", true}}, "use_qk_norm is true, but models with normalized queries and keys"},
      {{{"qk_layernorm", true}}, "qk_layernorm is true, but models with normalized queries and keys"},
      {{{"clip_qkv", 8}}, "clip_qkv is 8, but models with clipped queries, keys and values"},
      {{{"alibi", true}}, "alibi is true, but models with biases that grow with the distance"},
      {{{"parallel_attn", true}},
       "parallel_attn is true, but models with attention and feed-forward part side by side"},
      {{{"use_parallel_residual", true}}, "use_parallel_residual is true, but models with attention and feed-forward"},
      {{{"add_cross_attention", true}}, "add_cross_attention is true, but models with attention to another text"},
  };
  for (const ConfigJson& base : bases) {
    const std::string whole = config_outcome(base);
    for (const ConfigCase& each : cases) {
      ConfigJson config = base;
      config.update(each.changes);
      EXPECT_TRUE(config_outcome(config).starts_with("config.json: " + each.outcome)) << config_outcome(config);
      const std::string key = each.changes.begin().key();
      for (const ConfigJson& neutral : {ConfigJson(), ConfigJson(false)}) {
        config[key] = neutral;
        EXPECT_EQ(config_outcome(config), whole) << config;
      }
    }
    for (const char* key :
         {"logits_scaling", "logit_scale", "embedding_multiplier", "residual_multiplier", "rotary_pct"}) {
      ConfigJson config = base;
      config[key] = 1.0;
      EXPECT_EQ(config_outcome(config), whole) << config;
    }
  }
}

TEST(ModelConfigForms, OfTheBook) {
  const ConfigJson base = {{"vocab_size", 10}, {"context_length", 16}, {"emb_dim", 8},    {"n_heads", 4},
                           {"n_layers", 2},    {"drop_rate", 0.1},     {"qkv_bias", true}};
  const std::string whole =
      "2 layers, 4/4 heads of 2, 8 features, 32 hidden, 10 words, 16 positions, layer norm 1e-05, gelu_tanh, "
      "trf_blocks.{}.";
  const ConfigCase cases[] = {
      {ConfigJson::object(), whole},
      {{{"model_type", ""}}, whole},
      {{{"model_type", nullptr}}, whole},
      {{{"n_heads", 3}}, "config.json: 3 heads cannot share 8 features evenly."},
      {{{"model_type", "book"}}, "config.json: the family of models \"book\" is not known" + known_families},
      {{{"emb_dim", nullptr}},
       "config.json: it has no \"model_type\", which names the family of models" + known_families},
  };
  expect_outcomes(base, cases);
  EXPECT_EQ(config_outcome(ConfigJson::array()), "config.json must be an object of a model's settings.");
}

// A key that may change the numbers is used or refused, whatever its family; others are passed over.
TEST(ModelConfigForms, UnknownKeysAreRefusedUnlessTheyChangeNothing) {
  const ConfigJson gpt2 = {{"model_type", "gpt2"}, {"vocab_size", 10}, {"n_positions", 16},
                           {"n_embd", 8},          {"n_layer", 2},     {"n_head", 4}};
  const ConfigJson llama = {{"model_type", "llama"},  {"vocab_size", 10},       {"max_position_embeddings", 16},
                            {"hidden_size", 8},       {"num_hidden_layers", 2}, {"num_attention_heads", 4},
                            {"intermediate_size", 20}};
  for (const ConfigJson& base : {gpt2, llama}) {
    const std::string whole = config_outcome(base);
    const auto with = [&](const std::string& key, const ConfigJson& value) {
      ConfigJson config = base;
      config[key] = value;
      return config_outcome(config);
    };
    for (const ConfigJson& value :
         {ConfigJson(true), ConfigJson(0), ConfigJson("x"), ConfigJson({1}), ConfigJson(0.5)}) {
      EXPECT_TRUE(with("new_idea", value).starts_with("config.json: new_idea is ")) << value;
      EXPECT_EQ(with("_note", value), whole);
      EXPECT_EQ(with("attention_dropout", value), whole);
      EXPECT_EQ(with("eos_token_id", value), whole);
    }
    for (const ConfigJson& value :
         {ConfigJson(), ConfigJson(false), ConfigJson(""), ConfigJson::array(), ConfigJson::object()})
      EXPECT_EQ(with("new_idea", value), whole) << value;
  }
}

TEST(ModelConfigForms, OfFamiliesWithTheirOwnParts) {
  const ConfigJson sizes = {{"vocab_size", 10},       {"max_position_embeddings", 16}, {"hidden_size", 8},
                            {"num_hidden_layers", 2}, {"num_attention_heads", 2},      {"intermediate_size", 20}};
  const std::string before = "2 layers, 2/2 heads of 4, 8 features, 20 hidden, 10 words, ";
  const auto of = [&](const std::string& family, const ConfigJson& changes = ConfigJson::object()) {
    ConfigJson config = sizes;
    config["model_type"] = family;
    config.update(changes);
    return config_outcome(config);
  };
  const std::string pythia = before + "16 positions, layer norm 1e-05, gelu, rope 10000";
  EXPECT_EQ(of("gpt_neox"), pythia + " of 1 dimensions, gpt_neox.layers.{}.");
  EXPECT_EQ(of("gpt_neox", {{"rotary_pct", 0.5}, {"rotary_emb_base", 50}}),
            before + "16 positions, layer norm 1e-05, gelu, rope 50 of 2 dimensions, gpt_neox.layers.{}.");
  EXPECT_EQ(of("gpt_neox", {{"rotary_pct", 1.5}}),
            "config.json: the part of a head that turns is 1.5, but it must be from 0 to 1.");
  EXPECT_EQ(of("phi", {{"rope_parameters", {{"partial_rotary_factor", 1}}}, {"rope_theta", 3}}),
            before + "16 positions, layer norm 1e-05, gelu_tanh, rope 3, model.layers.{}.");
  EXPECT_EQ(
      of("phi", {{"qk_layernorm", true}}),
      "config.json: qk_layernorm is true, but models with normalized queries and keys in this family are not known.");
  EXPECT_EQ(of("bert"), before + "16 positions, layer norm 1e-12, gelu, tied, bert.encoder.layer.{}.");
  EXPECT_EQ(of("roberta"), before + "14 positions, layer norm 1e-12, gelu, tied, roberta.encoder.layer.{}.");
  EXPECT_EQ(
      of("roberta", {{"pad_token_id", 0}}),
      "config.json: pad_token_id is 0, but models with another padding token than 1 in this family are not known.");
  EXPECT_EQ(
      of("bert", {{"position_embedding_type", "relative_key"}}),
      "config.json: position_embedding_type is \"relative_key\", but models with positions that are not added to the "
      "embeddings in this family are not known.");
  EXPECT_EQ(of("gemma", {{"head_dim", 4}}),
            before + "16 positions, rms norm 1e-06, gelu_tanh, gated, rope 10000, tied, model.layers.{}.");
  EXPECT_EQ(of("gemma2", {{"head_dim", 4}, {"sliding_window", 5}}),
            before + "16 positions, rms norm 1e-06, gelu_tanh, gated, rope 10000, window 5, tied, model.layers.{}.");
  EXPECT_EQ(of("gemma2", {{"final_logit_softcapping", 0}}),
            "final_logit_softcapping is 0, but it must be a number above 0, or null for none.");
  EXPECT_EQ(of("gemma3_text", {{"head_dim", 4}, {"sliding_window", 5}, {"use_bidirectional_attention", true}}),
            "config.json: use_bidirectional_attention is true, but models with a mask that shows later tokens in this "
            "family are not known.");
  EXPECT_EQ(of("phi3", {{"sliding_window", 5}}),
            before + "16 positions, rms norm 1e-05, silu, gated, rope 10000, window 5, model.layers.{}.");
  EXPECT_EQ(
      of("phi3", {{"rope_scaling", {{"type", "longrope"}}}}),
      "config.json: rotary positions of the kind \"longrope\" are not known; known are default, linear and llama3.");
  EXPECT_EQ(of("opt", {{"ffn_dim", 12}}),
            "config.json: intermediate_size is 20, but what it does in this family is not known, so that "
            "the numbers could be wrong. Remove it if it changes nothing.");
  EXPECT_EQ(of("opt", {{"ffn_dim", 12}, {"do_layer_norm_before", false}}),
            "config.json: do_layer_norm_before is false, but models with norms behind attention in this family are not "
            "known.");
  const ConfigJson neo = {
      {"num_layers", 2}, {"num_heads", 2}, {"num_hidden_layers", nullptr}, {"num_attention_heads", nullptr}};
  EXPECT_EQ(of("gpt_neo", neo),
            before + "16 positions, layer norm 1e-05, gelu_tanh, window 256, tied, transformer.h.{}.");
  ConfigJson other = neo;
  other["attention_types"] = {{{"global"}, 3}};
  EXPECT_EQ(of("gpt_neo", other), "config.json: attention_types names the attention of 3 layers, but the model has 2.");
}

TEST(ModelConfigForms, SizesHaveLimits) {
  const ConfigJson base = {{"model_type", "mistral"}, {"vocab_size", 10},       {"max_position_embeddings", 16},
                           {"hidden_size", 8},        {"num_hidden_layers", 2}, {"num_attention_heads", 4},
                           {"intermediate_size", 20}, {"head_dim", 2}};
  const struct {
    const char* key;
    Index most;
    std::string name;
  } cases[] = {
      {"num_hidden_layers", 256, "The number of layers"},
      {"num_attention_heads", 128, "The number of heads"},
      {"head_dim", 12288 / 4, "The width of the heads together"},
      {"hidden_size", 12288, "The number of features"},
      {"intermediate_size", 65536, "The width of the feed-forward part"},
      {"vocab_size", 1'000'000, "The number of words"},
      {"max_position_embeddings", 1 << 24, "max_position_embeddings"},
      {"sliding_window", 1 << 24, "sliding_window"},
  };
  for (const auto& each : cases) {
    ConfigJson config = base;
    config[each.key] = each.most;
    EXPECT_NO_THROW(parse_model_config(config.dump())) << each.key;
    config[each.key] = each.most + 1;
    const bool is_together = each.name.ends_with("together");
    EXPECT_EQ(config_outcome(config),
              fmt::format("{} is {}, but it must be a whole number from 1 to {}.", each.name,
                          (each.most + 1) * (is_together ? 4 : 1), is_together ? 12288 : each.most));
  }
  ConfigJson config = base;
  config["num_attention_heads"] = 1;
  config["head_dim"] = 12289;
  EXPECT_EQ(config_outcome(config), "The width of a head is 12289, but it must be a whole number from 1 to 12288.");
  config["head_dim"] = 12288;
  EXPECT_NO_THROW(parse_model_config(config.dump()));
  config["num_key_value_heads"] = 129;
  EXPECT_EQ(config_outcome(config),
            "The number of heads of keys and values is 129, but it must be a whole number from 1 to 128.");
}

ConfigJson two_layers_of_four_heads() {
  return {{"model_type", "gpt2"}, {"vocab_size", 10}, {"n_positions", 16},
          {"n_embd", 8},          {"n_layer", 2},     {"n_head", 4}};
}

TEST(ModelConfig, HeadsHaveTheNamesOfTheFile) {
  ConfigJson config = two_layers_of_four_heads();
  EXPECT_TRUE(parse_model_config(config.dump()).head_names.empty());
  config["attnscope_head_names"] = nullptr;
  EXPECT_TRUE(parse_model_config(config.dump()).head_names.empty());
  config["attnscope_head_names"] = {{"0.3", "previous word"}, {"1.0", std::string(60, 'x')}};
  const std::map<std::pair<Index, Index>, std::string> names = {{{0, 3}, "previous word"},
                                                                {{1, 0}, std::string(60, 'x')}};
  EXPECT_EQ(parse_model_config(config.dump()).head_names, names);
}

TEST(ModelConfig, NamesOfHeadsThatDoNotExistAreRefused) {
  for (const char* const place :
       {"2.0", "0.4", "-1.0", "0.-1", "0", "", ".", "0.", ".1", "0.1.2", "a.b", "0.1 ", "+0.1"}) {
    ConfigJson config = two_layers_of_four_heads();
    config["attnscope_head_names"][place] = "previous word";
    EXPECT_EQ(config_outcome(config),
              fmt::format("config.json: attnscope_head_names names the head \"{}\", but the model has layers 0 to 1 of "
                          "heads 0 to 3: \"0.3\" is head 3 of layer 0.",
                          place));
  }
}

TEST(ModelConfig, NamesOfHeadsAreShortTextsOfOneLine) {
  const auto outcome = [](const ConfigJson& name) {
    ConfigJson config = two_layers_of_four_heads();
    config["attnscope_head_names"]["0.3"] = name;
    return config_outcome(config);
  };
  for (const std::string& name : {std::string(), std::string(61, 'x'), std::string("two\nlines")})
    EXPECT_TRUE(outcome(name).ends_with("but it must be a name of one line with 1 to 60 bytes.")) << outcome(name);
  EXPECT_TRUE(outcome(7).ends_with("but it must be a name.")) << outcome(7);
  ConfigJson config = two_layers_of_four_heads();
  config["attnscope_head_names"] = "previous word";
  EXPECT_NE(config_outcome(config).find("an object of names"), std::string::npos) << config_outcome(config);
}

}  // namespace
}  // namespace attnscope::test

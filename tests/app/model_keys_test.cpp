// Every key of a document, in a document that begins with a trained model: it is applied, or refused with a sentence.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "core/config_fields.h"
#include "core/error.h"
#include "core/evaluate.h"
#include "document/edit.h"
#include "document/json.h"
#include "tests/support/letters_model.h"

namespace attnscope::test {
namespace {

enum class Outcome { same, applied, refused };

struct KeyCase {
  std::string key;  // of the configuration's table, or of a document
  std::string json;
  Outcome in_document;
  Outcome in_other_layer;
};

KeyCase both(const std::string& key, const std::string& json, Outcome outcome) { return {key, json, outcome, outcome}; }

const std::vector<KeyCase>& cases() {
  using enum Outcome;
  static const std::vector<KeyCase> all = {
      both("batch_size", R"("batch_size": 1)", same),
      both("batch_size", R"("batch_size": 2)", refused),
      both("batch_size", R"("batch_size": 64)", refused),
      both("mechanism", R"("mechanism": "multi_head_attention")", same),
      both("mechanism", R"("mechanism": "causal_attention")", refused),
      both("mechanism", R"("mechanism": "multi_head_attention_wrapper")", refused),
      both("mechanism", R"("mechanism": "scaled_dot_product_attention")", refused),
      both(
          "mechanism",
          R"("mechanism": "scaled_dot_product_attention", "given": {"queries": [[1]], "keys": [[1]], "values": [[1]]})",
          refused),
      both("d_out", R"("d_out": 8)", same),
      both("d_out", R"("d_out": 4)", refused),
      both("d_out", R"("d_out": 16)", refused),
      both("num_heads", R"("num_heads": 2)", same),
      both("num_heads", R"("num_heads": 1)", refused),
      both("num_heads", R"("num_heads": 4)", refused),
      both("num_heads", R"("num_heads": 4, "num_kv_heads": 2)", refused),
      both("num_kv_heads", R"("num_kv_heads": 1)", refused),
      both("num_kv_heads", R"("num_kv_heads": null)", same),
      both("qkv_bias", R"("qkv_bias": true)", same),
      both("qkv_bias", R"("qkv_bias": false)", applied),
      both("qk_norm", R"("qk_norm": "rms")", applied),
      both("rope", R"("rope": {"base": 50})", applied),
      both("rope.layout", R"("rope": {"layout": "interleaved"})", applied),
      both("rope.base", R"("rope": {"base": 0})", refused),
      both("rope.dims", R"("rope": {"dims": 2})", applied),
      both("rope.dims", R"("rope": {"dims": 3})", refused),
      both("rope.offset", R"("rope": {"offset": 7})", applied),
      both("normalization", R"("normalization": "sum")", applied),
      both("mask", R"("mask": "none")", applied),
      both("mask", R"("mask": "causal_after_softmax")", applied),
      both("mask", R"("mask": "causal_renormalized")", applied),
      both("hidden", R"("mask": "custom", "hidden": [[[1, 5]], [], [[0, 1]], [], []])", applied),
      both("hidden", R"("mask": "custom", "hidden": [[[1, 5]]])", refused),
      both("hidden", R"("hidden": [[[1, 5]], [], [], [], []])", same),
      both("mask_alignment", R"("mask_alignment": "upper_left")", applied),
      both("sliding_window", R"("sliding_window": 2)", applied),
      both("scale", R"("scale": false)", applied),
      both("scale", R"("scale": 0.5)", applied),
      both("softcap", R"("softcap": 2)", applied),
      both("bias", R"("bias": [[0, 0, 0, 0, -1]])", applied),
      both("bias", R"("bias": "bias.npy")", applied),
      both("bias", R"("bias": [[1, 2]])", refused),
      both("dropout", R"("dropout": 0.5)", applied),
      both("dropout", R"("dropout": 2)", refused),
      both("training", R"("training": false)", applied),
      both("seed", R"("seed": 5, "dropout": 0.5)", applied),
      both("skip_draws", R"("skip_draws": 7, "dropout": 0.5)", applied),
      both("dropout_seed", R"("dropout_seed": 3, "dropout": 0.5)", applied),
      both("dropout_kernel", R"("dropout_kernel": "default", "dropout": 0.5)", applied),
      both("dropout_edits", R"("dropout_edits": {"drop": [[0, 1, 2, 1]]})", applied),
      both("dropout_edits", R"("dropout_edits": {"drop": [[1, 1, 2, 1]]})", refused),
      both("heads_off", R"("heads_off": [1])", applied),
      both("heads_off", R"("heads_off": [2])", refused),
      both("weight_order", R"("weight_order": ["key", "query", "value"])", applied),
      both("weights", R"("weights": {"out_proj.bias": [1, 2, 3, 4, 5, 6, 7, 8]})", applied),
      both("weights", R"("weights": {"out_proj.bias": [1]})", refused),
      both("tokens", R"("tokens": ["a", "b", "c", "d", "e"])", refused),
      both("query_tokens", R"("query_tokens": ["a", "b", "c", "d", "e"])", refused),
      both("inputs", R"("inputs": [[1]])", refused),
      both("given", R"("given": {"queries": [[1]], "keys": [[1]], "values": [[1]]})", refused),
      {"compared_with", R"("compared_with": {"mechanism": "causal_attention"})", applied, refused},
      {"format", R"("format": "attnscope")", same, refused},
      {"version", R"("version": 1)", same, refused},
      {"model_sha256", R"("model_sha256": ")" + std::string(64, 'a') + '"', same, refused},
      {"model", R"("model": "/models/letters")", refused, refused},
      {"text", R"("text": "abcab")", refused, refused},
      {"token_ids", R"("token_ids": [1])", refused, refused},
      {"layer", R"("layer": 3)", refused, refused},
      {"layer", R"("layer": 9223372036854775808)", refused, refused},
      {"changed_layers", R"("changed_layers": {"2": {"heads_off": [5]}})", refused, refused},
      {"changed_layers", R"("changed_layers": {"9223372036854775808": {}})", refused, refused},
  };
  return all;
}

class ModelKeys : public testing::Test {
protected:
  ModelKeys() {
    set_model_reader([](const std::string&) { return letters(); });
  }
  ~ModelKeys() override { set_model_reader(nullptr); }

  static Document parsed(const std::string& rest) {
    const DocumentFiles files{.arrays = [](const std::string&) {
      return NamedTensors{{"", Tensor({1, 5}, {0, -1, 0, 0, 0})}};
    }};
    return parse_document(R"({"model": "/models/letters", "text": "abcab")" + rest + "}", files);
  }

  // Returns the sentence that refuses the document; nothing where it is applied as it should be.
  static std::string outcome(const std::string& rest, const std::string& plain, Outcome expected, Index layer) {
    Document document;
    try {
      document = parsed(rest);
    } catch (const Error& error) {
      EXPECT_EQ(expected, Outcome::refused) << rest << ": " << error.what();
      return error.what();
    }
    EXPECT_EQ(document == parsed(plain), expected == Outcome::same) << rest;
    EXPECT_NE(expected, Outcome::refused) << rest;
    EXPECT_EQ(parse_document(to_json(document)), document) << to_json(document);
    expect_same_in_the_whole_model(document, layer);
    return "";
  }

  // A layer has the same numbers alone and in a pass through the whole model.
  static void expect_same_in_the_whole_model(Document document, Index layer) {
    const auto pass = run_model(document.config);
    const Index heads = std::get<ModelInputs>(document.config.inputs).model->shape.heads;
    for (const auto& each : pass->layers) EXPECT_EQ(head_count(each->config), heads);
    show_layer(document, layer);
    const Result alone = evaluate(document.config);
    const auto& within = pass->layers[static_cast<std::size_t>(layer)];
    const std::span<const float> expected = alone.find(Stage::output)->values;
    const std::span<const float> numbers = within->find(Stage::output)->values;
    ASSERT_EQ(numbers.size(), expected.size());
    float worst = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) worst = std::max(worst, std::abs(numbers[i] - expected[i]));
    EXPECT_LT(worst, 1e-5F) << to_json(document);
  }
};

TEST_F(ModelKeys, AreAppliedOrRefusedInTheLayerThatIsShown) {
  for (const std::string& place : {std::string(), std::string(R"(, "layer": 1)")}) {
    for (const KeyCase& each : cases()) {
      if (each.key == "layer" && !place.empty()) continue;
      const std::string sentence = outcome(place + ", " + each.json, place, each.in_document, place.empty() ? 0 : 1);
      EXPECT_EQ(sentence.empty(), each.in_document != Outcome::refused) << each.json;
    }
  }
}

TEST_F(ModelKeys, AreAppliedOrRefusedInOtherLayers) {
  const std::string plain = R"(, "layer": 0, "changed_layers": {"1": {}})";
  EXPECT_EQ(parsed(plain), parsed(R"(, "layer": 0)"));
  for (const KeyCase& each : cases()) {
    const std::string rest = fmt::format(R"(, "layer": 0, "changed_layers": {{"1": {{{}}}}})", each.json);
    const std::string sentence = outcome(rest, plain, each.in_other_layer, 1);
    EXPECT_EQ(sentence.starts_with("changed_layers.1"), each.in_other_layer == Outcome::refused) << sentence;
  }
}

TEST_F(ModelKeys, AreAllTried) {
  std::set<std::string, std::less<>> tried;
  for (const KeyCase& each : cases()) tried.insert(each.key);
  visit_fields([&](const auto& field) { EXPECT_TRUE(tried.contains(field.key)) << field.key; });
}

TEST_F(ModelKeys, SayWhatAModelHas) {
  EXPECT_EQ(outcome(R"(, "batch_size": 2)", "", Outcome::refused, 0),
            "batch_size is 2, but a trained model reads one text: leave it at 1.");
  EXPECT_EQ(outcome(R"(, "num_heads": 4)", "", Outcome::refused, 0),
            "num_heads is 4, but a layer of this model has 2: leave it as the model has it.");
  EXPECT_EQ(outcome(R"(, "layer": 0, "changed_layers": {"1": {"num_heads": 4}})", "", Outcome::refused, 0),
            "changed_layers.1: num_heads is 4, but a layer of this model has 2: leave it as the model has it.");
  Document document = parsed(R"(, "layer": 1)");
  EXPECT_THROW(set_batch_size(document, 2), Error);
  EXPECT_FALSE(config_field<CountField>("batch_size").reason(document.config).empty());
}

// A count of any size is refused by its own field, before sizes are computed from it.
TEST_F(ModelKeys, RefuseCountsOfAnySize) {
  const std::string kinds[] = {R"({"model": "/models/letters", "text": "abcab")",
                               R"({"model": "/models/letters", "text": "abcab", "layer": 1)",
                               R"({"mechanism": "simple_self_attention")",
                               R"({"mechanism": "self_attention_v1")",
                               R"({"mechanism": "causal_attention")",
                               R"({"mechanism": "multi_head_attention_wrapper")",
                               R"({"mechanism": "multi_head_attention", "inputs": {"randn": [4, 4]})",
                               R"({"mechanism": "multi_head_attention", "rope": {})",
                               R"({"mechanism": "scaled_dot_product_attention", "given": {"queries": [[1]],
                                   "keys": [[1]], "values": [[1]]})"};
  for (const std::string& kind : kinds) {
    for (const std::string key : {"batch_size", "d_out", "num_heads", "num_kv_heads", "sliding_window", "skip_draws"}) {
      for (const char* const number :
           {"-9223372036854775808", "-1", "2147483648", "4294967296", "9007199254740993", "4611686018427387904",
            "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e30"}) {
        const bool is_replaced = kind.find("given") != std::string::npos && (key == "batch_size" || key == "num_heads");
        if (is_replaced) continue;  // by those of the given queries
        std::string field = "taken";
        try {
          parse_document(fmt::format(R"({}, "{}": {}}})", kind, key, number));
        } catch (const Error& error) {
          field = error.field;
        }
        EXPECT_EQ(field, key) << kind << ": " << number;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test

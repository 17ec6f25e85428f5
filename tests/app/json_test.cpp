// Documents read and written: defaults, and round trips to the same bits.

#include "document/json.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "document/json_value.h"
#include "support.h"

namespace attnscope::test {
namespace {

Document parsed(const std::string& text) { return parse_document(text); }

TEST(DocumentDefaults, AnEmptyObjectIsTheDefaultDocument) { EXPECT_EQ(parsed("{}"), default_document()); }

TEST(DocumentDefaults, MaskAndScaleFollowTheMechanism) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    const Document document = parsed(R"({"mechanism": ")" + std::string(mechanism.id) + R"("})");
    EXPECT_EQ(document.config.mechanism, mechanism.mechanism);
    EXPECT_EQ(document.config.mask, mechanism.has_mask_by_default ? MaskRoute::causal : MaskRoute::none);
    EXPECT_EQ(document.config.scale, mechanism.scales_by_default);
  }
}

TEST(DocumentDefaults, AGivenMaskStaysWhereverTheMechanismStands) {
  const Document before = parsed(R"({"mask": "causal", "scale": false, "mechanism": "self_attention_v1"})");
  EXPECT_EQ(before.config.mask, MaskRoute::causal);
  EXPECT_FALSE(before.config.scale);
  EXPECT_EQ(parsed(R"({"mask": "none"})").config.mask, MaskRoute::none);
}

TEST(DocumentDefaults, TokensAreNumberedWhenOnlyInputsAreGiven) {
  EXPECT_EQ(parsed(R"({"inputs": [[1, 2], [3, 4]]})").tokens, (std::vector<std::string>{"x1", "x2"}));
  EXPECT_EQ(parsed(R"({"inputs": {"randn": [3, 5]}})").tokens, (std::vector<std::string>{"x1", "x2", "x3"}));
}

TEST(DocumentDefaults, SixTokensNameTheDefaultInputs) {
  const Document document = parsed(R"({"tokens": ["a", "b", "c", "d", "e", ""]})");
  EXPECT_EQ(document.tokens[5], "");
  EXPECT_EQ(document.config.inputs, default_document().config.inputs);
}

TEST(DocumentRead, HiddenKeysAreSortedAndPutTogether) {
  const std::string tokens = R"("inputs": [[1], [2], [3]], "mechanism": "causal_attention", )";
  const Document document =
      parsed("{" + tokens + R"("mask": "custom", "hidden": [[[2, 3], [0, 1], [1, 1]], [], [[0, 3]]]})");
  EXPECT_EQ(document.config.hidden, HiddenKeys({{{0, 1}, {2, 3}}, {}, {{0, 3}}}));
  EXPECT_EQ(parsed(to_json(document)), document);
  const Document unused = parsed("{" + tokens + R"("hidden": [[[2, 3]]]})");
  EXPECT_TRUE(unused.config.hidden.is_empty()) << "another mask has no use for it";
}

TEST(DocumentRead, ScaleIsAlsoANumber) {
  EXPECT_EQ(parsed(R"({"scale": 0.25})").config.scale_factor, 0.25);
  EXPECT_TRUE(parsed(R"({"scale": 0.25, "mechanism": "simple_self_attention"})").config.scale);
  EXPECT_FALSE(parsed(R"({"scale": true})").config.scale_factor.has_value());
  EXPECT_EQ(parsed(R"({"mask_alignment": "upper_left"})").config.mask_alignment, MaskAlignment::upper_left);
}

TEST(DocumentRead, BiasHasAnyNumberOfAxes) {
  const std::string begin = R"({"inputs": [[1], [2]], "mechanism": "causal_attention", "batch_size": 2, "bias": )";
  const float hidden = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(parsed(begin + R"([0.5, "-inf"]})").config.bias, Tensor({2}, {0.5F, hidden}));
  EXPECT_EQ(parsed(begin + "[[1, 2], [3, 4]]}").config.bias, Tensor({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(parsed(begin + "[[[[1], [2]]], [[[3], [4]]]]}").config.bias, Tensor({2, 1, 2, 1}, {1, 2, 3, 4}));
  for (const char* bias : {R"([1e-3, "-inf"]})", "[[1, 2], [3, 4]]}", "[[[[1], [2]]], [[[3], [4]]]]}", "[[[5]]]}"}) {
    const Document document = parsed(begin + bias);
    EXPECT_EQ(parsed(to_json(document)), document) << to_json(document);
  }
}

TEST(DocumentRead, QueriesKeysAndValuesMayBeGiven) {
  const std::string begin = R"({"mechanism": "scaled_dot_product_attention", "given": )";
  const Document one = parsed(begin + R"({"queries": [[1, 2]], "keys": [[3, 4], [5, 6]], "values": [[7], [8]]}})");
  EXPECT_EQ(one.config.heads.queries, Tensor({1, 1, 1, 2}, {1, 2}));
  EXPECT_EQ(one.config.heads.keys, Tensor({1, 1, 2, 2}, {3, 4, 5, 6}));
  EXPECT_EQ(one.config.heads.values, Tensor({1, 1, 2, 1}, {7, 8}));
  EXPECT_EQ(one.tokens, (std::vector<std::string>{"x1", "x2"})) << "a name for each key";
  EXPECT_EQ(one.config.mask, MaskRoute::none);
  EXPECT_TRUE(one.config.scale);
  EXPECT_EQ(parsed(to_json(one)), one) << to_json(one);
  const Document grouped = parsed(
      begin +
      R"({"origin": "run.npz", "queries": [[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]], "keys": [[[[1, 2]]], [[[3, 4]]]],
                 "values": [[[[1]]], [[[2]]]]}, "tokens": ["k"], "query_tokens": ["q"], "mask_alignment": "upper_left"})");
  EXPECT_EQ(grouped.config.batch_size, 2);
  EXPECT_EQ(head_count(grouped.config), 2);
  EXPECT_EQ(key_value_heads(grouped.config), 1);
  EXPECT_EQ(grouped.config.heads.origin, "run.npz");
  EXPECT_EQ(grouped.query_tokens, (std::vector<std::string>{"q"}));
  EXPECT_EQ(parsed(to_json(grouped)), grouped) << to_json(grouped);
  EXPECT_FALSE(parsed(R"({"given": {"queries": [[1]]}})").config.heads.is_there()) << "others have no use for it";
}

TEST(DocumentRead, EveryKeyIsTaken) {
  const Document document = parsed(R"({
    "format": "attnscope", "version": 1, "tokens": ["ä", "\u4e16"], "inputs": [[1, -2.5e-1], [0, 3]],
    "batch_size": 3, "mechanism": "self_attention_v2", "d_out": 1, "num_heads": 5, "qkv_bias": true,
    "normalization": "sum", "mask": "causal_renormalized", "scale": false, "dropout": 0.25, "training": false,
    "seed": 18446744073709551615, "skip_draws": 7, "dropout_seed": 18446744073709551614, "dropout_kernel": "default",
    "weight_order": ["value", "query", "key"], "weights": {"W_query.weight": [[0.5, 1]], "W_key.bias": [2]}})");
  const AttentionConfig& config = document.config;
  EXPECT_EQ(document.tokens, (std::vector<std::string>{"ä", "世"}));
  EXPECT_EQ(std::get<SharedTensor>(config.inputs), Tensor({2, 2}, {1, -0.25F, 0, 3}));
  EXPECT_EQ(config.batch_size, 3);
  EXPECT_EQ(config.mechanism, Mechanism::self_attention_v2);
  EXPECT_EQ(config.d_out, 1);
  EXPECT_EQ(config.num_heads, 5);
  EXPECT_TRUE(config.qkv_bias);
  EXPECT_EQ(config.normalization, Normalization::sum);
  EXPECT_EQ(config.mask, MaskRoute::causal_renormalized);
  EXPECT_FALSE(config.scale);
  EXPECT_EQ(config.dropout, 0.25);
  EXPECT_FALSE(config.training);
  EXPECT_EQ(config.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(config.skip_draws, 7U);
  EXPECT_EQ(config.dropout_seed, std::numeric_limits<std::uint64_t>::max() - 1);
  EXPECT_EQ(config.dropout_kernel, DropoutKernel::standard);
  EXPECT_EQ(config.weight_order, (std::array{Projection::value, Projection::query, Projection::key}));
  EXPECT_EQ(config.weight_overrides.at("W_query.weight"), Tensor({1, 2}, {0.5F, 1}));
  EXPECT_EQ(config.weight_overrides.at("W_key.bias"), Tensor({1}, {2}));
}

TEST(DocumentRead, NullMeansNoDropoutSeed) {
  EXPECT_EQ(parsed(R"({"dropout_seed": null})").config.dropout_seed, std::nullopt);
  EXPECT_EQ(parsed(R"({"dropout_seed": 0})").config.dropout_seed, 0U);
}

TEST(Json, KnowsWhetherQueriesAndKeysAreNormalized) {
  const Document normalized = parsed(R"({"qk_norm": "rms"})");
  EXPECT_EQ(normalized.config.qk_norm, QkNorm::rms);
  EXPECT_EQ(parsed(to_json(normalized)).config.qk_norm, QkNorm::rms);
  EXPECT_EQ(to_json(Document()).find("qk_norm"), std::string::npos) << "left out where nothing is normalized";
  EXPECT_THROW(parsed(R"({"qk_norm": "layer"})"), Error);
  EXPECT_THROW(parsed(R"({"qk_norm": "rms", "weights": {"q_norm.weight": [1, 2]}})"), Error) << "head_dim is 1";
}

TEST(DocumentRead, RotaryPositionsAreAnObjectWithUsualValues) {
  EXPECT_EQ(parsed(R"({"rope": {}})").config.rope, Rope{});
  EXPECT_EQ(parsed(R"({"rope": null})").config.rope, std::nullopt);
  const Rope rope{.base = 500000, .layout = RopeLayout::interleaved, .dims = 0, .offset = 9};
  Document turning = parsed(R"({"rope": {"offset": 9, "dims": 0, "layout": "interleaved", "base": 5e5}})");
  EXPECT_EQ(turning.config.rope, rope);
  EXPECT_EQ(parsed(to_json(turning)).config.rope, rope);
  for (const std::string scaling : {R"({"type": "linear", "factor": 4})",
                                    R"({"type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
            "original_max_position_embeddings": 8192})"}) {
    const Document scaled = parsed(R"({"rope": {"scaling": )" + scaling + "}}");
    ASSERT_TRUE(scaled.config.rope->scaling);
    EXPECT_EQ(parsed(to_json(scaled)).config.rope, scaled.config.rope);
  }
  for (const char* const bad :
       {R"({"rope": {"scaling": {"type": "yarn"}}})", R"({"rope": {"scaling": {"factor": 0.5}}})",
        R"({"rope": {"scaling": {"low_freq_factor": 4}}})", R"({"rope": {"scaling": 8}})",
        R"({"rope": {"scaling": {"original_max_position_embeddings": 0}}})", R"({"rope": true})",
        R"({"rope": {"theta": 1}})", R"({"rope": {"dims": 3}})", R"({"rope": {"layout": "halves"}})",
        R"({"rope": {"base": 0}})"})
    EXPECT_THROW(parsed(bad), Error) << bad;
}

TEST(DocumentRead, ASoftcapIsANumberAboveZeroOrNone) {
  EXPECT_EQ(parsed(R"({"softcap": 30})").config.softcap, 30);
  EXPECT_EQ(parsed(R"({"softcap": null})").config.softcap, std::nullopt);
  EXPECT_THROW(parsed(R"({"softcap": 0})"), Error);
  EXPECT_THROW(parsed(R"({"softcap": "30"})"), Error);
  Document document = default_document();
  EXPECT_EQ(to_json(document).find("softcap"), std::string::npos);
  document.config.softcap = 2.5;
  EXPECT_NE(to_json(document).find("\"softcap\": 2.5,"), std::string::npos);
  EXPECT_EQ(parsed(to_json(document)), document);
}

TEST(DocumentRead, HeadsOffAndDropoutEditsMayStandInAnyOrder) {
  const AttentionConfig config =
      parsed(R"({"dropout_edits": {"keep": [[0, 1, 2, 0]], "drop": [[0, 1, 5, 3], [0, 0, 4, 4]]},
    "heads_off": [1, 0]})")
          .config;
  EXPECT_EQ(config.heads_off, (std::vector<Index>{0, 1}));
  EXPECT_EQ(config.dropout_edits,
            (std::vector<DropoutEdit>{{0, 0, 4, 4, false}, {0, 1, 2, 0, true}, {0, 1, 5, 3, false}}));
  EXPECT_EQ(parsed(R"({"dropout_edits": {}, "heads_off": []})"), default_document());
  EXPECT_EQ(to_json(default_document()).find("heads_off"), std::string::npos);
}

TEST(DocumentRead, NumbersAreRoundedAsPythonAndPyTorchRoundThem) {
  const Document document = parsed(R"({"inputs": [[0.1, 3.4028235e38, 1e-46, -0.0, 1e-400, 16777217]]})");
  const AlignedFloats& values = inputs_of(document).values;
  EXPECT_EQ(values[0], 0.1F);
  EXPECT_EQ(values[1], std::numeric_limits<float>::max());
  EXPECT_EQ(values[2], 0.0F);
  EXPECT_TRUE(std::signbit(values[3]));
  EXPECT_EQ(values[4], 0.0F);
  EXPECT_EQ(values[5], 16777216.0F);
}

// Parts of small values are looked for from the beginning each time; of a large one that would take for ever.
TEST(JsonValue, IsReadAgainAFewTimesAndNoMore) {
  std::string text = "{\"long\": \"" + std::string(1'000'000, 'x') + "\", ";
  for (int i = 0; i < 200; ++i) text += "\"key" + std::to_string(i) + "\": 1, ";
  const JsonText json(text += "\"last\": 2}");
  const JsonValue root = json.root();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(root["last"].whole(), 2);
  const Error error = error_of([&] {
    for (int i = 0; i < 100'000; ++i) (void)root.find("last");
  });
  EXPECT_STREQ(error.what(), "This file takes more work than any that a tool writes.");
}

TEST(DocumentRead, AByteOrderMarkIsNoObstacle) { EXPECT_EQ(parsed("\xEF\xBB\xBF{}"), default_document()); }

Document document_with_everything() {
  Document document = default_document();
  AttentionConfig& config = document.config;
  document.tokens = {"", "\"quoted\"", "tab\tand\nline\x01", "日本", "🙂", "\\"};
  config.batch_size = 2;
  config.mechanism = Mechanism::multi_head_attention_wrapper;
  config.d_out = 1;
  config.num_heads = 2;
  config.qkv_bias = true;
  config.normalization = Normalization::sum;
  config.mask = MaskRoute::causal_after_softmax;
  config.scale = false;
  config.dropout = 1.0 / 3.0;
  config.training = false;
  config.seed = std::numeric_limits<std::uint64_t>::max();
  config.skip_draws = 12;
  config.dropout_seed = 5;
  config.dropout_kernel = DropoutKernel::standard;
  config.dropout_edits = {{0, 1, 5, 0, true}, {1, 0, 2, 2, false}, {1, 0, 2, 3, true}};
  config.heads_off = {0, 1};
  config.weight_order = {Projection::key, Projection::query, Projection::value};
  config.weight_overrides["heads.1.W_key.weight"] = Tensor({1, 3}, {0.1F, -0.0F, 1e-45F});
  config.weight_overrides["heads.0.W_value.bias"] = Tensor({1}, {3e38F});
  return document;
}

TEST(DocumentRoundTrip, KeepsEveryField) {
  for (const Document& document : {default_document(), document_with_everything()}) {
    EXPECT_EQ(parsed(to_json(document)), document) << to_json(document);
  }
}

TEST(DocumentRoundTrip, IsStable) {
  const std::string json = to_json(document_with_everything());
  EXPECT_EQ(to_json(parsed(json)), json);
}

TEST(DocumentRoundTrip, KeepsDrawnInputs) {
  Document document = default_document();
  document.config.inputs = RandnInputs{2, 7};
  document.tokens = {"a", "b"};
  EXPECT_EQ(parsed(to_json(document)), document);
}

// Any finite pattern of 32 bits is a number that must come back as it was.
TEST(DocumentRoundTrip, KeepsTheBitsOfAnyFloat) {
  std::mt19937 engine(1);
  AlignedFloats values = {0.0F, -0.0F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(),
                          std::numeric_limits<float>::lowest()};
  while (values.size() < 12000) {
    const auto bits = static_cast<std::uint32_t>(engine());
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  Document document;
  document.tokens = {"all"};
  document.config.inputs = Tensor({1, std::ssize(values)}, values);
  EXPECT_TRUE(same_bits(inputs_of(parsed(to_json(document))), inputs_of(document)));
}

TEST(DocumentRoundTrip, ComparisonTellsZeroFromMinusZero) {
  EXPECT_FALSE(same_bits(Tensor({1}, {0.0F}), Tensor({1}, {-0.0F})));
  EXPECT_FALSE(same_bits(Tensor({1, 2}), Tensor({2, 1})));
}

TEST(DocumentWrite, PutsOneRowOfInputsOnALine) {
  const std::string json = to_json(default_document());
  EXPECT_NE(json.find("\n    [0.43, 0.15, 0.89],\n"), std::string::npos) << json;
  EXPECT_NE(json.find("\n  \"seed\": 123,\n"), std::string::npos) << json;
}

}  // namespace
}  // namespace attnscope::test

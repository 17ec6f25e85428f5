// What a document may just have, what is one more than that, and the whole sentence about it.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/model/forward.h"
#include "document/edit.h"
#include "document/json.h"
#include "document/spelling.h"
#include "document/sweep.h"
#include "support.h"

namespace attnscope::test {
namespace {

// "field: sentence", or nothing where the document is taken.
std::string document_outcome(const std::string& json) {
  try {
    parse_document(json);
  } catch (const Error& error) {
    return error.field + ": " + error.what();
  }
  return "";
}

TEST(DocumentLimits, AreMetExactly) {
  const std::string heads = R"({"d_out": 12, "num_heads": 4, )";
  const auto whole = [](const std::string& key, const std::string& value, const std::string& range) {
    return key + ": " + key + " is " + value + ", but it must be a whole number from " + range + ".";
  };
  const std::string kv = "num_kv_heads: num_kv_heads is ";
  const std::string rotary = "rope.dims: rope.dims is ";
  const struct {
    std::string json;
    std::string outcome;
  } cases[] = {
      {R"({"batch_size": 64, "inputs": [[1]]})", ""},
      {R"({"batch_size": 65})", whole("batch_size", "65", "1 to 64")},
      {R"({"batch_size": 1})", ""},
      {R"({"d_out": 12288, "inputs": {"randn": [1, 1]}})", ""},
      {R"({"d_out": 12289})", whole("d_out", "12289", "1 to 12288")},
      {R"({"d_out": 128, "num_heads": 128})", ""},
      {R"({"d_out": 129, "num_heads": 129})", whole("num_heads", "129", "1 to 128")},
      {R"({"num_heads": 0})", whole("num_heads", "0", "1 to 128")},
      {R"({"mechanism": "causal_attention", "d_out": 3, "num_heads": 2})", ""},
      {R"({"d_out": 12, "num_heads": 5})",
       "num_heads: num_heads is 5, but it must divide d_out, which is 12: use 1, 2, 3, 4, 6 or 12."},
      {R"({"d_out": 1, "num_heads": 2})", "num_heads: num_heads is 2, but it must divide d_out, which is 1: use 1."},
      {heads + R"("num_kv_heads": 4})", ""},
      {heads + R"("num_kv_heads": 1})", ""},
      {heads + R"("num_kv_heads": null})", ""},
      {heads + R"("num_kv_heads": 3})", kv + "3, but it must divide num_heads, which is 4: use 1, 2 or 4."},
      {heads + R"("num_kv_heads": 8})", kv + "8, but it must divide num_heads, which is 4: use 1, 2 or 4."},
      {heads + R"("num_kv_heads": 0})", kv + "0, but it must divide num_heads, which is 4: use 1, 2 or 4."},
      {heads + R"("rope": {"dims": 0}})", ""},
      {R"({"d_out": 12, "num_heads": 2, "rope": {"dims": 6}})", ""},
      {R"({"d_out": 12, "num_heads": 2, "rope": {"dims": 8}})",
       rotary + "8, but it must be an even number from 0 to head_dim, which is 6."},
      {heads + R"("rope": {"dims": 1}})", rotary + "1, but it must be an even number from 0 to head_dim, which is 3."},
      {heads + R"("rope": {"base": 0.001}})", ""},
      {heads + R"("rope": {"base": 1e12}})", ""},
      {heads + R"("rope": {"base": 0.0009}})",
       "rope.base: rope.base is 9e-04, but it is the base of the angles: use a number from 0.001 to 1e12."},
      {heads + R"("rope": {"offset": 16777216}})", ""},
      {heads + R"("rope": {"turn": 1}})",
       "rope.turn: \"turn\" is not a key of rope; it may have base, layout, dims, offset, scaling."},
      {heads + R"("heads_off": [0, 3]})", ""},
      {heads + R"("heads_off": [3, 4]})",
       "heads_off[1]: heads_off[1] is 4, but it must be a head's number from 0 to 3: num_heads is 4."},
      {R"({"heads_off": [128]})", "heads_off[0]: heads_off[0] is 128, but it must be a head's number, counted from 0."},
      {R"({"heads_off": [0, 1, 0]})", "heads_off: heads_off names head 0 twice: name it once."},
      {R"({"dropout_edits": {"keep": [[0, 1, 5, 5]]}})", ""},
      {R"({"batch_size": 3, "dropout_edits": {"drop": [[3, 0, 0, 0]]}})",
       "dropout_edits.drop: dropout_edits.drop has [3, 0, 0, 0], but a cell is [batch, head, query, key] below [3, 2, "
       "6, "
       "6], counted from 0."},
      {R"({"dropout_edits": {"keep": [[0, 2, 0, 0]]}})",
       "dropout_edits.keep: dropout_edits.keep has [0, 2, 0, 0], but a cell is [batch, head, query, key] below [1, 2, "
       "6, "
       "6], counted from 0."},
      {R"({"dropout_edits": {"keep": [[0, 0, 6, 0]]}})",
       "dropout_edits.keep: dropout_edits.keep has [0, 0, 6, 0], but a cell is [batch, head, query, key] below [1, 2, "
       "6, "
       "6], counted from 0."},
      {R"({"dropout_edits": {"keep": [[0, 0, 0, 4096]]}})",
       "dropout_edits.keep[0][3]: dropout_edits.keep[0][3] is 4096, but it must be a whole number from 0 up."},
      {R"({"dropout_edits": {"drop": [[0, 0, 1, 2], [0, 0, 1, 3]], "keep": [[0, 0, 1, 2]]}})",
       "dropout_edits.keep: dropout_edits names [0, 0, 1, 2] twice: name it once."},
      {R"({"inputs": [[3.4028234e38, -3.4028234e38]]})", ""},
      {R"({"inputs": [[3.5e38]]})",
       "inputs[0][0]: inputs[0][0] is 3.5e38, but numbers are float32: they must lie between -3.4e38 and 3.4e38."},
      {R"({"inputs": {"randn": [4096, 1]}})", ""},
      {R"({"inputs": {"randn": [1, 12288]}})", ""},
      {R"({"inputs": {"randn": [1, 12289]}})",
       "inputs: The number of dimensions per token is 12289, but it must be a whole number from 1 to 12288."},
      {R"({"tokens": [")" + std::string(1000, 'a') + R"("], "inputs": [[1]]})", ""},
      {R"({"inputs": [[1], [2]], "mask": "custom", "hidden": [[[0, 2]], []]})", ""},
      {R"({"inputs": [[1], [2]], "mask": "custom", "hidden": [[], [[1, 3]]]})",
       "hidden[1]: hidden[1] has the range [1, 3], but it must lie in [0, 2]: there are 2 keys."},
      {R"({"inputs": [[1], [2]], "mask": "custom", "hidden": [[], [], []]})",
       "hidden: hidden has lists of keys for 3 queries, but the mask is custom and there are 2: give a list of ranges "
       "for each query, [] for one that sees every key."},
      {R"({"inputs": [[1], [2]], "mask": "custom", "hidden": [[[0, 4097]], []]})",
       "hidden[0][0][1]: hidden[0][0][1] is 4097, but it must be a whole number from 0 to 4096."},
      {R"({"inputs": [[1], [2]], "bias": [[[1, 2], [3, 4]]]})", ""},
      {R"({"inputs": [[1], [2]], "bias": [[[1]], [[2]]]})", ""},
      {R"({"inputs": [[1], [2]], "bias": [[1], [2], [3]]})",
       "bias: bias has the shape (3, 1), but it must broadcast to (B, H, T_query, T_key), which is (1, 2, 2, 2): each "
       "axis from the last on is that long, or 1."},
      {R"({"inputs": [[1], [2]], "bias": [[[[1]]], [[[2]]]]})",
       "bias: bias has the shape (2, 1, 1, 1), but it must broadcast to (B, H, T_query, T_key), which is (1, 2, 2, 2): "
       "each axis from the last on is that long, or 1."},
      {R"({"weights": {"W_value": [[1]]}})",
       "weights.W_value: W_value is not a weight of multi_head_attention: it has W_query.weight, W_key.weight, "
       "W_value.weight, out_proj.weight and out_proj.bias."},
      {R"({"mechanism": "simple_self_attention", "weights": {"W": [[1]]}})",
       "weights.W: W is not a weight of simple_self_attention: it has no weights."},
      {R"({"mechanism": "multi_head_attention_wrapper", "num_heads": 3, "weights": {"W": [[1]]}})",
       "weights.W: W is not a weight of multi_head_attention_wrapper: it has heads.0.W_query.weight, "
       "heads.0.W_key.weight, heads.0.W_value.weight, heads.1.W_query.weight, heads.1.W_key.weight, "
       "heads.1.W_value.weight and heads.2.W_query.weight and so on up to heads.2.W_value.weight."},
      {R"({"weights": {"out_proj.bias": [[1, 2]]}})",
       "weights.out_proj.bias: out_proj.bias has the shape (1, 2), but here it must have the shape (2)."},
      {R"({"mechanism": "simple_self_attention", "mask": "causal", "normalization": "sum"})",
       "mask: mask is causal, which puts minus infinity among the scores, but normalization is sum, and a sum that "
       "contains minus infinity shares nothing out: use the mask causal_after_softmax or causal_renormalized, or the "
       "normalization softmax."},
      {R"({"mechanism": "simple_self_attention", "mask": "causal_renormalized", "normalization": "sum"})", ""},
      {R"({"tokens": ["a"]})",
       "inputs: inputs is left out and there are 1 tokens, but the default inputs have 6 rows: give inputs, or exactly "
       "6 "
       "tokens."},
      {R"({"layer": 0})", "layer: layer belongs to a trained model: add \"model\"."},
      {R"({"text": "a"})", "text: text belongs to a trained model: add \"model\"."},
      {R"({"token_ids": [1]})", "token_ids: token_ids belongs to a trained model: add \"model\"."},
      {R"({"changed_layers": {}})", "changed_layers: changed_layers belongs to a trained model: add \"model\"."},
      {R"({"model_sha256": "0"})", "model_sha256: model_sha256 belongs to a trained model: add \"model\"."},
      {R"({"bias": ""})",
       "bias: bias is \"\", but it must be nested arrays of numbers (\"-inf\" hides a key), or the name of a .npy."},
      {R"({"compared_with": {"compared_with": {}}})",
       "compared_with.compared_with: compared_with.compared_with is an object, but it must be a document without "
       "compared_with."},
      {R"({"droput": 0.1})", "droput: \"droput\" is not a key of a document, did you mean \"dropout\"?"},
  };
  for (const auto& each : cases) EXPECT_EQ(document_outcome(each.json), each.outcome) << each.json.substr(0, 200);
}

TEST(DocumentLimits, OfManyCellsAndTokens) {
  std::string cells = R"({"batch_size": 64, "inputs": {"randn": [16, 1]}, "dropout_edits": {"drop": [)";
  for (int i = 0; i < 10'000; ++i)
    cells += fmt::format("{}[{}, 0, {}, {}]", i == 0 ? "" : ", ", i / 256, i / 16 % 16, i % 16);
  EXPECT_EQ(document_outcome(cells + "]}}"), "");
  EXPECT_EQ(document_outcome(cells + ", [63, 0, 0, 0]]}}"),
            "dropout_edits.drop[10000]: dropout_edits has more than 10000 cells, the most that a document has.");
  std::string names = "\"a\"";
  for (int i = 1; i < 4'096; ++i) names += ", \"a\"";
  EXPECT_EQ(document_outcome(R"({"inputs": {"randn": [4096, 1]}, "tokens": [)" + names + "]}"), "");
  EXPECT_EQ(document_outcome(R"({"tokens": [)" + names + ", \"a\"]}"),
            "tokens: tokens has more than 4096 names, the most that a document has.");
}

TEST(DocumentLimits, GivenHeadsHaveShapesThatBelongTogether) {
  const auto outcome = [](const std::string& queries, const std::string& keys, const std::string& values,
                          const std::string& more = "") {
    return document_outcome(R"({"mechanism": "scaled_dot_product_attention", "given": {"queries": )" + queries +
                            ", \"keys\": " + keys + ", \"values\": " + values + "}" + more + "}");
  };
  const std::string table = "[[1, 2], [3, 4]]";    // (1, 1, 2, 2)
  const std::string two = "[[[1, 2]], [[3, 4]]]";  // (1, 2, 1, 2)
  const std::string three = "[[[1, 2]], [[3, 4]], [[5, 6]]]";
  const std::string batch = "[[[[1, 2]]], [[[3, 4]]]]";  // (2, 1, 1, 2)
  const std::string begin = "given: given has queries of the shape ";
  EXPECT_EQ(outcome(table, table, table), "");
  EXPECT_EQ(outcome("[[1, 2]]", table, "[[1], [2]]"), "");
  EXPECT_EQ(outcome(two, "[[1, 2]]", "[[1]]"), "");
  EXPECT_EQ(outcome(three, two, two), "");
  EXPECT_EQ(outcome(two, three, three), begin +
                                            "(1, 2, 1, 2), keys of (1, 3, 1, 2) and values of (1, 3, 1, 2), but "
                                            "there may not be more heads of keys than of queries: that is the "
                                            "second number.");
  EXPECT_EQ(outcome(batch, table, table), begin +
                                              "(2, 1, 1, 2), keys of (1, 1, 2, 2) and values of (1, 1, 2, 2), but "
                                              "all three must have one batch size, the first number.");
  EXPECT_EQ(outcome(table, table, batch), begin +
                                              "(1, 1, 2, 2), keys of (1, 1, 2, 2) and values of (2, 1, 1, 2), but "
                                              "all three must have one batch size, the first number.");
  EXPECT_EQ(outcome(two, two, "[[1, 2]]"), begin +
                                               "(1, 2, 1, 2), keys of (1, 2, 1, 2) and values of (1, 1, 1, 2), but "
                                               "keys and values must have one number of heads, the second number.");
  EXPECT_EQ(outcome(table, table, "[[1, 2]]"), begin +
                                                   "(1, 1, 2, 2), keys of (1, 1, 2, 2) and values of (1, 1, 1, 2), "
                                                   "but each key must have a value: their third numbers must be "
                                                   "equal.");
  EXPECT_EQ(outcome(table, "[[1]]", "[[1]]"), begin +
                                                  "(1, 1, 2, 2), keys of (1, 1, 1, 1) and values of (1, 1, 1, 1), "
                                                  "but queries and keys must be of one width, the last number.");
}

// Arrays of every kind, a row of numbers or a query on each line.
TEST(DocumentLimits, ArraysAreWrittenReadably) {
  const Document document =
      parse_document(R"({"d_out": 4, "num_heads": 2, "tokens": ["a", "b"], "inputs": [[1, 2], [3, 4]],
    "mask": "custom", "hidden": [[[1, 2], [0, 1]], []], "bias": [[[0, 1], [2, "-inf"]], [[4, 5], [6, -0.0]]],
    "heads_off": [1, 0], "dropout_edits": {"keep": [[0, 1, 1, 1], [0, 1, 0, 0]], "drop": [[0, 0, 1, 0]]},
    "rope": {"base": 500, "layout": "interleaved", "dims": 2, "offset": 3}, "weight_order": ["value", "key", "query"],
    "weights": {"out_proj.bias": [1, 2, 3, 4], "W_key.weight": [[1, 2], [3, 4], [5, 6], [7, 8]]}})");
  const std::string json = to_json(document);
  for (const std::string piece : {R"(  "tokens": ["a", "b"],
  "inputs": [
    [1, 2],
    [3, 4]
  ],
)",
                                  R"(  "hidden": [
    [[0, 2]],
    []
  ],
)",
                                  R"(  "rope": {"base": 500, "layout": "interleaved", "dims": 2, "offset": 3},
  "bias": 
    [[[0, 1],
    [2, "-inf"]],
    [[4, 5],
    [6, -0.0]]],
  "dropout_edits": {"drop": [[0, 0, 1, 0]], "keep": [[0, 1, 0, 0], [0, 1, 1, 1]]},
  "heads_off": [0, 1],
  "weight_order": ["value", "key", "query"],
  "weights": {
    "W_key.weight": [
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8]
    ],
    "out_proj.bias": [1, 2, 3, 4]
  }
}
)"})
    EXPECT_NE(json.find(piece), std::string::npos) << piece << " in " << json;
  EXPECT_EQ(parse_document(json), document);
}

TEST(DocumentLimits, NumbersAreWrittenAndReadToTheLastBit) {
  const struct {
    float number;
    const char* text;
  } cases[] = {{0, "0"},
               {-0.0F, "-0.0"},
               {1, "1"},
               {0.1F, "0.1"},
               {-2.5e-7F, "-2.5e-07"},
               {16777216, "16777216"},
               {3.4028235e38F, "3.4028235e+38"},
               {1e-45F, "1e-45"}};
  for (const auto& each : cases) {
    std::string text = "x";
    append_float(text, each.number);
    EXPECT_EQ(text, "x" + std::string(each.text));
  }
  const auto read = [](const char* text) { return read_float(text).value_or(-99); };
  EXPECT_EQ(read("+0.5"), 0.5);
  EXPECT_EQ(read("-0.5"), -0.5);
  EXPECT_EQ(read(".5"), 0.5);
  EXPECT_EQ(read("1e-400"), 0);
  EXPECT_EQ(read("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(read("-1e400"), -std::numeric_limits<double>::infinity());
  for (const char* text : {"", "+", "-", "++1", "+-1", "--1", "1 ", " 1", "1x", "0x1", "e5"})
    EXPECT_EQ(read(text), -99);
}

// What an edit changed beside what was asked for.
std::string followed(const std::string& json, const std::function<void(Document&)>& edit) {
  const Document before = parse_document(json);
  Document now = before;
  edit(now);
  return what_followed(before.config, now.config);
}

TEST(DocumentEdits, SayWhatFollowedFromThem) {
  const std::string changes = R"({"d_out": 4, "num_heads": 2, "heads_off": [1], "batch_size": 3, "dropout_edits":
    {"keep": [[0, 1, 0, 0], [2, 0, 5, 0]], "drop": [[1, 0, 0, 1]]}})";
  EXPECT_EQ(followed(changes, [](Document& d) { set_num_heads(d, 1); }),
            "The edit also removed 1 head that was switched off and 1 weight that was kept or dropped by hand. Undo "
            "restores them.");
  EXPECT_EQ(followed(changes, [](Document& d) { set_batch_size(d, 1); }),
            "The edit also removed 2 weights that were kept or dropped by hand. Undo restores them.");
  EXPECT_EQ(followed(changes, [](Document& d) { set_batch_size(d, 2); }),
            "The edit also removed 1 weight that was kept or dropped by hand. Undo restores them.");
  EXPECT_EQ(followed(changes, [](Document& d) { set_batch_size(d, 4); }), "");
  EXPECT_EQ(followed(changes, [](Document& d) { delete_token(d, 5); }),
            "The edit also removed 1 weight that was kept or dropped by hand. Undo restores them.");
  EXPECT_EQ(followed(changes, [](Document& d) { remove_dropout_edits(d); }), "");
  EXPECT_EQ(
      followed(R"({"d_out": 4, "num_heads": 4, "heads_off": [1, 2, 3]})", [](Document& d) { set_num_heads(d, 2); }),
      "The edit also removed 2 heads that were switched off. Undo restores them.");
  EXPECT_EQ(followed(R"({"d_out": 12, "num_heads": 4})", [](Document& d) { set_d_out(d, 9); }),
            "The number of heads changed from 4 to 3: it must divide d_out, which is 9.");
  EXPECT_EQ(
      followed(R"({"d_out": 12, "num_heads": 4, "num_kv_heads": 2})", [](Document& d) { set_d_out(d, 9); }),
      "The number of heads changed from 4 to 3: it must divide d_out, which is 9. Each head has keys and values of "
      "its own again: 2 heads of keys do not divide 3 heads.");
  EXPECT_EQ(followed(R"({"d_out": 12, "num_heads": 4, "num_kv_heads": 2})", [](Document& d) { set_num_heads(d, 6); }),
            "");
  const std::string weights = R"({"weights": {"out_proj.bias": [1, 2], "W_key.weight": [[1, 2, 3], [4, 5, 6]]}})";
  EXPECT_EQ(followed(weights, [](Document& d) { set_d_out(d, 4); }),
            "2 weights that were set no longer fit and are drawn again: undo brings them back.");
  EXPECT_EQ(followed(weights, [](Document& d) { add_feature(d); }),
            "1 weight that was set no longer fits and is drawn again: undo brings it back.");
  EXPECT_EQ(followed(weights, [](Document& d) { d.config.weight_overrides.clear(); }), "");
}

TEST(DocumentEdits, TheNearestNumberOfHeadsIsTheSmallerOfTwo) {
  const auto heads = [](Index d_out, Index wanted, Index then) {
    Document document = parse_document(fmt::format(R"({{"d_out": {}, "num_heads": {}}})", d_out, wanted));
    set_d_out(document, then);
    return document.config.num_heads;
  };
  EXPECT_EQ(heads(12, 4, 10), 5);
  EXPECT_EQ(heads(12, 4, 15), 3);  // 3 and 5 are as near
  EXPECT_EQ(heads(12, 12, 7), 7);
  EXPECT_EQ(heads(12, 3, 7), 1);
  EXPECT_EQ(heads(12, 12, 1), 1);
  EXPECT_EQ(heads(128, 128, 256), 128);
  EXPECT_EQ(heads(128, 128, 254), 127);
  EXPECT_EQ(allowed_head_counts(parse_document(R"({"d_out": 256, "num_heads": 1})")),
            (std::vector<Index>{1, 2, 4, 8, 16, 32, 64, 128}));
}

TEST(DocumentEdits, SentencesAreCutAtBlanksAndPunctuation) {
  const auto words = [](const char* sentence) {
    Document document = default_document();
    set_sentence(document, sentence);
    return fmt::format("{}", fmt::join(document.tokens, "|"));
  };
  EXPECT_EQ(words("one  two\tthree\nfour\u00A0five\u3000six\u2009seven\u2028eight"),
            "one|two|three|four|five|six|seven|eight");
  EXPECT_EQ(words("don't, e-mail 3.5 a_b it\u2019s"), "don't|,|e-mail|3.5|a_b|it\u2019s");
  EXPECT_EQ(words("end. 'quoted' - -x x- a..b a.,b"), "end|.|'|quoted|'|-|-|x|x|-|a|.|.|b|a|.|,|b");
  EXPECT_EQ(words("(a+b)*[c]{d}~@/:"), "(|a|+|b|)|*|[|c|]|{|d|}|~|@|/|:");
  EXPECT_EQ(words("¡hola! ¿qué? «oui» „ja“ … —"), "¡|hola|!|¿|qué|?|«|oui|»|„|ja|“|…|—");
  EXPECT_EQ(words("日本、語。「あ」！（い）：？"), "日本|、|語|。|「|あ|」|！|（|い|）|：|？");
  EXPECT_EQ(words("a\u00A2b 10%"), "a\u00A2b|10|%");
}

TEST(DocumentEdits, BlocksOfNumbersAreRefusedInAWholeSentence) {
  const auto refused = [](const std::string& text) {
    return std::string(error_of([&] { parse_number_block(text); }).what());
  };
  const std::string same = ": all rows must have the same length.";
  const std::pair<std::string, std::string> cases[] = {
      {"1,,2", "Row 1 has nothing before a \",\": a number is missing."},
      {"1\n;1", "Row 2 has nothing before a \";\": a number is missing."},
      {"1\n\n2 x", "Row 2 holds \"x\", which is not a number: only numbers may stand here."},
      {"3.5e38", "Row 1 holds \"3.5e38\", but every number must be finite and lie between -3.4e38 and 3.4e38."},
      {"1 2\n3", "Row 2 has 1 numbers, but row 1 has 2" + same},
      {"[[1], [2, 3]]", "Row 2 has 2 numbers, but row 1 has 1" + same},
      {"[[1], []]", "Row 2 is empty, but each row must hold numbers."},
      {"1;2\n0,5;1", "Row 2 mixes commas with tabs or semicolons in \"0,5;1\": write decimals with a point."},
      {"[[1], 2, [3]]", "Row 2 begins with \"2, \", but each row must stand in brackets of its own."},
      {"[[1], [2]", "Row 2 has no closing bracket."},
      {"[[1], [[2]]]", "Row 2 holds another list, but a block may only be a list of rows of numbers."},
      {"[1", "The list has no closing bracket."},
      {"]1[", "The list has no closing bracket."},
      {"a+[1]", "\"a+\" stands before the first bracket, where only a name such as torch.tensor( may stand."},
      {"[1] x", "\"x\" stands after the last bracket, where only a closing parenthesis may stand."},
      {"# 1", "There are no numbers in the text: paste rows of numbers."},
  };
  for (const auto& [text, sentence] : cases) EXPECT_EQ(refused(text), sentence);
  std::string row = "1";
  for (int i = 1; i < 12'288; ++i) row += " 1";
  EXPECT_EQ(parse_number_block(row).front().size(), 12'288U);
  EXPECT_EQ(refused("1\n" + row + " 1"), "Row 2 has more than 12288 numbers, the most that a token has.");
  std::string rows;
  for (int i = 0; i < 4'096; ++i) rows += "1\n";
  EXPECT_EQ(parse_number_block(rows).size(), 4'096U);
  EXPECT_EQ(refused(rows + "1"), "There are more than 4096 rows, the most tokens that a document has.");
  EXPECT_EQ(parse_number_block("1, 2; 3\t"), (std::vector<std::vector<float>>{{1, 2, 3}}));
}

// Steps that a range has of its own: the smallest of 1, 2 and 5 times a power of ten that takes 20 steps or fewer.
TEST(DocumentSweeps, HaveStepsAndEnds) {
  const auto values = [](const std::string& sweep) {
    return fmt::format("{}",
                       fmt::join(parse_sweep(sweep, parse_document(R"({"d_out": 12, "num_heads": 2})")).values, " "));
  };
  const auto ends = [&](const std::string& range) {
    const Sweep sweep = parse_sweep("embedding[1,1]=" + range, default_document());
    return fmt::format("{} {} .. {} of {}", sweep.values[0], sweep.values[1], sweep.values.back(), sweep.values.size());
  };
  EXPECT_EQ(ends("0..1"), "0.00 0.05 .. 1.00 of 21");
  EXPECT_EQ(ends("0..2"), "0.0 0.1 .. 2.0 of 21");
  EXPECT_EQ(ends("0..3"), "0.0 0.2 .. 3.0 of 16");
  EXPECT_EQ(ends("-5..5"), "-5.0 -4.5 .. 5.0 of 21");
  EXPECT_EQ(ends("0..20"), "0 1 .. 20 of 21");
  EXPECT_EQ(ends("0..21"), "0 2 .. 20 of 11");
  EXPECT_EQ(ends("0..1:0.3"), "0.0 0.3 .. 0.9 of 4");
  EXPECT_EQ(ends("0..999:1"), "0 1 .. 999 of 1000");
  EXPECT_EQ(ends("0.25..1:0.5"), "0.25 0.75 .. 0.75 of 2");
  EXPECT_EQ(ends("-1000000000..1000000000:1000000000"), "-1000000000 0 .. 1000000000 of 3");
  EXPECT_EQ(values("dropout=0.123456789"), "0.123456789");
  EXPECT_EQ(values("num_heads=2..12:2"), "2 4 6 12");
  EXPECT_EQ(values("num_heads=1..12:4"), "1");
  EXPECT_EQ(values("num_heads=2..4,6"), "2 3 4 6");
  EXPECT_EQ(values("seed=0..9:4,7"), "0 4 8 7");
  EXPECT_EQ(values("seed=3..3"), "3");
  const auto refused = [](const std::string& sweep) {
    return std::string(error_of([&] { parse_sweep(sweep, default_document()); }).what());
  };
  const std::string at_most = " values, but at most 1000 frames are made: take fewer, or a larger step behind a colon.";
  EXPECT_EQ(refused("seed=0..1000"), "The sweep is \"seed=0..1000\", which is 1001" + at_most);
  EXPECT_EQ(refused("embedding[1,1]=0..1000:1"), "The sweep is \"embedding[1,1]=0..1000:1\", which is 1001" + at_most);
  EXPECT_EQ(refused("seed=1..999,1..2"), "The sweep is \"seed=1..999,1..2\", which is 1001" + at_most);
  EXPECT_EQ(refused("seed=2..1"),
            "The sweep is \"seed=2..1\", but its values must be whole numbers: a range that goes up, as in 1..20, one "
            "with a step, as in 1..20:2, or numbers with commas between them.");
  EXPECT_EQ(
      refused("embedding[1,1]=0.0000000001"),
      "The sweep is \"embedding[1,1]=0.0000000001\", but its values must be numbers with up to 9 decimals: a range "
      "that goes up, as in 0..0.9, one with a step, as in 0..0.9:0.1, or numbers with commas between them.");
  EXPECT_EQ(refused("num_heads=5..7"),
            "The sweep is \"num_heads=5..7\", but no number in it divides d_out, which is 2.");
  EXPECT_EQ(refused("mask=none,off"),
            "The sweep is \"mask=none,off\", but its values must be of none, causal, causal_after_softmax, "
            "causal_renormalized, custom, with commas between them.");
  for (const char* range :
       {"0..1:0", "0..1:-1", "1..0", "0..1000000001", "-1000000001..0", "0..1:1000000001", "0..1:x"})
    EXPECT_NE(refused(std::string("embedding[1,1]=") + range).find("up to 9 decimals"), std::string::npos) << range;
}

}  // namespace
}  // namespace attnscope::test

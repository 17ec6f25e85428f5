// Ways to get masks, biases, heads and cells wrong, with the field and the sentence that they get.

#include "json_errors.h"

namespace attnscope::test {
namespace {

TEST(DocumentErrors, HiddenKeysAreRangesOfEachQuery) {
  const std::string begin = R"({"inputs": [[1], [2]], "mask": "custom", "mechanism": "causal_attention", "hidden": )";
  expect_all({
      {begin + "3}", "hidden", {"hidden is 3", "for each query"}},
      {begin + "[3]}", "hidden[0]", {"hidden[0] is 3", "[[1, 6]]"}},
      {begin + "[[3]]}", "hidden[0][0]", {"is 3", "[first, last]"}},
      {begin + "[[[3]]]}", "hidden[0][0]", {"1 long", "[first, last]"}},
      {begin + "[[[0, 1, 2]]]}", "hidden[0][0][2]", {"is 2", "whole number"}},
      {begin + "[[[0, -1]]]}", "hidden[0][0][1]", {"is -1", "whole number from 0"}},
      {begin + "[[[0, 0.5]]]}", "hidden[0][0][1]", {"is 0.5"}},
      {begin + "[[[0, [1]]]]}", "hidden[0][0][1]", {"an array"}},
      {begin + "[[[1, 0]]]}", "hidden[0][0]", {"[1, 0]", "end before it begins"}},
      {begin + "[[[0, 1]]]}", "hidden", {"1 queries", "there are 2"}},
      {begin + "[[[0, 1]], [[0, 3]]]}", "hidden[1]", {"[0, 3]", "[0, 2]"}},
      {R"({"mask": "custom"})", "hidden", {"0 queries", "there are 6"}},
      {R"({"mask": "custom", "mechanism": "simple_self_attention", "normalization": "sum", "hidden": [[], [], [], [], [], []]})",
       "mask",
       {"mask is custom", "sum"}},
  });
}

TEST(DocumentErrors, BiasBroadcastsToTheScores) {
  const std::string begin = R"({"inputs": [[1], [2]], "mechanism": "causal_attention", "bias": )";
  expect_all({
      {begin + "true}", "bias", {"bias is true", "nested arrays"}},
      {begin + "{}}", "bias", {"bias is an object"}},
      {begin + "[]}", "bias", {"bias is empty"}},
      {begin + "[[1, 2], [3]]}", "bias[1]", {"1 long", "2 long"}},
      {begin + "[[1, 2], 3]}", "bias[1]", {"a number among arrays"}},
      {begin + "[1, [2]]}", "bias[1]", {"an array among numbers"}},
      {begin + "[[[[[1]]]]]}", "bias[0][0][0][0]", {"4 axes"}},
      {begin + R"([1, "inf"]})", "bias[1]", {"\"inf\"", "\"-inf\""}},
      {begin + "[1, 1e39]}", "bias[1]", {"1e39", "float32"}},
      {begin + "[1, 2, 3]}", "bias", {"(3)", "(1, 1, 2, 2)", "broadcast"}},
      {begin + R"("bias.npy"})", "bias", {"bias.npy", "only a document in a file"}},
      {R"({"inputs": [[1], [2]], "mechanism": "simple_self_attention", "normalization": "sum", "bias": [0, "-inf"]})",
       "bias",
       {"minus infinity", "sum"}},
  });
}

TEST(DocumentErrors, HeadsAndCellsMustBeThere) {
  expect_all({
      {R"({"heads_off": 1})", "heads_off", {"heads_off is 1", "an array of heads' numbers"}},
      {R"({"heads_off": [2]})", "heads_off[0]", {"heads_off[0] is 2", "from 0 to 1", "num_heads is 2"}},
      {R"({"heads_off": [-1]})", "heads_off[0]", {"heads_off[0] is -1", "counted from 0"}},
      {R"({"heads_off": [1, 1]})", "heads_off", {"names head 1 twice"}},
      {R"({"dropout_edits": []})", "dropout_edits", {"is an array", "an object of cells"}},
      {R"({"dropout_edits": {"lose": []}})", "dropout_edits.lose", {"\"lose\" is not a key of dropout_edits"}},
      {R"({"dropout_edits": {"drop": [1]}})", "dropout_edits.drop[0]", {"is 1", "a cell, [batch, head, query, key]"}},
      {R"({"dropout_edits": {"drop": [[0, 0, 0]]}})", "dropout_edits.drop[0]", {"is 3 long", "a cell"}},
      {R"({"dropout_edits": {"keep": [[0, 0, 0, 0, 0]]}})", "dropout_edits.keep[0][4]", {"is 0"}},
      {R"({"dropout_edits": {"keep": [[0, 0, 0.5, 0]]}})", "dropout_edits.keep[0][2]", {"is 0.5", "whole number"}},
      {R"({"dropout_edits": {"keep": [[0, 0, 0, 6]]}})", "dropout_edits.keep", {"[0, 0, 0, 6]", "[1, 2, 6, 6]"}},
      {R"({"dropout_edits": {"keep": [[0, 0, 0, 0]], "drop": [[0, 0, 0, 0]]}})",
       "dropout_edits.keep",
       {"names [0, 0, 0, 0] twice"}},
  });
}

TEST(DocumentErrors, GivenShapesBelongTogether) {
  const std::string begin = R"({"mechanism": "scaled_dot_product_attention", "given": )";
  expect_all({
      {R"({"mechanism": "scaled_dot_product_attention"})", "given", {"given is missing", "(T, d)"}},
      {begin + "3}", "given", {"given is 3", "\"queries\""}},
      {begin + "[1]}", "given", {"an array"}},
      {begin + R"("run.npz"})", "given", {"run.npz", "only a document in a file"}},
      {begin + R"({"queries": [[1]], "keys": [[1]]}})", "given", {"given is missing"}},
      {begin + R"({"query": [[1]]}})", "given.query", {"\"query\"", "it may have queries"}},
      {begin + R"({"queries": 1}})", "given.queries", {"is 1", "(B, H, T, d)"}},
      {begin + R"({"origin": [1]}})", "given.origin", {"an array", "a string"}},
      {begin + R"({"queries": [["-inf"]]}})", "given.queries[0][0]", {"\"-inf\""}},
      {begin + R"({"queries": [1], "keys": [[1]], "values": [[1]]}})", "given.queries", {"1 axes", "(T, d)"}},
      {begin + R"({"queries": [[1]], "keys": [[1, 2]], "values": [[1]]}})", "given", {"(1, 1, 1, 2)", "one width"}},
      {begin + R"({"queries": [[1]], "keys": [[1], [2]], "values": [[1]]}})", "given", {"must have a value"}},
      {begin + R"({"queries": [[1]], "keys": [[[1]], [[1]]], "values": [[[1]], [[1]]]}})",
       "given",
       {"more heads of keys"}},
      {begin + R"({"queries": [[1]], "keys": [[1]], "values": [[1]]}, "tokens": ["a", "b"]})",
       "tokens",
       {"2 names", "1 keys"}},
      {begin + R"({"queries": [[1]], "keys": [[1]], "values": [[1]]}, "query_tokens": ["a", "b"]})",
       "query_tokens",
       {"2 names", "1 queries"}},
  });
}

}  // namespace
}  // namespace attnscope::test

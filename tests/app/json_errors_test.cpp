// Every way to get a document wrong, with the field and the sentence that it gets.

#include <algorithm>

#include "document/json.h"
#include "json_errors.h"

namespace attnscope::test {
namespace {

TEST(DocumentErrors, NameTypeAndWhatIsAllowed) {
  expect_all({
      {R"({"format": "other"})", "format", {"format is \"other\"", "\"attnscope\""}},
      {R"({"version": 2})", "version", {"version is 2", "must be 1"}},
      {R"({"batch_size": "2"})", "batch_size", {"batch_size is \"2\"", "whole number from 1 to 64"}},
      {R"({"batch_size": 2.0})", "batch_size", {"batch_size is 2.0", "whole number"}},
      {R"({"batch_size": null})", "batch_size", {"batch_size is null"}},
      {R"({"d_out": 99999999999999999999})", "d_out", {"d_out is 99999999999999999999", "from 1 to 12288"}},
      {R"({"d_out": 18446744073709551615})", "d_out", {"d_out is 18446744073709551615", "from 1 to 12288"}},
      {R"({"num_heads": true})", "num_heads", {"num_heads is true", "from 1 to 128"}},
      {R"({"qkv_bias": 1})", "qkv_bias", {"qkv_bias is 1", "true or false"}},
      {R"({"scale": "yes"})", "scale", {"scale is \"yes\"", "true, false or a number"}},
      {R"({"scale": 0})", "scale", {"scale is 0", "above 0"}},
      {R"({"mask_alignment": "left"})", "mask_alignment", {"\"left\"", "\"upper_left\""}},
      {R"({"training": null})", "training", {"training is null", "true or false"}},
      {R"({"mechanism": "attention"})", "mechanism", {"\"attention\"", "\"simple_self_attention\"", "or \"scaled_dot"}},
      {R"({"normalization": "max"})", "normalization", {"\"max\"", "\"softmax\" or \"sum\""}},
      {R"({"mask": "Causal"})", "mask", {"\"Causal\"", "did you mean \"causal\"?"}},
      {R"({"dropout_kernel": "standard"})", "dropout_kernel", {"\"standard\"", "\"mkl\" or \"default\""}},
      {R"({"dropout": "0.5"})", "dropout", {"\"0.5\"", "a number from 0 to 1"}},
      {R"({"dropout": [0.5]})", "dropout", {"dropout is an array", "a number from 0 to 1"}},
      {R"({"seed": {"a": 1}})", "seed", {"seed is an object"}},
  });
}

TEST(DocumentErrors, SeedsAreUnsigned64BitNumbers) {
  const std::string allowed = "whole number from 0 to 18446744073709551615";
  expect_all({
      {R"({"seed": -1})", "seed", {"seed is -1", allowed}},
      {R"({"seed": 1.5})", "seed", {"seed is 1.5", allowed}},
      {R"({"seed": 1e3})", "seed", {"seed is 1e3", allowed}},
      {R"({"seed": 18446744073709551616})", "seed", {"seed is 18446744073709551616", allowed}},
      {R"({"seed": null})", "seed", {"seed is null", allowed}},
      {R"({"skip_draws": -1})", "skip_draws", {"skip_draws is -1"}},
      {R"({"dropout_seed": -1})", "dropout_seed", {"dropout_seed is -1", allowed, "or null"}},
      {R"({"dropout_seed": "none"})", "dropout_seed", {"\"none\"", "or null"}},
  });
}

TEST(DocumentErrors, RangesAndShapesComeFromTheEngine) {
  expect_all({
      {R"({"batch_size": 0})", "batch_size", {"0", "1 to 64"}},
      {R"({"batch_size": 65})", "batch_size", {"65", "1 to 64"}},
      {R"({"d_out": -3})", "d_out", {"-3", "1 to 12288"}},
      {R"({"num_heads": 129})", "num_heads", {"129", "1 to 128"}},
      {R"({"d_out": 6, "num_heads": 4})", "num_heads", {"4", "divide d_out", "1, 2, 3 or 6"}},
      {R"({"dropout": 1.5})", "dropout", {"1.5", "0 to 1"}},
      {R"({"dropout": -0.1})", "dropout", {"-0.1"}},
      {R"({"skip_draws": 1000000001})", "skip_draws", {"1000000001"}},
      {R"({"weight_order": ["key", "key", "value"]})", "weight_order", {"weight_order", "once"}},
      {R"({"weights": {"W_quer.weight": [[1]]}})", "weights.W_quer.weight", {"W_quer.weight", "multi_head_attention"}},
      {R"({"weights": {"W_query.weight": [[1, 2, 3]]}})", "weights.W_query.weight", {"(1, 3)", "(2, 3)"}},
      {R"({"weights": {"W_query.weight": [1, 2, 3]}})", "weights.W_query.weight", {"(3)", "(2, 3)"}},
  });
}

TEST(DocumentErrors, HugeShapesAreRefusedBeforeAnythingIsAllocated) {
  expect_all({
      {R"({"inputs": {"randn": [4097, 3]}})", "inputs", {"4097", "1 to 4096"}},
      {R"({"inputs": {"randn": [6, 9223372036854775807]}})", "inputs", {"9223372036854775807", "1 to 12288"}},
      {R"({"inputs": {"randn": [9223372036854775807, 9223372036854775807]}})", "inputs", {"1 to 4096"}},
      {R"({"inputs": {"randn": [9223372036854775808, 1]}})", "inputs.randn[0]", {"9223372036854775808", "whole"}},
      {R"({"inputs": {"randn": [0, 3]}})", "inputs", {"0"}},
  });
}

TEST(DocumentErrors, NamePlacesInInputs) {
  expect_all({
      {R"({"inputs": [[1, 2], [3, "x"]]})", "inputs[1][1]", {"inputs[1][1] is \"x\"", "finite number"}},
      {R"({"inputs": [[1, null]]})", "inputs[0][1]", {"inputs[0][1] is null", "finite number"}},
      {R"({"inputs": [[1, [2]]]})", "inputs[0][1]", {"inputs[0][1] is an array", "finite number"}},
      {R"({"inputs": [1, 2]})", "inputs[0]", {"inputs[0] is 1", "an array of numbers"}},
      {R"({"inputs": [[1, 2], {}]})", "inputs[1]", {"inputs[1] is an object", "an array of numbers"}},
      {R"({"inputs": [[1, 2], [3]]})", "inputs[1]", {"inputs[1] has 1 numbers", "have 2", "the same length"}},
      {R"({"inputs": [[1, 2], []]})", "inputs[1]", {"inputs[1] is empty"}},
      {R"({"inputs": [[]]})", "inputs[0]", {"inputs[0] is empty"}},
      {R"({"inputs": []})", "inputs", {"inputs is empty", "at least one"}},
      {R"({"inputs": 3})", "inputs", {"inputs is 3", "array of rows", "randn"}},
      {R"({"inputs": null})", "inputs", {"inputs is null"}},
      {R"({"inputs": [[1e39]]})", "inputs[0][0]", {"inputs[0][0] is 1e39", "float32"}},
      {R"({"inputs": [[1, -4e38]]})", "inputs[0][1]", {"inputs[0][1] is -4e38", "float32"}},
      {R"({"inputs": [[1e400]]})", "inputs[0][0]", {"inputs[0][0] is 1e400", "too large"}},
      {R"({"inputs": {}})", "inputs", {"without \"randn\""}},
      {R"({"inputs": {"randn": [2]}})", "inputs.randn", {"inputs.randn is 1 long", "[T, d_in]"}},
      {R"({"inputs": {"randn": [2, 3, 4]}})", "inputs.randn[2]", {"inputs.randn[2] is 4"}},
      {R"({"inputs": {"randn": [2.0, 3]}})", "inputs.randn[0]", {"inputs.randn[0] is 2.0", "whole number"}},
      {R"({"inputs": {"randn": 6}})", "inputs.randn", {"inputs.randn is 6", "two whole numbers"}},
      {R"({"inputs": {"rand": [2, 3]}})",
       "inputs.rand",
       {"\"rand\" is not a key of inputs", "did you mean \"randn\"?"}},
  });
}

TEST(DocumentErrors, NamePlacesInTokensAndWeights) {
  const std::string long_name(1001, 'a');
  expect_all({
      {R"({"tokens": "a b"})", "tokens", {"tokens is \"a b\"", "array of strings"}},
      {R"({"tokens": ["a", 1]})", "tokens[1]", {"tokens[1] is 1", "a string"}},
      {R"({"tokens": [["a"]]})", "tokens[0]", {"tokens[0] is an array", "a string"}},
      {R"({"tokens": ["a", "b"]})", "inputs", {"inputs is left out", "2 tokens", "exactly 6"}},
      {R"({"tokens": []})", "inputs", {"0 tokens", "exactly 6"}},
      {R"({"tokens": ["a"], "inputs": [[1], [2]]})", "tokens", {"1 names", "2 rows"}},
      {R"({"tokens": [], "inputs": [[1], [2]]})", "tokens", {"0 names", "2 rows"}},
      {R"({"tokens": [")" + long_name + R"("], "inputs": [[1]]})", "tokens[0]", {"1001 bytes", "at most 1000"}},
      {R"({"weight_order": ["query", "key"]})", "weight_order", {"weight_order is 2 long"}},
      {R"({"weight_order": ["query", "keys", "value"]})", "weight_order[1]", {"\"keys\"", "\"query\", \"key\" or"}},
      {R"({"weight_order": ["query", "key", "value", "key"]})", "weight_order[3]", {"weight_order[3] is \"key\""}},
      {R"({"weight_order": "query"})", "weight_order", {"weight_order is \"query\"", "in any order"}},
      {R"({"weights": []})", "weights", {"weights is an array", "object of weights by name"}},
      {R"({"weights": {"W_query.weight": 3}})", "weights.W_query.weight", {"is 3", "an array of numbers or of rows"}},
      {R"({"weights": {"W_query.weight": [[1, 2, 3], 4]}})", "weights.W_query.weight[1]", {"is 4", "array of numbers"}},
      {R"({"weights": {"W_query.weight": [1, [2]]}})", "weights.W_query.weight[1]", {"is an array", "finite number"}},
      {R"({"weights": {"W_query.weight": [[[1]]]}})", "weights.W_query.weight[0][0]", {"is an array", "finite number"}},
      {R"({"weights": {"W_query.weight": []}})", "weights.W_query.weight", {"is empty"}},
      {R"({"weights": {"a\nb": null}})", "weights.\"a\\nb\"", {"is null"}},
  });
}

// Some are cut to what has as many bytes as they had.
TEST(DocumentErrors, AreOnOneLineHoweverLongAKeyIs) {
  for (std::size_t length = 0; length < 300; ++length) {
    const std::string key = "<u[^\\nk>" + std::string(length, '=');
    const Error error = error_of([&] { parse_document("{\"weights\": {\"" + key + "\": null}}"); });
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

TEST(DocumentErrors, UnknownAndDoubledKeysAreNamed) {
  expect_all({
      {R"({"num_head": 2})", "num_head", {"\"num_head\" is not a key of a document", "did you mean \"num_heads\"?"}},
      {R"({"Seed": 2})", "Seed", {"did you mean \"seed\"?"}},
      {R"({"dim_out": 2})", "dim_out", {"\"dim_out\" is not a key of a document, did you mean \"d_out\"?"}},
      {R"({"n-heads": 2})", "n-heads", {"did you mean \"num_heads\"?"}},
      {R"({"heads": 2})", "heads", {"; those most like it are ", "num_heads"}},
      {R"({"xyzzy_and_more": 2})", "xyzzy_and_more", {"; those most like it are "}},
      {R"({"mechanism": "multihead_attention"})", "mechanism", {"did you mean \"multi_head_attention\"?"}},
      {R"({"mask": "hidden"})", "mask", {"\"none\", \"causal\", \"causal_after_softmax\""}},
      {R"({"mask": "casual"})", "mask", {"mask is \"casual\", did you mean \"causal\"?"}},
      {R"({"temperature": 2})", "temperature", {"\"temperature\" is not a key", "; those most like it are "}},
      {R"({"": 2})", "", {"\"\" is not a key"}},
      {R"({"seed": 1, "seed": 1})", "seed", {"seed occurs twice"}},
      {R"({"inputs": {"randn": [2, 3], "randn": [2, 3]}})", "inputs.randn", {"inputs.randn occurs twice"}},
      {R"({"weights": {"a": [1], "a": [1]}})", "weights.a", {"weights.a occurs twice"}},
  });
}

TEST(DocumentErrors, BrokenJsonGetsLineColumnAndWhatWasExpected) {
  expect_all({
      {"", "", {"line 1, column 1", "a document, which begins with {", "the text ends"}},
      {"  \n ", "", {"line 2, column 2", "the text ends"}},
      {"{", "", {"line 1, column 2", "a key in double quotes or }", "the text ends"}},
      {"{\"seed\"", "", {"line 1, column 8", "a colon after the key seed", "the text ends"}},
      {"{\"seed\" 1}", "", {"line 1, column 9", "a colon after the key seed", "\"1\""}},
      {"{\"seed\":}", "", {"line 1, column 9", "a value for seed", "found \"}\""}},
      {"{\"seed\": 1,}", "", {"line 1, column 12", "another key in double quotes", "found \"}\""}},
      {"{\"seed\": 1 \"d_out\": 2}", "", {"line 1, column 12", "a comma or }", "d_out"}},
      {"{\n  \"inputs\": [[1, 2,], [3, 4]]}", "", {"line 2, column 20", "another value", "found \"]\""}},
      {"{\"inputs\": [[1 2]]}", "", {"line 1, column 16", "a comma or ]", "found \"2\""}},
      {"{} {}", "", {"line 1, column 4", "nothing more after the document's closing }", "found \"{\""}},
      {"{seed: 1}", "", {"line 1, column 2", "a key in double quotes or }", "found \"seed\""}},
      {"{'seed': 1}", "", {"line 1, column 2", "found \"'seed'\""}},
      {"{\"scale\": True}", "", {"line 1, column 11", "a value for scale", "found \"True\""}},
      {"{\"seed\": 01}", "", {"line 1, column 11", "a comma or }", "found \"1\""}},
      {"{\"dropout\": .5}", "", {"line 1, column 13", "a value for dropout", "found \".5\""}},
      {"{\"seed\": 1 // comment\n}", "", {"line 1, column 12", "found \"//\""}},
      {"{\"tokens\": [\"ä\", “x”]}", "", {"line 1, column 18", "found \"“x”\""}},
      {"{\"tokens\": [\"a", "", {"line 1, column 13", "the text ends inside a string"}},
      {"{\"tokens\": [\"a\nb\"]}", "", {"line 1, column 13", "line break or another control character"}},
      {"{\"tokens\": [\"\\x\"]}", "", {"line 1, column 13", "an escape that JSON does not have"}},
      {"{\"tokens\": [\"\\ud800\"]}", "", {"line 1, column 13"}},
      {std::string("{\0}", 3), "", {"line 1, column 2"}},
  });
}

TEST(DocumentErrors, NumbersThatAreNoneAreRefusedInWords) {
  expect_all({
      {R"({"inputs": [[1, NaN]]})", "inputs[0][1]", {"inputs[0][1] is NaN", "finite"}},
      {R"({"inputs": [[-Infinity]]})", "inputs[0][0]", {"inputs[0][0] is -Infinity", "finite"}},
      {R"({"dropout": Infinity})", "dropout", {"dropout is Infinity", "finite"}},
      {R"({"dropout": nan})", "dropout", {"dropout is nan", "finite"}},
      {R"({"dropout": inf})", "dropout", {"dropout is inf", "finite"}},
      {R"({"dropout": "NaN"})", "dropout", {"\"NaN\"", "a number from 0 to 1"}},
  });
}

TEST(DocumentErrors, DocumentsAreObjectsInUtf8OfALimitedSize) {
  expect_all({
      {"[]", "", {"The document is an array", "JSON object"}},
      {"3", "", {"The document is 3", "JSON object"}},
      {"\"text\"", "", {"The document is \"text\""}},
      {"null", "", {"The document is null"}},
      {"{\"tokens\": [\"\xC3\x28\"]}", "", {"line 1, column 14", "not UTF-8"}},
      {"{\"tokens\": [\"\xED\xA0\x80\"]}", "", {"not UTF-8"}},
      {"\xFF\xFE{", "", {"line 1, column 1", "not UTF-8"}},
      {std::string(max_document_bytes + 1, ' '), "", {"512000001 bytes", "at most 512000000"}},
  });
}

TEST(DocumentErrors, DeepNestingIsRefusedAtItsFirstBracket) {
  constexpr std::size_t depth = 1'000'000;
  expect_all({
      {std::string(depth, '['), "", {"The document is an array"}},
      {"{\"inputs\": " + std::string(depth, '['), "inputs[0][0]", {"inputs[0][0] is an array"}},
      {"{\"weights\": {\"a\": {\"b\": 1}}}", "weights.a", {"weights.a is an object"}},
  });
}

TEST(DocumentErrors, LongValuesAreShortened) {
  const Error error = error_of([] { parse_document(R"({"mask": ")" + std::string(100000, 'm') + R"("})"); });
  EXPECT_LT(std::string(error.what()).size(), 250U);
  const Error number = error_of([] { parse_document(R"({"seed": 1.)" + std::string(100000, '1') + "}"); });
  EXPECT_LT(std::string(number.what()).size(), 250U);
}

TEST(DocumentErrors, SentenceCheckNoticesWhatIsMissing) {
  EXPECT_TRUE(says("seed is 1.", {"seed", "1"}));
  EXPECT_FALSE(says("seed is 1.", {"seed", "2"}));
  EXPECT_FALSE(says("seed is\n1.", {"seed"}));
  EXPECT_FALSE(says("seed is 1", {"seed"}));
}

}  // namespace
}  // namespace attnscope::test

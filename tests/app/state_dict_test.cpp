// What weights and embeddings of other programs become in a document, by their names and shapes.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/error.h"
#include "core/parameters.h"
#include "document/edit.h"
#include "files/arrays.h"
#include "files/import.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Shapes = std::vector<std::pair<std::string, std::vector<Index>>>;
using Beside = std::vector<std::pair<std::string, std::string>>;

// Arrays of these names and shapes, whose numbers count up from 0 through all of them.
NamedArrays arrays_with(const Shapes& shapes, const Beside& beside = {}) {
  NamedArrays file;
  file.metadata = beside;
  float number = 0;
  for (const auto& [name, shape] : shapes) {
    const auto numbers = std::make_shared<std::vector<float>>(static_cast<std::size_t>(element_count(shape)));
    for (float& each : *numbers) each = number++;
    const std::string_view bytes(reinterpret_cast<const char*>(numbers->data()), numbers->size() * sizeof(float));
    ArrayView& array = file.arrays.emplace_back();
    array.name = name;
    array.shape = shape;
    array.bytes = Bytes(bytes, numbers);
  }
  return file;
}

// "self_attention_v1 3 -> 2: W_query 0, W_key 6, W_value 12", with the first number of each weight; or the sentence.
std::string weights_outcome(const NamedArrays& file, const ImportChoice& choice) {
  Document document = default_document();
  const Document before = document;
  try {
    EXPECT_TRUE(holds_weights(file, choice));
    import_weights(document, file, choice);
  } catch (const Error& error) {
    EXPECT_EQ(document, before);
    return error.what();
  }
  const AttentionConfig& config = document.config;
  EXPECT_EQ(token_count(config), token_count(before.config));
  std::string text = fmt::format("{} {} -> {}", info(config.mechanism).id, input_features(config), config.d_out);
  if (info(config.mechanism).has_heads) text += fmt::format(", {} heads", config.num_heads);
  if (config.num_kv_heads) text += fmt::format(", {} of keys", *config.num_kv_heads);
  if (config.qkv_bias) text += ", bias";
  std::vector<std::string> weights;
  for (const auto& [name, tensor] : config.weight_overrides)
    weights.push_back(fmt::format("{} {}", name, tensor.row(0).front()));
  return fmt::format("{}: {}", text, fmt::join(weights, ", "));
}

Shapes projections_of(const std::string& prefix, Index in, Index out, Index keys) {
  return {{prefix + "W_query.weight", {out, in}},
          {prefix + "W_key.weight", {keys, in}},
          {prefix + "W_value.weight", {keys, in}}};
}

Shapes joined_shapes(Shapes shapes, const Shapes& others) {
  shapes.insert(shapes.end(), others.begin(), others.end());
  return shapes;
}

Shapes with_output(Index in, Index out, Index keys, const std::string& prefix = "") {
  return joined_shapes(projections_of(prefix, in, out, keys),
                       {{prefix + "out_proj.weight", {out, out}}, {prefix + "out_proj.bias", {out}}});
}

TEST(StateDict, NamesAndShapesSayWhichMechanismItIs) {
  const Shapes plain = projections_of("", 3, 2, 2);
  const Shapes wrapper = joined_shapes(projections_of("heads.0.", 3, 2, 2), projections_of("heads.1.", 3, 2, 2));
  const std::string linear_numbers = "W_key.weight 6, W_query.weight 0, W_value.weight 12";
  const std::string ambiguous =
      "The weights are those of self_attention_v2 or of causal_attention, which have the same names and shapes.";
  const Beside two_heads = {{"format", "pt"}, {"attnscope.num_heads", "2"}};
  const struct {
    Shapes shapes;
    Beside beside;
    ImportChoice choice;
    std::string outcome;
  } cases[] = {
      {{{"W_query", {3, 2}}, {"W_key", {3, 2}}, {"W_value", {3, 2}}},
       {},
       {},
       "self_attention_v1 3 -> 2: W_key 6, W_query 0, W_value 12"},
      {{{"a.b.W_query", {5, 2}}, {"a.b.W_key", {5, 2}}, {"a.b.W_value", {5, 2}}, {"other", {1}}},
       {},
       {},
       "self_attention_v1 5 -> 2: W_key 10, W_query 0, W_value 20"},
      {plain, {}, {}, ambiguous},
      {plain, {{"attnscope.mechanism", "multi_head_attention"}}, {}, ambiguous},
      {plain, {{"attnscope.mechanism", "causal_attention"}}, {}, "causal_attention 3 -> 2: " + linear_numbers},
      {plain,
       {{"attnscope.mechanism", "causal_attention"}},
       {.mechanism = Mechanism::self_attention_v2},
       "self_attention_v2 3 -> 2: " + linear_numbers},
      {plain, {}, {.mechanism = Mechanism::causal_attention}, "causal_attention 3 -> 2: " + linear_numbers},
      {plain, {}, {.mechanism = Mechanism::multi_head_attention}, ambiguous},
      {joined_shapes(plain, {{"mask", {6, 6}}}), {}, {}, "causal_attention 3 -> 2: " + linear_numbers},
      {joined_shapes(plain, {{"mask", {6, 6}}}),
       {},
       {.mechanism = Mechanism::self_attention_v2},
       "The mechanism self_attention_v2 was asked for, but the weights are those of causal_attention."},
      {joined_shapes(plain, {{"W_query.bias", {2}}, {"W_key.bias", {2}}, {"W_value.bias", {2}}}),
       {},
       {.mechanism = Mechanism::self_attention_v2},
       "self_attention_v2 3 -> 2, bias: W_key.bias 20, W_key.weight 6, W_query.bias 18, W_query.weight 0, "
       "W_value.bias 22, W_value.weight 12"},
      {with_output(3, 4, 4),
       two_heads,
       {},
       "multi_head_attention 3 -> 4, 2 heads: W_key.weight 12, W_query.weight 0, W_value.weight 24, out_proj.bias 52, "
       "out_proj.weight 36"},
      {with_output(3, 4, 4),
       two_heads,
       {.num_heads = 4},
       "multi_head_attention 3 -> 4, 4 heads: W_key.weight 12, W_query.weight 0, W_value.weight 24, out_proj.bias 52, "
       "out_proj.weight 36"},
      {with_output(3, 8, 4),
       {},
       {.num_heads = 4},
       "multi_head_attention 3 -> 8, 4 heads, 2 of keys: W_key.weight 24, W_query.weight 0, W_value.weight 36, "
       "out_proj.bias 112, out_proj.weight 48"},
      {with_output(3, 8, 2),
       {},
       {.num_heads = 4},
       "multi_head_attention 3 -> 8, 4 heads, 1 of keys: W_key.weight 24, W_query.weight 0, W_value.weight 30, "
       "out_proj.bias 100, out_proj.weight 36"},
      {with_output(3, 8, 3),
       {},
       {.num_heads = 4},
       "\"W_key.weight\" has the shape (3, 3), but with the other tensors it must have the shape (8, 3)."},
      {with_output(3, 4, 4), {}, {}, "The weights do not say how many heads share d_out = 4."},
      {with_output(3, 4, 4),
       {{"attnscope.num_heads", "two"}},
       {},
       "The weights do not say how many heads share d_out = 4."},
      {wrapper,
       {},
       {},
       "multi_head_attention_wrapper 3 -> 2, 2 heads: heads.0.W_key.weight 6, heads.0.W_query.weight 0, "
       "heads.0.W_value.weight 12, heads.1.W_key.weight 24, heads.1.W_query.weight 18, heads.1.W_value.weight 30"},
      {joined_shapes(wrapper, {{"heads.0.mask", {6, 6}}, {"heads.1.mask", {6, 6}}}),
       {},
       {.num_heads = 2},
       "multi_head_attention_wrapper 3 -> 2, 2 heads: heads.0.W_key.weight 6, heads.0.W_query.weight 0, "
       "heads.0.W_value.weight 12, heads.1.W_key.weight 24, heads.1.W_query.weight 18, heads.1.W_value.weight 30"},
      {wrapper, {}, {.num_heads = 3}, "num_heads is 3, but the file has the weights of 2 heads."},
      {joined_shapes(projections_of("heads.0.", 3, 2, 2), projections_of("heads.2.", 3, 2, 2)),
       {},
       {},
       "The file has \"heads.2.W_key.weight\", which is not a weight of this mechanism, did you mean "
       "\"heads.0.W_key.weight\"?"},
      {projections_of("", 5, 2, 2),
       {},
       {.mechanism = Mechanism::causal_attention, .keeps_inputs = true},
       "The weights take d_in = 5, but the inputs have 3 dimensions: use a document with 5 numbers per token."},
      {projections_of("", 5, 2, 2),
       {},
       {.mechanism = Mechanism::causal_attention},
       "causal_attention 5 -> 2: W_key.weight 10, W_query.weight 0, W_value.weight 20"},
      {plain,
       {},
       {.mechanism = Mechanism::causal_attention, .keeps_inputs = true},
       "causal_attention 3 -> 2: " + linear_numbers},
      {{{"W_query.weight", {2, 3}}, {"W_key.weight", {2, 3}}},
       {},
       {.mechanism = Mechanism::self_attention_v2},
       "The file has no tensor \"W_value.weight\", which self_attention_v2 needs."},
      {joined_shapes(plain, {{"masks", {1}}}),
       {},
       {.mechanism = Mechanism::self_attention_v2},
       "The file has \"masks\", which is not a weight of this mechanism: it has W_query.weight, W_key.weight, "
       "W_value.weight."},
      {{{"W_query", {6}}, {"W_key", {6}}, {"W_value", {6}}},
       {},
       {},
       "\"W_query\" has the shape (6,), but it must be a matrix of d_in and d_out, each from 1 to 12288."},
      {{{"W_query", {0, 2}}, {"W_key", {0, 2}}, {"W_value", {0, 2}}},
       {},
       {},
       "\"W_query\" has the shape (0, 2), but it must be a matrix of d_in and d_out, each from 1 to 12288."},
      {{{"W_query", {1, 12289}}, {"W_key", {1, 12289}}, {"W_value", {1, 12289}}},
       {},
       {},
       "\"W_query\" has the shape (1, 12289), but it must be a matrix of d_in and d_out, each from 1 to 12288."},
      {{{"W_query", {1, 12288}}, {"W_key", {1, 12288}}, {"W_value", {1, 12288}}},
       {},
       {},
       "self_attention_v1 1 -> 12288: W_key 12288, W_query 0, W_value 24576"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(weights_outcome(arrays_with(each.shapes, each.beside), each.choice), each.outcome);
}

TEST(StateDict, OneModuleOfManyIsChosenByTheBeginningOfItsNames) {
  const Shapes two =
      joined_shapes(with_output(3, 4, 4, "trf_blocks.0.att."), with_output(3, 4, 4, "trf_blocks.1.att."));
  const auto outcome = [](const Shapes& shapes, const std::string& tensor) {
    return weights_outcome(arrays_with(shapes), {.tensor = tensor, .num_heads = 2});
  };
  const std::string second =
      "multi_head_attention 3 -> 4, 2 heads: W_key.weight 68, W_query.weight 56, W_value.weight 80, out_proj.bias 108, "
      "out_proj.weight 92";
  const std::string list = "\"trf_blocks.0.att.\", \"trf_blocks.1.att.\"";
  EXPECT_EQ(outcome(two, "trf_blocks.1.att"), second);
  EXPECT_EQ(outcome(two, "trf_blocks.1.att."), second);
  const auto open = [](std::size_t count, const std::string& names) {
    return fmt::format(
        "The file has the weights of {} attention modules, {}, and one of them becomes a document. With its "
        "config.json beside it, the whole model opens.",
        count, names);
  };
  EXPECT_EQ(outcome(two, ""), open(2, list));
  try {
    Document document = default_document();
    import_weights(document, arrays_with(two), {});
  } catch (const ChoiceNeeded& needed) {
    EXPECT_EQ(needed.of, ChoiceNeeded::Of::tensor);
    EXPECT_EQ(needed.options, (std::vector<std::string>{"trf_blocks.0.att.", "trf_blocks.1.att."}));
  }
  EXPECT_EQ(outcome(two, "trf_blocks.2.att"),
            "The file has no attention module \"trf_blocks.2.att.\": it has " + list + ".");
  EXPECT_EQ(outcome(with_output(3, 4, 4), "x"), "The file has no attention module \"x.\": it has \"\".");
  Shapes many;
  std::vector<std::string> names;
  for (const char* name : {"a.", "b.", "c.", "d.", "e.", "f.", "g.", "heads.x.", "subheads.1."}) {
    many = joined_shapes(many, projections_of(name, 3, 2, 2));
    names.push_back(fmt::format("\"{}\"", name));
    if (names.size() < 8) continue;
    EXPECT_EQ(outcome(many, ""),
              open(names.size(), fmt::format("{}{}", fmt::join(names.begin(), names.begin() + 8, ", "),
                                             names.size() > 8 ? " and so on" : "")));
  }
  const Shapes heads =
      joined_shapes(projections_of("x.heads.0.", 3, 2, 2),
                    joined_shapes(projections_of("x.heads.1.", 3, 2, 2), projections_of("y.", 3, 2, 2)));
  EXPECT_EQ(outcome(heads, ""), open(2, "\"x.\", \"y.\""));
}

TEST(StateDict, NamesOfOtherModulesAreNoWeights) {
  for (const char* name : {"xW_query.weight", "W_query.bias", "W_queries", "W_query.weight.x", "q_proj.weight"})
    EXPECT_FALSE(holds_weights(arrays_with({{name, {2, 2}}}), {})) << name;
  const NamedArrays weights = arrays_with({{"a.W_query.weight", {2, 2}}});
  EXPECT_TRUE(holds_weights(weights, {}));
  EXPECT_TRUE(holds_weights(weights, {.tensor = "a"}));
  EXPECT_FALSE(holds_weights(weights, {.tensor = "a.W_query.weight"})) << "it is taken as embeddings";
}

// The tokens and their inputs, "x1 0 1 2, x2 3 4 5"; or the sentence.
std::string embeddings_outcome(const NamedArrays& file, const ImportChoice& choice) {
  Document document = default_document();
  try {
    import_embeddings(document, file, choice);
  } catch (const Error& error) {
    EXPECT_EQ(document, default_document());
    return error.what();
  }
  const Tensor inputs = inputs_of(document);
  std::vector<std::string> rows;
  for (Index row = 0; row < inputs.rows() && row < 4; ++row)
    rows.push_back(fmt::format("{} {}", document.tokens[static_cast<std::size_t>(row)],
                               fmt::join(inputs.matrix().row(row).first(1), " ")));
  return fmt::format("{} of {}: {}", inputs.rows(), inputs.cols(), fmt::join(rows, ", "));
}

TEST(EmbeddingTables, BecomeTokensRowByRow) {
  const auto range = [](Index first, Index count) { return ImportChoice{.first_row = first, .row_count = count}; };
  const auto table = [](const std::string& shape) {
    return "The array has the shape " + shape +
           ", but embeddings are a table of T rows, one per token, with d_in numbers each: save one such table.";
  };
  const struct {
    Shapes shapes;
    ImportChoice choice;
    std::string outcome;
  } cases[] = {
      {{{"", {3, 2}}}, {}, "3 of 2: x1 0, x2 2, x3 4"},
      {{{"", {1, 1, 3, 2}}}, {}, "3 of 2: x1 0, x2 2, x3 4"},
      {{{"", {1, 1, 2}}}, {}, "1 of 2: x1 0"},
      {{{"", {6, 3}}}, {}, "6 of 3: Your 0, journey 3, starts 6, with 9"},
      {{{"", {2, 3, 2}}}, {}, table("(2, 3, 2)")},
      {{{"", {6}}}, {}, table("(6,)")},
      {{{"", {}}}, {}, table("()")},
      {{{"", {3, 2}}}, range(1, 2), "2 of 2: x1 2, x2 4"},
      {{{"", {3, 2}}}, range(0, 1), "1 of 2: x1 0"},
      {{{"", {3, 2}}}, range(2, 1), "1 of 2: x1 4"},
      {{{"", {3, 2}}}, range(1, 3), "Rows 2 to 4 were asked for, but the table has rows 1 to 3."},
      {{{"", {3, 2}}}, range(3, 1), "Rows 4 to 4 were asked for, but the table has rows 1 to 3."},
      {{{"", {3, 2}}}, range(1, 0), "Rows 2 to 1 were asked for, but the table has rows 1 to 3."},
      {{{"", {3, 2}}}, range(-1, 1), "Rows 0 to 0 were asked for, but the table has rows 1 to 3."},
      {{{"", {0, 2}}}, {}, "The table has the shape (0, 2): there is no row in it."},
      {{{"", {2, 0}}}, {}, "The table has rows of 0 numbers, but d_in must be from 1 to 12288."},
      {{{"", {1, 12288}}}, {}, "1 of 12288: x1 0"},
      {{{"", {1, 12289}}}, {}, "The table has rows of 12289 numbers, but d_in must be from 1 to 12288."},
      {{{"", {4096, 1}}}, {}, "4096 of 1: x1 0, x2 1, x3 2, x4 3"},
      {{{"", {4097, 1}}}, {}, "4097 rows would become tokens, but a document has at most 4096."},
      {{{"", {4097, 1}}}, range(4095, 2), "2 of 1: x1 4095, x2 4096"},
      {{{"a", {3, 2}}, {"b", {2, 2}}}, {.tensor = "b"}, "2 of 2: x1 6, x2 8"},
      {{{"a", {3, 2}}}, {}, "3 of 2: x1 0, x2 2, x3 4"},
      {{{"a", {3, 2}}, {"b", {2}}},
       {},
       "The file has several tensors, and one of them can be the embeddings: \"a\" (3, 2), \"b\" (2,)."},
      {{{"a", {3, 2}}}, {.tensor = "b"}, "There is no tensor \"b\" in the file: it has \"a\" (3, 2)."},
      {{{"a", {1}}, {"b", {1}}, {"c", {1}}, {"d", {1}}, {"e", {1}}, {"f", {1}}, {"g", {1}}, {"h", {1}}},
       {},
       "The file has several tensors, and one of them can be the embeddings: \"a\" (1,), \"b\" (1,), \"c\" (1,), "
       "\"d\" (1,), \"e\" (1,), \"f\" (1,), \"g\" (1,), \"h\" (1,)."},
      {{{"a", {1}},
        {"b", {1}},
        {"c", {1}},
        {"d", {1}},
        {"e", {1}},
        {"f", {1}},
        {"g", {1}},
        {"h", {1}},
        {"i", {1}},
        {"j", {1}}},
       {},
       "The file has several tensors, and one of them can be the embeddings: \"a\" (1,), \"b\" (1,), \"c\" (1,), "
       "\"d\" (1,), \"e\" (1,), \"f\" (1,), \"g\" (1,), \"h\" (1,), 2 more."},
  };
  for (const auto& each : cases) EXPECT_EQ(embeddings_outcome(arrays_with(each.shapes), each.choice), each.outcome);
  EXPECT_NO_THROW(check_fits_document(170'666'666));
  EXPECT_EQ(
      std::string(error_of([] { check_fits_document(170'666'667); }).what()),
      "170666667 numbers make a document of 512000001 bytes or more, but at most 512000000 can be read again: take "
      "fewer.");
}

TEST(GivenHeads, AreThreeArraysOfTwoNames) {
  const auto holds = [](const Shapes& shapes) { return holds_heads(arrays_with(shapes)); };
  EXPECT_TRUE(holds({{"queries", {2, 3}}, {"keys", {2, 3}}, {"values", {2, 3}}}));
  EXPECT_TRUE(holds({{"v", {1, 1, 2, 3}}, {"k", {1, 1, 2, 3}}, {"q", {1, 2, 3}}}));
  EXPECT_TRUE(holds({{"queries", {2, 3}}, {"k", {2, 3}}, {"v", {2, 3}}}));
  EXPECT_FALSE(holds({{"queries", {2, 3}}, {"keys", {2, 3}}}));
  EXPECT_TRUE(holds({{"queries", {2, 3}}, {"keys", {2, 3}}, {"values", {2, 3}}, {"mask", {2, 2}}}));
  EXPECT_FALSE(holds({{"queries", {2, 3}}, {"keys", {2, 3}}, {"values", {2, 3}}, {"other", {2, 2}}}));
  EXPECT_FALSE(holds({{"queries", {2, 3}}, {"keys", {2, 3}}, {"q", {2, 3}}}));
  EXPECT_FALSE(holds({{"queries", {2, 3}}, {"keys", {2, 3}}, {"values", {3}}}));
  EXPECT_FALSE(holds({{"queries", {1, 1, 1, 2, 3}}, {"keys", {2, 3}}, {"values", {2, 3}}}));
  const Document document = document_of_heads(arrays_with({{"v", {2, 1}}, {"k", {2, 3}}, {"q", {1, 3}}}), "run.npz");
  const HeadTensors& heads = document.config.heads;
  EXPECT_EQ(heads.queries.shape(), (std::vector<Index>{1, 1, 1, 3}));
  EXPECT_EQ(heads.keys.shape(), (std::vector<Index>{1, 1, 2, 3}));
  EXPECT_EQ(heads.values.shape(), (std::vector<Index>{1, 1, 2, 1}));
  EXPECT_EQ(heads.values.row(1).front(), 1);
  EXPECT_EQ(heads.keys.row(0).front(), 2);
  EXPECT_EQ(heads.queries.row(0).back(), 10);
  EXPECT_EQ(heads.origin, "run.npz");
}

// The bias that a mask of these cells becomes beside queries, keys and values of three tokens and two batch entries.
std::string bias_outcome(const std::string& name, const std::vector<Index>& shape, const std::string& cells,
                         NumberType type = NumberType::boolean) {
  NamedArrays file = arrays_with({{"q", {2, 1, 3, 1}}, {"k", {2, 1, 3, 1}}, {"v", {2, 1, 3, 1}}});
  const auto owner = std::make_shared<const std::string>(cells);
  ArrayView& mask = file.arrays.emplace_back();
  mask.name = name;
  mask.type = type;
  mask.shape = shape;
  mask.bytes = Bytes(*owner, owner);
  try {
    const Document document = document_of_heads(file, "x.npz");
    EXPECT_EQ(document.config.mask, MaskRoute::none);
    return fmt::format("({}): {}", fmt::join(document.config.bias.shape(), ", "),
                       fmt::join(document.config.bias.copy().values, " "));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(GivenHeads, AMaskBesideThemHidesKeys) {
  const std::string causal("\1\0\0\1\1\0\1\1\1", 9);
  const std::string hides("\0\1\1\0\0\1\0\0\0", 9);
  const std::string seen = "(3, 3): 0 -inf -inf 0 0 -inf 0 0 0";
  EXPECT_EQ(bias_outcome("attn_mask", {3, 3}, causal), seen);
  EXPECT_EQ(bias_outcome("mask", {3, 3}, causal), seen) << "each token sees itself";
  EXPECT_EQ(bias_outcome("mask", {3, 3}, hides), seen) << "as the notebook's mask has it";
  const std::string padded("\1\1\0\1\1\1", 6);
  const std::string seen_by_entry = "(2, 1, 1, 3): 0 0 -inf 0 0 0";
  EXPECT_EQ(bias_outcome("attention_mask", {2, 3}, padded), seen_by_entry);
  EXPECT_EQ(bias_outcome("attention_mask", {2, 3}, padded, NumberType::uint8), seen_by_entry);
  EXPECT_EQ(bias_outcome("key_padding_mask", {2, 3}, std::string("\0\0\1\0\0\0", 6)), seen_by_entry);
  EXPECT_TRUE(says(bias_outcome("mask", {2, 3}, padded), {"attn_mask", "key_padding_mask"}));
  EXPECT_TRUE(says(bias_outcome("attn_mask", {3, 3}, std::string("\1\2\1\1\1\1\1\1\1", 9), NumberType::uint8),
                   {"whole numbers", "0 and 1"}));
  EXPECT_TRUE(says(bias_outcome("attn_mask", {4, 4}, std::string(16, '\1')), {"(4, 4)"}));
}

// The first number of each row of a weight.
std::vector<float> first_column(const Document& document, const std::string& name) {
  const Tensor tensor = document.config.weight_overrides.at(name).copy();
  std::vector<float> column;
  for (Index row = 0; row < tensor.rows(); ++row) column.push_back(tensor.matrix()(row, 0));
  return column;
}

TEST(StateDict, QueriesKeysAndValuesSideBySideAreSplit) {
  Document document = default_document();
  const auto values = [&](const std::string& name) { return document.config.weight_overrides.at(name).copy().values; };
  const NamedArrays torch = arrays_with(
      {{"in_proj_weight", {6, 3}}, {"in_proj_bias", {6}}, {"out_proj.weight", {2, 2}}, {"out_proj.bias", {2}}});
  EXPECT_TRUE(holds_weights(torch, {}));
  EXPECT_TRUE(says(import_weights(document, torch, {.num_heads = 1}),
                   {"\"in_proj_weight\" was split into queries, keys and values, in this order"}));
  EXPECT_EQ(first_column(document, "W_query.weight"), (std::vector<float>{0, 3}));
  EXPECT_EQ(first_column(document, "W_key.weight"), (std::vector<float>{6, 9}));
  EXPECT_EQ(first_column(document, "W_value.weight"), (std::vector<float>{12, 15}));
  EXPECT_EQ(values("W_key.bias"), (AlignedFloats{20, 21}));
  EXPECT_EQ(values("out_proj.bias"), (AlignedFloats{28, 29}));
  const NamedArrays gpt2 = arrays_with({{"h.0.attn.bias", {1, 1, 4, 4}},
                                        {"h.0.attn.c_attn.weight", {2, 6}},
                                        {"h.0.attn.c_attn.bias", {6}},
                                        {"h.0.attn.c_proj.weight", {2, 2}},
                                        {"h.0.attn.c_proj.bias", {2}}});
  import_weights(document, gpt2, {.num_heads = 1});
  EXPECT_EQ(first_column(document, "W_query.weight"), (std::vector<float>{16, 17}));
  EXPECT_EQ(first_column(document, "W_value.weight"), (std::vector<float>{20, 21}));
  EXPECT_EQ(values("out_proj.weight"), (AlignedFloats{34, 36, 35, 37}));
  const NamedArrays separate = arrays_with({{"x.q_proj.weight", {2, 3}},
                                            {"x.k_proj.weight", {2, 3}},
                                            {"x.v_proj.weight", {2, 3}},
                                            {"x.o_proj.weight", {2, 2}}});
  import_weights(document, separate, {.num_heads = 1});
  EXPECT_EQ(first_column(document, "W_value.weight"), (std::vector<float>{12, 15}));
  EXPECT_EQ(values("out_proj.bias"), (AlignedFloats{0, 0}));
  const NamedArrays uneven = arrays_with({{"qkv.weight", {4, 3}}, {"proj.weight", {2, 2}}});
  EXPECT_TRUE(says(error_of([&] { import_weights(document, uneven, {.num_heads = 1}); }).what(), {"a third"}));
}

TEST(StateDict, WholeNumbersAreNoWeights) {
  NamedArrays file = arrays_with(with_output(3, 4, 4));
  for (ArrayView& array : file.arrays) {
    if (array.name == "W_key.weight") array.type = NumberType::int32;
  }
  Document document = default_document();
  EXPECT_TRUE(says(error_of([&] { import_weights(document, file, {.num_heads = 2}); }).what(),
                   {"\"W_key.weight\" is int32", "floating-point"}));
}

}  // namespace
}  // namespace attnscope::test

// Edits of tokens and inputs.

#include <limits>

#include "core/evaluate.h"
#include "document/edit.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

Document small_document() {
  return parse_document(R"({"tokens": ["a", "b", "c"], "inputs": [[1, 2], [3, 4], [5, 6]]})");
}

TEST(MakeInputsExplicit, KeepsInputsWeightsAndDropout) {
  for (const char* shape : {"[1, 1]", "[3, 3]", "[3, 5]", "[4, 4]", "[4, 8]", "[5, 5]", "[7, 30]"}) {
    SCOPED_TRACE(shape);
    Document document =
        parse_document(std::string(R"({"dropout": 0.5, "skip_draws": 5, "inputs": {"randn": )") + shape + "}}");
    const Result drawn = evaluate(document.config);
    make_inputs_explicit(document);
    ASSERT_TRUE(std::holds_alternative<SharedTensor>(document.config.inputs));
    const Result typed = evaluate(document.config);
    EXPECT_TRUE(same_bits(*typed.find(Stage::inputs), *drawn.find(Stage::inputs)));
    EXPECT_EQ(*typed.parameters, *drawn.parameters);
    EXPECT_TRUE(same_bits(*typed.find(Stage::output), *drawn.find(Stage::output)));
  }
}

TEST(MakeInputsExplicit, LeavesTypedInputsAlone) {
  Document document = small_document();
  make_inputs_explicit(document);
  EXPECT_EQ(document, small_document());
}

TEST(SetInput, ChangesOneNumber) {
  Document document = small_document();
  set_input(document, 1, 0, 9.5F);
  EXPECT_EQ(inputs_of(document), Tensor({3, 2}, {1, 2, 9.5F, 4, 5, 6}));
}

TEST(SetInput, RefusesPlacesThatAreNotThereAndNumbersThatAreNone) {
  Document document = small_document();
  EXPECT_TRUE(says(error_of([&] { set_input(document, 3, 0, 1); }).what(), {"no token 4", "has 3"}));
  EXPECT_TRUE(says(error_of([&] { set_input(document, -1, 0, 1); }).what(), {"no token 0"}));
  EXPECT_TRUE(says(error_of([&] { set_input(document, 0, 2, 1); }).what(), {"no dimension 3", "has 2"}));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(error_of([&] { set_input(document, 2, 1, infinity); }).field, "inputs[2][1]");
  EXPECT_EQ(document, small_document());
}

TEST(SetInput, MakesDrawnInputsExplicit) {
  Document document = parse_document(R"({"inputs": {"randn": [2, 2]}})");
  set_input(document, 0, 0, 7);
  EXPECT_EQ(inputs_of(document).values[0], 7);
}

TEST(RenameToken, TakesAnyTextThatCanBeSaved) {
  Document document = small_document();
  rename_token(document, 1, "ß 🙂");
  EXPECT_EQ(document.tokens[1], "ß 🙂");
  EXPECT_EQ(error_of([&] { rename_token(document, 0, "\xFF"); }).field, "tokens[0]");
  EXPECT_EQ(error_of([&] { rename_token(document, 0, std::string(1001, 'x')); }).field, "tokens[0]");
  EXPECT_EQ(document.tokens[0], "a");
}

TEST(Tokens, AreAddedAtTheEndWithARowOfZeros) {
  Document document = small_document();
  add_token(document);
  EXPECT_EQ(document.tokens, (Names{"a", "b", "c", "token"}));
  EXPECT_EQ(inputs_of(document), Tensor({4, 2}, {1, 2, 3, 4, 5, 6, 0, 0}));
}

TEST(Tokens, AreDuplicatedBelowThemselves) {
  Document document = small_document();
  duplicate_token(document, 0);
  EXPECT_EQ(document.tokens, (Names{"a", "a", "b", "c"}));
  EXPECT_EQ(inputs_of(document), Tensor({4, 2}, {1, 2, 1, 2, 3, 4, 5, 6}));
  duplicate_token(document, 3);
  EXPECT_EQ(document.tokens[4], "c");
}

TEST(Tokens, AreDeletedButTheLast) {
  Document document = small_document();
  delete_token(document, 1);
  EXPECT_EQ(document.tokens, (Names{"a", "c"}));
  EXPECT_EQ(inputs_of(document), Tensor({2, 2}, {1, 2, 5, 6}));
  delete_token(document, 1);
  EXPECT_TRUE(says(error_of([&] { delete_token(document, 0); }).what(), {"last token"}));
  EXPECT_TRUE(says(error_of([&] { delete_token(document, 1); }).what(), {"no token 2"}));
}

TEST(Tokens, MoveDownAndUp) {
  Document document = small_document();
  move_token(document, 0, 2);
  EXPECT_EQ(document.tokens, (Names{"b", "c", "a"}));
  EXPECT_EQ(inputs_of(document), Tensor({3, 2}, {3, 4, 5, 6, 1, 2}));
  move_token(document, 2, 0);
  EXPECT_EQ(document, small_document());
  move_token(document, 2, 1);
  EXPECT_EQ(document.tokens, (Names{"a", "c", "b"}));
}

TEST(Features, AreAddedAndRemovedAtTheEnd) {
  Document document = parse_document(
      R"({"tokens": ["a", "b"], "inputs": [[1, 2], [3, 4]], "weights": {"W_key.weight": [[1, 2], [3, 4]]}})");
  add_feature(document);
  EXPECT_EQ(inputs_of(document), Tensor({2, 3}, {1, 2, 0, 3, 4, 0}));
  EXPECT_TRUE(document.config.weight_overrides.empty());
  remove_feature(document);
  remove_feature(document);
  EXPECT_EQ(inputs_of(document), Tensor({2, 1}, {1, 3}));
  EXPECT_TRUE(says(error_of([&] { remove_feature(document); }).what(), {"last dimension"}));
}

TEST(FillWithRandn, KeepsTheShapeAndTheNames) {
  Document document = small_document();
  fill_with_randn(document);
  EXPECT_EQ(std::get<RandnInputs>(document.config.inputs), (RandnInputs{3, 2}));
  EXPECT_EQ(document.tokens, (Names{"a", "b", "c"}));
}

TEST(SetInputs, TakesTheShapeOfTheBlock) {
  Document document = small_document();
  set_inputs(document, {{1}, {2}, {3}, {4}});
  EXPECT_EQ(document.tokens, (Names{"a", "b", "c", "x4"}));
  EXPECT_EQ(inputs_of(document), Tensor({4, 1}, {1, 2, 3, 4}));
  set_inputs(document, {{7, 8}});
  EXPECT_EQ(document.tokens, (Names{"a"}));
}

TEST(SetInputs, RefusesNothingAndRaggedRows) {
  Document document = small_document();
  EXPECT_TRUE(says(error_of([&] { set_inputs(document, {}); }).what(), {"at least one row"}));
  EXPECT_TRUE(says(error_of([&] { set_inputs(document, {{}}); }).what(), {"at least one row"}));
  EXPECT_TRUE(says(error_of([&] { set_inputs(document, {{1, 2}, {3}}); }).what(), {"Row 2 has 1", "row 1 has 2"}));
  EXPECT_EQ(error_of([&] { set_inputs(document, {{std::numeric_limits<float>::quiet_NaN()}}); }).field, "inputs[0][0]");
  EXPECT_EQ(document, small_document());
}

}  // namespace
}  // namespace attnscope::test

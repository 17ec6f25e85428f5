// Which weight of a document tells most, and whether any does.

#include "view/view_address.h"

#include "document/builtin.h"
#include "document/document.h"
#include "document/edit.h"
#include "document/json.h"

#include <gtest/gtest.h>

namespace attnscope::test {
namespace {

Result result_of(const Document& document) { return evaluate(document.config); }

TEST(TellingCell, OfTheOpeningDocumentIsWhereItLooksAtCat) {
  const Result result = result_of(opening_document());
  EXPECT_EQ(most_telling_cell(result), (Source{.stage = Stage::weights, .row = 4, .col = 1}));
  EXPECT_EQ(most_telling_cell(result, 1), (Source{.stage = Stage::weights, .head = 1, .row = 2, .col = 1}))
      << "slept looks for its doer";
  EXPECT_FALSE(has_nearly_equal_shares(result));
}

TEST(TellingCell, IsNoneWhereAllSharesAreEqual) {
  Document document = opening_document();
  for (const Stage stage : {Stage::query_weight, Stage::key_weight})
    fill_weights(document, {stage, 0, all_cells(document.config, stage)}, Filling::zeros);
  const Result result = result_of(document);
  EXPECT_FALSE(most_telling_cell(result));
  EXPECT_TRUE(has_nearly_equal_shares(result));
  EXPECT_FALSE(telling_factor(result)) << "no factor makes equal scores differ";
}

TEST(TellingCell, IsOfTwoKeysOnlyWhereNoRowSeesThree) {
  const Document two = parse_document(R"({"tokens": ["a", "b"], "inputs": [[1, 0], [0, 1]]})");
  const std::optional<Source> cell = most_telling_cell(result_of(two));
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->row, 1);
  const Document one = parse_document(R"({"tokens": ["a"], "inputs": [[1, 0]]})");
  EXPECT_FALSE(most_telling_cell(result_of(one)));
  EXPECT_FALSE(has_nearly_equal_shares(result_of(one))) << "nothing is shared";
}

TEST(TellingCell, OfManyTokensIsFoundInAFewRows) {
  Document document;
  document.config.inputs = RandnInputs{600, 8};
  document.config.d_out = 8;
  document.tokens = numbered_tokens(600);
  const std::optional<Source> cell = most_telling_cell(result_of(document));
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->head, 0);
  EXPECT_LE(cell->col, cell->row);
}

TEST(NearlyEqualShares, OfDrawnWeightsDifferAfterTheProposedFactor) {
  for (const std::uint64_t seed : {123U, 1U, 7U}) {
    Document document = notebook_document();
    document.config.seed = seed;
    const Result before = result_of(document);
    ASSERT_TRUE(has_nearly_equal_shares(before)) << seed;
    const std::optional<double> factor = telling_factor(before);
    ASSERT_TRUE(factor);
    multiply_scale(document, *factor);
    EXPECT_FALSE(has_nearly_equal_shares(result_of(document))) << seed << ": × " << *factor;
    EXPECT_EQ(parse_document(to_json(document)), document);
  }
}

TEST(NearlyEqualShares, OfScoresThatNoSoftmaxReadsHaveNoFactor) {
  Document document = notebook_document();
  set_mechanism(document, Mechanism::simple_self_attention);
  document.config.normalization = Normalization::sum;
  EXPECT_FALSE(telling_factor(result_of(document)));
}

}  // namespace
}  // namespace attnscope::test

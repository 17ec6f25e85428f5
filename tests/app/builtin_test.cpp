#include "document/builtin.h"

#include <algorithm>
#include <set>

#include "core/evaluate.h"
#include "core/source.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

TEST(BuiltinDocuments, AreValidAndSurviveARoundTrip) {
  ASSERT_GE(builtin_documents().size(), 14U);
  for (const BuiltinDocument& builtin : builtin_documents()) {
    SCOPED_TRACE(builtin.id);
    const Document document = parse_document(builtin.json);
    EXPECT_EQ(parse_document(to_json(document)), document);
  }
}

TEST(BuiltinDocuments, HaveTitlesAndSummariesOfOneLine) {
  std::set<std::string_view> ids;
  std::set<std::string_view> titles;
  for (const BuiltinDocument& builtin : builtin_documents()) {
    SCOPED_TRACE(builtin.id);
    EXPECT_TRUE(ids.insert(builtin.id).second);
    EXPECT_TRUE(titles.insert(builtin.title).second);
    EXPECT_FALSE(builtin.title.empty());
    EXPECT_LT(builtin.summary.size(), 90U);
    EXPECT_TRUE(says(std::string(builtin.summary), {}));
  }
}

TEST(OpeningDocument, CanBeReadAsAMeaning) {
  const Document document = opening_document();
  EXPECT_EQ(document.tokens, (TokenNames{"the", "cat", "slept", "because", "it", "dreamed"}));
  const Result result = evaluate(document.config);
  const auto share = [&](Index head, Index query, Index key) {
    return static_cast<double>(value_at(result, {.stage = Stage::weights, .head = head, .row = query, .col = key}));
  };
  EXPECT_GT(share(0, 4, 1), 0.95) << "a pronoun looks for a thing";
  EXPECT_GT(share(1, 2, 1), 0.95) << "an action looks for its doer";
  EXPECT_GT(share(1, 5, 1), 0.5) << "and finds two of them";
  EXPECT_GT(share(1, 5, 4), 0.35);
  for (const Index query : {1, 2, 3, 5})
    for (Index key = 0; key <= query; ++key)
      EXPECT_NEAR(share(0, query, key), 1.0 / static_cast<double>(query + 1), 1e-6);
  for (const Index query : {1, 3, 4})
    for (Index key = 0; key <= query; ++key)
      EXPECT_NEAR(share(1, query, key), 1.0 / static_cast<double>(query + 1), 1e-6);
  const Tensor output = read_stage(result, Stage::output);
  EXPECT_EQ(output.values, read_stage(result, Stage::context).values) << "out_proj leaves contexts as they are";
}

TEST(NotebookDocument, HasTwoHeadsOfTwoNumbersAndNoDropout) {
  const Document document = notebook_document();
  EXPECT_EQ(document.config.mechanism, Mechanism::multi_head_attention);
  EXPECT_EQ(document.config.d_out, 4);
  EXPECT_EQ(document.config.num_heads, 2);
  EXPECT_EQ(document.config.dropout, 0);
  EXPECT_EQ(document.config.seed, 123U);
  EXPECT_EQ(parse_document("{}").config.d_out, 2) << "a document without keys is another one";
  EXPECT_EQ(parse_document(example_named("example:notebook")->json), document);
}

TEST(Examples, BeginWithTheOpeningDocumentTheNotebooksAndTheModel) {
  const std::span<const BuiltinDocument> examples = example_documents();
  EXPECT_EQ(parse_document(examples[0].json), opening_document());
  EXPECT_EQ(examples[1].id, "notebook");
  EXPECT_EQ(examples[2].id, "stories");
}

TEST(BuiltinDocuments, ClimbTheLadderOfMechanisms) {
  std::vector<Mechanism> mechanisms_in_order;
  for (const BuiltinDocument& builtin : builtin_documents().subspan(2)) {  // after the opening and the notebooks' words
    mechanisms_in_order.push_back(parse_document(builtin.json).config.mechanism);
  }
  EXPECT_TRUE(std::ranges::is_sorted(mechanisms_in_order));
  for (const MechanismInfo& mechanism : mechanisms()) {
    EXPECT_NE(std::ranges::find(mechanisms_in_order, mechanism.mechanism), mechanisms_in_order.end()) << mechanism.id;
  }
}

// What the notebook prints of v1, whose weights have since been carried to v2, and then of v2.
TEST(BuiltinDocuments, CarryTheWeightsOfV1) {
  const std::span<const BuiltinDocument> documents = builtin_documents();
  const auto carried = std::ranges::find(documents, "self_attention_v2_from_v1", &BuiltinDocument::id);
  ASSERT_NE(carried, documents.end());
  const Document v2 = parse_document(carried->json);
  Document v1 = v2;
  v1.config.mechanism = Mechanism::self_attention_v1;
  v1.config.weight_overrides.clear();
  const TensorPtr of_v1 = evaluate(v1.config).share(Stage::context);
  const TensorPtr of_v2 = evaluate(v2.config).share(Stage::context);
  EXPECT_NEAR(of_v2->values.front(), 1.4035, 5e-5);
  EXPECT_NEAR(of_v2->values.back(), 1.0361, 5e-5);
  ASSERT_EQ(of_v2->shape, of_v1->shape);
  for (std::size_t i = 0; i < of_v1->values.size(); ++i) EXPECT_NEAR(of_v2->values[i], of_v1->values[i], 1e-6);
}

}  // namespace
}  // namespace attnscope::test

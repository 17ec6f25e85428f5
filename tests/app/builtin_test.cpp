#include "document/builtin.h"

#include <algorithm>
#include <set>

#include "core/evaluate.h"
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

TEST(OpeningDocument, HasTwoHeadsOfTwoNumbersAndNoDropout) {
  const Document document = opening_document();
  EXPECT_EQ(document.config.mechanism, Mechanism::multi_head_attention);
  EXPECT_EQ(document.config.d_out, 4);
  EXPECT_EQ(document.config.num_heads, 2);
  EXPECT_EQ(document.config.dropout, 0);
  EXPECT_EQ(document.config.seed, 123U);
  EXPECT_EQ(parse_document("{}").config.d_out, 2) << "a document without keys is another one";
}

TEST(BuiltinDocuments, ClimbTheLadderOfMechanisms) {
  std::vector<Mechanism> mechanisms_in_order;
  for (const BuiltinDocument& builtin : builtin_documents()) {
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

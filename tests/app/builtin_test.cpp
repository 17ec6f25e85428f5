#include "document/builtin.h"

#include <algorithm>
#include <set>

#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

TEST(BuiltinDocuments, AreValidAndSurviveARoundTrip) {
  ASSERT_GE(builtin_documents().size(), 13U);
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

}  // namespace
}  // namespace attnscope::test

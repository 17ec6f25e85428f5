#include "document/document.h"

#include "support.h"

namespace attnscope::test {
namespace {

TEST(TokenNames, AreSharedByCopies) {
  const TokenNames names = {"the", "cat"};
  const TokenNames copy = names;
  EXPECT_EQ(&copy[0], &names[0]);
  EXPECT_EQ(copy, names);
  EXPECT_EQ(copy.bytes_beyond(names), 0U);
}

TEST(TokenNames, AreEqualWhereEachNameIs) {
  const TokenNames names = {"the", "cat"};
  EXPECT_EQ(names, (TokenNames{"the", "cat"}));
  EXPECT_GT(names.bytes_beyond({"the", "cat"}), 0U);
  EXPECT_NE(names, (TokenNames{"the"}));
  EXPECT_NE(names, (TokenNames{"the", "dog"}));
}

TEST(TokenNames, KnowTheFirstThatIsRefused) {
  EXPECT_EQ(TokenNames().first_refused(), std::nullopt);
  EXPECT_EQ((TokenNames{"", std::string(1000, 'a')}).first_refused(), std::nullopt);
  EXPECT_EQ((TokenNames{"a", std::string(1001, 'a'), "\xFF"}).first_refused(), 1U);
  EXPECT_EQ((TokenNames{"a", "b", "\xFF"}).first_refused(), 2U);
}

}  // namespace
}  // namespace attnscope::test

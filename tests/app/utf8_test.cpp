#include "document/utf8.h"

#include "support.h"

namespace attnscope::test {
namespace {

TEST(Utf8, AcceptsEveryLengthOfCharacter) {
  EXPECT_EQ(find_invalid_utf8("aä世🙂\x7F"), std::nullopt);
  EXPECT_EQ(utf8_character("🙂", 0).code, U'🙂');
  EXPECT_EQ(utf8_character("世", 0).length, 3U);
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(find_invalid_utf8("ab\x80"), 2U);            // a byte that can only continue
  EXPECT_EQ(find_invalid_utf8("a\xC0\xAF"), 1U);         // an overlong slash
  EXPECT_EQ(find_invalid_utf8("\xE0\x80\xAF"), 0U);      // another
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0U);      // a surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // beyond the last character
  EXPECT_EQ(find_invalid_utf8("\xE4\xB8"), 0U);          // cut off
  EXPECT_EQ(find_invalid_utf8("\xFF"), 0U);
}

TEST(InQuotes, KeepsToOneLineAndShortens) {
  EXPECT_EQ(in_quotes("a\nb\"c"), R"("a\nb\"c")");
  EXPECT_EQ(in_quotes(std::string(50, 'x')), "\"" + std::string(40, 'x') + "…\"");
  EXPECT_EQ(find_invalid_utf8(in_quotes("\xFF" + std::string(100, '\xE4'))), std::nullopt);
}

}  // namespace
}  // namespace attnscope::test

#include "document/imported_document.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

TEST(TokenText, IsOneNameALine) {
  EXPECT_EQ(tokens_from_text("the cat\n\n sat\n", 3), (Names{"the cat", "", " sat"}));
  EXPECT_EQ(tokens_from_text("a\r\nb", 2), (Names{"a", "b"}));
  EXPECT_EQ(tokens_from_text("\xEF\xBB\xBFĠthe\nĠcat", 2), (Names{"Ġthe", "Ġcat"}));
  EXPECT_EQ(tokens_from_text("", 1), Names{""});
}

TEST(TokenText, IsSplitAtBlanksWhereLinesDoNotFit) {
  EXPECT_EQ(tokens_from_text(" the  cat\tsat\non\n", 4), (Names{"the", "cat", "sat", "on"}));
}

TEST(TokenText, IsAJsonListOfStrings) {
  EXPECT_EQ(tokens_from_text("[\"the\", \" cat\",\n \"\\n\"]", 3), (Names{"the", " cat", "\n"}));
  EXPECT_EQ(tokens_from_text("[a\n[b", 2), (Names{"[a", "[b"}));
  EXPECT_EQ(tokens_from_text("[[[[[\n1]", 2), (Names{"[[[[[", "1]"}));
}

TEST(TokenText, OfAnotherNumberOfNamesSaysWhatItHas) {
  EXPECT_TRUE(says(error_of([] { tokens_from_text("the cat\nsat\n", 4); }).what(), {"2 lines", "3 words", "4 tokens"}));
  EXPECT_TRUE(says(error_of([] { tokens_from_text("", 2); }).what(), {"1 line and 0 words", "2 tokens"}));
}

TEST(TokenText, ThatIsNoTextIsRefused) {
  EXPECT_TRUE(says(error_of([] { tokens_from_text("a\n\xFF", 2); }).what(), {"tokens[1]", "not UTF-8"}));
  EXPECT_TRUE(says(error_of([] { tokens_from_text(std::string(2000, 'x'), 1); }).what(), {"tokens[0]", "2000 bytes"}));
}

}  // namespace
}  // namespace attnscope::test

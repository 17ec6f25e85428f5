#include "core/shown_text.h"

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

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += std::max<std::size_t>(1, utf8_character(text, at).length);
  return count;
}

TEST(ShownText, LeavesGoodTextAsItIs) {
  for (const std::string text : {"", "a b", "Jalapeño ⁄ 世界 🙂", "می‌خواهم", "👩‍🔬"})
    EXPECT_EQ(shown_text(text), text);
  EXPECT_EQ(shown_text(std::string(200, 'x')), std::string(200, 'x'));
}

TEST(ShownText, WritesWhatATerminalWouldObey) {
  EXPECT_EQ(shown_text("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(shown_text("\x1b[31m\x07\x7f"), "\\x1b[31m\\x07\\x7f");
  EXPECT_EQ(shown_text("\xC2\x9B"
                       "2J"),
            "\\x9b2J");  // U+009B begins a sequence, too
  EXPECT_EQ(shown_text("\x9B"
                       "2J \xFF"),
            "\\x9b2J \\xff");
  EXPECT_EQ(shown_text("gpj.\u202Eexe\u2066\u2028\uFEFF"), "gpj.\\u202eexe\\u2066\\u2028\\ufeff");
  EXPECT_EQ(shown_text(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(ShownText, CutsLongTextInTheMiddleAndSaysItsLength) {
  const std::string text = shown_text(std::string(30000, 'a') + std::string(30000, 'z'));
  EXPECT_EQ(characters(text), most_characters_shown);
  EXPECT_TRUE(text.starts_with("aaaa"));
  EXPECT_TRUE(text.ends_with("zzzz"));
  EXPECT_NE(text.find("aaa… (60000 characters) …zzz"), std::string::npos) << text;
}

TEST(ShownText, StaysUtf8AndWithinItsRoomWhereverItIsCut) {
  for (const std::string unit : {"世", "\xE4", "🙂a", "\u202E", "\xF0\x9F"}) {
    for (std::size_t most = 0; most < 90; ++most) {
      std::string text;
      for (int i = 0; i < 100; ++i) text += unit;
      const std::string shown = shown_text(text, most);
      EXPECT_LE(characters(shown), std::max<std::size_t>(most, 20)) << most;
      EXPECT_EQ(find_invalid_utf8(shown), std::nullopt);
      EXPECT_EQ(shown_text(shown), shown);  // a text within a message is not escaped again
    }
  }
}

TEST(TerminalText, KeepsLinesAndEscapesAsJsonDoes) {
  EXPECT_EQ(terminal_text("{\n\t\"tokens\": [\"\xC2\x9B\x1b\u202Eä\"]\n}"),
            "{\n\t\"tokens\": [\"\\u009b\\u001b\\u202eä\"]\n}");
  EXPECT_EQ(terminal_text("\\x41"), "\\x41");
  EXPECT_EQ(terminal_text(std::string(100000, 'x')), std::string(100000, 'x'));
}

TEST(InQuotes, KeepsToOneLineAndShortens) {
  EXPECT_EQ(in_quotes("a\nb\"c"), R"("a\nb\"c")");
  EXPECT_LE(characters(in_quotes(std::string(5000, 'x'))), 62U);
  EXPECT_EQ(find_invalid_utf8(in_quotes("\xFF" + std::string(100, '\xE4'))), std::nullopt);
}

}  // namespace
}  // namespace attnscope::test

#include "core/text.h"

#include "support.h"

#include <limits>

namespace attnscope::test {
namespace {

TEST(Utf8, AcceptsEveryLengthOfCharacter) {
  EXPECT_EQ(find_invalid_utf8("aä世🙂\x7F"), std::nullopt);
  EXPECT_EQ(utf8_character("🙂", 0).code, U'🙂');
  EXPECT_EQ(utf8_character("世", 0).length, 3U);
}

TEST(Utf8, IsWrittenAsItIsRead) {
  std::string text;
  for (const char32_t character :
       std::u32string_view(U"\0z\x7F\u0080é\u07FF\u0800世\uFFFD\U00010000🙂\U0010FFFF", 12))
    append_utf8(text, character);
  EXPECT_EQ(text, std::string("\0z\x7F\u0080é\u07FF\u0800世\uFFFD\U00010000🙂\U0010FFFF", 30));
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

TEST(ShownText, SaysTheHeadsOfAModelsAddressInWords) {
  EXPECT_EQ(shown_path("runs/gpt.pth#heads=12"), "runs/gpt.pth (12 heads)");
  EXPECT_EQ(shown_path("gpt.pth#heads=1"), "gpt.pth (1 head)");
  for (const char* const name : {"gpt.pth#heads=", "gpt.pth#heads=12.json", "gpt#12"})
    EXPECT_EQ(shown_path(name), name);
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

std::string digits(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('0' + i % 10);
  return text;
}

TEST(ExactTexts, AreCutWhereTheyAreLongerThanTheirRoom) {
  EXPECT_EQ(shown_text(digits(100), 100), digits(100));
  EXPECT_EQ(shown_text(digits(101), 50), digits(20) + "… (101 characters) …" + "1234567890");
  std::string lines(26, '\n');
  std::string shown;
  for (int i = 0; i < 26; ++i) shown += "\\n";
  EXPECT_EQ(shown_text(lines, 52), shown);
  EXPECT_EQ(shown_text(lines, 51), shown.substr(0, 22) + "… (26 characters) …" + shown.substr(0, 10));
  EXPECT_EQ(shown_text(digits(40), 5), "… (40 characters) …");
  EXPECT_EQ(in_quotes(digits(60)), "\"" + digits(60) + "\"");
  EXPECT_EQ(in_quotes(digits(61)), "\"" + digits(28) + "… (61 characters) …" + digits(61).substr(48) + "\"");
}

TEST(ExactTexts, EscapeWhatIsNotSeen) {
  const std::pair<const char*, const char*> cases[] = {
      {"\x1F ", "\\x1f "},   {"~\x7F", "~\\x7f"},
      {"\u0080", "\\x80"},   {"\u009F", "\\x9f"},
      {"\u00A0", "\u00A0"},  {"\u061B", "\u061B"},
      {"\u061C", "\\u061c"}, {"\u200A", "\u200A"},
      {"\u200B", "\\u200b"}, {"\u200C\u200D", "\u200C\u200D"},
      {"\u200F", "\\u200f"}, {"\u2010", "\u2010"},
      {"\u2027", "\u2027"},  {"\u2028", "\\u2028"},
      {"\u202E", "\\u202e"}, {"\u202F", "\u202F"},
      {"\u205F", "\u205F"},  {"\u2060", "\\u2060"},
      {"\u206F", "\\u206f"}, {"\u2070", "\u2070"},
      {"\uFEFF", "\\ufeff"}, {"\uFFF8", "\uFFF8"},
      {"\uFFF9", "\\ufff9"}, {"\uFFFB", "\\ufffb"},
      {"\uFFFC", "\uFFFC"},  {"\xC2", "\\xc2"},
      {"\\", "\\"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(shown_text(text), shown);
  EXPECT_EQ(terminal_text("a\r\x7F\xC2\u202E\n\t"), "a\\r\\u007f\\u00c2\\u202e\n\t");
}

TEST(ExactTexts, AreCountedTrimmedAndSplit) {
  EXPECT_EQ(character_count(""), 0);
  EXPECT_EQ(character_count("aé日🙂"), 4);
  EXPECT_EQ(trimmed(" \t\r\n\v\fa b\f\v "), "a b");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
  EXPECT_EQ(lower_case("@AZ[`azÉ"), "@az[`azÉ");
  EXPECT_EQ(lower_ending("a.b/C.D.NPY"), ".npy");
  EXPECT_EQ(lower_ending("a.b/C"), "");
  EXPECT_EQ(with_path("a.csv", "It is empty."), "a.csv: It is empty.");
  EXPECT_EQ(with_path("a.csv", "Of a.csv nothing is left."), "Of a.csv nothing is left.");
}

TEST(ExactTexts, RefuseGivenHeads) {
  const auto refusal = [](const std::function<void(AttentionConfig&)>& change) {
    AttentionConfig config = config_of(Mechanism::scaled_dot_product_attention);
    config.num_heads = 1;
    config.batch_size = 1;
    config.heads = {Tensor({1, 1, 2, 3}), Tensor({1, 1, 2, 3}), Tensor({1, 1, 2, 3}), ""};
    change(config);
    const Error error = error_of([&] { check(config); });
    return error.field + ": " + error.what();
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string whole = ", but it must be a whole number from 1 to ";
  const auto queries = [&](const std::vector<Index>& shape) {
    return refusal([&](AttentionConfig& config) { config.heads.queries = Tensor(shape); });
  };
  EXPECT_EQ(queries({65, 1, 1, 1}), "given.queries: The batch size of queries is 65" + whole + "64.");
  EXPECT_EQ(queries({1, 129, 1, 1}), "given.queries: The number of heads of queries is 129" + whole + "128.");
  EXPECT_EQ(queries({1, 1, 4097, 1}), "given.queries: The number of tokens of queries is 4097" + whole + "4096.");
  EXPECT_EQ(queries({1, 1, 1, 12289}), "given.queries: The width of queries is 12289" + whole + "12288.");
  EXPECT_EQ(queries({1, 2, 2, 3}), "num_heads: num_heads is 1, but the given queries have 2 heads.");
  EXPECT_EQ(refusal([](AttentionConfig& config) { config.batch_size = 2; }),
            "batch_size: batch_size is 2, but the given queries have a batch of 1.");
  EXPECT_EQ(
      refusal([&](AttentionConfig& config) {
        config.heads.values = Tensor({1, 1, 2, 1}, {0, nan});
      }),
      "given.values: given.values has a number that is infinity or not a number, but every number must be finite.");
  const std::string row_one =
      "bias: bias has a number in its row 1 that is infinity or not a number, but it may only have finite numbers and "
      "minus infinity, which hides a key.";
  EXPECT_EQ(refusal([&](AttentionConfig& config) {
              config.bias = Tensor({2, 2}, {0, 0, -infinity, infinity});
            }),
            row_one);
  EXPECT_EQ(refusal([&](AttentionConfig& config) { config.bias = Tensor({2, 2}, {0, -infinity, nan, 0}); }), row_one);
}

}  // namespace
}  // namespace attnscope::test

// Texts that are shown, words, refusals and the spread of weights, at the places where they change.

#include "core/shown_text.h"
#include "core/summary.h"
#include "core/words.h"
#include "support.h"

#include <limits>

namespace attnscope::test {
namespace {

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

TEST(ExactSpread, IsTheSharesOfTheNumbersThatAreSeen) {
  WeightRow row{0, {}};
  for (int i = 0; i <= 100; ++i) row.weights.push_back(static_cast<float>(i) / 100);
  row.weights.push_back(std::numeric_limits<float>::infinity());  // is left out
  const WeightSpread spread = weight_spread(std::span(&row, 1), Visibility{.keys = 102});
  EXPECT_FLOAT_EQ(spread.low, 0.02F * 102);   // number 2 of 0 to 100
  EXPECT_FLOAT_EQ(spread.high, 0.99F * 102);  // number 99
  EXPECT_FLOAT_EQ(spread.smallest, 0.02F);    // number 1 of 0.01 to 1
  EXPECT_FLOAT_EQ(spread.largest, 1);
  row.query = 50;
  const WeightSpread causal = weight_spread(std::span(&row, 1), Visibility{.keys = 102, .last = 1});
  EXPECT_FLOAT_EQ(causal.low, 0.01F * 51);  // number 1 of 0 to 50
  EXPECT_FLOAT_EQ(causal.high, 0.49F * 51);
  EXPECT_FLOAT_EQ(causal.smallest, 0.01F);
  EXPECT_FLOAT_EQ(causal.largest, 0.5F);
  row.weights.assign(102, 0);
  const WeightSpread none = weight_spread(std::span(&row, 1), Visibility{.keys = 102});
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.largest, 1);
}

}  // namespace
}  // namespace attnscope::test

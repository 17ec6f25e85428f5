#include "document/edit.h"

#include <cmath>

#include "support.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

Names split(const std::string& sentence) {
  Document document = default_document();
  set_sentence(document, sentence);
  return document.tokens;
}

std::vector<float> row(const Document& document, Index token) {
  const Tensor& inputs = inputs_of(document);
  const auto first = inputs.values.begin() + token * inputs.cols();
  return {first, first + inputs.cols()};
}

TEST(SetSentence, SplitsWordsAndPunctuation) {
  EXPECT_EQ(split("Hello, world!"), (Names{"Hello", ",", "world", "!"}));
  EXPECT_EQ(split("  a\t\nb  "), (Names{"a", "b"}));
  EXPECT_EQ(split("(yes)--no..."), (Names{"(", "yes", ")", "-", "-", "no", ".", ".", "."}));
  EXPECT_EQ(split("don't e-mail 3.5"), (Names{"don't", "e-mail", "3.5"}));
  EXPECT_EQ(split("'quoted'"), (Names{"'", "quoted", "'"}));
  EXPECT_EQ(split("„Grüße“ – 世界。"), (Names{"„", "Grüße", "“", "–", "世界", "。"}));
  EXPECT_EQ(split("a\u00A0b\u3000c"), (Names{"a", "b", "c"}));
}

TEST(SetSentence, KnownWordsKeepTheirRows) {
  Document document = default_document();
  const Document before = document;
  set_sentence(document, "one step with journey");
  EXPECT_EQ(row(document, 0), row(before, 4));
  EXPECT_EQ(row(document, 1), row(before, 5));
  EXPECT_EQ(row(document, 3), row(before, 1));
}

TEST(SetSentence, NewWordsGetNumbersOfTheirOwn) {
  Document first = default_document();
  set_sentence(first, "cats purr cats");
  Document second = default_document();
  set_sentence(second, "do cats sleep");
  EXPECT_EQ(row(first, 0), row(second, 1));
  EXPECT_EQ(row(first, 0), row(first, 2));
  EXPECT_NE(row(first, 0), row(first, 1));
  for (const float value : inputs_of(first).values) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
    EXPECT_EQ(value, static_cast<float>(std::round(value * 100.0) / 100.0));
  }
}

TEST(SetSentence, ARepeatedWordKeepsEachOfItsRows) {
  Document document = default_document();
  document.tokens = {"the", "cat", "the", "x", "y", "z"};
  const Document before = document;
  set_sentence(document, "the the the");
  EXPECT_EQ(row(document, 0), row(before, 0));
  EXPECT_EQ(row(document, 1), row(before, 2));
  EXPECT_EQ(row(document, 2), row(before, 0));
}

TEST(SetSentence, RefusesWhatHasNoWords) {
  Document document = default_document();
  EXPECT_TRUE(says(error_of([&] { set_sentence(document, " \n"); }).what(), {"at least one word"}));
  EXPECT_TRUE(says(error_of([&] { set_sentence(document, "\xFF"); }).what(), {"UTF-8"}));
  std::string many;
  for (int i = 0; i < 4097; ++i) many += "a ";
  EXPECT_TRUE(says(error_of([&] { set_sentence(document, many); }).what(), {"4097", "4096"}));
  EXPECT_EQ(error_of([&] { set_sentence(document, std::string(1001, 'a')); }).field, "tokens[0]");
  EXPECT_EQ(document, default_document());
}

}  // namespace
}  // namespace attnscope::test

// How numbers are written, and named in sentences of a document in which every size is another one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <tuple>

#include "core/text.h"
#include "tests/support/hard_documents.h"
#include "tests/support/special_numbers.h"
#include "view/number_words.h"

namespace attnscope::test {
namespace {

struct NumberWords : testing::Test {
  Document document = hard_document();
  Result result = evaluate(document.config);
  std::vector<std::string> labels = token_labels(document.tokens);

  // What the number in the third row and the second column is called, without its value.
  std::string name_of(Stage stage, SourceKind kind = SourceKind::cell) const {
    const Source source{.stage = stage, .batch = 1, .head = 2, .row = 2, .col = 1, .kind = kind};
    const std::string text = number_text(result, source, labels);
    const std::string value = " = " + format_fixed(static_cast<double>(value_at(result, source)), 4);
    EXPECT_TRUE(text.ends_with(value)) << text << ", not" << value;
    return text.substr(0, text.rfind(" = "));
  }
};

TEST_F(NumberWords, NameTheHeadOfWhatEachHeadHasAndNoneOfWhatAllShare) {
  EXPECT_EQ(name_of(Stage::inputs), "inputs starts, dimension 2");
  EXPECT_EQ(name_of(Stage::queries), "queries of head 3, starts, dimension 2");
  EXPECT_EQ(name_of(Stage::keys), "keys of head 3, starts, dimension 2");
  EXPECT_EQ(name_of(Stage::weights), "attention weights of head 3, starts → journey");
  EXPECT_EQ(name_of(Stage::mask), "mask starts → journey");
  EXPECT_EQ(name_of(Stage::head_context), "head context of head 3, starts, dimension 2");
  EXPECT_EQ(name_of(Stage::context), "context starts, dimension 2");
  EXPECT_EQ(name_of(Stage::output), "output starts, dimension 2");
  EXPECT_EQ(name_of(Stage::query_weight), "W_query.weight [3, 2]");
  EXPECT_EQ(name_of(Stage::weights, SourceKind::row_sum), "sum of attention weights of head 3, row starts");
  EXPECT_EQ(name_of(Stage::biased_scores, SourceKind::row_maximum), "largest of biased scores of head 3, row starts");
  EXPECT_EQ(name_of(Stage::dropout_factors, SourceKind::draw), "draw for dropout factors of head 3, starts → journey");
  document.config.num_heads = 1;
  document.config.bias = Tensor();
  result = evaluate(document.config);
  for (const Stage stage : {Stage::queries, Stage::weights, Stage::output}) {
    const std::string text = number_text(result, {.stage = stage, .row = 2, .col = 1}, labels);
    EXPECT_EQ(text.find("head"), std::string::npos) << text;
  }
}

TEST_F(NumberWords, NameQueriesByTheirOwnNamesAndOthersByTheirNumbers) {
  const Document given = hard_given(3, 5);
  const Result other = evaluate(given.config);
  const std::vector<std::string> queries = {"q1", "q2"}, keys = {"k1", "k2", "k3"};
  const RowNames names{queries, keys};
  const auto place = [&](Stage stage, Index row, Index col) {
    const std::string text = number_text(other, {.stage = stage, .head = 1, .row = row, .col = col}, names);
    return text.substr(text.find(", ") + 2, text.rfind(" = ") - text.find(", ") - 2);
  };
  EXPECT_EQ(place(Stage::weights, 1, 2), "q2 → k3");
  EXPECT_EQ(place(Stage::weights, 2, 4), "3 → 5");
  EXPECT_EQ(place(Stage::values, 2, 4), "k3, dimension 5");
  EXPECT_EQ(place(Stage::queries, 1, 1), "q2, dimension 2");
}

TEST(RowNames, KeepNamesThatAreTemporaries) {
  const std::string name(100, 'a');  // too long to lie within a string
  const auto first = [](RowNames names) { return names.queries.front() + names.keys.front(); };
  const RowNames of_tokens{std::vector<std::string>{name}};
  const RowNames of_both{std::vector<std::string>{name}, std::vector<std::string>{"b"}};
  const std::vector<std::string> other(50, std::string(100, 'c'));  // would take the place of names that are gone
  EXPECT_EQ(first(of_tokens), name + name);
  EXPECT_EQ(first(of_both), name + "b");
}

TEST(WeightWords, CountTheKeysAmongWhichSoftmaxShares) {
  Document document = default_document();
  document.config.mechanism = Mechanism::causal_attention;
  const auto words = [&](MaskRoute mask) {
    document.config.mask = mask;
    const Source weight{.stage = Stage::weights, .row = 2, .col = 1};
    std::string text;
    for (const DerivationLine& line : derivation(evaluate(document.config), weight, token_labels(document.tokens), {}))
      text += line.line.text + "\n";
    return text;
  };
  EXPECT_NE(words(MaskRoute::causal).find("“starts” shares its attention out among 3 keys"), std::string::npos)
      << words(MaskRoute::causal);
  for (const MaskRoute after : {MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized})
    EXPECT_NE(words(after).find("“starts” shares its attention out among 6 keys"), std::string::npos) << words(after);
}

TEST(WeightWords, CallScoresThatAreNotScaledSo) {
  Document document = default_document();
  document.config.scale = false;
  const Result result = evaluate(document.config);
  const std::vector<std::string> names = token_labels(document.tokens);
  EXPECT_TRUE(number_text(result, {.stage = Stage::scaled_scores}, names).starts_with("unscaled scores"));
  std::string text;
  for (const DerivationLine& line : derivation(result, {.stage = Stage::weights, .row = 2, .col = 1}, names, {}))
    text += line.line.text + "\n";
  EXPECT_NE(text.find("unscaled score "), std::string::npos) << text;
}

TEST(Formats, ADifferenceHasTheDigitsThatItsNumbersHave) {
  EXPECT_EQ(format_difference(0.91F, 0.9F), "0.01");
  EXPECT_EQ(format_difference(0.1F, 0.9F), "−0.8");
  EXPECT_EQ(format_difference(1.7F, 0.9F), "0.8");
  EXPECT_EQ(format_difference(4.5821F, 4.58F), "0.0021");
  EXPECT_EQ(format_difference(123.25F, 0), "123.25");
  EXPECT_EQ(format_difference(0.5F, 0.5F), "0");
  EXPECT_EQ(format_difference(1.000002F, 1), format_full(1.000002F - 1)) << "rounded, nothing would be left";
  EXPECT_EQ(format_difference(3e-20F, 1e-20F), "2 × 10⁻²⁰");
}

TEST(Formats, OfFixedDecimalsHaveFewerForLargeNumbersAndNoNegativeZero) {
  const std::tuple<double, int, const char*> cases[] = {
      {0.43, 2, "0.43"},    {0.430049, 4, "0.4300"}, {1, 2, "1.00"},          {99.5, 2, "99.50"},
      {99.99, 2, "99.99"},  {99.996, 2, "100.00"},   {100, 2, "100.0"},       {123.456, 2, "123.5"},
      {1234.56, 2, "1235"}, {-1000, 2, "−1000"},     {1234567, 4, "1234567"}, {1e7, 2, "1 × 10⁷"},
      {-0.25, 2, "−0.25"},  {-0.006, 2, "−0.01"},    {-0.004, 2, "0.00"},     {-0.001, 2, "0.00"},
      {-0.0, 2, "0.00"},    {-infinity, 2, "−∞"},    {infinity, 2, "∞"},      {not_a_number, 2, "NaN"},
  };
  for (const auto& [value, decimals, text] : cases) EXPECT_EQ(format_fixed(value, decimals), text);
  for (const double value : {1e-30, 1e7, 3.5e12, 1e38, -1e38})
    EXPECT_EQ(format_fixed(value, 2).find('e'), std::string::npos) << format_fixed(value, 2);
}

TEST(Formats, OfAllDigitsAreTheShortestThatReadBack) {
  const std::pair<float, const char*> cases[] = {
      {0.1F, "0.1"},
      {0.43F, "0.43"},
      {1.0F / 3, "0.33333334"},
      {-2, "−2"},
      {0, "0"},
      {-0.0F, "0"},
      {1e-4F, "0.0001"},
      {5e-5F, "5 × 10⁻⁵"},
      {1.5e-7F, "1.5 × 10⁻⁷"},
      {-1.5e-7F, "−1.5 × 10⁻⁷"},
      {-1e7F, "−1 × 10⁷"},
      {2e12F, "2 × 10¹²"},
      {-infinity, "−∞"},
      {not_a_number, "NaN"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(format_full(value), text);
  for (float value = 1.1e-4F; value < 9e6F; value *= 1.37F) EXPECT_EQ(std::stof(format_full(value)), value);
  for (const float value : {1.1754944e-38F, 1e-45F, 3.4028235e38F, 12345678.0F, 16777216.0F, 9.999999e-5F, 1e10F}) {
    const std::string text = format_full(value);
    const std::size_t times = text.find(" × 10");
    ASSERT_NE(times, std::string::npos) << text;
    const int exponent = static_cast<int>(std::floor(std::log10(static_cast<double>(value)) + 1e-9));
    const std::string plain = text.substr(0, times) + "e" + std::to_string(exponent);
    EXPECT_EQ(std::strtof(plain.c_str(), nullptr), value) << text;
  }
}

TEST(Formats, ChooseTheirUnitsAndSetThousandsApart) {
  const std::pair<double, const char*> durations[] = {{14e-6, "14 µs"}, {1e-3, "1.00 ms"}, {0.00234, "2.34 ms"},
                                                      {0.1, "100 ms"},  {0.234, "234 ms"}, {1, "1.00 s"},
                                                      {1.239, "1.24 s"}};
  for (const auto& [seconds, text] : durations) EXPECT_EQ(format_duration(seconds), text);
  const std::pair<double, const char*> integers[] = {{0, "0"},
                                                     {512, "512"},
                                                     {999, "999"},
                                                     {1000, "1,000"},
                                                     {1024, "1,024"},
                                                     {131'072, "131,072"},
                                                     {1'048'576, "1,048,576"}};
  for (const auto& [number, text] : integers) EXPECT_EQ(format_integer(number), text);
  EXPECT_EQ(format_probability(0.9995F), "100\u00A0%");
  EXPECT_EQ(format_probability(0.999F), "99.9\u00A0%");
  EXPECT_EQ(format_probability(0.0625F), "6.2\u00A0%");
}

TEST(Formats, OfShapesArePythonsAndOfPositionsCountFromOne) {
  EXPECT_EQ(format_shape({2, 6, 3}), "(2, 6, 3)");
  EXPECT_EQ(format_shape({}), "()");
  const std::vector<std::string> names = {"Your", "journey"};
  EXPECT_EQ(format_position("key", 0, names), "key 1 Your");
  EXPECT_EQ(format_position("key", 5, names), "key 6");
}

}  // namespace
}  // namespace attnscope::test

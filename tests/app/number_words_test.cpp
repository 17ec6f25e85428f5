// How numbers are named in sentences, of a document in which every size is another one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/support/hard_documents.h"
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

TEST(Formats, ChooseTheirDigitsAtTheirLimits) {
  EXPECT_EQ(format_fixed(99.99, 2), "99.99");
  EXPECT_EQ(format_fixed(100, 2), "100.0");
  EXPECT_EQ(format_fixed(-1000, 2), "−1000");
  EXPECT_EQ(format_fixed(-0.004, 2), "0.00");
  EXPECT_EQ(format_fixed(-0.006, 2), "−0.01");
  EXPECT_EQ(format_full(-1e7F), "−1 × 10⁷");
  EXPECT_EQ(format_full(1e-4F), "0.0001");
  EXPECT_EQ(format_probability(0.9995F), "100\u00A0%");
  EXPECT_EQ(format_probability(0.999F), "99.9\u00A0%");
  EXPECT_EQ(format_probability(0.0625F), "6.2\u00A0%");
  EXPECT_EQ(format_integer(512), "512");
  EXPECT_EQ(format_integer(1024), "1,024");
  EXPECT_EQ(format_integer(131'072), "131,072");
  EXPECT_EQ(format_integer(1'048'576), "1,048,576");
  EXPECT_EQ(format_duration(1e-3), "1.00 ms");
  EXPECT_EQ(format_duration(0.1), "100 ms");
  EXPECT_EQ(format_duration(1), "1.00 s");
}

}  // namespace
}  // namespace attnscope::test

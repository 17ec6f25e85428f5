#include <algorithm>

#include "assets/assets.h"
#include "core/error.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "document/json.h"
#include "files/checkpoint.h"
#include "support.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

class Formulas : public testing::Test {
protected:
  std::string shown(std::string_view formula, int decimals = 4) const {
    return format_values(evaluate_formula(formula, numbers_), decimals);
  }
  std::string refusal(std::string_view formula) const {
    try {
      evaluate_formula(formula, numbers_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::vector<TextBlock> blocks(const std::string& markdown) const {
    return lesson_text({"steps[0].text", markdown}, &numbers_);
  }

  Document document_ = parse_document(R"({"mechanism": "causal_attention", "dropout": 0.5, "seed": 789})");
  Result result_ = evaluate(document_.config);
  StepNumbers numbers_{document_, result_};
};

TEST_F(Formulas, NameCellsRowsAndMatrices) {
  EXPECT_EQ(shown("weights[0,0,1,0]"), "0.5517");
  EXPECT_EQ(shown("weights[0,0,1]", 2), "0.55 0.45 0.00 0.00 0.00 0.00");
  EXPECT_EQ(shown("masked_scores[0,0,0,1]"), "−∞");
  EXPECT_EQ(shown("mask[0,1]", 0), "1");
  EXPECT_EQ(std::ranges::count(shown("weights[0,0]"), '\n'), 5);
  EXPECT_EQ(shown("shape(weights)"), "(1, 1, 6, 6)");
}

TEST_F(Formulas, Compute) {
  EXPECT_EQ(shown("sum(weights[0,0,1])"), "1.0000");
  EXPECT_EQ(shown("row_sums(weights[0,0])", 1), "1.0 1.0 1.0 1.0 1.0 1.0");
  EXPECT_EQ(shown("1 / (1 - document.dropout)"), "2.0000");
  EXPECT_EQ(shown("2 * 3 - 1"), "5.0000");
  EXPECT_EQ(shown("sqrt(document.head_dim)"), "1.4142");
  EXPECT_EQ(shown("document.tokens"), "6");
  EXPECT_EQ(shown("count(weights)"), "36");
  EXPECT_EQ(shown("zeros(weights[0,0])"), "15");
}

TEST_F(Formulas, NameNumbersOfAOfAPair) {
  EXPECT_NE(refusal("A(weights[0,0,1,0])").find("needs a pair"), std::string::npos);
  Document a = document_;
  a.config.seed = 1;
  Document pair = document_;
  pair.compared = std::make_shared<const Document>(a);
  const Result of_a = evaluate(a.config);
  const StepNumbers numbers{pair, result_};
  const auto number = [&](std::string_view formula) { return number_of_formula(formula, numbers); };
  EXPECT_EQ(number("A(weights[0,0,1,0])"), number_of_formula("weights[0,0,1,0]", {a, of_a}));
  EXPECT_NE(number("A(weights[0,0,1,0])"), number("weights[0,0,1,0]"));
  EXPECT_DOUBLE_EQ(number("weights[0,0,1,0] - A(weights[0,0,1,0])"),
                   number("weights[0,0,1,0]") - number("A(weights[0,0,1,0])"));
  EXPECT_EQ(formula_words("A(weights[0,0,1,0])", numbers),
            "in A, the attention weight of key “Your” for query “journey”");
}

TEST_F(Formulas, SayWhatIsWrongWithThem) {
  EXPECT_NE(refusal("weights[0,0,6]").find("the last one is 5"), std::string::npos) << refusal("weights[0,0,6]");
  EXPECT_NE(refusal("output").find("no output"), std::string::npos);
  EXPECT_NE(refusal("wieghts[0]").find("\"wieghts\""), std::string::npos);
  EXPECT_NE(refusal("weights[0,0,0,0,0]").find("4 axes"), std::string::npos);
  EXPECT_NE(refusal("sum(weights").find(")"), std::string::npos);
  EXPECT_NE(refusal("weights[0,0] + 1").find("single numbers"), std::string::npos);
  EXPECT_NE(refusal("1 2").find("left over"), std::string::npos);
  EXPECT_NE(refusal(std::string(200, '(')).find("too deeply"), std::string::npos);
}

TEST(TrainedModels, GiveTheNextWordAChance) {
  set_model_reader(read_model_as_documents_do);
  const auto chance = [](const std::string& json, std::string_view formula) {
    const Document document = parse_document(json);
    const Result result = evaluate(document.config);
    return number_of_formula(formula, {document, result});
  };
  const std::string story =
      R"({"model": "example:stories", "layer": 2, "text": "Mia puts the ball in the box . Now she looks for the ball in the")";
  EXPECT_GT(chance(story + "}", "chance(box)"), 0.9);
  EXPECT_LT(chance(story + R"(, "heads_off": [0, 1, 2, 3]})", "chance(box)"), 0.9);
  EXPECT_THROW(chance(story + "}", "chance()"), Error);
  EXPECT_THROW(chance("{}", "chance(box)"), Error);
}

// What the lesson on a trained model says of a change that it does not show.
TEST_F(Formulas, AgreeWithTheLessonAboutAHeadOfALowerLayer) {
  const std::string_view lesson = asset("lessons/7_trained.json");
  const Document document = parse_document(
      R"({"model": "example:stories", "layer": 2, "changed_layers": {"0": {"heads_off": [0]}}, "text": )"
      R"("Mia puts the ball in the box and Tom puts the lamp in the bag . Now she looks for the ball in the"})");
  const Result result = evaluate(document.config);
  const auto weight = [&](std::string_view cell) {
    return format_fixed(number_of_formula(cell, {document, result}), 2);
  };
  const std::string said = "“box” gets " + weight("weights[0,0,23,6]") + " and “bag” " + weight("weights[0,0,23,14]");
  EXPECT_NE(lesson.find(said), std::string_view::npos) << said;
}

TEST_F(Formulas, BecomeTextsWithStyles) {
  using Style = TextSpan::Style;
  const std::vector<TextBlock> text =
      blocks("A *word* of **six**: `code`, {{weights[0,0,1,0]:.2f}}.\n\n{{weights[0,0,1]:.1f}}");
  ASSERT_EQ(text.size(), 2U);
  const std::vector<TextSpan> expected = {{Style::plain, "A "},   {Style::emphasis, "word"}, {Style::plain, " of "},
                                          {Style::strong, "six"}, {Style::plain, ": "},      {Style::code, "code"},
                                          {Style::plain, ", "},   {Style::number, "0.55"},   {Style::plain, "."}};
  EXPECT_EQ(text[0].spans, expected);
  EXPECT_EQ(text[1].kind, TextBlock::Kind::code);
  EXPECT_EQ(text[1].spans[0].text, "0.6 0.4 0.0 0.0 0.0 0.0");
}

TEST_F(Formulas, AStarBetweenBlanksIsAProduct) {
  EXPECT_EQ(blocks("2 * 3 is *six*")[0].spans.size(), 2U);
  EXPECT_EQ(plain_lesson_text({"", "“{{token[1]}}”"}, &numbers_), "“journey”");
}

TEST_F(Formulas, OfATextAreRefusedWithItsPath) {
  try {
    blocks("{{weights[9]}}");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("steps[0].text: ")) << error.what();
    EXPECT_EQ(error.field, "steps[0].text");
  }
  EXPECT_THROW(blocks("{{weights[0,0,0,0]:4}}"), Error);
  std::vector<std::string> wrong;
  const std::string text = plain_lesson_text(
      {"steps[0].text", "It is {{wights[0]}}, {{weights[0,0,1,0]:.2f}} or {{1 / }}."}, &numbers_, &wrong);
  ASSERT_EQ(wrong.size(), 2U) << "each of them";
  EXPECT_EQ(text, fmt::format("It is [{}], 0.55 or [{}].", wrong[0], wrong[1]));
  EXPECT_THROW(blocks("`code"), Error);
}

}  // namespace
}  // namespace attnscope::test

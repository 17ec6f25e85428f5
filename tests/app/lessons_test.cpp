// The lessons that come with the program, walked through: each number computed, each question answered right, wrong and
// revealed, and the notebooks' figures among the numbers.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/evaluate.h"
#include "document/json.h"
#include "lessons/judge.h"
#include "lessons/lesson_text.h"
#include "lessons/progress.h"
#include "study/study.h"
#include "support.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

KnownViews known_views() {
  KnownViews known{{"diagram", "heads", "focus", "layers"}, {}};
  for (const StudyInfo& study : studies()) known.studies.push_back(study.id);
  return known;
}

TEST(ShippedLessons, AreWithoutMistakes) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    SCOPED_TRACE(lesson->id);
    try {
      check_lesson(*lesson, known_views());
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(shipped_lesson(lesson->id), lesson);
    EXPECT_LT(lesson->summary.size(), 90U);
  }
}

// What a step says, in all of its texts.
std::vector<std::string> formulas_of(const LessonStep& step) {
  std::string all = step.text.markdown;
  if (step.question) all += step.question->ask.markdown + step.question->because.markdown;
  return formulas_in(all);
}

bool agrees(double value, const json& printed, bool is_complement) {
  if (printed.is_string()) return std::isinf(value) && (value < 0) == (printed == "-inf");
  constexpr double half_a_digit = 0.5e-4 + 2e-6;
  return std::abs((is_complement ? 1 - value : value) - printed.get<double>()) <= half_a_digit;
}

// Whether nested lists agree, from `first` on; a printed null stands for a part that the notebook leaves out.
bool all_agree(const Values& values, std::size_t axis, std::size_t first, const json& printed, bool is_complement) {
  if (!printed.is_array()) return axis == values.shape.size() && agrees(values.numbers[first], printed, is_complement);
  const auto count = static_cast<std::size_t>(values.shape.at(axis));
  std::size_t stride = 1;
  for (std::size_t i = axis + 1; i < values.shape.size(); ++i) stride *= static_cast<std::size_t>(values.shape[i]);
  const auto gap = static_cast<std::size_t>(std::ranges::find(printed, json()) - printed.begin());
  if (gap == printed.size() ? count != gap : count <= gap) return false;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (i == gap) continue;
    const std::size_t at = i > gap ? count - printed.size() + i : i;
    if (!all_agree(values, axis + 1, first + at * stride, printed[i], is_complement)) return false;
  }
  return true;
}

// The formula that names what a notebook's figure shows.
std::string formula_of(const json& figure) {
  std::string slice = figure.at("stage");
  const json index = figure.value("index", json::array());
  for (std::size_t i = 0; i < index.size(); ++i) slice += (i == 0 ? "[" : ",") + index[i].dump();
  if (!index.empty()) slice += "]";
  if (figure.contains("shape")) return "shape(" + slice + ")";
  return figure.contains("reduce") ? "row_sums(" + slice + ")" : slice;
}

bool shows(const Values& values, const json& figure) {
  const bool is_complement = figure.contains("note");
  if (figure.contains("shape"))
    return json(std::vector<Index>(values.numbers.begin(), values.numbers.end())) == figure["shape"];
  Values shown = values;
  if (figure.value("squeeze_head", false)) shown.shape.erase(shown.shape.begin() + 1);
  return all_agree(shown, 0, 0, figure.at("printed"), is_complement);
}

// Weights that were carried from one module to another stand in the document of the lesson, and by name in the
// figure's.
bool is_of(const LessonStep& step, const json& figure) {
  json document = figure.at("document");
  const bool is_carried = document.erase("weights_from") > 0;
  AttentionConfig config = step.document->config;
  if (is_carried != !config.weight_overrides.empty()) return false;
  config.weight_overrides.clear();
  return config == parse_document(document.dump()).config;
}

// Every figure that the notebooks print stands in a step of a lesson, computed from that step's document.
TEST(ShippedLessons, ShowEveryFigureOfTheNotebooks) {
  const json figures = json::parse(data_text("notebooks.json")).at("figures");
  std::vector<bool> is_shown(figures.size(), false);
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) {
      const std::vector<std::string> formulas = formulas_of(step);
      std::optional<Result> result;
      for (std::size_t i = 0; i < figures.size(); ++i) {
        const std::string formula = formula_of(figures[i]);
        if (std::ranges::find(formulas, formula) == formulas.end() || !is_of(step, figures[i])) continue;
        if (!result) result = evaluate(step.document->config);
        is_shown[i] = true;
        EXPECT_TRUE(shows(evaluate_formula(formula, {*step.document, *result}), figures[i]))
            << lesson->id << ", " << step.id << ": " << figures[i].at("id");
      }
    }
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_TRUE(is_shown[i]) << figures[i].at("id") << ": " << formula_of(figures[i]);
    if (is_shown[i]) ++count;
  }
  EXPECT_EQ(count, 77U);
}

// A comparison that could not fail would prove nothing.
TEST(ShippedLessons, AreComparedToTheLastDigit) {
  const Values row{.shape = {3}, .numbers = {0.12344, 0.5, -INFINITY}};
  EXPECT_TRUE(all_agree(row, 0, 0, {0.1234, 0.5, "-inf"}, false));
  EXPECT_FALSE(all_agree(row, 0, 0, {0.1235, 0.5, "-inf"}, false));
  EXPECT_FALSE(all_agree(row, 0, 0, {0.1234, 0.5}, false));
  EXPECT_TRUE(all_agree(row, 0, 0, {0.1234, nullptr}, false));
}

// Right, wrong and revealed, as check_lesson() does for lessons of anybody; here that each kind is there.
TEST(ShippedLessons, AskQuestionsOfEveryKind) {
  std::map<Question::Kind, int> kinds;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) {
      if (step.question) ++kinds[step.question->kind];
    }
  }
  EXPECT_EQ(kinds.size(), 5U);
  for (const auto& [kind, count] : kinds) EXPECT_GE(count, 3);
  EXPECT_EQ(shipped_lessons().size(), 7U);
}

std::string spelled(double number) { return json(number).dump(); }

// Of every question with a number: what is said to those who type a whole number or make a mistake that it names.
// Prints what is more than "too large".
TEST(ShippedLessons, SayOnlyWhatIsTrueOfAWrongNumber) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) {
      if (!step.question || step.question->kind != Question::Kind::number) continue;
      const Question& question = *step.question;
      SCOPED_TRACE(lesson->id + "/" + step.id);
      const Result result = evaluate(step.document->config);
      const StepNumbers numbers{*step.document, result};
      EXPECT_GE(question.mistakes.size(), 2U);
      std::vector<std::string> named;
      for (const Mistake& mistake : question.mistakes) {
        named.push_back(plain_lesson_text(mistake.why, &numbers));
        EXPECT_EQ(judge(question, {.typed = spelled(number_of_formula(mistake.value, numbers))}, numbers).why,
                  named.back());
      }
      const bool is_of_a_stage = question.answer.find('[') != std::string::npos;
      for (int typed = 0; typed <= 100; ++typed) {
        const std::string why = judge(question, {.typed = std::to_string(typed)}, numbers).why;
        const bool is_size = why.empty() || why.find(" is too ") != std::string::npos ||
                             why.find("between 0 and 1") != std::string::npos || why == "It has the other sign.";
        if (is_size) continue;
        std::cout << lesson->id << "/" << step.id << ": " << typed << ": " << why << "\n";
        EXPECT_TRUE(is_of_a_stage || std::ranges::find(named, why) != named.end()) << typed << ": " << why;
      }
    }
  }
}

TEST(TheTrainedModel, HasAPreviousTokenHeadAndAnInductionHead) {
  const std::shared_ptr<const Lesson> lesson = shipped_lesson("trained");
  ASSERT_TRUE(lesson);
  const Document& first = *lesson->steps.front().document;
  const Document& second = *lesson->steps.back().document;
  const Result of_first = evaluate(first.config);
  const Result of_second = evaluate(second.config);
  EXPECT_GT(number_of_formula("previous(weights[0,1], 12)", {first, of_first}), 0.7);
  EXPECT_LT(number_of_formula("previous(weights[0,0], 12)", {first, of_first}), 0.2);
  EXPECT_GT(number_of_formula("repeated(weights[0,1])", {second, of_second}), 0.75);
  EXPECT_LT(number_of_formula("repeated(weights[0,0])", {first, of_first}), 0.2);
}

}  // namespace
}  // namespace attnscope::test

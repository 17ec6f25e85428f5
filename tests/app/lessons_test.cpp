// The lessons that come with the program, walked through: each number computed, each question answered right, wrong and
// revealed, and the notebooks' figures among the numbers.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "document/edit.h"
#include "document/json.h"
#include "files/checkpoint.h"
#include "support.h"
#include "teach/judge.h"
#include "teach/lesson.h"
#include "teach/teaching_view.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

const bool models_are_read = (set_model_reader(read_model_as_documents_do), true);  // as the program does at its start

KnownViews known_views() {
  KnownViews known{{"diagram", "heads", "focus", "layers", "model"}, {}};
  for (const TeachingViewInfo& study : studies()) known.studies.push_back(study.id);
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

// The formulas of a text, in order, without how they are written.
std::vector<std::string> formulas_in(std::string_view markdown) {
  std::vector<std::string> formulas;
  for (std::size_t at = markdown.find("{{"); at != std::string_view::npos; at = markdown.find("{{", at + 2)) {
    const std::string_view inner = markdown.substr(at + 2, markdown.find("}}", at) - at - 2);
    formulas.emplace_back(inner.substr(0, inner.find(':')));
  }
  return formulas;
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

// A matrix that a step shows on the screen with all digits, before or after its question is answered.
bool shows_on_screen(const LessonStep& step, const json& figure) {
  if (figure.contains("shape") || figure.contains("reduce")) return false;
  const json index = figure.value("index", json::array());
  const auto shows_it = [&](const ViewAddress& view) {
    const bool is_large = view.mode == "focus" || view.mode == "heads";
    const bool are_whole =
        info(*view.stage).range == StageRange::boolean || info(*view.stage).range == StageRange::factor;
    const bool has_digits = are_whole || view.decimals == 4 || *view.stage == Stage::inputs;
    return is_large && has_digits && info(*view.stage).id == figure.at("stage").get<std::string>() &&
           index.size() < 3 && std::ranges::all_of(index, [](const json& at) { return at == 0; });
  };
  if (step.view.stage && shows_it(step.view)) return true;
  return step.question && step.question->then && step.question->then->stage && shows_it(*step.question->then);
}

// Weights that were carried from one module to another stand in the document of the lesson, and by name in the
// figure's. While nothing is dropped, the module without dropout computes the same numbers as the one with it.
bool is_of(const LessonStep& step, const json& figure) {
  json document = figure.at("document");
  const bool is_carried = document.erase("weights_from") > 0;
  AttentionConfig config = step.document->config;
  if (is_carried != !config.weight_overrides.empty()) return false;
  config.weight_overrides.clear();
  const AttentionConfig printed = parse_document(document.dump()).config;
  const bool is_without_dropout = config.mechanism == Mechanism::self_attention_v2 &&
                                  printed.mechanism == Mechanism::causal_attention && printed.dropout == 0;
  if (is_without_dropout) config.mechanism = printed.mechanism;
  return config == printed;
}

// Every figure that the notebooks print stands in a step of a lesson, computed from that step's document; but for the
// random inputs of GPT-2's size, from which there is nothing to learn.
TEST(ShippedLessons, ShowEveryFigureOfTheNotebooks) {
  const json figures = json::parse(data_text("notebooks.json")).at("figures");
  std::vector<bool> is_shown(figures.size(), false);
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) {
      const std::vector<std::string> formulas = formulas_of(step);
      std::optional<Result> result;
      for (std::size_t i = 0; i < figures.size(); ++i) {
        const std::string formula = formula_of(figures[i]);
        const bool is_there =
            std::ranges::find(formulas, formula) != formulas.end() || shows_on_screen(step, figures[i]);
        if (!is_there || !is_of(step, figures[i])) continue;
        if (!result) result = evaluate(step.document->config);
        is_shown[i] = true;
        EXPECT_TRUE(shows(evaluate_formula(formula, {*step.document, *result}), figures[i]))
            << lesson->id << ", " << step.id << ": " << figures[i].at("id");
      }
    }
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const bool is_random =
        figures[i].at("stage") == "inputs" && figures[i].at("document").at("inputs").contains("randn");
    EXPECT_TRUE(is_shown[i] || is_random) << figures[i].at("id") << ": " << formula_of(figures[i]);
    if (is_shown[i]) ++count;
  }
  EXPECT_EQ(count, 75U);
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

// The stages that a view shows large.
std::optional<Stage> large_stage(const ViewAddress& view) {
  return view.mode == "focus" || view.mode == "heads" ? view.stage : std::nullopt;
}

// The text of a step does not repeat the matrix beside it.
TEST(ShippedLessons, PrintNoMatrixThatIsOnTheScreen) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) {
      const AttentionConfig& config = step.document->config;
      for (const std::string& formula : formulas_in(step.text.markdown)) {
        const std::optional<Slice> slice = slice_of(formula);
        if (!slice || slice->index.size() + 1 >= stage_shape(config, slice->stage).size()) continue;
        const bool is_cut = stage_shape(config, slice->stage).back() > 100;  // its ends are printed, with their numbers
        EXPECT_TRUE(is_cut || large_stage(step.view) != slice->stage)
            << lesson->id << ", " << step.id << ": " << formula;
        EXPECT_NE(step.view.mode, "diagram") << lesson->id << ", " << step.id << ": " << formula;
      }
    }
  }
}

TEST(ShippedLessons, ShowNoDropoutAndNoHeadsBeforeTheirLesson) {
  for (const char* const id : {"neighbours", "weights", "mask"}) {
    for (const LessonStep& step : shipped_lesson(id)->steps) {
      const MechanismInfo& mechanism = info(step.document->config.mechanism);
      EXPECT_FALSE(mechanism.has_dropout || mechanism.has_heads) << id << ", " << step.id;
    }
  }
}

// What a lesson says of heads that differ is to be seen.
TEST(ShippedLessons, ShowHeadsThatDiffer) {
  for (const char* const id : {"why", "differ"}) {
    const auto& steps = shipped_lesson("heads")->steps;
    const auto step = std::ranges::find(steps, id, &LessonStep::id);
    ASSERT_NE(step, steps.end());
    const Result result = evaluate(step->document->config);
    const StepNumbers numbers{*step->document, result};
    EXPECT_GT(number_of_formula("weights[0,0,5,0] - weights[0,1,5,0]", numbers), 0.4) << id;
    EXPECT_GT(number_of_formula("weights[0,1,5,4] - weights[0,0,5,4]", numbers), 0.4) << id;
  }
}

std::string spelled(double number) { return json(number).dump(); }

// Numbers that a learner has before the eyes: those of the texts, and those of the matrix that is large and of what it
// follows from, as they are written.
std::vector<std::string> numbers_in_sight(const LessonStep& step, const StepNumbers& numbers) {
  constexpr Index most_cells = 1000;
  const AttentionConfig& config = step.document->config;
  std::vector<std::string> written;
  const auto add = [&](const Values& values) {
    for (const double number : values.numbers) {
      for (const int decimals : {2, 4}) written.push_back(format_fixed(number, decimals));
    }
  };
  for (const std::string& formula : formulas_of(step)) {
    if (!formula.starts_with("token[")) add(evaluate_formula(formula, numbers));
    if (written.size() > most_cells) return written;
  }
  for (const StageInfo& stage : stages()) {
    const std::optional<Stage> large = large_stage(step.view);
    const bool is_in_sight = has_stage(config, stage.stage) && (!large || depends_on(config, *large, stage.stage));
    if (is_in_sight && token_count(config) < 10) add(read_slice({stage.stage, {}}, numbers.result));
  }
  return written;
}

// Of every question with a number: what is said to those who type a whole number, a number that they see, or a mistake
// that the lesson names. Prints what is more than "too large".
TEST(ShippedLessons, SayOnlyWhatIsTrueOfAWrongNumber) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) {
      if (!step.question || step.question->kind != Question::Kind::number) continue;
      const Question& question = *step.question;
      SCOPED_TRACE(lesson->id + "/" + step.id);
      const Result result = evaluate(step.document->config);
      const StepNumbers numbers{*step.document, result};
      EXPECT_GE(question.mistakes.size(), 2U);
      std::set<std::string> named;
      for (const Mistake& mistake : question.mistakes) {
        const std::string why = plain_lesson_text(mistake.why, &numbers);
        EXPECT_EQ(judge(question, {.typed = spelled(number_of_formula(mistake.value, numbers))}, numbers).why, why);
        named.insert(why);
      }
      std::vector<std::string> tried = numbers_in_sight(step, numbers);
      for (int typed = 0; typed <= 100; ++typed) tried.push_back(std::to_string(typed));
      std::map<std::string, std::string> said;  // the first number that it is said of
      for (const std::string& typed : tried) {
        const std::string why = judge(question, {.typed = typed}, numbers).why;
        const bool is_size = why.empty() || why.find(" is too ") != std::string::npos || why.ends_with(" below 0.") ||
                             why.find("between 0 and 1") != std::string::npos ||
                             why == "The right number has the other sign." || why == "Type a number, such as 0.25.";
        if (!is_size) said.emplace(why, typed);
      }
      for (const auto& [why, typed] : said) {
        std::cout << lesson->id << "/" << step.id << ": " << typed << ": " << why << "\n";
        const bool is_of_a_stage = slice_of(question.answer).has_value() && why.starts_with("That is ");
        const bool is_mirrored = why.starts_with("Rows are queries");
        EXPECT_TRUE(is_of_a_stage || is_mirrored || named.contains(why)) << typed << ": " << why;
      }
    }
  }
}

// Goals are sentences: no file of a lesson has a formula's brackets in what is said of them.
TEST(ShippedLessons, SayInWordsWhatIsToBeReached) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) {
      if (!step.question || step.question->kind != Question::Kind::reach) continue;
      const Result result = evaluate(step.document->config);
      const StepNumbers numbers{*step.document, result};
      for (const std::string& said : {goal_words(*step.question, numbers), judge(*step.question, {}, numbers).why,
                                      right_answer_text(*step.question, numbers)}) {
        std::cout << lesson->id << "/" << step.id << ": " << said << "\n";
        EXPECT_EQ(said.find_first_of("[]_"),
                  said.find("head_dim") == std::string::npos ? std::string::npos : said.find("head_dim") + 4)
            << said;
      }
    }
  }
}

// What the lesson says of its heads in words.
TEST(TheTrainedModel, HasTheHeadsOfItsLesson) {
  const std::shared_ptr<const Lesson> lesson = shipped_lesson("trained");
  ASSERT_TRUE(lesson);
  const auto number = [&](std::string_view step, std::string_view formula) {
    const Document& document = *std::ranges::find(lesson->steps, step, &LessonStep::id)->document;
    const Result result = evaluate(document.config);
    return number_of_formula(formula, {document, result});
  };
  EXPECT_GT(number("task", "chance(box)"), 0.9);
  for (Index row = 1; row < 24; ++row)
    EXPECT_GT(number("previous", fmt::format("weights[0,0,{},{}]", row, row - 1)), row == 1 ? 0.3 : 0.5) << row;
  EXPECT_GT(number("where", "weights[0,0,23,6]"), 0.5);
  EXPECT_GT(number("others", "weights[0,3,23,14]"), number("others", "weights[0,3,23,6]"));
  EXPECT_GT(number("others", "weights[0,3,23,6]"), 0.1);
  EXPECT_GT(number("one_off", "chance(bucket)"), 0.5);
  EXPECT_LT(number("one_off", "chance(box)"), 0.1);
  EXPECT_LT(number("one_off", "chance(bag)"), 0.1);
  double places = 0;
  for (const char* const place : {"bucket", "drawer", "cupboard", "basket", "box"})
    places += number("layer_off", fmt::format("chance({})", place));
  EXPECT_GT(places, 0.95);
  EXPECT_LT(number("layer_off", "chance(box)"), 0.1);
  EXPECT_GT(number("previous_off", "chance(box)"), 0.9);
  const auto without = [&](std::string_view step, Index head, std::string_view formula) {
    Document document = *std::ranges::find(lesson->steps, step, &LessonStep::id)->document;
    set_head_off(document, head, true);
    const Result result = evaluate(document.config);
    return number_of_formula(formula, {document, result});
  };
  EXPECT_NEAR(number("task", "chance(box)"), 0.966, 5e-4);
  EXPECT_NEAR(without("previous", 3, "chance(box)"), 0.86, 0.005);
  EXPECT_NEAR(without("name", 2, "chance(her)"), 0.994, 5e-4);
  EXPECT_GT(number("verb", "weights[0,2,4,1]"), 0.5);
  EXPECT_GT(number("name", "weights[0,2,8,2]"), 0.5);
  EXPECT_GT(number("verb", "weights[0,3,4,1]"), 0.5);
}

// The window and the lesson compute the number; README cannot.
TEST(ShippedLessons, AndTheReadmeSayHowManyWordsTheModelKnows) {
  const std::shared_ptr<const TrainedModel> model = read_model("example:stories");
  const std::size_t count = known_words(*model).size();
  EXPECT_LT(count, static_cast<std::size_t>(model->weights->shape.vocabulary)) << "<end> is no word";
  const std::string said = fmt::format("{},{:03} words and signs", count / 1000, count % 1000);
  EXPECT_NE(text_of(tests_folder().parent_path() / "README.md").find(said), std::string::npos) << said;
}

}  // namespace
}  // namespace attnscope::test

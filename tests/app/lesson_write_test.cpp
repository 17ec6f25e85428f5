// Lessons that are written and read again: nothing is lost, and nothing that is wrong is kept quiet.

#include <algorithm>

#include "core/error.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "support.h"
#include "teach/lesson.h"
#include "teach/teaching_view.h"

namespace attnscope::test {
namespace {

KnownViews all_views() {
  KnownViews known{{"diagram", "heads", "focus", "layers", "model"}, {}};
  for (const TeachingViewInfo& study : studies()) known.studies.push_back(study.id);
  return known;
}

void expect_same(const LessonText& one, const LessonText& other) {
  EXPECT_EQ(one.path, other.path);
  EXPECT_EQ(one.markdown, other.markdown);
}

void expect_same(const std::shared_ptr<const Document>& one, const std::shared_ptr<const Document>& other) {
  ASSERT_EQ(one == nullptr, other == nullptr);
  EXPECT_TRUE(!one || *one == *other);
}

void expect_same(const Question& one, const Question& other) {
  EXPECT_EQ(one.kind, other.kind);
  EXPECT_EQ(one.path, other.path);
  expect_same(one.ask, other.ask);
  expect_same(one.because, other.because);
  EXPECT_EQ(one.then, other.then);
  EXPECT_EQ(one.answer, other.answer);
  EXPECT_EQ(one.to, other.to);
  EXPECT_EQ(one.tolerance, other.tolerance);
  ASSERT_EQ(one.mistakes.size(), other.mistakes.size());
  for (std::size_t i = 0; i < one.mistakes.size(); ++i) {
    EXPECT_EQ(one.mistakes[i].value, other.mistakes[i].value);
    expect_same(one.mistakes[i].why, other.mistakes[i].why);
  }
  ASSERT_EQ(one.choices.size(), other.choices.size());
  for (std::size_t i = 0; i < one.choices.size(); ++i) {
    expect_same(one.choices[i].text, other.choices[i].text);
    expect_same(one.choices[i].why, other.choices[i].why);
  }
  EXPECT_EQ(one.right, other.right);
  expect_same(one.solution, other.solution);
}

void expect_same(const Lesson& one, const Lesson& other) {
  EXPECT_EQ(one.id, other.id);
  EXPECT_EQ(one.title, other.title);
  EXPECT_EQ(one.summary, other.summary);
  ASSERT_EQ(one.steps.size(), other.steps.size());
  for (std::size_t i = 0; i < one.steps.size(); ++i) {
    SCOPED_TRACE(one.steps[i].id);
    EXPECT_EQ(one.steps[i].id, other.steps[i].id);
    expect_same(one.steps[i].title, other.steps[i].title);
    expect_same(one.steps[i].text, other.steps[i].text);
    expect_same(one.steps[i].document, other.steps[i].document);
    EXPECT_EQ(one.steps[i].view, other.steps[i].view);
    ASSERT_EQ(one.steps[i].question.has_value(), other.steps[i].question.has_value());
    if (one.steps[i].question) expect_same(*one.steps[i].question, *other.steps[i].question);
  }
}

TEST(WrittenLessons, OfTheProgramAreReadAsTheyWere) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    SCOPED_TRACE(lesson->id);
    const std::string text = lesson_to_json(*lesson);
    expect_same(*lesson, parse_lesson(text));
    EXPECT_EQ(lesson_to_json(parse_lesson(text)), text);
    EXPECT_LT(text.size(), 20'000U) << "documents are named, or edited, where that says them";
  }
}

constexpr const char* every_kind = R"({"id": "all", "title": "All “of” it", "summary": "Every \\key\\.", "steps": [
  {"id": "a", "title": "A", "text": ["One.", "Two.", "", "Three."], "document": "example:notebook",
   "show": {"layout": "heads", "stage": "weights", "head": 1, "batch": 0, "pin": "weights[0,1,2,3]", "decimals": 3,
            "range": "own"},
   "question": {"kind": "choose", "ask": ["a", "b"], "choices": [
     {"text": "x", "why": "No."}, {"text": "y", "why": "It is right, and says why."}, {"text": "z", "why": ["p", "q"]}],
     "right": 1, "because": "b", "then": {"layout": "focus", "stage": "scores", "head": 1}}},
  {"id": "b", "title": "B", "text": "", "edit": {"seed": 7, "dropout": 0.5}, "show": {},
   "question": {"kind": "number", "ask": "", "answer": "1 + 1", "tolerance": 0.1,
                "mistakes": [{"value": "3", "why": "w"}, {"value": "4", "why": ["v", "u"]}]}},
  {"id": "c", "title": "C", "text": "c", "edit": {"mask": "causal"},
   "show": {"compared_with_before": true, "side": "side-by-side"},
   "question": {"kind": "cell", "ask": "", "answer": "weights[0,0,1,1]"}},
  {"id": "d", "title": "D", "text": "d", "show": {"layout": "focus", "stage": "queries"},
   "question": {"kind": "sketch", "ask": "", "answer": "weights[0,0,1]", "tolerance": 0.05}},
  {"id": "e", "title": "E", "text": "e", "show": {"study": "dropout", "set": {"masks": 100.5}, "query": 2},
   "question": {"kind": "reach", "ask": "", "value": "document.dropout", "to": 0.25, "tolerance": 0.001,
                "solution": {"dropout": 0.25}}},
  {"id": "f", "title": "F", "text": "f", "document": {"inputs": [[0.1, 1e-20], [3.25, -7]], "tokens": ["“q”", "\n"],
   "mechanism": "simple_self_attention", "compared_with": {"seed": 18446744073709551615}}}]})";

TEST(WrittenLessons, KeepEveryKeyOfEveryKindOfQuestion) {
  const Lesson lesson = parse_lesson(every_kind);
  EXPECT_EQ(lesson.steps[0].view.range, RangeMode::own);
  EXPECT_EQ(lesson.steps[4].view.study.value("masks", 0), 100.5);
  EXPECT_EQ(lesson.steps[4].view.study.query, 2);
  const std::string text = lesson_to_json(lesson);
  expect_same(lesson, parse_lesson(text));
  EXPECT_NE(text.find("\"example:notebook\""), std::string::npos);
  EXPECT_NE(text.find("\"tolerance\": 0.05"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"dropout\": 0.5, \"seed\": 7}"), std::string::npos) << text;
}

// Another document after a pair is that of the pair's side B, which has no side A of its own.
TEST(WrittenLessons, KeepTheDocumentsAroundAPair) {
  Lesson lesson = parse_lesson(every_kind);
  std::swap(lesson.steps[1].document, lesson.steps[2].document);
  std::swap(lesson.steps[0].document, lesson.steps[5].document);
  lesson.steps[4].question.reset();
  const Lesson read = parse_lesson(lesson_to_json(lesson));
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) expect_same(lesson.steps[i].document, read.steps[i].document);
}

TEST(WrittenLessons, BeginWithoutAMistake) {
  EXPECT_EQ(lesson_mistakes(lesson_start(), all_views()), std::vector<std::string>());
  const Lesson lesson = parse_lesson(lesson_start());
  EXPECT_GE(lesson.steps.size(), 3U);
  EXPECT_GE(std::ranges::count_if(lesson.steps, [](const LessonStep& step) { return step.question.has_value(); }), 2);
}

// The mistakes of a first draft, in the order of the file, each with its step and key.
TEST(WrittenLessons, AllMistakesAreSaidAtOnce) {
  const std::string draft = R"({"id": "My draft", "titel": "Draft", "steps": [
    {"id": "a", "title": "A", "text": "{{weights[0,0]", "document": "example:notebok", "show": {"layot": "focus"}},
    {"id": "b", "title": "B", "edit": {"dropout": 0.5}, "question": {"kind": "number", "ask": "", "anser": "1"}},
    {"id": "b", "title": "B", "text": "{{wieghts[0,0,1,1]}} {{1}} {{z}}", "document": "example:notebook",
     "show": {"layout": "map", "head": 9, "pin": "weights[0,0]", "study": "droput"},
     "question": {"kind": "choose", "ask": "{{x}}", "right": 2,
                  "choices": [{"text": "a"}, {"txt": "b", "why": ""}]}},
    {"id": "c", "title": "C", "text": "", "question": {"kind": "guess"}},
    7,
    {"id": "d", "title": "D", "text": "{{y}}", "edit": {"seed": -1}}]})";
  const std::vector<std::string> mistakes = lesson_mistakes(draft, all_views());
  const std::string starts[] = {
      "The lesson has the unknown key \"titel\": its keys are id, title",
      "id is \"My draft\"",
      "\"title\" is left out",
      "steps[0].document: \"notebok\" is not an example",
      "steps[0].show has the unknown key \"layot\", did you mean \"layout\"?",
      "steps[1] lacks \"text\"",
      "steps[1].question has the unknown key \"anser\", did you mean \"answer\"?",
      "steps[1].question lacks \"answer\"",
      "steps[1].question.ask is empty",
      "steps[2].show.pin: ",
      "steps[2].question.right is 2",
      "steps[2].question.choices[1] has the unknown key \"txt\"",
      "steps[2].question.choices[1] lacks \"text\"",
      "steps[2].id is \"b\"",
      "steps[2].show.layout is \"map\"",
      "steps[2].show.study is \"droput\"",
      "steps[2].show.head is 9",
      "steps[2].text: \"wieghts",
      "steps[2].text: \"z",
      "steps[2].question.ask: ",
      "steps[3].question.kind is \"guess\"",
      "steps[3].text is empty",
      "steps[4] is 7",
      "steps[5].edit: seed",
  };
  ASSERT_EQ(mistakes.size(), std::size(starts)) << fmt::format("{}", fmt::join(mistakes, "\n"));
  for (std::size_t i = 0; i < mistakes.size(); ++i)
    EXPECT_TRUE(mistakes[i].starts_with(starts[i])) << starts[i] << "\n" << mistakes[i];
}

// A file and a lesson in the window are checked alike.
TEST(WrittenLessons, AnEmptyTextIsLeftToDo) {
  const std::string draft = R"({"id": "a", "title": "", "steps": [
    {"id": "a", "title": " ", "text": "", "document": {},
     "question": {"kind": "choose", "ask": "", "right": 0, "choices": [{"text": ""}, {"text": "b", "why": ""}]}}]})";
  const std::vector<std::string> wanted = {"The lesson has no title.",
                                           "steps[0].title is empty.",
                                           "steps[0].text is empty.",
                                           "steps[0].question.ask is empty.",
                                           "steps[0].question.choices[0].text is empty.",
                                           "steps[0].question.choices[1] is wrong, but its \"why\" is empty."};
  EXPECT_EQ(lesson_mistakes(draft, all_views()), wanted);
  EXPECT_EQ(lesson_mistakes(parse_lesson(draft), all_views()), wanted);
}

// What is only wrong because something else could not be read is not said.
TEST(WrittenLessons, MistakesAreNotSaidTwice) {
  const std::string draft = R"({"id": "a", "title": "A", "steps": [
    {"id": "a", "title": "A", "text": "x", "document": {"dropout": 7},
     "question": {"kind": "reach", "ask": "y", "value": "1", "to": 1, "solution": {"seed": 1}}},
    {"id": "b", "title": "B", "text": "{{weights[0,0,0,0]}}", "edit": {"seed": 1}},
    {"id": "c", "title": "C", "text": "z", "show": {"compared_with_before": true}}]})";
  const std::vector<std::string> mistakes = lesson_mistakes(draft, all_views());
  ASSERT_EQ(mistakes.size(), 1U) << fmt::format("{}", fmt::join(mistakes, "\n"));
  EXPECT_TRUE(mistakes[0].starts_with("steps[0].document: dropout")) << mistakes[0];
}

TEST(WrittenLessons, ATextThatShowsWhatALaterStepAsksForIsNamed) {
  const auto mistakes_of = [](const std::string& text, const std::string& edit) {
    return lesson_mistakes(R"({"id": "a", "title": "A", "steps": [
      {"id": "b", "title": "B", "document": "example:notebook", "text": ")" +
                               text + R"("},
      {"id": "c", "title": "C", "text": "D", )" +
                               edit + R"("question": {"kind": "number", "ask": "E",
        "because": "It is {{weights[0,0,2,1]}}.", "answer": "weights[0,0,2,1]", "tolerance": 0.01}}]})",
                           all_views());
  };
  const std::vector<std::string> none;
  const std::vector<std::string> told = {"steps[0].text shows weights[0,0,2,1], which steps[1].question asks for."};
  EXPECT_EQ(mistakes_of("It is {{weights[0,0,2,0]:.2f}}.", ""), none);
  EXPECT_EQ(mistakes_of("It is {{weights[0,0,2,1]:.2f}}.", ""), told);
  EXPECT_EQ(mistakes_of("The row is {{weights[0,0,2]}}.", ""), told);
  EXPECT_EQ(mistakes_of("It is {{weights[0,0,2,1]}}.", R"("edit": {"seed": 5}, )"), none)
      << "another document has another number";
}

}  // namespace
}  // namespace attnscope::test

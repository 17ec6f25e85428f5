#include "core/error.h"
#include "document/json.h"
#include "support.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

const KnownViews some_views{{"diagram", "focus"}, {"dropout"}};

std::string lesson_with(const std::string& step) {
  return R"({"id": "one", "title": "One", "steps": [{"id": "a", "title": "A", "text": "A.",
             "document": "example:simple_self_attention"}, {"id": "b", "title": "B", "text": "B.")" +
         step + "}]}";
}

// What is said of a lesson, when it is read or checked; nothing where it is right.
std::string refusal(const std::string& text) {
  try {
    check_lesson(parse_lesson(text), some_views);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Lessons, AreReadWithDocumentsAsTheyFollow) {
  const Lesson lesson = parse_lesson(lesson_with(R"(, "edit": {"normalization": "sum"},
      "show": {"layout": "focus", "stage": "weights", "compared_with_before": true, "side": "difference"})"));
  ASSERT_EQ(lesson.steps.size(), 2U);
  EXPECT_EQ(lesson.steps[1].document->config.normalization, Normalization::sum);
  EXPECT_EQ(*lesson.steps[1].document->compared, *lesson.steps[0].document);
  EXPECT_EQ(lesson.steps[1].view.side, ComparedSide::difference);
}

TEST(Lessons, KeepTheDocumentOfTheStepBefore) {
  const Lesson lesson = parse_lesson(lesson_with(""));
  EXPECT_EQ(lesson.steps[0].document, lesson.steps[1].document);
}

// The mistake, and what its sentence begins with.
TEST(Lessons, MistakesAreSentencesWithTheirPath) {
  const std::pair<std::string, std::string> mistakes[] = {
      {"{", "The lesson is not JSON"},
      {"[]", "A lesson is an object"},
      {R"({"id": "one", "title": -1e999})", "The lesson has a number beyond"},
      {R"({"id": "one", "title": "One"})", "\"steps\" is left out"},
      {R"({"id": "One two", "title": "One", "steps": []})", "id is \"One two\", but it must be a word"},
      {R"({"id": "one", "title": "One", "steps": []})", "steps is []"},
      {R"({"id": "one", "title": "One", "stepps": []})", "The lesson has the unknown key \"stepps\", did you mean"},
      {lesson_with(R"(, "edit": {"dropout": 2})"), "steps[1].edit: dropout"},
      {lesson_with(R"(, "edit": {"maks": "none"})"), "steps[1].edit: \"maks\""},
      {lesson_with(R"(, "document": "example:none")"), "steps[1].document: \"none\" is not an example"},
      {lesson_with(R"(, "document": {}, "edit": {})"), "steps[1] has both"},
      {lesson_with(R"(, "show": {"stage": "wieghts"})"), "steps[1].show.stage is \"wieghts\""},
      {lesson_with(R"(, "show": {"stage": "output"})"), "steps[1].show.stage is \"output\""},
      {lesson_with(R"(, "show": {"layout": "map"})"), "steps[1].show.layout is \"map\""},
      {lesson_with(R"(, "show": {"study": "droput"})"), "steps[1].show.study is \"droput\""},
      {lesson_with(R"(, "show": {"pin": "weights[0,0]"})"), "steps[1].show.pin: A cell of weights"},
      {lesson_with(R"(, "show": {"pin": "weights[0,0,6,0]"})"), "steps[1].show.pin is a cell"},
      {lesson_with(R"(, "show": {"pin": "weights[1,0,0,0]"})"), "steps[1].show.pin is a cell"},
      {lesson_with(R"(, "show": {"pin": "weights[0,1,0,0]"})"), "steps[1].show.pin is a cell"},
      {lesson_with(R"(, "question": {"kind": "cell", "ask": "", "answer": "weights[0,1,0,0]"})"),
       "steps[1].question: weights[0,1,0,0] is a cell that"},
      {lesson_with(R"(, "question": {"kind": "cell", "ask": "", "answer": "scores[5,0,1,1]"})"),
       "steps[1].question: scores[5,0,1,1] is a cell that"},
      {lesson_with(R"(, "document": {"inputs": [[1]], "mechanism": "simple_self_attention"},
          "question": {"kind": "cell", "ask": "", "answer": "scores[0,0,0,0]"})"),
       "steps[1].question asks for the only cell"},
      {lesson_with(R"(, "question": {"kind": "choose", "ask": "", "right": 0,
          "choices": [{"text": "a"}, {"text": "b", "why": ""}]})"),
       "steps[1].question.choices[1] is wrong, but its \"why\" is empty"},
      {lesson_with(R"(, "question": {"kind": "reach", "ask": "", "value": "document.d_in", "to": 3, "solution": {}})"),
       "steps[1].question asks for a goal that is already reached"},
      {lesson_with(R"(, "show": {"head": 1})"), "steps[1].show.head is 1"},
      {lesson_with(R"(, "question": {"kind": "guess", "ask": ""})"), "steps[1].question.kind is \"guess\""},
      {lesson_with(R"(, "show": {"pin": "scores[0,0,1,0]"},
          "question": {"kind": "cell", "ask": "", "answer": "scores[0,0,1,0]"})"),
       "steps[1].question asks for the cell that is already pinned"},
      {lesson_with(R"(, "show": {"layout": "diagram"},
          "question": {"kind": "sketch", "ask": "", "answer": "weights[0,0,1]", "tolerance": 0.05})"),
       "steps[1].question asks for a row that is on the screen"},
      {lesson_with(R"(, "question": {"kind": "number", "ask": ""})"), "steps[1].question lacks \"answer\""},
      {lesson_with(R"(, "question": {"kind": "number", "ask": "", "answer": "weights[0]"})"), "steps[1].question: "},
      {lesson_with(R"(, "question": {"kind": "number", "ask": "{{x}}", "answer": "1"})"), "steps[1].question.ask: "},
      {lesson_with(
           R"(, "question": {"kind": "choose", "ask": "", "right": 0, "choices": [{"text": "a"}, {"text": "b"}]})"),
       "steps[1].question.choices[1] lacks \"why\""},
      {lesson_with(
           R"(, "question": {"kind": "reach", "ask": "", "value": "weights[0,0,0,0]", "to": 2, "solution": {}})"),
       "steps[1].question.solution does not reach"},
  };
  for (const auto& [text, start] : mistakes) {
    const std::string said = refusal(text);
    EXPECT_TRUE(said.starts_with(start)) << start << "\n" << said;
    EXPECT_TRUE(said.ends_with('.') || said.ends_with('?')) << said;
  }
  const std::string twice = R"({"id": "one", "title": "One", "steps": [
      {"id": "a", "title": "A", "text": "A.", "document": {}}, {"id": "a", "title": "A", "text": "A."}]})";
  EXPECT_TRUE(refusal(twice).starts_with("steps[1].id is \"a\"")) << refusal(twice);
}

}  // namespace
}  // namespace attnscope::test

#include <algorithm>

#include "files/document_file.h"
#include "program.h"
#include "support.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

constexpr const char* right = R"({"id": "one", "title": "One", "steps": [
  {"id": "a", "title": "A", "text": "{{weights[0,0,1,0]:.2f}}", "document": {}}]})";
constexpr const char* wrong = R"({"id": "two", "title": "Two", "steps": [
  {"id": "a", "title": "A", "text": "{{weights[0,0,1]", "document": {}},
  {"id": "b", "title": "B", "text": "", "show": {"layout": "map"}}]})";

TEST(LessonCommand, SaysWhatIsInALesson) {
  const TemporaryFolder folder;
  put_text(folder / "one.json", right);
  const ProgramRun run = run_program({"lesson", "check", (folder / "one.json").string()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("“One”, 1 step, 0 questions."), std::string::npos) << run.out;
  EXPECT_EQ(run.err, "");
}

TEST(LessonCommand, NamesTheFileAndThePathOfEveryMistake) {
  const TemporaryFolder folder;
  put_text(folder / "one.json", right);
  put_text(folder / "three.json", "[]");
  put_text(folder / "two.json", wrong);
  const ProgramRun run = run_program({"lesson", "check", folder.path().string()});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.out.find("one.json"), std::string::npos);
  EXPECT_NE(run.err.find("two.json: steps[0].text: A }} is missing"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("two.json: steps[1].show.layout is \"map\""), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("three.json: A lesson is an object"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("two.json: steps[1].text is empty."), std::string::npos) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 4) << run.err;
}

TEST(LessonCommand, BeginsALessonThatChecksAndReplacesNone) {
  const TemporaryFolder folder;
  const std::string out = (folder / "mine.lesson.json").string();
  EXPECT_EQ(run_program({"lesson", "new", "-o", out}).status, 0);
  const ProgramRun check = run_program({"lesson", "check", out});
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_NE(check.out.find("4 steps, 3 questions."), std::string::npos) << check.out;
  EXPECT_EQ(run_program({"screenshot", "--lesson", out, "--step", "4", "-o", (folder / "a.png").string()}).status, 0);
  EXPECT_EQ(run_program({"lesson", "new", "-o", out}).status, 2);
  EXPECT_EQ(run_program({"lesson", "new", "-o", (folder / "a.txt").string()}).status, 2);
  EXPECT_NE(run_program({"lesson", "new"}).out.find("\"steps\""), std::string::npos);
  EXPECT_NE(run_program({"lesson", "--help"}).out.find("compared_with_before"), std::string::npos);
}

TEST(LessonCommand, RefusesWhatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program({"lesson", "check", folder.path().string()}).status, 2);
  EXPECT_EQ(run_program({"lesson", "check", (folder / "none.json").string()}).status, 2);
  EXPECT_EQ(run_program({"lesson", "check"}).status, 2);
  EXPECT_EQ(run_program({"lesson", "learn"}).status, 2);
}

std::string text_of_handout(const std::string& lesson) {
  const TemporaryFolder folder;
  const std::string pdf = (folder / "handout.pdf").string();
  const std::string text = (folder / "handout.txt").string();
  EXPECT_EQ(run_program({"lesson", "handout", lesson, "-o", pdf}).status, 0);
  EXPECT_EQ(std::system(fmt::format("pdftotext -raw '{}' '{}'", pdf, text).c_str()), 0);
  return text_of(text);
}

// As the screen has them: the numbers that a step shows have its decimals, and a model its next words.
TEST(LessonCommand, AHandoutHasTheNumbersThatStepsAskAbout) {
  const std::string mask = text_of_handout("mask");
  EXPECT_NE(mask.find("0.2041"), std::string::npos) << mask;
  const std::string trained = text_of_handout("trained");
  EXPECT_NE(trained.find("The likeliest next words: “box” 96.6"), std::string::npos) << trained;
}

// Nobody zooms paper: the numbers of all stages stand there, in letters of six points or more.
TEST(LessonCommand, AHandoutOfADiagramHasNumbersThatCanBeRead) {
  const TemporaryFolder folder;
  const std::string pdf = (folder / "handout.pdf").string();
  const std::string boxes = (folder / "handout.html").string();
  ASSERT_EQ(run_program({"lesson", "handout", "weights", "--no-answers", "-o", pdf}).status, 0);
  ASSERT_EQ(std::system(fmt::format("pdftotext -bbox -f 1 -l 1 '{}' '{}'", pdf, boxes).c_str()), 0);
  const std::string text = text_of(boxes);
  const auto height_of = [&](const std::string& word) {
    const std::size_t at = text.find(">" + word + "<");
    if (at == std::string::npos) return 0.0;
    const auto number = [&](const std::string& name) {
      return std::stod(text.substr(text.rfind(name, at) + name.size() + 2));
    };
    return number("yMax") - number("yMin");
  };
  const double page_number = height_of("1");  // of eight points
  ASSERT_GT(page_number, 0);
  for (const std::string number : {"1.85", "1.31", "0.21"})  // of the scores, the scaled scores and the weights
    EXPECT_GT(height_of(number), 0.74 * page_number) << number;
}

// Paper has no pointer and no keys.
TEST(LessonCommand, AHandoutAsksForNothingThatOnlyTheWindowCanDo) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    const std::string text = text_of_handout(lesson->id);
    for (const std::string word : {"click", "Click", "drag", "Drag", "press ", "Press ", "in Setup"})
      EXPECT_EQ(text.find(word), std::string::npos) << lesson->id << "\n" << text.substr(text.find(word), 200);
  }
  for (const std::string lesson : {"weights", "heads", "dropout"}) {  // answers stand on pages without pictures
    const std::string text = text_of_handout(lesson);
    const std::string answers = text.substr(text.find("Answers: "));
    for (const std::string words : {"picture shows", "screen", "frames mark", "Try it"})
      EXPECT_EQ(answers.find(words), std::string::npos) << lesson << ": " << words;
  }
  EXPECT_NE(text_of_handout("neighbours").find("Mark the score with query “one” and key “Your”."), std::string::npos);
}

// Who marks the paper reads what the lesson would have said to a wrong answer.
TEST(LessonCommand, AHandoutsAnswersHaveTheRepliesToWrongOnes) {
  const TemporaryFolder folder;
  const std::string file = (folder / "replies.json").string();
  put_text(file, R"({"id": "replies", "title": "Replies", "steps": [
    {"id": "a", "title": "A", "text": "", "document": "example:notebook",
     "question": {"kind": "choose", "ask": "B", "right": 1, "because": "C", "choices": [
       {"text": "D", "why": "It has {{1 + 5:.0f}} tokens."}, {"text": "E"}]}},
    {"id": "b", "title": "F", "text": "", "question": {"kind": "number", "ask": "G", "because": "H", "answer": "2",
     "tolerance": 0.1, "mistakes": [{"value": "1 + 5", "why": "That counts tokens."}]}}]})");
  const std::string text = text_of_handout(file);
  const std::size_t answers = text.find("Answers: ");
  ASSERT_NE(answers, std::string::npos) << text;
  for (const std::string words : {"Not (a): It has 6 tokens.", "Not 6: That counts tokens."}) {
    EXPECT_EQ(text.substr(0, answers).find(words), std::string::npos) << "a student reads it before";
    EXPECT_NE(text.find(words, answers), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("Not (b)"), std::string::npos) << text;
}

// A diagram, a teaching view, a pair with both names, a film's key frames; the same picture stands there once.
TEST(LessonCommand, AHandoutHasAFigureForEveryStep) {
  const TemporaryFolder folder;
  const std::string file = (folder / "all.json").string();
  put_text(file, R"({"id": "all", "title": "All", "steps": [
    {"id": "a", "title": "A", "text": "", "document": "example:notebook"},
    {"id": "b", "title": "B", "text": "", "show": {"study": "softmax"}},
    {"id": "c", "title": "C", "text": "", "edit": {"seed": 7},
     "show": {"layout": "focus", "stage": "weights", "compared_with_before": true, "side": "side-by-side"}},
    {"id": "d", "title": "D", "text": "", "show": {"layout": "diagram", "side": "B", "pin": "weights[0,0,2,1]", "film": true}},
    {"id": "e", "title": "E", "text": "", "show": {"layout": "diagram"}},
    {"id": "f", "title": "F", "text": ""}]})");
  const std::string text = text_of_handout(file);
  EXPECT_NE(text.find("A: seed 123. B: seed 7."), std::string::npos) << text;
  EXPECT_NE(text.find("The picture is that of step 5."), std::string::npos) << text;
  EXPECT_EQ(text.find("shows nothing"), std::string::npos) << text;
}

// Whichever side the screen shows, paper has both, with what tells them apart; models have their next words, too.
TEST(LessonCommand, AHandoutHasBothPicturesOfAPair) {
  const TemporaryFolder folder;
  const std::string file = (folder / "pairs.json").string();
  put_text(file, R"({"id": "pairs", "title": "Pairs", "steps": [
    {"id": "a", "title": "A", "text": "", "document": "example:notebook"},
    {"id": "b", "title": "B", "text": "", "edit": {"seed": 7},
     "show": {"layout": "diagram", "compared_with_before": true, "side": "B"}},
    {"id": "c", "title": "C", "text": "", "edit": {"seed": 9},
     "show": {"layout": "focus", "stage": "weights", "compared_with_before": true, "side": "difference"}},
    {"id": "d", "title": "D", "text": "", "document": "example:stories"},
    {"id": "e", "title": "E", "text": "", "edit": {"model": "example:stories#untrained=1"},
     "show": {"layout": "model", "compared_with_before": true}}]})");
  const std::string text = text_of_handout(file);
  for (const std::string part : {"A: seed 123. B: seed 7.", "A: seed 7. B: seed 9.", "A: trained", "B: untrained"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  std::size_t words = 0;
  for (std::size_t at = 0; (at = text.find("The likeliest next words", at)) != std::string::npos; ++at) ++words;
  EXPECT_EQ(words, 2U) << "of both models";
}

// What the step pins, and not the stage that an earlier step showed alone; a name is never that of one side only.
TEST(LessonCommand, AHandoutOfAPairHasTheStageOfThePinnedNumber) {
  const TemporaryFolder folder;
  const std::string file = (folder / "pair.json").string();
  put_text(file, R"({"id": "pair", "title": "Pair", "steps": [
    {"id": "a", "title": "A", "text": "", "document": "example:notebook",
     "show": {"layout": "focus", "stage": "scaled_scores"}},
    {"id": "b", "title": "Weights", "text": "", "edit": {"scale": false},
     "show": {"layout": "diagram", "pin": "weights[0,0,2,1]", "compared_with_before": true, "side": "side-by-side"}},
    {"id": "c", "title": "Scores", "text": "", "edit": {"scale": true},
     "show": {"layout": "focus", "stage": "scaled_scores", "compared_with_before": true, "side": "side-by-side"}}]})");
  const std::string text = text_of_handout(file);
  const std::size_t weights = text.find("2. Weights");
  const std::size_t scores = text.find("3. Scores");
  ASSERT_NE(scores, std::string::npos) << text;
  EXPECT_NE(text.substr(weights, scores - weights).find("attention weights"), std::string::npos) << text;
  EXPECT_EQ(text.substr(weights, scores - weights).find("scaled scores"), std::string::npos) << text;
  EXPECT_NE(text.substr(scores).find("unscaled scores and scaled scores"), std::string::npos) << text;
}

// On paper nobody can open the text of a model, or rest the pointer on a head. What a question asks stands with the
// answers alone.
TEST(LessonCommand, AHandoutOfAModelHasItsTextAndKeepsTheAnswerForTheEnd) {
  const std::string text = text_of_handout("trained");
  EXPECT_NE(text.find("The text: “Mia puts the ball in the box"), std::string::npos) << text;
  EXPECT_NE(text.find("layer 1, head 1 (previous word)"), std::string::npos) << text;
  for (const std::string token : {"lamp", "bag", "looks"})  // of 24 keys, in a step of one head
    EXPECT_NE(text.find("\n" + token + "\n", text.find("2. Layer 1, head 1")), std::string::npos) << token << text;
  const std::size_t step = text.find("5. Without the induction head");
  const std::size_t next = text.find("6. Without layer 3", step);
  const std::size_t answers = text.find("Answers: ");
  EXPECT_EQ(text.substr(step, next - step).find("The likeliest next words"), std::string::npos) << text;
  EXPECT_NE(text.find("The likeliest next words: “bucket” 72", answers), std::string::npos) << text;
  EXPECT_NE(text.find("5. (b) The model expects a place that the story does not name.", answers), std::string::npos);
  EXPECT_EQ(text.find("Your turn"), std::string::npos) << "its text is about the window alone";
}

TEST(LessonCommand, AHandoutKeepsEmphasis) {
  const TemporaryFolder folder;
  const std::string file = (folder / "one.json").string();
  put_text(file, R"({"id": "one", "title": "One", "steps": [{"id": "a", "title": "A", "document": "example:notebook",
    "text": "The word *it* gets **most**: see *Setup*, and press W. A dot is 2 * 3."}]})");
  const std::string pdf = (folder / "one.pdf").string();
  const std::string xml = (folder / "one.xml").string();
  ASSERT_EQ(run_program({"lesson", "handout", file, "-o", pdf}).status, 0);
  ASSERT_EQ(std::system(fmt::format("pdftohtml -q -xml -i '{}' '{}'", pdf, xml).c_str()), 0);
  const std::string text = text_of(xml);
  EXPECT_EQ(text.find("<b>it</b>"), std::string::npos) << "it leans: " << text;
  EXPECT_NE(text.find("<b>most</b>"), std::string::npos) << text;
  EXPECT_EQ(text.find("Setup"), std::string::npos) << "the window's";
  EXPECT_EQ(text.find("<b>A dot"), std::string::npos) << text;
}

// What the choices name is not read beside them: neither as a number, nor as its sum.
TEST(LessonCommand, AHandoutCoversWhatAQuestionAsksFor) {
  const TemporaryFolder folder;
  const std::string file = (folder / "one.json").string();
  const auto text_with = [&](const std::string& choice) {
    put_text(file, R"({"id": "one", "title": "One", "steps": [{"id": "a", "title": "A", "document": "example:who_is_it",
      "text": "x", "show": {"layout": "heads", "stage": "weights", "pin": "weights[0,0,4,1]"},
      "question": {"kind": "choose", "ask": "How much?", "right": 0,
                   "choices": [{"text": ")" +
                       choice + R"("}, {"text": "0.50", "why": "No."}]}}]})");
    return text_of_handout(file);
  };
  const auto count = [](const std::string& text) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = text.find("0.97", at)) != std::string::npos; ++at) ++times;
    return times;
  };
  EXPECT_EQ(count(text_with("most")), 1U) << "in the matrix";
  EXPECT_EQ(count(text_with("{{weights[0,0,4,1]:.2f}}")), 2U) << "the choice and the answer";
  const std::string text = text_with("{{weights[0,0,4,1]:.2f}}");
  EXPECT_NE(text.find("cat"), std::string::npos) << text;
}

// All heads of a model have small numbers on paper: those of the heads in the layer that is asked about are covered.
TEST(LessonCommand, AHandoutCoversWhatAQuestionAsksForInAllHeadsOfAModel) {
  const TemporaryFolder folder;
  const std::string file = (folder / "one.json").string();
  const auto numbers_with = [&](const std::string& choice) {
    put_text(file, R"({"id": "one", "title": "One", "steps": [{"id": "a", "title": "A", "text": "x",
      "document": {"model": "example:stories", "text": "Mia puts the ball in the box .", "layer": 2},
      "show": {"layout": "model"},
      "question": {"kind": "choose", "ask": "How much?", "right": 0,
                   "choices": [{"text": ")" +
                       choice + R"("}, {"text": "Half", "why": "No."}]}}]})");
    const std::string text = text_of_handout(file);
    return std::ranges::count(text, '.');
  };
  const auto told = numbers_with("most");
  EXPECT_EQ(told - numbers_with("{{weights[0,0,5,4]:.2f}}"), 4 * 6 - 2) << "the choice and the answer tell it";
}

TEST(LessonCommand, AHandoutForStudentsLacksTheAnswers) {
  const TemporaryFolder folder;
  const std::string pdf = (folder / "mask.pdf").string();
  const std::string text = (folder / "mask.txt").string();
  ASSERT_EQ(run_program({"lesson", "handout", "mask", "--no-answers", "-o", pdf}).status, 0);
  ASSERT_EQ(std::system(fmt::format("pdftotext -raw '{}' '{}'", pdf, text).c_str()), 0);
  const std::string of_students = text_of(text);
  EXPECT_EQ(of_students.find("Answers: "), std::string::npos);
  EXPECT_TRUE(text_of_handout("mask").starts_with(of_students)) << "the same pages before the answers";
  const ProgramRun refused = run_program({"lesson", "check", pdf, "--no-answers"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--no-answers is for attnscope lesson handout."), std::string::npos) << refused.err;
}

// Letters that cannot be read are none: those of a film are texts of the page, and its numbers have eight points.
TEST(LessonCommand, TheFilmOfAStepCanBeRead) {
  const TemporaryFolder folder;
  const std::string file = (folder / "film.json").string();
  put_text(file, R"({"id": "film", "title": "Film", "steps": [{"id": "a", "title": "A", "document": "example:who_is_it",
    "text": "", "show": {"layout": "diagram", "pin": "weights[0,0,4,1]", "film": true}}]})");
  const std::string text = text_of_handout(file);
  EXPECT_NE(text.find("The shares mix the values"), std::string::npos) << text;
  EXPECT_LE(std::ranges::count(text, '\f'), 2) << "pages";
  const std::string pdf = (folder / "film.pdf").string();
  const std::string xml = (folder / "film.xml").string();
  ASSERT_EQ(run_program({"lesson", "handout", file, "-o", pdf}).status, 0);
  ASSERT_EQ(std::system(fmt::format("pdftohtml -q -xml -i -zoom 1 '{}' '{}'", pdf, xml).c_str()), 0);
  const std::string fonts = text_of(xml);
  for (std::size_t at = 0; (at = fonts.find("size=\"", at)) != std::string::npos; at += 6)
    EXPECT_GE(std::atoi(fonts.c_str() + at + 6), 7) << "points, without their fraction";
}

TEST(LessonCommand, WritesAHandout) {
  const TemporaryFolder folder;
  put_text(folder / "one.json", right);
  const std::string out = (folder / "one.pdf").string();
  for (const std::string& lesson : {(folder / "one.json").string(), std::string("mask")}) {
    const ProgramRun run = run_program({"lesson", "handout", lesson, "-o", out});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(text_of(out).starts_with("%PDF-"));
  }
  // The layout of a trained model says nothing about a document without one.
  put_text(folder / "own.json", R"({"id": "own", "title": "A", "summary": "B", "steps": [
      {"id": "a", "title": "A", "text": "B.", "document": {}, "show": {"layout": "model"}}]})");
  EXPECT_EQ(run_program({"lesson", "handout", (folder / "own.json").string(), "-o", out}).status, 0);
  EXPECT_EQ(run_program({"lesson", "handout", "mask", "-o", "mask.png"}).status, 2);
  EXPECT_EQ(run_program({"lesson", "handout", "none", "-o", out}).status, 2);
}

TEST(LessonCommand, AStepIsAPictureOfTheWindow) {
  const TemporaryFolder folder;
  put_text(folder / "one.json", right);
  const std::string out = (folder / "step.png").string();
  const auto picture = [&](const std::string& lesson, const std::string& step) {
    return run_program({"screenshot", "--lesson", lesson, "--step", step, "--size", "640x480", "-o", out});
  };
  ProgramRun run = picture("mask", "3");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(load_document_or_picture(out).document, *shipped_lesson("mask")->steps[2].document);
  run = picture((folder / "one.json").string(), "1");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const std::string step : {"0", "2", "x"}) EXPECT_EQ(picture((folder / "one.json").string(), step).status, 2);
  EXPECT_EQ(picture("none", "1").status, 2);
  EXPECT_EQ(run_program({"screenshot", "--step", "1", "-o", out}).status, 2);
  EXPECT_EQ(run_program({"screenshot", "a.json", "--lesson", "mask", "-o", out}).status, 2);
  EXPECT_EQ(run_program({"screenshot", "a.json", "--step", "1", "-o", out}).status, 2);
}

TEST(LessonCommand, ListsThoseOfTheProgram) {
  const ProgramRun run = run_program({"lesson", "list"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("dropout "), std::string::npos);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 7);
}

// The page of an installed program lies in a folder beside that of the program.
TEST(PageCommand, WritesAPageOfADocumentOrALessonWhereThePageIsInstalled) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "bin");
  std::filesystem::copy_file(program_file(), folder / "bin/attnscope");
  const std::string page = (folder / "out.html").string();
  const auto run = [&](const std::string& what, const std::string& out) {
    return run_program({"page", what, "-o", out}, "", "", folder / "bin/attnscope");
  };
  const ProgramRun without = run("mask", page);
  EXPECT_EQ(without.status, 1);
  EXPECT_NE(without.err.find("./dev web"), std::string::npos) << without.err;
  std::filesystem::create_directories(folder / "share/attnscope");
  const std::string empty = "<p><script type=\"application/json\" id=\"given\"></script></p>";
  put_text(folder / "share/attnscope/attnscope.html", empty);
  put_text(folder / "one.json", right);
  std::string before;
  for (const std::string& what :
       {std::string("mask"), (folder / "one.json").string(), std::string("example:notebook")}) {
    const ProgramRun written = run(what, page);
    EXPECT_EQ(written.status, 0) << what << written.err;
    const std::string now = text_of(page);
    EXPECT_NE(now.find("[{\"path\":\"out.json\",\"packed\":\""), std::string::npos) << what;
    EXPECT_NE(now, before) << what;
    before = now;
  }
  EXPECT_EQ(run("none", page).status, 2);
  EXPECT_EQ(run("mask", "out.pdf").status, 2);
}

}  // namespace
}  // namespace attnscope::test

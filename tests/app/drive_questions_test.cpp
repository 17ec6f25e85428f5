// From a fresh start, each question is answered after two clicks with the numbers of the document, and one more leads
// to the view that shows it.

#include "document/builtin.h"
#include "document/json.h"
#include "drive_support.h"
#include "study/questions.h"

namespace attnscope::test {
namespace {

class DriveQuestions : public DriveCommand {
protected:
  // As a line breaks elsewhere in another window.
  static std::string in_a_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
  static std::string sentence_of(const Document& document, std::string_view study) {
    const Result result = evaluate(document.config);
    return make_board({result, token_labels(document.tokens), 0, 0, 1, {.id = std::string(study)}}).headline;
  }
};

TEST_F(DriveQuestions, EachIsTwoClicksAwayAndOpensItsView) {
  const Document document =
      parse_document(std::ranges::find(builtin_documents(), "multi_head_attention", &BuiltinDocument::id)->json);
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  for (const ReaderQuestion& question : questions()) {
    SCOPED_TRACE(question.id);
    const std::string id(question.id);
    const ProgramRun run = drive_steps(R"({"click": "menu/learn"}, {"hover": "menu/learn/questions"},
        {"click": "menu/learn/questions/)" +
                                       id + R"("}, {"hover": "nothing"}, {"read": "a.json"},
        {"click": "questions/show"}, {"hover": "nothing"}, {"read": "view.json"})");
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string answer = answer_of(question, {result, labels, 0, 0, 1, {}});
    EXPECT_EQ(in_a_line(widget(reading(), "questions/answer").at("text")), answer);
    const Json view = reading("out/view.json");
    const Board board = make_board({result, labels, 0, 0, 1, {.id = std::string(question.study)}});
    EXPECT_EQ(in_a_line(widget(view, "study/sentence").at("text")), board.headline);
  }
}

TEST_F(DriveQuestions, StandBesideWhatTheyAreAskedAbout) {
  const ProgramRun run = drive_steps(R"({"click": "why/mask"}, {"hover": "nothing"}, {"read": "a.json"},
      {"keys": "Esc"}, {"click": "why/setup/dropout"}, {"hover": "nothing"}, {"read": "b.json"},
      {"keys": "Esc"}, {"click": "why/stages/weights/sums"}, {"hover": "nothing"}, {"read": "c.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(widget(reading(), "questions/hide_or_show").at("on"), true);
  EXPECT_EQ(widget(reading("out/b.json"), "questions/row_sums").at("on"), true);
  EXPECT_EQ(widget(reading("out/c.json"), "questions/softmax_axis").at("on"), true);
}

TEST_F(DriveQuestions, AreSearched) {
  const ProgramRun run = drive_steps(R"({"click": "menu/learn"}, {"hover": "menu/learn/questions"},
      {"click": "menu/learn/questions/search"}, {"enter": "questions/search", "text": "mkl"}, {"read": "a.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NO_THROW(widget(reading(), "questions/other_mask"));
  EXPECT_ANY_THROW(widget(reading(), "questions/row_sums"));
}

TEST_F(DriveQuestions, AViewFollowsItsControlsAndEscLeadsBack) {
  const ProgramRun run =
      drive_steps(R"({"click": "menu/learn"}, {"hover": "menu/learn/views"}, {"click": "menu/learn/views/dropout"},
      {"click": "study/view"}, {"click": "study/view/softmax"},
      {"hover": "nothing"}, {"read": "a.json"}, {"enter": "study/temperature", "text": "0.1"}, {"hover": "nothing"},
      {"read": "b.json"}, {"keys": "Esc"}, {"read": "c.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(widget(reading("out/b.json"), "study/sentence").at("text"), widget(reading(), "study/sentence").at("text"));
  EXPECT_EQ(widget(reading("out/c.json"), "view/diagram").at("on"), true);
}

TEST_F(DriveQuestions, AViewIsOfOneDocumentWhereTwoAreCompared) {
  const ProgramRun run = drive_steps(R"({"click": "menu/learn"}, {"hover": "menu/learn/views"},
      {"click": "menu/learn/views/mix"}, {"keys": "K"}, {"enter": "setup/seed", "text": "7"}, {"hover": "nothing"},
      {"read": "a.json"}, {"keys": "A"}, {"hover": "nothing"}, {"read": "kept.json"}, {"keys": "S"}, {"hover": "nothing"}, {"read": "both.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Document document =
      parse_document(std::ranges::find(builtin_documents(), "multi_head_attention", &BuiltinDocument::id)->json);
  EXPECT_EQ(in_a_line(widget(reading("out/kept.json"), "study/sentence").at("text")), sentence_of(document, "mix"));
  Document now = document;
  now.config.seed = 7;
  EXPECT_EQ(in_a_line(widget(reading(), "study/sentence").at("text")), sentence_of(now, "mix"));
  EXPECT_ANY_THROW(widget(reading("out/both.json"), "study/sentence"));
}

TEST_F(DriveQuestions, AViewOfADocumentThatDrawsNothingIsThere) {
  const ProgramRun run = drive(R"({"document": "example:simple_self_attention", "steps": [
      {"click": "menu/learn"}, {"hover": "menu/learn/views"}, {"click": "menu/learn/views/draws"},
      {"enter": "study/inserted", "text": "0"}, {"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NO_THROW(widget(reading(), "study/sentence"));
}

}  // namespace
}  // namespace attnscope::test

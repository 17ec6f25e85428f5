// Questions are answered beside the view that shows the answer, with the document's numbers or those of an example.

#include <fmt/format.h>

#include "document/builtin.h"
#include "document/json.h"
#include "drive_support.h"
#include "teach/questions.h"
#include "view/view_address.h"

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

TEST_F(DriveQuestions, EachOpensWithItsViewBesideIt) {
  const Document document =
      parse_document(std::ranges::find(builtin_documents(), "multi_head_attention", &BuiltinDocument::id)->json);
  const std::vector<std::string> labels = token_labels(document.tokens);
  std::string steps;
  for (const ReaderQuestion& question : questions()) {
    if (!steps.empty()) steps += ", ";
    steps += fmt::format(
        R"({{"click": "menu/learn/questions"}}, {{"click": "questions/{0}"}}, {{"hover": "nothing"}}, {{"read": "{0}.json"}},
        {{"click": "questions/close"}})",
        question.id);
  }
  const ProgramRun run = drive_steps(steps);
  ASSERT_EQ(run.status, 0) << run.err;
  for (const ReaderQuestion& question : questions()) {
    SCOPED_TRACE(question.id);
    const Json read = reading(fmt::format("out/{}.json", question.id));
    const Result own = evaluate(document.config);
    const std::optional<AttentionConfig> example = example_for(question, own);
    const Result result = example ? evaluate(*example) : own;
    TeachingViewChoice choice{.id = std::string(question.study), .values = {question.controls}};
    const Source pinned = most_telling_cell(own).value();  // nobody has clicked yet
    const Index head = std::min(pinned.head, head_count(result.config) - 1);
    const Index query = row_for(question, result, head, 0, pinned.row);
    const TeachingViewSubject subject{result, labels, head, 0, query, choice};
    EXPECT_EQ(in_a_line(widget(read, "questions/answer").at("text")), answer_of(question, subject));
    EXPECT_EQ(in_a_line(widget(read, "study/sentence").at("text")), make_board(subject).headline);
    EXPECT_EQ(example.has_value(), has_widget(read, "questions/use"));
  }
}

// Dropout is off in the document: the answer is of an example, which can be taken over and taken back.
TEST_F(DriveQuestions, AnExampleIsTakenOverAndUndone) {
  const ProgramRun run = drive(R"({"document": "example:multi_head_attention", "size": [1600, 900], "steps": [
      {"click": "menu/learn/questions"}, {"click": "questions/row_sums"}, {"hover": "nothing"}, {"read": "a.json"},
      {"click": "questions/use"}, {"hover": "nothing"}, {"read": "used.json"},
      {"keys": "Ctrl+Z"}, {"hover": "nothing"}, {"read": "undone.json"},
      {"click": "questions/close"}, {"hover": "nothing"}, {"read": "closed.json"}, {"keys": "Esc"}, {"read": "left.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string answer = widget(reading(), "questions/answer").at("text");
  EXPECT_EQ(widget(reading("out/used.json"), "questions/answer").at("text"), answer);
  EXPECT_FALSE(has_widget(reading("out/used.json"), "questions/example"));
  EXPECT_EQ(widget(reading("out/used.json"), "setup/dropout").at("text"), "0.50");
  EXPECT_TRUE(has_widget(reading("out/undone.json"), "questions/example"));
  EXPECT_EQ(widget(reading("out/undone.json"), "setup/dropout").at("text"), "0.00");
  EXPECT_FALSE(has_widget(reading("out/closed.json"), "questions/answer"));
  EXPECT_TRUE(has_widget(reading("out/closed.json"), "study/sentence"));
  EXPECT_EQ(widget(reading("out/left.json"), "view/diagram").at("on"), true);
}

TEST_F(DriveQuestions, StandBesideWhatTheyAreAskedAbout) {
  const ProgramRun run = drive_steps(R"({"click": "why/mask"}, {"hover": "nothing"}, {"read": "a.json"},
      {"keys": "Esc"}, {"click": "why/setup/dropout"}, {"hover": "nothing"}, {"read": "b.json"},
      {"keys": "Esc"}, {"keys": "Esc"}, {"click": "why/stages/weights/sums"}, {"hover": "nothing"}, {"read": "c.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(widget(reading(), "questions/hide_or_show").at("on"), true);
  EXPECT_EQ(widget(reading("out/b.json"), "questions/row_sums").at("on"), true);
  EXPECT_EQ(widget(reading("out/c.json"), "questions/softmax_axis").at("on"), true);
}

// What students ask in the first hour, in their words. Each is answered after three actions: Ctrl+K, the words, Enter.
TEST_F(DriveQuestions, OfTheFirstHourAreAnsweredInThreeActions) {
  struct Asked {
    const char* typed;
    bool is_question;                  // else another view answers
    std::vector<std::string> answers;  // parts of what is said then
  };
  const std::vector<Asked> all = {
      {"d_k", true, {"a score adds up head_dim products"}},
      {"rows or columns", true, {"Over the keys", "row of", "sums to 1.00"}},
      {"-inf", true, {"e⁰ is 1", "of its weight", "instead of"}},
      {"true or false", true, {"1 hides a key", "True means that the key takes part"}},
      {"mask before or after", true, {"Before: hidden keys get the score −∞", "have already taken"}},
      {"sum to 1", true, {"1/(1 − p) is 2.00"}},
      {"split heads", true, {"from the whole input", "(2, 2, 6, 2)"}},
      {"wrapper or split", true, {"for all heads together", "In the wrapper it is for each head"}},
      {"K = Q", true, {"With W_key = W_query the scores would be symmetric"}},
      {"out_proj", true, {"It mixes what the heads have found"}},
      {"shapes with a batch of 2", true, {"(2, 2, 6, 2)", "(2, 6, 4)"}},
      {"nn.Linear or nn.Parameter", true, {"x @ W.T", "of nn.Parameter, but weight[1, 0] of nn.Linear"}},
      {"shapes", false, {"(B, H, T, head_dim)", "(2, 2, 6, 2)"}},
      {"trained or random", true, {"as seed 7 drew them"}},
      {"explanation", true, {"Only in part", "largest weight"}},
      {"what changed", false, {"Largest change:"}},  // last, because two documents have no teaching views
  };
  std::string steps = R"({"enter": "setup/seed", "text": "7"})";
  for (std::size_t i = 0; i < all.size(); ++i)
    steps += fmt::format(
        R"(, {{"keys": "Esc"}}, {{"keys": "Esc"}}, {{"keys": "Ctrl+K"}}, {{"type": "{}"}}, {{"keys": "Enter"}},
        {{"hover": "nothing"}}, {{"read": "{}.json"}})",
        all[i].typed, i);
  Document document = notebook_document();
  document.config.batch_size = 2;
  put_text(folder_ / "document.json", to_json(document));
  const ProgramRun run =
      drive(fmt::format(R"({{"document": "document.json", "size": [1600, 900], "steps": [{}]}})", steps));
  ASSERT_EQ(run.status, 0) << run.err;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json read = reading(fmt::format("out/{}.json", i));
    std::string said = read.dump();
    if (all[i].is_question) said = in_a_line(widget(read, "questions/answer").at("text"));
    for (const std::string& part : all[i].answers)
      EXPECT_NE(said.find(part), std::string::npos) << all[i].typed << ": " << part << " in " << said;
  }
}

// What a question proposes is shown in the diagram, and the answer stays beside it until Esc leads back.
TEST_F(DriveQuestions, AnAnswerStaysBesideWhatItProposed) {
  const ProgramRun run = drive(R"({"document": "example:who_is_it", "size": [1440, 900], "steps": [
      {"keys": "Ctrl+K"}, {"type": "what else changes"}, {"keys": "Enter"}, {"hover": "nothing"}, {"read": "a.json"},
      {"click": "questions/remedy"}, {"read": "set.json"}, {"keys": "Ctrl+Z"}, {"read": "undone.json"},
      {"keys": "Esc"}, {"hover": "nothing"}, {"read": "back.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string answer = widget(reading(), "questions/answer").at("text");
  EXPECT_FALSE(has_widget(reading(), "study/question") && widget(reading(), "study/question").at("text") != "")
      << "the view's own question is another one";
  const Json set = reading("out/set.json");
  EXPECT_EQ(widget(set, "view/diagram").at("on"), true);
  EXPECT_EQ(widget(set, "questions/answer").at("text"), answer);
  EXPECT_FALSE(has_widget(set, "questions/remedy")) << "it is done";
  EXPECT_EQ(widget(set, "view/head/1").at("on"), true) << "most changes in that head";
  EXPECT_NE(set.dump().find("head 2 of 2"), std::string::npos) << "the card of the pinned number is of it, too";
  EXPECT_TRUE(has_widget(set, "questions/back"));
  EXPECT_EQ(widget(reading("out/undone.json"), "questions/answer").at("text"), answer);
  EXPECT_EQ(widget(reading("out/back.json"), "view/study").at("on"), true);
  EXPECT_EQ(widget(reading("out/back.json"), "questions/answer").at("text"), answer);
}

TEST_F(DriveQuestions, AreSearched) {
  const ProgramRun run = drive_steps(
      R"({"click": "menu/learn/questions"}, {"enter": "questions/search", "text": "mkl"}, {"read": "a.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NO_THROW(widget(reading(), "questions/other_mask"));
  EXPECT_ANY_THROW(widget(reading(), "questions/row_sums"));
}

TEST_F(DriveQuestions, AViewFollowsItsControlsAndEscLeadsBack) {
  const ProgramRun run = drive_steps(R"({"click": "view/study"}, {"click": "study/view/dropout"},
      {"click": "study/view"}, {"click": "study/view/softmax"},
      {"hover": "nothing"}, {"read": "a.json"}, {"enter": "study/temperature", "text": "0.1"}, {"hover": "nothing"},
      {"read": "b.json"}, {"keys": "Esc"}, {"read": "c.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(widget(reading("out/b.json"), "study/sentence").at("text"), widget(reading(), "study/sentence").at("text"));
  EXPECT_EQ(widget(reading("out/c.json"), "view/diagram").at("on"), true);
}

TEST_F(DriveQuestions, AViewIsOfOneDocumentWhereTwoAreCompared) {
  const ProgramRun run = drive_steps(
      R"({"click": "view/study"}, {"click": "study/view/mix"}, {"keys": "K"}, {"enter": "setup/seed", "text": "7"}, {"hover": "nothing"},
      {"read": "a.json"}, {"keys": "A"}, {"hover": "nothing"}, {"read": "kept.json"}, {"keys": "Shift+A"}, {"hover": "nothing"}, {"read": "both.json"})");
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
      {"click": "view/study"}, {"click": "study/view/draws"},
      {"enter": "study/inserted", "text": "0"}, {"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NO_THROW(widget(reading(), "study/sentence"));
}

}  // namespace
}  // namespace attnscope::test

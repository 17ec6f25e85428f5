// The editor of lessons without a window: its steps, its questions, and its files.

#include <algorithm>

#include "controller_alone.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/lessons/lesson_editor.h"
#include "session/ui_state.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

class LessonEditorAlone : public ControllerAlone {
protected:
  LessonEditorAlone() { show(notebook_document()); }
  void show(Document document) {
    now_.document = std::move(document);
    ++now_.edition;
  }
  const LessonDraft& draft() const { return *now_.draft; }
  std::vector<std::string> titles() const {
    std::vector<std::string> titles;
    for (const LessonStep& step : draft().lesson.steps) titles.push_back(step.title.markdown);
    return titles;
  }
  void name(const std::string& title) {
    editor_.edit_step("the title", [&](LessonStep& step) { step.title.markdown = title; });
  }
  // Makes a lesson of three steps called A, B and C.
  void make_three() {
    editor_.begin();
    name("A");
    for (const char* const title : {"B", "C"}) {
      editor_.add_screen();
      name(title);
    }
  }
  using Titles = std::vector<std::string>;

  LessonEditor editor_{services_, others_, others_, others_, others_, now_.draft};
};

TEST_F(LessonEditorAlone, AStepIsWhatIsOnTheScreen) {
  now_.view.mode = ViewMode::focus;
  now_.view.stage = Stage::scores;
  now_.view.head = 1;
  now_.view.decimals = 4;
  now_.view.pinned = Source{.stage = Stage::scores, .head = 1, .row = 2, .col = 3};
  editor_.begin();
  ASSERT_EQ(draft().lesson.steps.size(), 1U);
  const LessonStep& first = draft().current();
  EXPECT_EQ(*first.document, now_.document);
  EXPECT_EQ(first.view.mode, "focus");
  EXPECT_EQ(first.view.stage, Stage::scores);
  EXPECT_EQ(first.view.head, 1);
  EXPECT_EQ(first.view.decimals, 4);
  EXPECT_EQ(first.view.pinned, now_.view.pinned);
  EXPECT_FALSE(draft().is_modified);

  Document pair = notebook_document();
  pair.config.seed = 7;
  pair.compared = std::make_shared<const Document>(notebook_document());
  show(pair);
  now_.compared = pair.compared;
  now_.view.mode = ViewMode::study;
  now_.view.study = {.id = "dropout", .values = {{"masks", 100}}};
  now_.view.side = ComparedSide::side_by_side;
  editor_.add_screen();
  EXPECT_EQ(draft().step, 1U);
  EXPECT_EQ(*draft().current().document, pair);
  EXPECT_EQ(draft().current().view.study.id, "dropout");
  EXPECT_EQ(draft().current().view.study.value("masks", 0), 100);
  EXPECT_EQ(draft().current().view.side, ComparedSide::side_by_side);
  EXPECT_TRUE(draft().is_modified);
}

// What a step does not say stays as it was in the step before.
TEST_F(LessonEditorAlone, AStepSaysItsSideAndItsRange) {
  Document pair = notebook_document();
  pair.compared = std::make_shared<const Document>(notebook_document());
  pair.config.seed = 7;
  show(pair);
  now_.compared = pair.compared;
  now_.view.range = RangeMode::own;
  now_.view.side = ComparedSide::difference;
  editor_.begin();
  now_.view.range = RangeMode::automatic;
  now_.view.side = ComparedSide::now;
  editor_.add_screen();
  const std::vector<LessonStep> saved = parse_lesson(lesson_to_json(draft().lesson)).steps;
  for (const LessonStep& step : saved) look_at_step(now_.view, step.view);
  EXPECT_EQ(now_.view.range, RangeMode::automatic);
  EXPECT_EQ(now_.view.side, ComparedSide::now);
}

TEST_F(LessonEditorAlone, AFilmIsAStep) {
  now_.film.watching = FilmShown::Watching{.cell = {.stage = Stage::weights, .row = 2, .col = 1}};
  editor_.begin();
  EXPECT_TRUE(draft().current().view.film);
  EXPECT_EQ(draft().current().view.pinned, now_.film.watching->cell);
}

TEST_F(LessonEditorAlone, StepsMoveAreCopiedAndDeleted) {
  make_three();
  editor_.move_step(2, 0);
  EXPECT_EQ(titles(), (Titles{"C", "A", "B"}));
  EXPECT_EQ(draft().step, 0U);
  editor_.copy_step();
  EXPECT_EQ(titles(), (Titles{"C", "C", "A", "B"}));
  EXPECT_EQ(draft().step, 1U);
  editor_.delete_step();
  editor_.delete_step();
  EXPECT_EQ(titles(), (Titles{"C", "B"}));
  editor_.delete_step();
  EXPECT_THROW(editor_.delete_step(), Error);
  EXPECT_EQ(titles(), (Titles{"C"}));
}

TEST_F(LessonEditorAlone, EveryEditIsUndoneAndDoneAgain) {
  make_three();
  std::vector<Titles> seen = {titles()};
  const std::function<void()> edits[] = {[&] { editor_.move_step(0, 2); }, [&] { editor_.copy_step(); },
                                         [&] { editor_.delete_step(); }, [&] { editor_.ask(Question::Kind::choose); },
                                         [&] { name("D"); }};
  for (const auto& edit : edits) {
    edit();
    seen.push_back(titles());
  }
  for (std::size_t i = seen.size() - 1; i > 0; --i) {
    EXPECT_EQ(titles(), seen[i]);
    EXPECT_TRUE(undoes_lesson(now_));
    editor_.undo();
  }
  EXPECT_EQ(titles(), seen[0]);
  EXPECT_FALSE(draft().current().question);
  for (std::size_t i = 1; i < seen.size(); ++i) editor_.redo();
  EXPECT_EQ(titles(), seen.back());
  EXPECT_TRUE(draft().current().question);
  EXPECT_FALSE(redoes_lesson(now_));
}

// What is typed into one field is one edit; a document that was edited since is undone first.
TEST_F(LessonEditorAlone, UndoGoesByWhatWasEditedLast) {
  editor_.begin();
  for (const std::string text : {"H", "He", "Her"})
    editor_.edit_step(
        "the text", [&](LessonStep& step) { step.text.markdown = text; }, 7);
  editor_.undo();
  EXPECT_EQ(draft().current().text.markdown, "");
  EXPECT_FALSE(undoes_lesson(now_)) << "there is nothing more to undo";
  editor_.redo();
  EXPECT_EQ(draft().current().text.markdown, "Her");
  EXPECT_TRUE(undoes_lesson(now_));
  now_.undo_label = "seed";
  ++now_.edition;
  editor_.follow();
  EXPECT_FALSE(undoes_lesson(now_));
}

// The number is clicked, the document changed, and both become the goal and a way to reach it.
TEST_F(LessonEditorAlone, AGoalIsTakenFromTheScreen) {
  const auto put_on_screen = [&](const Document& document) {
    show(document);
    now_.evaluation.result = compute(document.config, {}).result;
    now_.is_current = true;
  };
  put_on_screen(notebook_document());
  now_.view.pinned = Source{.stage = Stage::weights, .row = 2, .col = 1};
  editor_.begin();
  editor_.ask(Question::Kind::reach);
  ASSERT_TRUE(draft().current().question);
  EXPECT_EQ(draft().current().question->answer, "weights[0,0,2,1]");
  EXPECT_NO_THROW(parse_lesson(lesson_to_json(draft().lesson))) << "it can be kept before there is a goal";

  Document changed = notebook_document();
  changed.config.seed = 7;
  put_on_screen(changed);
  editor_.take_goal();
  const Question& question = *draft().current().question;
  EXPECT_EQ(*question.solution, changed);
  EXPECT_NEAR(question.to, static_cast<double>(value_at(*now_.result(), *now_.view.pinned)), 0.005);
  name("A");
  editor_.edit_step("the text", [](LessonStep& step) {
    step.text.markdown = "B";
    step.question->ask.markdown = "C";
  });
  editor_.edit("the title", [](Lesson& lesson) { lesson.title = "D"; });
  editor_.check();
  EXPECT_TRUE(draft().mistakes.empty()) << draft().mistakes.front();
  now_.view.pinned.reset();
  EXPECT_THROW(editor_.take_goal(), Error);
}

TEST_F(LessonEditorAlone, AQuestionIsAboutThePinnedNumber) {
  editor_.begin();
  now_.view.pinned = Source{.stage = Stage::weights, .head = 1, .row = 2, .col = 1};
  editor_.ask(Question::Kind::number);
  EXPECT_EQ(draft().current().question->answer, "weights[0,1,2,1]");
  editor_.ask(Question::Kind::sketch);
  EXPECT_EQ(draft().current().question->answer, "weights[0,1,2]");
  EXPECT_EQ(draft().current().view.stage, Stage::scores) << "the row is out of sight";
  editor_.take_screen();
  editor_.ask(Question::Kind::cell);
  EXPECT_EQ(draft().current().question->answer, "weights[0,1,2,1]");
  EXPECT_FALSE(draft().current().view.pinned) << "it would show the answer";
  now_.view.pinned->col = 0;
  editor_.take_answer();
  EXPECT_EQ(draft().current().question->answer, "weights[0,1,2,0]");
  editor_.ask({});
  EXPECT_FALSE(draft().current().question);
}

// Who looks through the kinds of questions loses nothing.
TEST_F(LessonEditorAlone, AQuestionOfEachKindIsKept) {
  now_.view.pinned = Source{.stage = Stage::weights, .row = 2, .col = 1};
  editor_.begin();
  editor_.ask(Question::Kind::choose);
  editor_.edit_step("texts", [](LessonStep& step) {
    step.question->ask.markdown = "Which?";
    step.question->choices = {{{"", "this"}, {"", ""}}, {{"", "that"}, {"", "No."}}, {{"", "none"}, {"", "Look."}}};
    step.question->right = 1;
  });
  editor_.ask(Question::Kind::number);
  EXPECT_EQ(draft().current().question->ask.markdown, "Which?") << "a new question begins with the texts";
  editor_.edit_step("texts", [](LessonStep& step) {
    step.question->ask.markdown = "How large?";
    step.question->mistakes.push_back({.value = "7", .why = {"", "Less."}});
  });
  for (const std::optional<Question::Kind> kind :
       {std::optional(Question::Kind::choose), std::optional<Question::Kind>(), std::optional(Question::Kind::choose)})
    editor_.ask(kind);
  const Question& choice = *draft().current().question;
  EXPECT_EQ(choice.ask.markdown, "Which?");
  ASSERT_EQ(choice.choices.size(), 3U);
  EXPECT_EQ(choice.choices[2].why.markdown, "Look.");
  EXPECT_EQ(choice.choices[2].why.path, "steps[0].question.choices[2].why");
  EXPECT_EQ(choice.right, 1U);
  editor_.ask(Question::Kind::number);
  EXPECT_EQ(draft().current().question->ask.markdown, "How large?");
  EXPECT_EQ(draft().current().question->mistakes.size(), 1U);
  editor_.begin();
  editor_.ask(Question::Kind::choose);
  EXPECT_EQ(draft().current().question->ask.markdown, "") << "another lesson";
}

// What covers the answer goes with the question.
TEST_F(LessonEditorAlone, AStepIsLookedAtAsBeforeItsQuestion) {
  now_.view.mode = ViewMode::heads;
  now_.view.pinned = Source{.stage = Stage::weights, .row = 2, .col = 1};
  editor_.begin();
  const ViewAddress own = draft().current().view;
  now_.view.pinned.reset();
  const std::optional<Question::Kind> kinds[] = {Question::Kind::cell,   Question::Kind::sketch, {},
                                                 Question::Kind::sketch, Question::Kind::number, Question::Kind::cell,
                                                 Question::Kind::choose};
  for (const std::optional<Question::Kind> kind : kinds) {
    editor_.ask(kind);
    const ViewAddress& view = draft().current().view;
    const bool is_covered = kind == Question::Kind::cell || kind == Question::Kind::sketch;
    EXPECT_EQ(view.pinned.has_value(), !is_covered);
    EXPECT_EQ(view.mode, kind == Question::Kind::sketch ? "focus" : "heads");
    EXPECT_EQ(view == own, !is_covered);
  }
  editor_.ask(Question::Kind::cell);
  EXPECT_EQ(draft().current().question->answer, "weights[0,0,2,1]");
  editor_.copy_step();
  editor_.ask({});
  EXPECT_EQ(draft().current().view, own) << "also in a copy";
  editor_.choose(0);
  now_.view.pinned = Source{.stage = Stage::weights, .row = 1, .col = 0};
  editor_.take_answer();
  EXPECT_EQ(draft().current().view, own) << "its pin is not the answer now";
}

TEST_F(LessonEditorAlone, IsSavedAndReadAgain) {
  make_three();
  editor_.edit("the title", [](Lesson& lesson) { lesson.title = "Heads, and √d"; });
  editor_.ask(Question::Kind::choose);
  EXPECT_THROW(editor_.hand_out(), Error);
  editor_.save();
  EXPECT_EQ(others_.dialogs, std::vector{DialogState::Kind::save_lesson});
  now_.dialog.kind = DialogState::Kind::save_lesson;
  editor_.propose_name();
  EXPECT_EQ(now_.dialog.name, "heads_and_d.lesson.json");
  editor_.save(folder_ / "a.lesson.json");
  EXPECT_FALSE(draft().is_modified);
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::none);
  const Lesson read = load_lesson(folder_ / "a.lesson.json");
  EXPECT_EQ(read.id, "heads_and_d");
  ASSERT_EQ(read.steps.size(), 3U);
  EXPECT_EQ(*read.steps[2].document, now_.document);
  EXPECT_EQ(read.steps[2].question->choices.size(), 2U);
  EXPECT_TRUE(draft().is_checked);
  const auto is_said = [&](const std::string& what) {
    return std::ranges::any_of(draft().mistakes, [&](const std::string& said) { return said.starts_with(what); });
  };
  EXPECT_TRUE(is_said("steps[0].text is empty"));
  EXPECT_TRUE(is_said("steps[2].question.ask is empty"));
  EXPECT_TRUE(is_said("steps[2].question.choices[1] is wrong, but its \"why\" is empty"));
  name("E");
  EXPECT_TRUE(draft().is_modified);
  EXPECT_FALSE(draft().is_checked);
  editor_.save();
  EXPECT_EQ(load_lesson(folder_ / "a.lesson.json").steps[2].title.markdown, "E");
  editor_.hand_out();
  EXPECT_TRUE(text_of(folder_ / "a.pdf").starts_with("%PDF-"));
  editor_.save(folder_ / "none" / "a.lesson.json");
  EXPECT_TRUE(now_.messages.back().is_error);
}

TEST_F(LessonEditorAlone, OfShippedLessonsACopyIsEdited) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    editor_.begin_with(lesson);
    EXPECT_EQ(draft().lesson.steps.size(), lesson->steps.size());
    EXPECT_EQ(lesson_to_json(draft().lesson), lesson_to_json(*lesson)) << lesson->id;
    EXPECT_TRUE(draft().file.empty());
    name("Another");
    EXPECT_NE(lesson->steps[0].title.markdown, "Another");
  }
}

// A lesson of one's own goes on in its file.
TEST_F(LessonEditorAlone, OfAFileIsSavedThere) {
  make_three();
  editor_.save(folder_ / "a.lesson.json");
  editor_.begin_with(std::make_shared<const Lesson>(load_lesson(folder_ / "a.lesson.json")));
  EXPECT_EQ(draft().file, folder_ / "a.lesson.json");
  name("Another");
  editor_.save();
  EXPECT_TRUE(others_.dialogs.empty());
  EXPECT_EQ(load_lesson(folder_ / "a.lesson.json").steps[0].title.markdown, "Another");
  editor_.hand_out();
  EXPECT_TRUE(text_of(folder_ / "a.pdf").starts_with("%PDF-"));
}

TEST_F(LessonEditorAlone, CheckTellsOfAnEmptyReplyToAWrongNumber) {
  editor_.begin();
  editor_.ask(Question::Kind::number);
  editor_.edit_step("a reply", [](LessonStep& step) { step.question->mistakes.push_back({.value = "7"}); });
  editor_.check();
  EXPECT_NE(std::ranges::find(draft().mistakes, "steps[0].question.mistakes[0]: its \"why\" is empty."),
            draft().mistakes.end());
}

TEST_F(LessonEditorAlone, IsTriedAtTheChosenStepUnderAnIdOfItsOwn) {
  make_three();
  editor_.try_out();
  EXPECT_EQ(others_.called.back(), "try_lesson 2");
  EXPECT_EQ(others_.tried->id, "lesson_draft");
  EXPECT_EQ(others_.tried->steps.size(), 3U);
}

}  // namespace
}  // namespace attnscope::test

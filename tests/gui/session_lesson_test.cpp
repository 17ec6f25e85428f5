// A learner at the window: lessons open, ask, answer, reveal, and give back what was there before.

#include <algorithm>
#include <cmath>

#include "desk.h"
#include "lessons/lesson.h"
#include "support.h"

namespace attnscope::test {
namespace {

class Lessons : public testing::Test {
protected:
  void open(const std::string& id) {
    desk_.click("menu/learn");
    desk_.click("menu/learn/lessons");
    desk_.click("menu/learn/lessons/" + id);
    desk_.settle();
    desk_.move_away();
  }
  void go_to(std::size_t step) {
    desk_.session().push(GoToStep{step});
    desk_.frames();
    desk_.settle();
  }
  const LessonShown& lesson() { return desk_.session().shown().lesson; }
  // The first step of the open lesson that asks in this way.
  std::size_t step_that(Question::Kind kind) {
    const auto& steps = lesson().lesson->steps;
    const auto found = std::ranges::find_if(
        steps, [&](const LessonStep& step) { return step.question && step.question->kind == kind; });
    EXPECT_NE(found, steps.end());
    return static_cast<std::size_t>(found - steps.begin());
  }

  Desk desk_;
};

TEST_F(Lessons, OpenFromTheMenuAndGoFromStepToStep) {
  open("neighbours");
  ASSERT_TRUE(lesson().lesson);
  EXPECT_EQ(desk_.config().mechanism, Mechanism::simple_self_attention);
  EXPECT_NE(desk_.text().find("Six words, three numbers each"), std::string::npos);
  EXPECT_FALSE(desk_.enables("lesson/back"));
  desk_.click("lesson/next");
  EXPECT_EQ(lesson().step, 1U);
  desk_.press_key(keys::letter('N'));
  EXPECT_EQ(lesson().step, 2U);
  desk_.click("lesson/back");
  desk_.click("lesson/step/5");
  desk_.settle();
  EXPECT_EQ(desk_.config().normalization, Normalization::sum);
  EXPECT_FALSE(desk_.session().shown().is_modified);
}

TEST_F(Lessons, GiveBackWhatWasThereBefore) {
  const Document before = desk_.document();
  open("mask");
  EXPECT_NE(desk_.document(), before);
  desk_.click("lesson/close");
  EXPECT_EQ(desk_.document(), before);
  EXPECT_FALSE(desk_.shows("lesson/next"));
  EXPECT_EQ(desk_.view().layout, Layout::diagram);
}

TEST_F(Lessons, AskBeforeAnUnsavedDocumentIsPutAside) {
  desk_.session().push(EditDocument{"seed", [](Document& document) { document.config.seed = 7; }});
  desk_.frames();
  const Document edited = desk_.document();
  desk_.click("menu/learn");
  desk_.click("menu/learn/lessons");
  desk_.click("menu/learn/lessons/mask");
  EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  EXPECT_EQ(desk_.document(), edited);
  desk_.session().push(AnswerUnsaved{AnswerUnsaved::Answer::discard});
  desk_.frames();
  ASSERT_TRUE(lesson().lesson);
  desk_.click("lesson/close");
  EXPECT_EQ(desk_.document(), edited) << "what was put aside comes back";
  EXPECT_TRUE(desk_.session().shown().is_modified);
}

TEST_F(Lessons, LeadBackToAStepAndUndoLeadsToTheEdit) {
  open("dropout");
  const Document of_step = desk_.document();
  EXPECT_FALSE(desk_.shows("lesson/restore"));
  desk_.session().push(EditDocument{"dropout", [](Document& document) { document.config.dropout = 0.25; }});
  desk_.settle();
  const Document edited = desk_.document();
  desk_.click("lesson/restore");
  EXPECT_EQ(desk_.document(), of_step);
  EXPECT_FALSE(desk_.shows("lesson/restore"));
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document(), edited) << "nothing is lost";
}

TEST_F(Lessons, BegunAgainForgetTheirOwnAnswersAlone) {
  const auto answer = [&](const std::string& id) {
    open(id);
    go_to(step_that(Question::Kind::number));
    desk_.replace_text("lesson/number", "77");
    desk_.click("lesson/answer");
    EXPECT_EQ(lesson().record().wrong, 1) << id;
  };
  answer("neighbours");
  desk_.click("lesson/close");
  answer("mask");
  desk_.session().push(RestartLesson{});
  desk_.frames();
  EXPECT_EQ(lesson().step, 0U);
  go_to(step_that(Question::Kind::number));
  EXPECT_EQ(lesson().record().wrong, 0);
  desk_.click("lesson/close");
  open("neighbours");
  go_to(step_that(Question::Kind::number));
  EXPECT_EQ(lesson().record().wrong, 1) << "that of another lesson stays";
}

TEST_F(Lessons, SayWhatATypedNumberIs) {
  open("neighbours");
  go_to(step_that(Question::Kind::number));
  desk_.replace_text("lesson/number", "0.9995");  // the score beside it
  desk_.click("lesson/answer");
  EXPECT_TRUE(desk_.shows("lesson/why"));
  EXPECT_NE(desk_.text().find("with itself"), std::string::npos) << desk_.text();
  desk_.replace_text("lesson/number", "0.95");
  desk_.click("lesson/answer");
  EXPECT_FALSE(desk_.shows("lesson/why"));
  EXPECT_TRUE(lesson().record().is_right);
  EXPECT_EQ(lesson().record().wrong, 1);
  EXPECT_TRUE(desk_.shows("lesson/outcome"));
}

TEST_F(Lessons, TakeTheCellThatWasClicked) {
  open("neighbours");
  go_to(step_that(Question::Kind::cell));
  desk_.click("lesson/answer");
  EXPECT_TRUE(desk_.shows("lesson/why"));
  desk_.click_cell(Stage::scores, 0, 4);
  desk_.click("lesson/answer");
  EXPECT_NE(desk_.text().find("the other way round"), std::string::npos) << desk_.text();
  desk_.click_cell(Stage::scores, 4, 0);
  desk_.click("lesson/answer");
  EXPECT_TRUE(lesson().record().is_right);
}

TEST_F(Lessons, CountWhatWasRevealed) {
  open("neighbours");
  go_to(step_that(Question::Kind::sketch));
  EXPECT_TRUE(desk_.shows("lesson/bar/5"));
  desk_.click("lesson/reveal");
  EXPECT_TRUE(lesson().record().is_revealed);
  EXPECT_FALSE(desk_.shows("lesson/answer"));
  EXPECT_NEAR(lesson().answer.bars.at(1), 0.2379, 5e-5);
  go_to(lesson().lesson->steps.size());
  EXPECT_NE(desk_.text().find("1 shown"), std::string::npos) << desk_.text();
  const LessonProgress before = lesson().progress;
  desk_.click("lesson/restart");
  desk_.click("dialog/cancel");
  EXPECT_EQ(lesson().progress, before);
  desk_.click("lesson/restart");
  desk_.click("dialog/yes");
  EXPECT_EQ(lesson().step, 0U);
  EXPECT_EQ(lesson().progress, LessonProgress{});
}

TEST_F(Lessons, JudgeTheDocumentAsTheLearnerMadeIt) {
  open("dropout");
  go_to(step_that(Question::Kind::reach));
  desk_.click("lesson/answer");
  EXPECT_TRUE(desk_.shows("lesson/why"));
  desk_.session().push(EditDocument{"dropout", [](Document& document) { document.config.dropout = 0; }});
  desk_.settle();
  desk_.click("lesson/answer");
  EXPECT_TRUE(lesson().record().is_right);
}

// The solution changes the document; what is looked at stays.
TEST_F(Lessons, RevealTheSolutionInTheViewOfTheStep) {
  open("trained");
  go_to(step_that(Question::Kind::reach));
  desk_.click("lesson/reveal");
  desk_.settle();
  EXPECT_EQ(desk_.config().heads_off.size(), 1U);
  EXPECT_EQ(desk_.view().layout, Layout::focus);
  EXPECT_EQ(desk_.view().stage, Stage::head_context);
  EXPECT_EQ(desk_.view().head, 0);
}

TEST_F(Lessons, KeepTheirTaskAboveTheSetup) {
  open("dropout");
  go_to(step_that(Question::Kind::reach));
  desk_.click("lesson/tab/setup");
  EXPECT_TRUE(desk_.shows("setup/dropout"));
  desk_.session().push(EditDocument{"dropout", [](Document& document) { document.config.dropout = 0; }});
  desk_.settle();
  EXPECT_TRUE(desk_.shows("lesson/ask/0"));
  EXPECT_EQ(lesson().texts.goal, "the sum of the dropped weights of query “starts” is 1.");
  desk_.click("lesson/answer");
  EXPECT_TRUE(lesson().record().is_right);
  desk_.press_key(keys::letter('N'));
  EXPECT_FALSE(lesson().shows_setup) << "the next step begins with its text";
}

TEST_F(Lessons, ShowTheSetupInTheirPlaceWhenAskedTo) {
  open("neighbours");
  EXPECT_FALSE(desk_.shows("setup/seed"));
  desk_.click("lesson/tab/setup");
  EXPECT_TRUE(desk_.shows("setup/dropout"));
  desk_.click("lesson/tab/lesson");
  EXPECT_TRUE(desk_.shows("lesson/next"));
}

TEST_F(Lessons, AreAnsweredByKeysAlone) {
  open("neighbours");
  go_to(step_that(Question::Kind::choose));
  desk_.click("lesson/step/" + std::to_string(lesson().step));  // the keys go on from there
  desk_.session().push(UpdateView{[](ViewState& state) {
    state.passing.keyboard = Panel::setup;
    state.passing.is_entering = true;
  }});
  desk_.frames(3);
  const auto press = [&](ImGuiKey key) {
    desk_.press_key(keys::named(key));
    desk_.frames(2);
  };
  for (int i = 0; i < 12 && lesson().answer.choice != 0U; ++i) {
    press(ImGuiKey_DownArrow);
    press(ImGuiKey_Enter);
  }
  EXPECT_EQ(lesson().answer.choice, 0U);
}

TEST_F(Lessons, KeepProgressBetweenRuns) {
  const TemporaryFolder folder;
  desk_.session().keep_progress_in(folder / "lessons.json");
  open("neighbours");
  go_to(step_that(Question::Kind::choose));
  desk_.click("lesson/reveal");
  Session next(default_document(), {});
  next.keep_progress_in(folder / "lessons.json");
  EXPECT_EQ(next.shown().lesson.progress, lesson().progress);
  const auto forget = [&] {
    for (const char* const item : {"menu/learn", "menu/learn/lessons", "menu/learn/lessons/clear"}) desk_.click(item);
  };
  forget();
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(next.shown().lesson.progress, lesson().progress) << "it was only asked";
  forget();
  desk_.click("dialog/yes");
  EXPECT_EQ(desk_.session().shown().dialog.kind, ShowDialog::Kind::none);
  next.keep_progress_in(folder / "lessons.json");
  EXPECT_EQ(next.shown().lesson.progress, LessonProgress{});
}

TEST_F(Lessons, OfTeachersOpenLikeDocuments) {
  const TemporaryFolder folder;
  const auto lesson_called = [](const std::string& id) {
    return R"({"id": ")" + id + R"(", "title": "About )" + id + R"(", "steps": [
      {"id": "a", "title": "A", "text": "A.", "document": "example:causal_dropout"}]})";
  };
  put_text(folder / "one.json", lesson_called("one"));
  put_text(folder / "two.json", lesson_called("two"));
  desk_.session().push(OpenFile{folder.path()});
  desk_.settle();
  ASSERT_TRUE(lesson().lesson) << desk_.message();
  EXPECT_EQ(lesson().lesson->id, "one");
  EXPECT_EQ(desk_.config().mechanism, Mechanism::causal_attention);
  open("two");
  EXPECT_EQ(lesson().lesson->title, "About two");
  put_text(folder / "one.json", R"({"id": "one", "title": "One", "steps": []})");
  desk_.session().push(OpenFile{folder / "one.json"});
  desk_.settle();
  EXPECT_NE(desk_.message().find("steps is []"), std::string::npos) << desk_.message();
  EXPECT_EQ(lesson().lesson->id, "two") << "what was open stays";
}

// Every step of every lesson is drawn, its question revealed, its text without a mistake.
TEST_F(Lessons, AreWalkedThroughFromTheFirstStepToTheLast) {
  for (const std::shared_ptr<const Lesson>& each : shipped_lessons()) {
    desk_.session().push(OpenLesson{each->id});
    for (std::size_t step = 0; step < each->steps.size(); ++step) {
      SCOPED_TRACE(each->id + ": " + each->steps[step].id);
      go_to(step);
      ASSERT_TRUE(lesson().numbers);
      EXPECT_FALSE(lesson().is_changed);
      EXPECT_EQ(desk_.text().find("steps["), std::string::npos) << desk_.text();
      if (!lesson().question()) continue;
      desk_.session().push(AnswerQuestion{});
      desk_.frames();
      EXPECT_TRUE(lesson().verdict && !lesson().verdict->is_right) << "nothing was answered yet";
      desk_.session().push(RevealAnswer{});
      desk_.settle();
      EXPECT_TRUE(lesson().record().is_revealed);
      EXPECT_TRUE(desk_.message().empty()) << desk_.message();
    }
  }
}

}  // namespace
}  // namespace attnscope::test

// A learner at the window: lessons open, ask, answer, reveal, and give back what was there before.

#include <algorithm>
#include <cmath>

#include "core/evaluate.h"
#include "core/text.h"
#include "document/edit.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/lessons/lesson_editor.h"
#include "features/shared/panel/calls.h"
#include "folder_app.h"
#include "headless_app.h"
#include "support.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

class Lessons : public testing::Test {
protected:
  void open(const std::string& id) {
    app_.click("menu/learn");
    app_.click("menu/learn/lessons");
    app_.click("menu/learn/lessons/" + id);
    app_.settle();
    app_.move_away();
  }
  void go_to(std::size_t step) {
    app_.call([step](const Controllers& to) { to.lessons.go_to_step(step); });
    app_.settle();
  }
  const LessonShown& lesson() { return app_.session().shown().lesson; }
  // The first step of the open lesson that asks in this way.
  std::size_t step_that(Question::Kind kind) {
    const auto& steps = lesson().lesson->steps;
    const auto found = std::ranges::find_if(
        steps, [&](const LessonStep& step) { return step.question && step.question->kind == kind; });
    EXPECT_NE(found, steps.end());
    return static_cast<std::size_t>(found - steps.begin());
  }

  HeadlessApp app_;
};

TEST_F(Lessons, OpenFromTheMenuAndGoFromStepToStep) {
  open("neighbours");
  ASSERT_TRUE(lesson().lesson);
  EXPECT_EQ(app_.config().mechanism, Mechanism::simple_self_attention);
  EXPECT_NE(app_.text().find("Six words, three numbers each"), std::string::npos);
  EXPECT_FALSE(app_.enables("lesson/back"));
  app_.click("lesson/next");
  EXPECT_EQ(lesson().step, 1U);
  app_.press_key(keys::letter('N'));
  EXPECT_EQ(lesson().step, 2U);
  app_.click("lesson/back");
  app_.click("lesson/step/5");
  app_.settle();
  EXPECT_EQ(app_.config().normalization, Normalization::sum);
  EXPECT_FALSE(app_.session().shown().is_modified);
}

// The number that is asked for is read nowhere beside the question until it is answered.
TEST_F(Lessons, CoverWhatAQuestionAsksFor) {
  const Lesson lesson = parse_lesson(R"({"id": "one", "title": "One", "steps": [
    {"id": "a", "title": "A", "document": "example:who_is_it", "text": "x",
     "show": {"layout": "diagram", "pin": "weights[0,0,4,1]", "film": true},
     "question": {"kind": "choose", "ask": "How much does it get?", "right": 1,
       "choices": [{"text": "0.50", "why": "No."}, {"text": "{{weights[0,0,4,1]:.4f}}"}]}}]})");
  app_.call([lesson](const Controllers& to) { to.lessons.open({std::make_shared<const Lesson>(lesson)}); });
  app_.settle();
  const auto covered = [&] {
    for (const WidgetRegistry::Matrix& matrix : app_.widgets().matrices)
      if (matrix.stage == Stage::weights) return matrix.covered;
    return std::vector<Index>{-1};
  };
  EXPECT_EQ(covered(), std::vector<Index>{4});
  EXPECT_FALSE(app_.session().shown().film.watching) << "it would tell";
  app_.hover_cell(Stage::weights, 4, 1);
  EXPECT_NE(app_.text().find("covered"), std::string::npos) << app_.text();
  EXPECT_EQ(app_.text().find("0.97"), app_.text().find("0.9723")) << "in a choice alone: " << app_.text();
  app_.call([](const Controllers& to) {
    to.lessons.change_answer([](Answer& answer) { answer.choice = 1; });
    to.lessons.answer();
  });
  app_.settle();
  EXPECT_TRUE(this->lesson().covers.empty());
  EXPECT_TRUE(app_.session().shown().film.watching) << "now it explains";
}

TEST_F(Lessons, GiveBackWhatWasThereBefore) {
  const Document before = app_.document();
  app_.change_view([](ViewState& view) { view.decimals = 3; });
  open("mask");
  EXPECT_NE(app_.document(), before);
  app_.click("lesson/close");
  EXPECT_EQ(app_.document(), before);
  EXPECT_FALSE(app_.shows("lesson/next"));
  EXPECT_EQ(app_.view().mode, ViewMode::diagram);
  EXPECT_EQ(app_.view().decimals, 3);
}

TEST_F(Lessons, AskBeforeAnUnsavedDocumentIsPutAside) {
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  const Document edited = app_.document();
  app_.click("menu/learn");
  app_.click("menu/learn/lessons");
  app_.click("menu/learn/lessons/mask");
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  EXPECT_EQ(app_.document(), edited);
  app_.call([](const Controllers& to) { to.files.answer_unsaved(FileController::Answer::discard); });
  ASSERT_TRUE(lesson().lesson);
  app_.click("lesson/close");
  EXPECT_EQ(app_.document(), edited) << "what was put aside comes back";
  EXPECT_TRUE(app_.session().shown().is_modified);
}

TEST_F(Lessons, AskBeforeAnUnsavedDocumentThatCanNotBeKeptIsLost) {
  edit_document(app_.session().queue(), {"seed", [](Document& document) { document.config.seed = 7; }});
  open_lesson(app_.session().queue(), "mask");
  app_.frames(2);
  app_.session().push([](const Controllers& to) { to.files.answer_unsaved(FileController::Answer::discard); });
  app_.settle();
  app_.session().push([](const Controllers& to) { to.files.quit(); });
  app_.frames(2);
  EXPECT_FALSE(app_.session().quit_requested());
  const std::string& question = app_.session().shown().dialog.question;
  EXPECT_TRUE(says(question, {"when the lesson is closed", "they are lost", "no folder"})) << question;
  app_.click("dialog/yes");
  EXPECT_TRUE(app_.session().quit_requested());
}

// Programs, one after the other, whose document has unsaved changes and makes room for a lesson.
class LessonsInFront : public CrashApp {
protected:
  std::unique_ptr<HeadlessApp> start_changed() {
    std::unique_ptr<HeadlessApp> app = start(1);
    app->session().push([this](const Controllers& to) { to.files.save(folder_ / "lecture.json"); });
    app->frames(2);
    edit_document(app->session().queue(), {"seed", [](Document& document) { document.config.seed = 7; }});
    app->frames(2);
    changed_ = app->document();
    return app;
  }
  std::unique_ptr<HeadlessApp> start_lesson() {
    std::unique_ptr<HeadlessApp> app = start_changed();
    open_lesson(app->session().queue(), "mask");
    app->frames(2);
    EXPECT_NE(app->text().find("If you quit before that, the next start offers them."), std::string::npos);
    app->click("dialog/discard");
    app->settle();
    let_time_pass(*app);
    EXPECT_TRUE(app->session().shown().lesson.lesson);
    return app;
  }
  static void quit(std::unique_ptr<HeadlessApp> app) {
    app->session().push([](const Controllers& to) { to.files.quit(); });
    app->frames(2);
    EXPECT_TRUE(app->session().quit_requested()) << "nothing is lost, so nothing is asked";
  }
  void expect_offered() {
    const std::unique_ptr<HeadlessApp> app = start(2);
    ASSERT_EQ(app->session().shown().lost.size(), 1U);
    app->click("restore/0/restore");
    app->settle();
    EXPECT_EQ(app->document(), changed_);
    EXPECT_EQ(app->session().window_title(), "• lecture.json – attnscope");
  }

  Document changed_;
};

TEST_F(LessonsInFront, LoseNothingByQuitting) {
  quit(start_lesson());
  expect_offered();
}

TEST_F(LessonsInFront, LoseNothingByACrash) {
  start_lesson();
  expect_offered();
}

TEST_F(LessonsInFront, LoseNothingByACrashAfterTheyWereClosed) {
  start_lesson()->click("lesson/close");
  expect_offered();
}

TEST_F(LessonsInFront, LeaveNothingBehindOnceTheChangesAreSaved) {
  std::unique_ptr<HeadlessApp> app = start_lesson();
  app->click("lesson/close");
  EXPECT_EQ(app->document(), changed_);
  app->press_control('S');
  quit(std::move(app));
  EXPECT_TRUE(start(2)->session().shown().lost.empty());
}

TEST_F(LessonsInFront, BringTheDocumentBackWhateverElseWasOpened) {
  const std::unique_ptr<HeadlessApp> app = start_lesson();
  put_text(folder_ / "other.json", "{\"seed\": 789}");
  app->session().push([path = folder_ / "other.json"](const Controllers& to) { to.reading.open(path); });
  app->settle();
  EXPECT_EQ(app->config().seed, 789U);
  app->click("lesson/close");
  EXPECT_EQ(app->document(), changed_);
  EXPECT_TRUE(app->session().shown().is_modified);
}

TEST_F(LessonsInFront, LoseNothingWhenTheyAreEdited) {
  std::unique_ptr<HeadlessApp> app = start_lesson();
  app->session().push([lesson = app->session().shown().lesson.lesson](const Controllers& to) {
    to.lessons.close();
    to.lesson_editor.begin_with(lesson);
  });
  app->settle();
  EXPECT_NE(app->document(), changed_);
  let_time_pass(*app);
  quit(std::move(app));
  expect_offered();
}

TEST_F(LessonsInFront, KeepADocumentThatIsTheirStepOnlyOnce) {
  std::unique_ptr<HeadlessApp> app = start_changed();
  app->session().push([](const Controllers& to) {
    to.lesson_editor.begin();
    to.lesson_editor.copy_step();
  });
  app->frames(2);
  quit(std::move(app));
  const std::unique_ptr<HeadlessApp> next = start(2);
  ASSERT_EQ(next->session().shown().lost.size(), 1U);
  EXPECT_TRUE(next->session().shown().lost.front().is_lesson);
}

TEST_F(Lessons, LeadBackToAStepAndUndoLeadsToTheEdit) {
  open("dropout");
  const Document of_step = app_.document();
  EXPECT_FALSE(app_.shows("lesson/restore"));
  app_.edit({"dropout", [](Document& document) { document.config.dropout = 0.25; }});
  const Document edited = app_.document();
  app_.click("lesson/restore");
  EXPECT_EQ(app_.document(), of_step);
  EXPECT_FALSE(app_.shows("lesson/restore"));
  app_.press_control('Z');
  EXPECT_EQ(app_.document(), edited) << "nothing is lost";
}

TEST_F(Lessons, BegunAgainForgetTheirOwnAnswersAlone) {
  const auto answer = [&](const std::string& id) {
    open(id);
    go_to(step_that(Question::Kind::number));
    app_.replace_text("lesson/number", "77");
    app_.click("lesson/answer");
    EXPECT_EQ(lesson().record().wrong, 1) << id;
  };
  answer("neighbours");
  app_.click("lesson/close");
  answer("mask");
  app_.call([](const Controllers& to) { to.lessons.restart(); });
  EXPECT_EQ(lesson().step, 0U);
  go_to(step_that(Question::Kind::number));
  EXPECT_EQ(lesson().record().wrong, 0);
  app_.click("lesson/close");
  open("neighbours");
  go_to(step_that(Question::Kind::number));
  EXPECT_EQ(lesson().record().wrong, 1) << "that of another lesson stays";
}

TEST_F(Lessons, SayWhatATypedNumberIs) {
  open("neighbours");
  go_to(step_that(Question::Kind::number));
  app_.replace_text("lesson/number", "0.9995");  // the score beside it
  app_.click("lesson/answer");
  EXPECT_TRUE(app_.shows("lesson/why"));
  EXPECT_NE(app_.text().find("with itself"), std::string::npos) << app_.text();
  app_.replace_text("lesson/number", "0.95");
  app_.click("lesson/answer");
  EXPECT_FALSE(app_.shows("lesson/why"));
  EXPECT_TRUE(lesson().record().is_right);
  EXPECT_EQ(lesson().record().wrong, 1);
  EXPECT_TRUE(app_.shows("lesson/outcome"));
}

TEST_F(Lessons, TakeTheCellThatWasClicked) {
  open("neighbours");
  go_to(step_that(Question::Kind::cell));
  app_.click("lesson/answer");
  EXPECT_TRUE(app_.shows("lesson/why"));
  app_.click_cell(Stage::scores, 0, 4);
  app_.click("lesson/answer");
  EXPECT_NE(app_.text().find("the other way round"), std::string::npos) << app_.text();
  app_.click_cell(Stage::scores, 4, 0);
  app_.click("lesson/answer");
  EXPECT_TRUE(lesson().record().is_right);
}

TEST_F(Lessons, CountWhatWasRevealed) {
  open("neighbours");
  go_to(step_that(Question::Kind::sketch));
  EXPECT_TRUE(app_.shows("lesson/bar/5"));
  app_.click("lesson/reveal");
  EXPECT_TRUE(lesson().record().is_revealed);
  EXPECT_FALSE(app_.shows("lesson/answer"));
  EXPECT_NEAR(lesson().answer.bars.at(1), 0.2379, 5e-5);
  go_to(lesson().lesson->steps.size());
  EXPECT_NE(app_.text().find("1 shown"), std::string::npos) << app_.text();
  const LessonProgress before = lesson().progress;
  app_.click("lesson/restart");
  app_.click("dialog/cancel");
  EXPECT_EQ(lesson().progress, before);
  app_.click("lesson/restart");
  app_.click("dialog/yes");
  EXPECT_EQ(lesson().step, 0U);
  EXPECT_EQ(lesson().progress, LessonProgress{});
}

// "That is the score beside it" may not stay beside the answer that is shown.
TEST_F(Lessons, RevealTheAnswerWithoutTheReplyToTheOneBefore) {
  open("neighbours");
  go_to(step_that(Question::Kind::number));
  app_.replace_text("lesson/number", "77");
  app_.click("lesson/answer");
  ASSERT_TRUE(lesson().verdict);
  app_.click("lesson/reveal");
  EXPECT_TRUE(lesson().record().is_revealed);
  EXPECT_FALSE(lesson().verdict);
}

TEST_F(Lessons, JudgeTheDocumentAsTheLearnerMadeIt) {
  open("dropout");
  go_to(step_that(Question::Kind::reach));
  app_.click("lesson/answer");
  EXPECT_TRUE(app_.shows("lesson/why"));
  app_.edit({"dropout", [](Document& document) { document.config.dropout = 0; }});
  app_.click("lesson/answer");
  EXPECT_TRUE(lesson().record().is_right);
}

// "The row of “starts” adds up to 0.5517" follows the settings that are to be changed.
TEST_F(Lessons, TellTheNumberThatIsToBeChangedAsItIsNow) {
  open("dropout");
  go_to(step_that(Question::Kind::reach));
  app_.settle();
  const auto told = [&] {
    std::string text;
    for (const TextBlock& block : lesson().texts.text)
      for (const TextSpan& span : block.spans) text += span.text;
    return text;
  };
  const auto sum_of_row = [&] {
    const Tensor weights = read_stage(app_.result(), final_weights_stage(app_.config()));
    double sum = 0;
    for (const float weight : weights.matrix(0).row(2)) sum += static_cast<double>(weight);
    return format_fixed(sum, 4);
  };
  const std::string before = sum_of_row();
  EXPECT_NE(told().find(before), std::string::npos) << told();
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  ASSERT_NE(sum_of_row(), before);
  EXPECT_NE(told().find(sum_of_row()), std::string::npos) << told();
  app_.edit({"mechanism", [](Document& document) { set_mechanism(document, Mechanism::simple_self_attention); }});
  EXPECT_NE(told().find(before), std::string::npos) << "there is no such sum now: " << told();
}

// The solution changes the document; what is looked at stays.
TEST_F(Lessons, RevealTheSolutionInTheViewOfTheStep) {
  open("trained");
  go_to(step_that(Question::Kind::reach));
  app_.click("lesson/reveal");
  app_.settle();
  EXPECT_EQ(app_.config().heads_off.size(), 1U);
  EXPECT_EQ(app_.view().mode, ViewMode::focus);
  EXPECT_EQ(app_.view().stage, Stage::head_context);
  EXPECT_EQ(app_.view().head, 0);
}

// "Now the weight is 0.1581, which is too small" may not stay beside another weight.
TEST_F(Lessons, TakeAReplyBackWhenWhatItIsAboutChanges) {
  open("neighbours");
  go_to(step_that(Question::Kind::reach));
  app_.click("lesson/answer");
  ASSERT_TRUE(lesson().verdict);
  EXPECT_NE(lesson().verdict->why.find("0.1581, which is too small"), std::string::npos);
  ASSERT_TRUE(app_.shows("lesson/why"));
  app_.edit({"inputs", [](Document& document) { document.config.scale_factor = 2; }});
  EXPECT_FALSE(app_.shows("lesson/why"));
  go_to(step_that(Question::Kind::choose));
  for (std::size_t choice = 0; choice < 2; ++choice) {
    if (choice == lesson().question()->right) continue;
    app_.click("lesson/choice/" + std::to_string(choice));
    app_.click("lesson/answer");
    ASSERT_TRUE(app_.shows("lesson/why"));
    app_.click("lesson/choice/" + std::to_string(lesson().question()->right));
    EXPECT_FALSE(app_.shows("lesson/why")) << "it was of another choice";
    break;
  }
  go_to(step_that(Question::Kind::cell));
  app_.click("lesson/answer");
  ASSERT_TRUE(app_.shows("lesson/why")) << "nothing was clicked";
  app_.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::scores, .row = 2, .col = 3}; });
  app_.frames(2);
  EXPECT_FALSE(app_.shows("lesson/why"));
}

TEST_F(Lessons, KeepTheirTaskAboveTheSetup) {
  open("dropout");
  go_to(step_that(Question::Kind::reach));
  app_.click("lesson/tab/setup");
  EXPECT_TRUE(app_.shows("setup/dropout"));
  app_.edit({"dropout", [](Document& document) { document.config.dropout = 0; }});
  EXPECT_TRUE(app_.shows("lesson/ask/0"));
  EXPECT_EQ(lesson().texts.goal, "the sum of the dropped weights of query “starts” is 1.");
  app_.click("lesson/answer");
  EXPECT_TRUE(lesson().record().is_right);
  app_.press_key(keys::letter('N'));
  EXPECT_FALSE(lesson().shows_setup) << "the next step begins with its text";
}

TEST_F(Lessons, ShowTheSetupInTheirPlaceWhenAskedTo) {
  open("neighbours");
  EXPECT_FALSE(app_.shows("setup/seed"));
  app_.click("lesson/tab/setup");
  EXPECT_TRUE(app_.shows("setup/dropout"));
  app_.click("lesson/tab/lesson");
  EXPECT_TRUE(app_.shows("lesson/next"));
}

TEST_F(Lessons, AreAnsweredByKeysAlone) {
  open("neighbours");
  go_to(step_that(Question::Kind::choose));
  app_.click("lesson/step/" + std::to_string(lesson().step));  // the keys go on from there
  change_view(app_.session().queue(), [](ViewState& state) {
    state.transient.keyboard = Panel::setup;
    state.transient.is_entering = true;
  });
  app_.frames(3);
  const auto press = [&](ImGuiKey key) { app_.press_key(keys::named(key)); };
  for (int i = 0; i < 12 && lesson().answer.choice != 0U; ++i) {
    press(ImGuiKey_DownArrow);
    press(ImGuiKey_Enter);
  }
  EXPECT_EQ(lesson().answer.choice, 0U);
}

TEST_F(Lessons, KeepProgressBetweenRuns) {
  const TemporaryFolder folder;
  app_.session().keep_progress_in(folder / "lessons.json");
  open("neighbours");
  go_to(step_that(Question::Kind::choose));
  app_.click("lesson/reveal");
  Session next(default_document(), {});
  next.keep_progress_in(folder / "lessons.json");
  EXPECT_EQ(next.shown().lesson.progress, lesson().progress);
  const auto forget = [&] {
    for (const char* const item : {"menu/learn", "menu/learn/lessons", "menu/learn/lessons/clear"}) app_.click(item);
  };
  forget();
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(next.shown().lesson.progress, lesson().progress) << "it was only asked";
  forget();
  app_.click("dialog/yes");
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
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
  app_.call([path = folder.path()](const Controllers& to) { to.reading.open(path); });
  ASSERT_TRUE(lesson().lesson) << app_.message();
  EXPECT_EQ(lesson().lesson->id, "one");
  EXPECT_EQ(app_.config().mechanism, Mechanism::causal_attention);
  open("two");
  EXPECT_EQ(lesson().lesson->title, "About two");
  put_text(folder / "one.json", R"({"id": "one", "title": "One", "steps": []})");
  app_.call([path = folder / "one.json"](const Controllers& to) { to.reading.open(path); });
  EXPECT_NE(app_.message().find("steps is []"), std::string::npos) << app_.message();
  EXPECT_EQ(lesson().lesson->id, "two") << "what was open stays";
}

// Every step of every lesson is drawn, its question revealed, its text without a mistake.
TEST_F(Lessons, AreWalkedThroughFromTheFirstStepToTheLast) {
  for (const std::shared_ptr<const Lesson>& each : shipped_lessons()) {
    open_lesson(app_.session().queue(), each->id);
    for (std::size_t step = 0; step < each->steps.size(); ++step) {
      SCOPED_TRACE(each->id + ": " + each->steps[step].id);
      go_to(step);
      ASSERT_TRUE(lesson().numbers);
      EXPECT_FALSE(lesson().is_changed);
      EXPECT_EQ(app_.text().find("steps["), std::string::npos) << app_.text();
      if (!lesson().question()) continue;
      app_.call([](const Controllers& to) { to.lessons.answer(); });
      EXPECT_TRUE(lesson().verdict && !lesson().verdict->is_right) << "nothing was answered yet";
      app_.call([](const Controllers& to) { to.lessons.reveal(); });
      EXPECT_TRUE(lesson().record().is_revealed);
      EXPECT_TRUE(app_.message().empty()) << app_.message();
    }
  }
}

}  // namespace
}  // namespace attnscope::test

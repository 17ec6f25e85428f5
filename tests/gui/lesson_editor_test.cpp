// Lessons that are made by clicking, in the window.

#include <algorithm>

#include "compute/computation.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/film/film_controller.h"
#include "features/lessons/handout.h"
#include "features/lessons/lesson_controller.h"
#include "features/lessons/lesson_editor.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "headless_app.h"
#include "session/ui_state.h"
#include "support.h"
#include "teach/film.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

class LessonEditing : public testing::Test {
protected:
  LessonEditing() { app_.settle(); }
  void begin() {
    app_.click("menu/learn");
    app_.click("menu/learn/lessons");
    app_.click("menu/learn/new_lesson");
  }
  const LessonDraft& draft() { return *app_.session().shown().draft; }

  HeadlessApp app_{notebook_document(), {1440, 900}};
};

TEST_F(LessonEditing, ALessonIsMadeTriedAndClosed) {
  const Document before = app_.document();
  begin();
  app_.replace_text("editor/title", "Heads");
  app_.replace_text("editor/step_title", "First");
  app_.click("editor/text");
  app_.type("One paragraph that is long enough to need another line in a narrow column of the window.");
  app_.press_key(keys::named(ImGuiKey_Enter));
  app_.type("Two.");
  EXPECT_EQ(draft().current().text.markdown,
            "One paragraph that is long enough to need another line in a narrow column of the window.\n\nTwo.");
  app_.click("editor/ask/choose");
  app_.replace_text("editor/choice/0/text", "yes");
  EXPECT_EQ(draft().current().question->choices[0].text.markdown, "yes");
  app_.click("editor/choice/1/right");
  EXPECT_EQ(draft().current().question->right, 1U);

  app_.click("editor/tab/setup");
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  app_.click("editor/tab/lesson");
  app_.click("editor/add");
  EXPECT_EQ(draft().step, 1U);
  EXPECT_EQ(draft().current().document->config.seed, 7U);
  app_.click("editor/step/0");
  app_.settle();
  EXPECT_EQ(app_.config().seed, before.config.seed);

  app_.click("editor/try");
  app_.settle();
  EXPECT_TRUE(app_.shows("lesson/title"));
  EXPECT_FALSE(app_.shows("editor/title"));
  app_.click("lesson/close");
  app_.settle();
  EXPECT_TRUE(app_.shows("editor/title"));
  app_.click("editor/close");
  app_.click("dialog/yes");
  EXPECT_FALSE(app_.session().shown().draft);
  EXPECT_EQ(app_.document(), before);
}

TEST_F(LessonEditing, EscapeLeavesAFieldAsItIsTyped) {
  begin();
  for (const auto& [field, text] :
       {std::pair("editor/text", "What was typed."), std::pair("editor/step_title", "Title")}) {
    app_.click(field);
    app_.type(text);
    app_.press_key(keys::named(ImGuiKey_Escape));
    EXPECT_FALSE(ImGui::GetIO().WantTextInput) << field;
  }
  EXPECT_EQ(draft().current().text.markdown, "What was typed.");
  EXPECT_NE(draft().current().title.markdown.find("Title"), std::string::npos);
}

TEST_F(LessonEditing, IsSavedByItsKeyWhileTextIsTyped) {
  begin();
  app_.click("editor/text");
  app_.type("Text.");
  app_.press_control('S');
  EXPECT_NE(app_.session().shown().dialog.kind, DialogState::Kind::none) << "it asks for a name";
}

TEST_F(LessonEditing, F11PresentsTheLessonThatIsMade) {
  begin();
  app_.click("editor/copy");
  app_.press_key(keys::function(11));
  app_.settle();
  ASSERT_TRUE(app_.view().transient.presenting);
  ASSERT_TRUE(app_.session().shown().lesson.lesson);
  EXPECT_EQ(app_.session().shown().lesson.step, 1U) << "the chosen step";
  EXPECT_TRUE(app_.shows("lesson/title"));
  EXPECT_FALSE(app_.shows("editor/title"));
  app_.press_key(keys::named(ImGuiKey_LeftArrow));
  app_.settle();
  EXPECT_EQ(app_.session().shown().lesson.step, 0U);
  app_.press_key(keys::named(ImGuiKey_Escape));
  app_.settle();
  EXPECT_FALSE(app_.view().transient.presenting);
  EXPECT_TRUE(app_.shows("editor/title"));
}

// It plays on before the audience; ← goes back by a scene, and at the first one to the step before.
TEST_F(LessonEditing, AFilmThatPlaysIsPresented) {
  const Lesson lesson = parse_lesson(R"({"id": "film", "title": "Film", "steps": [
    {"id": "a", "title": "A", "text": "", "document": "example:simple_self_attention"},
    {"id": "b", "title": "B", "text": "", "document": "example:notebook",
     "show": {"layout": "diagram", "pin": "weights[0,0,2,1]", "film": true}}]})");
  app_.call([lesson](const Controllers& to) {
    to.lessons.open({std::make_shared<const Lesson>(lesson)});
    to.lessons.go_to_step(1);
  });
  app_.settle();
  app_.press_key(keys::function(11));
  app_.settle();
  const FilmShown& film = app_.session().shown().film;
  ASSERT_TRUE(film.is_open());
  app_.call([](const Controllers& to) { to.films.go_to_end(); });
  const std::size_t last = film.film->scenes.size() - 1;
  ASSERT_EQ(film.watching->scene, last);
  app_.press_key(keys::named(ImGuiKey_LeftArrow));
  EXPECT_EQ(app_.session().shown().lesson.step, 1U);
  EXPECT_EQ(film.watching->scene, last - 1);
  app_.call([](const Controllers& to) { to.films.go_to(0, 1); });
  app_.press_key(keys::named(ImGuiKey_LeftArrow));
  app_.settle();
  EXPECT_EQ(app_.session().shown().lesson.step, 0U);
  EXPECT_TRUE(app_.view().transient.keys_lead) << "also with another document the pointer stays at rest";
  app_.press_key(keys::named(ImGuiKey_RightArrow));
  app_.settle();
  app_.press_key(keys::named(ImGuiKey_Escape));
  app_.settle();
  EXPECT_FALSE(film.watching);
  EXPECT_TRUE(app_.view().transient.presenting) << "the film leads back to its step";
  app_.press_key(keys::named(ImGuiKey_Escape));
  app_.settle();
  EXPECT_FALSE(app_.view().transient.presenting);
  EXPECT_TRUE(app_.shows("lesson/title")) << "it did not begin in the editor";
}

// What is typed goes on behind the number that a button puts into the text.
TEST_F(LessonEditing, TypingGoesOnBehindAnInsertedNumber) {
  edit_document(app_.session().queue(), {"a pair", [](Document& document) {
                                           document.compared = std::make_shared<const Document>(document);
                                           document.config.seed = 7;
                                         }});
  app_.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .row = 2, .col = 1}; });
  app_.settle();
  begin();
  app_.click("editor/text");
  app_.type("It is");
  app_.click("editor/number");
  app_.type(" now, and it was");
  app_.click("editor/number/a");
  app_.type(" before.");
  EXPECT_EQ(draft().current().text.markdown,
            "It is {{weights[0,0,2,1]:.2f}} now, and it was {{A(weights[0,0,2,1]):.2f}} before.");
}

// Also in choices, replies and what is asked; a field shows all of its text.
TEST_F(LessonEditing, EveryTextOfAQuestionTakesThePinnedNumber) {
  app_.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .row = 2, .col = 1}; });
  app_.settle();
  begin();
  app_.click("editor/ask/choose");
  const char* const fields[] = {"editor/question", "editor/choice/0/text", "editor/choice/1/text",
                                "editor/choice/1/why"};
  for (const std::string field : fields) {
    app_.click(field);
    app_.type("It is");
    app_.click(field + "/number");
    app_.type(", which is the share of a word that stands beside it.");
  }
  const std::string expected = "It is {{weights[0,0,2,1]:.2f}}, which is the share of a word that stands beside it.";
  const Question& question = *draft().current().question;
  EXPECT_EQ(question.ask.markdown, expected);
  EXPECT_EQ(question.choices[0].text.markdown, expected);
  EXPECT_EQ(question.choices[1].text.markdown, expected);
  EXPECT_EQ(question.choices[1].why.markdown, expected);
  const auto height = [this](const std::string& field) {
    return app_.widget(field).max_screen.y - app_.widget(field).min_screen.y;
  };
  app_.click("editor/add_choice");
  EXPECT_GT(height("editor/choice/0/text"), 1.8F * height("editor/choice/2/text"));
}

// Also of a formula that is no number of a stage.
TEST_F(LessonEditing, TheNumberOfAnAnswerIsShown) {
  begin();
  app_.call([](const Controllers& to) {
    to.lesson_editor.ask(Question::Kind::number);
    to.lesson_editor.edit_step("the answer", [](LessonStep& step) { step.question->answer = "2 * document.tokens"; });
  });
  EXPECT_EQ(draft().answer, "2 × the number of tokens: 12.0000");
  app_.call([](const Controllers& to) {
    to.lesson_editor.edit_step("the answer", [](LessonStep& step) { step.question->answer = "2 * "; });
  });
  EXPECT_NE(draft().answer.find("is not a formula"), std::string::npos) << draft().answer;
}

// What was said of a step is no longer there when another one is shown.
TEST_F(LessonEditing, AnotherStepEndsWhatWasSaidOfTheLastOne) {
  begin();
  app_.click("editor/copy");
  app_.call([](const Controllers& to) { to.messages.say("This is an example."); });
  EXPECT_EQ(app_.message(), "This is an example.");
  app_.click("editor/step/0");
  EXPECT_EQ(app_.message(), "");
}

class LessonsOfModels : public testing::Test {
protected:
  LessonsOfModels() {
    app_.change_view([](ViewState& view) { view.mode = ViewMode::model; });
    app_.settle();
  }
  void switch_off(Index layer, Index head) {
    app_.edit({"off", [=](Document& document) { set_head_off(document, layer, head, true); }});
  }
  void begin() {
    app_.call([](const Controllers& to) { to.lesson_editor.begin(); });
  }
  void look_at(LayerPicture head) {
    app_.change_view([head](ViewState& view) {
      view.transient.picture = head;
      view.transient.keys_lead = true;
    });
  }
  const LessonDraft& draft() { return *app_.session().shown().draft; }
  // Returns the steps as they are in the lesson's file.
  std::vector<LessonStep> saved_steps() { return parse_lesson(lesson_to_json(draft().lesson)).steps; }
  static std::vector<std::pair<Index, Index>> off_in(const Document& document) {
    std::vector<std::pair<Index, Index>> off;
    for (const LayerPicture& head : heads_off_in(document.config)) off.emplace_back(head.layer, head.head);
    return off;
  }
  static Index layer_of(const Document& document) { return std::get<ModelInputs>(document.config.inputs).layer; }
  using Heads = std::vector<std::pair<Index, Index>>;

  HeadlessApp app_{parse_document(R"({"model": "example:stories", "text": "Mia puts the ball in the box ."})"),
                   {1440, 900}};
};

// The head of a model that is switched off is the one that its step is about, whatever layer the document shows.
TEST_F(LessonsOfModels, AStepIsAboutTheHeadThatWasSwitchedOff) {
  begin();
  switch_off(2, 0);
  app_.click("editor/add");
  app_.settle();
  const LessonStep& step = draft().current();
  EXPECT_EQ(layer_of(*step.document), 2);
  EXPECT_EQ(step.view.head, 0);
  EXPECT_FALSE(app_.enables("editor/take")) << "the step is on the screen";
  EXPECT_NE(app_.text().find("layer 3, head 1 · off: layer 3, head 1"), std::string::npos) << app_.text();
}

// What the editor shows is what a student gets.
TEST_F(LessonsOfModels, HeadsThatAreOffAreSavedWithTheirLayers) {
  begin();
  switch_off(2, 0);
  app_.click("editor/add");
  app_.settle();
  switch_off(1, 3);
  look_at({.layer = 1, .head = 3});
  app_.click("editor/add");
  app_.settle();
  const std::vector<LessonStep> saved = saved_steps();
  ASSERT_EQ(saved.size(), 3U);
  EXPECT_EQ(off_in(*saved[1].document), (Heads{{2, 0}}));
  EXPECT_EQ(off_in(*saved[2].document), (Heads{{1, 3}, {2, 0}}));
  for (std::size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(*saved[i].document, *draft().lesson.steps[i].document) << i;
    EXPECT_EQ(saved[i].view, draft().lesson.steps[i].view) << i;
  }
}

// Formulas compare a cell with the same cell of A, so both sides show the layer of the head.
TEST_F(LessonsOfModels, BothSidesOfAPairShowTheLayerOfTheHead) {
  app_.press_key(keys::letter('K'));
  app_.settle();
  ASSERT_TRUE(app_.session().shown().compared);
  switch_off(2, 0);
  begin();
  const std::vector<LessonStep> saved = saved_steps();
  ASSERT_TRUE(saved[0].document->compared);
  EXPECT_EQ(layer_of(*saved[0].document), 2);
  EXPECT_EQ(layer_of(*saved[0].document->compared), 2);
  EXPECT_EQ(off_in(*saved[0].document), (Heads{{2, 0}}));
  EXPECT_EQ(off_in(*saved[0].document->compared), Heads{});
  EXPECT_EQ(*saved[0].document, *draft().current().document);
}

// Where Model is on the screen no cell can be pinned: a next word is what a lesson asks for.
TEST_F(LessonsOfModels, TheChanceOfANextWordIsANumber) {
  begin();
  const auto word = [this](std::size_t place) {
    const Document& document = *draft().current().document;
    return document.model->shown(app_.session().shown().model.run->next.likeliest[place]);
  };
  EXPECT_NE(app_.text().find("+ chance of “" + word(0) + "”"), std::string::npos) << app_.text();
  app_.click("editor/number");
  EXPECT_EQ(draft().current().text.markdown, "{{100 * chance(" + word(0) + "):.1f}} %");
  app_.click("editor/ask/number");
  EXPECT_EQ(draft().current().question->answer, "chance(" + word(0) + ")");
  app_.click(fmt::format("model/next/{}", app_.session().shown().model.run->next.likeliest[1]));
  app_.settle();
  app_.click("editor/take_answer");
  app_.settle();
  EXPECT_EQ(draft().current().question->answer, "chance(" + word(1) + ")");
  app_.click("editor/ask/cell");
  app_.settle();
  const std::optional<Source> asked = cell_named(draft().current().question->answer);
  ASSERT_TRUE(asked);
  const Result result = evaluate(draft().current().document->config);
  EXPECT_GT(value_at(result, *asked), 0.2F) << "a weight that tells something";
}

// The word that was likely before a head was switched off is the one that is spoken of.
TEST_F(LessonsOfModels, TheChanceIsThatOfTheFollowedWord) {
  app_.edit({"text", [](Document& document) {
               set_text(document,
                        "Mia puts the ball in the box and Tom puts the lamp in "
                        "the bag . Now she looks for the ball in the");
             }});
  begin();
  switch_off(2, 0);
  const auto& run = *app_.session().shown().model.run;
  EXPECT_NE(app_.document().model->shown(run.next.likeliest.front()), "box");
  EXPECT_EQ(chance_on_screen(app_.session().shown()), "chance(box)");
}

// The pointer rests on the next step, which must not move away.
TEST_F(LessonEditing, StepsStayInTheirPlacesBesideAPair) {
  begin();
  app_.edit({"a pair", [](Document& document) {
               document.compared = std::make_shared<const Document>(document);
               document.config.seed = 7;
             }});
  app_.click("editor/add");
  app_.settle();
  const float place = app_.widget("editor/step/0").min_screen.y;
  for (const int step : {0, 1}) {
    app_.click(fmt::format("editor/step/{}", step));
    app_.settle();
    EXPECT_EQ(app_.session().shown().is_comparing(), step == 1);
    EXPECT_EQ(app_.widget("editor/step/0").min_screen.y, place);
  }
  EXPECT_LT(app_.widget("setup").min_screen.y, app_.widget("compare/now").min_screen.y) << "beside what is compared";
  EXPECT_LT(app_.widget("setup").max_screen.x, app_.widget("compare/before").min_screen.x);
}

TEST_F(LessonEditing, ALessonIsSavedBeforeItIsClosed) {
  const TemporaryFolder folder;
  begin();
  app_.click("editor/copy");
  app_.click("editor/close");
  app_.click("dialog/answer/0");
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::save_lesson) << "it has no name";
  app_.click("dialog/cancel");
  app_.call([file = folder / "a.lesson.json"](const Controllers& to) { to.lesson_editor.save(file); });
  EXPECT_TRUE(app_.session().shown().draft) << "another save is no close";
  app_.click("editor/copy");
  app_.click("editor/close");
  app_.click("dialog/answer/0");
  EXPECT_FALSE(app_.session().shown().draft);
  EXPECT_EQ(load_lesson(folder / "a.lesson.json").steps.size(), 3U);
}

// Underlined it would look like a link.
TEST_F(LessonEditing, EmphasisIsDrawnAsStrongLetters) {
  const auto corners_of = [this](const std::string& text) {
    const Lesson lesson = parse_lesson(R"({"id": "a", "title": "A", "steps": [
      {"id": "a", "title": "A", "text": ")" +
                                       text + R"(", "document": "example:notebook"}]})");
    app_.call([lesson](const Controllers& to) { to.lessons.open({std::make_shared<const Lesson>(lesson)}); });
    app_.move_away();
    app_.settle();
    return ImGui::GetDrawData()->TotalVtxCount;
  };
  const int without = corners_of("a one");
  const int strong = corners_of("a **causal** one");
  EXPECT_GT(strong, without);
  EXPECT_EQ(corners_of("a *causal* one"), strong);
}

// The rest of the text can be read, and the other choices can be chosen.
TEST_F(LessonEditing, AWrongFormulaStandsInItsPlaceWhenALessonIsTried) {
  begin();
  app_.call([](const Controllers& to) {
    to.lesson_editor.ask(Question::Kind::choose);
    to.lesson_editor.edit_step("texts", [](LessonStep& step) {
      step.text.markdown = "The rows sum to {{sum(weights[0,0,1]):.1f}}, not to {{weights[7]}}.";
      step.question->choices = {{{"", "one {{wights}}"}, {"", ""}}, {{"", "two"}, {"", "No."}}};
    });
    to.lesson_editor.try_out();
  });
  const LessonTexts& texts = app_.session().shown().lesson.texts;
  std::string text;
  for (const TextSpan& span : texts.text.front().spans) text += span.text;
  EXPECT_TRUE(text.starts_with("The rows sum to 1.0, not to [weights has the shape ")) << text;
  ASSERT_EQ(texts.choices.size(), 2U);
  EXPECT_TRUE(texts.choices[0].starts_with("one [")) << texts.choices[0];
}

TEST_F(LessonEditing, AStepIsDraggedToItsPlace) {
  begin();
  app_.call([](const Controllers& to) {
    for (const char* const title : {"A", "B", "C"}) {
      to.lesson_editor.edit_step("the title", [&](LessonStep& step) { step.title.markdown = title; });
      if (title != std::string_view("C")) to.lesson_editor.add_screen();
    }
  });
  app_.move_to("editor/step/0");
  app_.press();
  app_.move_to("editor/step/1");
  app_.move_to("editor/step/2");
  app_.release();
  std::string titles;
  for (const LessonStep& step : draft().lesson.steps) titles += step.title.markdown;
  EXPECT_EQ(titles, "BCA");
  EXPECT_EQ(draft().step, 2U) << "the moved step is chosen";
}

// Otherwise one click would put what another step shows into the chosen one.
TEST_F(LessonEditing, TheScreenShowsTheChosenStepAfterMovingAndUndoing) {
  begin();
  app_.session().push([](const Controllers& to) { to.lesson_editor.copy_step(); });
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  app_.click("editor/add");
  app_.click("editor/step/0");
  app_.settle();
  const auto expect_chosen = [this](std::size_t step) {
    app_.settle();
    EXPECT_EQ(draft().step, step);
    EXPECT_EQ(app_.document(), *draft().current().document);
    EXPECT_FALSE(app_.enables("editor/take"));
  };
  app_.move_to("editor/step/2");
  app_.press();
  app_.move_to("editor/step/1");
  app_.release();
  expect_chosen(1);
  EXPECT_EQ(app_.config().seed, 7U);
  app_.click("editor/up");
  expect_chosen(0);
  app_.press_control('Z');
  expect_chosen(1);
  app_.press_control('Z');
  expect_chosen(2);
  EXPECT_EQ(app_.config().seed, 7U);
  app_.press_control('Z', true);
  app_.settle();
  EXPECT_EQ(app_.document(), *draft().current().document);
}

// A lesson that is again as it was saved can be closed without a question.
TEST_F(LessonEditing, AMoveThatIsTakenBackIsNoChange) {
  begin();
  app_.session().push([](const Controllers& to) {
    to.lesson_editor.copy_step();
    to.lesson_editor.copy_step();
  });
  const TemporaryFolder folder;
  app_.call([&](const Controllers& to) { to.lesson_editor.save(folder.path() / "a.lesson.json"); });
  ASSERT_FALSE(draft().is_modified);
  app_.call([](const Controllers& to) {
    to.lesson_editor.choose(0);
    to.lesson_editor.move_step(2, 1);
  });
  EXPECT_TRUE(draft().is_modified);
  EXPECT_EQ(draft().step, 1U);
  app_.press_control('Z');
  app_.settle();
  EXPECT_FALSE(draft().is_modified);
  EXPECT_EQ(draft().step, 2U) << "the moved step stays chosen";
}

TEST_F(LessonEditing, TheChosenStepComesIntoSight) {
  begin();
  app_.call([](const Controllers& to) {
    for (int i = 0; i < 11; ++i) to.lesson_editor.copy_step();
    to.lesson_editor.choose(0);
  });
  const auto is_in_sight = [this](const std::string& name) {
    const WidgetRegistry::Entry& step = app_.widget(name);
    return step.min_screen.y > app_.widget("editor/hand_out").max_screen.y &&
           step.max_screen.y < app_.widget("editor/add").min_screen.y;
  };
  EXPECT_FALSE(is_in_sight("editor/step/11"));
  app_.call([](const Controllers& to) { to.lesson_editor.choose(11); });
  EXPECT_TRUE(is_in_sight("editor/step/11"));
  EXPECT_FALSE(is_in_sight("editor/step/0"));
}

TEST_F(LessonEditing, AnyLessonIsHandedOutWithoutOpeningIt) {
  const TemporaryFolder folder;
  app_.call([path = folder.path()](const Controllers& to) { to.lessons.hand_out("gpt2", path); });
  EXPECT_TRUE(text_of(folder / "attnscope-gpt2-handout.pdf").starts_with("%PDF-"));
  EXPECT_NE(app_.message().find("attnscope-gpt2-handout.pdf"), std::string::npos) << app_.message();
  EXPECT_FALSE(app_.session().shown().lesson.lesson);
  app_.click("menu/learn");
  app_.click("menu/learn/lessons");
  app_.click("menu/learn/lessons/handouts");
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons())
    EXPECT_TRUE(app_.shows("menu/learn/lessons/handouts/" + lesson->id));
}

// A copy for students does not replace that of the lecturer.
TEST_F(LessonEditing, AHandoutForStudentsLacksTheAnswers) {
  const TemporaryFolder folder;
  app_.session().push([](const Controllers& to) { to.lesson_editor.begin_with(shipped_lesson("mask")); });
  app_.call([path = folder / "own.lesson.json"](const Controllers& to) { to.lesson_editor.save(path); });
  const auto pages_of = [&](const std::string& name) {
    const std::string text = (folder / "text").string();
    EXPECT_EQ(std::system(fmt::format("pdftotext '{}' '{}'", (folder / name).string(), text).c_str()), 0);
    return text_of(text);
  };
  app_.click("editor/hand_out");
  app_.settle();
  EXPECT_NE(pages_of("own.pdf").find("Answers: "), std::string::npos);
  app_.click("editor/handout_answers");
  app_.click("editor/hand_out");
  app_.settle();
  EXPECT_NE(pages_of("own.pdf").find("Answers: "), std::string::npos) << "the lecturer's copy";
  EXPECT_EQ(pages_of("own-without-answers.pdf").find("Answers: "), std::string::npos);
  app_.call([path = folder.path()](const Controllers& to) { to.lessons.hand_out("mask", path); });
  EXPECT_EQ(pages_of("attnscope-mask-handout-without-answers.pdf").find("Answers: "), std::string::npos);
}

TEST_F(LessonEditing, ControlZTakesBackTheLastEditOfTheLesson) {
  begin();
  app_.click("editor/copy");
  EXPECT_EQ(draft().lesson.steps.size(), 2U);
  app_.move_away();
  app_.press_control('Z');
  EXPECT_EQ(draft().lesson.steps.size(), 1U);
  app_.press_control('Z', true);
  EXPECT_EQ(draft().lesson.steps.size(), 2U);
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  app_.press_control('Z');
  EXPECT_EQ(draft().lesson.steps.size(), 2U);
  EXPECT_NE(app_.config().seed, 7U);
}

// It is offered at the next start, and the editor says that it was not saved.
TEST(LessonDrafts, ThatAreNotSavedSurviveTheEndOfTheProgram) {
  const TemporaryFolder folder;
  auto first = std::make_unique<Session>(default_document(), ViewState{});
  first->keep_state_in(folder / "state", 4711);
  first->push([](const Controllers& to) {
    to.lesson_editor.begin();
    to.lesson_editor.edit("the title", [](Lesson& lesson) { lesson.title = "Heads"; });
    to.lesson_editor.copy_step();
    to.files.quit();
  });
  first->run_calls();
  EXPECT_TRUE(first->quit_requested()) << "nothing is lost, so nothing is asked";
  first.reset();

  Session next(default_document(), ViewState{});
  next.keep_state_in(folder / "state", 4712);
  ASSERT_EQ(next.shown().lost.size(), 1U);
  EXPECT_TRUE(next.shown().lost.front().is_lesson);
  next.push([kept_in = next.shown().lost.front().kept_in](const Controllers& to) { to.files.restore_lost(kept_in); });
  next.run_calls();
  next.wait_for_evaluation();
  ASSERT_TRUE(next.shown().draft);
  EXPECT_EQ(next.shown().draft->lesson.title, "Heads");
  EXPECT_EQ(next.shown().draft->lesson.steps.size(), 2U);
  EXPECT_TRUE(next.shown().draft->is_restored);
  EXPECT_TRUE(next.shown().draft->is_modified);
  EXPECT_TRUE(next.shown().lost.empty());

  next.push([file = folder / "heads.lesson.json"](const Controllers& to) { to.lesson_editor.save(file); });
  next.run_calls();
  EXPECT_FALSE(next.shown().draft->is_restored);
  next.push([](const Controllers& to) { to.files.quit(); });
  next.run_calls();
  EXPECT_TRUE(next.quit_requested());
  Session last(default_document(), ViewState{});
  last.keep_state_in(folder / "state", 4713);
  EXPECT_TRUE(last.shown().lost.empty()) << "it was saved";
}

TEST_F(LessonEditing, QuittingAsksForALessonThatCanNotBeKept) {
  begin();
  app_.click("editor/copy");
  app_.call([](const Controllers& to) { to.files.quit(); });
  EXPECT_FALSE(app_.session().quit_requested());
  app_.click("dialog/yes");
  EXPECT_TRUE(app_.session().quit_requested());
}

TEST_F(LessonEditing, AnOpenLessonIsEdited) {
  app_.open_lesson("mask");
  app_.click("menu/learn");
  app_.click("menu/learn/lessons");
  app_.click("menu/learn/edit_lesson");
  app_.settle();
  EXPECT_EQ(draft().lesson.id, "mask");
  EXPECT_EQ(app_.document(), *draft().current().document);
  for (std::size_t i = 0; i < draft().lesson.steps.size(); ++i) {
    app_.call([i](const Controllers& to) { to.lesson_editor.choose(i); });
    app_.settle();
    EXPECT_EQ(app_.document(), *draft().lesson.steps[i].document);
    EXPECT_FALSE(app_.enables("editor/take")) << i;
  }
}

// What is left to do is said in the words of the screen, and leads to its step.
TEST_F(LessonEditing, ChecksWhatIsLeftToDo) {
  begin();
  app_.replace_text("editor/title", "Heads");
  app_.click("editor/ask/choose");
  app_.click("editor/add");
  app_.click("editor/check");
  app_.move_away();  // its tooltip
  EXPECT_NE(app_.text().find("Step 1: the question is empty."), std::string::npos) << app_.text();
  EXPECT_NE(app_.text().find("Step 1: choice 2 is wrong, but its reply is empty."), std::string::npos) << app_.text();
  EXPECT_NE(app_.text().find("Step 2: its title is empty."), std::string::npos) << app_.text();
  EXPECT_EQ(draft().step, 1U);
  app_.click("editor/left/0");
  EXPECT_EQ(draft().step, 0U);
}

// Who checks while a field at the end of a step is in sight reads what is left, which stands at the step's top.
TEST_F(LessonEditing, WhatACheckSaysComesIntoSight) {
  begin();
  app_.click("editor/ask/choose");
  for (int choice = 0; choice < 4; ++choice) app_.click("editor/add_choice");
  app_.frames(2);
  app_.move_to("editor/question");
  app_.scroll(-30);
  const auto is_in_sight = [&](const std::string& name) {
    const WidgetRegistry::Entry& entry = app_.widget(name);
    return entry.min_screen.y >= app_.widget("editor/add").max_screen.y;
  };
  ASSERT_FALSE(is_in_sight("editor/step_title"));
  app_.click("editor/check");
  EXPECT_TRUE(is_in_sight("editor/left/0"));
  app_.move_to("editor/left/3");
  app_.scroll(-30);
  ASSERT_FALSE(is_in_sight("editor/left/0"));
  app_.click("editor/check");
  EXPECT_TRUE(is_in_sight("editor/left/0")) << "also the second time";
}

// The inputs have no heads, though a click on them is one beside the shown head.
TEST_F(LessonEditing, TakesAPinnedInputWhileAnotherHeadIsShown) {
  app_.change_view([](ViewState& view) {
    view.head = 1;
    view.pinned = Source{.stage = Stage::inputs, .head = 1, .row = 1, .col = 1};
  });
  app_.frames(2);
  begin();
  EXPECT_EQ(draft().current().view.pinned, (Source{.stage = Stage::inputs, .row = 1, .col = 1}));
  EXPECT_FALSE(app_.enables("editor/take")) << "the step is on the screen";
  app_.click("editor/number");
  EXPECT_EQ(draft().current().text.markdown, "{{inputs[0,1,1]:.2f}}");
}

TEST_F(LessonEditing, AGoalSaysInWordsWhatStudentsDo) {
  app_.change_view([](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .row = 2, .col = 1}; });
  app_.frames(2);
  begin();
  app_.click("editor/ask/reach");
  app_.settle();
  const std::string words =
      "the attention weight of key ?journey? for query ?starts? of head 1 is";  // as the font has it
  const auto says = [&](const std::string& part) {
    std::string text;
    for (const std::string& line : app_.texts_in("editor/answer")) text += (text.empty() ? "" : " ") + line;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says("Change the document until " + words + " as students are to make it");
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  says("until " + words);
  app_.click("editor/take_goal");
  app_.settle();
  says(fmt::format("Students change the document until {} {:g}.", words, draft().current().question->to));
}

// A step that plays a film begins it once its numbers are there; the next step ends it.
TEST_F(LessonEditing, AFilmPlaysInItsStep) {
  const Lesson lesson = parse_lesson(R"({"id": "film", "title": "Film", "steps": [
    {"id": "a", "title": "A", "text": "", "document": "example:notebook", "show": {"pin": "weights[0,0,2,1]", "film": true}},
    {"id": "b", "title": "B", "text": ""}]})");
  app_.call([lesson](const Controllers& to) { to.lessons.open({std::make_shared<const Lesson>(lesson)}); });
  app_.settle();
  ASSERT_TRUE(app_.session().shown().film.watching);
  EXPECT_EQ(app_.session().shown().film.watching->cell, (Source{.stage = Stage::weights, .row = 2, .col = 1}));
  app_.call([](const Controllers& to) { to.lessons.go_to_step(1); });
  app_.settle();
  EXPECT_FALSE(app_.session().shown().film.watching);
}

// What a step holds is not lost where another document takes its place, also while its film plays.
TEST_F(LessonEditing, ADocumentThatAStepHoldsIsLeftWithoutAsking) {
  const auto put_aside = [&] { app_.call([](const Controllers& to) { to.reading.new_document(); }); };
  const auto edit = [&](std::uint64_t seed) {
    app_.edit({"seed", [seed](Document& document) { document.config.seed = seed; }});
  };
  begin();
  edit(7);
  app_.call([](const Controllers& to) {
    to.films.watch({.stage = Stage::weights, .row = 2, .col = 1});
    to.lesson_editor.add_screen();
  });
  app_.settle();
  ASSERT_TRUE(app_.session().shown().film.watching);
  put_aside();
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_NE(app_.config().seed, 7U);
  edit(8);
  put_aside();
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::unsaved) << "no step has these numbers";
}

TEST_F(LessonEditing, AChosenStepPlaysItsFilmAndTheNextOneEndsIt) {
  begin();
  app_.call([](const Controllers& to) {
    to.lesson_editor.copy_step();
    to.lesson_editor.edit_step("a film", [](LessonStep& step) {
      step.view.pinned = Source{.stage = Stage::weights, .row = 2, .col = 1};
      step.view.film = true;
    });
    to.lesson_editor.choose(1);
  });
  app_.settle();
  EXPECT_TRUE(app_.session().shown().film.watching);
  EXPECT_FALSE(app_.enables("editor/take"));
  app_.click("editor/step/0");
  EXPECT_FALSE(app_.session().shown().film.watching);
}

TEST(Handouts, SayNothingThatOnlyTheWindowCanDo) {
  EXPECT_EQ(words_on_paper("Which is the largest? Click it."), "Which is the largest? Mark it.");
  EXPECT_EQ(words_on_paper("Drag the bars: what is the row?"), "Draw the bars: what is the row?");
  EXPECT_EQ(words_on_paper("Switch head 1 off: press H. It is 0.5. Then drag a number!"),
            "Switch head 1 off. It is 0.5.");
  EXPECT_EQ(words_on_paper("Double-click a cell to hide it."), "");
  EXPECT_EQ(words_on_paper("Batch 1 of 2, above the picture, switches between them."), "");
  EXPECT_EQ(words_on_paper("On the screen nothing is hidden yet."), "Here nothing is hidden yet.");
  EXPECT_EQ(words_on_paper("Mark the key that gets the most."), "Mark the key that gets the most.");
  EXPECT_EQ(words_on_paper("Softmax runs over keys."), "Softmax runs over keys.");
  EXPECT_EQ(words_on_paper("It is 2. The screen shows it."), "It is 2. The picture shows it.");
  EXPECT_EQ(words_on_paper("It is 2. The screen shows it.", false), "It is 2.");
  EXPECT_EQ(words_on_paper("Press W or *Watch*. Press Space to go on. Press play. It is 2."), "It is 2.");
  EXPECT_EQ(words_on_paper("Click this cell."), "Mark this cell.");
}

// Only what names a key or a control is about the window.
TEST(Handouts, LeaveTheAuthorsSentencesAsTheyAre) {
  for (const char* const sentence :
       {"Drag yourself out of bed.", "Press your neighbour for an answer.", "Click twice with your tongue.",
        "Play shows what a role is.", "Try it: add the three numbers.", "Press on with the next line."})
    EXPECT_EQ(words_on_paper(sentence), sentence);
}

TEST(Handouts, SayWhichSentencesTheyLeaveOut) {
  const Lesson lesson = parse_lesson(R"({"id": "a", "title": "A", "steps": [
    {"id": "a", "title": "A", "text": "It is 2. Press W. Drag yourself out of bed.", "document": "example:notebook"}]})");
  EXPECT_EQ(left_out_on_paper(lesson), std::vector<std::string>{"Step 1: the handout leaves out “Press W.”"});
}

TEST(LinesOfATextField, AreBrokenWithoutMovingALetter) {
  std::string text = "one\ntwo\n\n```\na = 1\nb = 2\n```\n\nthree";
  EXPECT_EQ(without_line_breaks(text), "one two\n\n```\na = 1\nb = 2\n```\n\nthree");
}

}  // namespace
}  // namespace attnscope::test

// The document before an audience: what is shown, what is not there yet, and the keys of a presenter's remote.

#include "document/builtin.h"
#include "document/edit.h"
#include "features/film/film_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "support.h"
#include "teach/film.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

class PresentingApp : public testing::Test {
protected:
  PresentingApp() {
    app_.settle();
    app_.change_view([](ViewState& view) { view.reduces_motion = true; });  // each scene is one picture
    begin();
  }
  void begin() { app_.press_key(keys::function(11)); }
  void press(ImGuiKey key, int times = 1) {
    for (int time = 0; time < times; ++time) {
      app_.press_key(keys::named(key));
      app_.settle();
    }
  }
  // Past the scenes of the next stage.
  void next_stage() {
    press(ImGuiKey_RightArrow);
    for (int scene = 0; film().watching && scene < most_steps; ++scene) press(ImGuiKey_RightArrow);
  }
  const FilmShown& film() { return app_.session().shown().film; }
  void press_letter(char letter) { app_.press_key(keys::letter(letter)); }
  static constexpr int most_steps = 40;
  const Presenting& presenting() const { return app_.view().transient.presenting.value(); }
  // The matrices that are drawn as results.
  bool has_come(Stage stage) const { return app_.shows("stages/" + std::string(info(stage).id)); }

  HeadlessApp app_{notebook_document(), {1280, 720}};
};

TEST_F(PresentingApp, ShowsThePictureAloneAndEndsWithEscape) {
  EXPECT_FALSE(app_.shows("menu/file"));
  EXPECT_FALSE(app_.shows("setup"));
  EXPECT_FALSE(app_.shows("inspector"));
  EXPECT_TRUE(app_.shows("presenting/line"));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app_.view().transient.presenting);
  EXPECT_TRUE(app_.shows("menu/file"));
  EXPECT_TRUE(app_.shows("setup"));
}

// A pointer that was left on the picture would cover what the audience is to see.
TEST_F(PresentingApp, ShowsNoTooltipAfterAKeyUntilThePointerMoves) {
  press(ImGuiKey_End);
  app_.hover_cell(Stage::weights, 4, 3);
  EXPECT_TRUE(shows_tooltip());
  press_letter('H');
  EXPECT_FALSE(shows_tooltip());
  app_.move_by({3, 0});
  app_.frames(2);
  EXPECT_TRUE(shows_tooltip());
  app_.change_view([](ViewState& view) { view.mode = ViewMode::study; });
  app_.settle();
  app_.move_to("study/matrix/0");
  EXPECT_TRUE(shows_tooltip());
  press(ImGuiKey_RightArrow);
  press(ImGuiKey_LeftArrow);
  EXPECT_FALSE(shows_tooltip());
}

// A pair fills the screen: one stage of A and of B, whose names and digits the last row can read.
TEST_F(PresentingApp, ShowsAStageOfAAndOfBLarge) {
  constexpr float least_text = 11;  // units: 20 pixels of 1080
  edit_document(app_.session().queue(), {"a pair", [](Document& document) {
                                           document.compared = std::make_shared<const Document>(document);
                                           document.config.seed = 7;
                                         }});
  app_.change_view([](ViewState& view) { view.side = ComparedSide::side_by_side; });
  app_.settle();
  press(ImGuiKey_End);
  const auto& matrices = app_.widgets().matrices;
  ASSERT_EQ(matrices.size(), 2U);
  for (const WidgetRegistry::Matrix& matrix : matrices) {
    EXPECT_GE(matrix.text_size, least_text);
    const float side = matrix.max_screen.x - matrix.min_screen.x;
    EXPECT_GT(side, 400) << "of 1280";
    EXPECT_NEAR(side, matrix.max_screen.y - matrix.min_screen.y, 0.15F * side);
    EXPECT_EQ(matrix.row_labels.size(), 6U);
    EXPECT_EQ(matrix.column_labels.size(), 6U);
  }
  press(ImGuiKey_LeftArrow);
  EXPECT_TRUE(app_.shows("presenting/line"));
  EXPECT_EQ(app_.widgets().matrices.size(), 2U);
}

TEST_F(PresentingApp, SaysWhyNothingIsPredicted) {
  press_letter('P');
  EXPECT_FALSE(app_.session().shown().prediction.cover);
  EXPECT_NE(app_.message().find("end presenting with Esc"), std::string::npos) << app_.message();
}

// The inputs are no matrix of a head.
TEST_F(PresentingApp, SaysWhyAnotherViewShowsTheSame) {
  for (const int digit : {2, 3}) {
    press(ImGuiKey_Home);
    app_.press_key(keys::digit(digit));
    EXPECT_NE(app_.message().find("All heads share the inputs"), std::string::npos) << app_.message();
  }
  app_.press_key(keys::digit(6));
  EXPECT_NE(app_.message().find("Only a trained model has this"), std::string::npos) << app_.message();
  press(ImGuiKey_Home);
  next_stage();
  app_.press_key(keys::digit(2));
  EXPECT_EQ(app_.message().find("All heads share"), std::string::npos) << app_.message();
}

TEST_F(PresentingApp, WhatWasSaidIsLeftBehindWhenItGoesOn) {
  press_letter('P');
  press_letter('T');
  EXPECT_FALSE(app_.message().empty());
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(app_.message(), "");
  press_letter('P');
  press_letter('H');
  EXPECT_EQ(app_.message(), "");
}

TEST_F(PresentingApp, TheFilmOfAStageFollowsTheHead) {
  press(ImGuiKey_RightArrow, 2);
  ASSERT_TRUE(film().is_open());
  const FilmShown::Watching before = *film().watching;
  ASSERT_EQ(before.cell.head, 0);
  const std::vector<std::string> drawn = app_.drawn_lines();
  press_letter('H');
  app_.settle();
  ASSERT_TRUE(film().is_open());
  EXPECT_EQ(film().watching->cell.head, 1);
  EXPECT_EQ(film().watching->scene, before.scene);
  EXPECT_EQ(app_.view().head, 1);
  EXPECT_NE(app_.drawn_lines(), drawn);
}

TEST_F(PresentingApp, PlaysTheScenesOfAStageAndThenShowsIt) {
  EXPECT_EQ(presenting().step, 0);
  press(ImGuiKey_PageDown);
  ASSERT_TRUE(film().is_open());
  EXPECT_EQ(film().watching->cell.stage, Stage::queries);
  const std::size_t scenes = film().film->scenes.size();
  EXPECT_GT(scenes, 1U);
  for (const FilmScene& scene : film().film->scenes) EXPECT_EQ(scene.stage, Stage::queries) << scene.id;
  EXPECT_TRUE(app_.shows("film/picture"));
  press(ImGuiKey_RightArrow, static_cast<int>(scenes));
  EXPECT_FALSE(film().watching);
  EXPECT_TRUE(has_come(Stage::queries));
  EXPECT_FALSE(has_come(Stage::keys));
  press(ImGuiKey_PageUp);
  ASSERT_TRUE(film().is_open());
  EXPECT_EQ(film().watching->scene, scenes - 1) << "the same way back";
  press(ImGuiKey_PageUp, static_cast<int>(scenes));
  EXPECT_FALSE(film().watching);
  EXPECT_EQ(presenting().step, 0);
}

TEST_F(PresentingApp, WInASceneOfAStagePlaysTheFilmOfThePinnedNumber) {
  const Source weight{.stage = Stage::weights, .row = 3, .col = 1};
  app_.change_view([weight](ViewState& view) { view.pinned = weight; });
  for (int step = 0; !film().is_open(); ++step) {
    ASSERT_LT(step, most_steps) << "a stage has scenes";
    press(ImGuiKey_RightArrow);
  }
  ASSERT_TRUE(film().is_step);
  press_letter('W');
  app_.settle();
  ASSERT_TRUE(film().is_open());
  EXPECT_FALSE(film().is_step);
  EXPECT_EQ(film().watching->cell, weight);
}

TEST_F(PresentingApp, StagesComeOneAfterTheOther) {
  next_stage();
  EXPECT_TRUE(has_come(Stage::queries));
  EXPECT_FALSE(has_come(Stage::keys));
  next_stage();
  EXPECT_TRUE(has_come(Stage::keys));
  EXPECT_FALSE(has_come(Stage::values));
  press(ImGuiKey_End);
  for (const Stage stage : {Stage::scores, Stage::weights, Stage::output}) EXPECT_TRUE(has_come(stage));
  const Index last = presenting().step;
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(presenting().step, last) << "there is nothing after all stages";
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(presenting().step, last - 1);
  EXPECT_TRUE(has_come(Stage::output));
  press(ImGuiKey_Home);
  EXPECT_EQ(presenting().step, 0);
  EXPECT_FALSE(has_come(Stage::queries));
}

TEST_F(PresentingApp, EveryStageIsInSightWhenItComes) {
  std::string now;
  for (int step = 0; now != "output"; ++step) {
    ASSERT_LT(step, most_steps);
    next_stage();
    now = std::string(info(app_.view().stage).id);
    const WidgetRegistry::Entry& matrix = app_.widget("stages/" + now);
    const ImRect page = app_.widget("stages").window->Rect();
    EXPECT_TRUE(page.Contains(ImRect(matrix.min_screen, matrix.max_screen))) << now;
  }
}

TEST_F(PresentingApp, TheStageThatComesIsLargerThanBesideAllOthers) {
  const auto height = [&](Stage stage) {
    const WidgetRegistry::Entry& matrix = app_.widget("stages/" + std::string(info(stage).id));
    return matrix.max_screen.y - matrix.min_screen.y;
  };
  for (int step = 0; app_.view().stage != Stage::scores; ++step) {
    ASSERT_LT(step, most_steps);
    next_stage();
  }
  const float alone = height(Stage::scores);
  press(ImGuiKey_End);
  EXPECT_GT(alone, 1.3F * height(Stage::scores));
}

TEST_F(PresentingApp, EscapeEndsItInTheMiddleOfAScene) {
  press(ImGuiKey_RightArrow);
  ASSERT_TRUE(film().watching);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(film().watching);
  EXPECT_FALSE(app_.view().transient.presenting);
}

TEST_F(PresentingApp, AKeyEndsTheBlankScreenAlsoInAScene) {
  press(ImGuiKey_RightArrow);
  press_letter('B');
  EXPECT_TRUE(presenting().is_blank);
  press(ImGuiKey_RightArrow);
  EXPECT_FALSE(presenting().is_blank);
  EXPECT_TRUE(film().watching);
}

TEST_F(PresentingApp, WhatHasNotComeIsNotInAPictureOfTheMomentEither) {
  const KeptUiState kept = app_.session().kept();
  const StageSet awaited = awaited_results({kept.state, {}});
  EXPECT_TRUE(awaited.contains(Stage::queries));
  EXPECT_FALSE(awaited.contains(Stage::inputs));
}

TEST_F(PresentingApp, NumbersChooseTheViewAndTheStageGoesOnInIt) {
  for (int stage = 0; stage < 3; ++stage) next_stage();
  app_.press_key(keys::digit(3));
  EXPECT_EQ(app_.view().mode, ViewMode::focus);
  EXPECT_EQ(app_.view().stage, Stage::values);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(app_.view().stage, Stage::scores);
  app_.press_key(keys::digit(5));
  EXPECT_EQ(app_.view().mode, ViewMode::study);
  press(ImGuiKey_PageDown, 2);
  const std::string third = app_.view().study.id;
  press(ImGuiKey_PageUp);
  EXPECT_NE(app_.view().study.id, third);
  EXPECT_EQ(presenting().step, 4) << "the stage waits for the diagram";
}

TEST_F(PresentingApp, LettersAreThoseOfThePresenter) {
  const bool is_head_off = is_off(app_.config(), 0);
  press_letter('H');
  EXPECT_EQ(app_.view().head, 1);
  EXPECT_EQ(is_off(app_.config(), 0), is_head_off);
  press_letter('B');
  EXPECT_TRUE(presenting().is_blank);
  EXPECT_FALSE(app_.shows("presenting/line"));
  press_letter('B');
  EXPECT_TRUE(app_.shows("presenting/line"));
  press_letter('S');
  EXPECT_EQ(presenting().spot, ViewMode::diagram);
  press_letter('K');
  EXPECT_FALSE(app_.document().compared);
}

TEST_F(PresentingApp, BeginsWithTheFirstStageWhateverIsPinned) {
  press(ImGuiKey_Escape);
  ASSERT_EQ(app_.view().pinned->stage, Stage::weights);
  begin();
  EXPECT_EQ(presenting().step, 0);
  EXPECT_EQ(app_.view().stage, Stage::inputs);
  EXPECT_FALSE(has_come(Stage::weights));
}

// A sentence is typed in a window of its own, from which F11 is pressed.
TEST_F(PresentingApp, NoWindowStandsBeforeTheStages) {
  press(ImGuiKey_Escape);
  app_.change_view([](ViewState& view) { view.transient.opens_tokens = true; });
  app_.frames(3);
  ASSERT_TRUE(app_.shows("tokens/sentence"));
  begin();
  ASSERT_TRUE(app_.view().transient.presenting);
  EXPECT_FALSE(app_.shows("tokens/sentence"));
}

TEST_F(PresentingApp, StagesThatWereLeftOutAreNeitherStepsNorInThePicture) {
  press(ImGuiKey_Escape);
  change_view(app_.session().queue(), [](ViewState& view) {
    view.not_presented = {Stage::queries, Stage::keys, Stage::values};
  });
  app_.frames(2);
  EXPECT_TRUE(has_come(Stage::queries)) << "only before an audience";
  begin();
  next_stage();
  EXPECT_EQ(app_.view().stage, Stage::scores);
  press(ImGuiKey_End);
  EXPECT_FALSE(has_come(Stage::queries));
  EXPECT_TRUE(has_come(Stage::output));
}

TEST_F(PresentingApp, ScoresThatAreDividedByOneAreNoStep) {
  app_.edit({"d_out", [](Document& document) { document.config.d_out = 2; }});
  press(ImGuiKey_Home);
  for (int step = 0; step < 12; ++step) {
    EXPECT_NE(app_.view().stage, Stage::scaled_scores) << "head_dim is 1";
    next_stage();
  }
  EXPECT_EQ(app_.view().stage, Stage::output);
}

TEST_F(PresentingApp, TheSpotEndsWithTheView) {
  press_letter('S');
  app_.press_key(keys::digit(5));
  press_letter('S');
  EXPECT_EQ(presenting().spot, ViewMode::study) << "it was off in the teaching view";
  press(ImGuiKey_PageDown);
  EXPECT_FALSE(presenting().spot);
  press_letter('S');
  app_.press_key(keys::digit(1));
  app_.press_key(keys::digit(5));
  EXPECT_FALSE(presenting().spot) << "coming back does not light it again";
}

TEST_F(PresentingApp, ADocumentWithFewerStagesIsAtItsLastOne) {
  press(ImGuiKey_End);
  const Index last = presenting().step;
  app_.edit({"mechanism", [](Document& document) { set_mechanism(document, Mechanism::simple_self_attention); }});
  EXPECT_TRUE(has_come(Stage::context));
  EXPECT_EQ(presenting().step, last);
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(presented_stage({app_.session().shown(), {}}), Stage::context);
}

// A lesson before an audience: its steps go by with the arrows, the text stands beside the picture, and R reveals.
class PresentedLesson : public testing::Test {
protected:
  PresentedLesson() {
    app_.open_lesson("weights");
    app_.settle();
    press(keys::function(11));
  }
  void press(int key) {
    app_.press_key(key);
    app_.settle();
  }
  const LessonShown& lesson() { return app_.session().shown().lesson; }

  HeadlessApp app_{notebook_document(), {1280, 720}};
};

TEST_F(PresentedLesson, GoesFromStepToStepAndBack) {
  EXPECT_TRUE(app_.shows("presenting/line"));
  EXPECT_TRUE(app_.shows("lesson/title"));
  EXPECT_FALSE(app_.shows("menu/file"));
  for (const std::size_t step : {1U, 2U, 3U}) {
    press(keys::named(ImGuiKey_RightArrow));
    EXPECT_EQ(lesson().step, step);
    EXPECT_EQ(app_.document(), *lesson().current()->document);
    ASSERT_TRUE(app_.view().transient.presenting) << "another document does not end it";
  }
  press(keys::named(ImGuiKey_PageUp));
  EXPECT_EQ(lesson().step, 2U);
  press(keys::named(ImGuiKey_End));
  EXPECT_EQ(lesson().step + 1, lesson().lesson->steps.size());
  press(keys::named(ImGuiKey_RightArrow));
  EXPECT_EQ(lesson().step + 1, lesson().lesson->steps.size());
  press(keys::named(ImGuiKey_Home));
  EXPECT_EQ(lesson().step, 0U);
  EXPECT_TRUE(app_.shows("stages/output") || app_.shows("stages/context")) << "all stages of the step are shown";
  press(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app_.view().transient.presenting);
  EXPECT_TRUE(lesson().lesson);
}

TEST_F(PresentedLesson, OSwitchesTheHeadOffAndOn) {
  app_.open_lesson("heads");
  for (int step = 0; !info(app_.config().mechanism).has_heads; ++step) {
    ASSERT_LT(step, 10);
    press(keys::named(ImGuiKey_RightArrow));
  }
  ASSERT_TRUE(app_.view().transient.presenting);
  ASSERT_TRUE(app_.config().heads_off.empty());
  press(keys::letter('O'));
  EXPECT_EQ(app_.config().heads_off.size(), 1U);
  press(keys::letter('O'));
  EXPECT_TRUE(app_.config().heads_off.empty());
}

TEST_F(PresentedLesson, RevealsTheAnswerAndHidesTheText) {
  press(keys::named(ImGuiKey_RightArrow));
  ASSERT_TRUE(lesson().question());
  EXPECT_FALSE(lesson().record().is_revealed);
  press(keys::letter('R'));
  EXPECT_TRUE(lesson().record().is_revealed);
  EXPECT_TRUE(app_.shows("lesson/outcome"));
  press(keys::letter('T'));
  EXPECT_FALSE(app_.shows("lesson/title"));
  press(keys::named(ImGuiKey_RightArrow));
  EXPECT_EQ(lesson().step, 2U);
  EXPECT_FALSE(app_.shows("lesson/title"));
  press(keys::letter('T'));
  EXPECT_TRUE(app_.shows("lesson/title"));
}

// A second audience does not see the answers that the first one saw, and a learner's own ones come back.
TEST_F(PresentedLesson, BeginsWithOpenQuestionsEachTime) {
  press(keys::named(ImGuiKey_RightArrow));
  press(keys::letter('R'));
  ASSERT_TRUE(lesson().record().is_revealed);
  press(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(lesson().record().is_revealed);
  app_.call([](const Controllers& to) { to.lessons.reveal(); });
  ASSERT_TRUE(lesson().record().is_revealed) << "by the learner";
  press(keys::function(11));
  EXPECT_FALSE(lesson().record().is_revealed);
  EXPECT_TRUE(app_.shows("lesson/reveal"));
  EXPECT_FALSE(app_.shows("lesson/outcome"));
  press(keys::named(ImGuiKey_Escape));
  EXPECT_TRUE(lesson().record().is_revealed);
  EXPECT_TRUE(app_.shows("lesson/outcome"));
}

// Also where the presenter has changed the document since.
TEST_F(PresentedLesson, LeavesNoRevealedAnswerBehind) {
  press(keys::named(ImGuiKey_RightArrow));
  press(keys::letter('R'));
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  app_.settle();
  press(keys::named(ImGuiKey_Escape));
  ASSERT_FALSE(app_.view().transient.presenting);
  EXPECT_FALSE(lesson().record().is_done());
  const Answer& answer = lesson().answer;
  EXPECT_TRUE(answer.typed.empty() && !answer.choice && !answer.cell);
}

TEST_F(PresentedLesson, HomeAndEndGoThroughItsFilmAndEscapeLeadsBackToTheStep) {
  app_.call([](const Controllers& to) { to.films.watch({.stage = Stage::weights, .row = 2, .col = 1}); });
  app_.settle();
  const FilmShown& film = app_.session().shown().film;
  ASSERT_TRUE(film.is_open());
  press(keys::named(ImGuiKey_End));
  ASSERT_TRUE(film.is_open());
  EXPECT_EQ(film.watching->scene + 1, film.film->scenes.size());
  press(keys::named(ImGuiKey_Home));
  ASSERT_TRUE(film.is_open());
  EXPECT_EQ(film.watching->scene, 0U);
  EXPECT_EQ(lesson().step, 0U);
  const std::size_t texts = app_.texts().size();
  app_.session().push([](const Controllers& to) { to.films.go_to(0, 1); });
  app_.frames(2);
  EXPECT_EQ(texts, app_.texts().size()) << "the first picture is whole";
  press(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(film.watching);
  EXPECT_TRUE(app_.view().transient.presenting);
  press(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app_.view().transient.presenting);
}

TEST_F(PresentedLesson, RBringsTheTextWithTheAnswerBack) {
  press(keys::named(ImGuiKey_RightArrow));
  press(keys::letter('T'));
  ASSERT_FALSE(app_.shows("lesson/title"));
  press(keys::letter('R'));
  EXPECT_TRUE(app_.shows("lesson/outcome"));
}

// A step of a pair names the side that it shows, and a key leads to the other one.
TEST_F(PresentedLesson, ShowsBothSidesOfAPair) {
  const Lesson lesson = parse_lesson(R"({"id": "pair", "title": "Pair", "steps": [
    {"id": "a", "title": "A", "text": "", "document": "example:notebook"},
    {"id": "b", "title": "B", "text": "", "edit": {"dropout": 0.25}, "show": {"compared_with_before": true}}]})");
  app_.call([lesson](const Controllers& to) { to.lessons.open({std::make_shared<const Lesson>(lesson)}); });
  if (!app_.view().transient.presenting) press(keys::function(11));
  const auto says = [&](std::string_view words) {
    return std::ranges::any_of(app_.drawn_lines(),
                               [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  press(keys::named(ImGuiKey_RightArrow));
  ASSERT_TRUE(app_.session().shown().is_comparing());
  EXPECT_TRUE(says("B: dropout 0.25"));
  press(keys::letter('A'));
  EXPECT_EQ(app_.view().side, ComparedSide::baseline);
  EXPECT_TRUE(says("A: dropout 0"));
  app_.press_shift('A');
  app_.settle();
  EXPECT_EQ(app_.view().side, ComparedSide::side_by_side);
}

// An audience needs no buttons that lead away, and no small question marks.
TEST_F(PresentedLesson, HasNoControlsInItsPictures) {
  app_.open_lesson("mask");
  for (int step = 0; app_.view().mode != ViewMode::study; ++step) {
    ASSERT_LT(step, 12);
    press(keys::named(ImGuiKey_RightArrow));
    for (const WidgetRegistry::Entry& entry : app_.widgets().entries)
      EXPECT_FALSE(entry.name.starts_with("why/")) << entry.name << " in step " << step;
  }
  EXPECT_TRUE(app_.shows("study/question"));
  EXPECT_FALSE(app_.shows("study/back"));
  EXPECT_FALSE(app_.shows("study/view"));
}

TEST_F(PresentedLesson, OfAModelCoversTheWordsThatItAsksForAndNamesItsKeys) {
  app_.open_lesson("trained");
  const auto shows_words = [&] {
    return std::ranges::any_of(app_.widgets().entries,
                               [](const auto& entry) { return entry.name.starts_with("model/next/"); });
  };
  const auto says = [&](std::string_view words) {
    return std::ranges::any_of(app_.drawn_lines(),
                               [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(shows_words()) << "the first step asks for something else";
  while (lesson().current()->id != "one_off") press(keys::named(ImGuiKey_RightArrow));
  EXPECT_FALSE(shows_words());
  EXPECT_FALSE(says("Without a head")) << "which names the word";
  EXPECT_TRUE(says("Space switches"));
  press(keys::letter('R'));
  EXPECT_TRUE(shows_words());
  EXPECT_TRUE(says("Without a head"));
  EXPECT_FALSE(app_.shows("lesson/changed"));
  press(keys::named(ImGuiKey_Space));
  EXPECT_TRUE(app_.shows("lesson/changed")) << "the text says that the head is off";
}

// Also where the text takes a part of the screen.
TEST_F(PresentedLesson, ShowsAStageLargerThanWhatItComesFrom) {
  change_view(app_.session().queue(), [](ViewState& state) {
    state.mode = ViewMode::focus;
    state.stage = Stage::scaled_scores;
  });
  app_.frames(2);
  app_.settle();
  const auto size_of = [&](std::string_view title) {
    for (const WidgetRegistry::Matrix& matrix : app_.widgets().matrices) {
      if (matrix.title == title)
        return ImVec2{matrix.max_screen.x - matrix.min_screen.x, matrix.max_screen.y - matrix.min_screen.y};
    }
    ADD_FAILURE() << title << " is not there";
    return ImVec2{};
  };
  const ImVec2 stage = size_of("scaled scores");
  const ImVec2 before = size_of("scores");
  EXPECT_GE(stage.x, before.x);
  EXPECT_GE(stage.y, before.y);
}

}  // namespace
}  // namespace attnscope::test

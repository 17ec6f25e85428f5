// The film of a number in the window: its keys, its buttons, and the document that changes under it.

#include "document/builtin.h"
#include "document/edit.h"
#include "features/files/reading_controller.h"
#include "features/film/film_controller.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "support.h"
#include "teach/film.h"

namespace attnscope::test {
namespace {

using Playing = FilmShown::Playing;

class WatchingApp : public testing::Test {
protected:
  WatchingApp() {
    app_.settle();
    pin(weight_);
  }
  void pin(const Source& cell) {
    app_.change_view([cell](ViewState& state) { state.pinned = cell; });
    app_.move_away();
  }
  // Not settle(), in which no time passes.
  void watch() {
    app_.press_key(keys::letter('W'));
    for (int frame = 0; frame < 200 && !shown().film; ++frame) app_.wait(0.001F);
    ASSERT_TRUE(shown().is_open()) << app_.message();
  }
  void press(ImGuiKey key) { app_.press_key(keys::named(key)); }
  void go_to(std::size_t scene, double t) {
    app_.call([=](const Controllers& to) { to.films.go_to(scene, t); });
  }
  const FilmShown& shown() { return app_.session().shown().film; }
  const FilmShown::Watching& watching() { return shown().watching.value(); }
  const std::vector<FilmScene>& scenes() { return shown().film->scenes; }
  bool writes(const std::string& text) {
    for (const std::string& line : app_.drawn_lines())
      if (line.find(text) != std::string::npos) return true;
    return false;
  }

  const Source weight_{.stage = Stage::weights, .row = 3, .col = 1};
  HeadlessApp app_{opening_document(), {1280, 720}};
};

TEST_F(WatchingApp, InventedNumbersAreMarkedAlikeWhereverTheyAreShown) {
  const std::string mark = "invented numbers: these shares mean nothing yet";
  const auto is_marked_everywhere = [&] {
    std::vector<bool> marked;
    watch();
    app_.frames(2);
    marked.push_back(writes(mark));
    press(ImGuiKey_Escape);
    app_.press_key(keys::function(11));
    marked.push_back(writes(mark));
    press(ImGuiKey_Escape);
    app_.change_view([](ViewState& view) { view.mode = ViewMode::study; });
    app_.settle();
    marked.push_back(writes(mark));
    app_.change_view([](ViewState& view) { view.mode = ViewMode::diagram; });
    app_.settle();
    return marked;
  };
  EXPECT_EQ(is_marked_everywhere(), (std::vector{false, false, false}));
  app_.edit({"sentence", [](Document& document) { set_sentence(document, "the cat zzz it slept"); }});
  pin(weight_);
  EXPECT_EQ(is_marked_everywhere(), (std::vector{true, true, true}));
}

TEST_F(WatchingApp, PlaysInThePlaceOfTheDiagramAndEscLeadsBack) {
  ASSERT_TRUE(app_.shows("stages/weights"));
  watch();
  app_.frames(2);
  EXPECT_FALSE(app_.shows("stages/weights"));
  EXPECT_TRUE(app_.shows("film/picture"));
  EXPECT_TRUE(app_.shows("setup")) << "the panels stay";
  EXPECT_EQ(watching().scene, 0U);
  EXPECT_GT(watching().t, 0);
  press(ImGuiKey_Space);
  EXPECT_TRUE(writes(" meets ")) << "the title, " << scenes().front().title;  // the tests' font has no such quotes
  press(ImGuiKey_Escape);
  EXPECT_FALSE(shown().watching);
  EXPECT_TRUE(app_.shows("stages/weights"));
  EXPECT_EQ(app_.view().pinned, std::optional(weight_)) << "Esc ends the film alone";
}

TEST_F(WatchingApp, ItsNumberFliesBackToItsCell) {
  watch();
  go_to(scenes().size() - 1, 1);
  press(ImGuiKey_Escape);
  ASSERT_TRUE(shown().landing);
  EXPECT_GT(shown().landing->t, 0);
  EXPECT_TRUE(app_.frame_of(app_.session())) << "it asks for frames";
  app_.hover_cell(Stage::inputs, 1, 0);
  EXPECT_EQ(app_.session().shown().hovered->stage, Stage::inputs) << "the diagram is at work already";
  app_.frames(60);
  EXPECT_FALSE(shown().landing);
  app_.move_away();
  EXPECT_FALSE(app_.frame_of(app_.session()));
}

TEST_F(WatchingApp, ANumberThatIsNotMadeYetFliesNowhere) {
  watch();
  ASSERT_NE(scenes().front().stage, std::optional(weight_.stage));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(shown().watching);
  EXPECT_FALSE(shown().landing);
}

TEST_F(WatchingApp, SpacePausesAndPlaysOn) {
  watch();
  press(ImGuiKey_Space);
  const double t = watching().t;
  EXPECT_EQ(watching().playing, Playing::nothing);
  app_.frames(10);
  EXPECT_EQ(watching().t, t);
  EXPECT_FALSE(app_.frame_of(app_.session())) << "a paused film asks for no frames";
  press(ImGuiKey_Space);
  app_.frames(10);
  EXPECT_GT(watching().t, t);
  EXPECT_TRUE(app_.frame_of(app_.session()));
}

TEST_F(WatchingApp, PlaysToItsEndAndThenBeginsAgain) {
  watch();
  const auto last = scenes().size() - 1;
  double seconds = 1;
  for (const FilmScene& scene : scenes()) seconds += scene.seconds;
  app_.frames(static_cast<int>(seconds * 60));
  EXPECT_EQ(watching().scene, last);
  EXPECT_EQ(watching().t, 1);
  EXPECT_EQ(watching().playing, Playing::nothing);
  EXPECT_FALSE(app_.frame_of(app_.session()));
  app_.click("film/play");
  EXPECT_EQ(watching().scene, 0U);
  EXPECT_EQ(watching().playing, Playing::film);
}

TEST_F(WatchingApp, ArrowsGoFromSceneToScene) {
  watch();
  press(ImGuiKey_Home);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, 0, 0, Playing::nothing}));
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(watching().playing, Playing::scene);
  app_.frames(static_cast<int>(scenes()[0].seconds * 60) + 10);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, 0, 1, Playing::nothing})) << "a scene stops at its end";
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(watching().scene, 1U);
  EXPECT_EQ(watching().playing, Playing::scene);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, 1, 1, Playing::nothing})) << "impatient";
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, 0, 1, Playing::nothing}));
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(watching().t, 0);
  press(ImGuiKey_End);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, scenes().size() - 1, 1, Playing::nothing}));
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(watching().scene, scenes().size() - 1);
  EXPECT_EQ(app_.view().pinned, std::optional(weight_)) << "the pinned cell does not move";
}

TEST_F(WatchingApp, TheLastSceneCanBeSeenFromAnyMoment) {
  watch();
  const auto last = scenes().size() - 1;
  go_to(last, 0.25);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, last, 0.25, Playing::nothing}));
  go_to(last + 1, 0.25);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, last, 1, Playing::nothing})) << "there is none behind it";
}

TEST_F(WatchingApp, ArrowsKeepAPlayingFilmPlaying) {
  watch();
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(watching().scene, 1U);
  EXPECT_EQ(watching().playing, Playing::film);
  press(ImGuiKey_LeftArrow);
  EXPECT_EQ(watching().scene, 0U);
  EXPECT_EQ(watching().playing, Playing::film);
}

TEST_F(WatchingApp, ButtonsDoTheSame) {
  watch();
  app_.click("film/play");
  EXPECT_EQ(watching().playing, Playing::nothing);
  go_to(1, 1);
  app_.click("film/on");
  EXPECT_EQ(watching().scene, 2U);
  app_.click("film/back");
  EXPECT_EQ(watching().scene, 1U);
  app_.click("film/picture");
  EXPECT_NE(watching().playing, Playing::nothing) << "a click on the picture plays";
  app_.click("film/close");
  EXPECT_FALSE(shown().watching);
}

TEST_F(WatchingApp, TheStripCanBeClickedAndDragged) {
  watch();
  app_.click("film/strip", {0.999F, 0.5F});
  EXPECT_EQ(watching().scene, scenes().size() - 1);
  EXPECT_EQ(watching().playing, Playing::nothing);
  app_.drag("film/strip", 0.9F, 0.01F);
  EXPECT_EQ(watching().scene, 0U);
  EXPECT_LT(watching().t, 0.5);
}

TEST_F(WatchingApp, TheCardHasAButton) {
  app_.click("inspector/watch");
  app_.frames(5);
  app_.settle();
  EXPECT_EQ(watching().cell, weight_);
}

TEST_F(WatchingApp, NumbersChangeUnderItAtTheSameMoment) {
  watch();
  go_to(1, 0.5);
  const std::shared_ptr<const Film> before = shown().film;
  app_.edit({"weights", [](Document& document) { document.config.weight_overrides.clear(); }});
  ASSERT_TRUE(shown().is_open());
  EXPECT_NE(shown().film, before);
  EXPECT_NE(shown().film->number, before->number);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, 1, 0.5, Playing::nothing}));
}

TEST_F(WatchingApp, ASceneKeepsItsPlaceWhenOthersCome) {
  watch();
  const auto softmax = std::ranges::find(scenes(), Stage::weights, &FilmScene::stage) - scenes().begin();
  ASSERT_LT(softmax, std::ssize(scenes()));
  go_to(static_cast<std::size_t>(softmax), 1);
  const std::string id = scenes()[watching().scene].id;
  const std::size_t count = scenes().size();
  app_.edit({"softcap", [](Document& document) { document.config.softcap = 5; }});
  EXPECT_EQ(scenes().size(), count + 1);
  EXPECT_EQ(scenes()[watching().scene].id, id);
}

TEST_F(WatchingApp, EndsWithASentenceIfItsNumberIsGone) {
  pin({.stage = Stage::weights, .row = 5, .col = 0});
  watch();
  app_.edit({"tokens", [](Document& document) { delete_token(document, 5); }});
  EXPECT_FALSE(shown().watching);
  EXPECT_TRUE(says(app_.message(), {"The film ended", "weights[0,0,5,0]"})) << app_.message();
}

TEST_F(WatchingApp, EndsWhereOneGoesElsewhere) {
  watch();
  app_.press_control('2');
  app_.settle();
  EXPECT_FALSE(shown().watching);
  EXPECT_NE(app_.view().mode, ViewMode::diagram);
}

TEST_F(WatchingApp, OutlivesUndoButNotAnotherDocument) {
  app_.edit({"weights", [](Document& document) { document.config.weight_overrides.clear(); }});
  watch();
  app_.press_key(keys::named(ImGuiKey_Space));
  const std::string before = shown().film->number;
  app_.press_control('Z');
  app_.settle();
  ASSERT_TRUE(shown().is_open());
  EXPECT_NE(shown().film->number, before);
  app_.call([](const Controllers& to) { to.reading.open_example("causal_dropout"); });
  EXPECT_FALSE(shown().watching);
}

TEST_F(WatchingApp, WEndsItAgain) {
  watch();
  app_.press_key(keys::letter('W'));
  EXPECT_FALSE(shown().watching);
}

TEST_F(WatchingApp, WithoutMotionShowsKeyFrames) {
  app_.change_view([](ViewState& state) { state.reduces_motion = true; });
  watch();
  press(ImGuiKey_Home);
  const std::vector<std::string> at_begin = app_.drawn_lines();
  go_to(0, 1);
  EXPECT_EQ(app_.drawn_lines(), at_begin);
  press(ImGuiKey_RightArrow);
  EXPECT_EQ(watching(), (FilmShown::Watching{weight_, 1, 1, Playing::nothing}));
}

TEST_F(WatchingApp, SaysWhyANumberHasNoFilm) {
  pin({.stage = Stage::inputs, .row = 1, .col = 0});
  EXPECT_FALSE(app_.enables("inspector/watch"));
  app_.press_key(keys::letter('W'));
  EXPECT_FALSE(shown().watching);
  EXPECT_TRUE(says(app_.message(), {"has no film", "Typed"})) << app_.message();
  app_.change_view([](ViewState& state) { state.pinned.reset(); });
  app_.press_key(keys::letter('W'));
  EXPECT_TRUE(says(app_.message(), {"click its cell"})) << app_.message();
}

TEST_F(WatchingApp, IsWatchedInAPresentationToo) {
  app_.press_key(keys::function(11));
  watch();
  app_.frames(2);
  EXPECT_FALSE(app_.shows("film/play")) << "an audience sees no buttons";
  EXPECT_TRUE(app_.shows("film/picture"));
  press(ImGuiKey_Home);
  press(ImGuiKey_PageDown);
  EXPECT_EQ(watching().playing, Playing::scene) << "the keys of a remote";
  press(ImGuiKey_Escape);
  EXPECT_FALSE(shown().watching);
  EXPECT_TRUE(app_.view().transient.presenting) << "Esc ends the film first";
}

TEST_F(WatchingApp, ThePickOfTheDiagramEndsItToo) {
  watch();
  app_.click("view/diagram");
  EXPECT_FALSE(shown().watching);
  EXPECT_TRUE(app_.shows("stages/weights"));
}

TEST_F(WatchingApp, FollowsTheHeadThatIsChosen) {
  app_.call([](const Controllers& to) { to.reading.open_example("notebook"); });
  pin(weight_);
  watch();
  EXPECT_EQ(watching().cell.head, 0);
  app_.press_key(keys::letter('H'));
  app_.settle();
  ASSERT_TRUE(shown().is_open());
  EXPECT_EQ(watching().cell.head, 1);
  EXPECT_EQ(shown().film->cell.head, 1) << "with the numbers of that head";
}

TEST_F(WatchingApp, ACoverEndsIt) {
  watch();
  app_.press_key(keys::letter('P'));
  EXPECT_TRUE(app_.session().shown().prediction.cover);
  EXPECT_FALSE(shown().watching);
  app_.press_key(keys::letter('W'));
  EXPECT_FALSE(shown().watching) << "it would show what is covered";
}

}  // namespace
}  // namespace attnscope::test

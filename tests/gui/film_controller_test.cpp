#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <tuple>

#include "controller_alone.h"
#include "features/film/film_controller.h"
#include "teach/film.h"

namespace attnscope::test {
namespace {

// A film of three scenes; the second one makes the weights.
class Films : public ControllerAlone {
protected:
  using Playing = FilmShown::Playing;
  using At = std::tuple<std::size_t, double, Playing>;

  Films() {
    Film film{.cell = {.stage = Stage::weights}};
    for (const double seconds : {2, 4, 1}) {
      FilmScene& scene = film.scenes.emplace_back();
      scene.id = fmt::format("{}", seconds);
      scene.seconds = seconds;
    }
    film.scenes[1].stage = Stage::weights;
    film_ = std::make_shared<const Film>(film);
  }
  // Where the film is after `act`.
  template <typename Act>
  At after(const At& at, const Act& act) {
    const auto& [scene, t, playing] = at;
    now_.film = {};
    now_.film.watching = FilmShown::Watching{film_->cell, scene, t, playing};
    now_.film.film = film_;
    act();
    return {now_.film.watching->scene, now_.film.watching->t, now_.film.watching->playing};
  }

  std::shared_ptr<const Film> film_;
  FilmController app_{services_, now_.film, {}};
};

TEST_F(Films, GoFromSceneToScene) {
  constexpr Playing none = Playing::nothing;
  const auto on = [&] { app_.go_on(); };
  const auto back = [&] { app_.go_back(); };
  const auto toggled = [&] { app_.play_or_pause(); };
  const struct {
    At from;
    std::function<void()> act;
    At to;
  } cases[] = {
      {{0, 0.5, none}, on, {0, 0.5, Playing::scene}},
      {{0, 1, none}, on, {1, 0, Playing::scene}},
      {{0, 0.5, Playing::scene}, on, {0, 1, none}},
      {{0, 0.5, Playing::film}, on, {1, 0, Playing::film}},
      {{2, 1, none}, on, {2, 1, none}},
      {{2, 0.5, Playing::film}, on, {2, 1, none}},
      {{1, 0.5, Playing::film}, back, {0, 0, Playing::film}},
      {{0, 0.5, Playing::film}, back, {0, 0, Playing::film}},
      {{2, 0.5, none}, back, {1, 1, none}},
      {{0, 0.5, none}, back, {0, 0, none}},
      {{1, 0.5, Playing::film}, toggled, {1, 0.5, none}},
      {{1, 0.5, none}, toggled, {1, 0.5, Playing::film}},
      {{0, 1, none}, toggled, {1, 0, Playing::film}},
      {{2, 0.5, none}, toggled, {2, 0.5, Playing::film}},
      {{2, 1, none}, toggled, {0, 0, Playing::film}},
      {{0, 0, Playing::film}, [&] { app_.go_to(1, 0.25); }, {1, 0.25, none}},
      {{0, 0, none}, [&] { app_.go_to(1, 7); }, {1, 1, none}},
      {{0, 0, none}, [&] { app_.go_to(9, 0.25); }, {2, 1, none}},
      {{0, 0, Playing::film}, [&] { app_.go_to_end(); }, {2, 1, none}},
      {{1, 0.5, Playing::film}, [&] { app_.advance(1); }, {1, 0.75, Playing::film}},
      {{0, 0.5, Playing::film}, [&] { app_.advance(2); }, {1, 0.25, Playing::film}},
      {{0, 0.5, Playing::film}, [&] { app_.advance(100); }, {2, 1, none}},
      {{0, 0.5, Playing::scene}, [&] { app_.advance(3); }, {0, 1, none}},
      {{0, 0.5, none}, [&] { app_.advance(3); }, {0, 0.5, none}},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i)
    EXPECT_EQ(after(cases[i].from, cases[i].act), cases[i].to) << "case " << i;
  now_.view.reduces_motion = true;
  EXPECT_EQ(after({0, 0.5, none}, on), At(0, 1, none));
  EXPECT_EQ(after({0, 1, none}, on), At(1, 1, none)) << "a scene is its key frame";
}

TEST_F(Films, ItsNumberFliesBackOnlyOnceItIsMadeAndWhereItIsSeen) {
  const auto lands = [&](std::size_t scene, const ViewMode& mode, bool reduces_motion) {
    now_.view.mode = mode;
    now_.view.reduces_motion = reduces_motion;
    now_.film = {};
    now_.film.watching = FilmShown::Watching{film_->cell, scene, 0.5, Playing::film};
    now_.film.film = film_;
    app_.leave();
    EXPECT_FALSE(now_.film.is_open());
    return now_.film.landing.has_value();
  };
  EXPECT_FALSE(lands(0, ViewMode::diagram, false));
  EXPECT_FALSE(lands(1, ViewMode::diagram, true));
  EXPECT_FALSE(lands(1, ViewMode::heads, false));
  EXPECT_TRUE(lands(2, ViewMode::diagram, false));
  EXPECT_TRUE(lands(1, ViewMode::diagram, false));
  EXPECT_EQ(now_.film.landing->scene, 1U);
  EXPECT_EQ(now_.film.landing->t, 0);
  app_.advance(0.3);
  EXPECT_NEAR(now_.film.landing->t, 0.5, 1e-9);
  app_.follow();
  EXPECT_TRUE(now_.film.landing);
  app_.advance(0.31);
  EXPECT_FALSE(now_.film.landing);
  EXPECT_TRUE(lands(1, ViewMode::diagram, false));
  now_.view.mode = ViewMode::heads;
  app_.follow();
  EXPECT_FALSE(now_.film.landing) << "the diagram went away";
}

}  // namespace
}  // namespace attnscope::test

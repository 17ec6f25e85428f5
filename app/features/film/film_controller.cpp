#include "features/film/film_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "features/shared/app_services.h"
#include "teach/film.h"
#include "view/view_address.h"

namespace attnscope {

using Playing = FilmShown::Playing;

namespace {

constexpr double landing_seconds = 0.6;

}  // namespace

std::shared_ptr<const Film> compute_film(const FilmJob& job, const std::stop_token& stop) {
  Film film = make_film({.result = *job.result,
                         .names = RowNames(job.queries, job.keys),
                         .cell = job.cell,
                         .decimals = job.decimals,
                         .stop = stop});
  if (job.is_step) std::erase_if(film.scenes, [&](const FilmScene& scene) { return scene.stage != job.cell.stage; });
  return std::make_shared<const Film>(std::move(film));
}

void FilmController::watch(const Source& cell) { begin({.cell = cell}, false); }

void FilmController::watch_step(const Source& cell) {
  const bool moves = !to_.view.reduces_motion;
  begin({.cell = cell, .t = moves ? 0.0 : 1.0, .playing = moves ? Playing::scene : Playing::nothing}, true);
}

void FilmController::watch_step_from_end(const Source& cell) {
  // How many scenes there are is known when they are made.
  begin({.cell = cell, .scene = std::numeric_limits<std::size_t>::max(), .t = 1, .playing = Playing::nothing}, true);
}

void FilmController::begin(FilmShown::Watching watching, bool is_step) {
  const Source& cell = watching.cell;
  const Result* const result = to_.now.result();
  if (!result || !result->finished.are_all()) throw Error("The numbers of this document are still being computed.");
  if (const std::string obstacle = obstacle_to_film(*result, cell); !obstacle.empty()) throw Error(obstacle);
  close();
  opened_in_ = to_.view.mode;
  head_ = to_.view.head;
  shown_.watching = watching;
  shown_.is_step = is_step;
  follow();
}

void FilmController::begin_awaited() {
  if (!awaited_row_) return;
  const Result* const result = to_.now.result();
  const bool is_elsewhere = to_.view.mode != ViewMode::diagram || shown_.watching;
  if (is_elsewhere) awaited_row_.reset();
  if (is_elsewhere || !result || !to_.now.is_current || !result->finished.are_all()) return;
  Source cell = *std::exchange(awaited_row_, std::nullopt);
  if (!has_cell(*result, cell)) return;
  const std::vector<float> row = values_at(*result, {cell, key_count(result->config)});
  cell.col = std::ranges::max_element(row) - row.begin();
  const std::string obstacle = obstacle_to_film(*result, cell);
  obstacle.empty() ? watch(cell) : to_.messages.say(obstacle);
}

void FilmController::close() {
  awaited_row_.reset();
  shown_ = {};
  made_.reset();
  maker_.cancel();
}

// Returns whether the film has come to the scene that makes its number: earlier ones show others.
bool FilmController::is_number_made() const {
  const auto& scenes = shown_.film->scenes;
  const auto maker = std::ranges::find(scenes, std::optional(shown_.watching->cell.stage), &FilmScene::stage);
  return shown_.watching->scene >= static_cast<std::size_t>(maker - scenes.begin());
}

void FilmController::leave() {
  std::optional<FilmShown::Landing> landing;
  const bool sees_diagram = to_.view.mode == ViewMode::diagram;
  const bool has_way = shown_.is_open() && !to_.view.reduces_motion && sees_diagram;
  if (has_way && is_number_made()) landing = {shown_.film, shown_.watching->scene, 0};
  close();
  shown_.landing = std::move(landing);
}

void FilmController::land(double seconds) {
  if (!shown_.landing) return;
  shown_.landing->t += seconds / landing_seconds;
  if (shown_.landing->t >= 1) shown_.landing.reset();
}

void FilmController::set(std::size_t scene, double t, Playing playing) {
  if (!shown_.is_open()) return;
  const std::size_t last = shown_.film->scenes.size() - 1;
  FilmShown::Watching& watching = *shown_.watching;
  watching.scene = std::min(scene, last);
  watching.t = scene > last ? 1 : std::clamp(t, 0.0, 1.0);
  watching.playing = watching.scene == last && watching.t == 1 ? Playing::nothing : playing;
}

void FilmController::play_or_pause() {
  if (!shown_.is_open()) return;
  const auto [cell, scene, t, playing] = *shown_.watching;
  if (playing != Playing::nothing) return set(scene, t, Playing::nothing);
  const bool is_at_end = t == 1 && scene + 1 == shown_.film->scenes.size();
  if (is_at_end) return set(0, 0, Playing::film);
  t == 1 ? set(scene + 1, 0, Playing::film) : set(scene, t, Playing::film);
}

void FilmController::go_on() {
  if (!shown_.is_open()) return;
  const auto [cell, scene, t, playing] = *shown_.watching;
  if (playing == Playing::film) return set(scene + 1, 0, playing);
  if (playing == Playing::scene) return set(scene, 1, Playing::nothing);
  const std::size_t next = t == 1 ? scene + 1 : scene;
  // Without motion a scene is its key frame.
  if (to_.view.reduces_motion) return set(next, 1, Playing::nothing);
  set(next, t == 1 ? 0 : t, Playing::scene);
}

void FilmController::go_back() {
  if (!shown_.is_open()) return;
  const auto [cell, scene, t, playing] = *shown_.watching;
  if (playing == Playing::film) return set(scene == 0 ? 0 : scene - 1, 0, playing);
  scene == 0 ? go_to_begin() : set(scene - 1, 1, Playing::nothing);
}

void FilmController::go_to(std::size_t scene, double t) { set(scene, t, Playing::nothing); }

void FilmController::go_to_end() {
  if (shown_.is_open()) go_to(shown_.film->scenes.size() - 1, 1);
}

void FilmController::advance(double seconds) {
  land(seconds);
  while (shown_.is_open() && shown_.watching->playing != Playing::nothing) {
    const auto [cell, scene, t, playing] = *shown_.watching;
    const double left = (1 - t) * shown_.film->scenes[scene].seconds;
    if (seconds < left) return set(scene, t + seconds / shown_.film->scenes[scene].seconds, playing);
    seconds -= left;
    const bool goes_on = playing == Playing::film && scene + 1 < shown_.film->scenes.size();
    goes_on ? set(scene + 1, 0, playing) : set(scene, 1, Playing::nothing);
  }
}

// Returns a sentence why the film of the current numbers cannot go on; empty if it can.
std::string FilmController::reason_to_end() const {
  const Source& cell = shown_.watching->cell;
  if (!has_cell(*to_.now.result(), cell))
    return fmt::format("The film ended, because the document no longer has {}.", cell_name(cell));
  return obstacle_to_film(*to_.now.result(), cell);
}

FilmJob FilmController::job() const {
  return {.result = to_.now.evaluation.result,
          .queries = query_labels(to_.now),
          .keys = to_.now.labels,
          .cell = shown_.watching->cell,
          .decimals = to_.view.decimals,
          .is_step = shown_.is_step};
}

void FilmController::follow() {
  if (shown_.landing && to_.view.mode != ViewMode::diagram) shown_.landing.reset();
  begin_awaited();
  if (!shown_.watching) return;
  if (to_.view.mode != opened_in_ || !obstacle_of_cover(to_.now).empty()) return close();
  const Result* const result = to_.now.result();
  // A newer result is under way, or the film of the one before, so that something is seen to follow.
  if (!result || !to_.now.is_current || !result->finished.are_all() || maker_.is_busy()) return;
  // The stage that a step makes is the one of the head that is shown, and a film goes to a head that is chosen.
  Source& cell = shown_.watching->cell;
  const bool is_chosen = std::exchange(head_, to_.view.head) != to_.view.head;
  if ((shown_.is_step || is_chosen) && is_per_head(result->config, cell.stage)) {
    const Index heads = head_count(result->config);
    cell.head = std::min(to_.view.head, heads - 1) * matrices_per_entry(result->config, cell.stage) / heads;
  }
  FilmJob wanted = job();
  if (made_ == wanted) return;
  if (const std::string reason = reason_to_end(); !reason.empty()) {
    close();
    return to_.messages.say(reason);
  }
  made_ = wanted;
  maker_.start(std::move(wanted));
}

bool FilmController::poll() {
  std::optional<std::shared_ptr<const Film>> made = maker_.take();
  if (!made) return false;
  if (!shown_.watching) return true;
  const std::shared_ptr<const Film> before = std::exchange(shown_.film, std::move(*made));
  if (shown_.film->scenes.empty()) {
    close();
    return true;
  }
  if (!before) {
    set(shown_.watching->scene, shown_.watching->t, shown_.watching->playing);
    return true;
  }
  // A scene keeps its place though one before it may have come or gone.
  const std::string& id = before->scenes[shown_.watching->scene].id;
  const auto same = std::ranges::find(shown_.film->scenes, id, &FilmScene::id);
  if (same != shown_.film->scenes.end()) {
    shown_.watching->scene = static_cast<std::size_t>(same - shown_.film->scenes.begin());
  } else {
    set(shown_.watching->scene, shown_.watching->t, shown_.watching->playing);
  }
  follow();
  return true;
}

}  // namespace attnscope

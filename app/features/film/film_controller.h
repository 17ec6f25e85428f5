#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compute/background.h"
#include "features/shared/app_services.h"
#include "session/view_state.h"

namespace attnscope {

// The job of making a film of the numbers of a result.
struct FilmJob {
  std::shared_ptr<const Result> result;
  std::vector<std::string> queries;  // their names
  std::vector<std::string> keys;
  Source cell;
  int decimals = 2;
  bool is_step = false;  // only the scenes that make the number's stage
  bool operator==(const FilmJob&) const = default;
};
std::shared_ptr<const Film> compute_film(const FilmJob& job, const std::stop_token& stop);  // throws Cancelled

// The film that is watched: it plays scene by scene, and is made anew in the background whenever its numbers change.
class FilmController {
public:
  // `wake` is called from the background thread when there is something new.
  FilmController(const AppServices& services, FilmShown& shown, const std::function<void()>& wake)
      : to_(services), shown_(shown), maker_(compute_film, wake) {}

  // Plays the film of a number from its beginning. Throws Error if the number has none.
  void watch(const Source& cell);
  // Plays the first of the scenes that make a number's stage, as a step of a presentation, or shows the end of the last
  // one. Closes itself if there are none.
  void watch_step(const Source& cell);
  void watch_step_from_end(const Source& cell);
  // Plays the film of the largest weight of a row as soon as the diagram shows its head, which is being computed.
  void watch_largest(const Source& row) { awaited_row_ = row; }
  void close();
  void leave();  // closes it as a person does, with the way back to the diagram

  void play_or_pause();  // at the end it begins again
  // Go to the next or the scene before: while the film plays it goes on from there, else one scene plays and stops.
  void go_on();
  void go_back();
  void go_to(std::size_t scene, double t);  // and stops there
  void go_to_begin() { go_to(0, 0); }
  void go_to_end();
  void advance(double seconds);  // lets so much time pass, also on the way back

  void follow();  // ends the film if its number is gone, and makes it anew if the numbers are others
  bool poll();    // whether there was anything new
  void wait() { maker_.wait(); }
  bool is_busy() const { return maker_.is_busy(); }

private:
  void begin(FilmShown::Watching watching, bool is_step);
  void begin_awaited();
  std::string reason_to_end() const;
  FilmJob job() const;
  bool is_number_made() const;
  void land(double seconds);
  void set(std::size_t scene, double t, FilmShown::Playing playing);

  AppServices to_;
  FilmShown& shown_;
  std::optional<Source> awaited_row_;
  ViewMode opened_in_;  // the film ends if one goes elsewhere
  Index head_ = 0;      // the head that was shown when it began, or was chosen since
  std::optional<FilmJob> made_;
  Background<FilmJob, std::shared_ptr<const Film>> maker_;  // last: its thread ends before what it uses
};

}  // namespace attnscope

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "interchange/file_series.h"
#include "session/session.h"
#include "session/sweep_choices.h"
#include "views/file_names.h"

// Sweeps of the figure dialog: what is typed as what is drawn.
namespace attnscope {
namespace {

std::string playback_problem(const SweepChoices& chosen) {
  const double rate = chosen.frames_per_second;
  if (chosen.is_series || (rate >= slowest_playback && rate <= fastest_playback)) return {};
  return fmt::format("The animation would play {:g} frames per second, but it must be {:g} to {:g}.", rate,
                     slowest_playback, fastest_playback);
}

double seconds_per_frame(const SweepChoices& chosen) {
  return 1 / std::clamp(chosen.frames_per_second, slowest_playback, fastest_playback);
}

bool replaces_a_file_of(const std::filesystem::path& path, std::size_t count) {
  try {
    const std::optional<FileSeries> series = parse_file_series(path.string());
    std::error_code ignored;
    for (std::size_t number = 1; series && number <= count; ++number) {
      if (std::filesystem::is_regular_file(series->path(number), ignored)) return true;
    }
  } catch (const Error&) {  // said when the file is to be written
  }
  return false;
}

}  // namespace

// What is typed is read anew only when it, or the document, changed.
void Session::follow_sweep() {
  const SweepChoices& chosen = dialog_.figure.sweep;
  figure_state_.obstacle = figure_obstacle();
  figure_state_.replaces_files = replaces_a_file(dialog_);
  figure_state_.frame_count = 0;
  figure_state_.frame_name.clear();
  if (!chosen.is_on || viewed_) {
    swept_.reset();
    sweep_preview_.reset();
    figure_state_.preview_progress.reset();
    return;
  }
  std::string text = sweep_text(chosen);
  if (!swept_ || swept_->edition != edition_ || swept_->text != text) {
    swept_ = {edition_, std::move(text), {}, {}};
    sweep_preview_.reset();
    try {
      swept_->sweep = parse_sweep(swept_->text, history_.current());
      sweep_preview_ = std::make_shared<SweepPreview>(history_.current(), swept_->sweep);
    } catch (const Error& error) {
      swept_->error = error.what();
    }
    figure_state_.preview_progress = sweep_preview_ ? sweep_preview_->progress() : nullptr;
  }
  if (figure_state_.obstacle.empty()) figure_state_.obstacle = swept_->error;
  if (figure_state_.obstacle.empty()) figure_state_.obstacle = playback_problem(chosen);
  if (!sweep_preview_) return;
  play_sweep();
  const std::size_t count = swept_->sweep.values.size();
  dialog_.figure.sweep.frame = std::min(chosen.frame, count - 1);
  figure_state_.frame_count = count;
  if (chosen.is_series) figure_state_.replaces_files = replaces_a_file_of(chosen_path(dialog_), count);
  figure_state_.frame_name = frame_name(history_.current(), swept_->sweep, dialog_.figure.sweep.frame);
}

double Session::seconds_to_next_frame(double now) const {
  const bool is_playing =
      dialog_.kind == DialogState::Kind::figure && sweep_preview_ && dialog_.figure.sweep.is_playing;
  return is_playing ? std::max(0.0, frame_since_ + seconds_per_frame(dialog_.figure.sweep) - now) : -1;
}

// The next frame comes when its time has come and the one before has been seen.
void Session::play_sweep() {
  SweepChoices& chosen = dialog_.figure.sweep;
  const double now = ImGui::GetTime();
  if (!chosen.is_playing) {
    frame_since_ = now;
  } else if (!preview_awaited_since_ && now - frame_since_ >= seconds_per_frame(chosen)) {
    chosen.frame = (chosen.frame + 1) % swept_->sweep.values.size();
    frame_since_ = now;
    const bool is_last = chosen.frame + 1 == swept_->sweep.values.size();
    if (is_last && chosen.plays_once && !chosen.is_series) chosen.is_playing = false;
  }
}

// Why a sweep cannot be written to this path; empty when it can, and for still figures.
std::string Session::sweep_name_problem(const std::filesystem::path& path) const {
  const SweepChoices& chosen = dialog_.figure.sweep;
  if (!chosen.is_on) return {};
  const std::string name = path.filename().string();
  if (kind_by_ending(path) != PictureKind::png) {
    return fmt::format("A sweep cannot be written as {}: end the name in .png.", name);
  }
  try {
    const bool is_numbered = parse_file_series(path.string()).has_value();
    if (chosen.is_series && !is_numbered) {
      return fmt::format("The name {} has no place for the numbers of the pictures: write %03d there, as in {}.", name,
                         numbered_name(name, true));
    }
    if (!chosen.is_series && is_numbered) {
      return fmt::format(
          "The name {} is that of numbered pictures, but an animation is one file: choose numbered "
          "pictures, or another name.",
          name);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace attnscope

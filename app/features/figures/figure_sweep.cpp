#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <variant>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/edit.h"
#include "features/figures/figure_desk.h"
#include "features/figures/picture_writers.h"
#include "features/figures/sweep_choices.h"
#include "interchange/file_series.h"
#include "state/dialog_state.h"

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

constexpr const char* number_pattern = "-%03d";
constexpr Index most_usual_heads = 12;
constexpr Index most_usual_reveals = 32;

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Returns values that show something in most documents.
SweepRange usual_range(const SweptParameter& parameter) {
  if (parameter.name == "dropout") return {"0", "0.9", "0.1"};
  if (parameter.name == swept_embedding) return {"-1", "1", "0.1"};
  if (!parameter.words.empty()) return {fmt::format("{}", fmt::join(parameter.words, ",")), "", ""};
  if (!parameter.is_real) return {"1", parameter.name == "batch_size" ? "4" : "20", ""};
  const double end = std::get<NumberField>(*parameter.field).slider_end;
  return {fmt::format("{:g}", end / 20), fmt::format("{:g}", end), ""};
}

SweepRange usual_heads(const Document& document) {
  Index last = 1;
  for (const Index count : allowed_head_counts(document)) {
    if (count <= std::max(most_usual_heads, head_count(document.config))) last = count;
  }
  return {"1", fmt::format("{}", last), ""};
}

// All of few tokens, and equal steps up to the last of many.
SweepRange usual_tokens(const Document& document) {
  const Index count = token_count(document.config);
  const Index step = (count + most_usual_reveals - 1) / most_usual_reveals;
  const Index first = count - (count - 1) / step * step;
  return {fmt::format("{}", first), fmt::format("{}", count), step == 1 ? "" : fmt::format("{}", step)};
}

}  // namespace

void FigureDesk::follow_sweep() {
  const SweepChoices& chosen = to_.dialog.figure.sweep;
  shown_.obstacle = obstacle();
  shown_.replaces_files = replaces_a_file(to_.dialog);
  shown_.frame_count = 0;
  shown_.frame_name.clear();
  if (!chosen.is_on || to_.now.viewing) return end_sweep();
  read_sweep(chosen);
  if (shown_.obstacle.empty()) shown_.obstacle = swept_->error;
  if (shown_.obstacle.empty()) shown_.obstacle = playback_problem(chosen);
  if (shown_.obstacle.empty() && chosen.parameter == swept_stages && to_.dialog.figure.options.stage)
    shown_.obstacle = "Stages appear one by one in the pipeline: choose that as the stage.";
  if (!sweep_preview_) return;
  play_sweep();
  const std::size_t count = swept_->sweep.values.size();
  to_.dialog.figure.sweep.frame = std::min(chosen.frame, count - 1);
  shown_.frame_count = count;
  if (chosen.is_series) shown_.replaces_files = replaces_a_file_of(chosen_path(to_.dialog), count);
  shown_.frame_name = frame_name(to_.now.document, swept_->sweep, to_.dialog.figure.sweep.frame);
}

void FigureDesk::end_sweep() {
  swept_.reset();
  sweep_preview_.reset();
  shown_.preview_progress.reset();
}

// Reads the typed text anew only when it, or the document, changed.
void FigureDesk::read_sweep(const SweepChoices& chosen) {
  std::string text = sweep_text(chosen);
  const StageSet& left_out = to_.dialog.figure.options.left_out;
  const bool is_same_text = swept_ && swept_->edition == to_.now.edition && swept_->text == text;
  if (is_same_text && swept_->left_out == left_out) return;
  swept_ = {to_.now.edition, std::move(text), left_out, {}, {}};
  sweep_preview_.reset();
  try {
    swept_->sweep = without_stages(parse_sweep(swept_->text, to_.now.document), left_out);
    if (swept_->sweep.values.empty()) throw Error("None of the stages that are chosen is in this document.");
    sweep_preview_ = std::make_shared<SweepPreview>(to_.now.document, swept_->sweep);
  } catch (const Error& error) {
    swept_->error = error.what();
  }
  shown_.preview_progress = sweep_preview_ ? sweep_preview_->progress() : nullptr;
}

double FigureDesk::seconds_to_next_change(double now) const {
  constexpr double drawing_seconds = 0.1;  // between looks at a figure that is being drawn
  if (shown_.under_way || preview_awaited_since_) return drawing_seconds;
  const bool is_playing =
      to_.dialog.kind == DialogState::Kind::figure && sweep_preview_ && to_.dialog.figure.sweep.is_playing;
  return is_playing ? std::max(0.0, frame_since_ + seconds_per_frame(to_.dialog.figure.sweep) - now) : -1;
}

// The next frame comes when its time has come and the one before has been seen.
void FigureDesk::play_sweep() {
  SweepChoices& chosen = to_.dialog.figure.sweep;
  const double now = to_.desktop.seconds();
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
std::string FigureDesk::sweep_name_problem(const std::filesystem::path& path) const {
  const SweepChoices& chosen = to_.dialog.figure.sweep;
  if (!chosen.is_on) return {};
  const std::string name = shown_path(path.filename());
  const PictureFormat* const format = format_by_ending(path, use_of(chosen));
  if (!format)
    return fmt::format("A sweep cannot be written as {}: end the name in {}.", name, endings_for(use_of(chosen)));
  if (format->is_video && !shown_.video_problem.empty())
    return fmt::format("{} cannot be made because {}", name, shown_.video_problem);
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

std::string sweep_text(const SweepChoices& choices) {
  std::string text = choices.parameter;
  if (text == swept_stages) return text;
  if (text == swept_embedding) text += fmt::format("[{},{}]", choices.token + 1, choices.feature + 1);
  const auto found = choices.ranges.find(choices.parameter);
  const SweepRange range = found == choices.ranges.end() ? SweepRange() : found->second;
  text += "=" + without_blanks(range.first);
  const std::string last = without_blanks(range.last);
  const std::string step = without_blanks(range.step);
  if (!last.empty()) text += ".." + last;
  if (!last.empty() && !step.empty()) text += ":" + step;
  return text;
}

void suggest_ranges(SweepChoices& choices, const Document& document) {
  for (const SweptParameter& parameter : swept_parameters()) {
    SweepRange& range = choices.ranges[std::string(parameter.name)];
    if (range == SweepRange()) range = usual_range(parameter);
  }
  choices.ranges["num_heads"] = usual_heads(document);
  choices.ranges["d_out"] = {"1", fmt::format("{}", document.config.d_out), ""};
  choices.ranges[std::string(swept_tokens)] = usual_tokens(document);
  choices.token = std::clamp<Index>(choices.token, 0, token_count(document.config) - 1);
  choices.feature = std::clamp<Index>(choices.feature, 0, input_features(document.config) - 1);
  choices.frame = 0;
  choices.is_playing = false;
}

std::string numbered_name(const std::string& name, bool is_series) {
  const std::filesystem::path path(name);
  std::string stem = path.stem().string();
  const bool is_numbered = stem.ends_with(number_pattern);
  if (is_series == is_numbered || (is_series && stem.find('%') != std::string::npos)) return name;
  if (is_series) {
    stem += number_pattern;
  } else {
    stem.resize(stem.size() - std::string(number_pattern).size());
  }
  return (path.parent_path() / (stem + path.extension().string())).string();
}

}  // namespace attnscope

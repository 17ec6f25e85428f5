#include "features/figures/figure_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/shown_text.h"
#include "features/figures/picture_writers.h"
#include "features/figures/sweep_choices.h"
#include "platform/system/video.h"
#include "state/dialog_state.h"
#include "state/figure_state.h"
#include "state/view_state.h"
#include "study/study.h"
#include "words/explanation_text.h"

namespace attnscope {
namespace {

constexpr double patience = 0.3;  // seconds before it is said that something takes a while

// "lecture-weights.png": the ending stays that of the name before. Sweeps are "lecture-weights-seed.png".
std::string figure_name(const std::filesystem::path& file, const FigureChoices& choices,
                        const std::filesystem::path& name_before) {
  const std::optional<Stage>& stage = choices.options.stage;
  const std::string_view study = choices.options.study.id;
  const std::string_view shown = !study.empty() ? study : stage ? info(*stage).id : "pipeline";
  const std::string stem = fmt::format("{}-{}", file.empty() ? "attention" : file.stem().string(), shown);
  const SweepChoices& sweep = choices.sweep;
  if (sweep.is_on) {
    const bool keeps_ending = !sweep.is_series && format_by_ending(name_before, PictureUse::animation);
    const std::string ending = keeps_ending ? name_before.extension().string() : ".png";
    return numbered_name(fmt::format("{}-{}{}", stem, sweep.parameter, ending), sweep.is_series);
  }
  return stem + (format_by_ending(name_before, PictureUse::still) ? name_before.extension().string() : ".png");
}

std::optional<ViewingDocument> viewing_of(const AnyDocument& document) {
  const auto* const viewing = std::get_if<ViewingDocument>(&document);
  return viewing ? std::optional(*viewing) : std::nullopt;
}

bool is_numbered(const SweepChoices& sweep) { return sweep.is_on && sweep.is_series; }

}  // namespace

// Shows the pinned stage, or else what the window shows; all else stays as it was chosen last.
void FigureDesk::choose_figure_of_view(FigureChoices& choices) const {
  FigureOptions& options = choices.options;
  const AttentionConfig& config = to_.now.document.config;
  const Layout& layout = to_.view.layout;
  options.study = to_.view.layout == Layout::study ? to_.view.study : StudyChoice();
  if (to_.view.layout == Layout::study) options.study.id = shown_study(to_.view.study).id;
  if (to_.view.pinned) options.study.query = to_.view.pinned->row;
  options.stage.reset();
  if (to_.view.pinned) options.stage = to_.view.pinned->stage;
  if (layout.shows_one_stage || to_.now.viewing) options.stage = to_.view.stage;
  if (choices.sweep.is_on && choices.sweep.parameter == swept_stages) options.stage.reset();
  if (!options.study.id.empty()) options.stage = Stage::weights;
  if (options.stage && !has_stage(config, *options.stage)) options.stage = Stage::weights;
  options.head.reset();
  if (layout.shows_one_head) options.head = std::clamp<Index>(to_.view.head, 0, head_count(config) - 1);
  options.batch = std::clamp<Index>(to_.view.batch, 0, config.batch_size - 1);
  options.side = to_.now.document.compared ? to_.view.side : ComparedSide::now;
  choices.name_follows_stage = true;
  choices.is_browsing = false;
  suggest_ranges(choices.sweep, to_.now.document);
  if (to_.now.viewing || !options.study.id.empty()) choices.sweep.is_on = false;
  if (to_.view.figure) return;
  options.theme = colours_of(to_.view.theme).is_dark ? FigureTheme::dark : FigureTheme::light;
  options.range = to_.view.range;
  options.decimals = to_.view.numbers ? std::optional<int>(to_.view.decimals) : std::nullopt;
}

void FigureDesk::apply(const PrepareFigure&) {
  to_.dialog.figure = to_.view.figure.value_or(FigureChoices());
  choose_figure_of_view(to_.dialog.figure);
  to_.dialog.name = figure_name(to_.now.file, to_.dialog.figure, file_name_);
  named_series_ = is_numbered(to_.dialog.figure.sweep);
  shown_.said.clear();
  shown_.video_problem = video_problem();
}

// A name that was typed changes only where the kind of file does.
void FigureDesk::apply(const NameFigure&) {
  const bool is_series = is_numbered(to_.dialog.figure.sweep);
  if (to_.dialog.figure.name_follows_stage) {
    to_.dialog.name = figure_name(to_.now.file, to_.dialog.figure, to_.dialog.name);
  } else if (is_series != named_series_) {
    to_.dialog.name = numbered_name(to_.dialog.name, is_series);
  }
  named_series_ = is_series;
}

FigureOptions FigureDesk::options() const {
  FigureOptions options = to_.dialog.figure.options;
  if (to_.dialog.figure.has_footer) options.footer = to_.subject.footer(to_.now.document);
  const FigureChoices& choices = to_.dialog.figure;
  if (choices.sweep.is_on) options.side = ComparedSide::now;  // of which there are many
  options.part = to_.now.viewing ? part_of(*to_.now.viewing) : std::string();
  const std::shared_ptr<const Result>& result = to_.now.evaluation.result;
  if (choices.shows_pinned && to_.view.pinned && result) {
    const Source cell = with_batch_and_head_of(result->config, *to_.view.pinned);
    if (has_cell(*result, cell)) options.marked = cell;
  }
  if (options.marked && choices.has_arithmetic && !choices.sweep.is_on && result && to_.now.is_current)
    options.arithmetic = arithmetic_of(*result, *options.marked, to_.now.labels);
  return options;
}

// Choices outlive the dialog, however it was closed.
void FigureDesk::end_preview() {
  if (!choices_) return;
  to_.view.figure = std::exchange(choices_, std::nullopt);
  to_.view.figure->preview_width = to_.view.figure->preview_height = 0;
  previewer_.cancel();
  previewed_.reset();
  end_sweep();
  shown_.preview.reset();
  shown_.is_late = false;
}

void FigureDesk::follow() {
  if (to_.dialog.kind != DialogState::Kind::figure) return end_preview();
  choices_ = to_.dialog.figure;
  const FigureChoices& choices = to_.dialog.figure;
  follow_sweep();
  if (choices.preview_width <= 0 || !shown_.obstacle.empty()) return;
  PreviewJob job = {
      .result = drawn(),
      .labels = to_.dialog.figure.options.side == ComparedSide::before ? to_.now.compared_labels : to_.now.labels,
      .options = options(),
      .width = choices.preview_width,
      .height = choices.preview_height,
      .pixels_per_unit = choices.pixels_per_unit,
      .sweep = sweep_preview_,
      .frame = sweep_preview_ ? choices.sweep.frame : 0};
  if (previewed_ == job) return;
  previewed_ = job;
  preview_awaited_since_ = to_.desktop.seconds();
  previewer_.start(std::move(job));
}

// The result, or what it has more than that of the document that it is compared with.
std::shared_ptr<const Result> FigureDesk::drawn() const {
  const bool is_compared = to_.dialog.figure.options.side != ComparedSide::now && to_.now.comparison;
  return is_compared && to_.now.comparison->error.empty() ? to_.now.comparison->difference.result
                                                          : to_.now.evaluation.result;
}

// A figure carries its document, so the numbers must be of it.
std::string FigureDesk::obstacle() const {
  if (!to_.now.is_current || !to_.now.evaluation.result)
    return "The numbers of this document are still being computed.";
  return to_.now.evaluation.error;
}

void FigureDesk::start_export(const std::filesystem::path& path, std::string name) {
  follow_sweep();
  to_.dialog.error = shown_.obstacle;
  if (!to_.dialog.error.empty() || shown_.under_way) return;
  shown_.said.clear();
  const std::optional<ViewingDocument> viewing = viewing_of(to_.subject.to_save(to_.now.document));
  ExportJob job = {.subject = {drawn(), to_.now.document, options(), viewing, path},
                   .sweep = {},
                   .path = path,
                   .copy = to_.desktop.copy_picture};
  const SweepChoices& chosen = to_.dialog.figure.sweep;
  const Playback playback = {chosen.frames_per_second, chosen.plays_once ? 1U : 0U};
  if (sweep_preview_) job.sweep = {swept_->sweep, chosen.is_series, playback, chosen.frame};
  job.progress->is_of_frames = job.sweep.has_value();
  shown_.under_way = {std::move(name), to_.desktop.seconds(), job.progress};
  exporter_.start(std::move(job));
}

// Why nothing can be written to this path; empty when it can.
std::string FigureDesk::name_problem(const std::filesystem::path& path) const {
  const std::filesystem::path folder = path.parent_path();
  std::error_code ignored;
  if (!to_.dialog.figure.sweep.is_on && !format_by_ending(path, PictureUse::still)) {
    return fmt::format("A figure cannot be written as {}: end the name in {}.", shown_path(path.filename()),
                       endings_for(PictureUse::still));
  }
  if (!std::filesystem::is_directory(folder, ignored))
    return fmt::format("There is no folder {}: choose one that is there.", shown_path(folder));
  return sweep_name_problem(path);
}

void FigureDesk::apply(const ExportFigure& command) {
  to_.dialog.error = name_problem(command.path);
  if (!to_.dialog.error.empty()) return;
  exported_ = command.path;
  start_export(command.path, shown_path(command.path.filename()));
}

void FigureDesk::apply(const CopyFigure&) {
  if (!to_.desktop.copy_picture)
    throw Error("Pictures cannot be copied without a window: export the figure to a file.");
  exported_.clear();
  start_export({}, "the picture for the clipboard");
}

void FigureDesk::apply(const StopFigure&) {
  if (!shown_.under_way) return;
  exporter_.cancel();
  to_.messages.say(fmt::format("Stopped drawing {}; nothing was written.", shown_.under_way->name));
  shown_.under_way.reset();
}

// The dialog stays, for the next figure.
void FigureDesk::finish_export(const ExportOutcome& outcome) {
  shown_.under_way.reset();
  to_.messages.say(outcome.said, outcome.is_error);
  const bool is_file = !exported_.empty();
  if (is_file && !outcome.is_error) {
    to_.view.figure_folder = exported_.parent_path().string();
    file_name_ = exported_.filename();
  }
  if (to_.dialog.kind != DialogState::Kind::figure) return;
  if (outcome.is_error) {
    to_.dialog.error = outcome.said;
  } else {
    shown_.said = outcome.said;
  }
}

// A choice that cannot work leaves the picture that was there, with the reason beside it.
void FigureDesk::show_preview(const std::shared_ptr<const FigurePreview>& preview) {
  preview_awaited_since_.reset();
  const std::shared_ptr<const FigurePreview> before = std::exchange(shown_.preview, preview);
  if (preview->error.empty() || !before) return;
  auto kept = std::make_shared<FigurePreview>(*before);
  kept->error = preview->error;
  shown_.preview = kept;
}

bool FigureDesk::poll() {
  bool is_new = false;
  if (std::optional<std::shared_ptr<const FigurePreview>> preview = previewer_.take()) {
    show_preview(*preview);
    is_new = true;
  }
  const bool was_late = shown_.is_late;
  shown_.is_late = preview_awaited_since_ && to_.desktop.seconds() - *preview_awaited_since_ > patience;
  if (const std::optional<ExportOutcome> outcome = exporter_.take()) {
    finish_export(*outcome);
    is_new = true;
  }
  return is_new || was_late != shown_.is_late;
}

void FigureDesk::wait() {
  previewer_.wait();
  exporter_.wait();
}

}  // namespace attnscope

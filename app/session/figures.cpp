#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "session/session.h"
#include "session/sweep_choices.h"
#include "views/file_names.h"

// Figures: their preview while the dialog is open, and their export. Both are drawn in the background.
namespace attnscope {
namespace {

constexpr double patience = 0.3;  // seconds before it is said that something takes a while

// "lecture-weights.png": the ending stays that of the name before. Sweeps are "lecture-weights-seed.png".
std::string figure_name(const std::filesystem::path& file, const FigureChoices& choices,
                        const std::filesystem::path& name_before) {
  const std::optional<Stage>& stage = choices.options.stage;
  const std::string stem =
      fmt::format("{}-{}", file.empty() ? "attention" : file.stem().string(), stage ? info(*stage).id : "pipeline");
  const SweepChoices& sweep = choices.sweep;
  if (sweep.is_on) return numbered_name(fmt::format("{}-{}.png", stem, name_of(sweep.parameter)), sweep.is_series);
  return stem + (kind_by_ending(name_before) ? name_before.extension().string() : ".png");
}

}  // namespace

// Shows what the window shows; all else stays as it was chosen last.
void Session::choose_figure_of_view(FigureChoices& choices) const {
  FigureOptions& options = choices.options;
  const AttentionConfig& config = history_.current().config;
  const bool is_pipeline = view_.layout == Layout::pipeline && !viewed_;
  options.stage = is_pipeline ? std::nullopt : std::optional<Stage>(view_.stage);
  if (options.stage && !has_stage(config, *options.stage)) options.stage = Stage::weights;
  options.head.reset();
  if (view_.layout != Layout::heads) options.head = std::clamp<Index>(view_.head, 0, head_count(config) - 1);
  options.batch = std::clamp<Index>(view_.batch, 0, config.batch_size - 1);
  choices.name_follows_stage = true;
  choices.is_browsing = false;
  suggest_ranges(choices.sweep, history_.current());
  if (viewed_) choices.sweep.is_on = false;
  if (view_.figure) return;
  options.theme = view_.dark ? FigureTheme::dark : FigureTheme::light;
  options.range = view_.range;
  options.decimals = view_.numbers ? std::optional<int>(view_.decimals) : std::nullopt;
}

void Session::show_figure_dialog() {
  const std::string& folder = view_.figure_folder.empty() ? view_.document_folder : view_.figure_folder;
  list_folder(dialog_, folder.empty() ? std::filesystem::current_path() : std::filesystem::path(folder));
  dialog_.figure = view_.figure.value_or(FigureChoices());
  choose_figure_of_view(dialog_.figure);
  dialog_.name = figure_name(file_, dialog_.figure, figure_file_name_);
  figure_state_.said.clear();
}

// A name that was typed changes only where the kind of file does.
void Session::follow_choices_with_name(const SweepChoices& before) {
  const SweepChoices& sweep = dialog_.figure.sweep;
  const bool is_series = sweep.is_on && sweep.is_series;
  if (dialog_.figure.name_follows_stage) {
    dialog_.name = figure_name(file_, dialog_.figure, dialog_.name);
  } else if (is_series != (before.is_on && before.is_series)) {
    dialog_.name = numbered_name(dialog_.name, is_series);
  }
}

FigureOptions Session::figure_options() const {
  FigureOptions options = dialog_.figure.options;
  if (dialog_.figure.has_footer) options.footer = footer();
  return options;
}

// Choices outlive the dialog, however it was closed.
void Session::end_preview() {
  if (!figure_choices_) return;
  view_.figure = std::exchange(figure_choices_, std::nullopt);
  view_.figure->preview_width = view_.figure->preview_height = 0;
  previewer_.cancel();
  previewed_.reset();
  sweep_preview_.reset();
  swept_.reset();  // so that the dialog reads it anew when it is opened again
  figure_state_.preview.reset();
  figure_state_.preview_progress.reset();
  figure_state_.is_late = false;
}

void Session::update_preview() {
  if (dialog_.kind != DialogState::Kind::figure) return end_preview();
  figure_choices_ = dialog_.figure;
  const FigureChoices& choices = dialog_.figure;
  follow_sweep();
  if (choices.preview_width <= 0 || !figure_state_.obstacle.empty()) return;
  PreviewJob job = {.result = evaluation_.result,
                    .labels = labels_,
                    .options = figure_options(),
                    .width = choices.preview_width,
                    .height = choices.preview_height,
                    .pixels_per_unit = choices.pixels_per_unit,
                    .sweep = sweep_preview_,
                    .frame = sweep_preview_ ? choices.sweep.frame : 0};
  if (previewed_ == job) return;
  previewed_ = job;
  preview_awaited_since_ = ImGui::GetTime();
  previewer_.start(std::move(job));
}

// A figure carries its document, so the numbers must be of it.
std::string Session::figure_obstacle() const {
  if (!is_current() || !evaluation_.result) return "The numbers of this document are still being computed.";
  return evaluation_.error;
}

void Session::start_export(const std::filesystem::path& path, std::string name) {
  follow_sweep();
  dialog_.error = figure_state_.obstacle;
  if (!dialog_.error.empty() || figure_state_.under_way) return;
  figure_state_.said.clear();
  ExportJob job = {.subject = {evaluation_.result, history_.current(), figure_options(), viewing_document(), path},
                   .sweep = {},
                   .path = path,
                   .copy = copy_picture_};
  const SweepChoices& chosen = dialog_.figure.sweep;
  const Playback playback = {chosen.frames_per_second, chosen.plays_once ? 1U : 0U};
  if (sweep_preview_) job.sweep = {swept_->sweep, chosen.is_series, playback, chosen.frame};
  job.progress->is_of_frames = job.sweep.has_value();
  figure_state_.under_way = {std::move(name), ImGui::GetTime(), job.progress};
  exporter_.start(std::move(job));
}

void Session::apply(const ExportFigure& command) {
  const std::filesystem::path folder = command.path.parent_path();
  std::error_code ignored;
  if (!kind_by_ending(command.path)) {
    dialog_.error = fmt::format("A figure cannot be written as {}: end the name in .png, .svg or .pdf.",
                                command.path.filename().string());
  } else if (!std::filesystem::is_directory(folder, ignored)) {
    dialog_.error = fmt::format("There is no folder {}: choose one that is there.", folder.string());
  } else if (const std::string problem = sweep_name_problem(command.path); !problem.empty()) {
    dialog_.error = problem;
  } else {
    exported_ = command.path;
    start_export(command.path, command.path.filename().string());
  }
}

void Session::apply(const CopyFigure&) {
  if (!copy_picture_) throw Error("Pictures cannot be copied without a window: export the figure to a file.");
  exported_.clear();
  start_export({}, "the picture for the clipboard");
}

void Session::apply(const StopFigure&) {
  if (!figure_state_.under_way) return;
  exporter_.cancel();
  say(fmt::format("Stopped drawing {}; nothing was written.", figure_state_.under_way->name));
  figure_state_.under_way.reset();
}

// A figure that was written closes the dialog; a copy and a failure leave it open.
void Session::finish_export(const ExportOutcome& outcome) {
  figure_state_.under_way.reset();
  say(outcome.said, outcome.is_error);
  const bool is_file = !exported_.empty();
  if (is_file && !outcome.is_error) {
    view_.figure_folder = exported_.parent_path().string();
    figure_file_name_ = exported_.filename();
  }
  if (dialog_.kind != DialogState::Kind::figure) return;
  if (outcome.is_error) {
    dialog_.error = outcome.said;
  } else if (is_file) {
    dialog_ = {};
  } else {
    figure_state_.said = outcome.said;
  }
}

// A choice that cannot work leaves the picture that was there, with the reason beside it.
void Session::show_preview(const std::shared_ptr<const FigurePreview>& preview) {
  preview_awaited_since_.reset();
  const std::shared_ptr<const FigurePreview> before = std::exchange(figure_state_.preview, preview);
  if (preview->error.empty() || !before) return;
  auto kept = std::make_shared<FigurePreview>(*before);
  kept->error = preview->error;
  figure_state_.preview = kept;
}

bool Session::poll_figures() {
  bool is_new = false;
  if (std::optional<std::shared_ptr<const FigurePreview>> preview = previewer_.take()) {
    show_preview(*preview);
    is_new = true;
  }
  const bool was_late = figure_state_.is_late;
  figure_state_.is_late = preview_awaited_since_ && ImGui::GetTime() - *preview_awaited_since_ > patience;
  if (const std::optional<ExportOutcome> outcome = exporter_.take()) {
    finish_export(*outcome);
    is_new = true;
  }
  return is_new || was_late != figure_state_.is_late;
}

}  // namespace attnscope

#include "features/figures/figure_controller.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/text.h"
#include "document/edit.h"
#include "features/shared/app_services.h"
#include "files/document_file.h"
#include "files/image.h"
#include "platform/system/file.h"
#include "platform/system/other_programs.h"
#include "session/figure_state.h"
#include "session/ui_state.h"
#include "session/view_state.h"
#include "teach/film.h"
#include "teach/teaching_view.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

constexpr double patience = 0.3;  // seconds before it is said that something takes a while

// The name of a file with or without "-%03d" before its ending.
std::string numbered_name(const std::string& name, bool is_series) {
  constexpr std::string_view number_pattern = "-%03d";
  const std::filesystem::path path(name);
  std::string stem = path.stem().string();
  const bool is_numbered = stem.ends_with(number_pattern);
  if (is_series == is_numbered || (is_series && stem.find('%') != std::string::npos)) return name;
  if (is_series) {
    stem += number_pattern;
  } else {
    stem.resize(stem.size() - number_pattern.size());
  }
  return (path.parent_path() / (stem + path.extension().string())).string();
}

bool draws_all_layers(const FigureOptions& options, const AttentionConfig& config) {
  return options.has_all_layers && options.stage && is_per_head(config, *options.stage) && !options.head;
}

// Returns the name of a file or of a trained model, and its layer: "stories-layer3".
std::string subject_name(const UiState& now, const FigureOptions& options) {
  const TrainedModel* const model = now.document.model.get();
  const std::string name = !now.file.empty() ? now.file.stem().string() : model ? model->name : "attention";
  if (!model || draws_all_layers(options, now.document.config)) return name;
  return fmt::format("{}-layer{}", name, std::get<ModelInputs>(now.document.config.inputs).layer + 1);
}

// "lecture-weights.png": the ending stays that of the name before. Sweeps are "lecture-weights-seed.png".
std::string figure_name(const UiState& now, const FigureChoices& choices, const std::filesystem::path& name_before) {
  const std::optional<Stage>& stage = choices.options.stage;
  const std::string_view study = choices.options.study.id;
  const std::string_view shown = !study.empty() ? study : stage ? info(*stage).id : "pipeline";
  const std::string stem = fmt::format("{}-{}", subject_name(now, choices.options), shown);
  const SweepChoices& sweep = choices.sweep;
  const std::string ending = format_by_ending(name_before, use_of(choices)) ? name_before.extension().string() : ".png";
  if (const std::optional<Source>& film = choices.options.film)
    return numbered_name(fmt::format("{}-{}-film{}", subject_name(now, choices.options), info(film->stage).id, ending),
                         sweep.is_series);
  if (!sweep.is_on) return stem + ending;
  return numbered_name(fmt::format("{}-{}{}", stem, sweep.parameter, ending), sweep.is_series);
}

std::optional<ImportedDocument> viewing_of(const AnyDocument& document) {
  const auto* const viewing = std::get_if<ImportedDocument>(&document);
  return viewing ? std::optional(*viewing) : std::nullopt;
}

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

// Returns all tokens if they are few, else equal steps up to the last.
SweepRange usual_tokens(const Document& document) {
  const Index count = token_count(document.config);
  const Index step = (count + most_usual_reveals - 1) / most_usual_reveals;
  const Index first = count - (count - 1) / step * step;
  return {fmt::format("{}", first), fmt::format("{}", count), step == 1 ? "" : fmt::format("{}", step)};
}

// Returns the sweep as it would be typed: "embedding[2,1]=-1..1:0.1".
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

// Choices for a document, where nothing was typed, and where what was typed was for another: heads and tokens.
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

}  // namespace

// Shows the pinned stage, or else what the window shows; all else stays as it was chosen last.
void FigureController::choose_figure_of_view(FigureChoices& choices) const {
  FigureOptions& options = choices.options;
  const AttentionConfig& config = to_.now.document.config;
  const ViewMode& layout = to_.view.mode;
  options.study = to_.view.mode == ViewMode::study ? to_.view.study : TeachingViewChoice();
  if (to_.view.mode == ViewMode::study) options.study.id = shown_study(to_.view.study).id;
  if (to_.view.pinned) options.study.query = to_.view.pinned->row;
  options.stage.reset();
  if (to_.view.pinned) options.stage = to_.view.pinned->stage;
  if (layout.shows_one_stage || to_.now.viewing) options.stage = to_.view.stage;
  if (choices.sweep.is_on && choices.sweep.parameter == swept_stages) options.stage.reset();
  if (!options.study.id.empty()) options.stage = Stage::weights;
  if (options.stage && !has_stage(config, *options.stage)) options.stage = Stage::weights;
  options.has_all_layers = layout == ViewMode::model;
  if (options.has_all_layers) options.stage = Stage::weights;
  options.head.reset();
  if (layout.shows_one_head) options.head = std::clamp<Index>(to_.view.head, 0, head_count(config) - 1);
  options.batch = std::clamp<Index>(to_.view.batch, 0, config.batch_size - 1);
  options.side = to_.now.document.compared ? to_.view.side : ComparedSide::now;
  choices.name_follows_stage = true;
  choices.is_browsing = false;
  suggest_ranges(choices.sweep, to_.now.document);
  if (to_.now.viewing || !options.study.id.empty()) choices.sweep.is_on = false;
  if (options.film) options.film = film_of_view();
  if (to_.view.figure) return;
  options.theme = colours_of(to_.view.theme).is_dark ? FigureTheme::dark : FigureTheme::light;
  options.range = to_.view.range;
  options.decimals = to_.view.numbers ? std::optional<int>(to_.view.decimals) : std::nullopt;
}

void FigureController::prepare() {
  FigureChoices first;  // most figures are made for slides
  set_page_size(first.options, *page_size_named("slide-16x9"));
  to_.dialog.figure = to_.view.figure.value_or(first);
  choose_figure_of_view(to_.dialog.figure);
  to_.dialog.name = figure_name(to_.now, to_.dialog.figure, file_name_);
  named_series_ = use_of(to_.dialog.figure) == PictureUse::series;
  named_film_ = to_.dialog.figure.options.film.has_value();
  shown_.said.clear();
  shown_.video_problem = video_problem();
}

// Proposes a name. A typed one changes only with the kind of file.
void FigureController::propose_name() {
  const bool is_series = use_of(to_.dialog.figure) == PictureUse::series;
  const bool is_film = to_.dialog.figure.options.film.has_value();
  // An animated PNG of a film is ten times as large.
  if (is_film && !named_film_)
    to_.dialog.name = std::filesystem::path(to_.dialog.name).replace_extension(".gif").string();
  named_film_ = is_film;
  if (to_.dialog.figure.name_follows_stage) {
    to_.dialog.name = figure_name(to_.now, to_.dialog.figure, to_.dialog.name);
  } else if (is_series != named_series_) {
    to_.dialog.name = numbered_name(to_.dialog.name, is_series);
  }
  named_series_ = is_series;
}

// Returns the pinned cell if it has a film.
std::optional<Source> FigureController::film_of_view() const {
  const Result* const result = to_.now.result();
  if (!to_.view.pinned || !result) return {};
  const Source cell = with_batch_and_head_of(result->config, *to_.view.pinned);
  const bool has_film = has_cell(*result, cell) && obstacle_to_film(*result, cell).empty();
  return has_film ? std::optional(cell) : std::nullopt;
}

FigureOptions FigureController::options() const {
  FigureOptions options = to_.dialog.figure.options;
  options.has_all_layers = draws_all_layers(options, to_.now.document.config);
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
    options.arithmetic = arithmetic_of(*result, *options.marked, RowNames(query_labels(to_.now), to_.now.labels));
  return options;
}

// Ends the preview. The choices outlive the dialog, however it was closed.
void FigureController::end_preview() {
  if (!choices_) return;
  to_.view.figure = std::exchange(choices_, std::nullopt);
  to_.view.figure->preview_width = to_.view.figure->preview_height = 0;
  previewer_.cancel();
  previewed_.reset();
  end_sweep();
  shown_.preview.reset();
  shown_.is_late = false;
}

void FigureController::follow() {
  if (to_.dialog.kind != DialogState::Kind::figure) return end_preview();
  choices_ = to_.dialog.figure;
  const FigureChoices& choices = to_.dialog.figure;
  follow_sweep();
  if (choices.preview_width <= 0 || !shown_.obstacle.empty()) return;
  const bool is_of_kept = choices.options.side == ComparedSide::baseline && to_.now.compared;
  PreviewJob job = {.result = drawn(),
                    .labels = is_of_kept ? to_.now.compared_labels : to_.now.labels,
                    .options = options(),
                    .width = choices.preview_width,
                    .height = choices.preview_height,
                    .pixels_per_unit = choices.pixels_per_unit,
                    .queries = is_of_kept ? query_labels(*to_.now.compared) : query_labels(to_.now),
                    .sweep = sweep_preview_,
                    .frame = sweep_preview_ || choices.options.film ? choices.sweep.frame : 0};
  if (previewed_ == job) return;
  previewed_ = job;
  preview_awaited_since_ = to_.desktop.seconds();
  previewer_.start(std::move(job));
}

// Returns the result, or its difference from that of the compared document.
std::shared_ptr<const Result> FigureController::drawn() const {
  const bool is_compared = to_.dialog.figure.options.side != ComparedSide::now && to_.now.comparison;
  return is_compared && to_.now.comparison->error.empty() ? to_.now.comparison->difference.result
                                                          : to_.now.evaluation.result;
}

// Returns why no figure can be drawn. A figure carries its document, so the numbers must belong to it.
std::string FigureController::obstacle() const {
  if (!to_.now.is_current || !to_.now.evaluation.result)
    return "The numbers of this document are still being computed.";
  return to_.now.evaluation.error;
}

// Takes the scenes of a film from its preview.
void FigureController::follow_film() {
  SweepChoices& chosen = to_.dialog.figure.sweep;
  const std::size_t count = shown_.preview ? shown_.preview->scenes.size() : 0;
  if (count == 0) return;
  shown_.frame_count = count;
  chosen.frame = std::min(chosen.frame, count - 1);
  shown_.frame_name = shown_.preview->scenes[chosen.frame];
  if (chosen.is_series) shown_.replaces_files = replaces_a_file_of(chosen_path(to_.dialog), count);
}

void FigureController::follow_sweep() {
  const SweepChoices& chosen = to_.dialog.figure.sweep;
  shown_.obstacle = obstacle();
  shown_.replaces_files = replaces_a_file(to_.dialog);
  shown_.frame_count = 0;
  shown_.frame_name.clear();
  if (to_.dialog.figure.options.film) {
    follow_film();
    return end_sweep();
  }
  if (!chosen.is_on || to_.now.viewing) return end_sweep();
  read_sweep(chosen);
  if (shown_.obstacle.empty()) shown_.obstacle = swept_->error;
  if (shown_.obstacle.empty()) shown_.obstacle = playback_problem(chosen);
  if (shown_.obstacle.empty() && chosen.parameter == swept_stages && to_.dialog.figure.options.stage)
    shown_.obstacle = "Stages appear one by one in the diagram: choose that as the stage.";
  if (!sweep_preview_) return;
  play_sweep();
  const std::size_t count = swept_->sweep.values.size();
  to_.dialog.figure.sweep.frame = std::min(chosen.frame, count - 1);
  shown_.frame_count = count;
  if (chosen.is_series) shown_.replaces_files = replaces_a_file_of(chosen_path(to_.dialog), count);
  shown_.frame_name = frame_name(to_.now.document, swept_->sweep, to_.dialog.figure.sweep.frame);
}

void FigureController::end_sweep() {
  swept_.reset();
  sweep_preview_.reset();
  shown_.preview_progress.reset();
}

// Reads the typed text anew only when it, or the document, changed.
void FigureController::read_sweep(const SweepChoices& chosen) {
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

double FigureController::seconds_to_next_change(double now) const {
  constexpr double drawing_seconds = 0.1;  // between looks at a figure that is being drawn
  if (shown_.under_way || preview_awaited_since_) return drawing_seconds;
  const bool is_playing =
      to_.dialog.kind == DialogState::Kind::figure && sweep_preview_ && to_.dialog.figure.sweep.is_playing;
  return is_playing ? std::max(0.0, frame_since_ + seconds_per_frame(to_.dialog.figure.sweep) - now) : -1;
}

// The next frame comes when its time has come and the one before has been seen.
void FigureController::play_sweep() {
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

void FigureController::start_export(const std::filesystem::path& path, std::string name) {
  follow_sweep();
  to_.dialog.error = shown_.obstacle;
  if (!to_.dialog.error.empty() || shown_.under_way) return;
  shown_.said.clear();
  const std::optional<ImportedDocument> viewing = viewing_of(to_.subject.to_save(to_.now.document));
  ExportJob job = {.subject = {drawn(), to_.now.document, options(), viewing, path},
                   .sweep = {},
                   .path = path,
                   .copy = to_.desktop.copy_picture};
  const SweepChoices& chosen = to_.dialog.figure.sweep;
  const Playback playback = {chosen.frames_per_second, chosen.plays_once ? 1U : 0U};
  if (sweep_preview_) job.sweep = {swept_->sweep, chosen.is_series, playback, chosen.frame};
  const bool is_film = job.subject.options.film.has_value();
  if (is_film) job.film.times = playback.times;
  if (is_film) job.film_scene = chosen.frame;
  job.progress->is_of_frames = job.sweep || is_film;
  shown_.under_way = {std::move(name), to_.desktop.seconds(), job.progress};
  exporter_.start(std::move(job));
}

// Returns why this path cannot be written; empty if it can.
std::string FigureController::name_problem(const std::filesystem::path& path) const {
  const SweepChoices& sweep = to_.dialog.figure.sweep;
  const std::string name = shown_path(path.filename());
  const PictureUse use = use_of(to_.dialog.figure);
  const bool is_film = to_.dialog.figure.options.film.has_value();
  const PictureFormat* const format = format_by_ending(path, use);
  if (!format)
    return fmt::format("A {} cannot be written as {}: end the name in {}.",
                       is_film       ? "film"
                       : sweep.is_on ? "sweep"
                                     : "figure",
                       name, endings_for(use));
  std::error_code ignored;
  if (const std::filesystem::path folder = path.parent_path(); !std::filesystem::is_directory(folder, ignored))
    return fmt::format("There is no folder {}: choose one that is there.", shown_path(folder));
  const auto in_use = files_in_use(to_.subject.to_save(to_.now.document));
  if (const std::string problem = failure_of([&] { refuse_to_replace(path, in_use); }); !problem.empty())
    return problem;
  if (!sweep.is_on && !is_film) return {};
  if (format->is_video && !shown_.video_problem.empty())
    return fmt::format("{} cannot be made because {}", name, shown_.video_problem);
  try {
    const bool is_numbered = parse_file_series(path.string()).has_value();
    if (sweep.is_series && !is_numbered)
      return fmt::format("The name {} has no place for the numbers of the pictures: write %03d there, as in {}.", name,
                         numbered_name(name, true));
    if (!sweep.is_series && is_numbered)
      return fmt::format(
          "The name {} is that of numbered pictures, but an animation is one file: choose numbered "
          "pictures, or another name.",
          name);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void FigureController::export_to(const std::filesystem::path& path) {
  to_.dialog.error = name_problem(path);
  if (!to_.dialog.error.empty()) return;
  exported_ = path;
  start_export(path, shown_path(path.filename()));
}

void FigureController::copy() {
  if (!to_.desktop.copy_picture)
    throw Error("Pictures cannot be copied without a window: export the figure to a file.");
  exported_.clear();
  start_export({}, "the picture for the clipboard");
}

void FigureController::stop() {
  if (!shown_.under_way) return;
  exporter_.cancel();
  to_.messages.say(fmt::format("Stopped drawing {}; nothing was written.", shown_.under_way->name));
  shown_.under_way.reset();
}

// Reports the outcome. The dialog stays open for the next figure.
void FigureController::finish_export(const ExportOutcome& outcome) {
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
void FigureController::show_preview(const std::shared_ptr<const FigurePreview>& preview) {
  preview_awaited_since_.reset();
  const std::shared_ptr<const FigurePreview> before = std::exchange(shown_.preview, preview);
  if (preview->error.empty() || !before) return;
  auto kept = std::make_shared<FigurePreview>(*before);
  kept->error = preview->error;
  shown_.preview = kept;
}

bool FigureController::poll() {
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

void FigureController::wait() {
  previewer_.wait();
  exporter_.wait();
}

}  // namespace attnscope

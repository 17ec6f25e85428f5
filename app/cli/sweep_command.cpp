#include "cli/command_line.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "compute/computation.h"
#include "core/text.h"
#include "features/figures/figure_file.h"
#include "files/image.h"
#include "platform/system/file.h"
#include "platform/system/other_programs.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

// One line on standard error, written anew for each frame, where there is somebody to see it.
class ProgressLine {
public:
  ProgressLine() : is_seen_(is_standard_error_a_terminal()) {}
  ~ProgressLine() { put("\r\x1b[K"); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void tell(std::size_t frame, std::size_t count, FrameStep step) const {
    put(fmt::format("\r\x1b[Kframe {} of {} {}", frame + 1, count, step == FrameStep::drawn ? "drawn" : "evaluated"));
  }

private:
  void put(const std::string& text) const {
    if (is_seen_) write_standard_error(text);
  }

  bool is_seen_;
};

Playback playback_of(const FigureArguments& arguments) {
  Playback playback;
  if (!arguments.fps.empty()) {
    playback.frames_per_second = parse_number("--fps", arguments.fps, slowest_playback, fastest_playback);
  }
  constexpr int most_times = 65535;
  if (!arguments.loop.empty()) {
    playback.times = static_cast<std::uint32_t>(parse_whole_number("--loop", arguments.loop, 1, most_times));
  }
  return playback;
}

// The target of all frames: one file, or a series of them.
struct FramesTarget {
  PictureKind kind = PictureKind::png;
  std::optional<FileSeries> series;
};

// `option` is --sweep or --film, whose pictures have this use in one file.
FramesTarget target_of(const FigureArguments& arguments, std::string_view option, PictureUse use) {
  const PictureFormat* const format = format_by_ending(arguments.out, use);
  if (!format) {
    throw UsageError(fmt::format(
        "-o is {}, but with {} a figure is written as {} (an animation{}), or as numbered pictures with a name such "
        "as out-%03d.png.",
        in_quotes(arguments.out), option, endings_for(use), use == PictureUse::film ? ", or pages" : ""));
  }
  FramesTarget target{format->kind, or_refuse([&] { return parse_file_series(arguments.out); })};
  if (target.series && !format->is_numbered)
    throw UsageError(fmt::format("-o is {}, but numbered pictures are written as {}.", in_quotes(arguments.out),
                                 endings_for(PictureUse::series)));
  // Numbered pictures of a film may have a rate: then there is one for each frame.
  const bool is_film = use == PictureUse::film;
  const std::string idle = is_film && target.series ? arguments.loop : arguments.fps + arguments.loop;
  if (target.series && !idle.empty()) {
    throw UsageError(fmt::format("{} for an animation, but -o is {}, which names numbered pictures.",
                                 is_film ? "--loop is" : "--fps and --loop are", in_quotes(arguments.out)));
  }
  if (format->has_pages && !idle.empty())
    throw UsageError(
        fmt::format("--fps and --loop are for an animation, but -o is {}, which has pages.", in_quotes(arguments.out)));
  if (!format->is_video) return target;
  if (!arguments.loop.empty()) {
    throw UsageError(fmt::format(
        "--loop is for animations that are no videos, but -o is {}: the player of a video decides how often it plays.",
        in_quotes(arguments.out)));
  }
  const std::string problem = video_problem();
  if (!problem.empty()) throw UsageError(fmt::format("{} cannot be made because {}", arguments.out, problem));
  return target;
}

// Chooses the stage that shows a parameter best, where none was asked for. Dropout comes after the weights, and the
// range up to what a kept weight of 1 is scaled to would leave nearly all cells dark.
FigureArguments adapted(FigureArguments arguments, std::string_view parameter) {
  if (parameter == swept_stages) {
    arguments.infer("stage", "pipeline");
    for (const char* const key : {"stage", "study"}) {
      if (arguments[key].empty() || arguments[key] == "pipeline") continue;
      throw UsageError(fmt::format("--sweep is stages, which needs the pipeline, but --{0} is {1}: leave --{0} out.",
                                   key, in_quotes(arguments[key])));
    }
    return arguments;
  }
  if (parameter != "dropout" || !arguments["study"].empty()) return arguments;
  arguments.infer("stage", "dropped_weights");
  arguments.infer("range", "shared");
  return arguments;
}

// Keeps what a swept picture showed, as far as every frame has it and the sweep changes it.
FigureArguments known_arguments(const FigureArguments& typed, const LoadedDocument& loaded,
                                std::string_view parameter) {
  FigureArguments known = as_seen(typed, loaded.document, loaded.view);
  const bool is_still = parameter == "dropout" && known["stage"] == "weights";
  const bool is_another_stage = parameter == swept_stages && known["stage"] != "pipeline";
  if (is_still || is_another_stage) known["stage"] = typed["stage"];
  if (known["head"] == "all" ? is_another_stage : parameter == "num_heads") known["head"] = typed["head"];
  return adapted(std::move(known), parameter);
}

// Writes all pictures or, if it ends before, none.
void write_series(Animation& animation, const FileSeries& series, const FrameWatch& watch, const Execution& execution) {
  SeriesWriter writer(series);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    writer.add(or_refuse([&] { return frame_file(animation, frame, watch, execution); }));
  }
  check_stop(execution);
  writer.commit();
}

// Throws Error before the work, not after it; leaves no file.
void check_can_be_written(const std::filesystem::path& path) { const FileWriter writer(path); }

}  // namespace

void run_sweep(const FigureArguments& arguments) {
  const Playback playback = playback_of(arguments);
  const FramesTarget target = target_of(arguments, "--sweep", PictureUse::animation);
  const std::optional<FileSeries>& series = target.series;
  const LoadedDocument loaded = load_with_view_or_refuse(arguments.document);
  const Document& document = loaded.document;
  refuse_view_options(arguments.view, arguments.document);
  Sweep sweep = or_refuse([&] { return parse_sweep(arguments.sweep.value_or(""), document); });
  const FigureArguments figure = known_arguments(arguments, loaded, sweep.parameter);
  sweep = without_stages(std::move(sweep), figure_options(figure, document).left_out);
  if (!arguments.study_values.empty())
    check_controls(figure, figure_options(figure, document), document, *compute(document.config).result);
  if (sweep.values.empty()) throw UsageError("None of the stages in --stages is in this document: choose others.");
  if (sweep.parameter == "seed" && document.config.dropout_seed && dropout_is_active(document.config))
    tell(fmt::format("The dropout mask has a seed of its own, {}, and stays: sweep dropout_seed for other masks.",
                     *document.config.dropout_seed));
  Animation animation(document, sweep, [&](const Document& shown) {
    FigureOptions options = figure_options(figure, shown);
    if (figure["scale"].empty() && !series) limit_animation(options);
    if ((arguments["cell"] + arguments["stage"]).empty()) options.marked = cell_seen(shown, loaded.view);
    return options;
  });
  animation.check_memory();
  check_can_be_written(series ? series->path(1) : std::filesystem::path(arguments.out));
  Interrupt interrupt;
  const Execution execution = interrupt.execution();
  const ProgressLine line;
  const FrameWatch watch = [&](std::size_t frame, FrameStep step) { line.tell(frame, animation.frame_count(), step); };
  try {
    or_refuse([&] { animation.look(watch, execution); });
    if (series) {
      write_series(animation, *series, watch, execution);
    } else {
      write_file(arguments.out,
                 or_refuse([&] { return animation_file(animation, target.kind, playback, watch, execution); }));
    }
  } catch (const Cancelled&) {
    throw Interrupted(fmt::format("Stopped: {} is {}written.",
                                  series ? "no picture of " + arguments.out : arguments.out, series ? "" : "not "));
  }
}

namespace {

// A page of a film is as wide as the film was made for, unless somebody chose another width.
FigureArguments film_arguments(FigureArguments arguments) {
  if (!(arguments["width"] + arguments["size"]).empty()) return arguments;
  arguments.infer("width", fmt::format("{}px", film_width));
  return arguments;
}

void write_film_series(FilmPictures& film, const FileSeries& series, const FilmPlayback& playback,
                       const ProgressLine& line) {
  SeriesWriter writer(series);
  const std::size_t count = film.picture_count(playback);
  for (std::size_t number = 0; number < count; ++number) {
    line.tell(number, count, FrameStep::drawn);
    writer.add(or_refuse([&] { return film.picture(playback, number); }));
  }
  writer.commit();
}

}  // namespace

void run_film(const FigureArguments& arguments) {
  const Playback typed = playback_of(arguments);
  const FilmPlayback playback{arguments.fps.empty() ? std::optional<double>() : std::optional(typed.frames_per_second),
                              typed.times};
  const FramesTarget target = target_of(arguments, "--film", PictureUse::film);
  ViewArguments view = arguments.view;
  view.layer.clear();
  refuse_view_options(view, arguments.document);
  Document document = load_or_refuse(arguments.document, arguments.view.layer);
  FigureOptions options = figure_options(film_arguments(arguments), document);
  if (!options.decimals)
    throw UsageError("--decimals is \"none\", but a film is made of numbers: choose 0 to 4, or leave it out.");
  const bool is_sharp = target.series || format_of(target.kind).is_vector;
  if (arguments["scale"].empty() && !is_sharp) limit_animation(options);
  check_can_be_written(target.series ? target.series->path(1) : std::filesystem::path(arguments.out));
  Interrupt interrupt;
  const Execution execution = interrupt.execution();
  const ProgressLine line;
  try {
    const FigureSubject subject{compute(document.config).result, std::move(document), std::move(options)};
    FilmPictures film = or_refuse([&] { return FilmPictures(subject, execution); });
    if (target.series) return write_film_series(film, *target.series, playback, line);
    const FilmWatch watch = [&](std::size_t frame, std::size_t count) { line.tell(frame, count, FrameStep::drawn); };
    write_file(arguments.out, or_refuse([&] { return film.file(target.kind, playback, watch); }));
  } catch (const Cancelled&) {
    throw Interrupted(fmt::format("Stopped: {} is {}written.",
                                  target.series ? "no picture of " + arguments.out : arguments.out,
                                  target.series ? "" : "not "));
  }
}

}  // namespace attnscope

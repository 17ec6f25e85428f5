#include "features/figures/figure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "core/dropout.h"
#include "core/error.h"
#include "core/text.h"
#include "document/document.h"
#include "document/json.h"
#include "features/shared/app_services.h"
#include "files/image.h"
#include "paint/file/figure.h"
#include "platform/system/file.h"
#include "platform/system/other_programs.h"
#include "session/view_state.h"

namespace attnscope {
namespace {

constexpr const char* too_little_memory = "There is not enough memory for this figure: make it smaller.";

// The figures of an animation, one after the other. `figure` is called once for each; it may throw Cancelled.
struct Frames {
  std::size_t count = 0;
  std::function<Figure(std::size_t frame)> figure;
  std::size_t gif_colours = 256;  // of a frame
};

// Throws Error if an animation becomes too large to be opened again.
void check_size(std::size_t bytes, std::size_t frame, std::size_t count) {
  if (bytes <= max_document_bytes) return;
  throw Error(
      fmt::format("The animation has more than {} bytes after {} of {} frames, which could not be opened "
                  "again: choose fewer frames, or a smaller width or scale.",
                  max_document_bytes, frame + 1, count));
}

Frames frames_of(Animation& animation, const FrameWatch& watch, const Execution& execution) {
  return {animation.frame_count(), [&animation, watch, execution](std::size_t frame) {
            check_stop(execution);
            watch(frame, FrameStep::drawn);
            return animation.figure(frame, execution);
          }};
}

// Returns the bytes of a PNG of one frame, without its document.
std::string frame_picture(const Frames& frames, std::size_t frame, const Execution& execution) {
  std::string png = render_png(frames.figure(frame), {execution.stop});
  check_stop(execution);  // what was asked for during the drawing
  return png;
}

// Equal frames become one that is shown for longer.
FrameWriter png_writer(const Frames& frames, const Playback& playback, const Execution& execution) {
  struct Pictures {
    std::vector<std::pair<std::string, std::size_t>> pictures;
    std::size_t bytes = 0;
  };
  const auto all = std::make_shared<Pictures>();
  const auto add = [all, frames, execution](std::size_t frame) {
    std::string png = frame_picture(frames, frame, execution);
    if (!all->pictures.empty() && all->pictures.back().first == png) {
      ++all->pictures.back().second;
      return;
    }
    all->bytes += png.size();
    check_size(all->bytes, frame, frames.count);
    all->pictures.emplace_back(std::move(png), 1);
  };
  return {frames.count, add, [all, playback] {
            AnimatedPng png(all->pictures.size(), playback);
            for (auto& [picture, times] : all->pictures) {
              png.add_frame(picture, times);
              picture = {};
            }
            return png.finish();
          }};
}

// Returns the pixels of a frame, on white. `is_even` repeats the last row or column of an odd size.
Image drawn_image(const Frames& frames, std::size_t frame, bool is_even, const Execution& execution) {
  const Figure figure = frames.figure(frame);
  const FigureImage drawn = render_image(figure, figure.options.scale, execution.stop);
  Image image{drawn.width + (is_even ? drawn.width % 2 : 0), drawn.height + (is_even ? drawn.height % 2 : 0), {}};
  image.pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (int row = 0; row < image.height; ++row) {
    for (int col = 0; col < image.width; ++col) {
      const int at = std::min(row, drawn.height - 1) * drawn.width + std::min(col, drawn.width - 1);
      const std::uint8_t* const rgba = drawn.pixels.data() + static_cast<std::size_t>(at) * 4;
      const int alpha = rgba[3];
      for (int i = 0; i < 3; ++i)
        image.pixels.push_back(static_cast<std::uint8_t>((rgba[i] * alpha + 255 * (255 - alpha) + 127) / 255));
      image.pixels.push_back(255);
    }
  }
  return image;
}

FrameWriter gif_writer(const Frames& frames, const Playback& playback, const Execution& execution) {
  const auto gif = std::make_shared<AnimatedGif>(playback, frames.gif_colours);
  const auto add = [gif, frames, execution](std::size_t frame) {
    gif->add_frame(drawn_image(frames, frame, false, execution));
    check_size(gif->size(), frame, frames.count);
  };
  return {frames.count, add, [gif] { return gif->finish(); }};
}

FrameWriter video_writer(const Frames& frames, const Playback& playback, const Execution& execution) {
  const auto video = std::make_shared<std::optional<VideoEncoder>>();
  const auto add = [video, frames, playback, execution](std::size_t frame) {
    const Image image = drawn_image(frames, frame, true, execution);
    if (!*video) video->emplace(image.width, image.height, playback.frames_per_second);
    (*video)->add_frame(image.pixels, execution.stop);
  };
  return {frames.count, add, [video, execution] { return (*video)->finish(execution.stop); }};
}

std::string all_of(const FrameWriter& writer) {
  for (std::size_t frame = 0; frame < writer.count; ++frame) writer.add(frame);
  return writer.finish();
}

// A format has no still or no animated writer if its row in picture_formats() says that it does not serve that use.
struct PictureWriter {
  PictureKind kind;
  std::string (*still)(const Figure&, const DrawWatch&) = nullptr;
  FrameWriter (*animated)(const Frames&, const Playback&, const Execution&) = nullptr;
};
constexpr std::array writers = {
    PictureWriter{PictureKind::png, render_png, png_writer}, PictureWriter{PictureKind::svg, render_svg},
    PictureWriter{PictureKind::pdf, render_pdf}, PictureWriter{PictureKind::gif, nullptr, gif_writer},
    PictureWriter{PictureKind::mp4, nullptr, video_writer}};

const PictureWriter& writer_of(PictureKind kind) { return *std::ranges::find(writers, kind, &PictureWriter::kind); }

// The animation must outlive the writer.
FrameWriter animation_writer(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                             const Execution& execution) {
  const FrameWriter writer = writer_of(kind).animated(frames_of(animation, watch, execution), playback, execution);
  return {writer.count, writer.add,
          [=, &animation] { return with_document(writer.finish(), kind, animation.document()); }};
}

void put(const ExportJob& job, const std::string& bytes, const std::stop_token& stop) {
  if (job.path.empty()) return job.copy(bytes, stop);
  FileWriter file(job.path);
  file.write(bytes);
  if (stop.stop_requested()) throw Cancelled{};
  file.commit();
}

// Returns the kind of picture; the clipboard takes a PNG.
PictureKind kind_for(const ExportJob& job, PictureUse use) {
  const PictureFormat* const format = format_by_ending(job.path, use);
  return format ? format->kind : PictureKind::png;
}

FrameWriter export_still(const ExportJob& job, const std::stop_token& stop) {
  const auto export_it = [&job, stop] {
    DrawingProgress& progress = *job.progress;
    const auto tell_drawn = [&](std::size_t drawn, std::size_t count) {
      progress.count = count;
      progress.drawn = drawn;
    };
    const DrawWatch watch = {stop, tell_drawn, [&](float part) { progress.encoded = part; }};
    put(job, figure_file(job.subject, kind_for(job, PictureUse::still), watch), stop);
    return job.path.empty() ? "Copied the figure as PNG." : fmt::format("Exported {}.", shown_path(job.path));
  };
  return {0, {}, export_it};
}

// Writes numbered pictures; returns what is said then.
FrameWriter series_writer(const FileSeries& series, std::size_t count,
                          const std::function<std::string(std::size_t)>& picture, const std::stop_token& stop) {
  const auto writer = std::make_shared<SeriesWriter>(series);
  return {count, [=](std::size_t number) { writer->add(picture(number)); },
          [=] {
            if (stop.stop_requested()) throw Cancelled{};
            writer->commit();
            return fmt::format("Exported {} pictures, {} to {}.", count, shown_path(series.path(1)),
                               shown_path(series.path(count).filename()));
          }};
}

// Writes one file of all frames; returns what is said then.
FrameWriter file_writer(const ExportJob& job, const FrameWriter& writer, const std::string& said,
                        const std::stop_token& stop) {
  return {writer.count, writer.add, [=, &job] {
            put(job, writer.finish(), stop);
            return said;
          }};
}

FrameWriter export_sweep(const ExportJob& job, const SweepJob& sweep, const std::stop_token& stop) {
  const Execution execution = {.stop = stop};
  const auto animation =
      std::make_shared<Animation>(job.subject.document, sweep.sweep, frame_choices(job.subject.options));
  animation->check_memory();
  const std::size_t count = animation->frame_count();
  DrawingProgress& progress = *job.progress;
  progress.count = count;
  const FrameWatch watch = [&progress, count](std::size_t frame, FrameStep step) {
    const bool is_drawn = step == FrameStep::drawn;
    progress.computed = is_drawn ? count : frame;
    if (is_drawn) progress.drawn = frame;
  };
  FrameWriter drawing;
  const std::optional<FileSeries> series =
      sweep.is_series ? parse_file_series(job.path.string()) : std::optional<FileSeries>();
  if (job.path.empty()) {
    drawing.finish = [=, &job, frame = sweep.frame] {
      put(job, frame_file(*animation, frame, watch, execution), stop);
      return "Copied the frame as PNG.";
    };
  } else if (series) {
    drawing = series_writer(
        *series, count, [=](std::size_t frame) { return frame_file(*animation, frame, watch, execution); }, stop);
  } else {
    const PictureKind kind = kind_for(job, PictureUse::animation);
    drawing = file_writer(job, animation_writer(*animation, kind, sweep.playback, watch, execution),
                          fmt::format("Exported {}, {} frames.", shown_path(job.path), count), stop);
  }
  const auto step = [=](std::size_t number) {
    number < count ? animation->look_at_next(watch, execution) : drawing.add(number - count);
  };
  return {count + drawing.count, step, drawing.finish};
}

FrameWriter export_film(const ExportJob& job, const std::stop_token& stop) {
  const auto film = std::make_shared<FilmPictures>(job.subject, Execution{.stop = stop});
  DrawingProgress& progress = *job.progress;
  const auto tell = [&progress](std::size_t frame, std::size_t count) {
    progress.count = progress.computed = count;
    progress.drawn = frame;
  };
  if (job.path.empty()) {
    const auto copy = [=, &job] {
      put(job, film->picture({}, job.film_scene), stop);
      return "Copied the scene as PNG.";
    };
    return {0, {}, copy};
  }
  if (const std::optional<FileSeries> series = parse_file_series(job.path.string())) {
    const std::size_t count = film->picture_count(job.film);
    const auto picture = [=, playback = job.film](std::size_t number) {
      tell(number, count);
      return film->picture(playback, number);
    };
    return series_writer(*series, count, picture, stop);
  }
  // It holds the film, which it draws.
  const PictureKind kind = kind_for(job, PictureUse::film);
  FrameWriter writer = format_of(kind).has_pages
                           ? FrameWriter{0, {}, [=, playback = job.film] { return film->file(kind, playback, tell); }}
                           : film->writer(kind, job.film, tell);
  writer.finish = [film, finish = writer.finish] { return finish(); };
  return file_writer(job, writer,
                     fmt::format("Exported {}, {} scenes.", shown_path(job.path), film->figures().film().scenes.size()),
                     stop);
}

}  // namespace

std::string figure_file(const FigureSubject& subject, PictureKind kind, const DrawWatch& watch) {
  const bool is_of_other = subject.options.side == ComparedSide::baseline && subject.document.compared;
  const Document& shown = is_of_other ? *subject.document.compared : subject.document;
  const Figure figure = make_figure(subject.result, RowNames(query_labels(shown), token_labels(shown.tokens)),
                                    subject.options, {.stop = watch.stop});
  const std::string bytes = writer_of(kind).still(figure, watch);
  const std::string view = view_text(subject.options);
  if (subject.viewing) return with_document(bytes, kind, *subject.viewing, subject.carrier, view);
  return with_document(bytes, kind, subject.document, {}, view);
}

std::string animation_file(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution) {
  return all_of(animation_writer(animation, kind, playback, watch, execution));
}

std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution) {
  const Frames frames = frames_of(animation, watch, execution);
  return with_document(frame_picture(frames, frame, execution), PictureKind::png, animation.document(frame));
}

namespace {

// A film shows letters and cells of one colour, so few colours are enough.
constexpr std::size_t film_gif_colours = 64;

// Frames a second that a format shows well: a GIF counts in hundredths of a second, and grows with each frame.
double film_rate(PictureKind kind, const FilmPlayback& playback) {
  const double usual = kind == PictureKind::mp4 ? 25 : kind == PictureKind::gif ? 100.0 / 6 : 15;
  return playback.frames_per_second.value_or(usual);
}

FilmFigures film_figures(const FigureSubject& subject, const Execution& execution) {
  const std::vector<std::string> queries = visible_texts(query_labels(subject.document));
  const std::vector<std::string> keys = visible_texts(token_labels(subject.document.tokens));
  return {*subject.result, RowNames(queries, keys), subject.options, execution.stop};
}

// Returns the moments that numbered pictures show.
std::vector<FilmMoment> pictured_moments(const FilmFigures& figures, const FilmPlayback& playback) {
  if (playback.frames_per_second) return figures.moments(*playback.frames_per_second);
  std::vector<FilmMoment> ends;
  for (std::size_t scene = 0; scene < figures.film().scenes.size(); ++scene) ends.push_back({scene, 1});
  return ends;
}

}  // namespace

FilmPictures::FilmPictures(const FigureSubject& subject, const Execution& execution)
    : subject_(subject), execution_(execution), figures_(film_figures(subject, execution)) {}

std::string FilmPictures::with_subject(const std::string& bytes, PictureKind kind) const {
  FigureOptions options = subject_.options;  // opened again, it is the diagram with the cell pinned
  options.stage.reset();
  options.head = options.film->head;
  options.batch = options.film->batch;
  options.marked = options.film;
  return with_document(bytes, kind, subject_.document, {}, view_text(options));
}

std::string FilmPictures::file(PictureKind kind, const FilmPlayback& playback, const FilmWatch& watch) {
  if (format_of(kind).has_pages) {
    std::vector<Figure> pages;
    for (std::size_t scene = 0; scene < figures_.film().scenes.size(); ++scene)
      pages.push_back(figures_.key_frame(scene));
    return with_subject(render_pdf(pages, figures_.film().number, {execution_.stop}), kind);
  }
  return all_of(writer(kind, playback, watch));
}

FrameWriter FilmPictures::writer(PictureKind kind, const FilmPlayback& playback, const FilmWatch& watch) {
  const double rate = film_rate(kind, playback);
  const std::vector<FilmMoment> moments = figures_.moments(rate);
  const Frames frames{moments.size(),
                      [this, moments, watch](std::size_t frame) {
                        check_stop(execution_);
                        if (watch) watch(frame, moments.size());
                        return figures_.figure(moments[frame]);
                      },
                      film_gif_colours};
  const FrameWriter writer = writer_of(kind).animated(frames, {rate, playback.times}, execution_);
  return {writer.count, writer.add, [=, this] { return with_subject(writer.finish(), kind); }};
}

std::size_t FilmPictures::picture_count(const FilmPlayback& playback) const {
  return pictured_moments(figures_, playback).size();
}

std::string FilmPictures::picture(const FilmPlayback& playback, std::size_t number) {
  check_stop(execution_);
  const Figure figure = figures_.figure(pictured_moments(figures_, playback).at(number));
  return with_subject(render_png(figure, {execution_.stop}), PictureKind::png);
}

struct ExportSteps {
  std::optional<FrameWriter> writer;  // nothing before the first step
  std::size_t done = 0;
};

std::shared_ptr<ExportSteps> make_export_steps() { return std::make_shared<ExportSteps>(); }

std::optional<ExportOutcome> export_figure(const ExportJob& job, const std::stop_token& stop) {
  ExportSteps& steps = *job.steps;
  try {
    if (!steps.writer) {
      steps.writer = job.subject.options.film ? export_film(job, stop)
                     : job.sweep              ? export_sweep(job, *job.sweep, stop)
                                              : export_still(job, stop);
    }
    if (steps.done == steps.writer->count) return ExportOutcome{steps.writer->finish()};
    steps.writer->add(steps.done++);
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return ExportOutcome{too_little_memory, true};
  } catch (const std::exception&) {
    return ExportOutcome{current_failure(), true};
  }
}

namespace {

Figure previewed_figure(const PreviewJob& job, FigurePreview& preview, const std::stop_token& stop) {
  if (job.options.film) {
    const FilmFigures film(*job.result, RowNames(job.queries, job.labels), job.options, stop);
    for (const FilmScene& scene : film.film().scenes) preview.scenes.push_back(scene.name);
    return film.key_frame(std::min(job.frame, preview.scenes.size() - 1));
  }
  return job.sweep ? job.sweep->figure(job.frame, job.options, {.stop = stop})
                   : make_figure(job.result, RowNames(job.queries, job.labels), job.options, {.stop = stop});
}

}  // namespace

std::shared_ptr<const FigurePreview> draw_preview(const PreviewJob& job, const std::stop_token& stop) {
  auto preview = std::make_shared<FigurePreview>();
  preview->theme = job.options.theme;
  preview->pixels_per_unit = job.pixels_per_unit;
  try {
    const Figure figure = previewed_figure(job, *preview, stop);
    preview->width = figure.width;
    preview->height = figure.height;
    preview->image = render_image(figure, std::min(job.width / figure.width, job.height / figure.height), stop);
  } catch (const std::bad_alloc&) {
    preview->error = too_little_memory;
  } catch (const std::exception&) {
    preview->error = current_failure();
  }
  return preview;
}

namespace {

std::uint64_t bytes_of(const Tensor& tensor) { return tensor.values.size() * sizeof(float); }

// Counts the bytes of a result that it does not share with the one before.
std::uint64_t bytes_of(const Result& result, const Result* before) {
  std::uint64_t bytes = bytes_beyond(result.config, before ? before->config : AttentionConfig());
  for (const StageInfo& stage : stages()) {
    const TensorPtr& tensor = result.tensors[stage.stage];
    if (tensor && !(before && before->tensors[stage.stage] == tensor)) bytes += bytes_of(*tensor);
  }
  if (result.parameters && !(before && before->parameters == result.parameters)) {
    for (const Parameter& parameter : *result.parameters) bytes += bytes_of(parameter.tensor);
  }
  if (result.dropout && !(before && before->dropout == result.dropout)) bytes += result.dropout->bytes();
  return bytes;
}

}  // namespace

FrameResults::FrameResults(Document document, Sweep sweep, std::uint64_t kept_bytes)
    : document_(std::move(document)), sweep_(std::move(sweep)), room_(kept_bytes), kept_(sweep_.values.size()) {}

Document FrameResults::document(std::size_t frame) const { return frame_document(document_, sweep_, frame); }

std::string FrameResults::name(std::size_t frame) const { return frame_name(document_, sweep_, frame); }

std::shared_ptr<const Result> FrameResults::result(std::size_t frame, const Execution& execution) {
  if (sweep_.parameter == swept_stages) frame = 0;  // the same document in every frame
  if (kept_[frame]) return kept_[frame];
  const Computed before = std::exchange(latest_, compute(document(frame).config, execution, latest_, &engine_));
  const std::uint64_t bytes = bytes_of(*latest_.result, before.result.get());
  if (bytes <= room_) {
    room_ -= bytes;
    kept_[frame] = latest_.result;
  }
  return latest_.result;
}

Animation::Animation(std::shared_ptr<FrameResults> frames, Choose choose)
    : frames_(std::move(frames)), choose_(std::move(choose)) {}

Animation::Animation(Document document, Sweep sweep, Choose choose)
    : Animation(std::make_shared<FrameResults>(std::move(document), std::move(sweep)), std::move(choose)) {}

FigureContent Animation::content(std::size_t frame, const Execution& execution) {
  const Document shown = document(frame);
  FigureOptions options = choose_(shown);
  options.last_stage = frames_->last_stage(frame);
  options.title += (options.title.empty() ? "" : " · ") + visible_text(frames_->name(frame));
  return describe_figure(frames_->result(frame, execution),
                         RowNames(visible_texts(query_labels(shown)), visible_texts(token_labels(shown.tokens))),
                         options, execution);
}

void Animation::check_memory() const {
  for (std::size_t frame = 0; frame < frame_count(); ++frame) check_free_memory(document(frame).config);
}

void Animation::look(const FrameWatch& watch, const Execution& execution) {
  while (looked_at_ < frame_count()) look_at_next(watch, execution);
}

void Animation::look_at_next(const FrameWatch& watch, const Execution& execution) {
  if (looked_at_ == frame_count()) return;
  check_stop(execution);
  if (watch) watch(looked_at_, FrameStep::evaluated);
  series_.add(content(looked_at_, execution));
  ++looked_at_;
}

Figure Animation::figure(std::size_t frame, const Execution& execution) {
  return series_.make(content(frame, execution), execution);
}

Animation::Choose frame_choices(FigureOptions options) {
  return [options = std::move(options)](const Document& shown) {
    FigureOptions chosen = options;
    if (!chosen.footer.empty()) chosen.footer = footer_text(shown);
    return chosen;
  };
}

SweepPreview::SweepPreview(Document document, Sweep sweep)
    : frames_(std::make_shared<FrameResults>(std::move(document), std::move(sweep))) {
  progress_->is_of_frames = true;
  progress_->count = frames_->frame_count();
}

Figure SweepPreview::figure(std::size_t frame, const FigureOptions& options, const Execution& execution) {
  if (!animation_ || options_ != options) {
    Animation animation(frames_, frame_choices(options));
    animation.check_memory();
    animation_ = std::move(animation);
    options_ = options;
  }
  animation_->look([&](std::size_t looked_at, FrameStep) { progress_->computed = looked_at; }, execution);
  progress_->computed = frames_->frame_count();
  return animation_->figure(frame, execution);
}

}  // namespace attnscope

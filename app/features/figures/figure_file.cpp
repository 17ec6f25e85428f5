#include "features/figures/figure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/error.h"
#include "core/shown_text.h"
#include "features/figures/picture_writers.h"
#include "features/shared/message_desk.h"
#include "features/shared/picture_view.h"
#include "interchange/file_series.h"
#include "paint_file/figure.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr const char* too_little_memory = "There is not enough memory for this figure: make it smaller.";

Execution stopped_by(const std::stop_token& stop) {
  Execution execution;
  execution.stop = stop;
  return execution;
}

Figure figure_of(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                 const FigureOptions& options, const std::stop_token& stop) {
  return make_figure(result, labels, options, stopped_by(stop));
}

void write_unless_stopped(const std::filesystem::path& path, const std::string& bytes, const std::stop_token& stop) {
  FileWriter file(path);
  file.write(bytes);
  if (stop.stop_requested()) throw Cancelled{};
  file.commit();
}

void put(const ExportJob& job, const std::string& bytes, const std::stop_token& stop) {
  if (job.path.empty()) {
    job.copy(bytes, stop);
  } else {
    write_unless_stopped(job.path, bytes, stop);
  }
}

// The clipboard takes a PNG.
PictureKind kind_for(const ExportJob& job, PictureUse use) {
  const PictureFormat* const format = format_by_ending(job.path, use);
  return format ? format->kind : PictureKind::png;
}

std::string export_still(const ExportJob& job, const std::stop_token& stop) {
  const DrawWatch watch = [&](std::size_t drawn_panels, std::size_t count) {
    job.progress->count = count;
    job.progress->drawn = drawn_panels;
  };
  const EncodeWatch encoding = [&](float part) { job.progress->encoded = part; };
  put(job, figure_file(job.subject, kind_for(job, PictureUse::still), stop, watch, encoding), stop);
  return job.path.empty() ? "Copied the figure as PNG." : fmt::format("Exported {}.", shown_path(job.path));
}

FrameWatch watch_of(DrawingProgress& progress) {
  return [&](std::size_t frame, FrameStep step) {
    const bool is_drawn = step == FrameStep::drawn;
    progress.computed = is_drawn ? progress.count.load() : frame;
    if (is_drawn) progress.drawn = frame;
  };
}

std::string export_sweep(const ExportJob& job, const SweepJob& sweep, const std::stop_token& stop) {
  const Execution execution = stopped_by(stop);
  Animation animation(job.subject.document, sweep.sweep, frame_choices(job.subject.options));
  check_memory(animation);
  job.progress->count = animation.frame_count();
  const FrameWatch watch = watch_of(*job.progress);
  look_at_frames(animation, watch, execution);
  if (job.path.empty()) {
    put(job, frame_file(animation, sweep.frame, watch, execution), stop);
    return "Copied the frame as PNG.";
  }
  const std::optional<FileSeries> series =
      sweep.is_series ? parse_file_series(job.path.string()) : std::optional<FileSeries>();
  if (!series) {
    const PictureKind kind = kind_for(job, PictureUse::animation);
    put(job, animation_file(animation, kind, sweep.playback, watch, execution), stop);
    return fmt::format("Exported {}, {} frames.", shown_path(job.path), animation.frame_count());
  }
  write_whole_series(animation, *series, watch, execution);
  return fmt::format("Exported {} pictures, {} to {}.", animation.frame_count(), shown_path(series->path(1)),
                     shown_path(series->path(animation.frame_count()).filename()));
}

}  // namespace

std::string figure_file(const FigureSubject& subject, PictureKind kind, const std::stop_token& stop,
                        const DrawWatch& watch, const EncodeWatch& encoding) {
  const bool is_of_other = subject.options.side == ComparedSide::before && subject.document.compared;
  const TokenNames& tokens = is_of_other ? subject.document.compared->tokens : subject.document.tokens;
  const Figure figure = figure_of(subject.result, token_labels(tokens), subject.options, stop);
  const std::string bytes = still_picture(figure, kind, stop, watch, encoding);
  const std::string view = view_text(subject.options);
  if (subject.viewing) return with_document(bytes, kind, *subject.viewing, subject.carrier, view);
  return with_document(bytes, kind, subject.document, {}, view);
}

ExportOutcome export_figure(const ExportJob& job, const std::stop_token& stop) {
  try {
    return {job.sweep ? export_sweep(job, *job.sweep, stop) : export_still(job, stop)};
  } catch (const std::bad_alloc&) {
    return {too_little_memory, true};
  } catch (const std::exception&) {
    return {current_failure(), true};
  }
}

std::shared_ptr<const FigurePreview> draw_preview(const PreviewJob& job, const std::stop_token& stop) {
  auto preview = std::make_shared<FigurePreview>();
  preview->theme = job.options.theme;
  preview->pixels_per_unit = job.pixels_per_unit;
  try {
    const Figure figure = job.sweep ? job.sweep->figure(job.frame, job.options, stopped_by(stop))
                                    : figure_of(job.result, job.labels, job.options, stop);
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

}  // namespace attnscope

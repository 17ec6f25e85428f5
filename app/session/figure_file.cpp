#include "session/figure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/error.h"
#include "figure/figure.h"
#include "interchange/file.h"

namespace attnscope {
namespace {

constexpr const char* too_little_memory = "There is not enough memory for this figure: make it smaller.";

std::string drawn(const Figure& figure, PictureKind kind, const std::stop_token& stop) {
  switch (kind) {
    case PictureKind::png:
      return render_png(figure, stop);
    case PictureKind::svg:
      return render_svg(figure, stop);
    default:
      return render_pdf(figure, stop);
  }
}

Figure figure_of(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                 const FigureOptions& options, const std::stop_token& stop) {
  Execution execution;
  execution.stop = stop;
  return make_figure(result, labels, options, execution);
}

void write_unless_stopped(const std::filesystem::path& path, const std::string& bytes, const std::stop_token& stop) {
  FileWriter file(path);
  file.write(bytes);
  if (stop.stop_requested()) throw Cancelled{};
  file.commit();
}

}  // namespace

std::string figure_file(const FigureSubject& subject, PictureKind kind, const std::stop_token& stop) {
  const Figure figure = figure_of(subject.result, token_labels(subject.document.tokens), subject.options, stop);
  std::string bytes = drawn(figure, kind, stop);
  if (subject.viewing) return with_document(bytes, kind, *subject.viewing, subject.carrier);
  return with_document(bytes, kind, subject.document);
}

ExportOutcome export_figure(const ExportJob& job, const std::stop_token& stop) {
  try {
    const std::string bytes = figure_file(job.subject, kind_by_ending(job.path).value_or(PictureKind::png), stop);
    if (job.path.empty()) {
      job.copy(bytes, stop);
      return {"Copied the figure as PNG."};
    }
    write_unless_stopped(job.path, bytes, stop);
    return {fmt::format("Exported {}.", job.path.string())};
  } catch (const Error& error) {
    return {error.what(), true};
  } catch (const std::bad_alloc&) {
    return {too_little_memory, true};
  }
}

std::shared_ptr<const FigurePreview> draw_preview(const PreviewJob& job, const std::stop_token& stop) {
  auto preview = std::make_shared<FigurePreview>();
  preview->theme = job.options.theme;
  preview->pixels_per_unit = job.pixels_per_unit;
  try {
    const Figure figure = figure_of(job.result, job.labels, job.options, stop);
    preview->width = figure.layout.width;
    preview->height = figure.layout.height;
    preview->image =
        render_image(figure, std::min(job.width / figure.layout.width, job.height / figure.layout.height), stop);
  } catch (const Error& error) {
    preview->error = error.what();
  } catch (const std::bad_alloc&) {
    preview->error = too_little_memory;
  }
  return preview;
}

}  // namespace attnscope

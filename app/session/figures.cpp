#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "interchange/file.h"
#include "session/session.h"

// Figures: their preview while the dialog is open, and their export. Both are drawn in the background.
namespace attnscope {

FigureOptions Session::figure_of_view() const {
  FigureOptions options;
  const bool is_pipeline = view_.layout == Layout::pipeline;
  options.stage = is_pipeline ? std::nullopt : std::optional<Stage>(view_.stage);
  const Result* const result = evaluation_.result.get();
  if (result && options.stage && !has(*result, *options.stage)) options.stage = Stage::weights;
  options.head = view_.layout == Layout::heads ? std::nullopt : std::optional<Index>(view_.head);
  options.batch = view_.batch;
  options.theme = view_.dark ? FigureTheme::dark : FigureTheme::light;
  options.range = view_.range;
  options.decimals = view_.numbers ? std::optional<int>(view_.decimals) : std::nullopt;
  if (!result) return options;
  if (options.head) options.head = std::clamp<Index>(*options.head, 0, head_count(result->config) - 1);
  options.batch = std::clamp<Index>(options.batch, 0, result->config.batch_size - 1);
  return options;
}

void Session::ask_for_preview() {
  if (dialog_.kind != DialogState::Kind::figure) {
    previewed_.reset();
    preview_.reset();
    return;
  }
  if (!evaluation_.result || dialog_.preview_width <= 0) return;
  FigureJob job = {.result = evaluation_.result,
                   .labels = labels_,
                   .options = dialog_.figure,
                   .format = {},
                   .fit_width = dialog_.preview_width,
                   .fit_height = dialog_.preview_height};
  if (previewed_ == job) return;
  previewed_ = job;
  previewer_.paint(std::move(job));
}

void Session::apply(const ExportFigure&) {
  if (!evaluation_.result) return;
  std::filesystem::path path = dialog_.folder / dialog_.name;
  if (dialog_.name.empty()) {
    dialog_.error = "Type a file name first.";
    return;
  }
  if (path.extension().empty()) path += ".png";
  const std::optional<FigureFormat> format = format_of(path.extension().string());
  if (!format) {
    dialog_.error = fmt::format("{} is none of the names that a figure may have: end it in .png, .svg or .pdf.",
                                path.filename().string());
    return;
  }
  if (!exported_.empty()) {
    dialog_.error = fmt::format("{} is still being drawn: try again when it is saved.", exported_.string());
    return;
  }
  exported_ = path;
  exporter_.paint({.result = evaluation_.result, .labels = labels_, .options = dialog_.figure, .format = format});
  say(fmt::format("Drawing {} …", path.string()));
}

bool Session::poll_figures() {
  const std::shared_ptr<const PaintedFigure> before = preview_;
  if (const auto latest = previewer_.latest(); latest && previewed_ && latest->job == *previewed_) preview_ = latest;
  if (exported_.empty() || exporter_.busy()) return preview_ != before;
  const std::filesystem::path path = std::exchange(exported_, {});
  const std::shared_ptr<const PaintedFigure> painted = exporter_.latest();
  try {
    if (!painted) return true;
    if (!painted->error.empty()) throw Error(painted->error);
    write_file(path, painted->bytes);
    if (dialog_.kind == DialogState::Kind::figure) dialog_ = {};
    say(fmt::format("Saved {}.", path.string()));
  } catch (const Error& error) {
    if (dialog_.kind == DialogState::Kind::figure) dialog_.error = error.what();
    say(error.what(), true);
  }
  return true;
}

}  // namespace attnscope

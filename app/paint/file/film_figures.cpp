#include "paint/file/film_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "paint/file/figure_page.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr double least_film_text = 11;  // on a page of the film's own size
constexpr double end_seconds = 2;       // the last key frame stays so long before the film begins again

Film film_for(const Result& result, const RowNames& names, const FigureOptions& options, const std::stop_token& stop) {
  check(options);
  const Source& cell = *options.film;
  const std::string obstacle =
      has_cell(result, cell) ? obstacle_to_film(result, cell) : "The document has no such cell.";
  if (!obstacle.empty()) throw Error(fmt::format("There is no film of {}. {}", cell_name(cell), obstacle));
  Film film = make_film({.result = result,
                         .names = names,
                         .cell = cell,
                         .decimals = options.decimals.value_or(FigureOptions().decimals.value()),
                         .stop = stop});
  if (options.scene_seconds > 0) {
    for (FilmScene& scene : film.scenes) scene.seconds = options.scene_seconds;
  }
  return film;
}

}  // namespace

FilmFigures::FilmFigures(const Result& result, const RowNames& names, FigureOptions options,
                         const std::stop_token& stop)
    : options_(std::move(options)), film_(film_for(result, names, options_, stop)), width_(page_width(options_.width)) {
  const double height = page_height(options_);
  height_ = height > 0 ? height : std::round(width_ * film_height / film_width);
}

Figure FilmFigures::figure(const FilmMoment& moment) const {
  FilmCanvas canvas;
  canvas.box = {0, 0, width_, height_};
  canvas.theme = &theme_of(options_.theme);
  canvas.paper = paper_colour(options_.theme);
  canvas.measure = shaper_.text_measure();
  canvas.least_text = least_film_text * std::min({1.0, width_ / film_width, height_ / film_height});
  return {.options = options_,
          .name = film_.number,
          .width = width_,
          .height = height_,
          .picture = frame_of(film_, moment.scene, moment.t, canvas)};
}

std::vector<FilmMoment> FilmFigures::moments(double frames_per_second) const {
  std::vector<FilmMoment> moments;
  for (std::size_t scene = 0; scene < film_.scenes.size(); ++scene) {
    const auto count = std::max<Index>(1, std::lround(film_.scenes[scene].seconds * frames_per_second));
    for (Index frame = 1; frame <= count; ++frame)
      moments.push_back({scene, static_cast<double>(frame) / static_cast<double>(count)});
  }
  const auto stays = static_cast<std::size_t>(std::lround(end_seconds * frames_per_second));
  moments.insert(moments.end(), stays, moments.back());
  return moments;
}

}  // namespace attnscope

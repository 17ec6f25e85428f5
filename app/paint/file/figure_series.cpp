#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "paint/file/figure.h"
#include "paint/file/figure_page.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

// Returns whether a diagram can stand in the places of another one: its blocks have as many heads and features there. A
// diagram with other heads needs places of its own.
bool is_part_of(const scene::DiagramShape& shape, const scene::DiagramShape& of) {
  using Blocks = std::vector<scene::DiagramBlock>;
  const auto fits = [](const Blocks& own, const Blocks& all) {
    return std::ranges::all_of(own, [&](const scene::DiagramBlock& block) {
      const auto twin = std::ranges::find_if(all, [&](const scene::DiagramBlock& each) {
        return each.stage == block.stage && each.is_copy == block.is_copy;
      });
      return twin != all.end() && (block.kind != scene::BlockKind::feature || twin->columns == block.columns);
    });
  };
  return fits(shape.project, of.project) && fits(shape.compare, of.compare) &&
         fits(shape.main_matrix, of.main_matrix) && fits(shape.mix, of.mix);
}

// Returns what a figure's layout needs, without its labels and numbers.
FigureContent outline_of(FigureContent content) {
  content.labels = content.key_labels = {};
  for (FigureMatrix& matrix : content.matrices) matrix.result = nullptr;
  return content;
}

}  // namespace

FigureSeries::Place FigureSeries::place_of(const FigureContent& content, const FigureMatrix& matrix) const {
  const bool has_own = content.options.range == RangeMode::own && !content.options.fixed_range;
  return {matrix.stage, has_own ? matrix.head : 0};
}

void FigureSeries::add(Common& common, const FigureMatrix& matrix) const {
  const bool is_first = common.rows == 0;
  const MeasureKind measure = matrix.range.measure.kind;
  // All frames share one kind of colour range: if any frame needs the range for many keys, all use it.
  if (is_first || (common.range.measure.kind == MeasureKind::value && measure != MeasureKind::value))
    common.range = matrix.range;
  if (measure == common.range.measure.kind) {
    common.range.low = std::min(common.range.low, matrix.range.low);
    common.range.high = std::max(common.range.high, matrix.range.high);
  }
  common.rows = std::max(common.rows, matrix.rows);
  common.cols = std::max(common.cols, matrix.cols);
  if (character_count(matrix.widest_number) > character_count(common.widest_number))
    common.widest_number = matrix.widest_number;
  common.sums.insert(matrix.widest_sums.begin(), matrix.widest_sums.end());
}

void FigureSeries::add(const FigureContent& content) {
  for (const FigureMatrix& matrix : content.matrices) add(commons_[place_of(content, matrix)], matrix);
  if (content.diagram) {
    const scene::DiagramShape& shape = content.diagram->shape;
    const auto size = [](const scene::DiagramShape& each) {
      return std::pair(each.keys.size(), each.project.size() + each.compare.size() + each.mix.size());
    };
    if (!largest_ || size(shape) > size(*largest_)) largest_ = shape;
  }
  marks_.merge(marks_of(content));
  if (content.labels.size() > labels_.size()) labels_ = content.labels;
  if (content.key_labels.size() > key_labels_.size()) key_labels_ = content.key_labels;
  outlines_.push_back(outline_of(content));
  height_ = 0;
}

void FigureSeries::conform(FigureContent& content) const {
  for (FigureMatrix& matrix : content.matrices) {
    const auto found = commons_.find(place_of(content, matrix));
    if (found == commons_.end()) continue;
    const Common& common = found->second;
    matrix.range = common.range;
    if (matrix.result) matrix.range.measure.counted = visibility(*matrix.result, matrix.stage);
    matrix.room_rows = common.rows;
    matrix.room_cols = common.cols;
    if (!matrix.widest_sums.empty()) matrix.widest_sums.assign(common.sums.begin(), common.sums.end());
    if (!matrix.widest_number.empty()) matrix.widest_number = common.widest_number;
  }
  if (content.diagram) {
    const bool is_part = largest_ && is_part_of(content.diagram->shape, *largest_);
    content.diagram->largest = is_part ? *largest_ : content.diagram->shape;
  }
  content.is_of_series = true;
  content.series_marks = marks_;
  if (labels_.size() > content.labels.size()) content.labels = labels_;
  if (key_labels_.size() > content.key_labels.size()) content.key_labels = key_labels_;
}

// Lays out every figure and returns the height of the highest one.
double FigureSeries::page_height(const Execution& execution) {
  if (height_ > 0) return height_;
  double highest = 0;
  for (FigureContent outline : outlines_) {
    check_stop(execution);
    conform(outline);
    highest = std::max(highest, lay_out(outline).height);
  }
  return height_ = highest;
}

Figure FigureSeries::make(FigureContent content, const Execution& execution) {
  conform(content);
  Figure figure = lay_out(content);
  figure.height = page_height(execution);
  return figure;
}

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

FilmCanvas FilmFigures::canvas() const {
  FilmCanvas canvas;
  canvas.box = {0, 0, width_, height_};
  canvas.theme = &theme_of(options_.theme);
  canvas.paper = paper_colour(options_.theme);
  canvas.measure = shaper_.text_measure();
  canvas.least_text = least_film_text * std::min({1.0, width_ / film_width, height_ / film_height});
  return canvas;
}

Figure FilmFigures::bare_key_frame(std::size_t scene, double least_text) const {
  Film bare = film_;
  bare.scenes = {film_.scenes.at(scene)};
  FilmScene& shown = bare.scenes.front();
  shown.title = shown.caption = shown.note = shown.name = "";
  FilmCanvas on = canvas();
  on.least_text = std::max(on.least_text, least_text);
  picture::Picture picture = frame_of(bare, 0, 1, on);
  const Box line = strip_of(on);
  std::erase_if(picture.items, [&](const picture::Item& item) {
    const auto* const word = std::get_if<picture::Word>(&item);
    if (word && word->text.empty()) return true;
    const auto* const bar = std::get_if<picture::Fill>(&item);
    return bar && line.contains(bar->box.middle_x(), bar->box.middle_y());
  });
  return {.options = options_, .name = film_.number, .width = width_, .height = height_, .picture = std::move(picture)};
}

Figure FilmFigures::figure(const FilmMoment& moment) const {
  return {.options = options_,
          .name = film_.number,
          .width = width_,
          .height = height_,
          .picture = frame_of(film_, moment.scene, moment.t, canvas())};
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

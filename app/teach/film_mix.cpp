// Values mixed by their weights, and heads side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "teach/film_scenes.h"

namespace attnscope::film {
namespace {

constexpr double mix_top = 134;
constexpr double mix_bottom = 390;
constexpr double context_top = 408;

class MixScene {
public:
  MixScene(const Script& script, const Source& context, std::optional<Index> pinned_key)
      : script_(script), context_(context), pinned_key_(pinned_key), lines_(operands(script.config(), context)) {
    weights_ = read_line(script, lines_[0]);
    dims_ = dims_of(script, context);
    for (const Index dim : dims_) {
      SourceLine column = lines_[1];
      column.first.col = dim;
      values_.push_back(read_line(script, column));
    }
    choose_keys();
  }

  FilmScene make() {
    const std::string token = script_.token(context_.stage, context_.row);
    const bool mixes_inputs = lines_[1].first.stage == Stage::inputs;
    FilmScene scene{.id = "mix",
                    .name = "mix",
                    .title = mixes_inputs ? "The shares mix the embeddings" : "The shares mix the values",
                    .caption = fmt::format("Weights × {}, added up: the context of {}",
                                           mixes_inputs ? "embeddings" : "values", token),
                    .seconds = 6,
                    .stage = context_.stage};
    if (!pinned_key_) {
      scene.note = sentence_of(script_, context_);
      scene.note_top = 488;
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) put_key(scene, i);
    if (others_ > 0) put_rest(scene);
    put_names(scene);
    put_context(scene);
    return scene;
  }

private:
  double pitch() const {
    return std::min(44.0, (mix_bottom - mix_top) / static_cast<double>(keys_.size() + (others_ > 0 ? 1 : 0)));
  }
  double top_of(std::size_t row) const { return mix_top + pitch() * static_cast<double>(row); }
  double height() const { return std::min(36.0, pitch() - 5); }
  double size() const { return height() > 32 ? 17 : 15; }
  static constexpr double first_value = 292;
  static constexpr double step = 88;
  Box weight_box(std::size_t row) const { return {172, top_of(row), 84, height()}; }
  Box value_box(std::size_t row, std::size_t dim) const {
    return {first_value + step * static_cast<double>(dim), top_of(row), step - 2, height()};
  }
  double products_left() const { return first_value + step * static_cast<double>(dims_.size()) + 44; }
  Box product_box(std::size_t row, std::size_t dim) const {
    return {products_left() + step * static_cast<double>(dim), top_of(row), step - 2, height()};
  }
  std::string weight_text(double weight) const {
    return script_.number(weight, static_cast<double>(largest_of(weights_)));
  }
  std::string term_text(double term) const { return script_.number(term, term_bound_); }
  double product(std::size_t key, std::size_t dim) const {
    return static_cast<double>(weights_[key]) * static_cast<double>(values_[dim][key]);
  }

  // Chooses the rows that stand by name: the largest terms of the cell, or for a weight the largest weights.
  void choose_keys() {
    const auto own = static_cast<std::size_t>(std::ranges::find(dims_, context_.col) - dims_.begin());
    std::vector<double> terms;
    for (std::size_t key = 0; key < weights_.size(); ++key)
      terms.push_back(pinned_key_ ? static_cast<double>(weights_[key]) : product(key, own));
    for (const std::size_t key : largest_terms(terms, most_terms)) keys_.push_back(static_cast<Index>(key));
    if (pinned_key_ && std::ranges::find(keys_, *pinned_key_) == keys_.end()) {
      std::ranges::sort(keys_, std::greater(),
                        [&](Index key) { return std::abs(terms[static_cast<std::size_t>(key)]); });
      keys_.back() = *pinned_key_;
      std::ranges::sort(keys_);
    }
    std::erase_if(keys_, [&](Index key) {
      Source weight = lines_[0].first;
      weight.col = key;
      return is_masked(script_.result(), weight) && key != pinned_key_;
    });
    for (std::size_t key = 0; key < weights_.size(); ++key) {
      const bool is_shown = std::ranges::binary_search(keys_, static_cast<Index>(key));
      if (!is_shown && weights_[key] != 0) ++others_;
    }
    for (const std::vector<float>& column : values_) bound_ = std::max(bound_, largest_of(column));
    for (std::size_t dim = 0; dim < dims_.size(); ++dim) context_values_.push_back(read(script_, context_cell(dim)));
    bound_ = std::max(bound_, largest_of(context_values_));
    term_bound_ = static_cast<double>(largest_of(context_values_));
    for (std::size_t key = 0; key < weights_.size(); ++key)
      for (std::size_t dim = 0; dim < dims_.size(); ++dim)
        term_bound_ = std::max(term_bound_, std::abs(product(key, dim)));
    weight_bound_ = std::max(script_.weight_bound, largest_of(weights_));
  }
  Source context_cell(std::size_t dim) const {
    Source cell = context_;
    cell.col = dims_[dim];
    return cell;
  }
  FilmGround signed_of(double value) const { return signed_ground(value, static_cast<double>(bound_)); }

  void put_key(FilmScene& scene, std::size_t row) const {
    const Index key = keys_[row];
    const auto at_key = static_cast<std::size_t>(key);
    const double late = 0.1 * static_cast<double>(row) / static_cast<double>(keys_.size());
    const double middle = top_of(row) + height() / 2;
    Source weight = lines_[0].first;
    weight.col = key;
    while (!acts_in(script_.config(), weight.stage)) weight.stage = predecessors(script_.config(), weight.stage)[0];
    FilmActor weighed = number_actor(weight_box(row), ground_of(script_, weight, weights_[at_key], weight_bound_),
                                     weight_text(static_cast<double>(weights_[at_key])), size());
    const bool is_pinned = key == pinned_key_;
    weighed.words.push_back(
        {.runs = {{.text = script_.key(key), .ink = is_pinned ? FilmInk::pinned : FilmInk::text, .is_bold = is_pinned}},
         .size = 15,
         .anchor = 1,
         .across = 0,
         .dx = -12,
         .room = 122});
    scene.actors.push_back(flying(std::move(weighed), weight, late, 0.2 + late));
    put_sign(scene, "×", (weight_box(row).right() + first_value) / 2, middle, 0.44);
    put_sign(scene, "=", products_left() - 23, middle, 0.5);
    for (std::size_t dim = 0; dim < dims_.size(); ++dim) {  // products come out from under the values
      const double term = product(at_key, dim);
      FilmActor made = number_actor(product_box(row, dim), signed_of(term), term_text(term), size());
      scene.actors.push_back(moving(std::move(made), value_box(row, dim), 0.54 + late, 0.7 + late, 0));
    }
    for (std::size_t dim = 0; dim < dims_.size(); ++dim) {
      const float value = values_[dim][at_key];
      Source source = lines_[1].first;
      source.row = key;
      source.col = dims_[dim];
      FilmActor actor = number_actor(value_box(row, dim), signed_of(static_cast<double>(value)),
                                     script_.number(static_cast<double>(value), static_cast<double>(bound_)), size());
      scene.actors.push_back(flying(std::move(actor), source, 0.2 + late, 0.4 + late));
    }
  }
  static void put_sign(FilmScene& scene, std::string sign, double x, double middle, double at) {
    scene.actors.push_back(
        appearing(words_actor({{.text = std::move(sign), .ink = FilmInk::dim}}, x, middle, 17), at, at + 0.06));
  }

  void put_rest(FilmScene& scene) const {
    const std::size_t row = keys_.size();
    double weight = 0;
    std::vector<double> sums(dims_.size());
    for (std::size_t key = 0; key < weights_.size(); ++key) {
      if (std::ranges::binary_search(keys_, static_cast<Index>(key))) continue;
      weight += static_cast<double>(weights_[key]);
      for (std::size_t dim = 0; dim < sums.size(); ++dim) sums[dim] += product(key, dim);
    }
    const FilmGround block{.kind = FilmGround::Kind::block};
    FilmActor weighed = number_actor(weight_box(row), block, weight_text(weight), size());
    weighed.words.push_back(
        {.runs = {{.text = fmt::format("{} more", format_integer(static_cast<double>(others_))), .ink = FilmInk::dim}},
         .size = 15,
         .anchor = 1,
         .across = 0,
         .dx = -12,
         .room = 122});
    scene.actors.push_back(appearing(std::move(weighed), 0.3, 0.4));
    for (std::size_t dim = 0; dim < sums.size(); ++dim)
      scene.actors.push_back(
          appearing(number_actor(product_box(row, dim), block, term_text(sums[dim]), size()), 0.66, 0.78));
  }

  // Names the values, and their dimensions if others are left out.
  void put_names(FilmScene& scene) const {
    const bool has_hue = lines_[1].first.stage == Stage::values;
    const bool are_all = std::ssize(dims_) == stage_shape(script_.config(), context_.stage).back();
    for (std::size_t dim = 0; dim < dims_.size() && !are_all; ++dim)
      for (const double x : {value_box(0, dim).middle_x(), product_box(0, dim).middle_x()})
        scene.actors.push_back(still(words_actor({{.text = fmt::format("dim {}", dims_[dim] + 1), .ink = FilmInk::dim}},
                                                 x, mix_top - 13, 13, 0.5, step - 6)));
    if (are_all)
      scene.actors.push_back(still(words_actor({{.text = has_hue ? "values" : "embeddings",
                                                 .ink = has_hue ? FilmInk::value : FilmInk::dim,
                                                 .is_bold = has_hue}},
                                               first_value + step * static_cast<double>(dims_.size()) / 2, mix_top - 14,
                                               14, 0.5, step * static_cast<double>(dims_.size()))));
    scene.actors.push_back(still(
        words_actor({{.text = "weights", .ink = FilmInk::dim}}, weight_box(0).middle_x(), mix_top - 14, 14, 0.5, 100)));
  }

  void put_context(FilmScene& scene) const {
    const double end = top_of(keys_.size() + (others_ > 0 ? 1 : 0));
    const double middle = products_left() + step * static_cast<double>(dims_.size()) / 2;
    if (context_top - end >= 14) {
      scene.actors.push_back(appearing(arrow_actor({middle - 4, end - 2, 8, context_top - end - 2}), 0.78, 0.84));
      scene.actors.push_back(appearing(
          words_actor({{.text = "add up", .ink = FilmInk::dim}}, middle + 16, (end + context_top) / 2 - 2, 14, 0), 0.78,
          0.84));
    }
    for (std::size_t dim = 0; dim < dims_.size(); ++dim) {
      const auto value = static_cast<double>(context_values_[dim]);
      const Box place{product_box(0, dim).x, context_top, step - 2, 54};
      FilmActor actor = number_actor(place, signed_of(value), term_text(value), 22);
      actor.source = context_cell(dim);
      if (!pinned_key_ && dims_[dim] == context_.col) actor.ground.outline = FilmInk::pinned;
      Box begin = place;
      begin.y -= 40;
      scene.actors.push_back(moving(std::move(actor), begin, 0.82, 0.94, 0));
    }
    scene.actors.push_back(appearing(
        words_actor({{.text = "context of "},
                     {.text = script_.token(context_.stage, context_.row), .ink = FilmInk::pinned, .is_bold = true}},
                    products_left() - 16, context_top + 27, 16, 1, products_left() - 60),
        0.84, 0.92));
  }

  const Script& script_;
  Source context_;
  std::optional<Index> pinned_key_;
  std::vector<SourceLine> lines_;
  std::vector<float> weights_;
  std::vector<Index> dims_;
  std::vector<std::vector<float>> values_;  // a column for each dimension
  std::vector<float> context_values_;
  std::vector<Index> keys_;
  Index others_ = 0;
  float bound_ = 0;
  float weight_bound_ = 1;
  double term_bound_ = 1;  // the largest of the products and sums
};

}  // namespace

void add_mix(Film& film, const Script& script, const Source& context, std::optional<Index> pinned_key) {
  film.scenes.push_back(MixScene(script, context, pinned_key).make());
}

}  // namespace attnscope::film

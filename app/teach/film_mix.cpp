// Values mixed by their weights, and heads side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/visibility.h"
#include "teach/film_scenes.h"
#include "view/stage_look.h"

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

// Scenes of several heads: those that share their keys, and the heads of a token side by side.

namespace {

constexpr Index most_heads = 4;
constexpr double sharing_top = 150;
constexpr double sharing_pitch = 58;
constexpr double sharing_cell = 70;
constexpr double joined_pitch = 50;

// The cells of some columns in one line.
struct PlacedLine {
  SourceLine line;
  std::vector<Index> columns;
  double left = 0;
  double top = 0;
  FilmInk hue = FilmInk::text;
};

// The line comes from the diagram.
void put_line(FilmScene& scene, const Script& script, const PlacedLine& placed, double at) {
  const std::vector<float> row = read_line(script, placed.line);
  const auto bound = static_cast<double>(largest_of(row));
  for (std::size_t i = 0; i < placed.columns.size(); ++i) {
    const auto value = static_cast<double>(row[static_cast<std::size_t>(placed.columns[i])]);
    const Box box{placed.left + sharing_cell * static_cast<double>(i), placed.top, sharing_cell - 2, 44};
    FilmActor actor = number_actor(box, signed_ground(value, bound), script.number(value, bound), 18);
    actor.ground.outline = placed.hue;
    scene.actors.push_back(flying(std::move(actor), placed.line[placed.columns[i]], at, at + 0.25));
  }
}

// Returns the heads of queries that read the keys of this one, at most four, this one among them.
std::vector<Index> sharers_of(const AttentionConfig& config, Index head, std::size_t& all) {
  std::vector<Index> heads;
  for (Index each = 0; each < head_count(config); ++each)
    if (key_value_head(config, each) == key_value_head(config, head)) heads.push_back(each);
  all = heads.size();
  const Index own = std::ranges::find(heads, head) - heads.begin();
  const Index begin = std::max<Index>(0, own - most_heads + 1);
  heads.erase(heads.begin(), heads.begin() + begin);
  if (std::ssize(heads) > most_heads) heads.resize(static_cast<std::size_t>(most_heads));
  return heads;
}

}  // namespace

void add_sharing(Film& film, const Script& script, const Source& score) {
  constexpr std::size_t most_dims = 4;
  const AttentionConfig& config = script.config();
  const std::vector<SourceLine> lines = operands(config, score);
  std::size_t all = 0;
  const std::vector<Index> heads = sharers_of(config, score.head, all);
  FilmScene scene{
      .id = "share",
      .name = "share keys",
      .title = "Several heads share their keys",
      .caption = fmt::format("{} heads of queries, {} of keys and values", head_count(config), key_value_heads(config)),
      .note = fmt::format("{} heads of queries meet the keys of head {}: fewer keys and values are kept.", all,
                          key_value_head(config, score.head) + 1),
      .seconds = 3};
  std::vector<Index> columns = columns_of(script, lines[0].first).shown;
  columns.resize(std::min(columns.size(), most_dims));
  double top = sharing_top;
  double at = 0;
  for (const Index head : heads) {
    SourceLine line = lines[0];
    line.first.head = head;
    put_line(scene, script, {line, columns, 180, top, FilmInk::query}, at);
    const bool is_own = head == score.head;
    const FilmRun name{.text = fmt::format("query, head {}", head + 1),
                       .ink = is_own ? FilmInk::query : FilmInk::dim,
                       .is_bold = is_own};
    scene.actors.push_back(appearing(words_actor({name}, label_right, top + 22, 15, 1, label_room), at, at + 0.1));
    top += sharing_pitch;
    at += 0.1;
  }
  const double middle = sharing_top + sharing_pitch * (static_cast<double>(heads.size()) - 1) / 2;
  const double left = 180 + sharing_cell * static_cast<double>(columns.size());
  scene.actors.push_back(appearing(arrow_actor({left + 15, middle + 12, 60, 20}), 0.5, 0.6));
  put_line(scene, script, {lines[1], columns, left + 95, middle, FilmInk::key}, 0.5);
  scene.actors.push_back(
      appearing(words_actor({{.text = "key", .ink = FilmInk::key, .is_bold = true},
                             {.text = " of "},
                             {.text = script.key(score.col), .ink = FilmInk::pinned, .is_bold = true}},
                            left + 95, middle - 16, 16, 0, 270),
                0.75, 0.85));
  scene.note_top = top + 50;
  film.scenes.push_back(std::move(scene));
}

namespace {

// The row of a token's context: some dimensions of some heads.
struct JoinedHeads {
  Source own;  // of the head's context
  Index first = 0;
  Index heads = 0;
  std::vector<Index> dims = {};  // of each head
  Index others = 0;              // numbers that are not shown

  std::size_t columns() const { return static_cast<std::size_t>(heads) * dims.size() + (others > 0 ? 1 : 0); }
  double row_top() const { return 178 + joined_pitch * static_cast<double>(heads); }
};

JoinedHeads joined_heads_of(const Script& script, const Source& context) {
  const AttentionConfig& config = script.config();
  JoinedHeads joined{.own = operands(config, context).front().first};
  joined.first = std::clamp<Index>(joined.own.head - most_heads + 1, 0, head_count(config));
  joined.heads = std::min(most_heads, head_count(config) - joined.first);
  const Index most = most_columns / joined.heads;
  for (const Index dim : dims_of(script, joined.own)) {
    const bool keeps_room = std::ssize(joined.dims) + (dim < joined.own.col ? 1 : 0) < most;
    if (dim == joined.own.col || keeps_room) joined.dims.push_back(dim);
  }
  joined.others = value_features(config) * head_count(config) - joined.heads * std::ssize(joined.dims);
  return joined;
}

// Puts the numbers of the heads, and returns those that go from there to the joined row.
std::vector<FilmActor> put_heads(FilmScene& scene, const Script& script, const Source& context,
                                 const JoinedHeads& joined) {
  const Grid grid = grid_of(static_cast<double>(joined.columns()));
  const auto bound = static_cast<double>(largest_of(read_row(script, context)));
  std::vector<FilmActor> going;
  for (Index i = 0; i < joined.heads; ++i) {
    const double top = 128 + joined_pitch * static_cast<double>(i);
    const double at = 0.3 + 0.08 * static_cast<double>(i);
    scene.actors.push_back(
        still(words_actor({{.text = fmt::format("head {}", joined.first + i + 1), .ink = FilmInk::dim}}, label_right,
                          top + 21, 15, 1, label_room)));
    for (std::size_t k = 0; k < joined.dims.size(); ++k) {
      Source part = joined.own;
      part.head = joined.first + i;
      part.col = joined.dims[k];
      Source source = context;
      source.col = part.head * value_features(script.config()) + part.col;
      const auto value = static_cast<double>(read(script, source));
      const FilmGround ground = signed_ground(value, bound);
      const Box from{180 + 90 * static_cast<double>(k), top, 88, 42};
      scene.actors.push_back(flying(number_actor(from, ground, script.number(value, bound), 18), part, 0, 0.2));
      const Box home = grid.cell(going.size(), joined.row_top(), 56);
      FilmActor actor = number_actor(home, ground, script.number(value, bound), 22);
      actor.source = source;
      name_above(actor, fmt::format("dim {}", source.col + 1), source.col == context.col, 14);
      going.push_back(moving(std::move(actor), from, at, at + 0.3, 0));
    }
  }
  return going;
}

}  // namespace

void add_joined_heads(Film& film, const Script& script, const Source& context) {
  const JoinedHeads joined = joined_heads_of(script, context);
  FilmScene scene{.id = std::string(info(context.stage).id),
                  .name = "join heads",
                  .title = "The heads stand side by side",
                  .caption = capital(about(script.config(), context.stage)),
                  .note = sentence_of(script, context),
                  .note_top = joined.row_top() + 92,
                  .seconds = 4,
                  .stage = context.stage};
  const Grid grid = grid_of(static_cast<double>(joined.columns()));
  std::vector<FilmActor> row = put_heads(scene, script, context, joined);
  if (joined.others > 0) {
    FilmActor block = others_actor(grid.cell(row.size(), joined.row_top(), 56), joined.others);
    row.push_back(appearing(std::move(block), 0.6, 0.8, 0.8));
  }
  std::ranges::move(row, std::back_inserter(scene.actors));
  scene.actors.push_back(appearing(
      words_actor({{.text = script.token(context.stage, context.row), .ink = FilmInk::pinned, .is_bold = true}},
                  grid.left - 16, joined.row_top() + 28, 17, 1, grid.left - 52),
      0.7, 0.8));
  film.scenes.push_back(std::move(scene));
}

}  // namespace attnscope::film

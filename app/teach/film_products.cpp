// A sum of products: two rows of numbers meet, and their products are added up.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/visibility.h"
#include "teach/film_scenes.h"

namespace attnscope::film {
namespace {

struct Product {
  Source cell;
  SourceLine left, right;
  std::vector<float> left_values, right_values;
  std::vector<double> terms = {};
  std::vector<std::size_t> shown = {};
  std::size_t others = 0;
  double rest = 0;
  std::optional<Source> bias = {};
  float bias_value = 0;
  float value = 0;
  double bound = 1;  // the largest of terms and value
  bool is_score = false;

  bool is_short() const { return terms.size() <= 2 && !bias; }
  double left_bound() const { return static_cast<double>(largest_of(left_values)); }
  double right_bound() const { return static_cast<double>(largest_of(right_values)); }
};

Product product_of(const Script& script, const Source& cell) {
  const std::vector<SourceLine> lines = operands(script.config(), cell);
  Product product{.cell = cell,
                  .left = lines.at(0),
                  .right = lines.at(1),
                  .left_values = read_line(script, lines.at(0)),
                  .right_values = read_line(script, lines.at(1)),
                  .value = read(script, cell),
                  .is_score = is_query_by_key(info(cell.stage).axes)};
  for (std::size_t i = 0; i < product.left_values.size(); ++i)
    product.terms.push_back(static_cast<double>(product.left_values[i]) * static_cast<double>(product.right_values[i]));
  product.shown = largest_terms(product.terms, most_terms);
  product.others = product.terms.size() - product.shown.size();
  for (std::size_t i = 0; i < product.terms.size(); ++i)
    if (!std::ranges::binary_search(product.shown, i)) product.rest += product.terms[i];
  if (lines.size() > 2) {
    product.bias = lines[2].first;
    product.bias_value = read(script, *product.bias);
  }
  std::vector<float> numbers(product.terms.begin(), product.terms.end());
  numbers.push_back(product.value);
  product.bound = static_cast<double>(largest_of(numbers));
  return product;
}

std::vector<FilmRun> label_of_sum(const Script& script, const Product& product) {
  const Source& cell = product.cell;
  const FilmRun name{.text = script.token(cell.stage, cell.row), .ink = FilmInk::pinned, .is_bold = true};
  if (product.is_score)
    return {{.text = "score of ", .ink = FilmInk::dim},
            name,
            {.text = " for ", .ink = FilmInk::dim},
            {.text = script.key(cell.col), .ink = FilmInk::pinned, .is_bold = true}};
  return {{.text = singular(cell.stage) + " of ", .ink = FilmInk::dim},
          name,
          {.text = fmt::format(", dim {}", cell.col + 1), .ink = FilmInk::dim}};
}

// Where everything of a sum stands on the page.
struct ProductPlaces {
  std::vector<Box> left, right, products;
  Box rest, bias, sum;
  double size = 22;  // of its numbers
};

ProductPlaces short_places(const Product& product) {
  ProductPlaces places;
  const auto count = static_cast<double>(product.terms.size());
  for (std::size_t i = 0; i < product.terms.size(); ++i) {
    const auto at = static_cast<double>(i);
    places.left.push_back({90 + 70 * at, 205, 68, 52});
    places.right.push_back({90 + 70 * at, 335, 68, 52});
    places.products.push_back({370 + 150 * at, 262, 130, 56});
  }
  places.sum = {430 + 150 * count, 250, 130, 80};
  return places;
}

ProductPlaces long_places(const Product& product, Grid& grid) {
  ProductPlaces places;
  constexpr double plus = 22;  // between two products
  const std::size_t shown = product.shown.size();
  constexpr double sum_columns = 1.45;
  const std::size_t terms = shown + (product.others > 0 ? 1 : 0) + (product.bias ? 1 : 0);
  grid = grid_of(static_cast<double>(terms) + sum_columns);
  const auto cell = [&](std::size_t column, double top, double height) {
    Box box = grid.cell(column, top, height);
    box.x += plus / 2;
    box.width -= plus;
    return box;
  };
  for (std::size_t i = 0; i < shown; ++i) {
    places.left.push_back(cell(i, 152, 46));
    places.right.push_back(cell(i, 230, 46));
    places.products.push_back(cell(i, 318, 54));
  }
  std::size_t next = shown;
  if (product.others > 0) places.rest = cell(next++, 318, 54);
  if (product.bias) places.bias = cell(next++, 318, 54);
  places.sum = cell(next, 309, 72);
  places.sum.width += (sum_columns - 1) * grid.width;
  places.size = 20;
  return places;
}

std::string title_of(const Script& script, const Product& product) {
  const Source& cell = product.cell;
  const std::string token = script.quoted_token(cell.stage, cell.row);
  if (product.is_score) {
    const std::string key = script.quoted_key(cell.col);
    const bool is_same = query_count(script.config()) == key_count(script.config()) && cell.row == cell.col;
    return fmt::format("{} meets {}", token, is_same ? "itself" : key);
  }
  if (cell.stage == Stage::output) return "out_proj makes the output of " + token;
  return fmt::format("The {} of {}", singular(cell.stage), token);
}

std::string caption_of(const Product& product) {
  if (!product.is_score) return "Each number of the row, times its weight beneath it, added up.";
  return product.left.first.stage == Stage::inputs
             ? "Each number of one embedding times the number of the other beneath it, added up."
             : "Each number of the query times the number of the key beneath it, added up.";
}

constexpr double row_height = 64;  // of the row that the sum stands in
constexpr double row_number = 22;

class ProductScenes {
public:
  ProductScenes(const Script& script, const Source& cell)
      : script_(script), product_(product_of(script, cell)), is_short_(product_.is_short()) {
    row_bound_ = static_cast<double>(product_.is_score ? script.score_bound : largest_of(read_row(script, cell)));
    product_.bound = std::max(product_.bound, row_bound_);
    places_ = is_short_ ? short_places(product_) : long_places(product_, grid_);
  }

  FilmScene meeting() {
    const StageInfo& right = info(product_.right.first.stage);
    const bool is_projection = is_parameter(right.axes);
    FilmScene scene{.id = is_projection ? "project" : "meet",
                    .name = is_projection ? fmt::format("× {}", right.title) : "meet",
                    .title = title_of(script_, product_),
                    .caption = caption_of(product_),
                    .note = sentence_of(script_, product_.cell),
                    .seconds = 5,
                    .stage = product_.cell.stage};
    put_products(scene);  // which come out from under the rows
    put_rows(scene);
    put_sum(scene);
    return scene;
  }

  FilmScene adding() {
    const Source& cell = product_.cell;
    FilmScene scene{.id = "add_up",
                    .name = "add up",
                    .title = product_.is_score ? "One score for every key" : "One number for each dimension",
                    .caption = {},
                    .seconds = 5,
                    .stage = cell.stage};
    slide_products(scene);
    if (product_.is_score) {
      put_keys(scene);
      scene.caption = product_.left.first.stage == Stage::inputs
                          ? fmt::format("{} · every token", capital(script_.quoted_token(cell.stage, cell.row)))
                          : fmt::format("Query of {} · every key", script_.quoted_token(cell.stage, cell.row));
      scene.note = "The same query meets every key: one score for each.";
      if (product_.left.first.stage == Stage::inputs) scene.note = "The same row meets every row: one score for each.";
    } else {
      put_source_row(scene);
      scene.caption = fmt::format("{} of {} · {}", capital(std::string(info(product_.left.first.stage).title)),
                                  script_.quoted_token(cell.stage, cell.row), info(product_.right.first.stage).title);
      scene.note =
          fmt::format("The same numbers, with weights of their own, make each number of the {}.", singular(cell.stage));
    }
    scene.note_top = row_top() + 120;
    put_row(scene);
    return scene;
  }

private:
  Source left_cell(std::size_t term) const { return product_.left[static_cast<Index>(term)]; }
  Source right_cell(std::size_t term) const { return product_.right[static_cast<Index>(term)]; }
  std::string number(double value, double bound) const { return script_.number(value, bound); }

  FilmActor operand(const Box& box, float value, double bound, FilmInk hue) const {
    FilmActor actor = number_actor(box, signed_ground(static_cast<double>(value), bound),
                                   number(static_cast<double>(value), bound), places_.size);
    if (hue != FilmInk::text) actor.ground.outline = hue;
    return actor;
  }

  // The two rows come from the diagram and pair up.
  void put_rows(FilmScene& scene) const {
    const bool has_names =
        product_.left.first.stage == Stage::inputs && !script_.subject.result.config.dimensions.empty();
    const bool names_terms = !is_short_ && (product_.others > 0 || has_names);
    for (std::size_t i = 0; i < product_.shown.size(); ++i) {
      const std::size_t term = product_.shown[i];
      const double late = 0.03 * static_cast<double>(i) / static_cast<double>(product_.shown.size());
      FilmActor left = operand(places_.left[i], product_.left_values[term], product_.left_bound(),
                               hue_of(product_.left.first.stage));
      if (names_terms) name_above(left, column_name(script_, left_cell(term)), false, 14);
      scene.actors.push_back(flying(left, left_cell(term), late, 0.2 + late));
      const FilmActor right = operand(places_.right[i], product_.right_values[term], product_.right_bound(),
                                      hue_of(product_.right.first.stage));
      scene.actors.push_back(flying(right, right_cell(term), 0.16 + late, 0.38 + late));
      const double between = (places_.left[i].bottom() + places_.right[i].y) / 2;
      scene.actors.push_back(
          appearing(words_actor({{.text = "×", .ink = FilmInk::dim}}, places_.left[i].middle_x(),
                                is_short_ ? places_.left[i].bottom() + 28 : between, is_short_ ? 20 : 16),
                    0.46, 0.52));
    }
    put_row_label(scene, product_.left.first, places_.left, 0.2);
    put_row_label(scene, product_.right.first, places_.right, 0.4);
  }

  void put_row_label(FilmScene& scene, const Source& first, const std::vector<Box>& row, double at) const {
    const double middle = (row.front().x + row.back().right()) / 2;
    FilmActor label =
        is_short_ ? words_actor(label_of(script_, first), std::max(middle, 160.0), row.front().y - 19, 17, 0.5, 240)
                  : words_actor(label_of(script_, first), row.front().x - 14, row.front().middle_y(), 16, 1,
                                row.front().x - 50);
    scene.actors.push_back(appearing(std::move(label), at, at + 0.06));
  }

  void put_products(FilmScene& scene) const {
    if (is_short_) scene.actors.push_back(appearing(arrow_actor({250, 280, 90, 20}), 0.5, 0.56));
    for (std::size_t i = 0; i < product_.shown.size(); ++i) {
      const std::size_t term = product_.shown[i];
      const Box& place = places_.products[i];
      FilmActor actor = number_actor(place, signed_ground(product_.terms[term], product_.bound),
                                     number(product_.terms[term], product_.bound), places_.size);
      if (is_short_) {
        actor.words.push_back(
            {.runs = {{.text = fmt::format("{} × {}", factor(product_.left_values[term], product_.left_bound()),
                                           factor(product_.right_values[term], product_.right_bound())),
                       .ink = FilmInk::dim,
                       .is_number = true}},
             .size = 15,
             .down = 1,
             .dy = 22,
             .room = 142});
      }
      const Box begin = is_short_ ? Box{262, 272, 76, 36} : grown(places_.right[i], 0.9);
      const double late = is_short_ ? 0.05 * static_cast<double>(product_.shown.size() - 1 - i) : 0;
      scene.actors.push_back(moving(std::move(actor), begin, 0.54 + late, 0.7 + late, 0));
      if (i > 0) put_sign(scene, "+", places_.products[i - 1], place, 0.72);
    }
    const Box* last = &places_.products.back();
    if (product_.others > 0) {
      put_sign(scene, "+", *last, places_.rest, 0.74);
      FilmActor rest = number_actor(places_.rest, {.kind = FilmGround::Kind::block},
                                    number(product_.rest, product_.bound), places_.size);
      name_below(rest, fmt::format("{} more", format_integer(static_cast<double>(product_.others))), false, 14);
      scene.actors.push_back(appearing(std::move(rest), 0.72, 0.78));
      last = &places_.rest;
    }
    if (product_.bias) {
      put_sign(scene, "+", *last, places_.bias, 0.76);
      FilmActor bias = operand(places_.bias, product_.bias_value, product_.bound, FilmInk::text);
      name_below(bias, "bias", false, 14);
      scene.actors.push_back(flying(std::move(bias), *product_.bias, 0.6, 0.78));
    }
  }
  std::string factor(float value, double bound) const { return number(static_cast<double>(value), bound); }

  static void put_sign(FilmScene& scene, std::string sign, const Box& before, const Box& after, double at) {
    scene.actors.push_back(
        appearing(words_actor({{.text = std::move(sign)}}, (before.right() + after.x) / 2, before.middle_y(), 20), at,
                  at + 0.05));
  }

  FilmActor sum_actor() const {
    // As large as it is when it leaves for its cell in the row.
    const double width = grid_of(static_cast<double>(columns_of(script_, product_.cell).count())).width;
    const double size = row_number * std::min(places_.sum.width / width, places_.sum.height / row_height);
    return number_actor(places_.sum, signed_ground(static_cast<double>(product_.value), row_bound_),
                        number(static_cast<double>(product_.value), row_bound_), size);
  }

  void put_sum(FilmScene& scene) const {
    const Box& sum = places_.sum;
    if (is_short_) {
      scene.actors.push_back(appearing(arrow_actor({sum.x - 70, 280, 50, 20}), 0.78, 0.84));
    } else {
      const Box& last = product_.bias ? places_.bias : product_.others > 0 ? places_.rest : places_.products.back();
      put_sign(scene, "=", last, sum, 0.8);
    }
    scene.actors.push_back(moving(sum_actor(), grown(sum, 0.7), 0.82, 0.94, 0));
    FilmActor label = is_short_ ? words_actor(label_of_sum(script_, product_), sum.middle_x(), sum.bottom() + 26, 15,
                                              0.5, std::min(200.0, 2 * (film_width - 36 - sum.middle_x())))
                                : words_actor(label_of_sum(script_, product_), sum.right(), 296, 15, 1, 500);
    scene.actors.push_back(appearing(std::move(label), 0.86, 0.94));
  }

  // The products slide into the sum.
  void slide_products(FilmScene& scene) const {
    const Box into = grown(places_.sum, 0.5);
    const auto slide = [&](const Box& from, const FilmGround& ground, double value) {
      FilmActor actor = number_actor(from, ground, number(value, product_.bound), places_.size);
      const double late = 0.06 * (places_.sum.x - from.x) / places_.sum.x;  // the nearest is the first
      actor.keys = {{0.01 + late, from, 1}, {0.16 + late, into, 0}};
      scene.actors.push_back(std::move(actor));
    };
    for (std::size_t i = 0; i < product_.shown.size(); ++i) {
      const double term = product_.terms[product_.shown[i]];
      slide(places_.products[i], signed_ground(term, product_.bound), term);
    }
    if (product_.others > 0) slide(places_.rest, {.kind = FilmGround::Kind::block}, product_.rest);
    if (product_.bias) {
      const auto bias = static_cast<double>(product_.bias_value);
      slide(places_.bias, signed_ground(bias, product_.bound), bias);
    }
  }

  double row_top() const { return product_.is_score ? 290 : 262; }

  // The sum lands in its cell, and the other cells of the row follow.
  void put_row(FilmScene& scene) const {
    const Source& cell = product_.cell;
    const Columns columns = columns_of(script_, cell);
    const Grid grid = grid_of(static_cast<double>(columns.count()));
    const std::vector<float> row = read_row(script_, cell);
    const auto bound = static_cast<float>(row_bound_);
    double at = 0.5;
    FilmActor landing;
    for (std::size_t i = 0; i < columns.shown.size(); ++i) {
      Source source = cell;
      source.col = columns.shown[i];
      const float value = row[static_cast<std::size_t>(source.col)];
      FilmActor actor = number_actor(grid.cell(i, row_top(), row_height), ground_of(script_, source, value, bound),
                                     number(static_cast<double>(value), row_bound_), row_number);
      actor.source = source;
      name_above(actor, column_name(script_, source), source.col == cell.col);
      if (source.col == cell.col) {
        landing = moving(std::move(actor), places_.sum, 0.24, 0.44);
      } else {
        scene.actors.push_back(appearing(std::move(actor), at, at + 0.1));
        at += 0.3 / static_cast<double>(columns.shown.size());
      }
    }
    if (columns.others > 0)
      put_others(scene, grid.cell(columns.shown.size(), row_top(), row_height), columns.others, at);
    scene.actors.push_back(std::move(landing));
    scene.actors.push_back(
        appearing(words_actor({{.text = script_.token(cell.stage, cell.row), .ink = FilmInk::pinned, .is_bold = true}},
                              grid.left - 16, row_top() + 32, 17, 1, grid.left - 52),
                  0.44, 0.5));
  }
  static void put_others(FilmScene& scene, const Box& box, Index others, double at) {
    scene.actors.push_back(appearing(others_actor(box, others), at, at + 0.1, 0.8));
  }

  // The keys that the query meets, above their scores: a few dimensions of each.
  void put_keys(FilmScene& scene) const {
    constexpr std::size_t most_dims = 3;
    const std::vector<std::size_t> dims = largest_terms(product_.terms, most_dims);
    const Columns columns = columns_of(script_, product_.cell);
    const Grid grid = grid_of(static_cast<double>(columns.count()));
    std::vector<std::vector<float>> rows;
    float bound = 0;
    for (const Index key : columns.shown) {
      SourceLine line = product_.right;
      line.first.row = key;
      rows.push_back(read_line(script_, line));
      bound = std::max(bound, largest_of(rows.back()));
    }
    const double top = 252 - 34 * static_cast<double>(dims.size()) - 34;
    for (std::size_t i = 0; i < columns.shown.size(); ++i) {
      const bool is_own = columns.shown[i] == product_.cell.col;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        const Box column = grid.cell(i, top + 34 * static_cast<double>(d), 32);
        const auto value = static_cast<double>(rows[i][dims[d]]);
        FilmActor actor = number_actor({column.x + 8, column.y, column.width - 16, 32},
                                       signed_ground(value, static_cast<double>(bound)),
                                       number(value, static_cast<double>(bound)), 14);
        actor.source = product_.right[static_cast<Index>(dims[d])];
        actor.source->row = columns.shown[i];
        const double at = 0.24 + 0.4 * static_cast<double>(i) / static_cast<double>(columns.shown.size());
        scene.actors.push_back(appearing(std::move(actor), at, at + 0.1, is_own ? 1 : 0.6));
      }
    }
    const bool has_hue = hue_of(product_.right.first.stage) == FilmInk::key;
    const double middle = top + 17 * static_cast<double>(dims.size());
    FilmActor label = words_actor({{.text = has_hue ? "keys" : std::string(info(product_.right.first.stage).title),
                                    .ink = has_hue ? FilmInk::key : FilmInk::dim,
                                    .is_bold = has_hue}},
                                  grid.left - 16, middle, 15, 1, grid.left - 52);
    if (dims.size() < product_.terms.size()) {
      label.words.push_back(label.words.front());
      label.words.front().dy = -10;
      label.words.back().dy = 10;
      label.words.back().runs = {
          {.text = fmt::format("{} of {} dims", dims.size(), product_.terms.size()), .ink = FilmInk::dim}};
    }
    scene.actors.push_back(appearing(std::move(label), 0.24, 0.32));
  }

  // The numbers that all numbers of the row are made of.
  void put_source_row(FilmScene& scene) const {
    const Grid grid = grid_of(static_cast<double>(product_.shown.size() + (product_.others > 0 ? 1 : 0)));
    for (std::size_t i = 0; i < product_.shown.size(); ++i) {
      const std::size_t term = product_.shown[i];
      const Box box = grid.cell(i, 152, 40);
      FilmActor actor = operand(box, product_.left_values[term], product_.left_bound(), FilmInk::text);
      actor.words.front().size = 16;
      name_above(actor, column_name(script_, left_cell(term)), false, 13);
      scene.actors.push_back(appearing(std::move(actor), 0.4, 0.5, 0.75));
    }
    if (product_.others > 0)
      put_others(scene, grid.cell(product_.shown.size(), 152, 40), static_cast<Index>(product_.others), 0.4);
    scene.actors.push_back(appearing(
        words_actor(label_of(script_, product_.left.first), grid.left - 16, 172, 15, 1, grid.left - 52), 0.4, 0.5));
  }

  const Script& script_;
  Product product_;
  bool is_short_;
  double row_bound_ = 1;  // the largest number of the row that the sum stands in
  Grid grid_;
  ProductPlaces places_;
};

}  // namespace

void add_product(Film& film, const Script& script, const Source& cell) {
  ProductScenes scenes(script, cell);
  film.scenes.push_back(scenes.meeting());
  film.scenes.push_back(scenes.adding());
}

}  // namespace attnscope::film

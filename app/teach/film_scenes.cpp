// What all scenes of a film are made of: numbers that are read, actors, motions.

#include "teach/film_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/results.h"
#include "core/visibility.h"
#include "view/number_words.h"
#include "view/stage_look.h"

namespace attnscope::film {
namespace {

std::string name_among(const std::vector<std::string>& names, Index row, std::string_view kind) {
  const auto at = static_cast<std::size_t>(row);
  return at < names.size() ? names[at] : fmt::format("{} {}", kind, row + 1);
}

void check_stop(const Script& script) {
  if (script.subject.stop.stop_requested()) throw Cancelled{};
}

FilmWord name_word(std::string name, bool is_pinned, double size, double room) {
  return {.runs = {{.text = std::move(name), .ink = is_pinned ? FilmInk::pinned : FilmInk::text, .is_bold = is_pinned}},
          .size = size,
          .room = room};
}

}  // namespace

std::string Script::token(Stage stage, Index row) const {
  return name_among(subject.names.of(stage), row, has_key_rows(stage) ? "key" : "query");
}

std::string Script::number(double value, double bound) const {
  int decimals = subject.decimals;
  constexpr double two_digits = 9.5;
  while (decimals < CellWords::places && bound * std::pow(10, decimals) < two_digits) ++decimals;
  return format_fixed(value, decimals);
}

std::string Script::key(Index col) const { return name_among(subject.names.keys, col, "key"); }

std::string Script::quoted_token(Stage stage, Index row) const {
  const bool has_name = row < std::ssize(subject.names.of(stage));
  return has_name ? fmt::format("“{}”", token(stage, row)) : token(stage, row);
}

std::string Script::quoted_key(Index col) const {
  return col < std::ssize(subject.names.keys) ? fmt::format("“{}”", key(col)) : key(col);
}

float read(const Script& script, const Source& cell) {
  check_stop(script);
  return value_at(script.result(), cell);
}

std::vector<float> read_line(const Script& script, const SourceLine& line) {
  check_stop(script);
  return values_at(script.result(), line);
}

std::vector<float> read_row(const Script& script, const Source& cell) {
  Source first = cell;
  first.kind = SourceKind::cell;
  first.col = 0;
  return read_line(script, {first, stage_shape(script.config(), cell.stage).back()});
}

Columns columns_of(const Script& script, const Source& cell) {
  if (is_query_by_key(info(cell.stage).axes)) return {script.keys, script.other_keys};
  const std::vector<float> row = read_row(script, cell);
  const std::vector<double> numbers(row.begin(), row.end());
  const bool are_all = std::ssize(row) <= most_columns;
  Columns columns;
  for (const std::size_t at : largest_terms(numbers, are_all ? row.size() : most_terms))
    columns.shown.push_back(static_cast<Index>(at));
  if (!std::ranges::binary_search(columns.shown, cell.col)) columns.shown.push_back(cell.col);
  std::ranges::sort(columns.shown);
  columns.others = std::ssize(row) - std::ssize(columns.shown);
  return columns;
}

std::vector<Index> dims_of(const Script& script, const Source& cell) {
  constexpr Index most_mixed_dims = 3;
  const std::vector<float> row = read_row(script, cell);
  const std::vector<double> numbers(row.begin(), row.end());
  std::vector<Index> dims = {cell.col};
  for (Index most = 1; most <= std::ssize(row) && std::ssize(dims) < std::min(most_mixed_dims, std::ssize(row));
       ++most) {
    for (const std::size_t at : largest_terms(numbers, static_cast<std::size_t>(most))) {
      const auto dim = static_cast<Index>(at);
      if (std::ranges::find(dims, dim) == dims.end() && std::ssize(dims) < most_mixed_dims) dims.push_back(dim);
    }
  }
  std::ranges::sort(dims);
  return dims;
}

std::string column_name(const Script& script, const Source& cell) {
  if (is_query_by_key(info(cell.stage).axes)) return script.key(cell.col);
  const std::string name = column_dimension(script.subject.result.config, cell.stage, cell.col);
  return name.empty() ? fmt::format("dim {}", cell.col + 1) : name;
}

FilmGround signed_ground(double value, double bound) {
  const bool is_odd = std::isnan(value) || (std::isinf(value) && value > 0);
  const bool is_hidden = std::isinf(value) && value < 0;
  return {.kind = is_odd      ? FilmGround::Kind::odd
                  : is_hidden ? FilmGround::Kind::hidden
                              : FilmGround::Kind::signed_number,
          .value = static_cast<float>(value),
          .bound = static_cast<float>(bound)};
}

FilmGround ground_of(const Script& script, const Source& cell, float value, float bound) {
  FilmGround ground = signed_ground(static_cast<double>(value), static_cast<double>(bound));
  if (ground.kind != FilmGround::Kind::signed_number) return ground;
  const StageInfo& stage = info(cell.stage);
  if (is_query_by_key(stage.axes) && is_masked(script.result(), cell)) {
    ground.kind = FilmGround::Kind::hidden;
  } else if (is_dropped(script.result(), cell) && shows_dropped(script.result(), cell.stage)) {
    ground.kind = FilmGround::Kind::dropped;
  } else if (stage.range == StageRange::probability) {
    ground.kind = FilmGround::Kind::share;
  } else if (stage.range == StageRange::factor) {
    ground.kind = FilmGround::Kind::factor;
  }
  return ground;
}

float largest_of(std::span<const float> values) {
  float largest = 0;
  for (const float value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest > 0 ? largest : 1;
}

std::string sentence_of(const Script& script, const Source& cell) {
  check_stop(script);
  const std::vector<ExplanationLine> lines = explanation_lines(script.result(), cell, script.subject.names, most_terms);
  const bool has_sentence =
      !lines.empty() && lines.front().is_words && !lines.front().is_note && !lines.front().text.ends_with(':');
  return has_sentence ? lines.front().text : "";
}

std::vector<std::string> steps_of(const Script& script, const Source& cell) {
  check_stop(script);
  return arithmetic_of(script.result(), cell, script.subject.names);
}

FilmInk hue_of(Stage stage) {
  static constexpr std::array inks = {FilmInk::query, FilmInk::key, FilmInk::value};
  const std::optional<OperandSide> side = info(stage).side;
  return side ? inks.at(static_cast<std::size_t>(*side)) : FilmInk::text;
}

std::string singular(Stage stage) {
  static constexpr std::array<const char*, 3> names = {"query", "key", "value"};
  const StageInfo& row = info(stage);
  if (!row.side || is_parameter(row.axes)) return std::string(row.title);
  return names.at(static_cast<std::size_t>(*row.side));
}

// "query of it", the query in its hue and the token as the pinned one.
std::vector<FilmRun> label_of(const Script& script, const Source& first) {
  const FilmInk hue = hue_of(first.stage);
  if (is_parameter(info(first.stage).axes))
    return {{.text = std::string(info(first.stage).title), .ink = hue, .is_bold = hue != FilmInk::text}};
  return {{.text = singular(first.stage), .ink = hue, .is_bold = hue != FilmInk::text},
          {.text = " of "},
          {.text = script.token(first.stage, first.row), .ink = FilmInk::pinned, .is_bold = true}};
}

FilmActor number_actor(const Box& home, FilmGround ground, std::string text, double size) {
  const bool has_ground = ground.kind != FilmGround::Kind::none;
  const FilmInk ink = ground.kind == FilmGround::Kind::block ? FilmInk::text : FilmInk::on_ground;
  FilmActor actor{.ground = ground, .home = home};
  actor.words.push_back(
      {.runs = {{.text = std::move(text), .ink = has_ground ? ink : FilmInk::text, .is_number = true}},
       .size = size,
       .room = home.width - 8});
  return actor;
}

FilmActor others_actor(const Box& home, Index others) {
  FilmActor actor =
      number_actor(home, {.kind = FilmGround::Kind::block}, format_integer(static_cast<double>(others)), 15);
  actor.words.front().dy = -9;
  actor.words.push_back({.runs = {{.text = "more", .ink = FilmInk::dim}}, .size = 13, .dy = 9, .room = home.width - 8});
  return actor;
}

FilmActor words_actor(std::vector<FilmRun> runs, double x, double middle, double size, double anchor, double room) {
  return {.words = {{.runs = std::move(runs), .size = size, .anchor = anchor, .room = room}},
          .home = {x - 0.5, middle - 0.5, 1, 1}};
}

FilmActor arrow_actor(const Box& box) { return {.ground = {.kind = FilmGround::Kind::arrow}, .home = box}; }

void name_above(FilmActor& actor, std::string name, bool is_pinned, double size) {
  FilmWord word = name_word(std::move(name), is_pinned, size, actor.home.width - 6);
  word.down = 0;
  word.dy = -0.5 * size - 7;
  actor.words.push_back(std::move(word));
}

void name_below(FilmActor& actor, std::string name, bool is_pinned, double size) {
  FilmWord word = name_word(std::move(name), is_pinned, size, actor.home.width - 6);
  word.down = 1;
  word.dy = 0.5 * size + 7;
  actor.words.push_back(std::move(word));
}

FilmActor still(FilmActor actor, double opacity) {
  actor.keys = {{0, actor.home, opacity}};
  return actor;
}

FilmActor appearing(FilmActor actor, double from, double until, double opacity) {
  actor.keys = {{from, actor.home, 0}, {until, actor.home, opacity}};
  return actor;
}

FilmActor flying(FilmActor actor, const Source& from_cell, double from, double until) {
  actor.source = from_cell;
  actor.keys = {{from, actor.home, 1, true}, {until, actor.home, 1}};
  return actor;
}

FilmActor moving(FilmActor actor, const Box& begin, double from, double until, double opacity_at_begin) {
  actor.keys = {{from, begin, opacity_at_begin}, {until, actor.home, 1}};
  return actor;
}

Box grown(const Box& box, double factor) {
  const double width = factor * box.width;
  const double height = factor * box.height;
  return {box.middle_x() - width / 2, box.middle_y() - height / 2, width, height};
}

Grid grid_of(double columns) {
  constexpr double right = film_width - 36;
  Grid grid;
  grid.width = std::min(grid.width, (right - grid.left) / columns);
  grid.left = std::max(grid.left, (film_width - columns * grid.width) / 2);
  return grid;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string title_of_step(const Script& script, Stage stage) {
  const ConfigText& title = info(stage).scene.title;
  return title.is_empty() ? capital(std::string(info(stage).title)) : title(script.config());
}

std::string name_of_step(const Script& script, Stage stage) {
  const ConfigText& name = info(stage).scene.name;
  return name.is_empty() ? diagram_operator(script.config(), stage).sign : name(script.config());
}

}  // namespace attnscope::film

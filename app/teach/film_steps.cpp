// Steps from a row to a row: each number becomes another one in its place.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/stages/rule.h"
#include "core/text.h"
#include "teach/film_scenes.h"
#include "view/number_words.h"
#include "view/stage_look.h"

namespace attnscope::film {
namespace {

constexpr double step_top = 276;  // of the row that a step makes, if it is alone
constexpr double step_height = 64;

// Where the two rows of a step stand.
struct LanePlaces {
  double before = 170;
  double before_height = 54;
  double operation = 250;
  double after = step_top;
  double after_height = step_height;
  double size = 22;
};

struct Lane {
  Source cell;
  Stage before_stage;
  Columns columns = {};
  Grid grid = {};
  std::vector<float> before = {}, after = {};  // whole rows
  float bound_before = 1;
  float bound_after = 1;

  Source source(std::size_t column, bool is_after) const {
    Source source = cell;
    source.col = columns.shown[column];
    if (!is_after) source.stage = before_stage;
    return source;
  }
  float value(std::size_t column, bool is_after) const {
    return (is_after ? after : before)[static_cast<std::size_t>(columns.shown[column])];
  }
};

float bound_of(const Script& script, Stage stage, const std::vector<float>& row) {
  if (!is_query_by_key(info(stage).axes)) return largest_of(row);
  return info(stage).range == StageRange::signed_value ? script.score_bound : script.weight_bound;
}

Lane lane_of(const Script& script, const Source& cell) {
  Lane lane{.cell = cell, .before_stage = predecessors(script.config(), cell.stage)[0]};
  lane.columns = columns_of(script, cell);
  lane.grid = grid_of(static_cast<double>(lane.columns.count()));
  lane.after = read_row(script, cell);
  Source before = cell;
  before.stage = lane.before_stage;
  lane.before = read_row(script, before);
  lane.bound_before = bound_of(script, lane.before_stage, lane.before);
  lane.bound_after = bound_of(script, cell.stage, lane.after);
  if (info(cell.stage).range == info(lane.before_stage).range)
    lane.bound_before = lane.bound_after = std::max(lane.bound_before, lane.bound_after);
  return lane;
}

// What is done to a number, as its own arithmetic has it: "÷ 1.4142" of "6.5400 / 1.4142 = 4.6245". If that is long,
// the sign on the diagram's arrow.
std::string operation_text(const Script& script, const Source& cell, float before) {
  std::string steps = fmt::format("{}", fmt::join(steps_of(script, cell), " "));
  const std::string first = CellWords::number(static_cast<double>(before)) + " ";
  const std::size_t equals = steps.find(" = ");
  constexpr std::ptrdiff_t longest = 12;
  if (steps.starts_with(first) && equals != std::string::npos && equals > first.size()) {
    std::string done = steps.substr(first.size(), equals - first.size());
    if (done.starts_with("/ ")) done.replace(0, 1, "÷");
    if (character_count(done) <= longest) return done;
  }
  return diagram_operator(script.config(), cell.stage).sign;
}

FilmActor cell_actor(const Script& script, const Lane& lane, std::size_t column, bool is_after, const Box& box,
                     double size) {
  const Source source = lane.source(column, is_after);
  const float value = lane.value(column, is_after);
  const float bound = is_after ? lane.bound_after : lane.bound_before;
  FilmActor actor = number_actor(box, ground_of(script, source, value, bound),
                                 script.number(static_cast<double>(value), static_cast<double>(bound)), size);
  actor.source = source;
  return actor;
}

void put_others(FilmScene& scene, const Box& box, Index others) {
  scene.actors.push_back(still(others_actor(box, others), 0.8));
}

void put_lane_label(FilmScene& scene, const Script& script, const Lane& lane, double middle) {
  const std::vector<FilmRun> token = {
      {.text = script.token(lane.cell.stage, lane.cell.row), .ink = FilmInk::pinned, .is_bold = true}};
  const bool is_of_keys = is_query_by_key(info(lane.cell.stage).axes);
  scene.actors.push_back(still(words_actor(is_of_keys ? token : label_of(script, lane.cell), lane.grid.left - 16,
                                           middle, is_of_keys ? 17 : 15, 1, lane.grid.left - 52)));
}

// Returns whether the step only hides cells: every other number stays as it is.
bool only_hides(const Script& script, const Lane& lane) {
  if (!is_query_by_key(info(lane.cell.stage).axes)) return false;
  for (std::size_t i = 0; i < lane.columns.shown.size(); ++i) {
    const FilmGround ground = ground_of(script, lane.source(i, true), lane.value(i, true), 1);
    if (ground.kind != FilmGround::Kind::hidden && lane.value(i, false) != lane.value(i, true)) return false;
  }
  return true;
}

void put_hiding(FilmScene& scene, const Script& script, const Lane& lane) {
  constexpr double top = 230;
  for (std::size_t i = 0; i < lane.columns.shown.size(); ++i) {
    const Box box = lane.grid.cell(i, top, step_height);
    const std::string name = column_name(script, lane.source(i, true));
    const bool is_pinned = lane.columns.shown[i] == lane.cell.col;
    FilmActor after = cell_actor(script, lane, i, true, box, 22);
    FilmActor before = cell_actor(script, lane, i, false, box, 22);
    const bool changes = !(after.ground == before.ground) || lane.value(i, false) != lane.value(i, true);
    const Box from = lane.grid.cell(i, step_top, step_height);
    if (!changes) {
      name_above(after, name, is_pinned);
      scene.actors.push_back(moving(std::move(after), from, 0, 0.2));
      continue;
    }
    name_above(before, name, is_pinned);
    before.keys = {{0, from, 1}, {0.2, box, 1}, {0.4, box, 1}, {0.55, box, 0}};
    name_above(after, name, is_pinned);
    scene.actors.push_back(std::move(before));
    scene.actors.push_back(appearing(std::move(after), 0.5, 0.7));
  }
  if (lane.columns.others > 0)
    put_others(scene, lane.grid.cell(lane.columns.shown.size(), top, step_height), lane.columns.others);
  put_lane_label(scene, script, lane, top + step_height / 2);
  scene.note_top = 376;
}

void put_lane(FilmScene& scene, const Script& script, const Lane& lane, const LanePlaces& places) {
  const std::size_t count = lane.columns.shown.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_pinned = lane.columns.shown[i] == lane.cell.col;
    FilmActor before =
        cell_actor(script, lane, i, false, lane.grid.cell(i, places.before, places.before_height), places.size - 2);
    name_above(before, column_name(script, lane.source(i, true)), is_pinned, places.size > 20 ? 15 : 13);
    scene.actors.push_back(moving(std::move(before), lane.grid.cell(i, places.after, places.after_height), 0, 0.25));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Box place = lane.grid.cell(i, places.after, places.after_height);
    FilmActor after = cell_actor(script, lane, i, true, place, places.size);
    const double at = 0.45 + 0.25 * static_cast<double>(i) / static_cast<double>(count);
    if (after.ground.kind != FilmGround::Kind::hidden) {
      const std::string done = operation_text(script, lane.source(i, true), lane.value(i, false));
      scene.actors.push_back(appearing(words_actor({{.text = done, .ink = FilmInk::dim, .is_number = true}},
                                                   place.middle_x(), places.operation, 14, 0.5, place.width - 6),
                                       0.3, 0.42));
    }
    scene.actors.push_back(
        moving(std::move(after), lane.grid.cell(i, places.before, places.before_height), at, at + 0.15, 0));
  }
  if (lane.columns.others > 0) {
    put_others(scene, lane.grid.cell(count, places.before, places.before_height), lane.columns.others);
    put_others(scene, lane.grid.cell(count, places.after, places.after_height), lane.columns.others);
  }
  put_lane_label(scene, script, lane, places.after + places.after_height / 2);
}

// The arithmetic of the film's own number, below its row.
void put_equation(FilmScene& scene, const std::string& equation, double middle, double size = 17) {
  if (equation.empty()) return;
  scene.actors.push_back(appearing(
      words_actor({{.text = equation, .is_number = true}}, film_width / 2, middle, size, 0.5, film_width - 72), 0.85,
      0.95));
}

// Returns the sentence about the cell; where the scene hides others, about the first of these.
std::string note_of(const Script& script, const Lane& lane, bool is_hiding) {
  for (std::size_t i = 0; is_hiding && i < lane.columns.shown.size(); ++i) {
    const FilmGround ground = ground_of(script, lane.source(i, true), lane.value(i, true), 1);
    if (ground.kind == FilmGround::Kind::hidden) return sentence_of(script, lane.source(i, true));
  }
  return sentence_of(script, lane.cell);
}

std::string caption_of_hiding(const Script& script, const Lane& lane) {
  return fmt::format("{} of {} · every key", capital(std::string(info(lane.before_stage).title)),
                     script.quoted_token(lane.cell.stage, lane.cell.row));
}

}  // namespace

void add_step(Film& film, const Script& script, const std::vector<Source>& lanes) {
  const Stage stage = lanes.front().stage;
  FilmScene scene{.id = std::string(info(stage).id),
                  .name = name_of_step(script, stage),
                  .title = title_of_step(script, stage),
                  .caption = capital(about(script.config(), stage)),
                  .seconds = 4,
                  .stage = stage};
  if (lanes.size() == 1) {
    const Lane lane = lane_of(script, lanes.front());
    const bool is_hiding = only_hides(script, lane);
    const bool is_copy = explain(script.result(), lane.cell).operation->is_copy;
    const std::string equation = is_copy ? "" : fmt::format("{}", fmt::join(steps_of(script, lane.cell), " "));
    if (is_hiding) {
      scene.caption = caption_of_hiding(script, lane);  // the note says what hiding does
      put_hiding(scene, script, lane);
      put_equation(scene, equation, 328);
    } else {
      put_lane(scene, script, lane, {});
      put_equation(scene, equation, 374);
      scene.note_top = 424;
    }
    scene.note = note_of(script, lane, is_hiding);
  } else {
    double top = 136;
    for (const Source& cell : lanes) {
      const Lane lane = lane_of(script, cell);
      put_lane(scene, script, lane,
               {.before = top,
                .before_height = 38,
                .operation = top + 51,
                .after = top + 64,
                .after_height = 44,
                .size = 18});
      put_equation(scene, fmt::format("{}", fmt::join(steps_of(script, cell), " ")), top + 122, 14);
      top += 158;
    }
    scene.note = sentence_of(script, lanes.front());
    scene.note_top = 450;
  }
  film.scenes.push_back(std::move(scene));
}

namespace {

// Places of softmax: bars on a line, and the shares below it.
constexpr double bar_base = 296;
constexpr double highest_bar = 138;
constexpr double shares_top = 324;
constexpr double shares_height = 56;

class SoftmaxScene {
public:
  SoftmaxScene(const Script& script, const Source& weight)
      : script_(script), lane_(lane_of(script, weight)), explanation_(explain(script.result(), weight)) {
    for (const float score : lane_.before)
      exponentials_.push_back(has_numbers() ? std::exp(static_cast<double>(score) - largest()) : 0);
  }

  FilmScene make() {
    const Source& cell = lane_.cell;
    FilmScene scene{.id = "softmax",
                    .name = name_of_step(script_, cell.stage),
                    .title = title_of_step(script_, cell.stage),
                    .caption = "e to each score less the row's largest, m; divided by the sum of the row",
                    .note = sentence_of(script_, cell),
                    .note_top = 464,
                    .seconds = 6,
                    .stage = cell.stage};
    for (std::size_t i = 0; i < lane_.columns.shown.size(); ++i) {
      put_score(scene, i);
      if (has_numbers() && !is_hidden(i)) put_bar(scene, i);
      put_share(scene, i);
    }
    if (lane_.columns.others > 0) put_rest(scene);
    if (has_numbers()) {
      scene.actors.push_back(appearing(words_actor({{.text = "largest m = ", .ink = FilmInk::dim},
                                                    {.text = score_text(largest()), .is_number = true}},
                                                   lane_.grid.left - 16, bar_base - 36, 16, 1, lane_.grid.left - 52),
                                       0.14, 0.2));
      scene.actors.push_back(appearing(
          words_actor({{.text = "sum ", .ink = FilmInk::dim}, {.text = script_.number(sum()), .is_number = true}},
                      lane_.grid.left - 16, bar_base - 10, 16, 1, lane_.grid.left - 52),
          0.52, 0.58));
    }
    put_lane_label(scene, script_, lane_, shares_top + shares_height / 2);
    const std::vector<std::string> steps = steps_of(script_, cell);
    put_equation(scene, steps.size() < 2 ? "" : fmt::format("{},  {}", steps[steps.size() - 2], steps.back()), 430);
    return scene;
  }

private:
  bool has_numbers() const { return explanation_.operands.size() > 2; }
  double largest() const { return static_cast<double>(explanation_.operands[1].values.front()); }
  double sum() const { return static_cast<double>(explanation_.operands[2].values.front()); }
  bool is_hidden(std::size_t column) const {
    return std::isinf(lane_.value(column, false)) && lane_.value(column, false) < 0;
  }
  std::string score_text(double score) const { return script_.number(score, static_cast<double>(lane_.bound_before)); }
  double exponential(std::size_t column) const {
    return exponentials_[static_cast<std::size_t>(lane_.columns.shown[column])];
  }
  double moment(std::size_t column, double begin, double length) const {
    return begin + length * static_cast<double>(column) / static_cast<double>(lane_.columns.count());
  }
  Box share_box(std::size_t column) const { return lane_.grid.cell(column, shares_top, shares_height); }

  // The score comes from where the scene before has left it.
  void put_score(FilmScene& scene, std::size_t column) const {
    FilmActor score = cell_actor(script_, lane_, column, false, share_box(column), 20);
    score.keys = {{0, lane_.grid.cell(column, step_top, step_height), 1},
                  {0.12, score.home, 1},
                  {0.3, score.home, 1},
                  {0.42, score.home, 0.5},
                  {0.58, score.home, 0.5},
                  {0.66, score.home, 0}};
    scene.actors.push_back(std::move(score));
  }

  void put_bar(FilmScene& scene, std::size_t column) const {
    const Box place = share_box(column);
    const double height = std::max(1.5, highest_bar * exponential(column));
    const double width = std::min(60.0, 0.6 * place.width);
    const bool is_pinned = lane_.columns.shown[column] == lane_.cell.col;
    const Box box{place.middle_x() - width / 2, bar_base - height, width, height};
    const double begin = moment(column, 0.18, 0.12);
    const double end = begin + 0.2;
    FilmActor bar{.ground = {.kind = FilmGround::Kind::bar, .value = is_pinned ? 0.52F : 0.27F}, .home = box};
    bar.keys = {
        {begin, {box.x, bar_base - 1, width, 1}, 0}, {begin + 0.02, {box.x, bar_base - 1, width, 1}, 1}, {end, box, 1}};
    scene.actors.push_back(std::move(bar));
    const float score = lane_.value(column, false);
    FilmActor label = words_actor({{.text = "= " + script_.number(exponential(column)), .is_number = true}},
                                  place.middle_x(), box.y - 13, 15, 0.5, place.width - 4);
    label.words.push_back(
        {.runs = {{.text = "e"},
                  {.text = score_text(static_cast<double>(score)) + " − m", .is_number = true, .is_raised = true}},
         .size = 15,
         .dy = -19,
         .room = place.width - 4});
    Box base = label.home;
    base.y = bar_base - 14;
    label.keys = {{begin, base, 0}, {end, label.home, 1}};
    scene.actors.push_back(std::move(label));
    scene.actors.push_back(
        appearing(words_actor({{.text = "÷ " + script_.number(sum()), .ink = FilmInk::dim, .is_number = true}},
                              place.middle_x(), (bar_base + shares_top) / 2, 14, 0.5, place.width - 6),
                  0.58, 0.64));
  }

  void put_share(FilmScene& scene, std::size_t column) const {
    FilmActor share = cell_actor(script_, lane_, column, true, share_box(column), 22);
    name_below(share, column_name(script_, lane_.source(column, true)), lane_.columns.shown[column] == lane_.cell.col);
    const Box begin = grown(share.home, 0.7);
    const double at = moment(column, 0.64, 0.12);
    scene.actors.push_back(moving(std::move(share), is_hidden(column) ? share_box(column) : begin, at, at + 0.1, 0));
  }

  void put_rest(FilmScene& scene) const {
    double rest = 0;
    double rest_share = 0;
    for (std::size_t key = 0; key < exponentials_.size(); ++key) {
      if (std::ranges::binary_search(lane_.columns.shown, static_cast<Index>(key))) continue;
      rest += exponentials_[key];
      rest_share += static_cast<double>(lane_.after[key]);
    }
    const std::size_t column = lane_.columns.shown.size();
    const Box place = share_box(column);
    const Box above{place.x, bar_base - 44, place.width, 40};
    FilmActor sums = number_actor(above, {.kind = FilmGround::Kind::block}, "+ " + script_.number(rest), 16);
    scene.actors.push_back(appearing(std::move(sums), 0.4, 0.5));
    FilmActor share = number_actor(place, {.kind = FilmGround::Kind::block},
                                   script_.number(rest_share, static_cast<double>(lane_.bound_after)), 20);
    name_below(share, fmt::format("{} more", format_integer(static_cast<double>(lane_.columns.others))), false, 14);
    scene.actors.push_back(appearing(std::move(share), 0.76, 0.86));
  }

  const Script& script_;
  Lane lane_;
  Explanation explanation_;
  std::vector<double> exponentials_;
};

}  // namespace

void add_softmax(Film& film, const Script& script, const Source& weight) {
  film.scenes.push_back(SoftmaxScene(script, weight).make());
}

}  // namespace attnscope::film

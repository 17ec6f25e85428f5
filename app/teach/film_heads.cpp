// Scenes of several heads: those that share their keys, and the heads of a token side by side.

#include <fmt/format.h>

#include <algorithm>

#include "core/visibility.h"
#include "teach/film_scenes.h"
#include "view/stage_look.h"

namespace attnscope::film {
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

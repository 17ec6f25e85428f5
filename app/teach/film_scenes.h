#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "teach/film.h"

// The parts of films. Private to this folder.
namespace attnscope::film {

constexpr std::size_t most_terms = 6;  // terms of a sum that stand by name; the others are one block
constexpr Index most_columns = 8;      // columns of a row that are all shown

// What the scenes of a film share.
struct Script {
  const FilmSubject& subject;
  std::vector<Index> keys = {};  // columns that rows of keys show, in order
  Index other_keys = 0;          // columns that they do not show
  float score_bound = 1;         // the largest score of the row, which colours all its scores
  float weight_bound = 1;

  const Result& result() const { return subject.result; }
  const AttentionConfig& config() const { return subject.result.config; }
  // Writes a number of a row whose largest is `bound`: with more decimals where all of them are small.
  std::string number(double value, double bound = 1) const;
  std::string token(Stage stage, Index row) const;  // "it"; "key 3" without a name
  std::string key(Index col) const;
  std::string quoted_token(Stage stage, Index row) const;  // “it” for titles; "key 3" without a name
  std::string quoted_key(Index col) const;
};

// The columns of a row that are shown.
struct Columns {
  std::vector<Index> shown;
  Index others = 0;
  std::size_t count() const { return shown.size() + (others > 0 ? 1 : 0); }
};
Columns columns_of(const Script& script, const Source& cell);
// Returns up to three columns: the cell's own, and the largest of its row.
std::vector<Index> dims_of(const Script& script, const Source& cell);
std::string column_name(const Script& script, const Source& cell);  // a key's name, or "dim 3"

// Reads numbers; throws Cancelled if the film is no longer wanted.
float read(const Script& script, const Source& cell);
std::vector<float> read_row(const Script& script, const Source& cell);  // the whole row that the cell stands in
std::vector<float> read_line(const Script& script, const SourceLine& line);

FilmGround ground_of(const Script& script, const Source& cell, float value, float bound);
FilmGround signed_ground(double value, double bound);
float largest_of(std::span<const float> values);  // in magnitude, of the finite ones; 1 if all are 0

FilmInk hue_of(Stage stage);        // of what belongs to queries, keys or values
std::string singular(Stage stage);  // "query"
// "query of it", the query in its hue and the token as the pinned one; or the name of a weight matrix.
std::vector<FilmRun> label_of(const Script& script, const Source& first);

// The words of the stage about a cell: its sentence, and the steps of its arithmetic.
std::string sentence_of(const Script& script, const Source& cell);
std::vector<std::string> steps_of(const Script& script, const Source& cell);

// Actors. A number stands in the middle of its box.
FilmActor number_actor(const Box& home, FilmGround ground, std::string text, double size = 22);
// A block that stands for numbers that are not shown: "1,016" above "more".
FilmActor others_actor(const Box& home, Index others);
FilmActor words_actor(std::vector<FilmRun> runs, double x, double middle, double size, double anchor = 0.5,
                      double room = 0);
FilmActor arrow_actor(const Box& box);
void name_above(FilmActor& actor, std::string name, bool is_pinned, double size = 15);
void name_below(FilmActor& actor, std::string name, bool is_pinned, double size = 15);

// Motions, each from one moment to another.
FilmActor still(FilmActor actor, double opacity = 1);
FilmActor appearing(FilmActor actor, double from, double until, double opacity = 1);
FilmActor flying(FilmActor actor, const Source& from_cell, double from, double until);  // from the diagram
FilmActor moving(FilmActor actor, const Box& begin, double from, double until, double opacity_at_begin = 1);
Box grown(const Box& box, double factor);  // around its middle

// Places of columns on the page.
struct Grid {
  double left = 180;
  double width = 104;  // of a column
  Box cell(std::size_t column, double top, double height) const {
    return {left + static_cast<double>(column) * width, top, width, height};
  }
};
Grid grid_of(double columns);
constexpr double label_right = 164;  // right end of the names of rows
constexpr double label_room = 128;

// Scenes; each is added to the film.
void add_sharing(Film& film, const Script& script, const Source& score);
void add_product(Film& film, const Script& script, const Source& cell);  // it meets; and its row fills
void add_step(Film& film, const Script& script, const std::vector<Source>& lanes);
void add_softmax(Film& film, const Script& script, const Source& weight);
// The values that the weights of a row mix: the terms of the context's cell, or the largest weights.
void add_mix(Film& film, const Script& script, const Source& context, std::optional<Index> pinned_key = {});
void add_joined_heads(Film& film, const Script& script, const Source& context);

// Titles, and names on the strip.
std::string title_of_step(const Script& script, Stage stage);
std::string name_of_step(const Script& script, Stage stage);
std::string capital(std::string text);  // begins with a capital letter

}  // namespace attnscope::film

#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "core/source.h"
#include "core/stages/rule.h"
#include "view/picture.h"

// The film of a number: scenes that show how a number of a result came to be and, for a weight, what it does. A film is
// plain values; a frame of it is a picture. Window, presentation and files show the same ones.

namespace attnscope {

// The number that a film is about.
struct FilmSubject {
  const Result& result;  // finished, at least the cell's head
  RowNames names;        // of queries and keys
  Source cell;
  int decimals = 2;
  std::stop_token stop = {};
};

// A film does not change, and refers to nothing outside of itself. A page is 960 units wide and 540 high; a canvas
// shows it as large as it can.
constexpr double film_width = 960;
constexpr double film_height = 540;

enum class FilmInk { text, dim, pinned, accent, query, key, value, on_ground };

// A piece of a line of text.
struct FilmRun {
  std::string text;
  FilmInk ink = FilmInk::text;
  bool is_bold = false;
  bool is_number = false;  // set in figures of one width
  bool is_raised = false;  // an exponent
};

// A line of text that belongs to an actor: it lies and grows with the actor's box.
struct FilmWord {
  std::vector<FilmRun> runs = {};
  double size = 16;
  double anchor = 0.5;  // 0: x is the left end, 0.5: the middle, 1: the right end
  double across = 0.5;  // x in widths of the box, then `dx` more
  double dx = 0;
  double down = 0.5;  // the middle of the line in heights of the box, then `dy` more
  double dy = 0;
  double room = 0;  // limits the width: the text gets smaller, then shorter; 0: nothing does
};

// The ground behind an actor's words: a cell's colour, an arrow or a frame.
struct FilmGround {
  enum class Kind {
    none,
    signed_number,  // diverging colours from -bound to bound
    share,          // viridis from 0 to bound
    factor,         // as dropout's factors
    hidden,
    dropped,
    block,  // stands for several numbers: a quiet card
    bar,    // a bar of a share's colour
    arrow,  // from the left end of the box to its right end, or downwards if the box is higher than wide
    frame,  // an outline only
    odd,    // not a number, or infinite
  };
  Kind kind = Kind::none;
  float value = 0;
  float bound = 1;
  std::optional<FilmInk> outline = {};  // a frame around it
  bool operator==(const FilmGround&) const = default;
};

// A key frame: the place of an actor at the moment `at` of its scene, from 0 to 1.
struct FilmKey {
  double at = 0;
  Box box;
  double opacity = 1;
  bool is_origin = false;  // the box is that of `source` in the diagram, if it is shown there
};

// Everything that moves is one object: its ground, its digits, its names.
struct FilmActor {
  FilmGround ground = {};
  std::vector<FilmWord> words = {};
  std::vector<FilmKey> keys = {};     // in the order of their moments; between two of them the motion is eased
  Box home = {};                      // the box in which words have their sizes
  std::optional<Source> source = {};  // the number that it shows, if that is one of the document's cells
};

struct FilmScene {
  std::string id;    // "meet", or the id of the stage that it makes: "scaled_scores"
  std::string name;  // on the strip: "÷ √2"
  std::string title;
  std::string caption = {};
  std::string note = {};  // a sentence below the actors, of the cell's own derivation
  double note_top = 440;  // height of its first line on the page
  double seconds = 4;
  std::optional<Stage> stage = {};     // the stage that the scene makes
  std::vector<FilmActor> actors = {};  // in the order in which they are painted
};

struct Film {
  Source cell;
  std::string number = {};  // "weight of “it” for “cat” = 0.96": the number that the film is about
  std::vector<FilmScene> scenes = {};
};

// Returns a sentence why a cell has no film: it is typed, drawn, given or not computed. Empty if it has one.
std::string obstacle_to_film(const Result& result, const Source& cell);

// Makes the film of a cell that has one. It keeps only the numbers that it shows, whatever the number of tokens.
// Throws Cancelled.
Film make_film(const FilmSubject& subject);

struct FilmCanvas {
  Box box;
  const ThemeColours* theme = nullptr;
  Rgb paper;  // the colour behind everything
  picture::TextMeasure measure;
  bool has_stepped_letters = false;  // letters come in a few sizes, so that lengths do not grow evenly with the size
  // Returns the box of a cell in the diagram, on the canvas; nothing if it is not shown. The first numbers come from
  // there; without it they appear at their places.
  std::function<std::optional<Box>(const Source& cell)> origin = {};
  double least_text = 11;  // no text is smaller
  std::string mark = {};   // stands at the right end of the title's line, as a warning about all numbers
};

// A moment of a film: a scene, and how much of it has passed, from 0 to 1.
struct FilmMoment {
  std::size_t scene = 0;
  double t = 0;
  bool operator==(const FilmMoment&) const = default;
};

// Returns everything that is seen at a moment: the ground, title and caption, the actors, and the strip. At t = 1
// stands the key frame of the scene.
picture::Picture frame_of(const Film& film, std::size_t scene, double t, const FilmCanvas& canvas);

// Returns how a film goes back to the diagram from the key frame of a scene: its number flies to its cell, everything
// else fades, and so does the ground. At t = 1 nothing is left but the number in its place, or nothing at all.
picture::Picture landing_of(const Film& film, std::size_t scene, double t, const FilmCanvas& canvas);

// Returns the room of the strip at the bottom: the scenes' names, and how much of them has passed.
Box strip_of(const FilmCanvas& canvas);
// Returns the moment that a place on the strip stands for; nothing beside it.
std::optional<FilmMoment> moment_at(const Film& film, const FilmCanvas& canvas, double x, double y);

}  // namespace attnscope

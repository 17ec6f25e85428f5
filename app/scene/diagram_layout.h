#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source.h"
#include "picture/picture.h"
#include "scene/diagram_shape.h"

namespace attnscope::scene {

// The layout of a diagram. The spine: inputs, queries, keys, values, weights, context and output have a
// row for each token, so they stand on one line and a token is one stripe across the page. The workshop below it:
// queries, scores, masked and scaled scores feed up into the weights, which are the largest matrix of all. Where that
// does not fit there are three lines, or one a band. One pure function serves window, slide, page and presentation; all
// lengths are in units of whoever draws.

using picture::Face;
using picture::Point;
using picture::TextMeasure;

struct DiagramCanvas {
  Box box;
  double least_text = 11;      // no text is smaller
  bool wants_card = false;     // room is kept for the card that explains a number
  bool is_page = false;        // a narrow column of paper: short words, narrow margins and no headings
  std::optional<Stage> focus;  // presenting: this stage and its operands are enlarged, the rest is faint
  double pixels_per_unit = 1;  // rows begin at whole pixels

  bool operator==(const DiagramCanvas&) const = default;
};

enum class DiagramWrap {
  two_lines,    // Project, weights and Mix on the spine; Compare below
  three_lines,  // Project and weights; Compare; Mix
  bands,        // Project; Compare; weights; Mix: upright screens and paper
  compared,     // the spine of A, and below it weights and Mix of B
};

enum class PlacedRole { result, copy, above, bias };

// Columns of a matrix that are equally wide: those of one head, or all of them.
struct PlacedPart {
  Index head = 0;
  Index first_column = 0;  // of the matrix that is drawn: of a stage with a matrix for each head always 0
  Index columns = 0;
  double x = 0;
  double width = 0;
  bool is_viewed = true;  // it is of the head that is looked at
};

struct PlacedMatrix {
  Stage stage = Stage::inputs;
  Stage result = Stage::inputs;  // `stage` itself, or what that is an operand of
  PlacedRole role = PlacedRole::result;
  bool is_transposed = false;
  Box box;
  Index rows = 1;
  std::vector<PlacedPart> parts;
  double text = 0;  // size of its numbers; 0: none
  int rank = 4;
  BlockKind kind = BlockKind::feature;
  bool is_operand() const { return role == PlacedRole::above || role == PlacedRole::bias; }
  bool is_pattern = false;  // cell by cell, without numbers
  bool is_thumb = false;    // a stage between others, small and without numbers
  bool is_faint = false;
  bool is_on_spine = true;  // its rows are the queries' tokens
  bool is_second = false;   // of B, where two documents are compared
  int line = 0;
  std::string widest = {};

  double row_height() const { return box.height / static_cast<double>(rows); }
  const PlacedPart& viewed() const;
  double cell_width() const { return viewed().width / static_cast<double>(viewed().columns); }
};

struct PlacedText : picture::Word {  // its ink follows from the theme
  bool is_quiet = false;
  bool is_faint = false;
  Index query = -1, key = -1;        // the token that it names; -1: none
  std::optional<Stage> stage = {};   // that it speaks of
  std::optional<Stage> result = {};  // that it comes with, where stages come one after the other
  int arrow = -1;                    // that it belongs to
  Box box = {};
};

struct PlacedArrow {
  std::optional<Stage> from, to;
  std::vector<Point> points;
  std::string text = {};  // the sign on it
  bool is_second = false;
};

struct PlacedBar {
  Stage stage = Stage::weights;
  Box box;               // of the colours
  double low_right = 0;  // where the number of the low end ends
  double high_left = 0;  // where that of the high end begins
  double baseline = 0;
  double size = 0;
  bool is_second = false;
};

struct PlacedSums {
  Stage stage = Stage::weights;
  double x = 0;
  double size = 0;
  double y = 0;
  double row = 0;
  Index rows = 0;
  bool is_second = false;
};

struct PlacedPill {
  Box box;
  std::string text;
  std::optional<Stage> stage;  // that the document does without: the pill leads to its control
  double size = 0;
  bool is_softmax = false;
  std::optional<Stage> result = {};  // that it comes with
};

struct PlacedFrame {
  Box box;
  bool is_hero = false;
  bool is_faint = false;
  std::optional<Stage> result = {};  // that it comes with
};

// A strip of rows across the page: that of the pinned token is filled.
struct PlacedStripe {
  double left = 0, right = 0;
  double y = 0;    // of row 0
  double row = 0;  // height of a row
  Index rows = 0;
  std::optional<Stage> result = {};  // that it comes with
};

struct DiagramLayout {
  DiagramWrap wrap = DiagramWrap::two_lines;
  Box canvas;
  double unit = 1;  // of the type: 1 at the least size
  double least_text = 11;
  std::vector<PlacedMatrix> matrices;
  std::vector<PlacedText> texts;
  std::vector<PlacedArrow> arrows;
  std::vector<PlacedBar> bars;
  std::vector<PlacedSums> sums;
  std::vector<PlacedPill> pills;
  std::vector<PlacedFrame> frames;
  std::vector<PlacedStripe> stripes;
  std::optional<Box> card;  // where a number is explained
  std::vector<std::string> given_up;
  bool is_merged = false;   // head context stands within context
  bool is_crowded = false;  // the softmax found no place on its arrow where no other arrow passes

  const PlacedMatrix* hero() const;
  const PlacedMatrix* result(Stage stage) const;  // null where it has no place
};

// The best of all candidates (wraps, and what is given up): first of all the weights are the largest matrix and keep
// their numbers, then the other numbers stay by their importance, then the weights' cells are as large as can be.
// Nothing where even the least canvas would be too small.
std::optional<DiagramLayout> layout_diagram(const DiagramShape& shape, const DiagramCanvas& canvas,
                                            const TextMeasure& measure);

// A above B on the same columns; what both have alike is drawn once.
std::optional<DiagramLayout> layout_compared(const DiagramShape& a, const DiagramShape& b, const DiagramCanvas& canvas,
                                             const TextMeasure& measure);

// A layout on the way from one to another, `share` of it done: what both have moves to its new place, what is new
// stands there already. Arrows and pills wait until everything has arrived.
DiagramLayout between(const DiagramLayout& from, const DiagramLayout& to, double share);

// Returns the cell that an arrow key leads to in the diagram: the next one of the matrix, and from its last one into
// the nearest matrix in that direction, in the same row or column. Steps are of what is shown, where some matrices are
// turned. Nothing where there is no place to go, or the stage has none in the diagram.
std::optional<Source> step_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& from,
                                      int rows, int columns);

// From the middle of a row to the baseline of its text, in sizes.
constexpr double to_middle = 0.36;
constexpr double as_double(Index count) { return static_cast<double>(count); }

bool overlap(const Box& a, const Box& b, double by = 0.5);

}  // namespace attnscope::scene

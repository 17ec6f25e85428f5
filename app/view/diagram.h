#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "core/source.h"
#include "view/picture.h"
#include "view/themes.h"

// A diagram of a document: its parts, where they stand, and the picture of them.

namespace attnscope::scene {

using picture::Face;
using picture::Point;
using picture::TextMeasure;

// The parts of a diagram: the stages that a document has, in the order of their computation, each as a block with
// its words. A stage that the document lacks is no block; it is a word on the arrow that passes by. This depends on the
// document's shape alone, never on a canvas; a layout gives every block its place.

// The columns of a matrix: all of them, or those of each head where heads lie side by side.
struct BlockColumns {
  Index of_head = 1;
  Index heads = 1;
  Index sharers = 1;  // heads of queries to each of them

  Index count() const { return of_head * heads; }
  bool operator==(const BlockColumns&) const = default;
};

enum class OperandKind {
  feature,     // a weight matrix or the values, as wide as the result
  transposed,  // keys, turned so that the product can be read off
  pattern,     // a mask, dropout's factors, a bias: cell by cell, never with digits
};

// The right-hand operand of a result, which hangs above it.
struct BlockOperand {
  Stage stage = Stage::inputs;
  std::optional<Stage> bias = {};     // one more row below
  std::vector<std::string> captions;  // the longest first
  Index rows = 1;                     // with the bias
  BlockColumns columns = {};
  OperandKind kind = OperandKind::feature;
  bool is_transposed = false;  // drawn as it multiplies, not as it is stored
  std::string widest = {};     // the widest of its numbers

  bool operator==(const BlockOperand&) const = default;
};

enum class BlockKind { feature, square, main_matrix };

struct DiagramBlock {
  Stage stage = Stage::inputs;
  BlockKind kind = BlockKind::feature;
  bool is_copy = false;  // of a stage that has its own place elsewhere
  std::string title;
  std::vector<std::string> subtitles;  // the longest first
  std::string short_title = {};        // for a column of a paper
  Index rows = 1;
  BlockColumns columns;
  int rank = 2;                             // importance of its numbers: 1 the weights, 4 copies and operands
  std::string widest;                       // the widest of its numbers: "−0.00"
  std::optional<BlockOperand> above = {};   //
  std::string sign = {};                    // on the arrow that leads to it: "÷ √2"
  std::string note = {};                    // below it: "= 1.414"
  std::vector<Stage> passed = {};           // stages that the document lacks and that the note speaks of
  bool has_sums = false;                    // the sum of each row stands beside it
  bool has_own_rows = false;                // its rows are keys where queries are others
  std::string bar_low = {}, bar_high = {};  // the numbers of its colour bar, as wide as they get

  bool operator==(const DiagramBlock&) const = default;
};

struct DiagramShape {
  std::vector<std::string> keys;     // names of the tokens
  std::vector<std::string> queries;  // names of the queries where they are others than the keys; else empty
  Index head = 0;                    // the one that is looked at
  std::vector<DiagramBlock> project, compare, main_matrix, mix;
  std::string pill;                // on the arrow into the weights: "softmax along each row"
  std::vector<std::string> words;  // beside it, of what the document does without: "no mask"
  std::vector<Stage> absent;       // the stage that each of these words is about
  bool is_given = false;           // begins with queries, keys and values
  bool is_projected = true;        // false: the inputs themselves are compared and mixed

  Index row_count() const { return static_cast<Index>((queries.empty() ? keys : queries).size()); }
  const std::vector<std::string>& row_names() const { return queries.empty() ? keys : queries; }
  bool operator==(const DiagramShape&) const = default;
};

// The head, decimals and stages that are chosen for a diagram of a document.
struct DiagramChoice {
  Index head = 0;
  int decimals = 2;
  StageSet left_out;
};

// The blocks of a result. `keys` and `queries` are its tokens' names; `queries` is empty where they are the same.
DiagramShape diagram_shape(const Result& result, std::vector<std::string> keys, std::vector<std::string> queries,
                           const DiagramChoice& choice);

// The layout of a diagram. The spine: inputs, queries, keys, values, weights, context and output have a
// row for each token, so they stand on one line and a token is one stripe across the page. The workshop below it:
// queries, scores, masked and scaled scores feed up into the weights, which are the largest matrix of all. Where that
// does not fit there are three lines, or one a band. One pure function serves window, slide, page and presentation; all
// lengths are in units of whoever draws.

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
  double text = 0;    // size of its numbers; 0: none
  double sums_x = 0;  // where the sums of its rows begin
  double sums = 0;    // size of these; 0: none
  int rank = 4;
  BlockKind kind = BlockKind::feature;
  bool is_operand() const { return role == PlacedRole::above || role == PlacedRole::bias; }
  bool is_pattern = false;  // cell by cell, without numbers
  bool is_thumb = false;    // a stage between others, small and without numbers
  bool is_faint = false;
  bool is_on_spine = true;  // its rows are the queries' tokens
  bool is_second = false;   // of B, where two documents are compared
  int line = 0;
  std::string widest = {};  // the widest of its numbers, with their decimals

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

struct PlacedFrame {
  Box box;
  bool is_main = false;
  bool is_faint = false;
  std::optional<Stage> result = {};  // that it comes with
};

// A strip of rows across the page: that of the pinned token is filled.
struct PlacedStripe {
  Box first;  // of its rows
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
  std::vector<PlacedText> pills;  // in boxes of their own: the softmax, and quiet ones of what the document lacks
  std::vector<PlacedFrame> frames;
  std::vector<PlacedStripe> stripes;
  std::optional<Box> card;  // where a number is explained
  std::vector<std::string> given_up;
  bool is_merged = false;   // head context stands within context
  bool is_crowded = false;  // the softmax found no place on its arrow where no other arrow passes

  const PlacedMatrix* main_matrix() const;
};

// The best of all candidates (wraps, and what is given up): first of all the weights are the largest matrix and keep
// their numbers, then the other numbers stay by their importance, then the weights' cells are as large as can be.
// A matrix whose numbers have no room is laid out with two decimals where it has room for these. Nothing is returned
// where even the least canvas would be too small.
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

int decimals_of(std::string_view number);

bool overlap(const Box& a, const Box& b, double by = 0.5);

// The numbers and colours of a diagram; its layout has the places.
struct DiagramData {
  std::shared_ptr<const Result> result;
  // The matrix of a head as it is stored; nothing where it is still to be computed. `is_second`: of B, beside A.
  std::function<std::optional<picture::Matrix>(Stage stage, Index head, bool is_second)> matrix;
  // The sum of a row; NaN where it is not known yet.
  std::function<float(Stage stage, Index row, bool is_second)> row_sum;
  std::function<bool(const Source& cell)> is_covered = {};  // to be predicted: not written anywhere
  const ThemeColours* theme = nullptr;
  std::optional<int> decimals = 2;  // none: no numbers
  std::optional<Source> marked;     // the pinned cell, or that under the pointer
  StageSet awaited;                 // presented later: neither their matrices nor their words are drawn
  std::optional<Rgb> ground = {};   // behind everything; none: the theme's window, below which crossings are hidden
  bool has_arrows = true;           //
  TextMeasure measure;
};

// Everything that is seen of a diagram.
picture::Picture diagram_picture(const DiagramLayout& layout, const DiagramData& data);

}  // namespace attnscope::scene

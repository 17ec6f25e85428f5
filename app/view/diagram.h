#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "core/source.h"
#include "view/colours.h"
#include "view/picture.h"

// A diagram of a document: its blocks, their layout, and the picture of it.

namespace attnscope::scene {

using picture::Face;
using picture::Point;
using picture::TextMeasure;

// The blocks of a diagram: the stages that a document has, in the order of their computation, with their words. A stage
// that the document lacks has no block, but a word on the arrow that passes by. Blocks depend on the document's shape
// alone, never on a canvas; a layout gives them their places.

// The columns of a matrix: all of them, or those of each head if heads lie side by side.
struct BlockColumns {
  Index of_head = 1;
  Index heads = 1;
  Index sharers = 1;  // so many heads of queries share each of them

  Index count() const { return of_head * heads; }
  bool operator==(const BlockColumns&) const = default;
};

enum class OperandKind {
  feature,     // a weight matrix or the values, as wide as the result
  transposed,  // keys, transposed so that the product can be read off
  pattern,     // a mask, dropout's factors, a bias: drawn cell by cell, never with digits
};

// The right-hand operand of a result, drawn above the result.
struct BlockOperand {
  Stage stage = Stage::inputs;
  std::optional<Stage> bias = {};     // drawn as one more row below
  std::vector<std::string> captions;  // begin with the longest
  Index rows = 1;                     // counts the row of the bias, too
  BlockColumns columns = {};
  OperandKind kind = OperandKind::feature;
  bool is_transposed = false;  // drawn as it multiplies, transposed against its storage
  std::string widest = {};     // the widest of its numbers

  bool operator==(const BlockOperand&) const = default;
};

enum class BlockKind { feature, square, main_matrix };

struct DiagramBlock {
  Stage stage = Stage::inputs;
  BlockKind kind = BlockKind::feature;
  bool is_copy = false;  // the stage has its own place elsewhere
  std::string title;
  std::vector<std::string> subtitles;             // begin with the longest
  std::vector<std::string> whole_subtitles = {};  // instead of these where the columns of all heads are equally wide
  std::string short_title = {};                   // the title in a column of a paper
  std::string head_name = {};  // what a trained model's head does: "previous word"; stands behind the title
  Index rows = 1;
  BlockColumns columns;
  int rank = 2;               // importance of its numbers: 1 for the weights, 4 for copies and operands
  std::string widest;         // the widest of its numbers, with a sign if they may have one: "−0.00"
  bool has_negatives = true;  // one of its numbers is negative
  bool is_fraction = false;   // all of its numbers are below 1 as they are written
  std::optional<BlockOperand> above = {};
  std::string sign = {};                    // stands on the arrow that leads to it: "÷ √2"
  std::string note = {};                    // stands below the sign: "= 1.414"
  std::vector<Stage> passed = {};           // the note speaks of these stages, which the document lacks
  bool has_sums = false;                    // the sum of each row stands beside the matrix
  bool has_own_rows = false;                // its rows are keys, and queries are other tokens
  std::string bar_low = {}, bar_high = {};  // the widest numbers of its colour bar

  bool operator==(const DiagramBlock&) const = default;
};

struct DiagramShape {
  std::vector<std::string> keys;             // names of the tokens
  std::vector<std::string> queries;          // names of the queries if they are other tokens than the keys; else empty
  std::vector<std::string> dimensions = {};  // names of the inputs' columns; empty if they have none
  Index head = 0;                            // the head that is looked at
  std::vector<DiagramBlock> project, compare, main_matrix, mix;
  std::string pill;                // stands on the arrow into the weights: "softmax along each row"
  std::vector<std::string> words;  // stand beside the pill and name what the document lacks: "no mask"
  std::vector<Stage> absent;       // one for each of these words: the stage that it is about
  bool is_difference = false;      // numbers are small, and are not rounded further
  bool is_given = false;           // the document begins with queries, keys and values
  bool is_projected = true;        // false: the inputs themselves are compared and mixed
  bool has_output = false;         // the mechanism projects the contexts of its heads

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

// Returns the blocks of a result. `keys` and `queries` are its tokens' names; `queries` is empty if they are the same.
DiagramShape diagram_shape(const Result& result, std::vector<std::string> keys, std::vector<std::string> queries,
                           const DiagramChoice& choice);

// The layout of a diagram. The spine: inputs, queries, keys, values, weights, context and output have a
// row for each token, so they stand on one line and a token is one stripe across the page. The workshop below it:
// queries, scores, masked and scaled scores feed up into the weights, which are the largest matrix of all. Where that
// does not fit there are three lines, or one a band. One pure function serves window, slide and page; all
// lengths are in units of whoever draws.

struct DiagramCanvas {
  Box box;
  double least_text = 11;          // no text is smaller
  bool wants_card = false;         // keeps room for the card that explains a number
  bool is_page = false;            // a narrow column of paper gets short words, narrow margins and no headings
  bool is_presented = false;       // before an audience: numbers of operands, and no other heads where each has its own
  std::optional<Stage> told = {};  // what is said before an audience is about this stage: its numbers come first
  bool may_grow = false;           // parts of it are shown enlarged: it grows until the numbers of all stages have room
  double pixels_per_unit = 1;      // rows begin at whole pixels

  bool operator==(const DiagramCanvas&) const = default;
};

enum class DiagramWrap {
  around,       // the weights in their fixed place, Project left of them and the contexts right; all other T×T below
  two_lines,    // Project, weights and Mix on the spine; Compare below
  three_lines,  // Project and weights; Compare; Mix
  bands,        // Project; Compare; weights; Mix: upright screens and paper
  squares,      // before an audience: Project and Mix; below them all T×T, each with numbers
  compared,     // the spine of A, and below it weights and Mix of B
};

enum class PlacedRole { result, copy, above, bias };

// Columns of a matrix that are equally wide: the columns of one head, or all.
struct PlacedPart {
  Index head = 0;
  Index first_column = 0;  // in the drawn matrix: 0 if each head has a matrix of its own
  Index columns = 0;
  double x = 0;
  double width = 0;
  bool is_viewed = true;  // the part belongs to the head that is looked at
};

struct PlacedMatrix {
  Stage stage = Stage::inputs;
  Stage result = Stage::inputs;  // `stage` itself, or the result whose operand it is
  PlacedRole role = PlacedRole::result;
  bool is_transposed = false;
  Box box;
  Index rows = 1;
  std::vector<PlacedPart> parts;
  double text = 0;          // size of its numbers; 0: it shows none
  bool is_rounded = false;  // they have fewer decimals than were asked for
  double sums_x = 0;        // left end of the sums of its rows
  double sums = 0;          // size of the sums; 0: it shows none
  int rank = 4;
  BlockKind kind = BlockKind::feature;
  bool is_operand() const { return role == PlacedRole::above || role == PlacedRole::bias; }
  bool is_pattern = false;  // drawn cell by cell, without numbers
  bool is_thumb = false;    // a small stage between others, without numbers
  bool is_on_spine = true;  // its rows are the queries' tokens
  bool is_second = false;   // belongs to B of two compared documents
  int line = 0;
  std::string widest = {};  // the widest of its numbers, with their decimals

  double row_height() const { return box.height / static_cast<double>(rows); }
  const PlacedPart& viewed() const;
  double cell_width() const { return viewed().width / static_cast<double>(viewed().columns); }
};

struct PlacedText : picture::Word {  // the theme gives its ink
  bool is_quiet = false;
  Index query = -1, key = -1;        // the token that the text names; -1: none
  std::optional<Stage> stage = {};   // the text speaks of this stage
  std::optional<Stage> result = {};  // a presentation shows the text together with this stage
  int arrow = -1;                    // index of its arrow; -1: it belongs to none
  Box box = {};
};

struct PlacedArrow {
  std::optional<Stage> from, to;
  std::vector<Point> points;
  std::string text = {};  // the sign on the arrow
};

struct PlacedBar {
  Stage stage = Stage::weights;
  Box box;               // the box of the colours
  double low_right = 0;  // right end of the number of the low end
  double high_left = 0;  // left end of the number of the high end
  double baseline = 0;
  double size = 0;
  bool is_second = false;
};

struct PlacedFrame {
  Box box;
  bool is_main = false;
  std::optional<Stage> result = {};  // a presentation shows it together with this stage
};

// A strip of rows across the page: the strip of the pinned token is filled.
struct PlacedStripe {
  Box first;  // the box of its first row
  Index rows = 0;
  std::optional<Stage> result = {};  // a presentation shows it together with this stage
};

struct DiagramLayout {
  DiagramWrap wrap = DiagramWrap::two_lines;
  Box canvas;
  double unit = 1;  // size of the type: 1 at the least size
  double least_text = 11;
  std::vector<PlacedMatrix> matrices;
  std::vector<PlacedText> texts;
  std::vector<PlacedArrow> arrows;
  std::vector<PlacedBar> bars;
  std::vector<PlacedText> pills;  // texts in boxes: the softmax, and quiet ones for what the document lacks
  std::vector<PlacedFrame> frames;
  std::vector<PlacedStripe> stripes;
  std::optional<Box> card;  // explains a number
  std::vector<std::string> given_up;
  bool is_merged = false;   // the head's context stands within the context of all heads
  bool is_crowded = false;  // other arrows pass the softmax wherever it stands on its arrow

  const PlacedMatrix* main_matrix() const;
};

// Returns the best of all candidates (wraps, and what is given up): first of all the weights are the largest matrix and
// keep their numbers, then the other numbers stay by their importance, then the weights' cells are as large as can be.
// A matrix whose numbers have no room is laid out with two decimals if it has room for these. Returns nothing if no
// candidate fits the canvas.
std::optional<DiagramLayout> layout_diagram(const DiagramShape& shape, const DiagramCanvas& canvas,
                                            const TextMeasure& measure);

// What an audience sees of a diagram when a stage comes.
struct StageFrame {
  Box box;           // the part of the canvas that fills the screen
  Box goal;          // the same where the way there has ended
  double names = 0;  // width at its left edge for the names of the rows; 0: they stand within the part
};

// Returns the part of a layout that shows a stage in the middle as large as it can be, with its operands and, if there
// is room, the stages that it is computed from. It is no larger than a screen of this size and has its proportions.
StageFrame frame_of_stage(const DiagramLayout& layout, const AttentionConfig& config, Stage stage, double width,
                          double height);

// Lays A out above B on the same columns; stages that are alike in both are drawn once.
std::optional<DiagramLayout> layout_compared(const DiagramShape& a, const DiagramShape& b, const DiagramCanvas& canvas,
                                             const TextMeasure& measure);

// Returns a layout on the way from one to another, after `share` of the way: what both have moves to its new place,
// what is new stands there already. Arrows and pills wait until everything has arrived.
DiagramLayout between(const DiagramLayout& from, const DiagramLayout& to, double share);

// Returns the box of this size that meets nothing of a diagram and whose corner lies nearest to a point, no farther
// than `reach`; nothing if there is none.
std::optional<Box> free_place(const DiagramLayout& layout, double width, double height, const Point& near,
                              double reach);

// Returns the cell that an arrow key leads to in the diagram: the next cell of the matrix, and from its last cell the
// nearest matrix in that direction, in the same row or column. Steps count as shown, because some matrices are turned.
// Returns nothing if no place lies there, or if the stage has no place in the diagram.
std::optional<Source> step_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& from,
                                      int rows, int columns);

// Returns the box of a cell in the diagram, for sums that of their cell's row; nothing if it has no place there.
std::optional<Box> box_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& cell);

// The way from the middle of a row down to the baseline of its text, in sizes.
constexpr double to_middle = 0.36;
constexpr double as_double(Index count) { return static_cast<double>(count); }

int decimals_of(std::string_view number);

bool overlap(const Box& a, const Box& b, double by = 0.5);

// The numbers and colours of a diagram; its layout has the places.
struct DiagramData {
  std::shared_ptr<const Result> result;
  // Returns the matrix of a head as it is stored; nothing until it is computed. `is_second`: the matrix of B, beside A.
  std::function<std::optional<picture::Matrix>(Stage stage, Index head, bool is_second)> matrix;
  // Returns the sum of a row; NaN while it is unknown.
  std::function<float(Stage stage, Index row, bool is_second)> row_sum;
  // Returns whether a cell is to be predicted: its number is written nowhere.
  std::function<bool(const Source& cell)> is_covered = {};
  const ThemeColours* theme = nullptr;
  std::optional<int> decimals = 2;  // none: shows no numbers
  std::optional<Source> marked;     // the pinned cell, or the cell under the pointer
  StageSet awaited;                 // presented later: their matrices and words are not drawn yet
  std::optional<Rgb> ground = {};   // behind everything and around crossing arrows; none: the theme's window
  bool has_arrows = true;
  TextMeasure measure;
};

// Returns everything that is seen of a diagram.
picture::Picture diagram_picture(const DiagramLayout& layout, const DiagramData& data);

// Returns a layout without the matrices that a frame cuts where the way to it has ended, and without their words. An
// arrow remains if it leads to the stage, or from one matrix that is seen to another.
DiagramLayout layout_in_frame(DiagramLayout layout, const StageFrame& frame, Stage stage);

// Returns what is seen of it in a frame: no words that the frame cuts, and the names of the stage's rows at the left
// edge if the frame does not reach them.
picture::Picture picture_in_frame(picture::Picture picture, const DiagramLayout& layout, const StageFrame& frame,
                                  Stage stage, const DiagramData& data);

}  // namespace attnscope::scene

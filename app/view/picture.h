#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/evaluate.h"
#include "core/source.h"
#include "core/tensor.h"
#include "view/colours.h"

namespace attnscope {

// The rectangle of a matrix that a heatmap shows, in cells and parts of cells. Without rows it stands for all.
struct CellWindow {
  double row = 0;
  double col = 0;
  double rows = 0;
  double cols = 0;
  bool operator==(const CellWindow&) const = default;
};

// How far a window of a matrix may go.
struct WindowLimits {
  Index rows = 0;  // rows of the matrix
  Index cols = 0;
  double min_rows = 1;  // fewest rows that a window may have
  double min_cols = 1;
};

inline CellWindow transposed(const CellWindow& window) { return {window.col, window.row, window.cols, window.rows}; }
CellWindow whole_window(Index rows, Index cols);
bool is_whole(const CellWindow& window, Index rows, Index cols);

// Moves the window into the matrix, and shrinks it if it is larger.
CellWindow clamped(CellWindow window, Index rows, Index cols);
// Makes the window `factor` times as large; the point (row, col) stays in its place as far as the edges allow.
CellWindow zoomed(const CellWindow& window, const WindowLimits& limits, double factor, double row, double col);
CellWindow panned(const CellWindow& window, Index rows, Index cols, double by_rows, double by_cols);
// Moves the window no farther than it takes to have a cell inside.
CellWindow moved_to_show(const CellWindow& window, Index rows, Index cols, Index row, Index col);
// Centres the window on a cell, as far as the edges allow; it gets no larger than `most` cells a side.
CellWindow centred_on(const CellWindow& window, Index rows, Index cols, Index row, Index col, double most);

// The rows and the column of a stage that a pinned number marks; -1: none.
struct MarkedLines {
  Index row = -1;
  Index second_row = -1;  // of the inputs: the key's row beside the query's
  Index col = -1;

  bool has_row(Index index) const { return index >= 0 && (index == row || index == second_row); }
  bool operator==(const MarkedLines&) const = default;
};

// Returns the lines that a number marks in a stage. A number stands for a query, a key or both: it marks their rows and
// columns in the stages before and after its own, and the value that a weight is multiplied with. In weight matrices
// and biases, which have no tokens, it marks the lines that it is computed from.
MarkedLines marked_lines(const AttentionConfig& config, const Source& of, Stage in);

// A rectangle of a page or a board, from its upper left corner. In figures a unit is a pixel of 1/96 inch.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  double middle_x() const { return x + width / 2; }
  double middle_y() const { return y + height / 2; }
  bool contains(double at_x, double at_y) const { return at_x >= x && at_x < right() && at_y >= y && at_y < bottom(); }
  bool operator==(const Box&) const = default;
};

// Returns the smallest box around both.
inline Box united(const Box& a, const Box& b) {
  const double x = std::min(a.x, b.x);
  const double y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

}  // namespace attnscope

// A picture as values without any graphics: whoever can paint these few items can paint everything. Items are in
// the order in which they are painted; lengths are in units of the interface, or in pixels of a page (1/96 inch).
namespace attnscope::picture {

enum class Face { text, bold, number };

constexpr double line_height = 1.25;  // height of a line of text, in sizes
constexpr double baseline = 0.95;     // depth of the baseline below the top of a line, in sizes
constexpr double slant = 0.2;         // how far emphasized letters lean, in heights: no italic face comes with us

// Returns the width of a line of text at a size, in the same units.
using TextMeasure = std::function<double(std::string_view text, double size, Face face)>;

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

struct Ink {
  Rgb colour;
  double alpha = 1;
  bool operator==(const Ink&) const = default;
};

struct Fill {
  Box box;
  Ink ink;
  double radius = 0;  // radius of its corners
};

struct Outline {
  Box box;
  Ink ink;
  double thickness = 1;
  double radius = 0;
};

// A line from corner to corner; an arrow has a head at its end. `halo` lies below it, so that a crossing reads as a
// bridge.
struct Stroke {
  std::vector<Point> points;
  Ink ink;
  double thickness = 1;
  double corner = 0;  // radius of its corners
  double head = 0;    // length of its head; 0: it has none
  double halo = 0;    // width of the halo
  Ink halo_ink = {};
};

// The way of a stroke of two points or more from its first one: around its corners, and to the foot of its head.
struct StrokePath {
  struct Corner {
    Point begin, turn, end;  // three equal points if corners are not rounded
  };
  std::vector<Corner> corners;
  Point end;
  std::vector<Point> head;  // a triangle; empty: no head
};
StrokePath path_of(const Stroke& stroke);

struct Word {
  std::string text;
  double x = 0;
  double y = 0;  // height of the baseline
  double size = 0;
  Face face = Face::text;
  Ink ink = {};
  double anchor = 0;         // 0: x is the left end, 0.5: the middle, 1: the right end
  bool is_turned = false;    // the word reads upwards
  bool is_on_hatch = false;  // the word needs a plain ground to be legible
  bool is_slanted = false;   // the word is emphasized
};

// One matrix of a result as it is shown, and the meaning of its colours.
struct Matrix {
  std::shared_ptr<const Result> result;
  Stage stage = Stage::inputs;
  Index head = 0;
  Index matrix = 0;  // index of the matrix in its stage
  Index rows = 1;    // counted as shown, like the columns
  Index cols = 1;
  bool is_transposed = false;  // columns are shown as rows: row and col of a cell count as shown
  double opacity = 1;          // less for matrices beside the one that is looked at
  ColourRange range = {};
};

Matrix matrix_of(std::shared_ptr<const Result> result, Stage stage, Index batch, Index head);
void transpose(Matrix& matrix);

// Reads a part of the matrix, or the same cells of another stage: row by row, as they are shown. Reads all of them at
// once, because computing them one by one takes longer.
std::vector<float> read_shown(const Matrix& matrix, Stage stage, const CellRect& shown);

// Return the cell that is shown at (row, col), and the place where a cell is shown.
Source source_at(const Matrix& matrix, Index row, Index col);
struct CellPlace {
  Index row = -1;
  Index col = -1;
};
CellPlace place_of(const Matrix& matrix, const Source& source);

// Return the lines that a pinned number marks in a matrix, and the cell: its own, or the cell of the same query and
// key; -1: none.
MarkedLines marked_lines(const Matrix& matrix, const Source& of);
CellPlace marked_cell(const Matrix& matrix, const Source& of);

// The cells of a matrix in its colours, with marks on cells that are masked, dropped or not finite.
struct Heatmap : Matrix {
  Box box;
  CellWindow window;  // the part of the matrix that fills the box
};

// The colours of a range, from its low end to its high one: from left to right, or upwards.
struct Gradient {
  Box box;
  Colormap map = Colormap::viridis;
  bool is_vertical = false;
  std::optional<ColourEnds> ends = {};  // replace the map
};

// A filled polygon without inward corners.
struct Polygon {
  std::vector<Point> points;
  Ink ink;
};

// The hatching of masked cells, for a token or a sample in a legend.
struct Hatch {
  Box box;
};

using Item = std::variant<Fill, Outline, Stroke, Word, Heatmap, Gradient, Hatch, Polygon>;

struct Picture {
  std::vector<Item> items;

  void add(Item item) { items.push_back(std::move(item)); }
  template <typename Kind>
  std::vector<const Kind*> all() const {
    std::vector<const Kind*> found;
    for (const Item& item : items)
      if (const auto* const kind = std::get_if<Kind>(&item)) found.push_back(kind);
    return found;
  }
};

// Returns the picture scaled and moved.
Picture placed(Picture picture, double scale, double x, double y);

// Returns the room of a word: from the height of its capitals to the depth of its descenders.
Box box_of(const Word& word, const TextMeasure& measure);

// Returns the text, or its beginning with an ellipsis if it is wider than `room`. Never cuts inside a UTF-8 character.
std::string shortened(std::string_view text, double room, double size, Face face, const TextMeasure& measure);

// Breaks a text into lines no wider than `room`: at blanks, and between letters only within a word that is wider than a
// whole line. Returns no lines for a text without letters.
std::vector<std::string> wrapped(std::string_view text, double room, double size, Face face,
                                 const TextMeasure& measure);

}  // namespace attnscope::picture

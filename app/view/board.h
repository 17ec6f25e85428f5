#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/source.h"
#include "view/cells.h"
#include "view/colours.h"

namespace attnscope {

// Describes a teaching view without any graphics, and lays it out as a picture.

// The marks of a cell beside its number.
struct BoardMark {
  bool is_hidden = false;   // the mask hides the cell: it is hatched
  bool is_dropped = false;  // dropout drops the cell: it is crossed out
  bool differs = false;     // the cell is framed: this is where to look
};

// A matrix with the names of its rows and columns. Cells have the colour of their number, of a token or of none.
struct BoardMatrix {
  std::string title = {};
  std::string caption = {};  // says below the matrix what was done
  Index rows = 0;
  Index cols = 0;
  std::vector<float> values = {};            // row by row
  std::vector<std::string> texts = {};       // stand in the cells instead of numbers; empty: numbers do
  std::vector<BoardMark> marks = {};         // one for each cell; empty: no cell has a mark
  std::vector<int> tints = {};               // give each cell the shade of who drew it; below 0: none
  std::vector<std::string> row_labels = {};  // empty: rows have no names
  std::vector<std::string> column_labels = {};
  std::vector<float> row_sums = {};  // stand beside the rows; empty: none do
  bool is_signed = false;            // colours are centred on 0; else they go from `low` to `high`
  float low = 0;
  float high = 1;
  int decimals = 2;
  Index marked_row = -1;             // the view is about this row; -1: about none
  std::optional<Source> first = {};  // names the first cell's number; the others lie beside and below
  std::optional<Stage> of = {};      // the stage of which it has numbers in another order than `first` says
};

constexpr int neutral_tint = -2;

// One row of numbers as bars.
struct BoardBars {
  struct Part {
    std::string name = {};
    std::vector<float> values = {};
    int tint = -1;  // a colour of a series; neutral_tint: grey; else below 0: the accent
    int grey = -1;  // not below 0: takes the place of the tint; neighbours have greys that can be told apart
  };
  std::string title = {};
  std::string caption = {};
  std::vector<std::string> labels = {};  // stand below the bars
  std::vector<Part> parts = {};          // stand side by side
  std::vector<BoardMark> marks = {};     // one for each bar; empty: no bar has a mark
  int decimals = 2;                      // each bar shows its number with so many
  std::optional<float> high = {};        // the axis ends here; none: at the largest number
  bool is_narrow = false;                // a histogram: bars touch and have no numbers
};

struct BoardCurve {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  int tint = -1;
  bool is_dashed = false;
  bool is_point = false;  // the curve is one point that stands out
};
struct BoardPlot {
  std::string title = {};
  std::string x_title = {};
  bool is_log_y = false;   // the x axis always is
  bool has_legend = true;  // false: the plot before explains the same curves
  std::vector<BoardCurve> curves = {};
};

struct BoardTable {
  std::string title = {};
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> rows = {};
};

struct BoardText {
  std::string heading = {};
  std::string text = {};
};

struct BoardSign {  // stands between two items: "×", "→", "="
  std::string text = {};
};

// Tokens in a line. Arcs lead from one token, or from each, to the tokens that it gives weight.
struct BoardArcs {
  struct Head {
    std::string name = {};
    int head = 0;                     // even ones have dark arcs, odd ones grey and dashed arcs
    std::vector<float> weights = {};  // one for each token; if all queries are shown, query by query
  };
  std::vector<std::string> tokens = {};
  Index query = 0;              // this token stands out
  std::set<Index> hidden = {};  // the mask hides these tokens from the query
  bool shows_all = false;       // arcs lead from every token
  std::vector<Head> heads = {};
  std::vector<Source> sources = {};  // the pointer on a token stands for this number
};

// Several arrangements of the same numbers, shown in turn: each number moves to its place in the next one and keeps the
// colour of its token; the strip below it has as many parts as the number of its head.
struct BoardMoving {
  struct Number {
    float value = 0;
    int token = 0;
    int head = 0;
  };
  struct Place {
    Index row = 0;
    Index col = 0;
  };
  struct Arrangement {
    std::string name = {};                 // "view(T, H, head_dim)"
    std::vector<Place> places = {};        // one for each number
    Index rows_together = 0;               // a gap follows so many rows; 0: there is no gap
    Index cols_together = 0;               // the same for columns
    std::vector<std::string> rows = {};    // names of rows
    std::vector<std::string> groups = {};  // names of columns, or rows, that stand together
  };
  std::string title = {};
  std::vector<Number> numbers = {};
  std::vector<Arrangement> arrangements = {};
  double step = 0;               // 1.5: half way from the second arrangement to the third
  std::optional<Stage> of = {};  // the stage whose numbers these are
};

using BoardItem =
    std::variant<BoardMatrix, BoardBars, BoardPlot, BoardTable, BoardText, BoardSign, BoardArcs, BoardMoving>;

// A slider, a choice or a switch of a view.
struct BoardControl {
  enum class Kind { slider, choice, toggle };
  std::string id = {};
  std::string label = {};
  Kind kind = Kind::slider;
  double value = 0;
  double low = 0;
  double high = 1;
  bool is_logarithmic = false;
  bool is_whole = false;
  bool plays = false;                     // the slider can run from its low end to its high one
  std::vector<std::string> choices = {};  // texts of a choice, or of a slider's steps; the value is an index
  std::string help = {};
};

struct Board {
  std::string id = {};
  std::string title = {};
  std::string question = {};                       // the view answers this question
  std::string headline = {};                       // answers the question with this document's numbers, in one line
  std::vector<std::vector<BoardItem>> lines = {};  // items side by side; if room is short, the last lines go
  std::string details = {};                        // further sentences stand below the lines
  std::vector<BoardControl> controls = {};
  std::string note = {};  // says what of a large document is not shown; empty: everything is
};

namespace scene {

// The cells of one matrix, for the pointer.
struct BoardCells : CellPlot {
  const BoardMatrix* matrix = nullptr;  // points into the board
};
struct BoardSpot {  // the box of a token, which stands for a number
  Box box;
  Source source;
  std::string text;
};

// A teaching view as a picture. The board must outlive it.
struct BoardLayout {
  double width = 0;
  double height = 0;
  picture::Picture picture;
  std::vector<BoardCells> cells;
  std::vector<BoardSpot> spots;
};

constexpr double endless_height = 1e6;  // the page gets as high as its content

// The room and the style that a board is laid out in; lengths are in units of the interface.
struct BoardCanvas {
  double width = 0;
  double height = 0;
  double text = 0;  // size of the text
  const ThemeColours* theme = nullptr;
  Rgb paper;  // the colour behind everything
  Rgb line;   // the colour of frames and axes
  picture::TextMeasure measure;
  bool scrolls = false;  // no line is left out: the last ones may stand below the canvas
};

// Lays a board out with cells as large as the canvas allows, in its middle. Where room is short, the board's last lines
// are left out, so that the first one stays large. Cells stay large enough for their numbers; if there is no room for
// that in the first line, the picture is larger than the canvas.
BoardLayout layout_board(const Board& board, const BoardCanvas& canvas);

}  // namespace scene

}  // namespace attnscope

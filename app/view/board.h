#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/source.h"
#include "view/colours.h"

namespace attnscope {

constexpr std::size_t longest_headline = 90;  // characters, of a document with names as short as "journey"

// Describes a teaching view without any graphics; scene/board_layout.h lays it out as a picture.

// The marks of a cell beside its number.
struct BoardMark {
  bool is_hidden = false;   // by the mask: hatched
  bool is_dropped = false;  // crossed out
  bool differs = false;     // framed: this is where to look
};

// A matrix with the names of its rows and columns. Cells have the colour of their number, of a token or of none.
struct BoardMatrix {
  std::string title = {};
  std::string caption = {};  // a line below it: what was done
  Index rows = 0;
  Index cols = 0;
  std::vector<float> values = {};            // row by row
  std::vector<std::string> texts = {};       // in the cells instead of numbers; empty: numbers
  std::vector<BoardMark> marks = {};         // of each cell; empty: none
  std::vector<int> tints = {};               // of each cell a colour that stands for a token or a head; below 0: none
  std::vector<std::string> row_labels = {};  // empty: none
  std::vector<std::string> column_labels = {};
  std::vector<float> row_sums = {};  // beside the rows; empty: none
  bool is_signed = false;            // colours centred on 0, else from `low` to `high`
  float low = 0;
  float high = 1;
  int decimals = 2;
  Index marked_row = -1;             // that the view is about
  std::optional<Source> first = {};  // the number in the first cell: others lie beside and below it
};

constexpr int neutral_tint = -2;

// One row of numbers as bars.
struct BoardBars {
  struct Part {
    std::string name = {};
    std::vector<float> values = {};
    int tint = -1;  // of a head or a token; neutral_tint: grey; else below 0: the accent
  };
  std::string title = {};
  std::string caption = {};
  std::vector<std::string> labels = {};  // below the bars
  std::vector<Part> parts = {};          // side by side
  std::vector<BoardMark> marks = {};     // of each bar; empty: none
  int decimals = 2;                      // of the number on each bar
  std::optional<float> high = {};        // where the axis ends; none: at the largest
  bool is_narrow = false;                // bars touch and have no numbers: a histogram
};

struct BoardCurve {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  int tint = -1;
  bool is_dashed = false;
  bool is_point = false;  // one place that stands out
};
struct BoardPlot {
  std::string title = {};
  std::string x_title = {};
  bool is_log_y = false;   // as its x axis always is
  bool has_legend = true;  // else the curves are those of a plot before it
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

struct BoardSign {  // between two others: "×", "→", "="
  std::string text = {};
};

// Tokens in a line, with arcs from one of them, or from each, to those that it gives weight.
struct BoardArcs {
  struct Head {
    std::string name = {};
    int tint = 0;
    std::vector<float> weights = {};  // of each token; where all queries are shown, query by query
  };
  std::vector<std::string> tokens = {};
  Index query = 0;              // that stands out
  std::set<Index> hidden = {};  // tokens that the mask hides from it
  bool shows_all = false;       // arcs from every token
  std::vector<Head> heads = {};
  std::vector<Source> sources = {};  // that resting on a token is resting on
};

// Several arrangements of the same numbers, shown in turn: each number moves to its place in the next one and keeps the
// colour of its token; a line above it has the colour of its head.
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
    std::vector<Place> places = {};        // of each number
    Index rows_together = 0;               // then comes a gap; 0: none
    Index cols_together = 0;               // likewise
    std::vector<std::string> rows = {};    // their names
    std::vector<std::string> groups = {};  // of what stands together: columns, or rows
  };
  std::string title = {};
  std::vector<Number> numbers = {};
  std::vector<Arrangement> arrangements = {};
  double step = 0;  // 1.5: half way from the second to the third
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
  bool plays = false;                     // a slider that can be made to go from its low end to its high one
  std::vector<std::string> choices = {};  // of a choice, or the names of a slider's steps: the value counts them
  std::string help = {};
};

struct Board {
  std::string id = {};
  std::string title = {};
  std::string question = {};                       // that it answers
  std::string headline = {};                       // answers it with this document's numbers, in one line
  std::vector<std::vector<BoardItem>> lines = {};  // items side by side; the last lines go where room is short
  std::string details = {};                        // further sentences, below the lines
  std::vector<BoardControl> controls = {};
  std::string note = {};  // what of a large document is not shown; empty: all of it is
};

}  // namespace attnscope

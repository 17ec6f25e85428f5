#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "look/diagram.h"

namespace attnscope {

// Where everything of a diagram stands, in the units of whoever draws it: one row is one token all the way through a
// band, and right-hand operands hang above their results. Places depend on sizes alone (tokens, d_in, d_out), never on
// the mechanism or an option, so that nothing moves when one of these changes.

// What the one who draws measured.
struct DiagramText {
  std::function<float(std::string_view)> width_of;  // of small text
  float line = 0;                                   // height of small text
  float heading = 0;                                // height of a title
  float row_labels = 0;                             // width of the tokens' names, with a gap
  float widest_label = 0;                           // without the gap
  float longest_upright = 0;                        // most of a name that stands upright above a column
  float row_sums = 0;                               // width of a column of them, with a gap
  float gap = 0;                                    // a small distance
  float number_width = 0;                           // of a cell that a number fits into; 0: no numbers are drawn
  float number_height = 0;
  float sign_width = 0;  // of a cell's: columns of what has no sign are so much narrower
};

struct DiagramBox {
  float x = 0;
  float y = 0;
  float width = 0;
  float height = 0;
  float right() const { return x + width; }
  float bottom() const { return y + height; }
};

struct PlacedMatrix {
  DiagramMatrix matrix;
  DiagramBox slot;           // the room that the place has for cells
  DiagramBox cells;          // what the configuration's matrix takes of it
  DiagramBox header;         // above the cells: two lines of a result, or three; one of an operand
  bool has_names = false;    // of tokens between header and columns
  bool begins_band = false;  // the tokens' names stand to its left, too
};

struct PlacedBand {
  Band band = Band::project;
  float y = 0;
  float height = 0;
};

struct DiagramLayout {
  float width = 0;
  float height = 0;
  float cell_height = 0;  // of results
  float row_sums = 0;     // width of a column of them, with a gap
  bool names_are_upright = false;
  bool headers_are_roomy = false;  // of queries by keys: what rows and columns are has a line of its own
  std::vector<PlacedBand> bands;
  std::vector<PlacedMatrix> matrices;
  StageSet left_out;

  const PlacedMatrix* result(Stage stage) const;  // null where it has no place
};

// As large as fits into `width` by `height`, but never so small that a number would not fit or a picture could not be
// told apart: then it is larger than that, and a window scrolls. Six tokens with four decimals fit a window of 1920 by
// 1080 with both side panels. Of 1280 by 720 the widest band (30 cells, for all that it may ever hold) leaves 15 units
// a cell beside both panels, too few for any number of 11 units: there the window scrolls, as wide as the window
// without the setup, and shows all of it in colours alone when it is zoomed out.
DiagramLayout layout_diagram(const AttentionConfig& config, const DiagramText& text, float width, float height);
// With the places of another one, the largest of a series. Stages that are left out take no room where they leave a
// column, a row of operands or a band empty.
DiagramLayout layout_diagram(const AttentionConfig& config, const DiagramText& text, float width, float height,
                             const AttentionConfig& largest, const StageSet& left_out = {});

}  // namespace attnscope

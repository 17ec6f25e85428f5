#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "session/view_state.h"

namespace attnscope {

// The panel that finds cells: its text, its choices, and the place that it has reached in the matrix.
struct GoToState {
  enum class Side { query, key, both };
  enum class Target { token, largest, diagonal, first_column };  // the next one of its kind

  bool is_open = false;
  std::string text;       // of a token: part of its name, or its number
  Side side = Side::key;  // what the token is in the cell gone to
  Index token = -1;       // found last for `text`
  Index largest = -1;     // rank of the cell gone to among the largest, from 0
  bool is_searching = false;
  std::string status;  // where the last step led
};

// The matrix that is searched: the one that Heads and Focus show where it is of queries by keys, else the weights.
struct GoToPlace {
  Stage stage = Stage::weights;
  Index head = 0;
  Index matrix = 0;
  Index tokens = 0;
};
Stage weights_shown(const Result& result);  // the attention weights, or those or the scores of a file
GoToPlace go_to_place(const ViewState& view, const Result& result);

// The token that comes `step` matches after `from` (-1 for the first), and how many there are. Names that equal `text`
// are matches; where there are none, names that contain it, in any case of letters. A number is that token too.
struct TokenMatch {
  Index token = -1;  // -1 for no match
  Index rank = 0;
  Index count = 0;
};
TokenMatch find_token(const std::vector<std::string>& names, std::string_view text, Index from);

// Zooms and pans as far as it takes to have a cell in sight and large enough to be read.
void reveal(ViewState& view, const MapPlace& place, Index row, Index col);
// Returns how much of a matrix can be read at once, in cells a side.
double legible_cells(const ViewState& view);

}  // namespace attnscope

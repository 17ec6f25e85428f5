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
  enum class Target { token, largest, diagonal, first_column };  // each step goes to the next one

  bool is_open = false;
  std::string text;       // part of the searched token's name, or its number
  Side side = Side::key;  // the token's role in the found cell
  Index token = -1;       // the token found last for `text`
  Index largest = -1;     // rank of the found cell among the largest, from 0
  bool is_searching = false;
  std::string status;  // where the last step led
};

// The searched matrix: the one that Heads and Focus show if it is queries by keys, else the weights.
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

// Zooms and pans until a cell is in sight and large enough to be read.
void reveal(ViewState& view, const MapPlace& place, Index row, Index col);
// Returns how much of a matrix can be read at once, in cells a side.
double legible_cells(const ViewState& view);

}  // namespace attnscope

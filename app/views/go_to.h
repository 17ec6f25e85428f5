#pragma once

#include "views/view_context.h"

namespace attnscope {

// The matrix that is searched: the one that Heads and Focus show where it is of queries by keys, else the weights.
struct GoToPlace {
  Stage stage = Stage::weights;
  Index head = 0;
  Index matrix = 0;
  Index tokens = 0;
};
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

void draw_go_to(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope

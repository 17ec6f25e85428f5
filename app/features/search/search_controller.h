#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compute/computation.h"
#include "core/evaluate.h"
#include "session/ui_state.h"
#include "session/view_state.h"

namespace attnscope {

// The searched matrix: the one that Heads and Focus show if it is queries by keys, else the weights.
struct GoToPlace {
  Stage stage = Stage::weights;
  Index head = 0;
  Index matrix = 0;
  Index rows = 0;
  Index cols = 0;
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

// The largest cells of a matrix of the result with this ticket.
struct LargestCells {
  std::uint64_t ticket = 0;
  Stage stage = Stage::weights;
  Index matrix = 0;
  std::vector<LargeCell> cells = {};
};

// Finding cells: by token, by size, along the diagonal.
class SearchController {
public:
  // Pins what it finds and moves the view there.
  SearchController(const UiState& now, GoToState& state, ViewState& view) : now_(now), state_(state), view_(view) {}

  // Opens or closes the panel.
  void toggle() { state_.is_open = !state_.is_open; }
  void close() { state_.is_open = false; }
  // Says which token go_to() finds next: the first one of this name.
  void seek(const std::string& text);
  void choose_side(GoToState::Side side);
  void go_to(GoToState::Target target);

private:
  MapPlace go_to_map_place() const;
  Source go_to_origin() const;
  std::string go_to_cell(const Source& cell);  // says where that is
  void go_to_token();
  void go_to_largest();
  void go_along_diagonal();

  const UiState& now_;
  GoToState& state_;
  ViewState& view_;
  LargestCells listed_;  // the cells that are stepped through
};

}  // namespace attnscope

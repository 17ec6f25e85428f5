#pragma once

#include <functional>
#include <string>

#include "compute/computation.h"
#include "session/ui_state.h"

namespace attnscope {

// Finding cells: by token, by size, along the diagonal.
class SearchController {
public:
  // Pins what it finds and moves the view there; `wake` is called from the background thread when a search ended.
  SearchController(const UiState& now, GoToState& state, ViewState& view, const std::function<void()>& wake)
      : now_(now), state_(state), view_(view), finder_(find_largest, wake) {}

  // Opens or closes the panel.
  void toggle() { state_.is_open = !state_.is_open; }
  void close() { state_.is_open = false; }
  // Says which token go_to() finds next: the first one of this name.
  void seek(const std::string& text);
  void choose_side(GoToState::Side side);
  void go_to(GoToState::Target target);

  bool poll();  // whether something was found
  void wait() { finder_.wait(); }

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
  LargestQuery searched_;                      // in the background, while state_.is_searching
  LargestQuery listed_;                        // whose list is stepped through
  std::shared_ptr<const LargestFound> found_;  // last
  LargestFinder finder_;
};

}  // namespace attnscope

#pragma once

#include <functional>
#include <optional>

#include "session/ui_state.h"

namespace attnscope {

// How it is looked at, and where the pointer is.
class ViewController {
public:
  ViewController(ViewState& view, std::optional<Source>& hovered) : view_(view), hovered_(hovered) {}

  void change(const std::function<void(ViewState&)>& change) {
    const std::optional<Source> before = view_.pinned;
    change(view_);
    note_pinned(view_, before);
  }
  void hover(const std::optional<Source>& cell) {
    hovered_ = cell;
    is_over_cell_ = true;
  }

  void begin_frame() { is_over_cell_ = false; }
  void end_frame() {  // what the pointer was over is not there any more
    if (!is_over_cell_) hovered_.reset();
  }
  // Another document: from its beginning.
  void start_over(const std::optional<Source>& pinned) {
    view_.pinned = pinned;
    view_.transient = {};
    view_.head = 0;
    view_.batch = 0;
    view_.map = {};
    view_.side = ComparedSide::now;
    view_.shows_changes = false;
    hovered_.reset();
  }

private:
  ViewState& view_;
  std::optional<Source>& hovered_;
  bool is_over_cell_ = false;  // in this frame
};

}  // namespace attnscope

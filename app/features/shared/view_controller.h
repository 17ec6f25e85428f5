#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "session/ui_state.h"
#include "session/view_state.h"
#include "view/figure_options.h"
#include "view/view_address.h"

namespace attnscope {

// How the document is looked at, and the cell under the pointer.
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
  void end_frame() {  // the cell under the pointer may be gone
    if (!is_over_cell_) hovered_.reset();
  }
  // Looks at another document from its beginning.
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

// Returns how a picture looks at its document, as address_text() writes it.
std::string view_text(const ViewState& view);
std::string view_text(const FigureOptions& options);  // the view that shows what the figure does

// Changes the view as the address says; what it does not name stays.
void look_at(ViewState& view, const ViewAddress& address);
// Looks at a document as a picture did, as far as it says so and the document has what it names.
void look_as(ViewState& view, const AttentionConfig& config, std::string_view text);

}  // namespace attnscope

#pragma once

#include <optional>
#include <vector>

#include "core/source.h"

namespace attnscope {

struct ViewState;

// The numbers that were looked at one after the other, as a browser keeps its pages: Back and Forward go through them.
// Stepping from a cell to the next one within a matrix is one place, the last of these cells.
struct Trail {
  std::optional<Source> here;   // that was pinned last
  std::vector<Source> back;     // the newest last
  std::vector<Source> forward;  // likewise
  bool operator==(const Trail&) const = default;
};

// To be called when something was pinned or unpinned; `before` is what was pinned until then. The head of what was
// pinned becomes the one that is shown.
void note_pinned(ViewState& view, const std::optional<Source>& before);

bool can_go_back(const ViewState& view);
bool can_go_forward(const ViewState& view);
void go_back(ViewState& view);
void go_forward(ViewState& view);

// Pins a number and, where one stage is shown, shows its stage.
void look_at(ViewState& view, const Source& source);

// Shows a stage in Heads and Focus. What is pinned in one matrix of queries by keys is pinned in the next one, too.
void show_stage(ViewState& view, Stage stage);

}  // namespace attnscope

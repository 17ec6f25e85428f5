#pragma once

#include <span>

#include "session/ui_state.h"

namespace attnscope {

// One way to look at a document. Buttons, menu, keys, help and settings go through the table: Ctrl+1 is its first row.
struct ViewModeInfo {
  ViewMode mode;
  const char* title;                                      // of its button: "Heads"
  const char* help;                                       // "one stage of all heads"
  const char* (*obstacle)(const UiState& now) = nullptr;  // why there is nothing to show; empty where there is

  bool is_of_menus = false;  // menus lead to it: its button is there while it is shown

  std::string_view obstacle_in(const UiState& now) const { return obstacle ? obstacle(now) : ""; }
  int number() const;        // of its key: 1 for the first row
  std::string keys() const;  // "Ctrl+1"
};

std::span<const ViewModeInfo> view_modes();
const ViewModeInfo& info(ViewMode mode);
const ViewModeInfo* view_mode_named(std::string_view id);  // null where there is none

}  // namespace attnscope

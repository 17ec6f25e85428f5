#pragma once

#include <imgui.h>

namespace attnscope {

// Colours and measures that panels share. Light by default, because slides are light.
struct Theme {
  bool dark = false;
  float unit = 1;  // one unit of the interface's scale, in Dear ImGui's units
  ImVec4 window;   // behind everything
  ImVec4 panel;    // side panels, menu bar, status line
  ImVec4 card;     // behind a stage
  ImVec4 border;
  ImVec4 text;
  ImVec4 dim_text;
  ImVec4 accent;  // selection, active controls
  ImVec4 accent_soft;
  ImVec4 warning;
  ImVec4 cross_hair;  // marks on the hovered query and key
  ImVec4 after;       // what follows from the pinned number; what it follows from is in the accent's colour
};

// The theme, and Dear ImGui's style set to it at `interface_scale`.
Theme apply_theme(bool dark, float interface_scale);

// One colour per head, the same everywhere. The first eight are told apart by people with any colour vision.
ImVec4 head_colour(long head, bool dark);

ImU32 to_u32(const ImVec4& colour);
ImU32 with_alpha(const ImVec4& colour, float alpha);

}  // namespace attnscope

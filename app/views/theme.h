#pragma once

#include <imgui.h>

#include "look/themes.h"

namespace attnscope {

// Colours and measures that panels share. Light by default, because slides are light.
struct Theme {
  ThemeId id = ThemeId::light;
  bool dark = false;
  CellGreys greys;
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
  ImVec4 edited;      // what was changed by hand
};

// The theme, and Dear ImGui's style set to it at `interface_scale`.
Theme apply_theme(ThemeId id, float interface_scale);

constexpr float disabled_alpha = 0.5f;  // of controls that do not apply

// One colour per head, the same everywhere. The first eight are told apart by people with any colour vision.
ImVec4 head_colour(long head, bool dark);

ImU32 to_u32(const ImVec4& colour);
ImU32 with_alpha(const ImVec4& colour, float alpha);

}  // namespace attnscope

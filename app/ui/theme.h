#pragma once

#include <imgui.h>

#include "view/colours.h"

namespace attnscope {

// A theme as panels use it. Light by default, because slides are light.
struct Theme : ThemeColours {
  float unit = 1;  // one unit of the interface's scale, in Dear ImGui's units
};

// The theme, and Dear ImGui's style set to it at `interface_scale`.
Theme apply_theme(ThemeId id, float interface_scale);

constexpr float disabled_alpha = 0.5f;  // of controls that do not apply

ImVec4 to_vec4(Rgb colour);
ImU32 to_u32(Rgb colour, float alpha = 1);

}  // namespace attnscope

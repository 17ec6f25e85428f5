#pragma once

#include <imgui.h>

#include "ui/imgui_keys.h"

namespace attnscope {

// Pointer and keyboard of the current Dear ImGui context, where no window brings them: what a script does and what the
// tests do. Each is seen by the next frame.

void map_keys();  // once for a context
void give_pointer(ImVec2 pos_screen);
void give_button(int button, bool is_down);
void give_wheel(float lines);          // up is positive
void give_key(int key, bool is_down);  // keys::letter('Z'), keys::named(ImGuiKey_Escape), ...
void give_modifiers(bool is_control, bool is_shift, bool is_alt = false);

}  // namespace attnscope

#pragma once

// How a test feeds Dear ImGui, and where its versions differ in that: 1.86 has no queue of events, and its keys are the
// platform's.

#include <string>

#include "views/imgui_compat.h"

namespace attnscope::test {

// What Desk's clipboard functions read and write.
void use_clipboard(std::string& text);

void map_keys();
void give_pointer(ImVec2 pos_screen);
void give_button(int button, bool is_down);
void give_wheel(float lines);
void give_key(int key, bool is_down);  // keys::letter('Z'), keys::named(ImGuiKey_Escape), ...
void give_modifiers(bool is_control, bool is_shift);

}  // namespace attnscope::test

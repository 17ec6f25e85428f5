#include "ui/imgui_input.h"

#include "ui/imgui_compat.h"

// 1.86 has no queue of events, and its keys are the platform's.
namespace attnscope {

#if IMGUI_VERSION_NUM >= 18700
void map_keys() {}
void give_pointer(ImVec2 pos_screen) { ImGui::GetIO().AddMousePosEvent(pos_screen.x, pos_screen.y); }
void give_button(int button, bool is_down) { ImGui::GetIO().AddMouseButtonEvent(button, is_down); }
void give_wheel(float lines) { ImGui::GetIO().AddMouseWheelEvent(0, lines); }
void give_key(int key, bool is_down) { ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(key), is_down); }
void give_modifiers(bool is_control, bool is_shift, bool is_alt) {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, is_control);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, is_shift);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, is_alt);
#else
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModCtrl, is_control);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModShift, is_shift);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModAlt, is_alt);
#endif
}
#else
namespace {

// GLFW's numbers, which keys:: in imgui_input.h counts on.
constexpr struct {
  ImGuiKey key;
  int code;
} key_codes[] = {
    {ImGuiKey_Escape, 256},  {ImGuiKey_Enter, 257},      {ImGuiKey_Tab, 258},       {ImGuiKey_Backspace, 259},
    {ImGuiKey_Delete, 261},  {ImGuiKey_RightArrow, 262}, {ImGuiKey_LeftArrow, 263}, {ImGuiKey_DownArrow, 264},
    {ImGuiKey_UpArrow, 265}, {ImGuiKey_PageUp, 266},     {ImGuiKey_PageDown, 267},  {ImGuiKey_Home, 268},
    {ImGuiKey_End, 269},     {ImGuiKey_Space, 32},       {ImGuiKey_A, 'A'},         {ImGuiKey_C, 'C'},
    {ImGuiKey_V, 'V'},       {ImGuiKey_X, 'X'},          {ImGuiKey_Y, 'Y'},         {ImGuiKey_Z, 'Z'}};

}  // namespace

void map_keys() {
  for (const auto& entry : key_codes) ImGui::GetIO().KeyMap[entry.key] = entry.code;
}
void give_pointer(ImVec2 pos_screen) { ImGui::GetIO().MousePos = pos_screen; }
void give_button(int button, bool is_down) { ImGui::GetIO().MouseDown[button] = is_down; }
void give_wheel(float lines) { ImGui::GetIO().MouseWheel = lines; }
void give_key(int key, bool is_down) { ImGui::GetIO().KeysDown[key] = is_down; }
void give_modifiers(bool is_control, bool is_shift, bool is_alt) {
  ImGui::GetIO().KeyCtrl = is_control;
  ImGui::GetIO().KeyShift = is_shift;
  ImGui::GetIO().KeyAlt = is_alt;
}
#endif

}  // namespace attnscope

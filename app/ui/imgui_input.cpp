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

bool begin_steady_child(const char* name, ImVec2 size, bool has_border, ImGuiWindowFlags flags) {
  constexpr int quick = 4;  // frames
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID(name);
  enum : ImGuiID { was_there = 1, changed_at, turns, width, height };
  const auto key = [id](ImGuiID each) { return ImHashData(&each, sizeof each, id); };
  const bool comes_and_goes = kept.GetInt(key(turns)) > 2;
  const bool is_open = ImGui::BeginChild(name, size, has_border,
                                         flags | (comes_and_goes ? ImGuiWindowFlags_AlwaysVerticalScrollbar : 0));
  const ImGuiWindow& child = *ImGui::GetCurrentWindow();
  const bool has_new_size =
      kept.GetFloat(key(width)) != child.SizeFull.x || kept.GetFloat(key(height)) != child.SizeFull.y;
  const bool changes = child.ScrollbarY != kept.GetBool(key(was_there));
  const int now = ImGui::GetFrameCount();
  if (has_new_size) {
    kept.SetInt(key(turns), 0);
  } else if (changes) {
    const bool is_quick = now - kept.GetInt(key(changed_at)) < quick;
    kept.SetInt(key(turns), is_quick ? kept.GetInt(key(turns)) + 1 : 1);
  }
  if (changes) kept.SetInt(key(changed_at), now);
  kept.SetBool(key(was_there), child.ScrollbarY);
  kept.SetFloat(key(width), child.SizeFull.x);
  kept.SetFloat(key(height), child.SizeFull.y);
  return is_open;
}

}  // namespace attnscope

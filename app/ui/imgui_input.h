#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <initializer_list>

namespace attnscope {

// Give the current Dear ImGui context the pointer and keys of a script or a test, which no window brings. The next
// frame sees them. Keys are keys::letter('Z'), keys::named(ImGuiKey_Escape), ...; a wheel's lines are positive upwards.
// map_keys() is called once for a context. 1.86 has no queue of events, and its keys are the platform's.

#if IMGUI_VERSION_NUM >= 18700
inline void map_keys() {}
inline void give_pointer(ImVec2 pos_screen) { ImGui::GetIO().AddMousePosEvent(pos_screen.x, pos_screen.y); }
inline void give_button(int button, bool is_down) { ImGui::GetIO().AddMouseButtonEvent(button, is_down); }
inline void give_wheel(float lines) { ImGui::GetIO().AddMouseWheelEvent(0, lines); }
inline void give_key(int key, bool is_down) { ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(key), is_down); }
inline void give_modifiers(bool is_control, bool is_shift, bool is_alt = false) {
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
inline void map_keys() {
  // GLFW's numbers, which keys:: below counts on.
  static constexpr struct {
    ImGuiKey key;
    int code;
  } key_codes[] = {
      {ImGuiKey_Escape, 256},  {ImGuiKey_Enter, 257},      {ImGuiKey_Tab, 258},       {ImGuiKey_Backspace, 259},
      {ImGuiKey_Delete, 261},  {ImGuiKey_RightArrow, 262}, {ImGuiKey_LeftArrow, 263}, {ImGuiKey_DownArrow, 264},
      {ImGuiKey_UpArrow, 265}, {ImGuiKey_PageUp, 266},     {ImGuiKey_PageDown, 267},  {ImGuiKey_Home, 268},
      {ImGuiKey_End, 269},     {ImGuiKey_Space, 32},       {ImGuiKey_A, 'A'},         {ImGuiKey_C, 'C'},
      {ImGuiKey_V, 'V'},       {ImGuiKey_X, 'X'},          {ImGuiKey_Y, 'Y'},         {ImGuiKey_Z, 'Z'}};
  for (const auto& entry : key_codes) ImGui::GetIO().KeyMap[entry.key] = entry.code;
}
inline void give_pointer(ImVec2 pos_screen) { ImGui::GetIO().MousePos = pos_screen; }
inline void give_button(int button, bool is_down) { ImGui::GetIO().MouseDown[button] = is_down; }
inline void give_wheel(float lines) { ImGui::GetIO().MouseWheel = lines; }
inline void give_key(int key, bool is_down) { ImGui::GetIO().KeysDown[key] = is_down; }
inline void give_modifiers(bool is_control, bool is_shift, bool is_alt = false) {
  ImGui::GetIO().KeyCtrl = is_control;
  ImGui::GetIO().KeyShift = is_shift;
  ImGui::GetIO().KeyAlt = is_alt;
}
#endif

// The keyboard of Dear ImGui 1.86 to 1.92: keys by their names, and what they have chosen on the screen.

// Returns whether the item that the keys chose is marked.
inline bool shows_focus() {
#if IMGUI_VERSION_NUM >= 19140
  return ImGui::GetCurrentContext()->NavCursorVisible;
#else
  return !ImGui::GetCurrentContext()->NavDisableHighlight;
#endif
}

inline void show_focus() {
#if IMGUI_VERSION_NUM >= 19140
  ImGui::GetCurrentContext()->NavCursorVisible = true;
#else
  ImGui::GetCurrentContext()->NavDisableHighlight = false;
#endif
}

// Gives the keys to the last item, and its frame: to no other, though the window has only just come.
inline void focus_last_item() {
  const auto focus = [](auto& g) {
    ImGui::SetFocusID(g.LastItemData.ID, g.CurrentWindow);
    g.NavInitRequest = false;
    if constexpr (requires { g.NavInitResultId; }) {
      g.NavInitResultId = 0;
    } else {
      g.NavInitResult.ID = 0;
    }
  };
  focus(*ImGui::GetCurrentContext());
  show_focus();
}

inline void activate_item(ImGuiID id) {
#if IMGUI_VERSION_NUM >= 19000
  ImGui::ActivateItemByID(id);
#else
  ImGui::ActivateItem(id);
#endif
}

// Whether the active item was activated by keys.
inline bool is_active_by_keys() {
  const ImGuiInputSource source = ImGui::GetCurrentContext()->ActiveIdSource;
#if IMGUI_VERSION_NUM >= 19000
  return source == ImGuiInputSource_Keyboard || source == ImGuiInputSource_Gamepad;
#else
  return source == ImGuiInputSource_Nav;
#endif
}

// Whether arrows, Enter and Space choose and use what is on the screen, from the next frame on. The Enter that led
// there is not one for what is chosen first: it has to be let go.
inline void let_keys_navigate(bool is_so, bool is_enter_down) {
  ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
  if (is_so && is_enter_down && (flags & ImGuiConfigFlags_NavEnableKeyboard) == 0) return;
  flags = is_so ? flags | ImGuiConfigFlags_NavEnableKeyboard : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}

// Whether the keys are at the menu bar, on the way from one menu to another.
inline bool is_at_menu_bar() { return ImGui::GetCurrentContext()->NavLayer == ImGuiNavLayer_Menu; }

// Alt alone would go to the menu, also after Alt with an arrow.
inline void keep_alt_from_menu() { ImGui::GetCurrentContext()->NavWindowingToggleLayer = false; }

// Enter does what Space does, and in what takes text begins to edit: newer ones do so by themselves.
inline void let_enter_activate() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiContext& imgui = *ImGui::GetCurrentContext();
  if (imgui.NavActivateInputId == 0 || imgui.ActiveId != 0) return;
  imgui.NavActivateId = imgui.NavActivateDownId = imgui.NavActivatePressedId = imgui.NavActivateInputId;
#endif
}

// An area that is pressed like a button, by the keys, too: newer ones leave those out unless they are asked not to.
inline bool pressable_area(const char* id, ImVec2 size) {
#if IMGUI_VERSION_NUM >= 19200
  return ImGui::InvisibleButton(id, size, ImGuiButtonFlags_EnableNav);
#else
  return ImGui::InvisibleButton(id, size);
#endif
}

// The field with this id takes what is typed from the next frame on.
inline void type_into(ImGuiID id) {
  ImGuiContext& imgui = *ImGui::GetCurrentContext();
  imgui.NavNextActivateId = id;
  imgui.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
}

// Returns whether a key has just activated the chosen item.
inline bool is_used_by_focus() { return ImGui::GetCurrentContext()->NavActivateId != 0; }

// A menu or a list is open, and one was in the frame before: Dear ImGui has closed it on Esc by now.
inline bool is_popup_open() {
  for (const ImGuiPopupData& popup : ImGui::GetCurrentContext()->OpenPopupStack) {
    if (!popup.Window || (popup.Window->Flags & ImGuiWindowFlags_Modal) == 0) return true;
  }
  return false;
}
inline bool had_popup() {
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    const bool is_list = (window->Flags & ImGuiWindowFlags_Popup) != 0 && (window->Flags & ImGuiWindowFlags_Modal) == 0;
    if (is_list && window->WasActive) return true;
  }
  return false;
}

// A child whose items the arrows reach as if they were those of its parent.
inline bool begin_flat_child(const char* name, ImVec2 size, bool has_border = false, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19100
  const ImGuiChildFlags border = has_border ? ImGuiChildFlags_Borders : ImGuiChildFlags_None;
  return ImGui::BeginChild(name, size, border | ImGuiChildFlags_NavFlattened, flags);
#else
  return ImGui::BeginChild(name, size, has_border, flags | ImGuiWindowFlags_NavFlattened);
#endif
}

// Closes every open menu and list; returns whether there was one.
inline bool close_popups() {
  if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) return false;
  ImGui::ClosePopupToLevel(0, true);
  return true;
}

// Letters, digits and function keys have no index of Dear ImGui's own before 1.87: there they are the platform's codes,
// which are GLFW's.
#if IMGUI_VERSION_NUM >= 18700
namespace keys {
inline int letter(char upper) { return ImGuiKey_A + (upper - 'A'); }
inline int digit(int value) { return ImGuiKey_0 + value; }
inline int function(int number) { return ImGuiKey_F1 + number - 1; }
inline int left_bracket() { return ImGuiKey_LeftBracket; }
inline int right_bracket() { return ImGuiKey_RightBracket; }
inline int minus() { return ImGuiKey_Minus; }
inline int equal() { return ImGuiKey_Equal; }
inline int comma() { return ImGuiKey_Comma; }
inline int named(ImGuiKey key) { return key; }
}  // namespace keys
inline bool is_key_pressed(int key, bool repeat = false) {
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), repeat);
}
inline bool is_key_down(int key) { return ImGui::IsKeyDown(static_cast<ImGuiKey>(key)); }
inline bool is_key_released(int key) { return ImGui::IsKeyReleased(static_cast<ImGuiKey>(key)); }
#else
namespace keys {
inline int letter(char upper) { return upper; }
inline int digit(int value) { return '0' + value; }
inline int function(int number) { return 290 + number - 1; }
inline int left_bracket() { return '['; }
inline int right_bracket() { return ']'; }
inline int minus() { return '-'; }
inline int equal() { return '='; }
inline int comma() { return ','; }
inline int named(ImGuiKey key) { return ImGui::GetKeyIndex(key); }
}  // namespace keys
inline bool is_key_pressed(int key, bool repeat = false) { return ImGui::IsKeyPressed(key, repeat); }
inline bool is_key_down(int key) { return ImGui::IsKeyDown(key); }
inline bool is_key_released(int key) { return ImGui::IsKeyReleased(key); }
#endif
inline bool is_any_pressed(std::initializer_list<ImGuiKey> named, bool repeat = false) {
  return std::ranges::any_of(named, [=](ImGuiKey key) { return is_key_pressed(keys::named(key), repeat); });
}

}  // namespace attnscope

#include "platform/short_keys.h"

#include <imgui.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace attnscope {

#if IMGUI_VERSION_NUM >= 18700

bool ShortKeys::replay(GLFWwindow*) {
  pressed.clear();
  return false;
}

#else

namespace {

bool is_down(GLFWwindow* window, int left, int right) {
  return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
}

void let_go(GLFWwindow* window, int key) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeysDown[key] = glfwGetKey(window, key) == GLFW_PRESS;
  io.KeyCtrl = is_down(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  io.KeyShift = is_down(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  io.KeyAlt = is_down(window, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
}

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

// Letters that are being typed arrive as text, in order and at once; to replay them would only hold up what follows.
bool is_typing(const ShortKeys::Press& press) {
  const bool is_command = (press.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) != 0;
  return ImGui::GetIO().WantTextInput && !is_command && press.key >= GLFW_KEY_SPACE && press.key < GLFW_KEY_ESCAPE;
}

}  // namespace

// Replays a key that is still down, too: its modifiers may be gone already.
bool ShortKeys::replay(GLFWwindow* window) {
  if (held >= 0) let_go(window, held);
  held = -1;
  std::erase_if(pressed, [](const Press& press) { return is_modifier(press.key) || is_typing(press); });
  if (pressed.empty()) return false;
  ImGuiIO& io = ImGui::GetIO();
  for (const Press& later : pressed) io.KeysDown[later.key] = false;  // not before its turn
  const Press press = pressed.front();
  pressed.erase(pressed.begin());
  io.KeysDown[press.key] = true;
  io.KeyCtrl = (press.modifiers & GLFW_MOD_CONTROL) != 0;
  io.KeyShift = (press.modifiers & GLFW_MOD_SHIFT) != 0;
  io.KeyAlt = (press.modifiers & GLFW_MOD_ALT) != 0;
  held = press.key;
  return true;
}

#endif

}  // namespace attnscope

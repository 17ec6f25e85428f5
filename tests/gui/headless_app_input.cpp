#include "headless_app_input.h"

namespace attnscope::test {

#if IMGUI_VERSION_NUM >= 19100
void use_clipboard(std::string& text) {
  ImGuiPlatformIO& io = ImGui::GetPlatformIO();
  io.Platform_ClipboardUserData = &text;
  io.Platform_GetClipboardTextFn = [](ImGuiContext*) {
    return static_cast<std::string*>(ImGui::GetPlatformIO().Platform_ClipboardUserData)->c_str();
  };
  io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* copied) {
    *static_cast<std::string*>(ImGui::GetPlatformIO().Platform_ClipboardUserData) = copied;
  };
}
#else
void use_clipboard(std::string& text) {
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = &text;
  io.GetClipboardTextFn = [](void* clipboard) { return static_cast<std::string*>(clipboard)->c_str(); };
  io.SetClipboardTextFn = [](void* clipboard, const char* copied) { *static_cast<std::string*>(clipboard) = copied; };
}
#endif

}  // namespace attnscope::test

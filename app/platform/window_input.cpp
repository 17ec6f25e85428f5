#include <backends/imgui_impl_glfw.h>

#include "paint_window/wide_characters.h"
#include "platform/window_impl.h"
#include "ui/input_events.h"

namespace attnscope {

// Typed and pasted text can have emoji, which Dear ImGui holds as other characters.
WindowInput::WindowInput(Window& window) {
  ImGui_ImplGlfw_InitForOpenGL(window.impl_->window, true);
  glfwSetCharCallback(window.impl_->window, [](GLFWwindow* self, unsigned character) {
    ImGui_ImplGlfw_CharCallback(self, static_cast<unsigned>(held_as(character)));
  });
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = window.impl_.get();
  io.GetClipboardTextFn = [](void* data) {
    auto& impl = *static_cast<Window::Impl*>(data);
    const char* const text = glfwGetClipboardString(impl.window);
    impl.pasted = text_to_edit(text ? text : "");
    return impl.pasted.c_str();
  };
  io.SetClipboardTextFn = [](void* data, const char* text) {
    glfwSetClipboardString(static_cast<Window::Impl*>(data)->window, edited_text(text).c_str());
  };
}

// Lets go of keys and buttons that are down: no other window hears of their release.
WindowInput::~WindowInput() {
  ImGui_ImplGlfw_Shutdown();
  ImGui::GetIO().ClearInputKeys();
  for (int button = 0; button < ImGuiMouseButton_COUNT; ++button) give_button(button, false);
}

}  // namespace attnscope

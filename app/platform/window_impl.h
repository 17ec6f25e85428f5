#pragma once

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "platform/short_keys.h"
#include "platform/window.h"
#include "platform/window_place.h"

namespace attnscope {

struct Window::Impl {
  GLFWwindow* window = nullptr;
  bool input = true;  // the first frame is always wanted
  std::string title;
  std::vector<IconPicture> icon;
  std::vector<std::filesystem::path> dropped;
  ShortKeys short_keys;
  std::string pasted;          // what the clipboard held when it was asked for last
  WindowPlace before_filling;  // the screen

  static Impl& of(GLFWwindow* window) { return *static_cast<Impl*>(glfwGetWindowUserPointer(window)); }
  static void mark(GLFWwindow* window) { of(window).input = true; }

  ~Impl() {
    close();
    glfwTerminate();
  }

  void open(int width, int height);
  void open_patiently(int width, int height);
  void close();
  void keep_drawable() const;
  void install_callbacks() const;
};

}  // namespace attnscope

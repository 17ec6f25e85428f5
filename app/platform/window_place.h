#pragma once

struct GLFWmonitor;
struct GLFWwindow;

namespace attnscope {

// On the desktop, in window units.
struct WindowPlace {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

WindowPlace place_of(GLFWwindow* window);

// The monitor that most of a place is on; null where there is none.
GLFWmonitor* monitor_at(const WindowPlace& place);

}  // namespace attnscope

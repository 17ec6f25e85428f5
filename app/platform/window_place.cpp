#include "platform/window_place.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

namespace attnscope {
namespace {

WindowPlace place_of(GLFWmonitor* monitor) {
  WindowPlace place;
  glfwGetMonitorPos(monitor, &place.x, &place.y);
  if (const GLFWvidmode* const mode = glfwGetVideoMode(monitor)) {
    place.width = mode->width;
    place.height = mode->height;
  }
  return place;
}

long shared_area(const WindowPlace& a, const WindowPlace& b) {
  const long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const long height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(width, 0L) * std::max(height, 0L);
}

}  // namespace

WindowPlace place_of(GLFWwindow* window) {
  WindowPlace place;
  glfwGetWindowPos(window, &place.x, &place.y);
  glfwGetWindowSize(window, &place.width, &place.height);
  return place;
}

GLFWmonitor* monitor_at(const WindowPlace& place) {
  int count = 0;
  GLFWmonitor** const all = glfwGetMonitors(&count);
  GLFWmonitor* nearest = glfwGetPrimaryMonitor();
  for (int i = 0; i < count; ++i) {
    if (shared_area(place, place_of(all[i])) > shared_area(place, place_of(nearest))) nearest = all[i];
  }
  return nearest;
}

}  // namespace attnscope
